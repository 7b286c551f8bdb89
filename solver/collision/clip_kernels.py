"""Contacts between two faces: the incident polygon clipped by the sides of the reference face.

Every corner of the result is a vertex of one body over a face of the other, or a crossing of an edge of each; its
key names these features, whichever face is the reference.
"""

import math

from ..jit import kernel
from .emit_kernels import CORNER, EDGES, VERTEX_A, VERTEX_B, emit, feature_key
from .mesh_vectors import add, cross, dot, norm, row, scale, sub
from .sat_kernels import face_point


@kernel
def most_opposed_face(geometry, place, c, n):
    """Number of the face of collider c whose normal points most against n."""
    start = geometry.face_start[c]
    best, found = math.inf, 0
    for face in range(geometry.face_start[c + 1] - start):
        value = dot(row(place.normal, start + face), n)
        if value < best:
            best, found = value, face
    return found


@kernel
def load_polygon(geometry, place, c, face, scratch):
    """Corners of a face into the scratch polygon; label: (vertex, edge that leaves it)."""
    index = geometry.core_face_start[geometry.core[c]] + face
    first, last = geometry.loop_start[index], geometry.loop_start[index + 1]
    base = geometry.vertex_start[c]
    for k in range(last - first):
        vertex = geometry.loop_vertex[first + k]
        for i in range(3):
            scratch.polygon[k, i] = place.vertex[base + vertex, i]
        scratch.label[k, 0] = vertex
        scratch.label[k, 1] = geometry.loop_edge[first + k]
    return last - first


@kernel
def push_corner(scratch, count, p, vertex, edge):
    """Append a corner to the clipped polygon."""
    for i in range(3):
        scratch.clipped[count, i] = p[i]
    scratch.clipped_label[count, 0] = vertex
    scratch.clipped_label[count, 1] = edge
    return count + 1


@kernel
def clip_by_plane(scratch, count, normal, offset, side):
    """Cut the polygon to normal . x <= offset; the new edge is labelled -1 - side. Returns the new corner count."""
    kept = 0
    p = row(scratch.polygon, 0) if count > 0 else (0.0, 0.0, 0.0)
    dp = dot(normal, p) - offset
    for k in range(count):
        following = k + 1 if k + 1 < count else 0
        q = row(scratch.polygon, following)
        dq = dot(normal, q) - offset
        vertex, edge = scratch.label[k, 0], scratch.label[k, 1]
        if dp <= 0.0:
            kept = push_corner(scratch, kept, p, vertex, -1 - side if dp == 0.0 and dq > 0.0 else edge)
        if (dp < 0.0 and dq > 0.0) or (dp > 0.0 and dq < 0.0):
            crossing = add(p, scale(sub(q, p), dp / (dp - dq)))
            kept = push_corner(scratch, kept, crossing, -1, -1 - side if dp < 0.0 else edge)
        p, dp = q, dq
    for k in range(kept):
        for i in range(3):
            scratch.polygon[k, i] = scratch.clipped[k, i]
        scratch.label[k, 0] = scratch.clipped_label[k, 0]
        scratch.label[k, 1] = scratch.clipped_label[k, 1]
    return kept


@kernel
def side_plane(geometry, place, c, index, k, n):
    """Outward side plane at corner k of the loop of face `index` (pooled number): (unit normal, offset)."""
    first, last = geometry.loop_start[index], geometry.loop_start[index + 1]
    base = geometry.vertex_start[c]
    following = k + 1 if k + 1 < last else first
    p = row(place.vertex, base + geometry.loop_vertex[k])
    q = row(place.vertex, base + geometry.loop_vertex[following])
    side = cross(sub(q, p), n)
    side = scale(side, 1.0 / norm(side))
    return side, dot(side, p)


@kernel
def clip_polygon(geometry, place, c, face, n, slack, count, scratch):
    """Cut the scratch polygon to the prism over a face of collider c, widened by slack.

    Returns (corners left, True if what is left is a strip no wider than the slack along the prism's rim).
    """
    index = geometry.core_face_start[geometry.core[c]] + face
    first, last = geometry.loop_start[index], geometry.loop_start[index + 1]
    for k in range(first, last):
        side, offset = side_plane(geometry, place, c, index, k, n)
        count = clip_by_plane(scratch, count, side, offset + slack, geometry.loop_edge[k])
        if count == 0:
            return 0, True
    for k in range(first, last):
        side, offset = side_plane(geometry, place, c, index, k, n)
        deepest = math.inf
        for i in range(count):
            deepest = min(deepest, dot(side, row(scratch.polygon, i)) - offset)
        if deepest > -slack:
            return count, True
    return count, False


@kernel
def shared_vertex(geometry, c, e, f):
    """The vertex two edges of collider c have in common, or -1."""
    start = geometry.core_edge_start[geometry.core[c]]
    for i in range(2):
        for j in range(2):
            if geometry.edge_vertex[start + e, i] == geometry.edge_vertex[start + f, j]:
                return geometry.edge_vertex[start + e, i]
    return -1


@kernel
def corner_key(geometry, scratch, k, count, reference, reference_is_a):
    """Key of corner k of the clipped polygon."""
    vertex = scratch.label[k, 0]
    if vertex >= 0:
        return feature_key(VERTEX_B, 0, vertex) if reference_is_a else feature_key(VERTEX_A, vertex, 0)
    before, after = scratch.label[k - 1 if k > 0 else count - 1, 1], scratch.label[k, 1]
    if before < 0 and after < 0:
        vertex = shared_vertex(geometry, reference, -1 - before, -1 - after)
        if vertex >= 0:
            return feature_key(VERTEX_A, vertex, 0) if reference_is_a else feature_key(VERTEX_B, 0, vertex)
        return feature_key(CORNER, -1 - before, -1 - after)
    if before >= 0 and after >= 0:
        return feature_key(CORNER, before, after)
    incident, side = max(before, after), -1 - min(before, after)
    return feature_key(EDGES, side, incident) if reference_is_a else feature_key(EDGES, incident, side)


@kernel
def least_gap(scratch, count, n, offset):
    """Least height of the polygon's corners over the plane n . x = offset."""
    best = math.inf
    for k in range(count):
        best = min(best, dot(n, row(scratch.polygon, k)) - offset)
    return best


@kernel
def emit_polygon(geometry, place, scratch, count, a, b, corners, reference_is_a, n, offset, h, margin):
    """Contacts at the corners of the clipped polygon; n is the reference face's normal. Returns the new count."""
    reference = a if reference_is_a else b
    normal = n if reference_is_a else scale(n, -1.0)
    for k in range(corners):
        p = row(scratch.polygon, k)
        gap = dot(n, p) - offset
        key = corner_key(geometry, scratch, k, corners, reference, reference_is_a)
        middle = sub(p, scale(n, 0.5 * gap))
        count = emit(geometry, place, scratch, count, a, b, middle, normal, gap, key, h, margin)
    return count


@kernel
def clip_faces(geometry, place, reference, face, incident, slack, scratch):
    """Clip the face of `incident` most opposed to a face of `reference` by that face's sides.

    Returns (corners, True if only a strip along the rim is left and the faces are parallel to 1e-3, reference
    normal, reference offset).
    """
    n = row(place.normal, geometry.face_start[reference] + face)
    offset = dot(n, face_point(geometry, place, reference, face))
    opposed = most_opposed_face(geometry, place, incident, n)
    count = load_polygon(geometry, place, incident, opposed, scratch)
    parallel = dot(row(place.normal, geometry.face_start[incident] + opposed), n) < -1.0 + 5e-7
    count, strip = clip_polygon(geometry, place, reference, face, n, slack, count, scratch)
    return count, strip and parallel, n, offset
