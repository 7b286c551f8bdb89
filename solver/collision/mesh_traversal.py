"""Tandem descent of two bounding trees in relative motion.

Everything is computed in the axes of body a about its frame's origin. Motion within the step is linearised:
a point p fixed to b moves by slide + turn x p relative to a.
"""

import math
from typing import NamedTuple

import numpy as np

from ..jit import inner
from .mesh_pool import CHILD, LEAF
from .mesh_vectors import add, cross, norm, part, relative_rotation, rotate, scale, sub, unrotate

STACK = 256  # two trees of 2^31 leaves halved at the median need no more than 128


class Relative(NamedTuple):
    """Body b seen from body a: rotation (rows), shift, and the linearised motion within the step."""

    rotation: tuple
    shift: tuple
    slide: tuple
    turn: tuple


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
    return Relative(relative_rotation(ra, rb), shift, sub(travel, cross(turn_b, shift)), sub(turn_b, turn_a))


@inner
def boxes_apart(tree, i, j, rel, margin, spin):
    """True if node j of b, swept by its motion, stays further than the margin from node i of a (six face axes)."""
    (r00, r01, r02), (r10, r11, r12), (r20, r21, r22) = rel.rotation
    ax, ay, az = tree[i, 3], tree[i, 4], tree[i, 5]
    bx, by, bz = tree[j, 3], tree[j, 4], tree[j, 5]
    center = add(rotate(rel.rotation, part(tree, j, 0)), rel.shift)
    half = scale(add(rel.slide, cross(rel.turn, center)), 0.5)
    reach = margin if spin == 0.0 else margin + spin * math.sqrt(bx * bx + by * by + bz * bz)
    d = sub(add(center, half), part(tree, i, 0))
    if abs(d[0]) > ax + abs(r00) * bx + abs(r01) * by + abs(r02) * bz + abs(half[0]) + reach:
        return True
    if abs(d[1]) > ay + abs(r10) * bx + abs(r11) * by + abs(r12) * bz + abs(half[1]) + reach:
        return True
    if abs(d[2]) > az + abs(r20) * bx + abs(r21) * by + abs(r22) * bz + abs(half[2]) + reach:
        return True
    db = unrotate(rel.rotation, d)
    sweep = unrotate(rel.rotation, half)
    if abs(db[0]) > bx + abs(r00) * ax + abs(r10) * ay + abs(r20) * az + abs(sweep[0]) + reach:
        return True
    if abs(db[1]) > by + abs(r01) * ax + abs(r11) * ay + abs(r21) * az + abs(sweep[1]) + reach:
        return True
    return abs(db[2]) > bz + abs(r02) * ax + abs(r12) * ay + abs(r22) * az + abs(sweep[2]) + reach


@inner
def _half_sum(tree, i):
    return tree[i, 3] + tree[i, 4] + tree[i, 5]


@inner
def gather_face_pairs(tree, rel, margin, stack, top, pairs):
    """Descend both trees from the pairs of nodes on the stack until it or the room for face pairs is used up.

    pairs (BATCH,3): face of a, face of b, 1 if their boxes are near now and not only on the way. Returns (number
    of face pairs written, height of the stack).
    """
    spin = norm(rel.turn)
    zero = (0.0, 0.0, 0.0)
    still = spin == 0.0 and norm(rel.slide) == 0.0
    at_rest = Relative(rel.rotation, rel.shift, zero, zero)
    count = np.int64(0)
    while top > 0 and count < len(pairs):
        top -= 1
        i, j = stack[top, 0], stack[top, 1]
        if boxes_apart(tree, i, j, rel, margin, spin):
            continue
        child_i, child_j = np.int32(tree[i, CHILD]), np.int32(tree[j, CHILD])
        if child_i < 0 and child_j < 0:
            pairs[count, 0] = np.int32(tree[i, LEAF])
            pairs[count, 1] = np.int32(tree[j, LEAF])
            pairs[count, 2] = still or not boxes_apart(tree, i, j, at_rest, margin, 0.0)
            count += 1
        elif child_j < 0 or (child_i >= 0 and _half_sum(tree, i) >= _half_sum(tree, j)):
            stack[top, 0], stack[top, 1] = child_i + 1, j
            stack[top + 1, 0], stack[top + 1, 1] = child_i, j
            top += 2
        else:
            stack[top, 0], stack[top, 1] = i, child_j + 1
            stack[top + 1, 0], stack[top + 1, 1] = i, child_j
            top += 2
    return count, top
