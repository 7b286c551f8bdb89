"""Contacts of spheres and capsules: with each other in closed form, with polytopes by closest points."""

import math

from ..jit import kernel
from .clip_kernels import most_opposed_face, side_plane
from .convex_kernels import gap_limit, line_parameters
from .emit_kernels import CORNER, EDGES, ROUND, VERTEX_A, emit_between, feature_key
from .gjk_kernels import closest_points
from .mesh_vectors import add, cross, dot, norm, row, scale, sub
from .sat_kernels import edge_ends, edge_normals, face_point, face_query

# Segments whose directions differ by less than this [rad] touch along a line.
PARALLEL = 0.05


@kernel
def any_direction(u):
    """A unit vector normal to u (which may be zero)."""
    axis = (1.0, 0.0, 0.0) if abs(u[0]) < 0.6 * norm(u) else (0.0, 0.0, 1.0)
    side = cross(u, axis)
    length = norm(side)
    return scale(side, 1.0 / length) if length > 0.0 else (0.0, 0.0, 1.0)


@kernel
def emit_round(geometry, place, scratch, count, a, b, pa, pb, fallback, key, h, margin):
    """Append the contact of two balls of the colliders' radii about pa and pb."""
    d = sub(pb, pa)
    distance = norm(d)
    n = scale(d, 1.0 / distance) if distance > 0.0 else fallback
    gap = distance - geometry.radius[a] - geometry.radius[b]
    return emit_between(
        geometry, place, scratch, count, a, b, add(pa, scale(n, geometry.radius[a])), n, gap, key, h, margin
    )


@kernel
def sphere_sphere(geometry, place, a, b, h, margin, scratch):
    """The contact of two spheres."""
    pa, pb = row(place.position, a), row(place.position, b)
    return emit_round(geometry, place, scratch, 0, a, b, pa, pb, (0.0, 0.0, 1.0), feature_key(ROUND, 0, 0), h, margin)


@kernel
def capsule_ends(geometry, place, c):
    """Centres of the two caps."""
    first = geometry.vertex_start[c]
    return row(place.vertex, first), row(place.vertex, first + 1)


@kernel
def nearest_on_segment(p, q0, q1):
    """Parameter in [0, 1] of the point of segment q0 q1 nearest to p."""
    u = sub(q1, q0)
    return min(max(dot(sub(p, q0), u) / dot(u, u), 0.0), 1.0)


@kernel
def sphere_capsule(geometry, place, a, b, h, margin, scratch):
    """The contact of sphere a and capsule b."""
    p = row(place.position, a)
    q0, q1 = capsule_ends(geometry, place, b)
    u = sub(q1, q0)
    q = add(q0, scale(u, nearest_on_segment(p, q0, q1)))
    key = feature_key(ROUND, 0, 0)
    return emit_round(geometry, place, scratch, 0, a, b, p, q, any_direction(u), key, h, margin)


@kernel
def capsule_capsule(geometry, place, a, b, h, margin, scratch):
    """One contact of two capsules, or two where they lie along each other."""
    p0, p1 = capsule_ends(geometry, place, a)
    q0, q1 = capsule_ends(geometry, place, b)
    u, v = sub(p1, p0), sub(q1, q0)
    lu, lv = norm(u), norm(v)
    if norm(cross(u, v)) < PARALLEL * lu * lv:
        count = parallel_capsules(geometry, place, a, b, p0, u, q0, v, h, margin, scratch)
        if count > 0:
            return count
    s, t = segment_parameters(p0, u, q0, v)
    key = feature_key(ROUND, 0, 0)
    fallback = any_direction(u)
    return emit_round(
        geometry, place, scratch, 0, a, b, add(p0, scale(u, s)), add(q0, scale(v, t)), fallback, key, h, margin
    )


@kernel
def segment_parameters(p, u, q, v):
    """Parameters in [0, 1] of the closest points of the segments p + s u and q + t v (Ericson, 5.1.9)."""
    uu, vv, uv = dot(u, u), dot(v, v), dot(u, v)
    r = sub(p, q)
    ur, vr = dot(u, r), dot(v, r)
    determinant = uu * vv - uv * uv
    s = min(max((uv * vr - ur * vv) / determinant, 0.0), 1.0) if determinant > 1e-14 * uu * vv else 0.0
    t = (uv * s + vr) / vv
    if t < 0.0:
        return min(max(-ur / uu, 0.0), 1.0), 0.0
    if t > 1.0:
        return min(max((uv - ur) / uu, 0.0), 1.0), 1.0
    return s, t


@kernel
def parallel_capsules(geometry, place, a, b, p0, u, q0, v, h, margin, scratch):
    """Contacts at both ends of the stretch along which two nearly parallel capsules face each other.

    The key names the cap that ends the stretch. None if they do not overlap lengthwise.
    """
    uu, lu = dot(u, u), norm(u)
    s0, s1 = dot(sub(q0, p0), u) / uu, dot(sub(add(q0, v), p0), u) / uu
    turned = s0 > s1
    low, high = (s1, s0) if turned else (s0, s1)
    start, end = max(low, 0.0), min(high, 1.0)
    if (end - start) * lu < 0.1 * min(geometry.radius[a], geometry.radius[b]):
        return 0
    count = 0
    for side in range(2):
        s = start if side == 0 else end
        t = (s - s0) / (s1 - s0)
        of_a = (low <= 0.0) if side == 0 else (high >= 1.0)
        cap = side if of_a else (side != turned)
        key = feature_key(CORNER, 1 + int(cap), 0) if of_a else feature_key(CORNER, 0, 1 + int(cap))
        count = emit_round(
            geometry, place, scratch, count, a, b, add(p0, scale(u, s)), add(q0, scale(v, t)), any_direction(u), key, h,
            margin,
        )  # fmt: skip
    return count


@kernel
def sphere_polytope(geometry, place, a, b, h, margin, scratch):
    """The contact of sphere a and polytope b."""
    radius = geometry.radius[a]
    limit = gap_limit(geometry, place, a, b, h, margin) + radius
    first, last = geometry.vertex_start[a], geometry.vertex_start[a + 1]
    distance, pa, pb = closest_points(
        place.vertex, first, last, geometry.vertex_start[b], geometry.vertex_start[b + 1], limit, scratch
    )
    if distance > limit:
        return 0
    center = row(place.position, a)
    key = feature_key(ROUND, 0, 0)
    if distance > 1e-9 * geometry.extent[b]:
        n, gap = scale(sub(pb, pa), 1.0 / distance), distance - radius
    else:
        depth, face = face_query(geometry, place, b, a, math.inf)
        n, gap = scale(row(place.normal, geometry.face_start[b] + face), -1.0), depth - radius
    at = add(center, scale(n, radius))
    return emit_between(geometry, place, scratch, 0, a, b, at, n, gap, key, h, margin)


@kernel
def clip_segment(geometry, place, c, face, p0, p1, slack):
    """Part of a segment over a face of collider c: (from, to, edge cut at from, edge cut at to); -1: not cut."""
    index = geometry.core_face_start[geometry.core[c]] + face
    n = row(place.normal, geometry.face_start[c] + face)
    start, end, cut0, cut1 = 0.0, 1.0, -1, -1
    for k in range(geometry.loop_start[index], geometry.loop_start[index + 1]):
        side, offset = side_plane(geometry, place, c, index, k, n)
        d0, d1 = dot(side, p0) - offset - slack, dot(side, p1) - offset - slack
        if d0 > 0.0 and d1 > 0.0:
            return 1.0, 0.0, -1, -1
        if d0 > 0.0 and d0 / (d0 - d1) > start:
            start, cut0 = d0 / (d0 - d1), geometry.loop_edge[k]
        if d1 > 0.0 and d0 / (d0 - d1) < end:
            end, cut1 = d0 / (d0 - d1), geometry.loop_edge[k]
    return start, end, cut0, cut1


@kernel
def capsule_on_face(geometry, place, a, b, face, h, margin, scratch):
    """Contacts of capsule a with one face of polytope b, at both ends of what lies over the face."""
    p0, p1 = capsule_ends(geometry, place, a)
    start, end, cut0, cut1 = clip_segment(geometry, place, b, face, p0, p1, 5e-4 * geometry.radius[a])
    if start > end:
        return 0
    m = row(place.normal, geometry.face_start[b] + face)
    offset, n = dot(m, face_point(geometry, place, b, face)), scale(m, -1.0)
    count = 0
    for side in range(2):
        s, cut = (start, cut0) if side == 0 else (end, cut1)
        p = add(p0, scale(sub(p1, p0), s))
        gap = dot(m, p) - offset - geometry.radius[a]
        key = feature_key(VERTEX_A, 1 + side, 0) if cut < 0 else feature_key(EDGES, 0, cut)
        at = add(p, scale(n, geometry.radius[a]))
        count = emit_between(geometry, place, scratch, count, a, b, at, n, gap, key, h, margin)
    return count


@kernel
def capsule_polytope(geometry, place, a, b, h, margin, scratch):
    """Contacts of capsule a and polytope b."""
    radius = geometry.radius[a]
    limit = gap_limit(geometry, place, a, b, h, margin) + radius
    first, last = geometry.vertex_start[a], geometry.vertex_start[a + 1]
    distance, pa, pb = closest_points(
        place.vertex, first, last, geometry.vertex_start[b], geometry.vertex_start[b + 1], limit, scratch
    )
    if distance > limit:
        return 0
    if distance <= 1e-9 * geometry.extent[b]:
        return pierced_capsule(geometry, place, a, b, h, margin, scratch)
    n = scale(sub(pb, pa), 1.0 / distance)
    face = most_opposed_face(geometry, place, b, n)
    if dot(row(place.normal, geometry.face_start[b] + face), n) < -1.0 + 1e-9:
        count = capsule_on_face(geometry, place, a, b, face, h, margin, scratch)
        if count > 0:
            return count
    at = add(pa, scale(n, radius))
    key = feature_key(ROUND, 0, 0)
    return emit_between(geometry, place, scratch, 0, a, b, at, n, distance - radius, key, h, margin)


@kernel
def pierced_capsule(geometry, place, a, b, h, margin, scratch):
    """Contacts of capsule a whose axis enters polytope b: along the axis of least overlap."""
    depth, face = face_query(geometry, place, b, a, math.inf)
    p0, p1 = capsule_ends(geometry, place, a)
    u = sub(p1, p0)
    best, found, direction = -math.inf, -1, (0.0, 0.0, 0.0)
    core = geometry.core[b]
    for edge in range(geometry.core_edge_start[core + 1] - geometry.core_edge_start[core]):
        m0, m1 = edge_normals(geometry, place, b, edge)
        q, q2 = edge_ends(geometry, place, b, edge)
        axis = cross(u, sub(q2, q))
        length = norm(axis)
        if dot(m0, u) * dot(m1, u) >= 0.0 or length <= 1e-7 * norm(u) * norm(sub(q2, q)):
            continue
        # Out of b: on the arc between the normals of the edge's faces.
        axis = scale(axis, (1.0 if dot(axis, add(m0, m1)) > 0.0 else -1.0) / length)
        separation = dot(axis, sub(p0, q))
        if separation > best:
            best, found, direction = separation, edge, axis
    if best <= depth + 1e-5 * geometry.extent[a]:
        return capsule_on_face(geometry, place, a, b, face, h, margin, scratch)
    q, q2 = edge_ends(geometry, place, b, found)
    s, _ = line_parameters(p0, u, q, sub(q2, q))
    n = scale(direction, -1.0)
    at = add(add(p0, scale(u, min(max(s, 0.0), 1.0))), scale(n, geometry.radius[a]))
    key = feature_key(ROUND, 0, 0)
    return emit_between(geometry, place, scratch, 0, a, b, at, n, best - geometry.radius[a], key, h, margin)
