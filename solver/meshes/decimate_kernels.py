"""Fewer triangles: edges collapsed in order of the error it makes (Garland and Heckbert 1997), in passes.

Within a pass no two collapses touch the same neighbourhood, so that costs stay valid. A collapse that would turn a
triangle over or join what did not belong together (link condition) is left out: a closed surface stays closed.
"""

import math

import numpy as np

from ..base.vectors import cross, dot, norm, put, row, sub
from ..jit import inner, kernel

TURN = 0.3  # least cosine between a triangle's normal before and after a collapse
THIN = 0.02  # least double area of a triangle over its longest edge squared, unless it was thinner before
SHARE = 0.3  # of the edges, the cheapest, are tried in one pass
PASSES = 200


@inner
def add_plane(quadric, v, n, d, weight):
    """Add the squared distance from the plane n x + d = 0 to a vertex's quadric (10 numbers)."""
    p = (n[0], n[1], n[2], d)
    k = 0
    for i in range(4):
        for j in range(i, 4):
            quadric[v, k] += weight * p[i] * p[j]
            k += 1


@inner
def quadric_error(quadric, u, v, x):
    """Sum of two vertices' quadrics at a point."""
    p = (x[0], x[1], x[2], 1.0)
    total, k = 0.0, 0
    for i in range(4):
        for j in range(i, 4):
            total += (quadric[u, k] + quadric[v, k]) * p[i] * p[j] * (1.0 if i == j else 2.0)
            k += 1
    return total


@inner
def best_place(quadric, u, v, p, q):
    """Where the joined vertex errs least: the quadric's minimum if it is near the edge, else an end or the middle."""
    m = quadric[u] + quadric[v]
    a00, a01, a02, b0, a11, a12, b1, a22, b2 = m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]
    c0, c1, c2 = a11 * a22 - a12 * a12, a02 * a12 - a01 * a22, a01 * a12 - a02 * a11
    determinant = a00 * c0 + a01 * c1 + a02 * c2
    middle = (0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0.5 * (p[2] + q[2]))
    scale = a00 + a11 + a22
    if determinant > 1e-4 * scale**3:
        d1, d2, d3 = a00 * a22 - a02 * a02, a01 * a02 - a00 * a12, a00 * a11 - a01 * a01
        x = (
            -(c0 * b0 + c1 * b1 + c2 * b2) / determinant,
            -(c1 * b0 + d1 * b1 + d2 * b2) / determinant,
            -(c2 * b0 + d2 * b1 + d3 * b2) / determinant,
        )
        if norm(sub(x, middle)) < norm(sub(p, q)):
            return x
    best, least = middle, quadric_error(quadric, u, v, middle)
    if quadric_error(quadric, u, v, p) < least:
        best, least = p, quadric_error(quadric, u, v, p)
    if quadric_error(quadric, u, v, q) < least:
        best = q
    return best


@inner
def faces_of_vertices(triangles, alive, count):
    """Faces around every vertex: (start (count+1,), faces)."""
    start = np.zeros(count + 1, np.int64)
    for f in range(len(triangles)):
        if alive[f]:
            for k in range(3):
                start[triangles[f, k] + 1] += 1
    for v in range(count):
        start[v + 1] += start[v]
    faces, place = np.empty(start[count], np.int64), start[:-1].copy()
    for f in range(len(triangles)):
        if alive[f]:
            for k in range(3):
                v = triangles[f, k]
                faces[place[v]] = f
                place[v] += 1
    return start, faces


@inner
def keeps_its_face(vertices, triangles, f, moved, x):
    """True if triangle f neither turns over nor becomes a sliver when its vertex `moved` goes to x."""
    a, b, c = triangles[f, 0], triangles[f, 1], triangles[f, 2]
    p, q, r = row(vertices, a), row(vertices, b), row(vertices, c)
    before = cross(sub(q, p), sub(r, p))
    p2, q2, r2 = x if a == moved else p, x if b == moved else q, x if c == moved else r
    after = cross(sub(q2, p2), sub(r2, p2))
    size = norm(after)
    if dot(before, after) < TURN * norm(before) * size:
        return False
    s, t, w = sub(q2, p2), sub(r2, q2), sub(p2, r2)
    longest = max(dot(s, s), dot(t, t), dot(w, w))
    s, t, w = sub(q, p), sub(r, q), sub(p, r)
    longest_before = max(dot(s, s), dot(t, t), dot(w, w))
    return size >= min(THIN, norm(before) / longest_before) * longest


@inner
def may_collapse(vertices, triangles, alive, start, faces, visited, u, v, x, mark):
    """Link condition of a closed surface (two common neighbours) and no face turned over."""
    shared = 0
    for k in range(start[u], start[u + 1]):
        f = faces[k]
        for i in range(3):
            visited[triangles[f, i]] = mark
    common = 0
    for k in range(start[v], start[v + 1]):
        f = faces[k]
        for i in range(3):
            w = triangles[f, i]
            if w != u and w != v and visited[w] == mark:
                # Each neighbour of v stands in two of its faces: count it once.
                visited[w] = -mark
                common += 1
            if w == u:
                shared += 1
    if common != 2 or shared != 2:
        return False
    for end in (u, v):
        other = v if end == u else u
        for k in range(start[end], start[end + 1]):
            f = faces[k]
            if triangles[f, 0] == other or triangles[f, 1] == other or triangles[f, 2] == other:
                continue
            if not keeps_its_face(vertices, triangles, f, end, x):
                return False
    return True


@inner
def collapse(vertices, triangles, alive, start, faces, locked, quadric, u, v, x):
    """Join v to u at x and lock all around; return the number of faces lost."""
    lost = 0
    for end in (u, v):
        for k in range(start[end], start[end + 1]):
            for i in range(3):
                locked[triangles[faces[k], i]] = True
    put(vertices, u, 0, x)
    for k in range(start[v], start[v + 1]):
        f = faces[k]
        if triangles[f, 0] == u or triangles[f, 1] == u or triangles[f, 2] == u:
            alive[f] = False
            lost += 1
            continue
        for i in range(3):
            if triangles[f, i] == v:
                triangles[f, i] = u
    quadric[u] += quadric[v]
    return lost


@inner
def edges_by_cost(vertices, triangles, alive, quadric):
    """Edges (E,2) and the places (E,3) they collapse to, cheapest first."""
    count = 0
    for f in range(len(triangles)):
        if alive[f]:
            for k in range(3):
                count += 1 if triangles[f, k] < triangles[f, (k + 1) % 3] else 0
    ends, places, cost = np.empty((count, 2), np.int64), np.empty((count, 3)), np.empty(count)
    e = 0
    for f in range(len(triangles)):
        if not alive[f]:
            continue
        for k in range(3):
            u, v = triangles[f, k], triangles[f, (k + 1) % 3]
            if u < v:
                p, q = row(vertices, u), row(vertices, v)
                x = best_place(quadric, u, v, p, q)
                ends[e, 0], ends[e, 1] = u, v
                put(places, e, 0, x)
                # The length breaks ties in flat regions: short edges first.
                cost[e] = quadric_error(quadric, u, v, x) + 1e-9 * dot(sub(p, q), sub(p, q)) ** 2
                e += 1
    order = np.argsort(cost, kind="mergesort")
    return ends[order], places[order]


@kernel
def decimate(vertices, triangles, target):
    """Collapse edges of a closed mesh until `target` triangles are left, or none can go.

    vertices (V,3), triangles (T,3) int64 are changed in place. Returns which triangles are left (T,) bool.
    """
    count, left = len(vertices), len(triangles)
    alive = np.ones(left, np.bool_)
    quadric = np.zeros((count, 10))
    for f in range(left):
        a, b, c = (row(vertices, triangles[f, 0]), row(vertices, triangles[f, 1]), row(vertices, triangles[f, 2]))
        n = cross(sub(b, a), sub(c, a))
        area = norm(n)
        if area > 0.0:
            n = (n[0] / area, n[1] / area, n[2] / area)
            for k in range(3):
                add_plane(quadric, triangles[f, k], n, -dot(n, a), area)
    visited, mark = np.zeros(count, np.int64), 0
    for _ in range(PASSES):
        before = left
        start, faces = faces_of_vertices(triangles, alive, count)
        ends, places = edges_by_cost(vertices, triangles, alive, quadric)
        locked = np.zeros(count, np.bool_)
        tried = max(int(math.ceil(SHARE * len(ends))), 16)
        for e in range(len(ends)):
            if left <= target or (e >= tried and left < before):
                break
            u, v, x = ends[e, 0], ends[e, 1], row(places, e)
            if locked[u] or locked[v]:
                continue
            mark += 1
            if may_collapse(vertices, triangles, alive, start, faces, visited, u, v, x, mark):
                left -= collapse(vertices, triangles, alive, start, faces, locked, quadric, u, v, x)
        if left <= target or left == before:
            break
    return alive
