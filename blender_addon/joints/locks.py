"""Locks of an Active body's transform. Blender's own simulation does not move a body along, or turn it about, an axis
of the world whose location or rotation is locked (rigidbody.cc: RB_body_set_linear_factor, RB_body_set_angular_factor);
here a joint to the ground holds it so. No bpy here."""

import numpy as np

from ...solver.scene import WORLD, Joint
from ..base.transforms import significant
from ..settings.motion import is_deformable, is_dynamic, switch_frames

LETTERS = ("x", "y", "z", "rx", "ry", "rz")
# Way [units] or angle [rad] that a locked coordinate may have moved before a body is let go.
MOVED = 1e-4


def locked(ob):
    """Which of LETTERS the locks of a body's transform hold; none but those of rigid bodies that move count."""
    if is_deformable(ob.stiction) or not is_dynamic(ob.stiction):
        return ()
    on = (*ob.lock_location, *ob.lock_rotation)
    return tuple(letter for letter, one in zip(LETTERS, on, strict=True) if one)


def locks_line(held):
    """Words on what locks hold."""
    parts = []
    for name, letters in (("Location", "xyz"), ("Rotation", ("rx", "ry", "rz"))):
        axes = [letter[-1].upper() for letter in letters if letter in held]
        parts += [f"{name} {', '.join(axes)}"] if axes else []
    return " and ".join(parts)


def read_locks(objects, bodies, samples):
    """Plain dicts of joints that hold the bodies `objects`, read as `bodies`, by their locks; samples: FrameSamples.
    `moved` are the coordinates that its keys move before a body is let go: those it does not keep."""
    found = []
    for ob, one in zip(objects, bodies, strict=True):
        held = locked(ob)
        if held:
            moved = [letter for letter in _moved(one, samples) if letter in held]
            found.append({"locks": [letter for letter in held if letter not in moved], "moved": moved,
                          "name": f"locks of {ob.name}", "object1": "", "object2": ob.name,
                          "matrix": one.matrix.tolist(), "settings": {"disable_collisions": False}})  # fmt: skip
    return tuple(found)


def _moved(one, samples):
    """Coordinates in which keys have moved a body when it is let go."""
    if one.name not in samples.world:
        return ()
    poses, moved = samples.world[one.name], set()
    rows = np.isin(samples.frames, (switch_frames(one.settings) or ())[::2])
    for pose in poses[rows]:
        way = pose[:3, 3] - one.matrix[:3, 3]
        turn = pose[:3, :3] @ np.linalg.inv(one.matrix[:3, :3])
        # Twice the sine of the angle, along the axis of a turn.
        turned = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
        moved |= {letter for letter, by in zip(LETTERS, (*way, *turned), strict=True) if abs(by) > MOVED}
    return moved


def lock_joint(one, unit):
    """The Joint of a plain dict made by `read_locks`; unit: metres in a Blender unit."""
    place = tuple(significant(np.array(one["matrix"])[:3, 3] * unit).tolist())
    common = {"name": one["name"], "bodies": (WORLD, one["object2"]), "position": place, "collide": True}
    free = tuple(letter for letter in LETTERS if letter not in one["locks"])
    return Joint(type="generic", axis2=(1.0, 0.0, 0.0), free=free, **common) if free else Joint(type="fixed", **common)


def lock_notes(joints):
    """What a bake says of locks that do not hold."""
    return [f"object {one['object2']!r}: its lock of {locks_line(one['moved'])} does not hold it, as its keys change "
            "that before it is let go; keep it in the keys as it begins, or unlock it"
            for one in joints if one.get("moved")]  # fmt: skip
