"""Tandem descent of two bounding trees in relative motion.

Everything is computed in the axes of body a about its frame's origin. Motion within the step is linearised:
a point p fixed to b moves by slide + turn x p relative to a.
"""

from typing import NamedTuple

import numpy as np

from ...base.inlining import inlined
from ...base.vectors import add, cross, norm, part, relative_rotation, rotate, scale, sub, unrotate
from ...jit import inner
from ..surface.mesh_pool import SHEET
from .mesh_features import FAR_CONE, NEAR_CONE

ROUND_OFF = 1e-10  # of lengths


class Relative(NamedTuple):
    """Body b seen from body a: rotation (rows), shift, and the linearised motion within the step.

    turn_b: the turn in the axes of b.
    """

    rotation: tuple
    shift: tuple
    slide: tuple
    turn: tuple
    turn_b: tuple


class MeshPair(NamedTuple):
    """Meshes a and b of a pool (MeshPool): b seen from a (Relative); frame: rotation (rows) and centre of a."""

    pool: NamedTuple
    a: int
    b: int
    rel: Relative
    frame: tuple


class NearLeaves(NamedTuple):
    """Pairs of leaves nodes[first:last] (.,3), in the order of the descent, and when they need a search.

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
def far_cone(pair):
    """Sine of the angle by which a direction may leave the cones of features that are still to meet: as much more than
    NEAR_CONE as b turns in the step, or may be turned by what stops it, its way over the size of the smaller."""
    rel, size = pair.rel, pair.pool.mesh_size
    way = norm(add(rel.slide, cross(rel.turn, rel.shift)))
    return min(FAR_CONE, NEAR_CONE + norm(rel.turn) + way / min(size[pair.a], size[pair.b]))


@inner
def at_rest(rel):
    """The same poses without motion."""
    none = (0.0, 0.0, 0.0)
    return Relative(rel.rotation, rel.shift, none, none, none)


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


@inner
def pair_at_rest(pair):
    """The same pair without motion."""
    return MeshPair(pair.pool, pair.a, pair.b, at_rest(pair.rel), pair.frame)


@inner
def is_sheet(pool, mesh):
    """True if a mesh is open: a sheet without an inside."""
    return pool.mesh_int[mesh, SHEET] > 0


@inner
def is_still(rel):
    """True if b does not move relative to a."""
    return norm(rel.turn) == 0.0 and norm(rel.slide) == 0.0
