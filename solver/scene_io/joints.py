"""Joints of a scene file, read and written."""

import dataclasses

from ..scene import Bearing, Joint, Keyed, Motor, Servo, Spring

_DRIVES = {"motor": Motor, "servo": Servo, "spring": Spring, "bearing": Bearing}


def read_joints(entries):
    """Joints of the entries of a scene file that fits its schema."""
    return tuple(_joint(entry) for entry in entries)


def _joint(entry):
    values = {name: _tuples(value) for name, value in entry.items()}
    for name, kind in _DRIVES.items():
        if name in entry:
            values[name] = _drive(entry[name], kind)
    return Joint(**values)


def _drive(value, kind):
    """A Motor, Servo or Spring, or a dict of them by coordinate."""
    if value and not value.keys() & kind.__dataclass_fields__.keys():
        return {name: _drive(inner, kind) for name, inner in value.items()}
    return kind(**{name: _target(inner) for name, inner in value.items()})


def _target(value):
    """A number, or one that changes."""
    return Keyed(tuple(value["times"]), tuple(value["values"])) if isinstance(value, dict) else value


def _tuples(value):
    """Lists as tuples, however deep."""
    if isinstance(value, dict):
        return {name: _tuples(inner) for name, inner in value.items()}
    return tuple(_tuples(entry) for entry in value) if isinstance(value, list) else value


def joints_to_json(joints):
    """Entries of a scene file: what differs from the defaults."""
    return [_entry(joint) for joint in joints]


def _entry(joint):
    entry = {}
    for field in dataclasses.fields(joint):
        value = getattr(joint, field.name)
        if field.default is dataclasses.MISSING or value != field.default:
            entry[field.name] = _plain(value)
    return entry


def _plain(value):
    if dataclasses.is_dataclass(value):
        return {k: _plain(v) for k, v in vars(value).items() if not (isinstance(v, float) and v == float("inf"))}
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return value
