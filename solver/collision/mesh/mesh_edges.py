"""Contacts between two edges of triangle meshes, as those of mesh_features.py between other features."""

import math

import numpy as np

from ...base.inlining import inlined
from ...base.vectors import add, along, cross, dot, norm, part, scale, sub, unrotate
from ...jit import inner
from ..surface.mesh_pool import CONCAVE_SLACK, EDGE_DEPTH, EDGE_OF, INWARD, SADDLES, SIDE
from .mesh_features import EDGE_SLACK, NEAR_CONE, THICKNESS

CROSSING_SLACK = 10.0 * EDGE_SLACK
PARALLEL = 1e-4  # square of the sine below which two edges are parallel
# What a place between the ends of an edge is beyond, and an end that is no saddle.
WITHIN, NO_SADDLE = -2, -1


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

    That is, seen along their common normal, by more than `drift` [m], beyond which edges do not meet for motions and
    margins of up to half of that, and by more than lines that are up to `deep` [m] in each other cross beyond a saddle.
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
    return max(dot(left_a, n), dot(right_a, n)) <= tolerance and min(dot(left_b, n), dot(right_b, n)) >= -tolerance


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
    # Squared sine below which the parameters of a crossing are lost in round-off.
    if denominator <= 1e-12 * uu * vv:
        return False, 0.0, 0.0
    s, t = _lines_cross(u, v, sub(q0, p0))
    s, t = s / denominator, t / denominator
    inside = -CROSSING_SLACK <= s <= 1.0 + CROSSING_SLACK and -CROSSING_SLACK <= t <= 1.0 + CROSSING_SLACK
    return inside, s, t


@inner
def goes_on_inside(pool, v, own, way, past, u, n):
    """True if edge `own`, which ends at vertex v, would go on by `past` [m] in its solid, as a line along u sees it.

    Seen along u, the outline of the solid bends inward at the vertex: the next edge of the outline rises above the
    prolonged edge, which is under it as far as that edge reaches, or half as far as the solid is thick there.
    way: unit vector along the edge, out of its end; n: unit vector out of the edge, normal to u. All in the axes of the
    vertex's body.
    """
    for k in range(pool.star_start[v], pool.star_start[v + 1]):
        e = np.int64(pool.star[k, EDGE_OF])
        if e < 0 or e == own:
            continue
        away = part(pool.star, k, 0)
        inside = max(
            norm(part(pool.edge_real, e, SIDE)) * dot(way, away), 0.5 * THICKNESS * pool.edge_real[e, EDGE_DEPTH]
        )
        if dot(n, away) <= CROSSING_SLACK or past > inside:
            continue
        left, right = part(pool.edge_real, e, INWARD), part(pool.edge_real, e, INWARD + 3)
        out = cross(u, away)
        if dot(add(left, right), out) > 0.0:
            out = scale(out, -1.0)
        # Only edges of the outline can touch the line.
        if max(dot(left, out), dot(right, out)) <= NEAR_CONE * norm(out):
            return True
    return False


@inlined
def _end_beyond(edge_real, e, share):
    """What `share` of edge e is beyond: WITHIN if it is inside, else the vertex there, NO_SADDLE if it is none."""
    if share < -CROSSING_SLACK:
        return np.int64(edge_real[e, SADDLES])
    return np.int64(edge_real[e, SADDLES + 1]) if share > 1.0 + CROSSING_SLACK else WITHIN


@inner
def _reaches(pool, e, v, share, side, u, n, far):
    """True if an edge, here along `side`, reaches to `share` of it: within its ends, or beyond its end v, a saddle, by
    `far` [m] at most, inside its solid. All in the axes of the edge's body."""
    if v == WITHIN:
        return True
    length = norm(side)
    past = length * max(-share, share - 1.0)
    if v == NO_SADDLE or past > far:
        return False
    way = scale(side, (1.0 if share > 1.0 else -1.0) / length)
    return goes_on_inside(pool, v, e, way, past, u, n)


@inner
def edge_approach(lines, n, slide, turn):
    """How far [m] the second edge moves along n within the step, at its place where the lines cross or nearest to it;
    lines: see `meet_at_saddle`."""
    p0, u, q0, v = lines
    _, _, t = crossing(p0, u, q0, v)
    return dot(n, add(slide, cross(turn, along(q0, v, min(1.0, max(0.0, t))))))


@inner
def meet_at_saddle(pool, edges, lines, n, gap, rel, reach, margin):
    """True if two edges cross, now or when the second is near, where one or both would go on beyond saddles; where.

    edges: their numbers; lines: start and direction of the first, of the second; gap [m] along their normal n.

    At a corner that is bent inward each of its edges bounds what may come near, also beyond its end, where it would go
    on inside the solid. All of them are contacts, so that which one is crossed first need not be known. reach [m]: the
    margin and how far the second may move.
    """
    (ea, eb), (p0, u, q0, v), later = edges, lines, gap > margin
    far = reach + CONCAVE_SLACK * max(0.0, -gap)
    if later:
        approach = edge_approach(lines, n, rel.slide, rel.turn)
        if gap + approach > margin:
            return False, q0
        q0, v = moved_edge(q0, v, rel.slide, rel.turn, min(1.0, gap / -approach))
    _, s, t = crossing(p0, u, q0, v)
    at_a, at_b = along(p0, u, s), along(q0, v, t)
    position = scale(add(at_a, at_b), 0.5)
    if later:
        # Beyond its end by so much that the end is within the margin of the other, whose faces the search has then met.
        between = sub(at_b, at_a)
        far = math.sqrt(max(0.0, margin * margin - dot(between, between)))
    va, vb = _end_beyond(pool.edge_real, ea, s), _end_beyond(pool.edge_real, eb, t)
    if va == WITHIN and vb == WITHIN:
        return False, position
    if not _reaches(pool, ea, va, s, u, v, n, far):
        return False, position
    side, line = unrotate(rel.rotation, v), unrotate(rel.rotation, u)
    return _reaches(pool, eb, vb, t, side, line, unrotate(rel.rotation, scale(n, -1.0)), far), position


@inner
def _near_an_end(pool, e, to_position, side, u, n, rotation, gap):
    """True if a contact, at `to_position` from the start of an edge along `side`, overlaps by -gap so near to an end of
    it that the surface beyond may explain it: one that does not bend inward there. rotation: of the edge's body."""
    for k in range(2):
        past = along(to_position, side, -1.0 * k)
        if dot(past, past) > gap * gap:
            continue
        v = np.int64(pool.edge_real[e, SADDLES + k])
        way = scale(side, (2.0 * k - 1.0) / norm(side))
        way, line, out = unrotate(rotation, way), unrotate(rotation, u), unrotate(rotation, n)
        if v == NO_SADDLE or not goes_on_inside(pool, v, e, way, 0.0, line, out):
            return True
    return False


@inner
def is_doubtful_crossing(pool, edges, lines, n, position, gap, rotation):
    """True if two edges overlap so near to an end of one that the surface beyond it may explain it; see
    `meet_at_saddle`."""
    (ea, eb), (p0, u, q0, v) = edges, lines
    if gap >= 0.0:
        return False
    still = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    return _near_an_end(pool, ea, sub(position, p0), u, v, n, still, gap) or _near_an_end(
        pool, eb, sub(position, q0), v, u, scale(n, -1.0), rotation, gap
    )


@inner
def moved_edge(q0, v, slide, turn, share):
    """Start and direction of an edge from q0 along v after a share of its motion within the step."""
    q1 = add(q0, v)
    r0 = along(q0, add(slide, cross(turn, q0)), share)
    r1 = along(q1, add(slide, cross(turn, q1)), share)
    return r0, sub(r1, r0)


@inner
def edges_meet(lines, n, gap, slide, turn, margin):
    """True if two edges cross now within the margin, or will at the end of the motion of the second; and where. lines:
    see `meet_at_saddle`."""
    p0, u, q0, v = lines
    if gap <= margin:
        inside, s, t = crossing(p0, u, q0, v)
        if inside:
            return True, scale(add(along(p0, u, s), along(q0, v, t)), 0.5)
        if gap <= 0.0:
            return False, q0
    approach = edge_approach(lines, n, slide, turn)
    if gap + approach > margin:
        return False, q0
    r0, w = moved_edge(q0, v, slide, turn, min(1.0, gap / -approach))
    inside, s, t = crossing(p0, u, r0, w)
    return inside, along(q0, v, t)
