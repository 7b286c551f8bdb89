"""Tandem descent of two bounding trees in relative motion.

Everything is computed in the axes of body a about its frame's origin. Motion within the step is linearised:
a point p fixed to b moves by slide + turn x p relative to a.
"""

import math
from typing import NamedTuple

import numpy as np

from ..jit import inner
from .inlining import inlined
from .mesh_pool import CHILD, CORNERS, DEPTH, LEAF, NORMAL
from .mesh_vectors import add, cross, dot, norm, part, relative_rotation, rotate, scale, sub, unrotate

ROUND_OFF = 1e-10  # of lengths
STACK = 256  # two trees of 2^31 leaves halved at the median need no more than 128


class Relative(NamedTuple):
    """Body b seen from body a: rotation (rows), shift, and the linearised motion within the step.

    turn_b: the turn in the axes of b.
    """

    rotation: tuple
    shift: tuple
    slide: tuple
    turn: tuple
    turn_b: tuple


class NearLeaves(NamedTuple):
    """Pairs of leaves nodes[first:last] (.,3), in the order of the descent, and when they need a look.

    A search up to `near` [m] needs those whose third number times `unit` is not above `search_reach`; the list
    holds all of these if that is not above `complete` (below zero: no list).
    """

    nodes: np.ndarray
    first: int
    last: int
    complete: float
    unit: float
    spent: float
    factor: float


@inner
def search_reach(leaves, near):
    """How far apart leaves may have been when they were listed, to meet in a search up to `near` now."""
    return near * leaves.factor + leaves.spent


@inner
def motion(rel, p, sign):
    """Displacement of a point p of body b relative to a within the step, or with sign -1 the reverse."""
    return scale(add(rel.slide, cross(rel.turn, p)), sign)


@inner
def relative_motion(xa, ra, ua, xb, rb, ub, h):
    """Relative pose and motion of b in the axes of a, from positions, rotations (rows) and twists (world)."""
    shift = unrotate(ra, (xb[0] - xa[0], xb[1] - xa[1], xb[2] - xa[2]))
    turn_b = unrotate(ra, (h * ub[3], h * ub[4], h * ub[5]))
    turn_a = unrotate(ra, (h * ua[3], h * ua[4], h * ua[5]))
    travel = unrotate(ra, (h * (ub[0] - ua[0]), h * (ub[1] - ua[1]), h * (ub[2] - ua[2])))
    rotation, turn = relative_rotation(ra, rb), sub(turn_b, turn_a)
    return Relative(rotation, shift, sub(travel, cross(turn_b, shift)), turn, unrotate(rotation, turn))


@inner
def motion_bound(rel, reach):
    """Most that a point of b moves within the step relative to a; reach: how far b reaches from its centre of mass."""
    return norm(motion(rel, rel.shift, 1.0)) + norm(rel.turn) * reach


@inlined
def turned_about(turn, half):
    """By how much the half sizes of a box grow at most when all its points q move by turn x q."""
    tx, ty, tz = abs(turn[0]), abs(turn[1]), abs(turn[2])
    return (ty * half[2] + tz * half[1], tx * half[2] + tz * half[0], tx * half[1] + ty * half[0])


@inlined
def rows_times(r, a):
    """Absolute rows of r times a."""
    return (
        abs(r[0][0]) * a[0] + abs(r[0][1]) * a[1] + abs(r[0][2]) * a[2],
        abs(r[1][0]) * a[0] + abs(r[1][1]) * a[1] + abs(r[1][2]) * a[2],
        abs(r[2][0]) * a[0] + abs(r[2][1]) * a[1] + abs(r[2][2]) * a[2],
    )


@inlined
def columns_times(r, a):
    """Absolute columns of r times a."""
    return (
        abs(r[0][0]) * a[0] + abs(r[1][0]) * a[1] + abs(r[2][0]) * a[2],
        abs(r[0][1]) * a[0] + abs(r[1][1]) * a[1] + abs(r[2][1]) * a[2],
        abs(r[0][2]) * a[0] + abs(r[1][2]) * a[1] + abs(r[2][2]) * a[2],
    )


@inlined
def boxes_apart(tree, i, j, rel, margin, still):
    """True if node j of b, swept by its motion, stays further than the margin from node i of a (six face axes).

    The bound of a node holds the bounds of its children: a pair of nodes apart has no pair of leaves that is not.
    """
    a, b = part(tree, i, 3), part(tree, j, 3)
    center = add(rotate(rel.rotation, part(tree, j, 0)), rel.shift)
    d = sub(center, part(tree, i, 0))
    e = rows_times(rel.rotation, b)
    if still:
        if abs(d[0]) > a[0] + e[0] + margin or abs(d[1]) > a[1] + e[1] + margin or abs(d[2]) > a[2] + e[2] + margin:
            return True
        d = unrotate(rel.rotation, d)
        e = columns_times(rel.rotation, a)
        return abs(d[0]) > b[0] + e[0] + margin or abs(d[1]) > b[1] + e[1] + margin or abs(d[2]) > b[2] + e[2] + margin
    half = scale(add(rel.slide, cross(rel.turn, center)), 0.5)
    d = add(d, half)
    grown = turned_about(rel.turn, e)
    if (
        abs(d[0]) > a[0] + e[0] + abs(half[0]) + grown[0] + margin
        or abs(d[1]) > a[1] + e[1] + abs(half[1]) + grown[1] + margin
        or abs(d[2]) > a[2] + e[2] + abs(half[2]) + grown[2] + margin
    ):
        return True
    d = unrotate(rel.rotation, d)
    e = columns_times(rel.rotation, a)
    half = unrotate(rel.rotation, half)
    grown = turned_about(rel.turn_b, b)
    return (
        abs(d[0]) > b[0] + e[0] + abs(half[0]) + grown[0] + margin
        or abs(d[1]) > b[1] + e[1] + abs(half[1]) + grown[1] + margin
        or abs(d[2]) > b[2] + e[2] + abs(half[2]) + grown[2] + margin
    )


@inlined
def _half_sum(tree, i):
    return tree[i, 3] + tree[i, 4] + tree[i, 5]


@inlined
def _descend(tree, i, j, stack, top):
    """Replace the pair of nodes just taken from the stack by its children; return the new height.

    Which node is opened depends on the trees alone, so face pairs come in one order, whatever is left out.
    """
    child_i, child_j = np.int32(tree[i, CHILD]), np.int32(tree[j, CHILD])
    if child_j < 0 or (child_i >= 0 and _half_sum(tree, i) >= _half_sum(tree, j)):
        stack[top, 0], stack[top, 1] = child_i + 1, j
        stack[top + 1, 0], stack[top + 1, 1] = child_i, j
    else:
        stack[top, 0], stack[top, 1] = i, child_j + 1
        stack[top + 1, 0], stack[top + 1, 1] = i, child_j
    return top + 2


@inlined
def _are_leaves(tree, i, j):
    return tree[i, CHILD] < 0.0 and tree[j, CHILD] < 0.0


@inlined
def _keep_if_near(tree, i, j, rel, margin, still, pairs, count):
    """Write the faces of two leaves if their boxes meet within the step; return the new count."""
    if boxes_apart(tree, i, j, rel, margin, still):
        return count
    pairs[count, 0] = np.int32(tree[i, LEAF])
    pairs[count, 1] = np.int32(tree[j, LEAF])
    pairs[count, 2] = still or not boxes_apart(tree, i, j, rel, margin, True)
    return count + 1


@inner
def is_still(rel):
    """True if b does not move relative to a."""
    return norm(rel.turn) == 0.0 and norm(rel.slide) == 0.0


@inner
def gather_face_pairs(tree, rel, margin, stack, top, pairs):
    """Descend both trees from the pairs of nodes on the stack until it or the room for face pairs is used up.

    pairs (BATCH,3): face of a, face of b, 1 if their boxes are near now and not only on the way. Returns (number
    of face pairs written, height of the stack).
    """
    still = is_still(rel)
    # Round-off must not hide a leaf behind its parents.
    wide = margin + ROUND_OFF * (margin + norm(rel.shift))
    count = np.int64(0)
    while top > 0 and count < len(pairs):
        top -= 1
        i, j = stack[top, 0], stack[top, 1]
        if _are_leaves(tree, i, j):
            count = _keep_if_near(tree, i, j, rel, margin, still, pairs, count)
        elif not boxes_apart(tree, i, j, rel, wide, still):
            top = _descend(tree, i, j, stack, top)
    return count, top


@inner
def gather_listed_pairs(tree, rel, margin, leaves, at, pairs):
    """The same as `gather_face_pairs` from a complete list.

    Returns (number of face pairs written, where to go on in the list).
    """
    still, nodes = is_still(rel), leaves.nodes
    most = np.int64(math.floor(search_reach(leaves, margin) / leaves.unit))
    count = np.int64(0)
    while at < leaves.last and count < len(pairs):
        if nodes[at, 2] <= most:
            count = _keep_if_near(tree, nodes[at, 0], nodes[at, 1], rel, margin, still, pairs, count)
        at += 1
    return count, at


@inlined
def _separation(tree, i, j, rel, enough, both):
    """How far apart the boxes of two nodes are now along an axis of a or, if `both`, of b; stops where it is enough."""
    a, b = part(tree, i, 3), part(tree, j, 3)
    d = sub(add(rotate(rel.rotation, part(tree, j, 0)), rel.shift), part(tree, i, 0))
    e = rows_times(rel.rotation, b)
    far = max(abs(d[0]) - a[0] - e[0], abs(d[1]) - a[1] - e[1], abs(d[2]) - a[2] - e[2])
    if far > enough or not both:
        return far
    d = unrotate(rel.rotation, d)
    e = columns_times(rel.rotation, a)
    return max(far, abs(d[0]) - b[0] - e[0], abs(d[1]) - b[1] - e[1], abs(d[2]) - b[2] - e[2])


@inlined
def _highest_and_lowest(n, base, corners):
    d0, d1, d2 = dot(n, sub(corners[0], base)), dot(n, sub(corners[1], base)), dot(n, sub(corners[2], base))
    return max(d0, d1, d2), min(d0, d1, d2)


@inlined
def _plane_separation(face, fa, fb, rel, near, sheet_a, sheet_b, both):
    """How far the faces' corners lie beyond what their planes let touch: a distance like that of their boxes.

    Above a plane, or under it deeper than features behind it count. both: the plane of b may be asked, too.
    """
    a = (part(face, fa, CORNERS), part(face, fa, CORNERS + 3), part(face, fa, CORNERS + 6))
    b = (
        add(rotate(rel.rotation, part(face, fb, CORNERS)), rel.shift),
        add(rotate(rel.rotation, part(face, fb, CORNERS + 3)), rel.shift),
        add(rotate(rel.rotation, part(face, fb, CORNERS + 6)), rel.shift),
    )
    deep = max(face[fa, DEPTH], face[fb, DEPTH], near) - near
    high, low = _highest_and_lowest(part(face, fa, NORMAL), a[0], b)
    far = low
    if sheet_a or not sheet_b:
        far = max(far, -high if sheet_a else -high - deep)
    if both:
        high, low = _highest_and_lowest(rotate(rel.rotation, part(face, fb, NORMAL)), b[0], a)
        far = max(far, low)
        if sheet_b or not sheet_a:
            far = max(far, -high if sheet_b else -high - deep)
    return far


@inner
def list_near_leaves(tree, face, rel, near, margin, unit, sheet_a, sheet_b, both, stack, nodes, used, end):
    """Write the pairs of leaves now within the margin to nodes[used:], with their separation in units.

    near: the search distance whose depth of overlap counts. The pair of nodes to begin with is on the stack. Returns
    (end of the list, also if there was no room for it; least separation of all that is not in the list). The
    search is given up where the list passes `end`.
    """
    least, top = math.inf, np.int64(1)
    wide = margin + ROUND_OFF * (margin + norm(rel.shift))
    while top > 0 and used <= end:
        top -= 1
        i, j = stack[top, 0], stack[top, 1]
        far = _separation(tree, i, j, rel, wide, both)
        if far <= wide:
            if not _are_leaves(tree, i, j):
                top = _descend(tree, i, j, stack, top)
                continue
            fa, fb = np.int32(tree[i, LEAF]), np.int32(tree[j, LEAF])
            far = max(far, _plane_separation(face, fa, fb, rel, near, sheet_a, sheet_b, both))
        if far > wide:
            least = min(least, far)
            continue
        if used < len(nodes):
            nodes[used, 0], nodes[used, 1], nodes[used, 2] = i, j, np.int32(math.floor(max(far, 0.0) / unit))
        used += 1
    return used, least
