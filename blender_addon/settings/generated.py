"""bpy properties made from the solver's option dataclasses, so that an option is written once."""

import dataclasses
import math

import bpy

from ...solver.options import OptionError, counts
from ..base.transforms import significant

INT_LIMIT = 2**31 - 1
# Below this a number field shows only zeros; such options are typed as text ("1e-8").
SMALLEST_SHOWN = 1e-4


def label_of(name):
    """What the panel calls an option: max_iterations -> Max Iterations."""
    return name.replace("_", " ").title()


def _description(entry):
    doc, unit = entry.metadata.get("doc", ""), entry.metadata.get("unit", "")
    return f"{doc} [{unit}]" if unit else doc


def _is_text(entry):
    value = entry.default
    if isinstance(value, str):
        return True
    return value is None or (isinstance(value, float) and 0 < abs(value) < SMALLEST_SHOWN)


def _number_limits(entry, low, high):
    minimum, maximum = entry.metadata.get("minimum"), entry.metadata.get("maximum")
    minimum = low if minimum is None or not math.isfinite(minimum) else max(low, minimum)
    maximum = high if maximum is None or not math.isfinite(maximum) else min(high, maximum)
    return {"min": minimum, "max": maximum}


def property_of(entry):
    """The bpy property for one dataclass field made by `option()`."""
    unit = entry.metadata.get("unit", "")
    label = label_of(entry.name) + (f" [{unit}]" if unit else "")
    common = {"name": label, "description": _description(entry)}
    value, choices = entry.default, entry.metadata.get("choices")
    if choices:
        items = [(str(choice), label_of(str(choice)), "") for choice in choices]
        return bpy.props.EnumProperty(items=items, default=str(value), **common)
    if _is_text(entry):
        text = "" if value is None else f"{value:g}" if isinstance(value, float) else value
        return bpy.props.StringProperty(default=text, **common)
    if isinstance(value, bool):
        return bpy.props.BoolProperty(default=value, **common)
    if isinstance(value, int):
        return bpy.props.IntProperty(default=value, **_number_limits(entry, -INT_LIMIT, INT_LIMIT), **common)
    limits = _number_limits(entry, -3.4e38, 3.4e38)
    return bpy.props.FloatProperty(default=value, precision=4, **limits, **common)


def option_fields(options_class, exclude=()):
    """The dataclass fields that the panel shows."""
    return [entry for entry in dataclasses.fields(options_class) if entry.metadata and entry.name not in exclude]


def group_class(name, options_class, exclude=()):
    """A PropertyGroup class with one property for each option of a dataclass; `exclude`: set elsewhere."""
    annotations = {entry.name: property_of(entry) for entry in option_fields(options_class, exclude)}
    return type(name, (bpy.types.PropertyGroup,), {"__annotations__": annotations, "__doc__": options_class.__doc__})


def _value(entry, raw):
    """A property's value in the type of the dataclass field."""
    choices = entry.metadata.get("choices")
    if choices:
        return next(choice for choice in choices if str(choice) == raw)
    if isinstance(raw, float):
        return significant(raw)
    if isinstance(raw, str) and not isinstance(entry.default, str):
        if raw.strip() == "" and entry.default is None:
            return None
        try:
            return float(raw)
        except ValueError:
            raise OptionError(f"option {label_of(entry.name)} is {raw!r}; give a number") from None
    return raw


def read_options(group, options_class, exclude=(), **given):
    """The option dataclass that a generated group stands for, checked; `given` fills the excluded fields."""
    values = {entry.name: _value(entry, getattr(group, entry.name)) for entry in option_fields(options_class, exclude)}
    # What another choice leaves idle keeps its value in the panel, and its default in the options.
    fields = {entry.name: entry for entry in option_fields(options_class, exclude)}
    values = {name: value for name, value in values.items() if counts(fields[name], values)}
    options = options_class(**values, **given)
    options.check()
    return options
