"""Contacts of a surface with itself: vertices on faces and edges on edges that no ring of the mesh joins."""

from math import sqrt

import numpy as np

from ...base.vectors import cross, dot, row, sub
from ...jit import inner, kernel

# How deep a contact may be, in parts of the length of its edges: beyond that it is the other side of a wall.
DEEPEST = 0.25
# Faces whose normals have a product above this are one to a vertex; edges that cross nearer to an end than this part of
# their length leave the contact to its vertex.
ONE, END = 0.9, 1e-3
# Contacts closer than this part of the edges are listed whatever the speed.
NEAR = 0.02


@inner
def _joined(start, neighbour, a, b):
    """Whether nodes a and b are the same or share an edge of the surface."""
    found = a == b
    for k in range(start[a], start[a + 1]):
        found = found or neighbour[k] == b
    return found


@inner
def _unit(v):
    length = sqrt(dot(v, v))
    return (v[0] / length, v[1] / length, v[2] / length) if length > 0.0 else v


@inner
def _met(normal, node, since, used, p, n):
    """Whether vertex p has a contact with such a normal already."""
    for k in range(used - 1, since - 1, -1):
        if node[k, 1, 0] != p:
            return False
        if n[0] * normal[k, 0] + n[1] * normal[k, 1] + n[2] * normal[k, 2] > ONE:
            return True
    return False


@inner
def _put(out, used, point, normal, gap, key):
    position, normals, gaps, keys = out[0], out[1], out[2], out[3]
    for i in range(3):
        position[used, i], normals[used, i] = point[i], normal[i]
    gaps[used], keys[used] = gap, key


@kernel
def vertices_on_faces(x, v, h, surface, pairs, used, out):
    """Contacts of pairs (P,2) of a vertex and a face, from `used` on; returns how many there are with them.

    x, v (n,3): nodes and velocities; surface: triangles (F,3), node_normal (n,3) outward, start and neighbour: the
    edges of the surface at each node; pairs ordered by vertex; out: position, normal, gap, key, and node, weight
    (m,2,3): see Stencils. The face is the first side of a contact, the vertex the second.
    """
    triangles, node_normal, start, neighbour = surface
    normal, node, weight, since = out[1], out[4], out[5], used
    for q in range(pairs.shape[0]):
        p, f = pairs[q, 0], pairs[q, 1]
        t = triangles[f]
        if _joined(start, neighbour, p, t[0]) or _joined(start, neighbour, p, t[1]):
            continue
        if _joined(start, neighbour, p, t[2]):
            continue
        a, at = row(x, t[0]), row(x, p)
        ab, ac, ap = sub(row(x, t[1]), a), sub(row(x, t[2]), a), sub(at, a)
        n = cross(ab, ac)
        square = dot(n, n)
        edge = sqrt(sqrt(square))
        if square == 0.0:
            continue
        n = _unit(n)
        if dot(n, row(node_normal, p)) > 0.0:
            continue
        distance = dot(ap, n)
        u, w = dot(cross(ap, ac), n) / sqrt(square), dot(cross(ab, ap), n) / sqrt(square)
        first = 1.0 - u - w
        # A little outside a face it touches, too: no vertex falls between two faces.
        if min(u, w, first) < -0.02 or distance < -DEEPEST * edge:
            continue
        closing = 0.0
        for i in range(3):
            face = first * v[t[0], i] + u * v[t[1], i] + w * v[t[2], i]
            closing += n[i] * (face - v[p, i])
        if distance > NEAR * edge + h * max(closing, 0.0) or _met(normal, node, since, used, p, n):
            continue
        point = (at[0] - 0.5 * distance * n[0], at[1] - 0.5 * distance * n[1], at[2] - 0.5 * distance * n[2])
        _put(out, used, point, n, distance, np.int64(f) * x.shape[0] + p)
        for j in range(3):
            node[used, 0, j], node[used, 1, j], weight[used, 1, j] = t[j], -1, 0.0
        weight[used, 0, 0], weight[used, 0, 1], weight[used, 0, 2] = first, u, w
        node[used, 1, 0], weight[used, 1, 0] = p, 1.0
        used += 1
    return used


@kernel
def edges_on_edges(x, v, h, surface, pairs, used, out):
    """The same of pairs (P,2) of edges; surface: edges (E,2), edge_normal (E,3) outward, the mean of the faces at them,
    start and neighbour."""
    edges, edge_normal, start, neighbour = surface
    node, weight = out[4], out[5]
    for q in range(pairs.shape[0]):
        e, f = pairs[q, 0], pairs[q, 1]
        a, b, c, d = edges[e, 0], edges[e, 1], edges[f, 0], edges[f, 1]
        if _joined(start, neighbour, a, c) or _joined(start, neighbour, a, d):
            continue
        if _joined(start, neighbour, b, c) or _joined(start, neighbour, b, d):
            continue
        along, other, between = sub(row(x, b), row(x, a)), sub(row(x, d), row(x, c)), sub(row(x, c), row(x, a))
        n = cross(along, other)
        square, product = dot(n, n), dot(along, along) * dot(other, other)
        # At less than three degrees between two edges the faces at them tell more.
        if square < 0.05 * 0.05 * product:
            continue
        n = _unit(n)
        out_e, out_f = row(edge_normal, e), row(edge_normal, f)
        if dot(n, sub(out_e, out_f)) < 0.0:
            n = (-n[0], -n[1], -n[2])
        if dot(n, out_e) < 0.1 or dot(n, out_f) > -0.1:
            continue
        s = dot(cross(between, other), cross(along, other)) / square
        t = dot(cross(between, along), cross(along, other)) / square
        distance, edge = dot(between, n), sqrt(sqrt(product))
        if s < END or s > 1.0 - END or t < END or t > 1.0 - END or distance < -DEEPEST * edge:
            continue
        closing = 0.0
        for i in range(3):
            closing += n[i] * ((1.0 - s) * v[a, i] + s * v[b, i] - (1.0 - t) * v[c, i] - t * v[d, i])
        if distance > NEAR * edge + h * max(closing, 0.0):
            continue
        at = row(x, a)
        point = (at[0] + s * along[0] + 0.5 * distance * n[0], at[1] + s * along[1] + 0.5 * distance * n[1],
                 at[2] + s * along[2] + 0.5 * distance * n[2])  # fmt: skip
        _put(out, used, point, n, distance, -1 - (np.int64(e) * edges.shape[0] + f))
        for side in range(2):
            for j in range(3):
                node[used, side, j], weight[used, side, j] = -1, 0.0
        node[used, 0, 0], node[used, 0, 1], node[used, 1, 0], node[used, 1, 1] = a, b, c, d
        weight[used, 0, 0], weight[used, 0, 1], weight[used, 1, 0], weight[used, 1, 1] = 1.0 - s, s, 1.0 - t, t
        used += 1
    return used
