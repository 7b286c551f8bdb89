"""Whether a point lies on the surface of a mesh: a ring has no face in the middle of its rim."""

import numpy as np

from ...base.vectors import cross, dot, part, quaternion_rows, sub, unrotate
from ...jit import inner
from .mesh_faces import corners_of
from .mesh_pool import CHILD, LEAF, NORMAL, ROOT, TREE_STACK


@inner
def _is_over(a, b, c, n, p):
    """True if the foot of p in the plane of triangle abc lies in it, or on its rim to rounding."""
    ab, bc, ca = sub(b, a), sub(c, b), sub(a, c)
    first, second, third = dot(cross(ab, sub(p, a)), n), dot(cross(bc, sub(p, b)), n), dot(cross(ca, sub(p, c)), n)
    # Part of a side that is round-off.
    return first >= -1e-9 * dot(ab, ab) and second >= -1e-9 * dot(bc, bc) and third >= -1e-9 * dot(ca, ca)


@inner
def is_on_surface(pool, i, x, q, point, normal, tolerance):
    """True if a face of mesh i (placed at x, q) lies within `tolerance` [m] of a point, across its normal."""
    r = quaternion_rows(q)
    p, n = unrotate(r, sub(point, x)), unrotate(r, normal)
    stack = np.empty(TREE_STACK, dtype=np.int32)
    stack[0] = pool.mesh_int[i, ROOT]
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        d, size = sub(p, part(pool.tree, node, 0)), part(pool.tree, node, 3)
        if abs(d[0]) > size[0] + tolerance or abs(d[1]) > size[1] + tolerance or abs(d[2]) > size[2] + tolerance:
            continue
        child = np.int32(pool.tree[node, CHILD])
        if child >= 0:
            stack[top], stack[top + 1] = child, child + 1
            top += 2
            continue
        f = np.int32(pool.tree[node, LEAF])
        corners, own = corners_of(pool.face_real, f), part(pool.face_real, f, NORMAL)
        # Faces of one plane, either way round, within 2.6 degrees.
        if abs(dot(sub(p, corners[0]), own)) > tolerance or abs(dot(own, n)) < 0.999:
            continue
        if _is_over(corners[0], corners[1], corners[2], own, p):
            return True
    return False
