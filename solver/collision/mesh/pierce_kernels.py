"""How far two surfaces are through each other: where edges of one pass through faces of the other."""

import math
from typing import NamedTuple

import numpy as np

from ...base.vectors import along, cross, dot, norm, part, put, quaternion_rows, rotate, row, sub, unrotate
from ...jit import inner, kernel
from ...meshes.winding_kernels import box_distance2, segment_distance2, triangle_distance2
from ..broadphase.colliders import BODY, MESH_NUMBER
from ..broadphase.placement_kernels import CENTER
from ..surface.mesh_faces import corners_in, corners_of, heights_over
from ..surface.mesh_pool import CHILD, LEAF, NORMAL, OPEN_RIM, OWN_EDGES, RIM, ROOT
from .inside_kernels import is_inside
from .mesh_descent import BATCH, STACK, gather_leaf_pairs, wide_search
from .mesh_traversal import is_sheet, relative_motion

# Columns of a crossing: edge (twice its number, odd for edges of b), parameter along it, how far the whole edge rises
# along the face's normal [m], start and side of the edge in the axes of a.
HIT_EDGE, PARAMETER, SLOPE, START, SIDE, HIT_COLUMNS = 0, 1, 2, 3, 6, 9


@inner
def crossing_of(p, side, a, b, c, n):
    """Where the segment from p along `side` crosses the triangle: (parameter, below 0 for nowhere; slope).

    slope [m]: how far the whole segment rises along the face's normal.
    """
    slope = dot(side, n)
    # Cosine between an edge and a face's plane below which it lies in the plane.
    if abs(slope) <= 1e-9 * norm(side):
        return -1.0, slope
    t = dot(sub(a, p), n) / slope
    if t < 0.0 or t > 1.0:
        return -1.0, slope
    q = along(p, side, t)
    if dot(cross(sub(b, a), sub(q, a)), n) < 0.0 or dot(cross(sub(c, b), sub(q, b)), n) < 0.0:
        return -1.0, slope
    return (t if dot(cross(sub(a, c), sub(q, c)), n) >= 0.0 else -1.0), slope


@inner
def on_one_side(n, base, corners):
    """True if three corners lie on one side of a plane, none on it."""
    heights = heights_over(n, base, corners)
    return min(heights) > 0.0 or max(heights) < 0.0


@inner
def write_crossings(edges, f, corners, other, n, side_of_pair, hits, count):
    """Add the crossings of face f's own edges with the triangle `other`; hits (n, HIT_COLUMNS)."""
    for k in range(3):
        e = edges[f, OWN_EDGES + k]
        if e < 0:
            continue
        p = corners[k]
        side = sub(corners[(k + 1) % 3], p)
        t, slope = crossing_of(p, side, other[0], other[1], other[2], n)
        if t >= 0.0:
            if count < len(hits):
                hits[count, HIT_EDGE], hits[count, PARAMETER], hits[count, SLOPE] = 2.0 * e + side_of_pair, t, slope
                put(hits, count, START, p)
                put(hits, count, SIDE, side)
            count += 1
    return count


@inner
def rim_distance2(pool, f, p):
    """Squared distance [m^2] of point p (axes of the mesh) from those edges of face f at which its sheet ends."""
    corners, best = corners_of(pool.face_real, f), math.inf
    for k in range(3):
        if pool.face_int[f, RIM + k] == OPEN_RIM:
            best = min(best, segment_distance2(p, corners[k], corners[(k + 1) % 3]))
    return best


@inner
def surface_distance(pool, i, p, most, to_rim, stack):
    """Distance [m] of point p from the surface of mesh i (its axes), or from the rim of a sheet alone, if that is below
    `most`, else `most`."""
    best, top = most * most, 1
    stack[0, 0] = pool.mesh_int[i, ROOT]
    while top > 0:
        top -= 1
        node = np.int64(stack[top, 0])
        if box_distance2(pool.tree, node, p) >= best:
            continue
        child = np.int32(pool.tree[node, CHILD])
        if child >= 0:
            stack[top, 0], stack[top + 1, 0] = child, child + 1
            top += 2
            continue
        f = np.int64(pool.tree[node, LEAF])
        if to_rim:
            best = min(best, rim_distance2(pool, f, p))
            continue
        a, b, c = corners_of(pool.face_real, f)
        best = min(best, triangle_distance2(p, a, b, c))
    return math.sqrt(best)


@inner
def depth_within(pool, i, p, stack):
    """depths_within of one point p of mesh i."""
    away = surface_distance(pool, i, p, math.inf, False, stack)
    return away if is_inside(pool, i, p, stack) else -away


@kernel
def depths_within(pool, mesh, points, depth):
    """depth (C,) [m]: how far points (C,3) are from the surfaces of meshes (C,) of a pool, in the axes of these;
    negative for those outside."""
    stack = np.empty((STACK, 2), dtype=np.int32)
    for c in range(len(mesh)):
        depth[c] = depth_within(pool, mesh[c], row(points, c), stack)


class Pierced(NamedTuple):
    """A mesh of a pool that edges pass through; frame: rotation and shift from its axes to those of the hits; stack:
    work space."""

    pool: NamedTuple
    mesh: int
    frame: tuple
    stack: np.ndarray


@inner
def depth_of_stretch(solid, hit, first, last, least, most):
    """Depth [m] from `least` to `most` of an edge between the parameters first and last, if it is inside a Pierced.

    Twice the largest distance of its inner points from the surface: the thickness of a wall that is passed straight,
    but no more than that of the overlap where two solids cross side by side. hit (HIT_COLUMNS,): the edge.
    """
    start = (hit[START], hit[START + 1], hit[START + 2])
    side = (hit[SIDE], hit[SIDE + 1], hit[SIDE + 2])
    length, depths = last - first, np.zeros(5)
    # An end that is inside may be deeper than the middle, where it lies in a thicker part.
    points = first + 0.25 * length, first + 0.5 * length, first + 0.75 * length, first, last
    for k in range(5):
        t, times = points[k], 2.0 if k < 3 else 1.0
        if k < 3 or t == 0.0 or t == 1.0:
            p = unrotate(solid.frame[0], sub(along(start, side, t), solid.frame[1]))
            depths[k] = times * surface_distance(solid.pool, solid.mesh, p, most / times, False, solid.stack)
    # A crossing may be missed where an edge touches an edge, so that a part of a stretch is inside.
    for _ in range(5):
        k = np.argmax(depths)
        if depths[k] <= least:
            break
        p = unrotate(solid.frame[0], sub(along(start, side, points[k]), solid.frame[1]))
        if is_inside(solid.pool, solid.mesh, p, solid.stack):
            return depths[k]
        depths[k] = 0.0
    return least


@inner
def piece_behind(hits, order, first, last, k):
    """Depth [m] of the shorter piece of an edge beside its crossing k of a sheet: to where the edge comes back through
    the sheet, or to its end."""
    t, slope = hits[order[k], PARAMETER], hits[order[k], SLOPE]
    least = math.inf
    for step in (-1, 1):
        j = k + step
        while first <= j < last and hits[order[j], SLOPE] * slope > 0.0:
            j += step
        back, rise = 0.0 if step < 0 else 1.0, abs(slope)
        if first <= j < last:
            back, rise = hits[order[j], PARAMETER], min(rise, abs(hits[order[j], SLOPE]))
        least = min(least, abs(back - t) * rise)
    return least


@inner
def way_off_sheet(sheet, hit, most):
    """The smaller [m] of `most` and the way to the rim of a sheet (Pierced) from where an edge crosses it, hit
    (HIT_COLUMNS,): there the edge leaves the sheet sideways."""
    start = (hit[START], hit[START + 1], hit[START + 2])
    side = (hit[SIDE], hit[SIDE + 1], hit[SIDE + 2])
    p = unrotate(sheet.frame[0], sub(along(start, side, hit[PARAMETER]), sheet.frame[1]))
    return surface_distance(sheet.pool, sheet.mesh, p, most, True, sheet.stack)


@inner
def deepest_at_sheet(sheet, hits, order, first, last, deepest):
    """The larger of `deepest` and the depth [m] of one edge through a sheet, its crossings order[first:last] by their
    parameter: that of the shorter piece beside a crossing, or the way to the sheet's rim if that is less."""
    for k in range(first, last):
        most = piece_behind(hits, order, first, last, k)
        if most > deepest:
            deepest = max(deepest, way_off_sheet(sheet, hits[order[k]], most))
    return deepest


@inner
def deepest_in_solid(solid, hits, order, first, last, deepest):
    """The larger of `deepest` and the depth [m] of one edge in a solid, its crossings order[first:last] by their
    parameter.

    That of a stretch between two crossings, or a crossing and an end of the edge, seen along the normal of the face it
    is shorter by, or less if the stretch stays nearer to the surface. Which stretches are inside, crossings do not
    tell: one through an edge of a face may count twice or not.
    """
    entry, slope_in = 0.0, math.inf
    for k in range(first, last + 1):
        t, slope = 1.0, math.inf
        if k < last:
            t, slope = hits[order[k], PARAMETER], abs(hits[order[k], SLOPE])
        most = (t - entry) * min(slope, slope_in)
        if most > deepest:
            deepest = depth_of_stretch(solid, hits[order[first]], entry, t, deepest, most)
        entry, slope_in = t, slope
    return deepest


@inner
def deepest_of(pool, ia, ib, rel, hits, count, least, stack):
    """Depth [m] of all crossings of meshes ia and ib if that is above `least`, else `least`; edges of a have even
    numbers and meet b."""
    own = (((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0))
    order = np.argsort(2.0 * hits[:count, HIT_EDGE] + hits[:count, PARAMETER])
    deepest, first = least, 0
    for k in range(1, count + 1):
        if k == count or hits[order[k], HIT_EDGE] != hits[order[first], HIT_EDGE]:
            of_b = np.int64(hits[order[first], HIT_EDGE]) % 2 == 1
            mesh, frame = (ia, own) if of_b else (ib, (rel.rotation, rel.shift))
            pierced = Pierced(pool, mesh, frame, stack)
            if is_sheet(pool, mesh):
                deepest = deepest_at_sheet(pierced, hits, order, first, k, deepest)
            else:
                deepest = deepest_in_solid(pierced, hits, order, first, k, deepest)
            first = k
    return deepest


@inner
def find_crossings(pool, ia, ib, rel, stack, pairs, hits):
    """Fill hits with the crossings of both meshes; returns how many there are."""
    stack[0, 0], stack[0, 1] = pool.mesh_int[ia, ROOT], pool.mesh_int[ib, ROOT]
    top, count = np.int64(1), np.int64(0)
    real = pool.face_real
    wide = wide_search(pool, ia, ib, rel, 0.0, True)
    while top > 0:
        found, top, _ = gather_leaf_pairs(pool, rel, wide, -1.0, stack, top, pairs)
        for q in range(found):
            fa, fb = np.int32(pool.tree[pairs[q, 0], LEAF]), np.int32(pool.tree[pairs[q, 1], LEAF])
            a, b = corners_of(real, fa), corners_in(real, fb, rel)
            na = part(real, fa, NORMAL)
            if on_one_side(na, a[0], b):
                continue
            nb = rotate(rel.rotation, part(real, fb, NORMAL))
            if on_one_side(nb, b[0], a):
                continue
            count = write_crossings(pool.face_int, fa, a, b, nb, 0.0, hits, count)
            count = write_crossings(pool.face_int, fb, b, a, na, 1.0, hits, count)
    return count


@kernel
def piercing_depths(pool, index, motion, orientation, pairs, least, depth):
    """depth (P,) [m] to which edges of the surfaces of collider pairs (P,2) are through faces of the other; zero where
    that is not above least (P,) [m], which saves looking for points inside.

    index: of Colliders; motion (R,9): centres of mass first; orientation (R,4) w,x,y,z. An edge that passes through a
    wall is at least as deep as the wall is thick. Zero for surfaces that do not cross, one inside the other included.
    """
    stack = np.empty((STACK, 2), dtype=np.int32)
    faces = np.empty((BATCH, 3), dtype=np.int32)
    hits = np.empty((256, HIT_COLUMNS))
    still = np.zeros(6)
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        i, j = index[a, BODY], index[b, BODY]
        ia, ib = index[a, MESH_NUMBER], index[b, MESH_NUMBER]
        ra, rb = quaternion_rows(orientation[i]), quaternion_rows(orientation[j])
        xa, xb = motion[i, CENTER : CENTER + 3], motion[j, CENTER : CENTER + 3]
        rel = relative_motion(xa, ra, still, xb, rb, still, 0.0)
        count = find_crossings(pool, ia, ib, rel, stack, faces, hits)
        if count > len(hits):
            hits = np.empty((count, HIT_COLUMNS))
            count = find_crossings(pool, ia, ib, rel, stack, faces, hits)
        found = deepest_of(pool, ia, ib, rel, hits, count, least[p], stack) if count > 0 else 0.0
        depth[p] = found if found > least[p] else 0.0
