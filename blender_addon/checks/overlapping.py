"""Bodies that overlap at the first frame, with how deep, and a way to move them apart."""

from mathutils import Vector

from ...solver.base.wording import counted
from ..base.curves import curves_of
from .base import WARNING, Check, Finding
from .overlaps.hollow import begins_inside
from .overlaps.pairs import candidates, overlap, searched
from .overlaps.separating import shifts_apart
from .overlaps.sunk import overlap_text


def find(scan):
    """Yield a Finding for every pair that overlaps; nothing where the poses are not those of the first frame."""
    if not scan.at_start:
        return
    for a, b in candidates(searched(scan)):
        depth = overlap(a, b)
        if depth and not (begins_inside(scan, a, b) or begins_inside(scan, b, a)):
            yield Finding((a.name, b.name), overlap_text(b, depth), WARNING)
        else:
            yield None


def separate(scene, objects, scan):
    """Move Active bodies apart, a little more than they overlap, round by round; others stay, and so does what no move
    helps."""
    subjects = searched(scan)
    movable = {subject.name for subject in subjects if _movable(scene.objects[subject.name], subject)}
    shifts = shifts_apart(subjects, movable)
    for name, shift in shifts.items():
        ob = scene.objects[name]
        ob.matrix_world.translation += Vector(shift / scan.unit)
    left = sum(overlap(a, b) > 0 for a, b in candidates(subjects))
    one = left == 1
    pairs = f"{counted(left, 'pair')} still overlap{'s' if one else ''}, move {'it' if one else 'them'} by hand"
    return f"{counted(len(shifts), 'object')} moved apart" + (f"; {pairs}" if left else "")


def _movable(ob, subject):
    """True if a move of the object stays: its animation does not say where it begins."""
    keyed = any(curve.data_path == "location" for curve in curves_of(ob.animation_data))
    return subject.dynamic and not ob.stiction.kinematic and not keyed


CHECK = Check("overlapping", "Overlap", find, "Separate", separate)
