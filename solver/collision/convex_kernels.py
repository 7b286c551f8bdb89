"""Contacts of two polytopes."""

import math

from ..jit import kernel
from .clip_kernels import clip_faces, emit_polygon, least_gap
from .emit_kernels import EDGES, ROUND, emit_between, feature_key
from .gjk_kernels import closest_points, farthest
from .mesh_vectors import add, dot, norm, row, scale, sub
from .sat_kernels import edge_ends, edge_query, face_query

# An edge-edge axis closer to a face normal than this (cosine of one degree) gives way to the face.
NEARLY_FACE = math.cos(math.radians(1.0))
# Lengths relative to the smaller extent: a later axis must be better by this to replace an earlier one.
TIE = 1e-5
# An edge-edge axis must save this share of the overlap.
EDGE_SHARE = 0.02


@kernel
def gap_limit(geometry, place, a, b, h, margin):
    """Gap beyond which colliders a and b cannot have a contact within h seconds."""
    ta, tb = place.twist[geometry.body[a]], place.twist[geometry.body[b]]
    speed = norm((tb[0] - ta[0], tb[1] - ta[1], tb[2] - ta[2]))
    speed += norm((ta[3], ta[4], ta[5])) * geometry.reach[a] + norm((tb[3], tb[4], tb[5])) * geometry.reach[b]
    return margin + h * speed


@kernel
def boxes_apart(place, a, b, limit):
    """True if the world boxes of the two cores are further apart than limit along an axis."""
    for i in range(3):
        if place.box[a, i] > place.box[b, 3 + i] + limit or place.box[b, i] > place.box[a, 3 + i] + limit:
            return True
    return False


@kernel
def line_parameters(p, u, q, v):
    """Parameters s, t of the closest points p + s u and q + t v of two lines that are not parallel."""
    r = sub(q, p)
    uu, vv, uv, ur, vr = dot(u, u), dot(v, v), dot(u, v), dot(u, r), dot(v, r)
    determinant = uu * vv - uv * uv
    return (ur * vv - vr * uv) / determinant, (ur * uv - vr * uu) / determinant


@kernel
def edge_contact(geometry, place, a, b, ea, eb, n, gap, h, margin, scratch):
    """The contact of two crossed edges; (count, True if the closest points of the lines lie on both edges)."""
    p, p2 = edge_ends(geometry, place, a, ea)
    q, q2 = edge_ends(geometry, place, b, eb)
    u = sub(p2, p)
    s, t = line_parameters(p, u, q, sub(q2, q))
    inside = s >= 0.0 and s <= 1.0 and t >= 0.0 and t <= 1.0
    at = add(p, scale(u, min(max(s, 0.0), 1.0)))
    return emit_between(geometry, place, scratch, 0, a, b, at, n, gap, feature_key(EDGES, ea, eb), h, margin), inside


@kernel
def closest_contact(geometry, place, a, b, fallback, gap, limit, h, margin, scratch):
    """The one contact at the closest points of two cores; along `fallback` with `gap` if these coincide."""
    first, last = geometry.vertex_start[a], geometry.vertex_start[a + 1]
    distance, pa, pb = closest_points(
        place.vertex, first, last, geometry.vertex_start[b], geometry.vertex_start[b + 1], limit, scratch
    )
    if distance > limit:
        return 0
    n = fallback
    if distance > 1e-9 * min(geometry.extent[a], geometry.extent[b]):
        n, gap = scale(sub(pb, pa), 1.0 / distance), distance
    else:
        pa = row(place.vertex, farthest(place.vertex, first, last, n))
    return emit_between(geometry, place, scratch, 0, a, b, pa, n, gap, feature_key(ROUND, 0, 0), h, margin)


@kernel
def face_axes(geometry, place, a, b, limit, tie):
    """The better of the two face queries: (separation, True if the face is a's, face)."""
    separation_a, face_a = face_query(geometry, place, a, b, limit)
    if separation_a > limit:
        return separation_a, True, face_a
    separation_b, face_b = face_query(geometry, place, b, a, limit)
    if separation_b > separation_a + tie:
        return separation_b, False, face_b
    return separation_a, True, face_a


@kernel
def polytope_contacts(geometry, place, a, b, h, margin, scratch):
    """Contacts of two polytopes into the scratch; returns how many."""
    limit = gap_limit(geometry, place, a, b, h, margin)
    if boxes_apart(place, a, b, limit):
        return 0
    small = min(geometry.extent[a], geometry.extent[b])
    separation, of_a, face = face_axes(geometry, place, a, b, limit, TIE * small)
    if separation > limit:
        return 0
    inflation = max(limit, -separation)
    crossed, ea, eb, axis = edge_query(geometry, place, a, b, inflation, limit, scratch)
    if crossed > limit:
        return 0
    return best_axis_contacts(
        geometry, place, a, b, separation, of_a, face, crossed, ea, eb, axis, limit, h, margin, scratch
    )


@kernel
def best_axis_contacts(
    geometry, place, a, b, separation, of_a, face, crossed, ea, eb, axis, limit, h, margin, scratch
):  # fmt: skip
    """Contacts along the best axis found, or at the closest points where that axis does not give the distance."""
    small = min(geometry.extent[a], geometry.extent[b])
    reference, incident = (a, b) if of_a else (b, a)
    n = row(place.normal, geometry.face_start[reference] + face)
    toward_b = n if of_a else scale(n, -1.0)
    edge_wins = crossed > separation + TIE * small + EDGE_SHARE * max(0.0, -separation)
    if edge_wins and dot(axis, toward_b) < NEARLY_FACE:
        count, inside = edge_contact(geometry, place, a, b, ea, eb, axis, crossed, h, margin, scratch)
        if inside or crossed <= 0.0:
            return count
        return closest_contact(geometry, place, a, b, axis, crossed, limit, h, margin, scratch)
    slack = 5e-4 * min(smallest_half(geometry, a), smallest_half(geometry, b))
    corners, strip, n, offset = clip_faces(geometry, place, reference, face, incident, slack, scratch)
    if strip and corners > 0 and abs(separation) <= slack:
        return 0
    found = max(separation, crossed) if edge_wins else separation
    exact = corners > 0 and least_gap(scratch, corners, n, offset) <= found + 1e-6 * small
    if not exact and separation > 0.0 and not (corners > 0 and along_normal(geometry, place, a, b, toward_b, scratch)):
        return closest_contact(geometry, place, a, b, toward_b, separation, limit, h, margin, scratch)
    if corners == 0:
        return closest_contact(geometry, place, a, b, toward_b, separation, limit, h, margin, scratch)
    return emit_polygon(geometry, place, scratch, 0, a, b, corners, of_a, n, offset, h, margin)


@kernel
def smallest_half(geometry, c):
    """Half of the smallest side of the collider's own box."""
    return min(geometry.box_half[c, 0], min(geometry.box_half[c, 1], geometry.box_half[c, 2]))


@kernel
def along_normal(geometry, place, a, b, n, scratch):
    """True if the closest points of the two cores lie along n to within a degree."""
    distance, pa, pb = closest_points(
        place.vertex, geometry.vertex_start[a], geometry.vertex_start[a + 1],
        geometry.vertex_start[b], geometry.vertex_start[b + 1], math.inf, scratch,
    )  # fmt: skip
    return dot(sub(pb, pa), n) > NEARLY_FACE * distance
