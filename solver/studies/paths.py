"""Setting a property of a scene by its path, such as materials.grain.friction or bodies.slope_*.position.2.

A step of a path is the name of a field, the number of an entry of a list, the name of a named entry (body, material,
emitter ...; * and ? stand for anything, and all that match are set), or for pairs of materials both names: grain/wall.
`settings.X` is an option of the simulation.
"""

import fnmatch
from dataclasses import fields, is_dataclass, replace
from enum import Enum

import numpy as np

from ..base.refusal import StudyError
from ..materials import MaterialTable
from ..scene import Scene
from .values import is_number

# Steps from a scene that no run would differ by.
UNUSED = {
    "settings": "is not a way to an option; give settings.NAME as the whole path of a parameter",
    "name": "changes no run", "description": "changes no run", "notes": "changes no run",
}  # fmt: skip
KINDS = ((bool, "true or false"), ((int, float, np.number), "a number"), (str, "a text"))


def with_value(record, path, value, said=None):
    """A copy of a record (dataclass, tuple or dict) in which `path` is `value`; StudyError for a path that leads
    nowhere names the step and what there is, for a value of another kind than what is there both kinds."""
    said = said or path
    step, _, rest = path.partition(".")
    if isinstance(record, Scene) and step in UNUSED:
        raise StudyError(f"path {said!r}: {UNUSED[step]}; choose another")
    if isinstance(record, MaterialTable) and step not in ("pairs", "combine"):
        return replace(record, materials=_in_list(record.materials, path, value, said))
    if isinstance(record, dict):
        return {**record, step: with_value(record.get(step), rest, value, said) if rest else value}
    if is_dataclass(record):
        names = [entry.name for entry in fields(record)]
        if step not in names:
            raise StudyError(f"path {said!r}: no {step!r} there; choose one of {', '.join(names)}")
        return replace(record, **{step: _inside(getattr(record, step), rest, value, said)})
    if isinstance(record, (tuple, list, np.ndarray)):
        return _in_list(tuple(record), path, value, said)
    raise StudyError(f"path {said!r}: nothing is below {record!r}; end the path there")


def _inside(old, rest, value, said):
    """What stands where a path leads: the value itself at its end, else what is there with the rest of the path set."""
    return with_value(old, rest, value, said) if rest else _fitting(old, value, said)


def _fitting(old, value, said):
    """The value in place of what is there, if it is of the same kind."""
    kind = next((words for kinds, words in KINDS if isinstance(old, kinds)), None)
    listed = isinstance(old, (tuple, list, np.ndarray)) and len(old) > 0
    if isinstance(old, bool):
        fits = isinstance(value, bool)
    elif isinstance(old, (int, float, np.number)):
        fits = is_number(value)
    elif isinstance(old, Enum):
        kind, names = f"one of {', '.join(type(old))}", list(type(old))
        fits = value in names
        value = type(old)(value) if fits else value
    elif isinstance(old, str):
        fits = isinstance(value, str)
    elif listed and all(isinstance(entry, (int, float, np.number)) for entry in old):
        kind = f"a list of {len(old)} numbers"
        fits = isinstance(value, (tuple, list)) and len(value) == len(old) and all(map(is_number, value))
        value = tuple(value) if fits else value
    elif old is None or isinstance(old, dict):
        # What may be left out, and what may be of several kinds, the scene's own check knows.
        return tuple(value) if isinstance(value, list) else value
    else:
        raise StudyError(f"path {said!r}: ends at a whole {type(old).__name__}; go on to one of its entries")
    if not fits:
        raise StudyError(f"path {said!r}: is {value!r}; give {kind}")
    return value


def _in_list(entries, path, value, said):
    """The tuple with an entry chosen by number or by name changed."""
    step, _, rest = path.partition(".")
    if step.lstrip("-").isdigit():
        chosen = [int(step)] if -len(entries) <= int(step) < len(entries) else []
        chosen = [i % len(entries) for i in chosen]
    else:
        chosen = [i for i, entry in enumerate(entries) if fnmatch.fnmatchcase(_name(entry), step)]
    if not chosen:
        there = ", ".join(dict.fromkeys(_name(entry) or str(i) for i, entry in enumerate(entries[:12]))) or "nothing"
        raise StudyError(f"path {said!r}: no {step!r} there; there is {there}")
    changed = list(entries)
    for i in chosen:
        changed[i] = _inside(entries[i], rest, value, said)
    return tuple(changed)


def _name(entry):
    """What an entry of a list is called in a path; empty for numbers."""
    pair = getattr(entry, "materials", None)
    return "/".join(pair) if pair is not None else str(getattr(entry, "name", ""))
