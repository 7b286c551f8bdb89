"""Keys that a simulation does not use: of Passive bodies that are not Animated, which would be simulated where they
stand at the first frame, and of the size of Active ones, which have that of the first frame throughout. Animated bodies
that grow cannot be simulated."""

from ...solver.base.wording import counted
from ..base.curves import curves_of, varies
from ..exporting.export import frame_range
from ..settings.motion import is_dynamic
from .base import REFUSED, WARNING, Check, Finding

POSE = ("location", "rotation", "delta_location", "delta_rotation", "scale")
SIZE = ("scale", "delta_scale")


def moves(ob):
    """True if the object's or an ancestor's own keyframes move it."""
    while ob is not None:
        if not ob.stiction.record.baked and any(_changes(curve) for curve in curves_of(ob.animation_data)):
            return True
        ob = ob.parent
    return False


def grows(ob):
    """True if the object's own keyframes change its size."""
    curves = curves_of(ob.animation_data)
    return any(curve.data_path in SIZE and _changes(curve) for curve in curves)


def _changes(curve):
    return curve.data_path.startswith((*POSE, *SIZE)) and varies(curve)


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


def find_growing(scan):
    """Yield a Finding for every body that moves or is Animated and whose size is keyed, or an ancestor's."""
    for ob, _ in scan.objects():
        owner = _who_grows(ob)
        if owner is None:
            continue
        of = "of its size" if owner is ob else f"of the size of its parent {owner.name!r}"
        if is_dynamic(ob.stiction):
            text = f"has keys {of}: it collides in the size of the first frame, and is shown in another"
            yield Finding((ob.name,), text, WARNING)
        elif ob.stiction.kinematic:
            yield Finding((ob.name,), f"has keys {of}: an Animated body may move and turn, but not grow", REFUSED)


def _who_grows(ob):
    """The object, or the nearest of its ancestors, whose own keyframes change its size; None where none does."""
    while ob is not None and not grows(ob):
        ob = ob.parent
    return ob


def keep_first_size(scene, objects, _scan):
    """Take the keys of the size away, ancestors' too: all keep the one that they have at the first frame."""
    start, _ = frame_range(scene)
    for ob in objects:
        owner = _who_grows(ob)
        while owner is not None:
            _keep_size(owner, start)
            owner = _who_grows(ob)
    return f"keys of the size taken from {counted(len(objects), 'object')}"


def _keep_size(ob, start):
    for curve in [curve for curve in curves_of(ob.animation_data) if curve.data_path in SIZE]:
        path, index, size = curve.data_path, curve.array_index, curve.evaluate(start)
        # With its last key the curve itself goes.
        for frame in [point.co[0] for point in curve.keyframe_points]:
            ob.keyframe_delete(path, index=index, frame=frame)
        getattr(ob, path)[index] = size


GROWING = Check("keyed_scale", "Keyed size", find_growing, "Keep First Size", keep_first_size)
