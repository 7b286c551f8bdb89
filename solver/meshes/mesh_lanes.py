"""Nodes of eight boxes side by side, and one test of a box against all eight.

The trees of the mesh pool are binary; a wide node holds eight of a node's descendants, in single precision and by
columns, so that the compiler tests four or eight of them at a time. What it lets through is a little more than what
the exact test of two boxes does, never less.
"""

import numpy as np

from ..base.inlining import inlined
from ..base.vectors import norm, part
from ..jit import inner, kernel

LANES = 8
NOBODY = -1e30  # half size of an empty lane: far from everything
CLUSTER = LANES * LANES


@inlined
def singles(a):
    """Three numbers in single precision."""
    return (np.float32(a[0]), np.float32(a[1]), np.float32(a[2]))


@inlined
def rows_in_singles(r):
    """A rotation in single precision."""
    return (singles(r[0]), singles(r[1]), singles(r[2]))


@inlined
def near_lanes(boxes, w, rotation, shift, size, own_shift, own_size, limit):
    """Bits of the boxes of wide node w that are not further than `limit` from a box, along six face axes.

    boxes (W,6,8); all else in single precision: rotation (rows) and shift bring the lanes' axes to those of the box,
    whose centre is the origin there; size: half sizes of the box, own_size: the same along the lanes' own axes;
    own_shift: the origin seen from the lanes, with the opposite sign. No lane's test ends early: that is what lets
    them run side by side.
    """
    r0, r1, r2 = rotation
    a0 = (abs(r0[0]), abs(r0[1]), abs(r0[2]))
    a1 = (abs(r1[0]), abs(r1[1]), abs(r1[2]))
    a2 = (abs(r2[0]), abs(r2[1]), abs(r2[2]))
    s0, s1, s2 = size[0] + limit, size[1] + limit, size[2] + limit
    o0, o1, o2 = own_size[0] + limit, own_size[1] + limit, own_size[2] + limit
    bits = np.int32(0)
    for k in range(LANES):
        x, y, z = boxes[w, 0, k], boxes[w, 1, k], boxes[w, 2, k]
        hx, hy, hz = boxes[w, 3, k], boxes[w, 4, k], boxes[w, 5, k]
        near = (
            (abs(x + own_shift[0]) - hx <= o0)
            & (abs(y + own_shift[1]) - hy <= o1)
            & (abs(z + own_shift[2]) - hz <= o2)
            & (abs(r0[0] * x + r0[1] * y + r0[2] * z + shift[0]) - (a0[0] * hx + a0[1] * hy + a0[2] * hz) <= s0)
            & (abs(r1[0] * x + r1[1] * y + r1[2] * z + shift[1]) - (a1[0] * hx + a1[1] * hy + a1[2] * hz) <= s1)
            & (abs(r2[0] * x + r2[1] * y + r2[2] * z + shift[2]) - (a2[0] * hx + a2[1] * hy + a2[2] * hz) <= s2)
        )
        # Kept to 32 bits all the way, for more lanes at a time.
        bits = np.int32(bits | np.int32(np.int32(near) << np.int32(k)))
    return bits


@inner
def _leaf_counts(child):
    """Leaves under each node; children are numbered after their parents."""
    count = np.ones(len(child), np.int64)
    for i in range(len(child) - 1, -1, -1):
        if child[i] >= 0:
            count[i] = count[child[i]] + count[child[i] + 1]
    return count


@kernel
def widen(child):
    """Wide nodes of a binary tree, root first: (row (N,) of each binary node that has one, else -1; lanes (W,8)).

    lanes: the binary nodes in each wide node, -1 for none. The node with most leaves is opened until there are eight,
    but not one that fills a wide node of its own, or two levels of them.
    """
    leaves = _leaf_counts(child)
    row = np.full(len(child), -1, np.int32)
    lanes = np.full((len(child) // 2 + 1, LANES), -1, np.int32)
    todo = np.zeros(len(child), np.int32)
    used, top = 0, 1
    while top > 0:
        top -= 1
        node = todo[top]
        if child[node] < 0:
            continue
        row[node] = used
        enough = 1 if leaves[node] <= LANES else (LANES if leaves[node] <= CLUSTER else CLUSTER)
        lanes[used, 0], count = node, 1
        while count < LANES:
            largest = 0
            for k in range(1, count):
                if leaves[lanes[used, k]] > leaves[lanes[used, largest]]:
                    largest = k
            if leaves[lanes[used, largest]] <= enough:
                break
            opened = child[lanes[used, largest]]
            for k in range(count, largest + 1, -1):
                lanes[used, k] = lanes[used, k - 1]
            lanes[used, largest], lanes[used, largest + 1] = opened, opened + 1
            count += 1
        for k in range(count):
            todo[top] = lanes[used, k]
            top += 1
        used += 1
    return row, lanes[:used]


@kernel
def fill_bounds(tree, first, last, rows, lanes, boxes, leaf_size):
    """Fill what follows from the nodes first to last of a tree, whose rows begin with centre, half size, first child:
    the boxes (W,6,8) float32 of their wide nodes, rows (N,), -1 for none, lanes (W,8); leaf_size (2,), see MeshPool."""
    reach, largest = 0.0, 0.0
    for node in range(first, last):
        w = rows[node]
        for k in range(LANES if w >= 0 else 0):
            for i in range(6):
                nobody = 0.0 if i < 3 else NOBODY
                boxes[w, i, k] = tree[lanes[w, k], i] if lanes[w, k] >= 0 else nobody
        if tree[node, 6] < 0.0:
            center, half = norm(part(tree, node, 0)), norm(part(tree, node, 3))
            reach, largest = max(reach, center + 2.0 * half), max(largest, half)
    leaf_size[0], leaf_size[1] = reach, largest
