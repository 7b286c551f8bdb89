"""Lists of the pairs of leaves that are near each other now, each with how far apart it is."""

import math

import numpy as np

from ...base.inlining import inlined
from ...base.vectors import part, rotate
from ...jit import inner
from ..surface.mesh_faces import corners_in, corners_of, heights_over
from ..surface.mesh_pool import DEPTH, LEAF, NORMAL, ROOT
from .mesh_descent import LEAST_ROOM, gather_leaf_pairs, separation, wide_search
from .mesh_traversal import at_rest, is_sheet

UNITS = 256  # in the search distance


@inlined
def _plane_separation(face, fa, fb, rel, near, sheet_a, sheet_b, both):
    """How far the faces' corners lie beyond what their planes let touch: a distance like that of their boxes.

    Above a plane, or under it deeper than features behind it count. both: the plane of b may be asked, too.
    """
    a, b = corners_of(face, fa), corners_in(face, fb, rel)
    deep = max(face[fa, DEPTH], face[fb, DEPTH], near) - near
    heights = heights_over(part(face, fa, NORMAL), a[0], b)
    high, far = max(heights), min(heights)
    if sheet_a or not sheet_b:
        far = max(far, -high if sheet_a else -high - deep)
    if both:
        heights = heights_over(rotate(rel.rotation, part(face, fb, NORMAL)), b[0], a)
        high, far = max(heights), max(far, min(heights))
        if sheet_b or not sheet_a:
            far = max(far, -high if sheet_b else -high - deep)
    return far


@inner
def list_near_leaves(pair, near, margin, along_b, tables, nodes, used, most):
    """Write the pairs of leaves of a MeshPair now within the margin to nodes[used:], with their separation in units,
    of which the search distance has UNITS.

    near: the search distance whose depth of overlap counts; along_b: axes of b may be asked, too. Returns (end of the
    list, also if there was no room for it; least separation of all that is not in the list, at most 1e3 margins).
    The search is given up where more than `most` are in it.
    """
    pool, rel, stack, pairs = pair.pool, at_rest(pair.rel), tables[0], tables[1]
    sheet_a, sheet_b = is_sheet(pool, pair.a), is_sheet(pool, pair.b)
    wide = wide_search(pool, pair.a, pair.b, rel, margin, along_b)
    stack[0, 0], stack[0, 1] = pool.mesh_int[pair.a, ROOT], pool.mesh_int[pair.b, ROOT]
    # Separations above a thousand margins are not measured.
    least, top, unit, end = 1e3 * margin, np.int64(1), near / UNITS, used + most
    while top > 0 and used <= end:
        count, top, least = gather_leaf_pairs(pool, rel, wide, least, stack, top, pairs)
        for q in range(count):
            i, j = pairs[q, 0], pairs[q, 1]
            far = separation(pool.tree, i, j, rel, along_b)
            if far <= margin:
                fa, fb = np.int32(pool.tree[i, LEAF]), np.int32(pool.tree[j, LEAF])
                far = max(far, _plane_separation(pool.face_real, fa, fb, rel, near, sheet_a, sheet_b, along_b))
            if far > margin:
                least = min(least, far)
                continue
            if used < len(nodes):
                nodes[used, 0], nodes[used, 1], nodes[used, 2] = i, j, np.int32(math.floor(max(far, 0.0) / unit))
            used += 1
    return used, least


@inner
def are_far(pair, margin, along_b, tables):
    """True if no boxes of leaves are now within the margin; along_b: axes of b may be asked, too."""
    # With room for one test of two wide nodes the search ends at the first leaves it finds.
    stack, pairs = tables[0], tables[1][:LEAST_ROOM]
    pool, rel = pair.pool, at_rest(pair.rel)
    wide = wide_search(pool, pair.a, pair.b, rel, margin, along_b)
    stack[0, 0], stack[0, 1] = pool.mesh_int[pair.a, ROOT], pool.mesh_int[pair.b, ROOT]
    top = np.int64(1)
    while top > 0:
        count, top, _ = gather_leaf_pairs(pool, rel, wide, -1.0, stack, top, pairs)
        for q in range(count):
            if separation(pool.tree, pairs[q, 0], pairs[q, 1], rel, along_b) <= margin:
                return False
    return True
