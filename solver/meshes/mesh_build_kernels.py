"""Compiled parts of building the mesh pool: bounding tree, flat patches, local thickness."""

import math

import numpy as np

from ..base.vectors import cross, dot, row, sub
from ..jit import inner, kernel
from .mesh_lanes import CLUSTER, LANES


@inner
def _swap(order, centers, i, j):
    order[i], order[j] = order[j], order[i]
    for k in range(3):
        centers[k, i], centers[k, j] = centers[k, j], centers[k, i]


@inner
def _select(order, centers, axis, start, end, middle):
    """Partly sort [start:end] along an axis so that everything before `middle` is no larger than what follows."""
    keys = centers[axis]
    low, high = start, end - 1
    while low < high:
        pivot = keys[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                _swap(order, centers, i, j)
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@inner
def _longest_axis(centers, start, end):
    """The axis along which the centres [start:end] extend furthest."""
    longest, axis = -1.0, 0
    for k in range(3):
        first, last = np.inf, -np.inf
        for q in range(start, end):
            first = min(first, centers[k, q])
            last = max(last, centers[k, q])
        if last - first > longest:
            longest, axis = last - first, k
    return axis


@inner
def _bound(low, high, child, order, leaf, box):
    """Boxes of all nodes as centre and half size; children are numbered after their parents."""
    for node in range(len(child) - 1, -1, -1):
        one, f = child[node], order[leaf[node]]
        for k in range(3):
            if one < 0:
                box[node, k], box[node, 3 + k] = low[f, k], high[f, k]
            else:
                box[node, k] = min(box[one, k], box[one + 1, k])
                box[node, 3 + k] = max(box[one, 3 + k], box[one + 1, 3 + k])
    for node in range(len(child)):
        for k in range(3):
            bottom, top = box[node, k], box[node, 3 + k]
            box[node, k], box[node, 3 + k] = 0.5 * (bottom + top), 0.5 * (top - bottom)


@inner
def _first_half(count):
    """How many of `count` boxes the first child gets: half of them, but in whole wide nodes (see mesh_lanes)."""
    unit = CLUSTER if count > CLUSTER else (LANES if count > LANES else 1)
    return (count // 2 + unit - 1) // unit * unit


@kernel
def build_tree(low, high, box, child, order, leaf, centers):
    """Tree of boxes over n boxes low, high (n,3), halved at the median of the longest axis or near it, one box a leaf.

    Writes box (2n-1, 6) centre and half size, child (2n-1,) the first of two neighbouring children or -1,
    order (n,) the boxes from left to right, leaf (2n-1,) the place in `order` of a leaf's box. centers (3,n): work
    space, in the order of `order` at all times: what is read together lies together.
    """
    n = len(low)
    child[:] = -1
    leaf[:] = -1
    for f in range(n):
        order[f] = f
        for k in range(3):
            centers[k, f] = 0.5 * (low[f, k] + high[f, k])
    stack = np.empty((128, 3), dtype=np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, 0, n
    top, used = 1, 1
    while top > 0:
        top -= 1
        node, start, end = stack[top, 0], stack[top, 1], stack[top, 2]
        if end - start == 1:
            leaf[node] = start
            continue
        middle = start + _first_half(end - start)
        _select(order, centers, _longest_axis(centers, start, end), start, end, middle)
        child[node] = used
        stack[top, 0], stack[top, 1], stack[top, 2] = used + 1, middle, end
        stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = used, start, middle
        top += 2
        used += 2
    _bound(low, high, child, order, leaf, box)


@kernel
def flat_patches(face_normals, face_edges, edge_faces, cosine):
    """Number the flat patches: neighbours whose normals keep within `cosine` of the patch's first face. (T,) int32."""
    count = len(face_normals)
    patch = np.full(count, -1, dtype=np.int32)
    queue = np.empty(count, dtype=np.int64)
    patches = 0
    for seed in range(count):
        if patch[seed] >= 0:
            continue
        n = row(face_normals, seed)
        patch[seed] = patches
        queue[0] = seed
        head, tail = 0, 1
        while head < tail:
            f = queue[head]
            head += 1
            for k in range(3):
                e = face_edges[f, k]
                if e < 0:
                    continue
                g = edge_faces[e, 0] if edge_faces[e, 0] != f else edge_faces[e, 1]
                if g >= 0 and patch[g] < 0 and dot(n, row(face_normals, g)) > cosine:
                    patch[g] = patches
                    queue[tail] = g
                    tail += 1
        patches += 1
    return patch


@inner
def _ray_misses_box(box, node, origin, inverse, nearest):
    enter, leave = 0.0, nearest
    for k in range(3):
        a = (box[node, k] - box[node, 3 + k] - origin[k]) * inverse[k]
        b = (box[node, k] + box[node, 3 + k] - origin[k]) * inverse[k]
        enter = max(enter, min(a, b))
        leave = min(leave, max(a, b))
    return enter > leave * (1.0 + 1e-9)


@inner
def _ray_triangle(origin, direction, a, b, c):
    """Distance along the ray to the triangle, or infinity (Moeller and Trumbore 1997)."""
    ab, ac = sub(b, a), sub(c, a)
    p = cross(direction, ac)
    determinant = dot(ab, p)
    if determinant == 0.0:
        return np.inf
    s = sub(origin, a)
    u = dot(s, p) / determinant
    q = cross(s, ab)
    v = dot(direction, q) / determinant
    if u < -1e-9 or v < -1e-9 or u + v > 1.0 + 1e-9:
        return np.inf
    return dot(ac, q) / determinant


@inner
def _guarded_inverse(x):
    return 1.0 / x if abs(x) > 1e-300 else math.copysign(1e300, x)


@kernel
def inward_distance(vertices, triangles, face_normals, box, child, leaf, most):
    """Distance (T,) from the middle of every face inward to where the solid ends, at most `most`."""
    distance = np.full(len(triangles), most)
    stack = np.empty(128, dtype=np.int32)
    for f in range(len(triangles)):
        n = row(face_normals, f)
        a, b, c = (row(vertices, triangles[f, 0]), row(vertices, triangles[f, 1]), row(vertices, triangles[f, 2]))
        origin = ((a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0, (a[2] + b[2] + c[2]) / 3.0)
        direction = (-n[0], -n[1], -n[2])
        inverse = (_guarded_inverse(direction[0]), _guarded_inverse(direction[1]), _guarded_inverse(direction[2]))
        nearest = most
        stack[0] = 0
        top = 1
        while top > 0:
            top -= 1
            node = stack[top]
            if _ray_misses_box(box, node, origin, inverse, nearest):
                continue
            if child[node] >= 0:
                stack[top] = child[node]
                stack[top + 1] = child[node] + 1
                top += 2
                continue
            g = leaf[node]
            if dot(row(face_normals, g), direction) <= 0.0:
                continue
            t = _ray_triangle(
                origin, direction,
                row(vertices, triangles[g, 0]), row(vertices, triangles[g, 1]), row(vertices, triangles[g, 2]),
            )
            if 1e-6 * most < t < nearest:
                nearest = t
        distance[f] = nearest
    return distance
