"""Setting a property of a scene by its path, such as materials.grain.friction or bodies.slope_*.position.2.

A step of a path is the name of a field, the number of an entry of a list, the name of a named entry (body, material,
emitter ...; * and ? stand for anything, and all that match are set), or for pairs of materials both names: grain/wall.
`settings.X` is an option of the simulation.
"""

import fnmatch
from dataclasses import fields, is_dataclass, replace

import numpy as np

from ..base.refusal import StudyError
from ..materials import MaterialTable


def with_value(record, path, value, said=None):
    """A copy of a record (dataclass, tuple or dict) in which `path` is `value`; StudyError for a path that leads
    nowhere names the step and what there is."""
    said = said or path
    step, _, rest = path.partition(".")
    if isinstance(record, MaterialTable) and step not in ("pairs", "combine"):
        return replace(record, materials=_in_list(record.materials, path, value, said))
    if isinstance(record, dict):
        return {**record, step: with_value(record.get(step), rest, value, said) if rest else value}
    if is_dataclass(record):
        names = [entry.name for entry in fields(record)]
        if step not in names:
            raise StudyError(f"path {said!r}: no {step!r} there; choose one of {', '.join(names)}")
        inner = with_value(getattr(record, step), rest, value, said) if rest else value
        return replace(record, **{step: tuple(inner) if isinstance(inner, list) else inner})
    if isinstance(record, (tuple, list, np.ndarray)):
        return _in_list(tuple(record), path, value, said)
    raise StudyError(f"path {said!r}: nothing is below {record!r}; end the path there")


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
        changed[i] = with_value(entries[i], rest, value, said) if rest else value
    return tuple(changed)


def _name(entry):
    """What an entry of a list is called in a path; empty for numbers."""
    pair = getattr(entry, "materials", None)
    return "/".join(pair) if pair is not None else str(getattr(entry, "name", ""))
