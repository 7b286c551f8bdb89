"""Contacts of spheres and capsules: with each other in closed form, with polytopes by closest points.

A ball is its centre, a capsule the segment p0 p1 between the centres of its caps, each with a radius.
"""

import math

from ...base.vectors import add, cross, dot, norm, row, scale, sub
from ...jit import inner
from ..contact_keys import feature_key
from .clip_kernels import side_plane
from .convex_kernels import SLACK, line_parameters
from .gjk_kernels import MEETS, closest_points
from .hull_kernels import (
    CORNER,
    EDGES,
    ROUND,
    VERTEX_A,
    edge_ends,
    edge_normals,
    face_loop,
    face_point,
    push_between,
)
from .sat_kernels import PARALLEL_EDGES, face_along, face_query

# Segments whose directions differ by less than this [rad] touch along a line.
PARALLEL = 0.05


@inner
def any_direction(u):
    """A unit vector normal to u (which may be zero)."""
    # Cosine above which an axis is too near a direction to be crossed with it.
    axis = (1.0, 0.0, 0.0) if abs(u[0]) < 0.6 * norm(u) else (0.0, 0.0, 1.0)
    side = cross(u, axis)
    length = norm(side)
    return scale(side, 1.0 / length) if length > 0.0 else (0.0, 0.0, 1.0)


@inner
def push_balls(pa, radius_a, pb, radius_b, u, key, raw, count):
    """Append the contact of two balls; along some normal of u if the centres coincide."""
    d = sub(pb, pa)
    distance = norm(d)
    n = scale(d, 1.0 / distance) if distance > 0.0 else any_direction(u)
    return push_between(raw, count, add(pa, scale(n, radius_a)), n, distance - radius_a - radius_b, key)


@inner
def nearest_on_segment(p, q0, u):
    """Point of the segment q0 + t u, t in [0, 1], nearest to p."""
    length = dot(u, u)
    t = min(max(dot(sub(p, q0), u) / length, 0.0), 1.0) if length > 0.0 else 0.0
    return add(q0, scale(u, t))


@inner
def segment_parameters(p, u, q, v):
    """Parameters in [0, 1] of the closest points of the segments p + s u and q + t v (Ericson, 5.1.9)."""
    uu, vv, uv = dot(u, u), dot(v, v), dot(u, v)
    r = sub(p, q)
    ur, vr = dot(u, r), dot(v, r)
    determinant = uu * vv - uv * uv
    # Squared sine below which lines are parallel for the points where they are closest.
    s = min(max((uv * vr - ur * vv) / determinant, 0.0), 1.0) if determinant > 1e-14 * uu * vv else 0.0
    t = (uv * s + vr) / vv
    if t < 0.0:
        return min(max(-ur / uu, 0.0), 1.0), 0.0
    if t > 1.0:
        return min(max((uv - ur) / uu, 0.0), 1.0), 1.0
    return s, t


@inner
def capsule_capsule(p0, u, radius_a, q0, v, radius_b, raw):
    """One contact of the capsules about p0 + s u and q0 + t v, or two where they lie along each other."""
    if norm(cross(u, v)) < PARALLEL * norm(u) * norm(v):
        count = parallel_capsules(p0, u, radius_a, q0, v, radius_b, raw)
        if count > 0:
            return count
    s, t = segment_parameters(p0, u, q0, v)
    key = feature_key(ROUND, 0, 0)
    return push_balls(add(p0, scale(u, s)), radius_a, add(q0, scale(v, t)), radius_b, u, key, raw, 0)


@inner
def parallel_capsules(p0, u, radius_a, q0, v, radius_b, raw):
    """Contacts at both ends of the stretch along which two nearly parallel capsules face each other.

    The key names the cap that ends the stretch. None if they do not overlap lengthwise.
    """
    uu = dot(u, u)
    s0, s1 = dot(sub(q0, p0), u) / uu, dot(sub(add(q0, v), p0), u) / uu
    start, end = max(min(s0, s1), 0.0), min(max(s0, s1), 1.0)
    # Of the smaller radius: a shorter line of contact is a point.
    if (end - start) * math.sqrt(uu) < 0.1 * min(radius_a, radius_b):
        return 0
    for side in range(2):
        s = start if side == 0 else end
        t = min(max((s - s0) / (s1 - s0), 0.0), 1.0)
        own, other = feature_key(CORNER, 1 + side, 0), feature_key(CORNER, 0, 1 + int(t > 0.5))
        key = own if s == side else other
        push_balls(add(p0, scale(u, s)), radius_a, add(q0, scale(v, t)), radius_b, u, key, raw, side)
    return 2


@inner
def sphere_polytope(vertex_a, radius, b, limit, simplex, raw):
    """The contact of the ball about the one vertex of a and hull b."""
    distance, pa, pb = closest_points(vertex_a, b.vertex, limit + radius, simplex)
    if distance > limit + radius:
        return 0
    center = row(vertex_a, 0)
    if distance > MEETS * b.extent:
        n = scale(sub(pb, pa), 1.0 / distance)
    else:
        distance, face = face_query(b, vertex_a, math.inf)
        n = scale(row(b.normal, face), -1.0)
    return push_between(raw, 0, add(center, scale(n, radius)), n, distance - radius, feature_key(ROUND, 0, 0))


@inner
def clip_segment(hull, face, p0, p1, slack):
    """Part of a segment over a face: (from, to, edge that clips it at from, at to); edge -1: not clipped."""
    n = row(hull.normal, face)
    start, end, clip0, clip1 = 0.0, 1.0, -1, -1
    first, last = face_loop(hull, face)
    for k in range(first, last):
        side, offset = side_plane(hull, first, last, k, n)
        d0, d1 = dot(side, p0) - offset - slack, dot(side, p1) - offset - slack
        if d0 > 0.0 and d1 > 0.0:
            return 1.0, 0.0, -1, -1
        if d0 > 0.0 and d0 / (d0 - d1) > start:
            start, clip0 = d0 / (d0 - d1), hull.topology[k, 1]
        if d1 > 0.0 and d0 / (d0 - d1) < end:
            end, clip1 = d0 / (d0 - d1), hull.topology[k, 1]
    return start, end, clip0, clip1


@inner
def capsule_on_face(p0, p1, radius, b, face, raw):
    """Contacts of a capsule with one face of hull b, at both ends of what lies over the face."""
    start, end, clip0, clip1 = clip_segment(b, face, p0, p1, SLACK * min(radius, b.thin))
    if start > end:
        return 0
    m = row(b.normal, face)
    offset, n = dot(m, face_point(b, face)), scale(m, -1.0)
    for side in range(2):
        s, clip = (start, clip0) if side == 0 else (end, clip1)
        p = add(p0, scale(sub(p1, p0), s))
        key = feature_key(VERTEX_A, 1 + side, 0) if clip < 0 else feature_key(EDGES, 0, clip)
        push_between(raw, side, add(p, scale(n, radius)), n, dot(m, p) - offset - radius, key)
    return 2


@inner
def capsule_polytope(vertex_a, radius, b, limit, simplex, raw):
    """Contacts of the capsule between the two vertices of a and hull b."""
    distance, pa, pb = closest_points(vertex_a, b.vertex, limit + radius, simplex)
    if distance > limit + radius:
        return 0
    p0, p1 = row(vertex_a, 0), row(vertex_a, 1)
    if distance <= MEETS * b.extent:
        return pierced_capsule(vertex_a, radius, b, raw)
    n = scale(sub(pb, pa), 1.0 / distance)
    face = face_along(b.normal, scale(n, -1.0))
    # 1 + cosine between a face and the way to a capsule below which the capsule is over the face.
    if dot(row(b.normal, face), n) < -1.0 + 1e-9:
        count = capsule_on_face(p0, p1, radius, b, face, raw)
        if count > 0:
            return count
    return push_between(raw, 0, add(pa, scale(n, radius)), n, distance - radius, feature_key(ROUND, 0, 0))


@inner
def segment_axes(p0, u, b):
    """The edge of hull b that, crossed with the segment p0 + s u, separates best: (separation, edge, axis out of b)."""
    best, found, direction = -math.inf, -1, (0.0, 0.0, 0.0)
    for edge in range(b.edge_count):
        m0, m1 = edge_normals(b, edge)
        q, q2 = edge_ends(b, edge)
        v = sub(q2, q)
        axis = cross(u, v)
        length = norm(axis)
        if dot(m0, u) * dot(m1, u) >= 0.0 or length <= PARALLEL_EDGES * norm(u) * norm(v):
            continue
        axis = scale(axis, (1.0 if dot(axis, add(m0, m1)) > 0.0 else -1.0) / length)
        separation = dot(axis, sub(p0, q))
        if separation > best:
            best, found, direction = separation, edge, axis
    return best, found, direction


@inner
def pierced_capsule(vertex_a, radius, b, raw):
    """Contacts of a capsule whose axis enters hull b: along the direction of least overlap."""
    depth, face = face_query(b, vertex_a, math.inf)
    p0, p1 = row(vertex_a, 0), row(vertex_a, 1)
    u = sub(p1, p0)
    crossed, edge, axis = segment_axes(p0, u, b)
    # How much deeper, relative to the extent, a face must be than an edge to give way to it.
    if crossed <= depth + 1e-5 * b.extent:
        count = capsule_on_face(p0, p1, radius, b, face, raw)
        if count > 0:
            return count
        at = add(p0, scale(u, 0.5))
        n = scale(row(b.normal, face), -1.0)
        return push_between(raw, 0, add(at, scale(n, radius)), n, depth - radius, feature_key(ROUND, 0, 0))
    q, q2 = edge_ends(b, edge)
    s, _ = line_parameters(p0, u, q, sub(q2, q))
    n = scale(axis, -1.0)
    at = add(add(p0, scale(u, min(max(s, 0.0), 1.0))), scale(n, radius))
    return push_between(raw, 0, at, n, crossed - radius, feature_key(ROUND, 0, 0))
