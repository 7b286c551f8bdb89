"""Closest points of two convex point sets (Gilbert, Johnson, Keerthi 1988).

The set A - B is searched for the point nearest the origin with simplices of at most four of its points; the
sub-problems are solved by regions (Ericson, Real-Time Collision Detection, 5.1), which needs no tolerances.
"""

import math

from ...base.vectors import add, cross, dot, row, scale, sub
from ...jit import inner

# Squared distance, relative to the greatest met, that is none; squared sine of an edge and a plane that it lies in;
# gain of a round, relative to the squared distance, that is none.
NO_DISTANCE, IN_PLANE, NO_GAIN = 1e-28, 1e-20, 1e-13
# Distance of two cores, relative to the extent, below which they meet: their closest points tell no direction.
MEETS = 1e-9


@inner
def farthest(vertex, direction):
    """Number of the vertex farthest along `direction`; the first of equals."""
    best, found = -math.inf, 0
    for i in range(len(vertex)):
        value = vertex[i, 0] * direction[0] + vertex[i, 1] * direction[1] + vertex[i, 2] * direction[2]
        if value > best:
            best, found = value, i
    return found


@inner
def segment_weights(a, b):
    """Weights (of a, of b) of the point of segment ab nearest the origin."""
    ab = sub(b, a)
    length = dot(ab, ab)
    if length <= 0.0:
        return 1.0, 0.0
    t = min(max(-dot(a, ab) / length, 0.0), 1.0)
    return 1.0 - t, t


@inner
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


@inner
def outside_face(a, b, c, d):
    """True if the origin lies on the other side of plane abc than d, or the tetrahedron is flat but for round-off."""
    normal, edge = cross(sub(b, a), sub(c, a)), sub(d, a)
    inner, origin = dot(normal, edge), -dot(normal, a)
    return inner * inner <= IN_PLANE * dot(normal, normal) * dot(edge, edge) or origin * inner < 0.0


@inner
def combine(p0, p1, p2, w0, w1, w2):
    """Weighted sum of three points."""
    return add(add(scale(p0, w0), scale(p1, w1)), scale(p2, w2))


@inner
def tetrahedron_weights(simplex):
    """Set the weights (fourth column) of the tetrahedron's point nearest the origin; True if that is the origin.

    All four faces are tried: in a nearly flat tetrahedron round-off can hide the side on which the origin lies.
    """
    best, inside = math.inf, True
    for k in range(4):
        a, b, c = row(simplex, 1 if k == 0 else 0), row(simplex, 2 if k <= 1 else 1), row(simplex, 3 if k <= 2 else 2)
        inside = inside and not outside_face(a, b, c, row(simplex, k))
    if inside:
        return True
    for k in range(4):
        # Face k leaves out corner k.
        i0 = 1 if k == 0 else 0
        i1 = 2 if k <= 1 else 1
        i2 = 3 if k <= 2 else 2
        a, b, c = row(simplex, i0), row(simplex, i1), row(simplex, i2)
        w0, w1, w2 = triangle_weights(a, b, c)
        p = combine(a, b, c, w0, w1, w2)
        distance = dot(p, p)
        if distance < best:
            best = distance
            simplex[k, 3] = 0.0
            simplex[i0, 3], simplex[i1, 3], simplex[i2, 3] = w0, w1, w2
    return False


@inner
def reduce_simplex(simplex, count):
    """Weights of the simplex's point nearest the origin; drops the points that do not count.

    Returns (remaining count, True if the origin is inside).
    """
    if count == 2:
        simplex[0, 3], simplex[1, 3] = segment_weights(row(simplex, 0), row(simplex, 1))
    elif count == 3:
        w0, w1, w2 = triangle_weights(row(simplex, 0), row(simplex, 1), row(simplex, 2))
        simplex[0, 3], simplex[1, 3], simplex[2, 3] = w0, w1, w2
    elif tetrahedron_weights(simplex):
        return 4, True
    kept = 0
    for k in range(count):
        if simplex[k, 3] > 0.0:
            for i in range(6):
                simplex[kept, i] = simplex[k, i]
            kept += 1
    return kept, False


@inner
def set_point(simplex, k, w, ia, ib):
    """Put the difference w of vertices ia and ib at place k of the simplex."""
    simplex[k, 0], simplex[k, 1], simplex[k, 2] = w
    simplex[k, 4], simplex[k, 5] = ia, ib


@inner
def is_known(simplex, count, ia, ib):
    """True if the pair of vertices is in the simplex already."""
    found = False
    for k in range(count):
        found = found or (simplex[k, 4] == ia and simplex[k, 5] == ib)
    return found


@inner
def nearest_point(simplex, count):
    """The simplex's point nearest the origin, by its weights."""
    p = (0.0, 0.0, 0.0)
    for k in range(count):
        p = add(p, scale(row(simplex, k), simplex[k, 3]))
    return p


@inner
def witnesses(vertex_a, vertex_b, simplex, count):
    """(distance, point of a, point of b) of the simplex's nearest point."""
    pa, pb = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(count):
        pa = add(pa, scale(row(vertex_a, int(simplex[k, 4])), simplex[k, 3]))
        pb = add(pb, scale(row(vertex_b, int(simplex[k, 5])), simplex[k, 3]))
    v = sub(pa, pb)
    return math.sqrt(dot(v, v)), pa, pb


@inner
def closest_points(vertex_a, vertex_b, limit, simplex):
    """Closest points of the hulls of two sets of vertices.

    simplex (4,6): work space; a row is a point of A - B, its weight, and the numbers of its vertices. Returns
    (distance, point of a, point of b); a distance above `limit` [m] is only a lower bound, and a distance of zero
    means that the hulls overlap (then the points mean nothing).
    """
    v = sub(row(vertex_a, 0), row(vertex_b, 0))
    set_point(simplex, 0, v, 0, 0)
    simplex[0, 3] = 1.0
    count, size = 1, dot(v, v)
    # Round-off could let it go round in circles.
    for _ in range(64):
        square = dot(v, v)
        if square <= NO_DISTANCE * size:
            return 0.0, v, v
        ia, ib = farthest(vertex_a, scale(v, -1.0)), farthest(vertex_b, v)
        w = sub(row(vertex_a, ia), row(vertex_b, ib))
        size = max(size, dot(w, w))
        progress = dot(v, w)
        if progress > 0.0 and progress * progress > limit * limit * square:
            return progress / math.sqrt(square), v, v
        if square - progress <= NO_GAIN * square or is_known(simplex, count, ia, ib):
            break
        set_point(simplex, count, w, ia, ib)
        count, inside = reduce_simplex(simplex, count + 1)
        if inside:
            return 0.0, v, v
        v = nearest_point(simplex, count)
        # Round-off: no progress any more.
        if dot(v, v) >= square:
            break
    return witnesses(vertex_a, vertex_b, simplex, count)
