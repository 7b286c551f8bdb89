"""Separating axes of two placed polytopes: face normals and crossed edges.

Crossed edges count only where they span a face of the Minkowski difference: the arcs of their faces' normals must
cross on the Gauss map (Gregorius, The separating axis test between convex polyhedra, GDC 2013).
"""

import math

from ..jit import kernel
from .mesh_vectors import add, cross, dot, norm, row, scale, sub


@kernel
def lowest(vertex, first, last, direction):
    """Least coordinate of the vertices along `direction`."""
    best = math.inf
    for i in range(first, last):
        value = vertex[i, 0] * direction[0] + vertex[i, 1] * direction[1] + vertex[i, 2] * direction[2]
        best = min(best, value)
    return best


@kernel
def face_point(geometry, place, c, face):
    """The first corner of a face (numbered within its core) of collider c."""
    core = geometry.core[c]
    corner = geometry.loop_vertex[geometry.loop_start[geometry.core_face_start[core] + face]]
    return row(place.vertex, geometry.vertex_start[c] + corner)


@kernel
def face_query(geometry, place, a, b, limit):
    """The face of a from which b is farthest: (separation, face).

    Stops at the first face that b is further than `limit` from.
    """
    first, last = geometry.vertex_start[b], geometry.vertex_start[b + 1]
    start = geometry.face_start[a]
    best, found = -math.inf, 0
    for face in range(geometry.face_start[a + 1] - start):
        n = row(place.normal, start + face)
        separation = lowest(place.vertex, first, last, n) - dot(n, face_point(geometry, place, a, face))
        if separation > best:
            best, found = separation, face
            if separation > limit:
                break
    return best, found


@kernel
def edge_ends(geometry, place, c, edge):
    """World end points of an edge (numbered within its core) of collider c."""
    row_index = geometry.core_edge_start[geometry.core[c]] + edge
    base = geometry.vertex_start[c]
    start = row(place.vertex, base + geometry.edge_vertex[row_index, 0])
    return start, row(place.vertex, base + geometry.edge_vertex[row_index, 1])


@kernel
def edge_normals(geometry, place, c, edge):
    """World normals of the two faces at an edge of collider c."""
    row_index = geometry.core_edge_start[geometry.core[c]] + edge
    base = geometry.face_start[c]
    first = row(place.normal, base + geometry.edge_face[row_index, 0])
    return first, row(place.normal, base + geometry.edge_face[row_index, 1])


@kernel
def edges_near(geometry, place, a, b, inflation, out):
    """Edges of a whose box meets that of b moved out by `inflation`, into out; returns how many."""
    core = geometry.core[a]
    count = 0
    for edge in range(geometry.core_edge_start[core + 1] - geometry.core_edge_start[core]):
        p, q = edge_ends(geometry, place, a, edge)
        near = True
        for i in range(3):
            if min(p[i], q[i]) > place.box[b, 3 + i] + inflation or max(p[i], q[i]) < place.box[b, i] - inflation:
                near = False
        if near:
            out[count] = edge
            count += 1
    return count


@kernel
def crossed_edges(geometry, place, a, b, ea, eb, n0, n1, p, u):
    """Separation and direction (from a to b) of an edge pair; -inf if it spans no face of the difference."""
    m0, m1 = edge_normals(geometry, place, b, eb)
    c0, c1 = dot(m0, u), dot(m1, u)
    up = (0.0, 0.0, 0.0)
    if c0 * c1 >= 0.0:
        return -math.inf, up
    q, q2 = edge_ends(geometry, place, b, eb)
    v = sub(q2, q)
    d0, d1 = dot(n0, v), dot(n1, v)
    if d0 * d1 >= 0.0 or c0 * d1 >= 0.0:
        return -math.inf, up
    axis = cross(u, v)
    length = norm(axis)
    if length <= 1e-7 * norm(u) * norm(v):
        return -math.inf, up
    axis = scale(axis, 1.0 / length if dot(axis, add(n0, n1)) > 0.0 else -1.0 / length)
    return dot(axis, sub(q, p)), axis


@kernel
def edge_query(geometry, place, a, b, inflation, limit, scratch):
    """The pair of crossed edges with the greatest separation: (separation, edge of a, edge of b, direction)."""
    best, found_a, found_b, direction = -math.inf, -1, -1, (0.0, 0.0, 0.0)
    count_b = edges_near(geometry, place, b, a, inflation, scratch.edges_b)
    if count_b == 0:
        return best, found_a, found_b, direction
    count_a = edges_near(geometry, place, a, b, inflation, scratch.edges_a)
    for i in range(count_a):
        ea = scratch.edges_a[i]
        n0, n1 = edge_normals(geometry, place, a, ea)
        p, p2 = edge_ends(geometry, place, a, ea)
        u = sub(p2, p)
        for j in range(count_b):
            eb = scratch.edges_b[j]
            separation, axis = crossed_edges(geometry, place, a, b, ea, eb, n0, n1, p, u)
            if separation > best:
                best, found_a, found_b, direction = separation, ea, eb, axis
                if separation > limit:
                    return best, found_a, found_b, direction
    return best, found_a, found_b, direction
