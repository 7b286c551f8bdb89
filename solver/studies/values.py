"""Values of parameters, which may be anything a TOML file holds: which are numbers, which are equal, what they are
called."""

import json


def is_number(value):
    """True for a number; true and false are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def key_of(value):
    """What equal values share and can be looked up by: 3 and 3.0 are equal, true and 1 are not."""
    if is_number(value):
        return float(value)
    if isinstance(value, dict):
        return "table", point_key(value)
    if isinstance(value, (list, tuple)):
        return "list", tuple(key_of(entry) for entry in value)
    return json.dumps(value)


def point_key(point):
    """The same of a point {name: value}."""
    return tuple(sorted((name, key_of(value)) for name, value in point.items()))


def distinct(values):
    """Values without repetition: numbers by size, others in the order of their mention."""
    found = {}
    for value in values:
        found.setdefault(key_of(value), value)
    found = list(found.values())
    return sorted(found) if all(is_number(value) for value in found) else found


def shown(value):
    """A value in words."""
    if is_number(value):
        return f"{value:g}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return f"({', '.join(shown(entry) for entry in value)})"
    if isinstance(value, dict):
        return ", ".join(f"{name} {shown(entry)}" for name, entry in value.items()) or "none"
    return str(value)


def shown_point(point):
    """A point {name: value} in words; empty for one without parameters."""
    return ", ".join(f"{name} {shown(value)}" for name, value in point.items())
