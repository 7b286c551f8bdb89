"""Contacts between two faces: the incident polygon clipped by the sides of the reference face.

Every corner of the result is a vertex of one body over a face of the other, or a crossing of an edge of each; its
key names these features, whichever face is the reference.
"""

import math

from ...base.vectors import add, cross, dot, norm, row, scale, sub
from ...jit import inner
from ..contact_keys import feature_key
from .hull_kernels import CORNER, EDGES, VERTEX_A, VERTEX_B, face_loop, face_point, push
from .sat_kernels import face_along

VERTEX, EDGE = 3, 4  # columns of a polygon after the position


@inner
def load_polygon(hull, face, polygon):
    """Corners of a face into polygon[0]: position, vertex, edge that leaves it. Returns how many."""
    first, last = face_loop(hull, face)
    for k in range(last - first):
        vertex = hull.topology[first + k, 0]
        for i in range(3):
            polygon[0, k, i] = hull.vertex[vertex, i]
        polygon[0, k, VERTEX] = vertex
        polygon[0, k, EDGE] = hull.topology[first + k, 1]
    return last - first


@inner
def push_corner(polygon, count, p, vertex, edge):
    """Append a corner to polygon[1]."""
    polygon[1, count, 0], polygon[1, count, 1], polygon[1, count, 2] = p
    polygon[1, count, VERTEX] = vertex
    polygon[1, count, EDGE] = edge
    return count + 1


@inner
def clip_by_plane(polygon, count, normal, offset, side):
    """Clip polygon[0] to normal . x <= offset; the new edge is labelled -1 - side. Returns the new corner count."""
    kept = 0
    p = (polygon[0, 0, 0], polygon[0, 0, 1], polygon[0, 0, 2])
    dp = dot(normal, p) - offset
    for k in range(count):
        following = k + 1 if k + 1 < count else 0
        q = (polygon[0, following, 0], polygon[0, following, 1], polygon[0, following, 2])
        dq = dot(normal, q) - offset
        vertex, edge = polygon[0, k, VERTEX], polygon[0, k, EDGE]
        if dp <= 0.0:
            kept = push_corner(polygon, kept, p, vertex, -1.0 - side if dp == 0.0 and dq > 0.0 else edge)
        if (dp < 0.0 and dq > 0.0) or (dp > 0.0 and dq < 0.0):
            crossing = add(p, scale(sub(q, p), dp / (dp - dq)))
            kept = push_corner(polygon, kept, crossing, -1.0, -1.0 - side if dp < 0.0 else edge)
        p, dp = q, dq
    for k in range(kept):
        for i in range(5):
            polygon[0, k, i] = polygon[1, k, i]
    return kept


@inner
def side_plane(hull, first, last, k, n):
    """Outward side plane at row k of the loop [first, last) of a face with normal n: (unit normal, offset)."""
    following = k + 1 if k + 1 < last else first
    p = row(hull.vertex, hull.topology[k, 0])
    side = cross(sub(row(hull.vertex, hull.topology[following, 0]), p), n)
    side = scale(side, 1.0 / norm(side))
    return side, dot(side, p)


@inner
def load_sides(hull, face, n, sides):
    """Side planes of a face into `sides`: normal, offset, edge. Returns how many."""
    first, last = face_loop(hull, face)
    for k in range(first, last):
        side, offset = side_plane(hull, first, last, k, n)
        sides[k - first, 0], sides[k - first, 1], sides[k - first, 2] = side
        sides[k - first, 3] = offset
        sides[k - first, 4] = hull.topology[k, 1]
    return last - first


@inner
def clip_polygon(sides, side_count, slack, polygon, count):
    """Clip polygon[0] by side planes, moved out by slack; returns the corners left."""
    for k in range(side_count):
        count = clip_by_plane(polygon, count, row(sides, k), sides[k, 3] + slack, sides[k, 4])
        if count == 0:
            break
    return count


@inner
def is_strip(sides, side_count, slack, polygon, count):
    """True if what is left of the polygon is no wider than the slack and lies along one of the sides."""
    found = False
    for k in range(side_count):
        found = found or least_height(polygon, count, row(sides, k), sides[k, 3]) > -slack
    return found


@inner
def shared_vertex(topology, e, f):
    """The vertex two edges (rows of the topology) have in common, or -1."""
    if topology[e, 0] == topology[f, 0] or topology[e, 0] == topology[f, 1]:
        return topology[e, 0]
    if topology[e, 1] == topology[f, 0] or topology[e, 1] == topology[f, 1]:
        return topology[e, 1]
    return -1


@inner
def pair_key(kind, of_reference, of_incident, reference_is_a):
    """feature_key with the features in the order of the bodies."""
    if reference_is_a:
        return feature_key(kind, of_reference, of_incident)
    return feature_key(kind, of_incident, of_reference)


@inner
def corner_key(topology, edge_row, polygon, k, count, reference_is_a):
    """Key of corner k of the clipped polygon; `edge_row` is the first row of the reference hull's edges."""
    vertex = int(polygon[0, k, VERTEX])
    if vertex >= 0:
        return pair_key(VERTEX_B if reference_is_a else VERTEX_A, 0, vertex, reference_is_a)
    before, after = int(polygon[0, k - 1 if k > 0 else count - 1, EDGE]), int(polygon[0, k, EDGE])
    if before < 0 and after < 0:
        vertex = int(shared_vertex(topology, edge_row - 1 - before, edge_row - 1 - after))
        if vertex >= 0:
            return pair_key(VERTEX_A if reference_is_a else VERTEX_B, vertex, 0, reference_is_a)
        return feature_key(CORNER, -1 - before, -1 - after)
    if before >= 0 and after >= 0:
        return feature_key(CORNER, before, after)
    return pair_key(EDGES, -1 - min(before, after), max(before, after), reference_is_a)


@inner
def least_height(polygon, count, n, offset):
    """Least height of the corners of polygon[0] over the plane n . x = offset."""
    best = math.inf
    for k in range(count):
        best = min(best, n[0] * polygon[0, k, 0] + n[1] * polygon[0, k, 1] + n[2] * polygon[0, k, 2] - offset)
    return best


@inner
def push_polygon(topology, edge_row, corners, n, offset, reference_is_a, polygon, raw):
    """Contacts at the corners of the clipped polygon; n is the reference face's normal. Returns how many."""
    normal = n if reference_is_a else scale(n, -1.0)
    for k in range(corners):
        p = (polygon[0, k, 0], polygon[0, k, 1], polygon[0, k, 2])
        gap = dot(n, p) - offset
        key = corner_key(topology, edge_row, polygon, k, corners, reference_is_a)
        push(raw, k, sub(p, scale(n, 0.5 * gap)), normal, gap, key)
    return corners


@inner
def is_soon_lowest(raw, count, p, height, slope):
    """True if p, at its height over the reference plane, rises from no contact by more than slope times the way."""
    for c in range(count):
        d = sub(p, row(raw.place, c))
        rise = height - raw.place[c, 6]
        if rise > 0.0 and rise * rise > slope * slope * dot(d, d):
            return False
    return True


@inner
def is_listed(raw, count, key):
    """True if a contact has that key."""
    found = False
    for c in range(count):
        found = found or raw.key[c] == key
    return found


@inner
def push_near_vertices(incident, sides, side_count, slack, n, offset, limit, slope, reference_is_a, raw, count):
    """Add the vertices of other faces that turning may bring down on the reference face; returns the new count.

    They lie over the face, at most `limit` above it, and rise from every contact found so far by less than slope.
    """
    found = count
    normal = n if reference_is_a else scale(n, -1.0)
    for v in range(len(incident.vertex)):
        p = row(incident.vertex, v)
        gap = dot(n, p) - offset
        if gap > limit or not is_soon_lowest(raw, count, p, gap, slope):
            continue
        key = pair_key(VERTEX_B if reference_is_a else VERTEX_A, 0, v, reference_is_a)
        if is_listed(raw, count, key) or not is_inside(sides, side_count, slack, p):
            continue
        found = push(raw, found, sub(p, scale(n, 0.5 * gap)), normal, gap, key)
    return found


@inner
def push_lowest(incident, sides, side_count, slack, n, offset, reference, reference_is_a, polygon, raw, count):
    """Add the point of the incident hull that is lowest under the reference plane within the face's sides, moved out by
    slack, if it is not listed; return the new count. reference: topology and first edge of the reference hull."""
    best, found, place, normal = 0.0, -1, (0.0, 0.0, 0.0), n if reference_is_a else scale(n, -1.0)
    for face in range(len(incident.normal)):
        corners = clip_polygon(sides, side_count, slack, polygon, load_polygon(incident, face, polygon))
        for k in range(corners):
            p = (polygon[0, k, 0], polygon[0, k, 1], polygon[0, k, 2])
            gap = dot(n, p) - offset
            if gap < best:
                best, place = gap, p
                found = corner_key(reference[0], reference[1], polygon, k, corners, reference_is_a)
    if found < 0 or is_listed(raw, count, found):
        return count
    return push(raw, count, sub(place, scale(n, 0.5 * best)), normal, best, found)


@inner
def is_inside(sides, side_count, slack, p):
    """True if p lies within all side planes, moved out by slack."""
    inside = True
    for k in range(side_count):
        inside = inside and dot(row(sides, k), p) <= sides[k, 3] + slack
    return inside


@inner
def clip_faces(reference, face, incident, slack, sides, polygon):
    """Clip the face of `incident` most opposed to a face of `reference` by that face's sides.

    Returns (corners, sides, True if the corners lie in a strip along one side though the faces are parallel to 1e-3,
    reference normal, reference offset).
    """
    n = row(reference.normal, face)
    opposed = face_along(incident.normal, scale(n, -1.0))
    side_count = load_sides(reference, face, n, sides)
    count = clip_polygon(sides, side_count, slack, polygon, load_polygon(incident, opposed, polygon))
    # 1 + cosine between the normals below which two faces face each other: 0.06 degrees.
    parallel = dot(row(incident.normal, opposed), n) < -1.0 + 5e-7
    strip = parallel and count > 0 and is_strip(sides, side_count, slack, polygon, count)
    return count, side_count, strip, n, dot(n, face_point(reference, face))
