"""Broad phase: which boxes overlap."""

import numpy as np

from ...base.refusal import NotFinite
from .broad_kernels import grid_pairs, kept_pairs, part_pairs

# Of so many boxes the pairs are kept; how far these boxes may move meanwhile, in parts of the median one's length.
MANY, SPARE = 200, 0.05


class NearBoxes:
    """Pairs of boxes that are near each other, from one search to the next: it makes that quicker and changes nothing.

    They hold all pairs that overlap as long as each box stays inside the larger one that it had when they were found.
    movable (R,) bool: the bodies that may ever be movable in a search.
    """

    def __init__(self, movable):
        self.movable, self._kept = movable, (np.empty((0, 3)), np.empty((0, 3)), None)

    def pairs(self, low, high, body, allowed):
        """`grid_pairs` of these boxes."""
        if len(low) < MANY or np.any(allowed.movable & ~self.movable):
            return grid_pairs(low, high, body, allowed)
        kept = self._kept
        if len(low) == len(kept[0]):
            pairs, complete = kept_pairs(low, high, *kept, body, allowed)
            if complete:
                return pairs, -1
        spare = SPARE * np.median((high - low).max(axis=1))
        if not np.isfinite(spare):
            return grid_pairs(low, high, body, allowed)
        larger = low - spare, high + spare
        found, lost = grid_pairs(*larger, body, allowed._replace(movable=self.movable))
        if lost >= 0:
            return found, lost
        self._kept = *larger, found
        return kept_pairs(low, high, *larger, found, body, allowed)[0], -1


def overlapping_pairs(low, high, body, allowed, near=None):
    """Return the pairs (P,2) int32, i < j in lexicographic order, of boxes that overlap or touch.

    low, high (n,3) [m] corners; body (n,) the body each box belongs to; allowed: PairFilter of the
    bodies: boxes of one body and of two bodies that it keeps apart are left out. near: NearBoxes of these boxes make it
    quicker. Raises NotFinite for corners that are not finite.
    """
    return finite_boxes(*(grid_pairs if near is None else near.pairs)(low, high, body, allowed), body)


def finite_boxes(pairs, lost, body):
    """The pairs of a search; raises NotFinite where a box, number `lost` of those of bodies `body` (n,), is not."""
    if lost >= 0:
        raise NotFinite(f"box {lost} is not finite: the motion has blown up", bodies=(int(body[lost]),))
    return pairs


def overlapping_parts(low, high, body, allowed, near=None):
    """overlapping_pairs for bodies of several boxes each (body ascending): first the boxes around whole bodies.

    The pairs come in lexicographic order of (body of i, body of j, i, j).
    """
    count = len(allowed.movable)
    first = np.searchsorted(body, np.arange(count + 1))
    body_low = np.minimum.reduceat(low, first[:-1], axis=0)
    body_high = np.maximum.reduceat(high, first[:-1], axis=0)
    pairs = overlapping_pairs(body_low, body_high, np.arange(count, dtype=np.int32), allowed, near)
    return part_pairs(pairs, first, low, high)
