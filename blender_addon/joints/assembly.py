"""Blender's constraints as the solver's Joints, without bpy.

Which way a coordinate counts is Blender's own: hinge and generic angles and motors count object 1 against object 2,
slider, piston and generic travels object 2 against object 1 (measured; tests simulate each in Blender).
"""

from math import pi

import numpy as np

from ...solver.base.refusal import SceneError
from ...solver.scene import Joint, Keyed, Motor, Spring
from ..base.transforms import significant
from .locks import LETTERS, lock_joint
from .own import own_joint

# 360 degrees as single precision may have them [rad].
WHOLE_TURN = 2 * pi * (1 - 1e-6)


def solver_joints(constraints, unit):
    """Joints of constraints, of joints of our own and of locks as read; unit: metres in a Blender unit."""
    return tuple(_joint(one, unit) for one in constraints)


def _joint(one, unit):
    if one.get("own"):
        return own_joint(one, unit)
    if "locks" in one:
        return lock_joint(one, unit)
    settings, matrix = one["settings"], np.array(one["matrix"])
    columns = matrix[:3, :3] / np.linalg.norm(matrix[:3, :3], axis=0)
    if not np.all(np.isfinite(columns)) or not np.all(np.isfinite(matrix)):
        raise SceneError(f"constraint {one['name']!r}: its location, rotation or scale is not usable; clear them")
    if np.linalg.det(columns) < 0:
        # Of a frame that is mirrored Blender turns all three axes round.
        columns = -columns
    common = {
        "name": one["name"], "bodies": (one["object1"], one["object2"]),
        "position": tuple(significant(matrix[:3, 3] * unit).tolist()), "collide": not settings["disable_collisions"],
        "switches": tuple(one["switches"]),
        # Blender's threshold is an impulse a substep.
        "breaking": settings["breaking_threshold"] * one["rate"] * unit if settings["use_breaking"] else None,
    }  # fmt: skip
    if common["breaking"] is not None and common["breaking"] > 1e30:
        common["breaking"] = None
    elif common["breaking"] == 0:
        # Broken by any load: it never holds.
        common |= {"breaking": None, "switches": (0.0,)}
    x, z = (tuple(significant(columns[:, i]).tolist()) for i in (0, 2))
    keyed = {name: Keyed(tuple(keys["times"]), tuple(keys["values"])) for name, keys in one["keyed"].items()}
    return TYPES[settings["type"]](settings | keyed, common, x, z, unit)


def _fixed(settings, common, x, z, unit):
    return Joint(type="fixed", **common)


def _point(settings, common, x, z, unit):
    return Joint(type="ball", **common)


def _hinge(settings, common, x, z, unit):
    return Joint(type="hinge", axis=z, limits=_angle(settings, "z"), **common)


def _slider(settings, common, x, z, unit):
    return Joint(type="slider", axis=x, limits=_travel(settings, "x", unit), **common)


def _piston(settings, common, x, z, unit):
    limits = {"z": _travel(settings, "x", unit), "rz": _angle(settings, "x", 1.0)}
    return Joint(type="cylindrical", axis=x, limits=_given(limits), **common)


def _generic(settings, common, x, z, unit):
    limits = {letter: _travel(settings, letter, unit) for letter in "xyz"}
    limits |= {"r" + letter: _angle(settings, letter) for letter in "xyz"}
    held = {name for name, pair in limits.items() if pair == (0.0, 0.0)}
    free = tuple(name for name in LETTERS if name not in held)
    springs = {}
    if settings["type"] == "GENERIC_SPRING":
        # Of type 1 a damping below 1 bounds a speed there that no spring reaches.
        damped = settings["spring_type"] != "SPRING1"
        for letter in "xyz":
            for name, field in ((letter, letter), ("r" + letter, "ang_" + letter)):
                if settings[f"use_spring_{field}"] and name in free:
                    damping = settings[f"spring_damping_{field}"] if damped else 0.0
                    springs[name] = Spring(settings[f"spring_stiffness_{field}"], damping)
    springs = {name: spring for name, spring in springs.items() if spring.stiffness > 0 or spring.damping > 0}
    return Joint(type="generic", axis=z, axis2=x, free=free, spring=springs or None,
                 limits=_given({name: limits[name] for name in free}), **common)  # fmt: skip


def _motor(settings, common, x, z, unit):
    motors = {}
    if settings["use_motor_lin"]:
        speed = _times(settings["motor_lin_target_velocity"], -unit)
        motors["x"] = Motor(speed, settings["motor_lin_max_impulse"] * unit)
    if settings["use_motor_ang"]:
        speed = _times(settings["motor_ang_target_velocity"], -1.0)
        motors["rx"] = Motor(speed, settings["motor_ang_max_impulse"] * unit**2)
    return Joint(type="generic", axis=z, axis2=x, free=LETTERS, motor=motors or None, **common)


def _times(value, factor):
    """A number or a Keyed, multiplied."""
    if isinstance(value, Keyed):
        return Keyed(value.times, tuple(factor * x for x in value.values))
    return factor * value


TYPES = {
    "FIXED": _fixed, "POINT": _point, "HINGE": _hinge, "SLIDER": _slider, "PISTON": _piston, "GENERIC": _generic,
    "GENERIC_SPRING": _generic, "MOTOR": _motor,
}  # fmt: skip


def _given(limits):
    """The limits there are; None for none."""
    return {name: pair for name, pair in limits.items() if pair is not None} or None


def _travel(settings, letter, unit):
    """(low, high) [m] along an axis, None for none: Blender takes lower above upper for free."""
    low, high = (settings[f"limit_lin_{letter}_{end}"] for end in ("lower", "upper"))
    if not settings[f"use_limit_lin_{letter}"] or low > high:
        return None
    return float(significant(low * unit)), float(significant(high * unit))


def _angle(settings, letter, sign=-1.0):
    """(low, high) [rad] of object 2 against object 1 about an axis, None for none; sign: of what Blender counts.

    Blender's angles begin anew after a turn, so that limits a turn apart leave every angle allowed.
    """
    low, high = (settings[f"limit_ang_{letter}_{end}"] for end in ("lower", "upper"))
    if not settings[f"use_limit_ang_{letter}"] or low > high or high - low >= WHOLE_TURN:
        return None
    low, high = sorted((sign * low, sign * high))
    return float(significant(low)) + 0.0, float(significant(high)) + 0.0
