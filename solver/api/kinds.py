"""A Scene that a person put together in Python: whether its parts are of the kinds that their classes say, before any
is used. What values they have is looked at where a scene is compiled."""

import types
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache
from os import PathLike, fspath
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from ..base.refusal import SceneError
from ..scene import Scene

# Numbers are no flags, though bool is an int.
KINDS = {float: (int, float, np.integer, np.floating), int: (int, np.integer), bool: (bool, np.bool_),
         tuple: (tuple, list, np.ndarray)}  # fmt: skip
WORDS = {float: "a number", int: "a whole number", bool: "True or False", str: "a text", dict: "a dict",
         tuple: "a list"}  # fmt: skip


def path_of(value: Any, wanted: str, error: type[ValueError]) -> str:
    """A path as a text; `error` for what is none, or empty, with what is wanted."""
    if not isinstance(value, (str, PathLike)) or not fspath(value):
        raise error(f"{wanted} is {_kind(value)}; give a path")
    return fspath(value)


def check_kinds(scene: object) -> None:
    """Raise SceneError for the first part of a scene that is of another kind than it should be."""
    if not isinstance(scene, Scene):
        raise SceneError(f"what to simulate is {_kind(scene)}; give a Scene, a file, or a name of `stiction scenes`")
    _check(scene, "a scene", "")


def _check(one: Any, who: str, prefix: str) -> None:
    """Look at the fields of a dataclass, and at the dataclasses in them."""
    name = getattr(one, "name", None)
    if name is not None:
        who, prefix = f"{type(one).__name__.lower()} {name!r}", ""
    for field, wanted, default in _entries(one.__class__):
        value = getattr(one, field)
        if value is default:
            continue
        wrong = _misfit(value, wanted)
        if field == "name" and wrong is None and not value:
            wrong = "is ''"
        for shape in {"shape": (value,), "shapes": value}.get(field, ()) if wrong is None else ():
            if not hasattr(shape, "check") or isinstance(shape, type):
                raise SceneError(f"{who}: {prefix}{field} is {_kind(shape)}; give one as Box((1, 1, 1))")
        if wrong is not None:
            means = f", {value.name!r}" if wanted is str and isinstance(getattr(value, "name", None), str) else ""
            raise SceneError(f"{who}: {prefix}{field} {wrong}; give {_words(wanted)}{means}")
        for part in _parts(value):
            _check(part, who, f"{prefix}{field}.")


def _parts(value: Any) -> Iterator[Any]:
    """The dataclasses in the value of a field."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else (value,)
    return (one for one in inside if is_dataclass(one))


@cache
def _entries(kind: type) -> tuple[tuple[str, Any, Any], ...]:
    """(name, type, default) of the fields of a dataclass."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple((entry.name, hints[entry.name], entry.default) for entry in fields(kind) if entry.init)


def _misfit(value: Any, wanted: Any) -> str | None:
    """In what a value is not of a type; None where it is."""
    inner, origin = get_args(wanted), get_origin(wanted)
    if hasattr(wanted, "__metadata__"):
        return None if _are_numbers(value, wanted.__metadata__[0]) else f"is {_kind(value)}"
    if origin in (Union, types.UnionType):
        found = [_misfit(value, one) for one in inner]
        return None if None in found else found[0]
    if origin is tuple:
        if not isinstance(value, (tuple, list)):
            return f"is {_kind(value)}"
        inner = inner[:1] * len(value) if inner[1:] == (...,) else inner
        if len(inner) != len(value):
            return f"has {len(value)} entries"
        return next((f"holds {_kind(one)}" for one, kind in zip(value, inner, strict=True)
                     if _misfit(one, kind) is not None), None)  # fmt: skip
    if wanted is Any:
        return None
    if issubclass(wanted, StrEnum):
        return None if isinstance(value, str) and value in [*wanted] else f"is {_kind(value)}"
    fits = isinstance(value, KINDS.get(wanted, wanted)) and (wanted is bool or not isinstance(value, (bool, np.bool_)))
    return None if fits and not _is_huge(value) else f"is {_kind(value)}"


def _is_huge(value: Any) -> bool:
    """Whether a value is a whole number that no array holds."""
    return isinstance(value, int) and abs(value) >= 2**63


def _are_numbers(value: Any, depth: int) -> bool:
    """Whether a value is a number in lists of lists, or an array, of so many dimensions."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "iuf" and value.ndim == depth
    if depth == 0:
        return _misfit(value, float) is None
    return isinstance(value, (tuple, list)) and all(_are_numbers(one, depth - 1) for one in value)


def _words(wanted: Any) -> str:
    """What to give for a type."""
    inner = get_args(wanted)
    if hasattr(wanted, "__metadata__"):
        return ("a list of numbers", "a list of lists of numbers", "a list of lists of points")[
            wanted.__metadata__[0] - 1]  # fmt: skip
    if get_origin(wanted) in (Union, types.UnionType):
        return " or ".join(_words(one) for one in inner)
    if get_origin(wanted) is tuple:
        same = inner[1:] == (...,)
        return f"[{', '.join(map(_words, inner[:1] if same else inner))}{', ...' if same else ''}]"
    if wanted is type(None):
        return "None"
    if issubclass(wanted, StrEnum):
        return f"one of {', '.join(wanted)}"
    return WORDS.get(wanted, f"{wanted.__name__}(...)")


def _kind(value: object) -> str:
    """A value in a few words."""
    if _is_huge(value):
        return "a huge whole number"
    if isinstance(value, (str, int, float, bool, type(None))):
        return f"{value!r:.60}"
    return f"the class {value.__name__}" if isinstance(value, type) else f"a {type(value).__name__}"
