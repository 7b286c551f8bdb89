"""Linking numbers of closed polygons: whether what was linked is linked still."""

import numpy as np

from ..base.solid_angle import half_angles
from ..dynamics.rotation import matrix

# Segments against segments at a time: some ten MB of work arrays.
BLOCK = 20_000
# Closer than this part of their distance from the other's corners, segments meet.
MEETS = 1e-13


def linking_number(a, b):
    """Gauss linking number of two closed polygons a (N,3), b (M,3) [m], an integer; the last point joins the first.

    Gauss' integral over two straight segments is the signed solid angle of the parallelogram of the differences of
    their points, here that of two triangles (van Oosterom and Strackee 1983, (8)). It is exact for polygons, so that
    the sum over all segments is the number times 4 pi, to round-off. Raises ValueError for polygons that meet.
    """
    a, b = (np.asarray(line, dtype=float).reshape(-1, 3) for line in (a, b))
    if min(len(a), len(b)) < 3:
        raise ValueError("a closed polygon has three points or more")
    rows = max(1, BLOCK // len(b))
    a_next, b_next = np.roll(a, -1, axis=0), np.roll(b, -1, axis=0)
    total = sum(
        _solid_angles(a[i : i + rows], a_next[i : i + rows], b, b_next).sum() for i in range(0, len(a), rows)
    ) / (4.0 * np.pi)  # fmt: skip
    if not np.isfinite(total):
        raise ValueError("polygons with a corner that is not finite have no linking number")
    return int(np.rint(total))


def _solid_angles(a, a_next, b, b_next):
    """Signed solid angles (N,M) of the parallelograms a - b of segments a, a_next (N,3) and b, b_next (M,3)."""
    here, there = a[:, None] - b[None], a_next[:, None] - b_next[None]
    return _triangle(here, a[:, None] - b_next[None], there) + _triangle(here, there, a_next[:, None] - b[None])


def _triangle(p, q, r):
    """Signed solid angle (...) of triangles with corners p, q, r (...,3), seen from the origin."""
    volume, side, size = half_angles(p, q, r)
    if np.any((np.abs(volume) <= MEETS * size) & (side <= MEETS * size)):
        raise ValueError("polygons that meet have no linking number")
    return 2.0 * np.arctan2(volume, side)


def placed(line, position, orientation):
    """A polygon (N,3) [m] of a body's frame at a position (3,) [m] and an orientation (4,) w, x, y, z."""
    return np.asarray(line, dtype=float) @ matrix(np.asarray(orientation, dtype=float)[None])[0].T + position


def linking_numbers(lines, positions, orientations):
    """{(i, j): number, i < j} of all bodies that have a centre line and are linked at these poses.

    lines: one closed polygon (N,3) [m] in the body's frame for each of R bodies, None for bodies without;
    positions (R,3) [m], orientations (R,4) w, x, y, z.
    """
    at = {k: placed(lines[k], positions[k], orientations[k]) for k in range(len(lines)) if lines[k] is not None}
    numbers = list(at)
    pairs = ((i, j) for n, i in enumerate(numbers) for j in numbers[n + 1 :] if _may_link(at[i], at[j]))
    found = {(i, j): linking_number(at[i], at[j]) for i, j in pairs}
    return {pair: number for pair, number in found.items() if number}


def _may_link(a, b):
    """Whether the boxes of two polygons overlap: lines that a plane parts are not linked."""
    return bool(np.all(a.min(axis=0) < b.max(axis=0)) and np.all(b.min(axis=0) < a.max(axis=0)))


def unhooked(before, after):
    """Pairs [(i, j)] whose linking number is another one: `before` and `after` are what linking_numbers gave."""
    return [pair for pair in sorted({*before, *after}) if before.get(pair, 0) != after.get(pair, 0)]
