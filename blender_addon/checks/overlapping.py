"""Bodies that overlap at the first frame, with how deep, and a way to move them apart."""

import numpy as np
from mathutils import Vector

from ..base.curves import curves_of
from .base import WARNING, Check, Finding, counted
from .overlaps.pairs import candidates, overlap, searched, ways_apart

ROUNDS = 20
# Bodies are moved by this much more than they overlap.
MORE = 1.01
# A move is made if it takes away this part of what the moved bodies overlap.
HELPS = 0.02


def find(scan):
    """Yield a Finding for every pair that overlaps; nothing where the poses are not those of the first frame."""
    if not scan.at_start:
        return
    for a, b in candidates(searched(scan)):
        depth = overlap(a, b)
        if depth:
            text = f"overlaps {b.name!r} by about {1e3 * depth:.3g} mm at the first frame"
            yield Finding((a.name, b.name), text, WARNING)
        else:
            yield None


def separate(scene, objects, scan):
    """Move Active bodies apart, a little more than they overlap, round by round; others stay, and so does what no move
    helps."""
    subjects = searched(scan)
    movable = {subject.name for subject in subjects if _movable(scene.objects[subject.name], subject)}
    shifts = {}
    for _ in range(ROUNDS):
        pairs = [(a, b) for a, b in candidates(subjects) if {a.name, b.name} & movable]
        moves = [move for a, b in pairs for move in (_best_move(a, b, subjects, movable),) if move]
        if not moves:
            break
        for subject, shift in (part for move in moves for part in move):
            shifts[subject.name] = shifts.get(subject.name, 0.0) + shift
    for name, shift in shifts.items():
        ob = scene.objects[name]
        ob.matrix_world.translation += Vector(shift / scan.unit)
    left = sum(overlap(a, b) > 0 for a, b in candidates(subjects))
    pairs = f"{counted(left, 'pair')} still overlap{'s' if left == 1 else ''}, move {'it' if left == 1 else 'them'} by hand"
    return f"{counted(len(shifts), 'object')} moved apart" + (f"; {pairs}" if left else "")


def _movable(ob, subject):
    """True if a move of the object stays: its animation does not say where it begins."""
    keyed = any(curve.data_path == "location" for curve in curves_of(ob.animation_data))
    return subject.dynamic and not ob.stiction.kinematic and not keyed


def _best_move(a, b, subjects, movable):
    """Move one or both of two subjects so that they, and all they are near, overlap least. Returns ((subject, shift),
    ...), empty where they do not overlap or no move helps."""
    depth, shifts = ways_apart(a, b)
    if not depth:
        return ()
    before, best = _pain((a, b), subjects), ()
    least = (1.0 - HELPS) * before
    for shift in shifts:
        for move in _moves(a, b, MORE * shift, movable):
            _shift(move, 1.0)
            pain = _pain((a, b), subjects)
            if pain <= max(0.0, before - depth):
                # This pair is apart, and nothing else is worse.
                return move
            _shift(move, -1.0)
            if pain < least:
                least, best = pain, move
    _shift(best, 1.0)
    return best


def _moves(a, b, shift, movable):
    """What may be moved to take a out of b by `shift` (3,): both by halves, or either."""
    both = a.name in movable and b.name in movable
    moves = [((a, 0.5 * shift), (b, -0.5 * shift))] if both else []
    return moves + [((one, part),) for one, part in ((a, shift), (b, -shift)) if one.name in movable]


def _pain(moved, subjects):
    """Sum of the depths [m] of all overlaps of the subjects `moved`."""
    low = np.min([subject.bounds[0] for subject in moved], axis=0)
    high = np.max([subject.bounds[1] for subject in moved], axis=0)
    near = [one for one in subjects if (one.bounds[0] <= high).all() and (one.bounds[1] >= low).all()]
    names = {subject.name for subject in moved}
    return sum(overlap(a, b) for a, b in candidates(near) if {a.name, b.name} & names)


def _shift(move, sign):
    for subject, shift in move:
        subject.world = subject.world + sign * shift
        for name in ("bounds", "tree"):
            subject.__dict__.pop(name, None)


CHECK = Check("overlapping", "Overlap", find, "Separate", separate)
