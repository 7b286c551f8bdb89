"""Geometry of two tetrahedra: planes, whether they overlap, and the corners of what they share.

Corners are rows of (4,3) tables with a positive volume; face k is opposite to corner k.
"""

import math

import numpy as np

from ...base.vectors import add, cross, dot, norm, put, row, scale, sub
from ...jit import inner

MOST_POINTS = 64


@inner
def edge_ends_of(e):
    """The two corners of edge e (0 to 5); edges 0, 1, 2 are those of face 3."""
    if e < 3:
        return e, (e + 1) % 3
    return e - 3, 3


@inner
def face_planes(corner, plane):
    """Outward planes (4,4) of the faces: unit normal, offset."""
    middle = scale(add(add(row(corner, 0), row(corner, 1)), add(row(corner, 2), row(corner, 3))), 0.25)
    for k in range(4):
        a, b, c = row(corner, (k + 1) % 4), row(corner, (k + 2) % 4), row(corner, (k + 3) % 4)
        n = cross(sub(b, a), sub(c, a))
        length = norm(n)
        n = scale(n, 1.0 / length) if length > 0.0 else n
        if dot(n, sub(middle, a)) > 0.0:
            n = scale(n, -1.0)
        put(plane, k, 0, n)
        plane[k, 3] = dot(n, a)


@inner
def apart_along(a, b, n):
    """True if the direction n separates two tetrahedra."""
    low_a, high_a, low_b, high_b = np.inf, -np.inf, np.inf, -np.inf
    for k in range(4):
        x, y = dot(row(a, k), n), dot(row(b, k), n)
        low_a, high_a, low_b, high_b = min(low_a, x), max(high_a, x), min(low_b, y), max(high_b, y)
    return high_a < low_b or high_b < low_a


@inner
def are_apart(a, b, plane_a, plane_b):
    """True if two tetrahedra have no point in common (separating axes: faces of both, and pairs of edges)."""
    for k in range(4):
        if apart_along(a, b, row(plane_a, k)) or apart_along(a, b, row(plane_b, k)):
            return True
    for e in range(6):
        i, j = edge_ends_of(e)
        u = sub(row(a, j), row(a, i))
        for f in range(6):
            k, m = edge_ends_of(f)
            v = sub(row(b, m), row(b, k))
            n = cross(u, v)
            # Squared sine below which two edges are parallel and separate nothing.
            if dot(n, n) > 1e-12 * dot(u, u) * dot(v, v) and apart_along(a, b, n):
                return True
    return False


@inner
def is_inside(plane, p, slack):
    """True if p is behind all four planes, or outside by no more than the slack [m]."""
    highest = -math.inf
    for k in range(4):
        highest = max(highest, dot(row(plane, k), p) - plane[k, 3])
    return highest <= slack


@inner
def append_point(point, source, count, p, where):
    """Append one point and its source; returns the new count."""
    if count < MOST_POINTS:
        put(point, count, 0, p)
        source[count] = where
    return min(count + 1, MOST_POINTS)


@inner
def edges_through_planes(corner, plane, first, slack, point, source, count):
    """Append where the edges of one tetrahedron pass through the faces of the other; sources count from `first`."""
    for e in range(6):
        i, j = edge_ends_of(e)
        p, q = row(corner, i), row(corner, j)
        for k in range(4):
            d0, d1 = dot(row(plane, k), p) - plane[k, 3], dot(row(plane, k), q) - plane[k, 3]
            if d0 * d1 < 0.0:
                x = add(p, scale(sub(q, p), d0 / (d0 - d1)))
                if is_inside(plane, x, slack):
                    count = append_point(point, source, count, x, first + 4 * e + k)
    return count


@inner
def shared_points(a, b, plane_a, plane_b, point, source):
    """Corners of the overlap of two tetrahedra into point (64,3), and where each comes from; returns how many."""
    count = np.int64(0)
    for k in range(4):
        if is_inside(plane_a, row(b, k), 0.0):
            count = append_point(point, source, count, row(b, k), k)
        if is_inside(plane_b, row(a, k), 0.0):
            count = append_point(point, source, count, row(a, k), 4 + k)
    # A point this far (relative to the size) outside a plane counts as inside: it was computed to lie on it.
    slack = 1e-12 * (norm(sub(row(a, 0), row(a, 3))) + norm(sub(row(b, 0), row(b, 3))))
    count = edges_through_planes(b, plane_a, 8, slack, point, source, count)
    return edges_through_planes(a, plane_b, 32, slack, point, source, count)


@inner
def extent_along(point, count, n):
    """Least and greatest n . p of the points."""
    low, high = math.inf, -math.inf
    for k in range(count):
        d = dot(row(point, k), n)
        low, high = min(low, d), max(high, d)
    return low, high
