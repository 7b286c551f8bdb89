"""Bodies that overlap at the first frame, with how deep, and a way to move them apart."""

import numpy as np
from mathutils import Vector

from ..base.curves import curves_of
from .base import WARNING, Check, Finding, counted
from .overlaps.pairs import candidates, overlap, searched, ways_apart
from .overlaps.surfaces import side_of

ROUNDS = 20
# Bodies are moved by this much more than they overlap.
MORE = 1.01
# A move is made if it takes away this part of what the moved bodies overlap.
HELPS = 0.02
# How many times as bad an overlap is with what stays: what gives way can be pushed on.
FIRM = 4.0


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
    room, shifts = Room(subjects, movable), {}
    for _ in range(ROUNDS):
        pairs = [pair for pair in candidates(subjects) if {subject.name for subject in pair} & movable]
        # First out of what stays, then apart from what gives way.
        pairs.sort(key=lambda pair: {subject.name for subject in pair} <= movable)
        moves = [move for a, b in pairs for move in (_best_move(a, b, room),) if move]
        if not moves:
            break
        for subject, shift in (part for move in moves for part in move):
            shifts[subject.name] = shifts.get(subject.name, 0.0) + shift
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


class Room:
    """The subjects among which some are movable, by name, and on which side of open surfaces these began."""

    def __init__(self, subjects, movable):
        self.subjects, self.movable = subjects, movable
        self.sheets = [subject for subject in subjects if subject.facts.open and subject.name not in movable]
        self.sides = {subject.name: [side_of(subject, sheet) for sheet in self.sheets]
                      for subject in subjects if subject.name in movable}  # fmt: skip

    def pain(self, moved):
        """Sum of the depths [m] of all overlaps of the subjects `moved`, with what stays by FIRM; one that was moved
        through an open surface counts by its size."""
        low = np.min([subject.bounds[0] for subject in moved], axis=0)
        high = np.max([subject.bounds[1] for subject in moved], axis=0)
        near = [one for one in self.subjects if (one.bounds[0] <= high).all() and (one.bounds[1] >= low).all()]
        names = {subject.name for subject in moved}
        pairs = [(a, b) for a, b in candidates(near) if {a.name, b.name} & names]
        return sum(self.weight(a, b) * overlap(a, b) for a, b in pairs) + FIRM * sum(
            float(subject.extents[0]) * self._passed(subject) for subject in moved
        )

    def weight(self, a, b):
        """How much an overlap of two subjects counts."""
        return 1.0 if {a.name, b.name} <= self.movable else FIRM

    def _passed(self, subject):
        """Number of open surfaces that a subject is on the other side of than at first."""
        before = self.sides.get(subject.name, ())
        return sum(side * side_of(subject, sheet) < 0 for side, sheet in zip(before, self.sheets, strict=False))


def _best_move(a, b, room):
    """Move one or both of two subjects so that they, and all they are near, overlap least. Returns ((subject, shift),
    ...), empty where they do not overlap or no move helps."""
    depth, shifts = ways_apart(a, b)
    if not depth:
        return ()
    before, best = room.pain((a, b)), ()
    least = (1.0 - HELPS) * before
    for shift in shifts:
        for move in _moves(a, b, MORE * shift, room.movable):
            _shift(move, 1.0)
            pain = room.pain((a, b))
            if pain <= max(0.0, before - room.weight(a, b) * depth):
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


def _shift(move, sign):
    for subject, shift in move:
        subject.world = subject.world + sign * shift
        for name in ("bounds", "tree"):
            subject.__dict__.pop(name, None)


CHECK = Check("overlapping", "Overlap", find, "Separate", separate)
