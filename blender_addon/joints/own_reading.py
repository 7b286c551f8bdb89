"""Joints of our own, read from a Blender scene as plain data."""

import numpy as np

from ...solver.base.refusal import SceneError
from ..base.clock import frames_per_second
from ..base.curves import curves_of
from ..exporting.reading import plain_values
from ..settings.motion import is_dynamic
from .own import own_joint
from .settings import KEYED, NONE, coordinates_of, kind_of

PATH = "stiction_joint."
POINTERS = ("object1", "object2", "end", "joint1", "joint2")


def joint_objects(scene):
    """Objects of the scene that are joints, by name; those that others follow come before these."""
    found = sorted((ob for ob in scene.objects if ob.stiction_joint.type != NONE), key=lambda ob: ob.name)
    return sorted(found, key=lambda ob: not kind_of(ob.stiction_joint).bodies)


def fault(ob, bodies):
    """What keeps a joint from being simulated, as a sentence without its name; '' if nothing does. bodies: objects that
    are bodies."""
    own = ob.stiction_joint
    if not kind_of(own).bodies:
        for label, other in (("Drives", own.joint1), ("Follows", own.joint2)):
            if other is None:
                return f"{label} names no joint; choose one"
            if other.stiction_joint.type == NONE or not kind_of(other.stiction_joint).bodies:
                return f"{label} names {other.name!r}, which is no joint between bodies; choose another"
        return "follows itself; choose two different joints" if own.joint1 == own.joint2 else ""
    if own.object1 is None and own.object2 is None:
        return "joins nothing; choose First and Second"
    if own.object1 == own.object2:
        return f"joins {own.object1.name!r} to itself; choose another body"
    for body in (own.object1, own.object2):
        if body is not None and body not in bodies:
            return f"{body.name!r} is no body; make it Active or Passive"
    return ""


def idle(ob):
    """True if a joint has nothing to do: no body of it can move, or it follows a joint of which that is true."""
    own = ob.stiction_joint
    if not kind_of(own).bodies:
        followed = [other for other in (own.joint1, own.joint2) if other is not None]
        return any(kind_of(other.stiction_joint).bodies and idle(other) for other in followed if _is_joint(other))
    return not any(body is not None and is_dynamic(body.stiction) for body in (own.object1, own.object2))


def _is_joint(ob):
    return ob.stiction_joint.type != NONE


def read_own(scene, objects, depsgraph, frames, joints=None):
    """The joints of the scene as plain dicts, those with nothing to do left out; `objects` are its bodies, frames (F,)
    the range that is simulated; joints: these objects alone. SceneError names the joint."""
    bodies, fps = set(objects), frames_per_second(scene)
    chosen = joint_objects(scene) if joints is None else joints
    return tuple(_read(ob, bodies, depsgraph, frames, fps) for ob in chosen if fault(ob, bodies) or not idle(ob))


def _read(ob, bodies, depsgraph, frames, fps):
    wrong = fault(ob, bodies)
    if wrong:
        raise SceneError(f"joint {ob.name!r}: {wrong}")
    own, kind = ob.stiction_joint, kind_of(ob.stiction_joint)
    found = {"own": True, "name": ob.name, "matrix": _matrix(ob, depsgraph).tolist(), **_plain(own)}
    found |= {name: getattr(own, name).name if getattr(own, name) else "" for name in POINTERS if name != "end"}
    if "length" in kind.keys:
        found["end"] = _matrix(_end_of(ob), depsgraph)[:3, 3].tolist()
    found["keyed"] = _keyed(ob, found["coordinates"], frames, fps) if kind.bodies and kind.drives else {}
    return found


def _plain(own):
    """What neither names nor places anything."""
    return {"settings": plain_values(own, POINTERS), "coordinates": list(coordinates_of(own)), "keyed": {}}


def _end_of(ob):
    """The object at whose origin a rod or rope ends."""
    own = ob.stiction_joint
    return own.end or own.object2 or own.object1 or ob


def joint_values(ob):
    """Text that stands for what a simulation reads of a joint's settings, without names, places and keyed values."""
    own, plain = ob.stiction_joint, _plain(ob.stiction_joint)
    keyed = {curve.data_path for curve in curves_of(ob.animation_data)}
    for name in plain["coordinates"]:
        for field in KEYED.values():
            if f"{PATH}{name}.{field}" in keyed:
                plain["settings"][name][field] = 0.0
    ends = [name if getattr(own, name) else "" for name in POINTERS]
    place = {"name": "joint", "matrix": np.eye(4).tolist(), "end": [0.0, 0.0, 0.0], "joint1": "a", "joint2": "b"}
    return repr((ends, own_joint(place | {"object1": "a", "object2": "b"} | plain, 1.0)))


def related(ob):
    """(bodies and joints that a joint names, objects whose places count), in order, None for none."""
    own = ob.stiction_joint
    kind = kind_of(own)
    if not kind.bodies:
        return (own.joint1, own.joint2), ()
    return (own.object1, own.object2), (ob, _end_of(ob)) if "length" in kind.keys else (ob,)


def _matrix(ob, depsgraph):
    evaluated = ob.evaluated_get(depsgraph)
    return np.array((evaluated if evaluated.is_evaluated else ob).matrix_world, dtype=float)


def _keyed(ob, names, frames, fps):
    """Keys of the drives: coordinate -> times [s] and values, by its F-curve at every frame."""
    own, found = ob.stiction_joint, {}
    for curve in curves_of(ob.animation_data):
        if not curve.data_path.startswith(PATH) or not len(curve.keyframe_points):
            continue
        name, _, field = curve.data_path[len(PATH) :].partition(".")
        if name not in names or KEYED.get(getattr(own, name).drive) != field:
            raise SceneError(
                f"joint {ob.name!r}: {curve.data_path[len(PATH) :]} is keyed, but only a motor's speed and a servo's "
                "target may change; remove those keys"
            )
        found[name] = {
            "times": [(frame - frames[0]) / fps for frame in frames],
            "values": [curve.evaluate(frame) for frame in frames],
        }
    for driver in ob.animation_data.drivers if ob.animation_data else ():
        if driver.data_path.startswith(PATH):
            path = driver.data_path[len(PATH) :]
            raise SceneError(f"joint {ob.name!r}: has a driver on {path}; bake it to keys first")
    return found
