"""Contacts of pairs with a deforming surface, each pair with a margin of its own, and the features that meet."""

import numpy as np

from ...collision.broadphase.colliders import KIND
from ...collision.broadphase.geometry import CAPSULE
from ...collision.mesh.mesh_kernels import meshes_meet, no_leaves, search_tables
from ...collision.mesh.mesh_output import Contacts
from ...collision.mesh.mesh_pair_kernels import ball_and_mesh, pair_of_meshes
from ...jit import inner, kernel


@inner
def _room(count):
    return Contacts(np.empty((count, 3)), np.empty((count, 3)), np.empty(count), np.empty(count, np.int64))


@kernel
def surface_contacts(pool, colliders, poses, pairs, margin, h, room, out):
    """Contacts of collider pairs (P,2), each with a mesh, into out: position (n,3), normal (n,3) from first to second,
    gap (n,), key (n,) of the features, pair (n,) number of the pair; margin (P,) [m]; poses: Placement, and
    orientations (R,4).

    Returns (contacts, most of one pair): where they are more than n, or than `room`, call again with more.
    """
    place, orientation = poses
    position, normal, gap, key, pair = out
    index, found = colliders.index, _room(room)
    nothing, tables = no_leaves(), search_tables()
    used, most = 0, 0
    for p in range(pairs.shape[0]):
        a, b = np.int64(pairs[p, 0]), np.int64(pairs[p, 1])
        if index[a, KIND] <= CAPSULE or index[b, KIND] <= CAPSULE:
            count = ball_and_mesh(pool, place, orientation, colliders, (a, b), h, margin[p], found)
        else:
            meshes = pair_of_meshes(pool, index, place, orientation, a, b, h)
            count, _ = meshes_meet(meshes, margin[p], nothing, tables, found)
        most = max(most, count)
        sign = -1.0 if index[a, KIND] <= CAPSULE else 1.0
        for c in range(count if count <= room else 0):
            if used < gap.size:
                for i in range(3):
                    position[used, i] = found.position[c, i]
                    normal[used, i] = sign * found.normal[c, i]
                gap[used], key[used], pair[used] = found.gap[c], found.key[c], p
            used += 1
    return used, most


@kernel
def triangle_weights(x, triangles, point, weights):
    """Barycentric coordinates (C,3) of the points of triangles (C,3) of nodes nearest to points (C,3)."""
    ab, ac, ap = np.empty(3), np.empty(3), np.empty(3)
    for c in range(triangles.shape[0]):
        d00 = d01 = d11 = d20 = d21 = 0.0
        for i in range(3):
            a = x[triangles[c, 0], i]
            ab[i], ac[i], ap[i] = x[triangles[c, 1], i] - a, x[triangles[c, 2], i] - a, point[c, i] - a
            d00 += ab[i] * ab[i]
            d01 += ab[i] * ac[i]
            d11 += ac[i] * ac[i]
            d20 += ap[i] * ab[i]
            d21 += ap[i] * ac[i]
        whole = d00 * d11 - d01 * d01
        v, w = -1.0, -1.0
        if whole > 1e-14 * d00 * d11:
            v, w = (d11 * d20 - d01 * d21) / whole, (d00 * d21 - d01 * d20) / whole
        if v < 0.0 or w < 0.0 or v + w > 1.0:
            v, w = _nearest_on_rim(d00, d01, d11, d20, d21)
        weights[c, 0], weights[c, 1], weights[c, 2] = 1.0 - v - w, v, w


@inner
def _nearest_on_rim(d00, d01, d11, d20, d21):
    """(v, w) of the point of the rim nearest to a point whose products with the sides are given."""
    best, bv, bw = np.inf, 0.0, 0.0
    for side in range(3):
        if side == 0:
            t = min(max(d20 / d00 if d00 > 0.0 else 0.0, 0.0), 1.0)
            v, w = t, 0.0
        elif side == 1:
            t = min(max(d21 / d11 if d11 > 0.0 else 0.0, 0.0), 1.0)
            v, w = 0.0, t
        else:
            # From b to c: c - b = ac - ab.
            length = d00 - 2.0 * d01 + d11
            t = (d21 - d20 - d01 + d00) / length if length > 0.0 else 0.0
            t = min(max(t, 0.0), 1.0)
            v, w = 1.0 - t, t
        distance = v * v * d00 + 2.0 * v * w * d01 + w * w * d11 - 2.0 * (v * d20 + w * d21)
        if distance < best:
            best, bv, bw = distance, v, w
    return bv, bw


@inner
def _nearest(x, triangles, point):
    """(number of the triangle (F,3) nearest to a point (3,), square of the distance)."""
    one, weights, at = np.empty((1, 3), np.int64), np.empty((1, 3)), np.empty((1, 3))
    best, nearest = np.inf, 0
    at[0] = point
    for f in range(triangles.shape[0]):
        one[0] = triangles[f]
        triangle_weights(x, one, at, weights)
        square = 0.0
        for i in range(3):
            d = point[i]
            for k in range(3):
                d -= weights[0, k] * x[triangles[f, k], i]
            square += d * d
        if square < best:
            best, nearest = square, f
    return nearest, best


@kernel
def nearest_triangle(x, triangles, points, nearest):
    """Number (C,) of the triangle (F,3) nearest to each point (C,3): for keys that name no feature."""
    for c in range(points.shape[0]):
        nearest[c] = _nearest(x, triangles, points[c])[0]
