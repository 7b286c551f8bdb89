"""Is a point inside a closed mesh of the pool: one ray to the nearest face."""

import numpy as np

from ..jit import inner
from .mesh_build_kernels import _guarded_inverse, _ray_misses_box, _ray_triangle
from .mesh_pool import CHILD, CORNERS, LEAF, NORMAL, ROOT
from .mesh_vectors import dot, part

GRAZING = -0.06  # cosine: a face passed at least this flatly counts as one to leave by


@inner
def is_inside(pool, mesh, p, direction):
    """True if the first face a ray from p (axes of the mesh) along a unit direction meets is passed outward."""
    tree, face = pool.tree, pool.face_real
    inverse = (_guarded_inverse(direction[0]), _guarded_inverse(direction[1]), _guarded_inverse(direction[2]))
    nearest, outward = np.inf, -1.0
    stack = np.empty(128, dtype=np.int32)
    stack[0] = pool.mesh_int[mesh, ROOT]
    top = np.int64(1)
    while top > 0:
        top -= 1
        node = stack[top]
        if _ray_misses_box(tree, node, p, inverse, nearest):
            continue
        child = np.int32(tree[node, CHILD])
        if child >= 0:
            stack[top] = child
            stack[top + 1] = child + 1
            top += 2
            continue
        f = np.int32(tree[node, LEAF])
        t = _ray_triangle(
            p, direction, part(face, f, CORNERS), part(face, f, CORNERS + 3), part(face, f, CORNERS + 6)
        )
        if 0.0 <= t < nearest:
            nearest, outward = t, dot(part(face, f, NORMAL), direction)
    return outward > GRAZING
