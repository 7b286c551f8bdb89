"""bpy properties made from the solver's option dataclasses, so that an option is written once."""

import dataclasses
import math

import bpy

from ...solver.options import OptionError, counts
from ..base.enums import OF_SOLVER, identifier
from ..base.transforms import significant

INT_LIMIT = 2**31 - 1
# Below this a number field shows only zeros; such options are typed as text ("1e-8").
SMALLEST_SHOWN = 1e-4


# Options whose names are not the words that a reader of the field would look for.
LABELS = {
    "effort": "Max Work", "step_effort": "Max Work of a Step", "patience": "Work until Acceptable",
    "even_loads": "Minimum-Norm Loads", "soft_stepper": "Deformable Stepper",
}  # fmt: skip


def label_of(name):
    """What the panel calls an option: max_iterations -> Max Iterations."""
    return LABELS.get(name) or name.replace("_", " ").title()


# When to change an option of the simulation; those of methods are for comparisons alone.
ADVICE = {
    "substeps": "Set it where bodies are small beside the way that they go in a step",
    "stepper": "Change it to compare time-stepping schemes",
    "soft_stepper": "Change it to compare with older results",
    "spectral_radius": "Lower it where deformable bodies tremble",
    "accuracy": "Lower it for measurements, raise it for speed",
    "acceptable": "Lower it where piles creep",
    "tolerance": "Set it where a result has to state its residual",
    "effort": "Raise it where the verdict names steps that are inexact",
    "step_effort": "Raise it where the verdict names steps that are inexact",
    "merge_fixed": "Switch it off to read the forces of fixed joints",
    "max_iterations": "Set it to compare methods at equal work",
    "bounce_threshold": "Raise it where resting bodies hop",
    "overlap": "Change it to see what overlap alone does",
    "until_not_accepted": "Switch it on where one wrong step spoils what follows",
    "sleeping": "Switch it on for piles that are long at rest",
    "contact_generator": "Change it to compare with a plane or a point",
    "linear_damping": "Raise it for what moves in air or water",
    "angular_damping": "Raise it for what spins too long",
    "threads": "Set it to leave cores for other work",
    "store_contacts": "Switch it on to see forces under Inspect; files get larger",
    "contacts_of": "Choose frames for smaller files of a run that need not be verified",
}
OF_METHODS = "Change it to compare with its paper"


def _description(entry):
    doc, unit = entry.metadata.get("doc", ""), entry.metadata.get("unit", "")
    end = "" if not unit or f"[{unit}]" in doc else f" [{unit}]"
    return f"{doc}{end}. {ADVICE.get(entry.name, OF_METHODS)}"


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
        items = [(identifier(choice), label_of(str(choice)), "") for choice in choices]
        return bpy.props.EnumProperty(items=items, default=identifier(value), **common)
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
    fields = option_fields(options_class, exclude)
    members = {
        "__annotations__": {entry.name: property_of(entry) for entry in fields}, "__doc__": options_class.__doc__,
        OF_SOLVER: tuple(entry.name for entry in fields if entry.metadata.get("choices")),
    }  # fmt: skip
    return type(name, (bpy.types.PropertyGroup,), members)


def _value(entry, raw):
    """A property's value in the type of the dataclass field."""
    choices = entry.metadata.get("choices")
    if choices:
        return next(choice for choice in choices if identifier(choice) == raw)
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
