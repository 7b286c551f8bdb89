"""Which faces of near leaves can meet within the step, and which of their features: the work that most pairs end with.

Everything is computed in the axes of body a about its centre of mass, see mesh_kernels.py.
"""

import math

import numpy as np

from ...base.inlining import inlined
from ...base.vectors import dot, part, put, rotate
from ...jit import inner
from ..surface.mesh_faces import corners_in, corners_of, heights_over, own_nothing
from ..surface.mesh_pool import DEPTH, LEAF, NORMAL, OWN_EDGES, OWN_VERTICES
from .mesh_traversal import boxes_apart, is_sheet, is_still, motion

PLACED_B = 12  # column of the table of placed faces where b's begins
# Columns of the table of face pairs: only pairs that are near now can overlap; bits of the features that the faces
# own and that may touch the other face: three vertices of b, three of a, three edges of b, three of a.
NEAR_NOW, TOUCHING = 2, 3
EDGES = 6  # the first bit of an edge
ALL_VERTICES, EDGES_OF_B, EDGES_OF_A = 63, 7 << EDGES, 7 << EDGES + 3


@inlined
def _after(heights, n, corners, rel, sign):
    """The same at the end of the step."""
    return (
        heights[0] + dot(n, motion(rel, corners[0], sign)),
        heights[1] + dot(n, motion(rel, corners[1], sign)),
        heights[2] + dot(n, motion(rel, corners[2], sign)),
    )


@inlined
def _beyond_plane(heights, n, corners, rel, sign, beyond, sheet, deep):
    """True if all corners are further than `beyond` over a plane, now and at the end of the step, or deeper under it
    than `deep`; for a sheet, further than `beyond` on either side."""
    low, high = min(heights[0], heights[1], heights[2]), max(heights[0], heights[1], heights[2])
    if low > beyond:
        later = _after(heights, n, corners, rel, sign)
        return min(later[0], later[1], later[2]) > beyond
    if sheet and high < -beyond:
        later = _after(heights, n, corners, rel, sign)
        return max(later[0], later[1], later[2]) < -beyond
    return high < -deep


@inlined
def _may_touch(height, n, corner, rel, sign, depth, margin):
    """1 if a corner may touch the face whose plane it is `height` over: see `vertex_and_face`."""
    if height < -margin and height < -depth:
        return 0
    return 1 if height <= margin or height + dot(n, motion(rel, corner, sign)) <= margin else 0


@inlined
def _touching(heights, n, corners, rel, sign, depth, margin):
    """Bits of the corners that may touch the face whose plane they are so high over."""
    first = _may_touch(heights[0], n, corners[0], rel, sign, depth, margin)
    second = _may_touch(heights[1], n, corners[1], rel, sign, depth, margin)
    return first | second << 1 | _may_touch(heights[2], n, corners[2], rel, sign, depth, margin) << 2


@inlined
def _reaching(heights, reach):
    """Bits of a face's edges (k: corner k to k + 1) without those of which both ends are above `reach` over a plane."""
    low0, low1, low2 = heights[0] <= reach, heights[1] <= reach, heights[2] <= reach
    return (low0 | low1) | (low1 | low2) << 1 | (low2 | low0) << 2


@inlined
def _owned(ints, f, first):
    """Bits of the vertices or edges, from column `first` on, that face f owns."""
    return (ints[f, first] >= 0) | (ints[f, first + 1] >= 0) << 1 | (ints[f, first + 2] >= 0) << 2


@inner
def place_faces(pair, tables, count, margin, near, reach):
    """Bring the faces of pairs of leaves to common axes and drop those that cannot meet.

    Dropped are pairs whose boxes do not meet within the step, those of which one lies wholly beyond the plane of the
    other, and those that own nothing. A solid may be through a sheet from either side, as deep as overlaps are
    searched for: `near` [m]; reach [m]: the margin and how far b may move. Rows of pairs become: face of a, face of b,
    1 if their boxes are near now and not only on the way, and which features may touch the other face. tables: see
    `search_tables`; the last one gets corners and normal of a's face, of b's face. Returns the number of pairs that are
    left.
    """
    pool, rel = pair.pool, pair.rel
    _, pairs, placed = tables
    sheet_a, sheet_b = is_sheet(pool, pair.a), is_sheet(pool, pair.b)
    tree, face_real, ints = pool.tree, pool.face_real, pool.face_int
    beyond_a, beyond_b = max(margin, near) if sheet_a else margin, max(margin, near) if sheet_b else margin
    still, kept = is_still(rel), np.int64(0)
    for q in range(count):
        i, j = pairs[q, 0], pairs[q, 1]
        fa, fb = np.int32(tree[i, LEAF]), np.int32(tree[j, LEAF])
        if own_nothing(ints, fa, fb):
            continue
        a, b = corners_of(face_real, fa), corners_in(face_real, fb, rel)
        na, nb = part(face_real, fa, NORMAL), rotate(rel.rotation, part(face_real, fb, NORMAL))
        depth_a, depth_b = face_real[fa, DEPTH], face_real[fb, DEPTH]
        deep = math.inf if sheet_a or sheet_b else max(depth_a, depth_b, margin)
        over_a = heights_over(na, a[0], b)
        if _beyond_plane(over_a, na, b, rel, 1.0, beyond_a, sheet_a, deep):
            continue
        over_b = heights_over(nb, b[0], a)
        if _beyond_plane(over_b, nb, a, rel, -1.0, beyond_b, sheet_b, deep):
            continue
        if boxes_apart(tree, i, j, rel, near, still):
            continue
        near_now = 1 if still or not boxes_apart(tree, i, j, rel, near, True) else 0
        features = _owned(ints, fb, OWN_VERTICES) | _owned(ints, fa, OWN_VERTICES) << 3
        features |= _owned(ints, fb, OWN_EDGES) << EDGES | _owned(ints, fa, OWN_EDGES) << EDGES + 3
        if not (sheet_a or sheet_b):
            touching = _touching(over_a, na, b, rel, 1.0, near_now * depth_a, margin)
            touching |= _touching(over_b, nb, a, rel, -1.0, near_now * depth_b, margin) << 3
            features &= touching | _reaching(over_a, reach) << EDGES | _reaching(over_b, reach) << EDGES + 3
        if features & EDGES_OF_B == 0 or features & EDGES_OF_A == 0:
            features &= ALL_VERTICES
            if features == 0:
                continue
        pairs[kept, 0], pairs[kept, 1], pairs[kept, NEAR_NOW], pairs[kept, TOUCHING] = fa, fb, near_now, features
        for k in range(12):
            placed[kept, k] = face_real[fa, k]
        put(placed, kept, PLACED_B, b[0])
        put(placed, kept, PLACED_B + 3, b[1])
        put(placed, kept, PLACED_B + 6, b[2])
        put(placed, kept, PLACED_B + NORMAL, nb)
        kept += 1
    return kept
