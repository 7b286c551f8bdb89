"""Contacts of two polytopes."""

import math

from ...base.inlining import inlined
from ...base.vectors import add, dot, row, scale, sub
from ...jit import inner
from ..contact_keys import feature_key
from .box_kernels import edge_along
from .clip_kernels import clip_faces, least_height, push_lowest, push_near_vertices, push_polygon
from .gjk_kernels import MEETS, closest_points, farthest
from .hull_kernels import EDGES, ROUND, edge_ends, push_between
from .sat_kernels import edge_query, face_along, face_query

# An edge-edge axis closer to a face normal than this (cosine of 0.3 degrees) gives way to the face.
NEARLY_FACE = math.cos(math.radians(0.3))
# Lengths relative to the smaller extent: a later axis must be better by this to replace an earlier one.
TIE = 1e-5
# An edge-edge axis must save this share of the overlap.
EDGE_SHARE = 0.005
# Sides of a reference face are moved out by this share of the smaller body's least half side: vertices of aligned
# bodies then stay inside, and keep their keys, when round-off moves them.
SLACK = 5e-4
# How far below the face's plane a clipped corner may be, relative to the smaller extent, and still give the distance.
EXACT = 1e-6


@inner
def line_parameters(p, u, q, v):
    """Parameters s, t of the closest points p + s u and q + t v of two lines that are not parallel."""
    r = sub(q, p)
    uu, vv, uv, ur, vr = dot(u, u), dot(v, v), dot(u, v), dot(u, r), dot(v, r)
    determinant = uu * vv - uv * uv
    return (ur * vv - vr * uv) / determinant, (ur * uv - vr * uu) / determinant


@inner
def edge_contact(a, b, ea, eb, n, gap, raw):
    """The contact of two crossed edges; True if the closest points of the lines lie on both edges."""
    p, p2 = edge_ends(a, ea)
    q, q2 = edge_ends(b, eb)
    u = sub(p2, p)
    s, t = line_parameters(p, u, q, sub(q2, q))
    at = add(p, scale(u, min(max(s, 0.0), 1.0)))
    push_between(raw, 0, at, n, gap, feature_key(EDGES, ea, eb))
    return s >= 0.0 and s <= 1.0 and t >= 0.0 and t <= 1.0


@inner
def closest_contact(a, b, fallback, gap, limit, work, raw):
    """The one contact at the closest points of two hulls; along `fallback` with `gap` if these coincide."""
    distance, pa, pb = closest_points(a.vertex, b.vertex, limit, work.simplex)
    if distance > limit:
        return 0
    n = fallback
    if distance > MEETS * min(a.extent, b.extent):
        n, gap = scale(sub(pb, pa), 1.0 / distance), distance
    else:
        pa = row(a.vertex, farthest(a.vertex, n))
    return push_between(raw, 0, pa, n, gap, feature_key(ROUND, 0, 0))


@inner
def closest_along(a, b, n, work):
    """True if the closest points of the two hulls lie along n to within NEARLY_FACE."""
    distance, pa, pb = closest_points(a.vertex, b.vertex, math.inf, work.simplex)
    return dot(sub(pb, pa), n) >= NEARLY_FACE * distance


@inner
def face_axes(a, b, limit, tie):
    """The better of the two face queries: (separation, True if the face is a's, face). Of equals it is a's, but a
    plate's before any other: what lies on it keeps its corners."""
    separation_a, face_a = face_query(a, b.vertex, limit)
    if separation_a > limit:
        return separation_a, True, face_a
    separation_b, face_b = face_query(b, a.vertex, limit)
    if separation_b > separation_a + (-tie if b.thin == math.inf else tie):
        return separation_b, False, face_b
    return separation_a, True, face_a


@inner
def polytope_contacts(a, b, limit, work, raw):
    """Contacts of two hulls that may be within `limit` [m] of each other; returns how many."""
    tie = TIE * min(a.extent, b.extent)
    separation, of_a, face = face_axes(a, b, limit, tie)
    if separation > limit:
        return 0
    near = max(limit, -separation)
    if max(a.thin, b.thin) == math.inf:
        # At the rim of a plate edges part bodies that no face does, as far apart as the smaller is wide.
        near += 2.0 * min(a.extent, b.extent)
    crossed, ea, eb, axis = edge_query(a, b, near, limit, work)
    if crossed > limit:
        return 0
    if crossed > separation + tie + EDGE_SHARE * max(0.0, -separation):
        n = row(a.normal, face) if of_a else scale(row(b.normal, face), -1.0)
        if dot(axis, n) < NEARLY_FACE:
            return crossed_contacts(a, b, ea, eb, axis, crossed, limit, work, raw)
        separation = crossed
    return face_contacts(a, b, separation, of_a, face, limit, work, raw)


@inlined
def best_box_contacts(a, b, separation, of_a, n, crossed, axis, ends, tie, limit, work, raw):
    """Contacts of two boxes along the better of a face normal n and a crossed axis, both from a to b.

    ends: the axes of a and b that were crossed; separation and of_a: those of n.
    """
    if crossed > separation + tie + EDGE_SHARE * max(0.0, -separation):
        if dot(axis, n) < NEARLY_FACE:
            ea, eb = edge_along(a, ends[0], axis), edge_along(b, ends[1], scale(axis, -1.0))
            return crossed_contacts(a, b, ea, eb, axis, crossed, limit, work, raw)
        separation = crossed
    face = face_along(a.normal, n) if of_a else face_along(b.normal, scale(n, -1.0))
    return face_contacts(a, b, separation, of_a, face, limit, work, raw)


@inner
def crossed_contacts(a, b, ea, eb, axis, separation, limit, work, raw):
    """The contact of two crossed edges, or at the closest points where the edges miss each other."""
    if edge_contact(a, b, ea, eb, axis, separation, raw) or separation <= 0.0:
        return 1
    return closest_contact(a, b, axis, separation, limit, work, raw)


@inner
def face_contacts(a, b, separation, of_a, face, limit, work, raw):
    """Contacts over a reference face; at the closest points if these lie elsewhere."""
    small = min(a.extent, b.extent)
    slack = SLACK * min(a.thin, b.thin)
    # One call for either order keeps the compiled code small.
    reference, incident = (a, b) if of_a else (b, a)
    corners, sides, strip, n, offset = clip_faces(reference, face, incident, slack, work.sides, work.polygon)
    if strip and abs(separation) <= slack:
        return 0
    lowest = least_height(work.polygon, corners, n, offset)
    exact = corners > 0 and lowest <= separation + EXACT * small
    toward_b = n if of_a else scale(n, -1.0)
    if corners == 0 or (separation > 0.0 and not exact and not closest_along(a, b, toward_b, work)):
        return closest_contact(a, b, toward_b, separation, limit, work, raw)
    count = push_polygon(reference.topology, reference.edge_row, corners, n, offset, of_a, work.polygon, raw)
    if separation <= 0.0 < lowest:
        # They overlap under another face of theirs, or beside the sides of the reference face by what they overlap.
        edges = reference.topology, reference.edge_row
        count = push_lowest(incident, work.sides, sides, max(slack, -separation), n, offset, edges, of_a, work.polygon,
                            raw, count)  # fmt: skip
    # The limit holds the way of the points in the step: over the extent, the angle by which the bodies may turn.
    return push_near_vertices(incident, work.sides, sides, slack, n, offset, limit, limit / small, of_a, raw, count)
