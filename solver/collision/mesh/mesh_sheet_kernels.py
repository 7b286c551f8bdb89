"""Whether two open surfaces go through each other: which side of a sheet a feature came from, nothing near it tells."""

import numpy as np

from ...jit import inner
from ...meshes.winding_kernels import pierces
from ..surface.mesh_faces import corners_in, corners_of
from ..surface.mesh_pool import ROOT
from .mesh_descent import gather_face_pairs, wide_search
from .mesh_output import keep_unhidden
from .mesh_traversal import at_rest


@inner
def _faces_cross(a, b, slack):
    """True if an edge of one of two triangles goes through the other."""
    for k in range(3):
        if pierces(a[k], a[(k + 1) % 3], b[0], b[1], b[2], -slack):
            return True
        if pierces(b[k], b[(k + 1) % 3], a[0], a[1], a[2], -slack):
            return True
    return False


@inner
def surfaces_cross(pair, slack, tables):
    """True if the surfaces of a MeshPair go through each other now, or come within about `slack` [m] of it; tables:
    work space."""
    pool, rel, still = pair.pool, pair.rel, at_rest(pair.rel)
    stack, pairs = tables[0], tables[1]
    stack[0, 0], stack[0, 1] = pool.mesh_int[pair.a, ROOT], pool.mesh_int[pair.b, ROOT]
    wide, top = wide_search(pool, pair.a, pair.b, still, slack, True), np.int64(1)
    while top > 0:
        found, top = gather_face_pairs(pool, still, wide, slack, stack, top, pairs)
        for q in range(found):
            a, b = corners_of(pool.face_real, pairs[q, 0]), corners_in(pool.face_real, pairs[q, 1], rel)
            if _faces_cross(a, b, slack):
                return True
    return False


@inner
def drop_unsupported(pair, margin, tables, out, count):
    """Drop the overlaps of two sheets that cross nowhere: they lie next to each other. Returns how many are left."""
    hidden = np.zeros(count, dtype=np.bool_)
    for k in range(count):
        # Less overlap is kept without asking.
        hidden[k] = out.gap[k] < -1e-6 * margin
    # Surfaces this near cross.
    if not hidden.any() or surfaces_cross(pair, 1e-9 * margin, tables):
        return count
    return keep_unhidden(out, count, hidden)
