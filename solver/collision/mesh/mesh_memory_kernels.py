"""What is remembered of a pair of meshes: which leaves of the two trees are near each other.

The pairs of leaves whose boxes were within some distance at an earlier pose hold all that can touch as long as the
pose has changed, and the motion within the step is, by less than what that distance exceeds the present search by.
Then the trees need not be descended, and where the list is empty the pair needs no search at all. The list is only
filtered by the very test that ends a descent, so a remembered pair gives the same bits as a fresh one.
"""

import math
from typing import NamedTuple

import numpy as np

from ...base.vectors import norm, part, put, sub
from ...jit import inner, kernel
from .mesh_list_kernels import UNITS, are_far, list_near_leaves
from .mesh_traversal import ROUND_OFF, NearLeaves, motion_bound

# Columns of pose: rotation by rows and shift of b in the axes of a, distance up to which the list is complete, unit of
# distances in the list, 1 if the pair touched, or has too many leaves for a list worth having, how far was
# searched last.
ROTATION, SHIFT, COMPLETE, UNIT, CLOSE, SEARCHED, COLUMNS = 0, 9, 12, 13, 14, 15, 16
REACH, LARGEST_LEAF = 0, 1  # columns of MeshPool.leaf_size
# A list covers this many steps of the present motion, but at least so many search distances; it has at most so
# many pairs of leaves. A pair that moves further than SLOW search distances a step has none: it would cross its margin
# before the list pays. But if it did not touch, it is tested whether it may be left alone for FAR_AHEAD such steps.
AHEAD, LEAST_AHEAD, MOST_LEAVES, SLOW, FAR_AHEAD = 3.0, 0.5, 4096, 0.3, 6.0


class Remembered(NamedTuple):
    """For each of P pairs of colliders: pose (P,16), and its leaves nodes[start[p]:start[p + 1]]; start (P+1,)."""

    pose: np.ndarray
    start: np.ndarray
    nodes: np.ndarray


@inner
def _axes_of_b(pair):
    """True if leaves of a are so small compared with b that the axes of b are worth a test: turns move them little."""
    size = pair.pool.leaf_size
    return size[pair.a, LARGEST_LEAF] <= 0.5 * size[pair.b, REACH]


@inner
def leaves_of(pair, pose, k, nodes, first, last):
    """NearLeaves of list k for the present poses and motion."""
    size, rel = pair.pool.leaf_size, pair.rel
    turned, moved = 0.0, sub(rel.shift, part(pose, k, SHIFT))
    for i in range(3):
        change = sub(rel.rotation[i], part(pose, k, ROTATION + 3 * i))
        turned += change[0] * change[0] + change[1] * change[1] + change[2] * change[2]
    # Twice the sine of half the angle: how far the turn moves a point at distance one from its axis.
    turned = math.sqrt(0.5 * turned)
    reach = size[pair.b, REACH]
    step = motion_bound(rel, reach)
    factor = 1.0
    if _axes_of_b(pair):
        # Seen from b, leaves of a move, too: they are within the search distance of b's.
        reach += 2.0 * size[pair.a, LARGEST_LEAF] + step
        factor += 2.0 * turned
    spent = norm(moved) + turned * reach + step + ROUND_OFF * (reach + norm(rel.shift))
    return NearLeaves(nodes, first, last, pose[k, COMPLETE], pose[k, UNIT], spent, factor)


@inner
def _with_room(nodes, used, needed):
    """The table with room for `needed` rows; the first `used` are kept."""
    if needed <= len(nodes):
        return nodes
    larger = np.empty((2 * needed, 3), np.int32)
    larger[:used] = nodes[:used]
    return larger


@inner
def keep_list(old, k, pose, row, nodes, used):
    """Take list k over into row `row`; returns (nodes, how many are used)."""
    first, last = old.start[k], old.start[k + 1]
    nodes = _with_room(nodes, used, used + last - first)
    for q in range(first, last):
        for c in range(3):
            nodes[used + q - first, c] = old.nodes[q, c]
    for c in range(COLUMNS):
        pose[row, c] = old.pose[k, c]
    return nodes, used + last - first


@inner
def _note_pose(pose, row, rel, complete):
    """Write where the bodies are and up to which distance [m] the list of row `row` is complete."""
    for i in range(3):
        put(pose, row, ROTATION + 3 * i, rel.rotation[i])
    put(pose, row, SHIFT, rel.shift)
    pose[row, COMPLETE] = complete


@inner
def make_list(pair, distances, was_close, tables, pose, row, nodes, used):
    """List the leaves that may meet in the next steps in row `row`; returns (nodes, how many are used).

    distances: that of this search, and the one that the pair's deepest overlap will ask for.
    """
    (near, wide), rel = distances, pair.rel
    pose[row, COMPLETE] = -math.inf
    pose[row, CLOSE], pose[row, UNIT] = 0.0, near / UNITS
    step, along_b = motion_bound(rel, pair.pool.leaf_size[pair.b, REACH]), _axes_of_b(pair)
    if step > SLOW * near:
        margin = wide + (1.0 + FAR_AHEAD) * step
        if not was_close and are_far(pair, margin, along_b, tables):
            _note_pose(pose, row, rel, margin)
        return nodes, used
    ahead = AHEAD * step if not was_close else 0.0
    margin = wide + step + max(ahead, LEAST_AHEAD * near)
    end, least = list_near_leaves(pair, near, margin, along_b, tables, nodes, used, MOST_LEAVES)
    if end > used + MOST_LEAVES:
        pose[row, CLOSE] = 1.0
        return nodes, used
    if end > len(nodes):
        nodes = _with_room(nodes, used, end)
        end, least = list_near_leaves(pair, near, margin, along_b, tables, nodes, used, MOST_LEAVES)
    _note_pose(pose, row, rel, least)
    return nodes, end


@kernel
def find_pairs(pairs, earlier, body):
    """Row (P,) of each pair among earlier ones, -1 if it is not there; all in the order of bodies, then colliders."""
    known = np.full(len(pairs), -1, np.int64)
    k = 0
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        while k < len(earlier):
            ei, ej = earlier[k, 0], earlier[k, 1]
            if (body[ei], body[ej], ei, ej) >= (body[i], body[j], i, j):
                break
            k += 1
        if k < len(earlier) and earlier[k, 0] == i and earlier[k, 1] == j:
            known[p] = k
    return known
