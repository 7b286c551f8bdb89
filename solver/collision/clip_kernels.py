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
def clip_polygon(hull, face, n, slack, count, work):
    """Cut the work polygon to the prism over a face of a hull, widened by slack; returns the corners left."""
    for k in range(hull.loop_start[face], hull.loop_start[face + 1]):
        side, offset = side_plane(hull, face, k, n)
        count = clip_by_plane(work, count, side, offset + slack, hull.loop[k, 1])
        if count == 0:
            break
    return count


@kernel
def is_strip(hull, face, n, slack, count, work):
    """True if what is left of the polygon is no wider than the slack and lies along one side of the face."""
    for k in range(hull.loop_start[face], hull.loop_start[face + 1]):
        side, offset = side_plane(hull, face, k, n)
        if least_height(work, count, side, offset) > -slack:
            return True
    return False


@kernel
def shared_vertex(hull, e, f):
    """The vertex two edges of a hull have in common, or -1."""
    if hull.edge[e, 0] == hull.edge[f, 0] or hull.edge[e, 0] == hull.edge[f, 1]:
        return hull.edge[e, 0]
    if hull.edge[e, 1] == hull.edge[f, 0] or hull.edge[e, 1] == hull.edge[f, 1]:
        return hull.edge[e, 1]
    return -1


@kernel
def pair_key(kind, of_reference, of_incident, reference_is_a):
    """feature_key with the features in the order of the bodies."""
    if reference_is_a:
        return feature_key(kind, of_reference, of_incident)
    return feature_key(kind, of_incident, of_reference)


@kernel
def corner_key(reference, work, k, count, reference_is_a):
    """Key of corner k of the clipped polygon."""
    vertex = work.label[0, k, 0]
    if vertex >= 0:
        return pair_key(VERTEX_B if reference_is_a else VERTEX_A, 0, vertex, reference_is_a)
    before, after = work.label[0, k - 1 if k > 0 else count - 1, 1], work.label[0, k, 1]
    if before < 0 and after < 0:
        vertex = shared_vertex(reference, -1 - before, -1 - after)
        if vertex >= 0:
            return pair_key(VERTEX_A if reference_is_a else VERTEX_B, vertex, 0, reference_is_a)
        return feature_key(CORNER, -1 - before, -1 - after)
    if before >= 0 and after >= 0:
        return feature_key(CORNER, before, after)
    return pair_key(EDGES, -1 - min(before, after), max(before, after), reference_is_a)


@kernel
def least_height(work, count, n, offset):
    """Least height of the polygon's corners over the plane n . x = offset."""
    best = math.inf
    for k in range(count):
        best = min(best, dot(n, row(work.polygon[0], k)) - offset)
    return best


@kernel
def push_polygon(reference, corners, n, offset, reference_is_a, work, raw):
    """Contacts at the corners of the clipped polygon; n is the reference face's normal. Returns how many."""
    normal = n if reference_is_a else scale(n, -1.0)
    for k in range(corners):
        p = row(work.polygon[0], k)
        gap = dot(n, p) - offset
        push(raw, k, sub(p, scale(n, 0.5 * gap)), normal, gap, corner_key(reference, work, k, corners, reference_is_a))
    return corners


@kernel
def clip_faces(reference, face, incident, slack, work):
    """Clip the face of `incident` most opposed to a face of `reference` by that face's sides.

    Returns (corners, True if they lie in a strip along one side though the faces are parallel to 1e-3, reference
    normal, reference offset).
    """
    n = row(reference.normal, face)
    opposed = most_opposed_face(incident, n)
    count = clip_polygon(reference, face, n, slack, load_polygon(incident, opposed, work), work)
    parallel = dot(row(incident.normal, opposed), n) < -1.0 + 5e-7
    strip = parallel and count > 0 and is_strip(reference, face, n, slack, count, work)
    return count, strip, n, dot(n, face_point(reference, face))
