"""Closest points of two convex point sets (Gilbert, Johnson, Keerthi 1988).

The set A - B is searched for the point nearest the origin with simplices of at most four of its points; the
sub-problems are solved by regions (Ericson, Real-Time Collision Detection, 5.1), which needs no tolerances.
"""

import math

from ..jit import kernel
from .mesh_vectors import add, cross, dot, row, scale, sub

MAX_ITERATIONS = 64


@kernel
def farthest(vertex, first, last, direction):
    """Number in [first, last) of the vertex farthest along `direction`; the first of equals."""
    best, found = -math.inf, first
    for i in range(first, last):
        value = vertex[i, 0] * direction[0] + vertex[i, 1] * direction[1] + vertex[i, 2] * direction[2]
        if value > best:
            best, found = value, i
    return found


@kernel
def segment_weights(a, b):
    """Weights (of a, of b) of the point of segment ab nearest the origin."""
    ab = sub(b, a)
    length = dot(ab, ab)
    if length <= 0.0:
        return 1.0, 0.0
    t = min(max(-dot(a, ab) / length, 0.0), 1.0)
    return 1.0 - t, t


@kernel
def triangle_weights(a, b, c):
    """Weights of the point of triangle abc nearest the origin."""
    ab, ac = sub(b, a), sub(c, a)
    d1, d2 = -dot(ab, a), -dot(ac, a)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    d3, d4 = -dot(ab, b), -dot(ac, b)
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3) if d1 > d3 else 0.0
        return 1.0 - t, t, 0.0
    d5, d6 = -dot(ab, c), -dot(ac, c)
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6) if d2 > d6 else 0.0
        return 1.0 - t, 0.0, t
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 >= d3 and d5 >= d6:
        width = (d4 - d3) + (d5 - d6)
        t = (d4 - d3) / width if width > 0.0 else 0.0
        return 0.0, 1.0 - t, t
    total = va + vb + vc
    if total <= 0.0:
        t0, t1 = segment_weights(a, b)
        return t0, t1, 0.0
    return 1.0 - vb / total - vc / total, vb / total, vc / total


@kernel
def outside_face(a, b, c, d):
    """True if the origin lies strictly on the other side of plane abc than d, or the tetrahedron is flat."""
    normal = cross(sub(b, a), sub(c, a))
    inner, origin = dot(normal, sub(d, a)), -dot(normal, a)
    return inner == 0.0 or origin * inner < 0.0


@kernel
def combine(p0, p1, p2, w0, w1, w2):
    """Weighted sum of three points."""
    return add(add(scale(p0, w0), scale(p1, w1)), scale(p2, w2))


@kernel
def tetrahedron_weights(simplex, weight):
    """Fill weight (4,) with those of the tetrahedron's point nearest the origin; True if that is the origin."""
    best, inside = math.inf, True
    for k in range(4):
        # Face k leaves out corner k.
        i0 = 1 if k == 0 else 0
        i1 = 2 if k <= 1 else 1
        i2 = 3 if k <= 2 else 2
        a, b, c = row(simplex, i0), row(simplex, i1), row(simplex, i2)
        if not outside_face(a, b, c, row(simplex, k)):
            continue
        inside = False
        w0, w1, w2 = triangle_weights(a, b, c)
        p = combine(a, b, c, w0, w1, w2)
        distance = dot(p, p)
        if distance < best:
            best = distance
            weight[k] = 0.0
            weight[i0], weight[i1], weight[i2] = w0, w1, w2
    return inside


@kernel
def reduce_simplex(simplex, index, weight, count):
    """Weights of the simplex's point nearest the origin; drops the points that do not count.

    Returns (remaining count, True if the origin is inside).
    """
    if count == 1:
        weight[0] = 1.0
    elif count == 2:
        weight[0], weight[1] = segment_weights(row(simplex, 0), row(simplex, 1))
    elif count == 3:
        w0, w1, w2 = triangle_weights(row(simplex, 0), row(simplex, 1), row(simplex, 2))
        weight[0], weight[1], weight[2] = w0, w1, w2
    elif tetrahedron_weights(simplex, weight):
        return 4, True
    kept = 0
    for k in range(count):
        if weight[k] > 0.0:
            weight[kept] = weight[k]
            index[kept, 0], index[kept, 1] = index[k, 0], index[k, 1]
            for i in range(3):
                simplex[kept, i] = simplex[k, i]
            kept += 1
    return kept, False


@kernel
def weighted_point(points, weight, count):
    """Sum of weight[k] points[k]."""
    p = (0.0, 0.0, 0.0)
    for k in range(count):
        p = add(p, scale(row(points, k), weight[k]))
    return p


@kernel
def closest_points(vertex, a_first, a_last, b_first, b_last, limit, scratch):
    """Closest points of the hulls of two runs of vertices.

    Returns (distance, point of a, point of b); a distance above `limit` [m] is only a lower bound, and a distance
    of zero means that the hulls overlap (then the points mean nothing).
    """
    simplex, index, weight = scratch.simplex, scratch.index, scratch.weight
    index[0, 0], index[0, 1] = a_first, b_first
    v = sub(row(vertex, a_first), row(vertex, b_first))
    simplex[0, 0], simplex[0, 1], simplex[0, 2] = v
    weight[0] = 1.0
    count, size = 1, dot(v, v)
    for _ in range(MAX_ITERATIONS):
        square = dot(v, v)
        if square <= 1e-28 * size:
            return 0.0, v, v
        ia = farthest(vertex, a_first, a_last, scale(v, -1.0))
        ib = farthest(vertex, b_first, b_last, v)
        w = sub(row(vertex, ia), row(vertex, ib))
        size = max(size, dot(w, w))
        progress = dot(v, w)
        if progress > 0.0 and progress * progress > limit * limit * square:
            return progress / math.sqrt(square), v, v
        known = False
        for k in range(count):
            known = known or (index[k, 0] == ia and index[k, 1] == ib)
        if known or square - progress <= 1e-13 * square:
            break
        index[count, 0], index[count, 1] = ia, ib
        simplex[count, 0], simplex[count, 1], simplex[count, 2] = w
        count, inside = reduce_simplex(simplex, index, weight, count + 1)
        if inside:
            return 0.0, v, v
        closer = weighted_point(simplex, weight, count)
        # Round-off: no progress any more. (The dropped points do not change the answer beyond it.)
        stuck = dot(closer, closer) >= square
        v = closer
        if stuck:
            break
    pa, pb = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(count):
        pa = add(pa, scale(row(vertex, index[k, 0]), weight[k]))
        pb = add(pb, scale(row(vertex, index[k, 1]), weight[k]))
    v = sub(pa, pb)
    return math.sqrt(dot(v, v)), pa, pb
