"""Moving bodies apart: shortest ways first, and no move that does not help."""

import numpy as np

from .pairs import candidates, overlap, ways_apart
from .surfaces import side_of, side_to_come_out

ROUNDS = 20
# Bodies are moved by this much more than they overlap.
MORE = 1.01
# A move is made if it takes away this part of what the moved bodies overlap.
HELPS = 0.02
# Groups are spread by these parts of their size at most: before single bodies are moved, and of what is left after.
SPREAD_FIRST, SPREAD_LAST = 0.3, 1.0
# How many times as bad an overlap is with what stays: what gives way can be pushed on.
FIRM = 4.0


class Room:
    """The subjects among which some are movable, by name, and on which side of open surfaces these belong."""

    def __init__(self, subjects, movable):
        self.subjects, self.movable = subjects, movable
        self.number = {subject.name: number for number, subject in enumerate(subjects)}
        self.bounds = np.array([subject.bounds for subject in subjects]).reshape(-1, 2, 3)
        self.sheets = [subject for subject in subjects if subject.facts.open and subject.name not in movable]
        self.sides = {subject.name: [side_to_come_out(subject, sheet) for sheet in self.sheets]
                      for subject in subjects if subject.name in movable}  # fmt: skip

    def near(self, moved):
        """The subjects whose bounds meet those of any of the subjects `moved`."""
        bounds = np.array([subject.bounds for subject in moved])
        meet = (self.bounds[:, None, 0] <= bounds[None, :, 1]) & (self.bounds[:, None, 1] >= bounds[None, :, 0])
        return [self.subjects[number] for number in np.flatnonzero(meet.all(axis=2).any(axis=1))]

    def pain(self, moved):
        """Sum of the depths [m] of all overlaps of the subjects `moved`, with what stays by FIRM; one that was moved
        through an open surface counts by its size."""
        names = {subject.name for subject in moved}
        pairs = [(a, b) for a, b in candidates(self.near(moved)) if {a.name, b.name} & names]
        passed = sum(float(subject.extents[0]) * self._passed(subject) for subject in moved)
        return sum(self.weight(a, b) * overlap(a, b) for a, b in pairs) + FIRM * passed

    def weight(self, a, b):
        """How much an overlap of two subjects counts."""
        return 1.0 if {a.name, b.name} <= self.movable else FIRM

    def _passed(self, subject):
        """Number of open surfaces that the middle of a subject is on the wrong side of."""
        before = self.sides.get(subject.name, ())
        return sum(side * side_of(subject, sheet) < 0 for side, sheet in zip(before, self.sheets, strict=False))

    def shift(self, move, sign=1.0):
        """Move subjects: pairs of a subject and a shift (3,) [m]."""
        for subject, shift in move:
            subject.world = subject.world + sign * shift
            for name in ("bounds", "tree"):
                subject.__dict__.pop(name, None)
            self.bounds[self.number[subject.name]] = subject.bounds

    def moves(self, a, b, shift):
        """What may be moved to take a out of b by `shift` (3,): both by halves, or either."""
        both = a.name in self.movable and b.name in self.movable
        found = [((a, 0.5 * shift), (b, -0.5 * shift))] if both else []
        return found + [((one, part),) for one, part in ((a, shift), (b, -shift)) if one.name in self.movable]


def shifts_apart(subjects, movable):
    """{name: shift (3,) [m]} of the subjects that were moved apart; movable: names of those that may be. The subjects
    are left where they were moved to.

    First out of what stays, then rows and stacks as a whole, then one by one, then what is left of groups.
    """
    room = Room(subjects, movable)
    shifts = _move_by_rounds(room, {}, firm=True)
    _spread_all(room, shifts, SPREAD_FIRST)
    _move_by_rounds(room, shifts, firm=False)
    return _spread_all(room, shifts, SPREAD_LAST)


def _move_by_rounds(room, shifts, firm):
    """Make the best move of each pair until there is none, adding to shifts; firm: only of pairs of which one stays."""
    changed = None
    for _ in range(ROUNDS):
        pairs = [pair for pair in candidates(room.subjects) if _names(pair) & room.movable]
        if firm:
            pairs = [pair for pair in pairs if not _names(pair) <= room.movable]
        if changed is not None:
            # What had no way out has none still, unless something beside it was moved.
            beside = {name for pair in pairs if _names(pair) & changed for name in _names(pair)}
            pairs = [pair for pair in pairs if _names(pair) & beside]
        pairs.sort(key=lambda pair: _names(pair) <= room.movable)
        moved = [part for pair in pairs for part in best_move(*pair, room)]
        if not moved:
            break
        _add(shifts, moved)
        changed = {subject.name for subject, _ in moved}
    return shifts


def _spread_all(room, shifts, most):
    """Spread all groups for which it helps, adding to shifts."""
    for group in _groups(room.subjects, room.movable):
        _add(shifts, spread(group, room, most))
    return shifts


def _add(shifts, moved):
    for subject, shift in moved:
        shifts[subject.name] = shifts.get(subject.name, 0.0) + shift


def _groups(subjects, movable):
    """Lists of three movable subjects or more that overlap one another, directly or through others: rows, stacks."""
    group = {name: {name} for name in movable}
    for a, b in candidates(subjects):
        names = _names((a, b))
        if names <= movable and group[a.name] is not group[b.name] and overlap(a, b):
            both = group[a.name] | group[b.name]
            group.update(dict.fromkeys(both, both))
    found = {id(names): names for names in group.values() if len(names) > 2}
    return [[subject for subject in subjects if subject.name in names] for names in found.values()]


def spread(group, room, most):
    """Move subjects that overlap one another away from their common middle or from one of its sides, all by the same
    part of their distance, at most `most`: in a row or a stack, where each has two neighbours, no move of one or two
    helps. Returns ((subject, shift), ...), empty where it does not help."""
    places = {subject.name: subject.bounds.mean(axis=0) for subject in group}
    part = 0.0
    for a, b in candidates(group):
        depth, shifts = ways_apart(a, b)
        if depth:
            along = (places[a.name] - places[b.name]) @ shifts[0] / depth
            part = max(part, MORE * depth / along if along > 0 else np.inf)
    if not 0 < part <= most:
        return ()
    least, best = (1.0 - HELPS) * room.pain(group), ()
    for fixed in _anchors(np.array(list(places.values()))):
        move = tuple((subject, part * (places[subject.name] - fixed)) for subject in group)
        room.shift(move)
        pain = room.pain(group)
        room.shift(move, -1.0)
        if pain < least:
            least, best = pain, move
    room.shift(best)
    return best


def _anchors(places):
    """Points (7,3) that stay where places (N,3) are spread: their middle, and that of each side of their bounds."""
    middle, low, high = places.mean(axis=0), places.min(axis=0), places.max(axis=0)
    sides = [np.where(np.arange(3) == axis, end, middle) for axis in range(3) for end in (low, high)]
    return np.array([middle, *sides])


def _names(pair):
    return {subject.name for subject in pair}


def best_move(a, b, room):
    """Move one or both of two subjects so that they, and all they are near, overlap least. Returns ((subject, shift),
    ...), empty where they do not overlap or no move helps."""
    depth, shifts = ways_apart(a, b)
    if not depth:
        return ()
    before, best = room.pain((a, b)), ()
    least, done = (1.0 - HELPS) * before, max(0.0, before - room.weight(a, b) * depth)
    for shift in shifts:
        for move in room.moves(a, b, MORE * shift):
            room.shift(move)
            pain = room.pain((a, b))
            if pain <= done:
                # This pair is apart, and nothing else is worse.
                return move
            room.shift(move, -1.0)
            if pain < least:
                least, best = pain, move
    room.shift(best)
    return best
