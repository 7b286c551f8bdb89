"""Contacts between two faces: the incident polygon clipped by the sides of the reference face.

Every corner of the result is a vertex of one body over a face of the other, or a crossing of an edge of each; its
key names these features, whichever face is the reference.
"""

import math

from ..jit import kernel
from .hull_kernels import CORNER, EDGES, VERTEX_A, VERTEX_B, face_point, feature_key, push
from .mesh_vectors import add, cross, dot, norm, row, scale, sub
from .sat_kernels import most_opposed_face


@kernel
def load_polygon(hull, face, work):
    """Corners of a face into the work polygon; label: (vertex, edge that leaves it). Returns how many."""
    first, last = hull.loop_start[face], hull.loop_start[face + 1]
    for k in range(last - first):
        vertex = hull.loop[first + k, 0]
        for i in range(3):
            work.polygon[0, k, i] = hull.vertex[vertex, i]
        work.label[0, k, 0] = vertex
        work.label[0, k, 1] = hull.loop[first + k, 1]
    return last - first


@kernel
def push_corner(work, count, p, vertex, edge):
    """Append a corner to the clipped polygon."""
    for i in range(3):
        work.polygon[1, count, i] = p[i]
    work.label[1, count, 0] = vertex
    work.label[1, count, 1] = edge
    return count + 1


@kernel
def clip_by_plane(work, count, normal, offset, side):
    """Cut the polygon to normal . x <= offset; the new edge is labelled -1 - side. Returns the new corner count."""
    kept = 0
    polygon, label = work.polygon[0], work.label[0]
    p = row(polygon, 0)
    dp = dot(normal, p) - offset
    for k in range(count):
        q = row(polygon, k + 1 if k + 1 < count else 0)
        dq = dot(normal, q) - offset
        vertex, edge = label[k, 0], label[k, 1]
        if dp <= 0.0:
            kept = push_corner(work, kept, p, vertex, -1 - side if dp == 0.0 and dq > 0.0 else edge)
        if (dp < 0.0 and dq > 0.0) or (dp > 0.0 and dq < 0.0):
            crossing = add(p, scale(sub(q, p), dp / (dp - dq)))
            kept = push_corner(work, kept, crossing, -1, -1 - side if dp < 0.0 else edge)
        p, dp = q, dq
    for k in range(kept):
        for i in range(3):
            polygon[k, i] = work.polygon[1, k, i]
        label[k, 0], label[k, 1] = work.label[1, k, 0], work.label[1, k, 1]
    return kept


@kernel
def side_plane(hull, face, k, n):
    """Outward side plane at place k of the loop of a face with normal n: (unit normal, offset)."""
    following = k + 1 if k + 1 < hull.loop_start[face + 1] else hull.loop_start[face]
    p = row(hull.vertex, hull.loop[k, 0])
    side = cross(sub(row(hull.vertex, hull.loop[following, 0]), p), n)
    side = scale(side, 1.0 / norm(side))
    return side, dot(side, p)


@kernel
def load_sides(hull, face, n, work):
    """Side planes of a face into work.sides (normal, offset) and their edges into work.side_edge; returns how many."""
    first, last = hull.loop_start[face], hull.loop_start[face + 1]
    p = row(hull.vertex, hull.loop[last - 1, 0])
    for k in range(first, last):
        q = row(hull.vertex, hull.loop[k, 0])
        side = cross(sub(q, p), n)
        side = scale(side, 1.0 / norm(side))
        work.sides[k - first, 0], work.sides[k - first, 1], work.sides[k - first, 2] = side
        work.sides[k - first, 3] = dot(side, q)
        work.side_edge[k - first] = hull.loop[k - 1 if k > first else last - 1, 1]
        p = q
    return last - first


@kernel
def clip_polygon(sides, slack, count, work):
    """Cut the work polygon by the first `sides` side planes, moved out by slack; returns the corners left."""
    for k in range(sides):
        count = clip_by_plane(work, count, row(work.sides, k), work.sides[k, 3] + slack, work.side_edge[k])
        if count == 0:
            break
    return count


@kernel
def is_strip(sides, slack, count, work):
    """True if what is left of the polygon is no wider than the slack and lies along one of the sides."""
    found = False
    for k in range(sides):
        found = found or least_height(work.polygon[0], count, row(work.sides, k), work.sides[k, 3]) > -slack
    return found


@kernel
def shared_vertex(edge, e, f):
    """The vertex two edges (rows of the table `edge`) have in common, or -1."""
    if edge[e, 0] == edge[f, 0] or edge[e, 0] == edge[f, 1]:
        return edge[e, 0]
    if edge[e, 1] == edge[f, 0] or edge[e, 1] == edge[f, 1]:
        return edge[e, 1]
    return -1


@kernel
def pair_key(kind, of_reference, of_incident, reference_is_a):
    """feature_key with the features in the order of the bodies."""
    if reference_is_a:
        return feature_key(kind, of_reference, of_incident)
    return feature_key(kind, of_incident, of_reference)


@kernel
def corner_key(edge, label, k, count, reference_is_a):
    """Key of corner k of the clipped polygon; `edge` is the reference hull's table."""
    vertex = label[k, 0]
    if vertex >= 0:
        return pair_key(VERTEX_B if reference_is_a else VERTEX_A, 0, vertex, reference_is_a)
    before, after = label[k - 1 if k > 0 else count - 1, 1], label[k, 1]
    if before < 0 and after < 0:
        vertex = shared_vertex(edge, -1 - before, -1 - after)
        if vertex >= 0:
            return pair_key(VERTEX_A if reference_is_a else VERTEX_B, vertex, 0, reference_is_a)
        return feature_key(CORNER, -1 - before, -1 - after)
    if before >= 0 and after >= 0:
        return feature_key(CORNER, before, after)
    return pair_key(EDGES, -1 - min(before, after), max(before, after), reference_is_a)


@kernel
def least_height(polygon, count, n, offset):
    """Least height of the polygon's corners over the plane n . x = offset."""
    best = math.inf
    for k in range(count):
        best = min(best, dot(n, row(polygon, k)) - offset)
    return best


@kernel
def push_polygon(edge, corners, n, offset, reference_is_a, work, raw):
    """Contacts at the corners of the clipped polygon; n is the reference face's normal. Returns how many."""
    normal = n if reference_is_a else scale(n, -1.0)
    polygon, label = work.polygon[0], work.label[0]
    for k in range(corners):
        p = row(polygon, k)
        gap = dot(n, p) - offset
        push(raw, k, sub(p, scale(n, 0.5 * gap)), normal, gap, corner_key(edge, label, k, corners, reference_is_a))
    return corners


@kernel
def clip_faces(reference, face, incident, slack, work):
    """Clip the face of `incident` most opposed to a face of `reference` by that face's sides.

    Returns (corners, True if they lie in a strip along one side though the faces are parallel to 1e-3, reference
    normal, reference offset).
    """
    n = row(reference.normal, face)
    opposed = most_opposed_face(incident.normal, n)
    sides = load_sides(reference, face, n, work)
    count = clip_polygon(sides, slack, load_polygon(incident, opposed, work), work)
    parallel = dot(row(incident.normal, opposed), n) < -1.0 + 5e-7
    strip = parallel and count > 0 and is_strip(sides, slack, count, work)
    return count, strip, n, dot(n, face_point(reference, face))
