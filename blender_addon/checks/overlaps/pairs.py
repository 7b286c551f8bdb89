"""Pairs of bodies that may overlap, how deep they do, and the ways that could take them apart."""

from math import sqrt

import numpy as np

from .convex import partings
from .surfaces import depth_through_sheet, shifts_in_solids

# An overlap below this part of the smaller body is not worth a line; what touches is not pushed apart.
WORTH_SAYING = 1e-3
# Parts of the depth by which a body is taken out of an open surface: further where something else is in the way.
FURTHER = np.array([1.0, 1.5, 2.5, 4.0])
# Ways out that are tried, shortest first.
MOST_WAYS = 6


def searched(scan):
    """Subjects whose surfaces are looked at."""
    return [subject for subject in scan.accepted() if not subject.facts.large]


def candidates(subjects):
    """Yield pairs of subjects that may touch, whose bounds overlap and of which one is dynamic, that one first."""
    if not subjects:
        return
    low, high = (np.array([subject.bounds[side] for subject in subjects]) for side in (0, 1))
    order = np.argsort(low[:, 0], kind="stable")
    for place, i in enumerate(order):
        later = order[place + 1 :]
        later = later[: np.searchsorted(low[later, 0], high[i, 0], side="right")]
        near = ((low[later] <= high[i]) & (high[later] >= low[i])).all(axis=1)
        for j in later[near]:
            first, second = sorted((subjects[i], subjects[j]), key=lambda subject: (not subject.dynamic, subject.name))
            if first.dynamic and second.name not in first.apart and _meet(first.body, second.body):
                yield first, second


def _meet(a, b):
    """True if the layers of two bodies let them collide."""
    wanted = (set(range(1, 33)) if body.collides_with is None else set(body.collides_with) for body in (a, b))
    of_a, of_b = wanted
    return bool(of_a & set(b.layers)) and bool(of_b & set(a.layers))


def worth_saying(a, b):
    """Depth [m] from which on an overlap of two subjects counts."""
    return WORTH_SAYING * float(min(a.extents[0], b.extents[0]))


def part_at_once(one, other):
    """True if a move along an axis by too little to count parts two boxes (2,3) [m], and so whatever is in them."""
    # A body is along one of its principal axes at least as long as its box is along any axis, by the root of three.
    size = min((one[1] - one[0]).max(), (other[1] - other[0]).max()) / sqrt(3.0)
    return bool(np.minimum(one[1] - other[0], other[1] - one[0]).min() <= WORTH_SAYING * size)


def overlap(a, b):
    """Depth [m] by which two subjects overlap; 0 where they do not, or by too little to count."""
    return ways_apart(a, b)[0]


def ways_apart(a, b):
    """(depth [m] by which two subjects overlap, shifts (K,3) [m] of a that may take it out of b, shortest first)."""
    least = worth_saying(a, b)
    if part_at_once(a.bounds, b.bounds):
        return 0.0, np.zeros((0, 3))
    if a.facts.convex and b.facts.convex:
        depths, ways = partings(a, b)
        depth = float(depths[0]) if len(depths) else 0.0
        shifts = depths[:MOST_WAYS, None] * ways[:MOST_WAYS]
    elif a.facts.open or b.facts.open:
        depth, way = depth_through_sheet(a, b) if b.facts.open else depth_through_sheet(b, a)
        shifts = (depth if b.facts.open else -depth) * FURTHER[:, None] * way
    else:
        depth, shifts = _in_solids(a, b, least)
    return (float(depth), shifts) if depth > least else (0.0, np.zeros((0, 3)))


def _in_solids(a, b, least):
    """As `ways_apart` for two closed surfaces: out by the points that are inside, further, or past each other."""
    depth, shifts = shifts_in_solids(a, b, least)
    if not depth:
        return 0.0, shifts
    depths, ways = partings(a, b)
    past = depths[:2, None] * ways[:2]
    shifts = np.concatenate((shifts, 2.0 * shifts, past))
    return depth, shifts[np.argsort(np.linalg.norm(shifts, axis=1), kind="stable")]
