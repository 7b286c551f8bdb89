"""Broad phase: which boxes overlap."""

import numpy as np

from .broad_kernels import grid_pairs, part_pairs


def overlapping_pairs(low, high, body, allowed):
    """Return the pairs (P,2) int32, i < j in lexicographic order, of boxes that overlap or touch.

    low, high (n,3) [m] corners; body (n,) the body each box belongs to; allowed: PairFilter of the
    bodies: boxes of one body and of two bodies that it keeps apart are left out. Raises ValueError for corners that
    are not finite.
    """
    pairs, lost = grid_pairs(low, high, body, allowed)
    if lost >= 0:
        raise ValueError(f"box {lost} is not finite: the motion has blown up")
    return pairs


def overlapping_parts(low, high, body, allowed):
    """overlapping_pairs for bodies of several boxes each (body ascending): first the boxes around whole bodies.

    The pairs come in lexicographic order of (body of i, body of j, i, j).
    """
    count = len(allowed.movable)
    first = np.searchsorted(body, np.arange(count + 1))
    body_low = np.minimum.reduceat(low, first[:-1], axis=0)
    body_high = np.maximum.reduceat(high, first[:-1], axis=0)
    pairs = overlapping_pairs(body_low, body_high, np.arange(count, dtype=np.int32), allowed)
    return part_pairs(pairs, first, low, high)
