"""Joints of our own as the solver's, without bpy: Z of the object is the joint's axis, X its second one.

A coordinate counts the second body's motion against the first, along or about an axis of the object at the first frame.
"""

import numpy as np

from ...solver.base.refusal import SceneError
from ...solver.dynamics.joints import JOINTS
from ...solver.scene import WORLD, Bearing, Joint, Keyed, Motor, Servo, Spring
from ..base.transforms import significant

# As numbers of the solver: strength 0 is as much as it needs.
ENDLESS = float("inf")
# Which settings a unit of length changes, by the power of it: of travels, and of turns.
TRAVEL_POWERS = {"low": 1, "high": 1, "speed": 1, "target": 1, "strength": 1, "friction": 1}
TURN_POWERS = {"strength": 2, "friction": 2, "stiffness": 2, "damping": 2}


def own_joint(one, unit):
    """The Joint of a plain dict made by `reading.read_own`; unit: metres in a Blender unit."""
    settings, kind = one["settings"], JOINTS[one["settings"]["type"]]
    values = {"name": one["name"], "type": kind.key, "compliance": significant(settings["compliance"])}
    if not kind.bodies:
        values |= {"joints": (one["joint1"], one["joint2"])}
        values |= {name: _number(settings, name, unit) for name in ("ratio", "radius") if name in kind.keys}
        return Joint(**values)
    values |= _placed(one, settings, kind, unit)
    if kind.drives:
        values |= _driven(one, settings, kind, unit)
    return Joint(**values)


def _number(settings, name, unit):
    return significant(settings[name] * (1.0 if name == "ratio" else unit))


def _placed(one, settings, kind, unit):
    """Bodies, place and axes."""
    matrix = np.array(one["matrix"])
    lengths = np.linalg.norm(matrix[:3, :3], axis=0)
    if not np.all(np.isfinite(matrix)) or lengths.min() <= 0:
        raise SceneError(f"joint {one['name']!r}: its location, rotation or scale is not usable; clear them")
    columns = matrix[:3, :3] / lengths
    place = tuple(significant(matrix[:3, 3] * unit).tolist())
    values = {
        "bodies": (one["object1"] or WORLD, one["object2"] or WORLD), "collide": settings["collide"],
        "breaking": significant(settings["breaking"] * unit) if settings["use_breaking"] else None,
        "assemble": settings["assemble"],
    }  # fmt: skip
    if "axis" in kind.keys:
        values["axis"] = tuple(significant(columns[:, 2]).tolist())
    if "axis2" in kind.keys:
        values["axis2"] = _across(columns)
    if "length" in kind.keys:
        values["positions"] = (place, tuple(significant(np.array(one["end"]) * unit).tolist()))
        values["length"] = significant(settings["length"] * unit) or None
    else:
        values["position"] = place
    if "lead" in kind.keys:
        values["lead"] = _number(settings, "lead", unit)
    if "bearing" in kind.keys and settings["bearing"] > 0:
        radius = 0.0 if kind.key == "slider" else _number(settings, "bearing_radius", unit)
        values["bearing"] = Bearing(significant(settings["bearing"]), radius)
    if "free" in kind.keys:
        values["free"] = tuple(name for name, on in zip(kind.coordinates, settings["free"], strict=True) if on)
    return values


def _across(columns):
    """The object's X, exactly across its Z: single precision leaves it a little off."""
    x, z = columns[:, 0], columns[:, 2]
    x = x - (x @ z) * z
    return tuple((x / np.linalg.norm(x)).tolist())


def _driven(one, settings, kind, unit):
    """Limits, drives, springs and friction by coordinate."""
    values = {"limits": {}, "motor": {}, "servo": {}, "spring": {}, "friction": {}}
    for name in one["coordinates"]:
        group = _scaled(settings[name], name, unit)
        keys = one["keyed"].get(name)
        factor = 1.0 if _turns(name) else unit
        keyed = None if keys is None else Keyed(tuple(keys["times"]), tuple(factor * x for x in keys["values"]))
        low = group["low"] if group["use_low"] and name not in ("swing", "d") else None
        high = group["high"] if group["use_high"] else None
        if low is not None or high is not None:
            values["limits"][name] = (low, high)
        _drive(values, name, group, keyed)
        if group["friction"] > 0:
            values["friction"][name] = group["friction"]
    _refuse_drives(one["name"], kind, values)
    if kind.resist:
        values |= {"friction": significant(settings["friction"] * unit**2)}
    found = {name: value or (0.0 if name == "friction" else None) for name, value in values.items()}
    slides = found["friction"] or ("bearing" in kind.keys and settings["bearing"] > 0)
    return found | {"static_ratio": significant(settings["static_ratio"]) if slides else 1.0}


def _refuse_drives(name, kind, values):
    """SceneError for drives that a type cannot take."""
    if kind.resist and values["spring"]:
        raise SceneError(f"joint {name!r}: a {kind.label} joint takes no spring; use a Generic one, or Friction")
    if kind.key in ("distance", "rope") and (values["motor"] or values["servo"]):
        raise SceneError(f"joint {name!r}: a {kind.label} joint takes a spring, but no motor or servo; use a Slider")


def _drive(values, name, group, keyed):
    most = group["strength"] or ENDLESS
    if group["drive"] == "MOTOR":
        values["motor"][name] = Motor(group["speed"] if keyed is None else keyed, most)
    elif group["drive"] == "SERVO":
        target = group["target"] if keyed is None else keyed
        values["servo"][name] = Servo(target, group["stiffness"], group["damping"], most)
    elif group["drive"] == "SPRING":
        values["spring"][name] = Spring(group["stiffness"], group["damping"], group["target"])


def _turns(name):
    return name.startswith("r") or name in ("swing", "twist")


def _scaled(group, name, unit):
    """The settings of a coordinate in SI units."""
    powers = TURN_POWERS if _turns(name) else TRAVEL_POWERS
    return {
        key: significant(value * unit ** powers.get(key, 0)) if isinstance(value, float) else value
        for key, value in group.items()
    }
