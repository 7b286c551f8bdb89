"""Options: dataclass fields that carry their unit, limits and a one-line doc.

An option is written once; the panel, the command line and the docs are generated from it.
"""

import dataclasses
import math
import sys
from functools import cache
from numbers import Integral, Real
from typing import Any


class OptionError(ValueError):
    """An option outside its limits; the message names the option, the value and the range."""


def option(default, doc, unit="", minimum=None, maximum=None, choices=None, only=None) -> Any:
    """Return a dataclass field with its documentation, unit and limits as metadata.

    only: (name of another option, its value) without which this one has no effect and must keep its default.
    """
    metadata = {"doc": doc, "unit": unit, "minimum": minimum, "maximum": maximum, "choices": choices, "only": only}
    return dataclasses.field(default=default, metadata=metadata)


@cache
def _bound(kind):
    """(name, default, other option, its value) of the options that count only with that value."""
    fields = [entry for entry in dataclasses.fields(kind) if entry.metadata.get("only")]
    return [(entry.name, entry.default, *entry.metadata["only"]) for entry in fields]


def counts(entry, values):
    """True if the option of a dataclass field has an effect together with the other `values` {name: value}."""
    only = entry.metadata.get("only")
    return not only or values.get(only[0], only[1]) == only[1]


class Options:
    """Base of all option dataclasses: `check()` refuses values outside the limits."""

    def check(self):
        """Raise OptionError for the first option outside its limits."""
        for entry, kinds, low, high in _limits(type(self)):
            value = getattr(self, entry.name)
            if not (type(value) in kinds and low <= value <= high):
                check_value(entry, value)
        for name, default, other, wanted in _bound(type(self)):
            value = getattr(self, name)
            if value != default and getattr(self, other) != wanted:
                raise OptionError(
                    f"option {name} is {value} but counts only with {other} = {wanted}; choose that or keep {default}"
                )

    @classmethod
    def from_strings(cls, pairs):
        """Return options from {name: text}, converted to each field's type; unknown names are refused."""
        fields = {entry.name: entry for entry in dataclasses.fields(cls)}
        values = {}
        for name, text in pairs.items():
            if name not in fields:
                raise OptionError(f"unknown option {name!r}; this one takes: {', '.join(fields)}")
            values[name] = _convert(fields[name], text)
        options = cls(**values)
        options.check()
        return options


def changed(record, **values):
    """A copy of a frozen dataclass with other values in some fields, cached properties included: dataclasses.replace at
    a tenth of its time, for use in every step."""
    other = object.__new__(type(record))
    other.__dict__.update(record.__dict__)
    other.__dict__.update(values)
    return other


def made(kind, /, **values):
    """A frozen dataclass from all fields that have no default: what its constructor makes at a third of the time."""
    record = object.__new__(kind)
    record.__dict__.update(values)
    return record


@cache
def _limits(cls):
    """(field, types of numbers, least, largest) of every option of a class; nan where a number is not all that can be
    wrong."""
    rows = []
    for entry in dataclasses.fields(cls):
        data = entry.metadata
        low, high = data.get("minimum"), data.get("maximum")
        largest = sys.float_info.max
        low, high = -largest if low is None else low, largest if high is None else high
        # Of any other type, or of a kind that has no limits: check_value looks at it.
        kinds = {int: (int,), float: (int, float), bool: (bool,)}.get(kind_of(entry), ())
        rows.append((entry, kinds, math.nan if data.get("choices") is not None else low, high))
    return rows


def _convert(entry, text):
    if not isinstance(text, str):
        return text
    kind = kind_of(entry)
    if kind is bool:
        if text.lower() in ("1", "true", "yes", "on"):
            return True
        if text.lower() in ("0", "false", "no", "off"):
            return False
        raise OptionError(f"option {entry.name} is {text!r}; give true or false")
    try:
        return kind(text)
    except ValueError:
        raise OptionError(f"option {entry.name} is {text!r}; give {KINDS[kind]}") from None


KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", dict: "names with values"}


def kind_of(entry):
    """Type of an option's values: bool, int, float, str or dict."""
    if entry.default is dataclasses.MISSING:
        return dict
    return float if entry.default is None else type(entry.default)


def _fits(kind, value):
    """True if `value` can stand for an option of that type; true and false are no numbers."""
    if kind in (int, float) and isinstance(value, bool):
        return False
    return isinstance(value, {int: Integral, float: Real}.get(kind, kind))


def check_value(entry, value):
    """Raise OptionError if `value` is outside the limits of an option, a dataclass field."""
    data, kind = entry.metadata, kind_of(entry)
    if not data or (value is None and entry.default is None):
        return
    if not _fits(kind, value):
        raise OptionError(f"option {entry.name} is {value!r}; give {KINDS[kind]}")
    if data.get("choices") is not None and value not in data["choices"]:
        raise OptionError(f"option {entry.name} is {value!r}; choose one of {', '.join(map(str, data['choices']))}")
    if kind not in (int, float):
        return
    low, high = data.get("minimum"), data.get("maximum")
    unit = f" {data['unit']}" if data.get("unit") else ""
    if not math.isfinite(value) or (low is not None and value < low) or (high is not None and value > high):
        limits = f"[{'-inf' if low is None else low}, {'inf' if high is None else high}]"
        raise OptionError(f"option {entry.name} is {value}{unit}; give a finite value in {limits}")
