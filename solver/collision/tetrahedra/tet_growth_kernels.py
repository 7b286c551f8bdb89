"""PROX's growth distance: contacts along the direction in which two tetrahedra meet when they grow from their middles.

Silcowitz, Niebe, Erleben 2010, as used in Erleben 2017. Two overlapping tetrahedra are shrunk until they are apart and
grown again by what still parts them along their middles; the line between their closest points is the normal, or the
normal of a face within four degrees of it, inner faces too. Contacts are the corners of the overlap, all with one gap,
minus its extent along the normal. There are none between tetrahedra that are apart.
"""

import math

from ...base.vectors import add, dot, norm, row, scale, sub
from ...jit import inner
from ..convex.gjk_kernels import closest_points
from .tet_kernels import are_apart, extent_along, face_planes, shared_points

SHRINK = 0.9
FACE_CONE = math.cos(math.radians(4.0))


@inner
def middle_of(corner):
    """Mean of the four corners."""
    return scale(add(add(row(corner, 0), row(corner, 1)), add(row(corner, 2), row(corner, 3))), 0.25)


@inner
def scaled_about_middle(corner, middle, factor, out):
    """Corners scaled about the middle, into out."""
    for k in range(4):
        p = add(middle, scale(sub(row(corner, k), middle), factor))
        out[k, 0], out[k, 1], out[k, 2] = p[0], p[1], p[2]


@inner
def meeting_direction(a, b, work):
    """(found, unit direction from a to b in which the two first meet); work: see TetWork."""
    ma, mb = middle_of(a), middle_of(b)
    apart_by = sub(mb, ma)
    square = dot(apart_by, apart_by)
    tau, rounds = SHRINK, 0
    while True:
        scaled_about_middle(a, ma, tau, work.small_a)
        scaled_about_middle(b, mb, tau, work.small_b)
        face_planes(work.small_a, work.plane_c)
        face_planes(work.small_b, work.plane_d)
        if are_apart(work.small_a, work.small_b, work.plane_c, work.plane_d):
            break
        tau *= SHRINK
        rounds += 1
        # Tetrahedra shrunk so often have middles that coincide.
        if rounds > 100:
            return False, apart_by
    distance, pa, pb = closest_points(work.small_a, work.small_b, math.inf, work.simplex)
    # A separation of 20 mm is enough to read the direction from.
    enough = 2.0 * min(distance, 0.01)
    for _ in range(20):
        if distance <= enough:
            break
        grown = 1.0 - dot(sub(pb, pa), apart_by) / square
        if tau >= grown:
            break
        tau = grown
        scaled_about_middle(a, ma, tau, work.small_a)
        scaled_about_middle(b, mb, tau, work.small_b)
        distance, pa, pb = closest_points(work.small_a, work.small_b, math.inf, work.simplex)
    if distance <= 0.0:
        return False, apart_by
    return True, scale(sub(pb, pa), 1.0 / norm(sub(pb, pa)))


@inner
def face_near(plane, s):
    """First face whose normal is within four degrees of s, or -1."""
    for k in range(4):
        if dot(row(plane, k), s) > FACE_CONE:
            return k
    return -1


@inner
def growth_contacts(a, b, plane_a, plane_b, work):
    """(contacts, normal from a to b, gap) of two overlapping tetrahedra; their positions are in work.point."""
    found, n = meeting_direction(a, b, work)
    if not found:
        return 0, n, 0.0
    face_a, face_b = face_near(plane_a, n), face_near(plane_b, scale(n, -1.0))
    if face_a >= 0:
        n = row(plane_a, face_a)
    elif face_b >= 0:
        n = scale(row(plane_b, face_b), -1.0)
    count = shared_points(a, b, plane_a, plane_b, work.point, work.source)
    low, high = extent_along(work.point, count, n)
    return count, n, low - high
