"""Separating axes of two placed polytopes: face normals and crossed edges.

Crossed edges count only where they span a face of the Minkowski difference: the arcs of their faces' normals must
cross on the Gauss map (Gregorius, The separating axis test between convex polyhedra, GDC 2013).
"""

import math

from ..jit import kernel
from .hull_kernels import edge_ends, edge_normals, face_point
from .mesh_vectors import add, cross, dot, norm, row, scale, sub


@kernel
def lowest(vertex, direction):
    """Least coordinate of the vertices along `direction`."""
    best = math.inf
    for i in range(len(vertex)):
        best = min(best, vertex[i, 0] * direction[0] + vertex[i, 1] * direction[1] + vertex[i, 2] * direction[2])
    return best


@kernel
def face_query(a, vertex_b, limit):
    """The face of hull a from which the vertices of b are farthest: (separation, face).

    Stops at the first face that b is further than `limit` from.
    """
    best, found = -math.inf, 0
    for face in range(len(a.normal)):
        n = row(a.normal, face)
        separation = lowest(vertex_b, n) - dot(n, face_point(a, face))
        if separation > best:
            best, found = separation, face
            if separation > limit:
                break
    return best, found


@kernel
def most_opposed_face(hull, n):
    """The face whose normal points most against n."""
    best, found = math.inf, 0
    for face in range(len(hull.normal)):
        value = dot(row(hull.normal, face), n)
        if value < best:
            best, found = value, face
    return found


@kernel
def vertex_box(vertex):
    """Low and high corner of a set of vertices."""
    low, high = row(vertex, 0), row(vertex, 0)
    for i in range(1, len(vertex)):
        x, y, z = vertex[i, 0], vertex[i, 1], vertex[i, 2]
        low = (min(low[0], x), min(low[1], y), min(low[2], z))
        high = (max(high[0], x), max(high[1], y), max(high[2], z))
    return low, high


@kernel
def edges_near(a, vertex_b, inflation, out):
    """Edges of a whose box meets that of b's vertices moved out by `inflation`, into out; returns how many."""
    low, high = vertex_box(vertex_b)
    count = 0
    for edge in range(len(a.edge)):
        p, q = edge_ends(a, edge)
        near = True
        for i in range(3):
            if min(p[i], q[i]) > high[i] + inflation or max(p[i], q[i]) < low[i] - inflation:
                near = False
        if near:
            out[count] = edge
            count += 1
    return count


@kernel
def crossed_edges(b, eb, n0, n1, p, u):
    """Separation and direction of edge eb of b from the edge p + s u of a, whose faces have normals n0 and n1.

    The direction points from a to b; the separation is -inf if the two span no face of the difference.
    """
    none = (0.0, 0.0, 0.0)
    m0, m1 = edge_normals(b, eb)
    c0, c1 = dot(m0, u), dot(m1, u)
    if c0 * c1 >= 0.0:
        return -math.inf, none
    q, q2 = edge_ends(b, eb)
    v = sub(q2, q)
    d0, d1 = dot(n0, v), dot(n1, v)
    if d0 * d1 >= 0.0 or c0 * d1 >= 0.0:
        return -math.inf, none
    axis = cross(u, v)
    length = norm(axis)
    if length <= 1e-7 * norm(u) * norm(v):
        return -math.inf, none
    axis = scale(axis, 1.0 / length if dot(axis, add(n0, n1)) > 0.0 else -1.0 / length)
    return dot(axis, sub(q, p)), axis


@kernel
def edge_query(a, b, inflation, limit, work):
    """The pair of crossed edges with the greatest separation: (separation, edge of a, edge of b, direction)."""
    best, found_a, found_b, direction = -math.inf, -1, -1, (0.0, 0.0, 0.0)
    count_b = edges_near(b, a.vertex, inflation, work.edges[1])
    if count_b == 0:
        return best, found_a, found_b, direction
    count_a = edges_near(a, b.vertex, inflation, work.edges[0])
    for i in range(count_a):
        ea = work.edges[0, i]
        n0, n1 = edge_normals(a, ea)
        p, p2 = edge_ends(a, ea)
        u = sub(p2, p)
        for j in range(count_b):
            eb = work.edges[1, j]
            separation, axis = crossed_edges(b, eb, n0, n1, p, u)
            if separation > best:
                best, found_a, found_b, direction = separation, ea, eb, axis
                if separation > limit:
                    return best, found_a, found_b, direction
    return best, found_a, found_b, direction
