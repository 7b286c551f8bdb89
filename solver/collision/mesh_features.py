"""Contacts between two features of triangle meshes: vertex and face, vertex and edge, edge and edge.

A pair of features is a contact only if the direction between them lies in the normal cones of both: the
local surfaces of both bodies must lie on their own sides. That removes contacts with the inside of faces,
with edges between coplanar triangles and with features that only happen to be near. The gap is the signed
distance along that direction, continuous through zero. A pair that is further apart than the margin counts
only if its straight relative motion within the step brings it together inside both features.

Functions that run for every candidate take numbers and tuples only: handing over an array costs a kernel
more than the arithmetic does.
"""

import math

import numpy as np

from ..jit import inner
from .inlining import inlined
from .mesh_pool import (
    CONCAVE_RIM,
    CONCAVE_SLACK,
    CONVEX_AT_END,
    CONVEX_AT_START,
    CONVEX_RIM,
    DEPTH,
    EDGE_OF,
    FLAT_FOREIGN_RIM,
    FLAT_RIM,
    INWARD,
    NORMAL,
    OWN_EDGES,
    OWN_VERTICES,
    RIM,
    SADDLES,
    SIDE,
    START,
    WIDENING,
)
from .mesh_vectors import add, along, cross, dot, norm, part, row, scale, sub, unrotate

NEAR_CONE = 0.05  # sine of the angle by which a direction may leave a cone
FAR_CONE = 0.7  # the same for features that are still to meet: bodies turn on the way
FLAT_SLACK = 0.015  # widening of a face across a flat edge, relative to the height above it
EDGE_SLACK = 1e-7  # of an edge's length
CROSSING_SLACK = 10.0 * EDGE_SLACK
HALF = 0.25  # of the depth of a face: half the thickness of the solid behind it
THICKNESS = 0.5  # of the depth of a face: that thickness
PARALLEL = 1e-4  # square of the sine below which two edges are parallel

NOTHING, FACE, EDGE, VERTEX = 0, 1, 2, 3
INSIDE, NEAR, FAR = 0, 1, 2  # of an edge of a face
NO_SADDLE, WITHIN = -1, -2  # beyond the end of an edge
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
    strip = slack + FLAT_SLACK * abs(height) * norm(side)
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
def vertex_and_face(p, move, rims, a, b, c, n, depth, margin):
    """Where point p, which moves by `move` relative to a face within the step, is with respect to the face.

    Returns (sum of OVER: in reach now, DOUBTFUL: but maybe by another face, BESIDE: near but not over it, COMING: will
    cross it; height above its plane).
    """
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
            return OVER + DOUBTFUL if is_doubtful(rims, a, b, c, n, p, height) else OVER, height
        if place == NEAR and height >= -margin:
            where = BESIDE
    if height > 0.0 and height + approach <= 0.0:
        meeting = along(p, move, height / -approach)
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
    return HALF * depth


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
    """A point p (axes of the face's body) outside face f, against the edges and vertices the face answers for.

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


@inner
def _lines_cross(u, v, r):
    """Parameters at which two lines cross when seen along their common normal, times |u x v|^2.

    u, v: their directions; r: from the first one's start to the second one's.
    """
    uv, ur, vr = dot(u, v), dot(u, r), dot(v, r)
    return ur * dot(v, v) - vr * uv, ur * uv - vr * dot(u, u)


@inner
def may_cross(p0, u, q0, v, reach, drift, deep):
    """False if two segments are parallel, their lines further apart than the reach, or they pass each other too far.

    That is, seen along their common normal, by more than `drift` [m], beyond which `edges_meet` is false for motions of
    up to half of that, and by more than lines that are up to `deep` [m] in each other cross beyond a saddle.
    """
    w = cross(u, v)
    w2, uu, vv = dot(w, w), dot(u, u), dot(v, v)
    r = sub(q0, p0)
    apart = dot(w, r)
    if apart * apart > reach * reach * w2 or w2 < PARALLEL * uu * vv:
        return False
    s, t = _lines_cross(u, v, r)
    # A segment ends |u| sin before the crossing for every one that its parameter s / w2 is out of [0, 1].
    slack = CROSSING_SLACK * w2
    past_s, past_t = max(-s, s - w2) - slack, max(-t, t - w2) - slack
    if past_s <= 0.0 and past_t <= 0.0:
        return True
    far = drift * math.sqrt(w2) + CONCAVE_SLACK * min(abs(apart), deep * math.sqrt(w2))
    far *= far
    return (past_s <= 0.0 or past_s * past_s <= far * vv) and (past_t <= 0.0 or past_t * past_t <= far * uu)


@inner
def common_normal(p0, u, q0, v, left_a, right_a, left_b, right_b):
    """Unit normal common to two edges, turned out of the first, and the signed gap along it.

    u, v: the edges' directions from p0 and q0; left, right: from each edge into its faces. A gap of infinity
    says that the edges are parallel.
    """
    w = cross(u, v)
    w2 = dot(w, w)
    if w2 < PARALLEL * dot(u, u) * dot(v, v):
        return w, np.inf
    n = scale(w, 1.0 / math.sqrt(w2))
    if dot(add(left_b, right_b), n) < dot(add(left_a, right_a), n):
        n = scale(n, -1.0)
    return n, dot(n, sub(q0, p0))


@inner
def in_both_cones(n, left_a, right_a, left_b, right_b, tolerance):
    """True if n points out of both faces at edge a, and into neither at edge b."""
    return (
        max(dot(left_a, n), dot(right_a, n)) <= tolerance and min(dot(left_b, n), dot(right_b, n)) >= -tolerance
    )


@inner
def out_of_edge(side, left, right, n):
    """How far n points out of a solid at an edge: the sum of its cosines with the normals of both faces.

    side: along the edge, with the left face to its left; left, right: from the edge into its faces. Two faces that are
    nearly one plane leave n and -n alike in their tolerance; this tells them apart.
    """
    return dot(cross(side, sub(left, right)), n) / norm(side)


@inner
def crossing(p0, u, q0, v):
    """True if two segments cross when seen along their common normal, and their parameters there."""
    uu, vv, uv = dot(u, u), dot(v, v), dot(u, v)
    denominator = uu * vv - uv * uv
    if denominator <= 1e-12 * uu * vv:
        return False, 0.0, 0.0
    s, t = _lines_cross(u, v, sub(q0, p0))
    s, t = s / denominator, t / denominator
    inside = -CROSSING_SLACK <= s <= 1.0 + CROSSING_SLACK and -CROSSING_SLACK <= t <= 1.0 + CROSSING_SLACK
    return inside, s, t


@inner
def under_saddle(pool, v, own, u, n, w):
    """True if a line along u that passes vertex v by w, normal to u, lies in the wedge under it that no edge tells of.

    own: an edge that ends there; n: unit vector out of it, normal to u. Seen along u, the outline of the solid is bent
    inward at the vertex, and the line, which is behind both edges of it, is beyond the ends of both. All in the axes of
    the vertex's body.
    """
    inward = False
    for k in range(pool.star_start[v], pool.star_start[v + 1]):
        e = np.int64(pool.star[k, EDGE_OF])
        if e < 0 or e == own:
            continue
        away = part(pool.star, k, 0)
        left, right = part(pool.edge_real, e, INWARD), part(pool.edge_real, e, INWARD + 3)
        out = cross(u, away)
        if dot(add(left, right), out) > 0.0:
            out = scale(out, -1.0)
        # Only edges of the outline can touch the line.
        if max(dot(left, out), dot(right, out)) > NEAR_CONE * norm(out):
            continue
        if dot(w, away) > 0.0:
            return False
        inward = inward or dot(n, away) > 0.0
    return inward


@inner
def _line_under_saddle(pool, e, v, p, u, n, gap):
    """True if the line from p along u, which overlaps edge e by -gap beyond its end v, is under that end; see there."""
    past = sub(p, row(pool.vertices, v))
    w = along(past, u, -dot(past, u) / dot(u, u))
    near = dot(w, w) <= (1.0 + CONCAVE_SLACK * CONCAVE_SLACK) * gap * gap
    return near and under_saddle(pool, v, e, u, n, w)


@inlined
def _end_beyond(edge_real, e, share):
    """What `share` of edge e is beyond: WITHIN if it is inside, else the vertex there, NO_SADDLE if it is none."""
    if share < -CROSSING_SLACK:
        return np.int64(edge_real[e, SADDLES])
    return np.int64(edge_real[e, SADDLES + 1]) if share > 1.0 + CROSSING_SLACK else WITHIN


@inner
def meet_at_saddle(pool, ea, eb, p0, u, q0, v, n, gap, rel):
    """True if of two edges that overlap one crosses the other where that would go on beyond a saddle; and where.

    Where two edges meet at a corner that is bent inward, neither reaches what is between the normals of both.
    """
    _, s, t = crossing(p0, u, q0, v)
    va, vb = _end_beyond(pool.edge_real, ea, s), _end_beyond(pool.edge_real, eb, t)
    if va >= 0 and vb == WITHIN:
        under = _line_under_saddle(pool, ea, va, q0, v, n, gap)
    elif vb >= 0 and va == WITHIN:
        p, line = unrotate(rel.rotation, sub(p0, rel.shift)), unrotate(rel.rotation, u)
        under = _line_under_saddle(pool, eb, vb, p, line, unrotate(rel.rotation, scale(n, -1.0)), gap)
    else:
        under = False
    return under, scale(add(along(p0, u, s), along(q0, v, t)), 0.5)


@inner
def near_an_end(p0, u, q0, v, position, gap):
    """True if two edges overlap so near to an end of one of them that the surface beyond it may explain it."""
    if gap >= 0.0:
        return False
    to_p, to_q = sub(position, p0), sub(position, q0)
    past_p, past_q = sub(to_p, u), sub(to_q, v)
    nearest = min(dot(to_p, to_p), dot(to_q, to_q), dot(past_p, past_p), dot(past_q, past_q))
    return nearest <= gap * gap


@inner
def edges_meet(p0, u, q0, v, n, gap, slide, turn, margin):
    """True if two edges cross now within the margin, or will by the motion of the second; and where."""
    if gap <= margin:
        inside, s, t = crossing(p0, u, q0, v)
        if inside:
            return True, scale(add(along(p0, u, s), along(q0, v, t)), 0.5)
        if gap <= 0.0:
            return False, q0
    approach = dot(n, add(slide, cross(turn, along(q0, v, 0.5))))
    if gap + approach > 0.0:
        return False, q0
    share = gap / -approach
    q1 = add(q0, v)
    r0 = along(q0, add(slide, cross(turn, q0)), share)
    r1 = along(q1, add(slide, cross(turn, q1)), share)
    inside, s, t = crossing(p0, u, r0, sub(r1, r0))
    return inside, along(q0, v, t)
