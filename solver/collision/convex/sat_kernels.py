"""Separating axes of two placed polytopes: face normals and crossed edges.

Crossed edges count only where they span a face of the Minkowski difference: the arcs of their faces' normals must
cross on the Gauss map (Gregorius, The separating axis test between convex polyhedra, GDC 2013).
"""

import math

from ...base.vectors import add, cross, dot, norm, row, scale, sub
from ...jit import inner
from .hull_kernels import edge_ends, edge_normals, face_point

# Sine below which two edges are parallel and give no axis.
PARALLEL_EDGES = 1e-7


@inner
def along(vertex, i, direction):
    """Coordinate of vertex i along `direction`."""
    return vertex[i, 0] * direction[0] + vertex[i, 1] * direction[1] + vertex[i, 2] * direction[2]


@inner
def lowest(vertex, direction):
    """(least coordinate of the vertices along `direction`, number of a vertex that has it)."""
    best, found = math.inf, 0
    for i in range(len(vertex)):
        value = along(vertex, i, direction)
        if value < best:
            best, found = value, i
    return best, found


@inner
def face_query(a, vertex_b, limit):
    """The face of hull a from which the vertices of b are farthest: (separation, face).

    Stops at a face that b is further than `limit` from. No face is looked at whole that one vertex of b shows to be
    nearer than another face: that towards b, or the best so far.
    """
    best, found, least, low = -math.inf, 0, -math.inf, 0
    if len(vertex_b) > 2:
        (a0, a1), (b0, b1) = vertex_box(a.vertex), vertex_box(vertex_b)
        first = face_along(a.normal, sub(add(b0, b1), add(a0, a1)))
        least, low = lowest(vertex_b, row(a.normal, first))
        least -= dot(row(a.normal, first), face_point(a, first))
    for face in range(len(a.normal)):
        n = row(a.normal, face)
        height = dot(n, face_point(a, face))
        most = along(vertex_b, low, n) - height
        if most <= best or most < least:
            continue
        separation, low = lowest(vertex_b, n)
        separation -= height
        if separation > best:
            best, found = separation, face
            if separation > limit:
                break
    return best, found


@inner
def face_along(normal, n):
    """The face (row of `normal`) that points most along n."""
    best, found = -math.inf, 0
    for face in range(len(normal)):
        value = dot(row(normal, face), n)
        if value > best:
            best, found = value, face
    return found


@inner
def vertex_box(vertex):
    """Low and high corner of a set of vertices."""
    low, high = row(vertex, 0), row(vertex, 0)
    for i in range(1, len(vertex)):
        x, y, z = vertex[i, 0], vertex[i, 1], vertex[i, 2]
        low = (min(low[0], x), min(low[1], y), min(low[2], z))
        high = (max(high[0], x), max(high[1], y), max(high[2], z))
    return low, high


@inner
def edges_near(a, vertex_b, inflation, data):
    """Edges of a whose box meets that of b's vertices moved out by `inflation`: the normals of their faces, start,
    vector and number into data. Returns how many."""
    (x0, y0, z0), (x1, y1, z1) = vertex_box(vertex_b)
    count = 0
    for edge in range(a.edge_count):
        p, q = edge_ends(a, edge)
        if max(p[0], q[0]) < x0 - inflation or min(p[0], q[0]) > x1 + inflation:
            continue
        if max(p[1], q[1]) < y0 - inflation or min(p[1], q[1]) > y1 + inflation:
            continue
        if max(p[2], q[2]) < z0 - inflation or min(p[2], q[2]) > z1 + inflation:
            continue
        m0, m1 = edge_normals(a, edge)
        data[count, 12] = edge
        for i in range(3):
            data[count, i], data[count, 3 + i] = m0[i], m1[i]
            data[count, 6 + i], data[count, 9 + i] = p[i], q[i] - p[i]
        count += 1
    return count


@inner
def crossed_edges(n0, n1, p, u, m0, m1, q, v):
    """Separation and direction of edge q + t v of b from the edge p + s u of a; n and m: normals of their faces.

    The direction points from a to b; the separation is -inf if the two span no face of the difference.
    """
    none = (0.0, 0.0, 0.0)
    c0, c1 = dot(m0, u), dot(m1, u)
    if c0 * c1 >= 0.0:
        return -math.inf, none
    d0, d1 = dot(n0, v), dot(n1, v)
    if d0 * d1 >= 0.0 or c0 * d1 >= 0.0:
        return -math.inf, none
    axis = cross(u, v)
    length = norm(axis)
    if length <= PARALLEL_EDGES * norm(u) * norm(v):
        return -math.inf, none
    axis = scale(axis, 1.0 / length if dot(axis, add(n0, n1)) > 0.0 else -1.0 / length)
    return dot(axis, sub(q, p)), axis


@inner
def best_crossing(data_a, count_a, data_b, count_b, limit):
    """The best pair of gathered edges: (separation, row of a, row of b, direction); stops at one beyond the limit."""
    best, found_a, found_b, direction = -math.inf, -1, -1, (0.0, 0.0, 0.0)
    for i in range(count_a):
        n0 = (data_a[i, 0], data_a[i, 1], data_a[i, 2])
        n1 = (data_a[i, 3], data_a[i, 4], data_a[i, 5])
        p = (data_a[i, 6], data_a[i, 7], data_a[i, 8])
        u = (data_a[i, 9], data_a[i, 10], data_a[i, 11])
        for j in range(count_b):
            m0 = (data_b[j, 0], data_b[j, 1], data_b[j, 2])
            m1 = (data_b[j, 3], data_b[j, 4], data_b[j, 5])
            q = (data_b[j, 6], data_b[j, 7], data_b[j, 8])
            v = (data_b[j, 9], data_b[j, 10], data_b[j, 11])
            separation, axis = crossed_edges(n0, n1, p, u, m0, m1, q, v)
            if separation > best:
                best, found_a, found_b, direction = separation, i, j, axis
                if separation > limit:
                    return best, found_a, found_b, direction
    return best, found_a, found_b, direction


@inner
def edge_query(a, b, inflation, limit, work):
    """The pair of crossed edges with the greatest separation: (separation, edge of a, edge of b, direction)."""
    count_b = edges_near(b, a.vertex, inflation, work.edges[1])
    if count_b == 0:
        return -math.inf, -1, -1, (0.0, 0.0, 0.0)
    count_a = edges_near(a, b.vertex, inflation, work.edges[0])
    best, i, j, direction = best_crossing(work.edges[0], count_a, work.edges[1], count_b, limit)
    if i < 0:
        return best, -1, -1, direction
    return best, int(work.edges[0, i, 12]), int(work.edges[1, j, 12]), direction
