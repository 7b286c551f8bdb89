"""Passive bodies with keyframes that are not Animated: they would be simulated where they stand at the first frame."""

from ..base.curves import curves_of
from .base import WARNING, Check, Finding, counted

POSE = ("location", "rotation", "delta_location", "delta_rotation", "scale")


def moves(ob):
    """True if the object's or an ancestor's own keyframes move it."""
    while ob is not None:
        if not ob.stiction.record.baked and any(_changes(curve) for curve in curves_of(ob.animation_data)):
            return True
        ob = ob.parent
    return False


def _changes(curve):
    points = curve.keyframe_points
    return curve.data_path.startswith(POSE) and len({round(point.co[1], 6) for point in points}) > 1


def find(scan):
    """Yield a Finding for every such body."""
    for ob, _ in scan.objects():
        if ob.stiction.type == "PASSIVE" and not ob.stiction.kinematic and moves(ob):
            yield Finding((ob.name,), "has keyframes but is not Animated: it would stand still", WARNING)


def mark_animated(_scene, objects, _scan):
    """Switch Animated on."""
    for ob in objects:
        ob.stiction.kinematic = True
    return f"{counted(len(objects), 'object')} now Animated"


CHECK = Check("unanimated", "Keys not used", find, "Mark Animated", mark_animated)
