"""Tandem descent of two trees in wide nodes: which leaves may come near each other within the step.

Everything is computed in the axes of body a about its frame's origin. What is let through is filtered by the exact
test of two boxes afterwards, so single precision changes nothing but the time.
"""

import math
from typing import NamedTuple

import numpy as np

from ...base.inlining import inlined
from ...base.vectors import add, cross, norm, part, rotate, scale, sub, unrotate
from ...jit import inner
from ...meshes.mesh_lanes import LANES, NOBODY, near_lanes, rows_in_singles, singles
from ..surface.mesh_pool import LEAF, ROOT
from .mesh_traversal import (
    boxes_apart,
    columns_times,
    is_still,
    motion_bound,
    rows_times,
    search_reach,
    turned_about,
)

BATCH = 128  # pairs of faces gathered before their features are tested
LEAST_ROOM = LANES * LANES  # in the table of pairs of leaves
STACK = 2048  # two trees of 2^31 leaves have at most 24 levels of wide nodes, each of which leaves 63 pairs behind
# Which lane the lowest bit of a set means.
LOWEST = np.zeros(1 << (LANES - 1) | 1, np.int32)
LOWEST[1 << np.arange(LANES)] = np.arange(LANES)


class Wide(NamedTuple):
    """A search of wide nodes: margin [m], which holds what single precision may lose [m], what is added to it along
    the axes of b, and the rotation, both ways, in single precision."""

    margin: float
    lost: float
    loose: float
    rows: tuple
    columns: tuple


@inner
def wide_search(pool, ia, ib, rel, margin, along_b):
    """Wide for a margin between meshes ia and ib; along_b: axes of b may be asked, too."""
    r = rel.rotation
    columns = ((r[0][0], r[1][0], r[2][0]), (r[0][1], r[1][1], r[2][1]), (r[0][2], r[1][2], r[2][2]))
    reach = norm(rel.shift) + pool.mesh_size[ia] + pool.mesh_size[ib] + motion_bound(rel, pool.mesh_size[ib])
    # Of lengths in single precision.
    lost = 2e-6 * (margin + reach)
    return Wide(margin + lost, lost, 0.0 if along_b else -NOBODY, rows_in_singles(r), rows_in_singles(columns))


class Swept(NamedTuple):
    """A box of b: half sizes in its axes and (`e`) in those of a; its middle on the way and half the
    way in the axes of a; how far it
    reaches from there by its motion, in the axes of a and of b."""

    half: tuple
    e: tuple
    middle: tuple
    way: tuple
    reach: tuple
    own_reach: tuple


@inlined
def swept_box(tree, j, rel, loose):
    """Swept of node j of b: it holds those of its children."""
    half, center = part(tree, j, 3), add(rotate(rel.rotation, part(tree, j, 0)), rel.shift)
    e = rows_times(rel.rotation, half)
    way = scale(add(rel.slide, cross(rel.turn, center)), 0.5)
    grown, own_grown = turned_about(rel.turn, e), turned_about(rel.turn_b, half)
    own_way = unrotate(rel.rotation, way)
    reach = (abs(way[0]) + grown[0], abs(way[1]) + grown[1], abs(way[2]) + grown[2])
    own = (
        abs(own_way[0]) + own_grown[0] + loose,
        abs(own_way[1]) + own_grown[1] + loose,
        abs(own_way[2]) + own_grown[2] + loose,
    )
    return Swept(half, e, add(center, way), way, reach, own)


@inlined
def _near_lanes_of_a(pool, row, box, rel, wide, limit):
    """Bits of the lanes of a's wide node within the limit of a box of b."""
    d = scale(box.middle, -1.0)
    return near_lanes(
        pool.wide_box, row, wide.columns, singles(unrotate(rel.rotation, d)), singles(add(box.half, box.own_reach)),
        singles(d), singles(add(box.e, box.reach)), np.float32(limit),
    )  # fmt: skip


@inlined
def _near_lanes_of_b(pool, row, i, box, rel, wide, limit):
    """Bits of the lanes of b's wide node, which all move like its box, within the limit of node i of a."""
    a = part(pool.tree, i, 3)
    d = sub(add(rel.shift, box.way), part(pool.tree, i, 0))
    return near_lanes(
        pool.wide_box, row, wide.rows, singles(d), singles(add(a, box.reach)),
        singles(unrotate(rel.rotation, d)), singles(add(columns_times(rel.rotation, a), box.own_reach)),
        np.float32(limit),
    )  # fmt: skip


@inlined
def separation(tree, i, j, rel, along_b):
    """How far apart the boxes of two nodes are now along an axis of a or, if `along_b`, of b."""
    a, b = part(tree, i, 3), part(tree, j, 3)
    d = sub(add(rotate(rel.rotation, part(tree, j, 0)), rel.shift), part(tree, i, 0))
    e = rows_times(rel.rotation, b)
    far = max(abs(d[0]) - a[0] - e[0], abs(d[1]) - a[1] - e[1], abs(d[2]) - a[2] - e[2])
    if not along_b:
        return far
    d = unrotate(rel.rotation, d)
    e = columns_times(rel.rotation, a)
    return max(far, abs(d[0]) - b[0] - e[0], abs(d[1]) - b[1] - e[1], abs(d[2]) - b[2] - e[2])


@inner
def _least_beside_a(pool, row, bits, j, box, rel, wide, least):
    """The least of `least` and the separations from node j of b of a's lanes that are not in the set `bits`."""
    others = _near_lanes_of_a(pool, row, box, rel, wide, least + wide.lost) & ~bits
    while others != 0:
        first = others & -others
        others ^= first
        least = min(least, separation(pool.tree, pool.wide_node[row, LOWEST[first]], j, rel, wide.loose == 0.0))
    return least


@inner
def _least_beside_b(pool, row, bits, i, box, rel, wide, least):
    """The same of b's lanes from node i of a."""
    others = _near_lanes_of_b(pool, row, i, box, rel, wide, least + wide.lost) & ~bits
    while others != 0:
        first = others & -others
        others ^= first
        least = min(least, separation(pool.tree, i, pool.wide_node[row, LOWEST[first]], rel, wide.loose == 0.0))
    return least


@inner
def gather_leaf_pairs(pool, rel, wide, least, stack, top, pairs):
    """Descend both trees from the pairs of nodes on the stack until it or the room for pairs of leaves is used up.

    pairs (BATCH,3), BATCH >= LEAST_ROOM: leaf of a, leaf of b that may come near within the step. least: below
    zero if nobody asks for it. Returns (number of pairs written, height of the stack, least
    separation of all that was left out). The order of the pairs depends on the trees alone, whatever is left out.
    """
    rows, lanes, count = pool.wide_row, pool.wide_node, np.int64(0)
    while top > 0 and count + LEAST_ROOM <= len(pairs):
        top -= 1
        i, j = stack[top, 0], stack[top, 1]
        row_i, row_j = rows[i], rows[j]
        box = swept_box(pool.tree, j, rel, wide.loose)
        bits = _near_lanes_of_a(pool, row_i, box, rel, wide, wide.margin) if row_i >= 0 else np.int32(1)
        if least >= 0.0 and row_i >= 0:
            least = _least_beside_a(pool, row_i, bits, j, box, rel, wide, least)
        while bits != 0:
            first = bits & -bits
            bits ^= first
            ni = lanes[row_i, LOWEST[first]] if row_i >= 0 else i
            others = _near_lanes_of_b(pool, row_j, ni, box, rel, wide, wide.margin) if row_j >= 0 else np.int32(1)
            if least >= 0.0 and row_j >= 0:
                least = _least_beside_b(pool, row_j, others, ni, box, rel, wide, least)
            while others != 0:
                second = others & -others
                others ^= second
                nj = lanes[row_j, LOWEST[second]] if row_j >= 0 else j
                if rows[ni] < 0 and rows[nj] < 0:
                    pairs[count, 0], pairs[count, 1] = ni, nj
                    count += 1
                else:
                    stack[top, 0], stack[top, 1] = ni, nj
                    top += 1
    return count, top, least


@inner
def keep_near(tree, rel, margin, pairs, count):
    """Keep of pairs of leaves (n,3) those whose boxes meet within the step; return how many are left.

    Rows become: face of a, face of b, 1 if their boxes are near now and not only on the way.
    """
    still, kept = is_still(rel), np.int64(0)
    for q in range(count):
        i, j = pairs[q, 0], pairs[q, 1]
        if not boxes_apart(tree, i, j, rel, margin, still):
            pairs[kept, 0] = np.int32(tree[i, LEAF])
            pairs[kept, 1] = np.int32(tree[j, LEAF])
            pairs[kept, 2] = still or not boxes_apart(tree, i, j, rel, margin, True)
            kept += 1
    return kept


@inner
def gather_face_pairs(pool, rel, wide, margin, stack, top, pairs):
    """`keep_near` of `gather_leaf_pairs`: (number of pairs of faces written, height of the stack)."""
    count, top, _ = gather_leaf_pairs(pool, rel, wide, -1.0, stack, top, pairs)
    return keep_near(pool.tree, rel, margin, pairs, count), top


@inner
def listed_leaf_pairs(leaves, margin, at, pairs):
    """The same as `gather_leaf_pairs` from a complete list.

    Returns (number of pairs written, where to go on in the list).
    """
    nodes = leaves.nodes
    most = np.int64(math.floor(search_reach(leaves, margin) / leaves.unit))
    count = np.int64(0)
    while at < leaves.last and count < len(pairs):
        if nodes[at, 2] <= most:
            pairs[count, 0], pairs[count, 1] = nodes[at, 0], nodes[at, 1]
            count += 1
        at += 1
    return count, at


@inner
def first_leaf_pairs(pair, leaves, margin, stack):
    """Where `next_leaf_pairs` begins: (place in the list if that is complete, else its end; height of the stack)."""
    if search_reach(leaves, margin) <= leaves.complete:
        return np.int64(leaves.first), np.int64(0)
    roots = pair.pool.mesh_int
    stack[0, 0], stack[0, 1] = roots[pair.a, ROOT], roots[pair.b, ROOT]
    return np.int64(leaves.last), np.int64(1)


@inner
def next_leaf_pairs(pair, wide, leaves, margin, at, stack, top, pairs):
    """The next pairs of leaves, from the list or by descent: (number of pairs, place in the list, height of the stack).

    There are more while the place is not the list's end or the stack is not empty.
    """
    if at < leaves.last:
        count, at = listed_leaf_pairs(leaves, margin, at, pairs)
    else:
        count, top, _ = gather_leaf_pairs(pair.pool, pair.rel, wide, -1.0, stack, top, pairs)
    return count, at, top
