"""Whether a point is inside the surface of a mesh, by its winding number."""

import math

import numpy as np

from ...base.vectors import cross, dot, sub
from ...jit import inner
from ...meshes.winding_kernels import half_solid_angle
from ..surface.mesh_faces import corners_of
from ..surface.mesh_pool import CHILD, LEAF, ROOT
from .mesh_traversal import ROUND_OFF, is_sheet

# Directions of rays, along no axis, plane or diagonal that meshes are built on; the next where one meets an edge.
RAYS = ((0.5628315, 0.3971864, 0.7249173), (-0.7481923, 0.6153927, 0.2483619), (0.2719365, -0.8314759, 0.4844713))
MISSES, MEETS, UNKNOWN = 0, 1, 2


@inner
def ray_passes(tree, node, p, d):
    """Whether the ray from p along d passes the box of a tree's node."""
    first, last = 0.0, math.inf
    for i in range(3):
        middle, half = (tree[node, i] - p[i]) / d[i], abs(tree[node, 3 + i] / d[i])
        # Boxes hold their faces to rounding.
        slack = 1e-12 * (abs(middle) + half)
        first, last = max(first, middle - half - slack), min(last, middle + half + slack)
    return first <= last


@inner
def ray_meets(p, d, corners):
    """(MISSES, MEETS or UNKNOWN; 1 where the ray from p along d leaves through the triangle, -1 where it enters)."""
    a, b, c = sub(corners[0], p), sub(corners[1], p), sub(corners[2], p)
    ab, bc, ca = cross(a, b), cross(b, c), cross(c, a)
    u, v, w = dot(d, bc), dot(d, ca), dot(d, ab)
    size = math.sqrt(max(dot(a, a), dot(b, b), dot(c, c)))
    # Nearer to zero a product tells nothing: the ray meets an edge or a corner, as far as rounding goes.
    least = ROUND_OFF * size * max(size, 1e-300)
    if (u > least or v > least or w > least) and (u < -least or v < -least or w < -least):
        return MISSES, 0
    # Six times the volume of the tetrahedron that p makes with the triangle: its height over p, times the area.
    height = dot(a, bc)
    if min(abs(u), abs(v), abs(w)) <= least or abs(height) <= least * size:
        return UNKNOWN, 0
    side = 1 if u > 0.0 else -1
    return (MEETS, side) if (height > 0.0) == (side > 0) else (MISSES, 0)


@inner
def ray_leaves(pool, i, p, d, stack):
    """(UNKNOWN where the ray from p along d grazes an edge, else MEETS; how often more it leaves the closed mesh i than
    it enters it)."""
    times, top = 0, 1
    stack[0, 0] = pool.mesh_int[i, ROOT]
    while top > 0:
        top -= 1
        node = np.int64(stack[top, 0])
        if not ray_passes(pool.tree, node, p, d):
            continue
        child = np.int32(pool.tree[node, CHILD])
        if child >= 0:
            stack[top, 0], stack[top + 1, 0] = child, child + 1
            top += 2
            continue
        how, side = ray_meets(p, d, corners_of(pool.face_real, np.int64(pool.tree[node, LEAF])))
        if how == UNKNOWN:
            return UNKNOWN, 0
        times += side
    return MEETS, times


@inner
def winds_about(pool, i, p, stack):
    """Whether the winding number of mesh i about point p (its axes) is above a half: all faces summed one by one.

    The half solid angles of the faces are added as turns in the plane: their product, and how often it passed half a
    turn.
    """
    along_all, across, turns, top = 1.0, 0.0, 0, 1
    stack[0, 0] = pool.mesh_int[i, ROOT]
    while top > 0:
        top -= 1
        node = np.int64(stack[top, 0])
        child = np.int32(pool.tree[node, CHILD])
        if child >= 0:
            stack[top, 0], stack[top + 1, 0] = child, child + 1
            top += 2
            continue
        a, b, c = corners_of(pool.face_real, np.int64(pool.tree[node, LEAF]))
        cosine, sine = half_solid_angle(p, a, b, c)
        turned, before = along_all * cosine - across * sine, across
        across = along_all * sine + across * cosine
        size = abs(turned) + abs(across)
        # On a corner there is no angle.
        along_all, across = (turned / size, across / size) if size > 0.0 else (along_all, before)
        if sine >= 0.0:
            turns += before >= 0.0 and across < 0.0
        else:
            turns -= before < 0.0 and across >= 0.0
    return 2.0 * math.pi * turns + math.atan2(across, along_all) > math.pi


@inner
def is_inside(pool, i, p, stack):
    """Whether point p is inside the surface of mesh i (its axes): its winding number is above a half.

    About a closed mesh it is how often more a ray leaves the surface than it enters it. Faces are summed where it is
    open, and where each of three rays grazes an edge.
    """
    if not is_sheet(pool, i):
        for d in RAYS:
            how, times = ray_leaves(pool, i, p, d, stack)
            if how == MEETS:
                return times > 0
    return winds_about(pool, i, p, stack)
