"""Contacts between two features of triangle meshes: vertex and face, vertex and edge; mesh_edges.py: two edges.

A pair of features is a contact only if the direction between them lies in the normal cones of both: the
local surfaces of both bodies must lie on their own sides. That removes contacts with the inside of faces,
with edges between coplanar triangles and with features that only happen to be near. The gap is the signed
distance along that direction, continuous through zero. A pair that is further apart than the margin counts
only if its straight relative motion within the step brings it as near as that inside both features: of features that
meet alike, none is left out by round-off.

Functions that run for every candidate take numbers and tuples only: handing over an array costs a kernel
more than the arithmetic does.
"""

import math

import numpy as np

from ...base.inlining import inlined
from ...base.vectors import along, cross, dot, norm, part, row, scale, sub
from ...jit import inner
from ..surface.mesh_pool import (
    CONCAVE_RIM,
    CONCAVE_SLACK,
    CONVEX_AT_END,
    CONVEX_AT_START,
    CONVEX_RIM,
    DEPTH,
    FLAT_FOREIGN_RIM,
    FLAT_RIM,
    INWARD,
    NORMAL,
    OWN_EDGES,
    OWN_VERTICES,
    RIM,
    SIDE,
    START,
    WIDENING,
)

NEAR_CONE = 0.05  # sine of the angle by which a direction may leave a cone
FAR_CONE = 0.7  # the most for features that are still to meet: more than near ones by as much as bodies turn
EDGE_SLACK = 1e-7  # of an edge's length
THICKNESS = 0.5  # of the depth of a face: that of the solid behind it

NOTHING, FACE, EDGE, VERTEX = 0, 1, 2, 3
INSIDE, NEAR, FAR = 0, 1, 2  # of an edge of a face
# Where a vertex is with respect to a face. DOUBTFUL: behind it, but nearer to a convex edge of it than to its plane.
OVER, BESIDE, COMING, DOUBTFUL = 1, 2, 4, 8


@inlined
def in_vertex_cone(star_start, star, v, n, tolerance):
    """True if all neighbours of vertex v lie on the side that n points to (n in the axes of the vertex's body)."""
    for k in range(star_start[v], star_start[v + 1]):
        if star[k, 0] * n[0] + star[k, 1] * n[1] + star[k, 2] * n[2] < -tolerance:
            return False
    return True


@inner
def past_ends(side, a, p):
    """How far p lies before the start a of an edge and beyond its end, times the edge's length; negative within."""
    past_start = -dot(side, sub(p, a))
    return past_start, -past_start - dot(side, side)


@inner
def _across_flat(own, a, side, p, height, slack):
    """How far a face reaches across a flat edge from a along `side`, times its length; slack: for rounding, likewise.

    Over what is between the prisms of both faces if it is the edge's own face, else back from there. Not beyond the
    ends of the edge: the strips of both sides of a narrow face would go on together far past its tip.
    """
    past_start, past_end = past_ends(side, a, p)
    past = max(past_start, past_end)
    # How far a face widens across a flat edge, relative to the height above it.
    strip = slack + 0.015 * abs(height) * norm(side)
    if own:
        return strip if past <= strip else slack
    return -0.5 * strip if past <= slack else slack


@inner
def beyond_edge(rim, a, b, n, p, height, margin):
    """INSIDE, NEAR or FAR: p against a face's edge from a to b; rim: what is across it, how far the face widens below.

    Below a concave edge only the wedge between the prisms of its two faces is added: beyond it the other face tells.
    """
    across, widening = rim
    side = sub(b, a)
    length2 = dot(side, side)
    inside = dot(cross(n, side), sub(p, a))
    slack = EDGE_SLACK * length2
    if across in (FLAT_RIM, FLAT_FOREIGN_RIM):
        slack = _across_flat(across == FLAT_RIM, a, side, p, height, slack)
    elif across >= CONCAVE_RIM and height < 0.0:
        below = -height * math.sqrt(length2)
        past_start, past_end = past_ends(side, a, p)
        # Not far past the ends of the edge, and not past a convex corner: other faces begin there.
        before = slack if across & CONVEX_AT_START else CONCAVE_SLACK * below
        after = slack if across & CONVEX_AT_END else CONCAVE_SLACK * below
        if past_start <= before and past_end <= after:
            slack += widening * below
    inside += slack
    if inside >= 0.0:
        return INSIDE
    return NEAR if inside * inside <= margin * margin * length2 else FAR


@inlined
def rims_of(pool, f):
    """What lies across the three edges of face f, and how far it widens below them (MeshPool), in pairs."""
    ints, real = pool.face_int, pool.face_real
    return (
        (ints[f, RIM], real[f, WIDENING]),
        (ints[f, RIM + 1], real[f, WIDENING + 1]),
        (ints[f, RIM + 2], real[f, WIDENING + 2]),
    )


@inner
def rims_from_behind(rims):
    """The rims of a face whose corners are taken in the opposite order, seen from its back."""
    r0, r1, r2 = rims
    return _rim_from_behind(r2), _rim_from_behind(r1), _rim_from_behind(r0)


@inner
def _rim_from_behind(rim):
    across, widening = rim
    if across >= CONCAVE_RIM:
        return CONVEX_RIM, widening
    return CONCAVE_RIM if across == CONVEX_RIM else across, widening


@inlined
def _past_edge(a, b, n, p, far):
    """True if p lies further than `far` out of a face's edge from a to b."""
    side = sub(b, a)
    inside = dot(cross(n, side), sub(p, a))
    return inside < 0.0 and inside * inside > far * far * dot(side, side)


@inlined
def is_beside(a, b, c, n, p, reach):
    """True if p, whose motion and margin are at most `reach`, is not over the face and will not be, nor near it."""
    far = reach + CONCAVE_SLACK * abs(dot(n, sub(p, a)))
    return _past_edge(a, b, n, p, far) or _past_edge(b, c, n, p, far) or _past_edge(c, a, n, p, far)


@inner
def over_face(rims, a, b, c, n, p, height, margin):
    """INSIDE if p, at `height` above the plane of the face with corners a, b, c, is over (or under) the face.

    NEAR or FAR if it is beyond an edge by less or by more than the margin. A point over an edge between flat
    neighbours belongs to the edge's first face only. Across such an edge, and below a concave edge, faces are
    widened so that no gap opens between their prisms.
    """
    place = beyond_edge(rims[0], a, b, n, p, height, margin)
    if place < FAR:
        place = max(place, beyond_edge(rims[1], b, c, n, p, height, margin))
        if place < FAR:
            place = max(place, beyond_edge(rims[2], c, a, n, p, height, margin))
    return place


@inner
def beside_convex_edge(rim, a, b, n, p, height):
    """True if p, behind a face, is nearer to a convex edge of the surface, in the face's plane, than to the plane.

    That is the face's edge from a to b, or, for p beyond it where it is concave, a convex one that begins at its end.
    """
    across = rim[0]
    side = sub(b, a)
    inside = dot(cross(n, side), sub(p, a))
    near = -height * math.sqrt(dot(side, side))
    if across == CONVEX_RIM:
        return inside < near
    if across < CONCAVE_RIM or inside >= 0.0:
        return False
    past_start, past_end = past_ends(side, a, p)
    return (across & CONVEX_AT_START != 0 and -past_start < near) or (across & CONVEX_AT_END != 0 and -past_end < near)


@inner
def is_doubtful(rims, a, b, c, n, p, height):
    """True if p lies behind a face so near to a convex edge of it that the face across the edge may explain it."""
    if height >= 0.0:
        return False
    return (
        beside_convex_edge(rims[0], a, b, n, p, height)
        or beside_convex_edge(rims[1], b, c, n, p, height)
        or beside_convex_edge(rims[2], c, a, n, p, height)
    )


@inner
def vertex_and_face(p, move, rims, corners, n, depth, margin):
    """Where point p, which moves by `move` relative to a face within the step, is with respect to the face.

    Returns (sum of OVER: in reach now, DOUBTFUL: but maybe by another face, BESIDE: near but outside its rims, COMING:
    will cross it; height above its plane).
    """
    a, b, c = corners
    height = dot(n, sub(p, a))
    if height < -margin and height < -depth:
        return 0, height
    approach = dot(n, move)
    where = 0
    if height <= margin:
        place = over_face(rims, a, b, c, n, p, height, margin)
        if place == INSIDE:
            # Deeper than the solid is thick, a point has come through it or lies in a hollow that it never left.
            if height < -depth or (height < -THICKNESS * depth and height - approach < -margin):
                return 0, height
            if height > 0.0 and height + approach < 0.0:
                return OVER + COMING, height
            return OVER + DOUBTFUL if is_doubtful(rims, a, b, c, n, p, height) else OVER, height
        if place == NEAR and height >= -margin:
            where = BESIDE
    # What is beside the face and as near to its plane as the margin comes only if it would pass through it.
    if height + approach <= (margin if height > margin else 0.0) and height > 0.0:
        meeting = along(p, move, min(1.0, height / -approach))
        if over_face(rims, a, b, c, n, meeting, 0.0, margin) == INSIDE:
            where += COMING
    return where, height


@inner
def depth_of_vertex(face_real, star_start, star_face, v, n):
    """How far vertex v of a solid may be through a sheet of normal n: half the solid's thickness along n there."""
    depth = np.inf
    for k in range(star_start[v], star_start[v + 1]):
        f = star_face[k]
        if f >= 0:
            against = -dot(part(face_real, f, NORMAL), n)
            if against > 0.5:
                depth = min(depth, face_real[f, DEPTH])
    return 0.5 * THICKNESS * depth


@inner
def is_before_sheet(face_real, star_start, star_face, v, n):
    """Whether the solid at its vertex v lies on the side of a sheet that n points to: a face there looks against n
    (within 60 degrees), or all together do.

    Flat surroundings of a vertex touch a sheet from either side as far as their edges tell.
    """
    all_faces = 0.0
    for k in range(star_start[v], star_start[v + 1]):
        f = star_face[k]
        if f >= 0:
            along_n = dot(part(face_real, f, NORMAL), n)
            if along_n < -0.5:
                return True
            all_faces += along_n
    return all_faces < 0.0


@inlined
def point_and_edge(pool, e, p, margin):
    """Point p against edge e: (True if it is in the edge's cone within the margin, unit normal towards p, gap)."""
    side = part(pool.edge_real, e, SIDE)
    to_p = sub(p, part(pool.edge_real, e, START))
    length2 = dot(side, side)
    s = dot(to_p, side)
    if s <= 0.0 or s >= length2:
        return False, side, 0.0
    away = along(to_p, side, -s / length2)
    gap = norm(away)
    if gap > margin or gap < EDGE_SLACK * margin:
        return False, side, 0.0
    n = scale(away, 1.0 / gap)
    left, right = part(pool.edge_real, e, INWARD), part(pool.edge_real, e, INWARD + 3)
    return dot(left, n) <= EDGE_SLACK and dot(right, n) <= EDGE_SLACK, n, gap


@inlined
def point_and_vertex(pool, v, p, margin):
    """Point p against vertex v: (True if it is in the vertex's cone within the margin, unit normal towards p, gap)."""
    away = sub(p, row(pool.vertices, v))
    gap = norm(away)
    if gap > margin or gap < EDGE_SLACK * margin:
        return False, away, 0.0
    n = scale(away, 1.0 / gap)
    return in_vertex_cone(pool.star_start, pool.star, v, scale(n, -1.0), EDGE_SLACK), n, gap


@inlined
def vertex_beside_face(pool, f, p, margin):
    """A point p (axes of the face's body) outside face f, against the edges and vertices the face owns.

    Returns (EDGE, VERTEX or NOTHING, number of the feature, unit normal towards p, gap).
    """
    for k in range(3):
        e = pool.face_int[f, OWN_EDGES + k]
        if e >= 0:
            near, n, gap = point_and_edge(pool, e, p, margin)
            if near:
                return EDGE, e, n, gap
    for k in range(3):
        v = pool.face_int[f, OWN_VERTICES + k]
        if v >= 0:
            near, n, gap = point_and_vertex(pool, v, p, margin)
            if near:
                return VERTEX, v, n, gap
    return NOTHING, 0, (0.0, 0.0, 0.0), 0.0
