"""Contacts of pairs with a deforming surface, each pair with a margin of its own, the features that meet, and where."""

from math import sqrt

import numpy as np

from ...collision.broadphase.colliders import BODY, EXTENT, KIND, MESH_NUMBER, SALT
from ...collision.broadphase.geometry import CAPSULE
from ...collision.broadphase.placement_kernels import rotation_matrix
from ...collision.contact_keys import features_of_key, pair_salt
from ...collision.convex.narrow_kernels import RELATIVE_MARGIN
from ...collision.mesh.mesh_descent import STACK
from ...collision.mesh.mesh_kernels import (
    EDGE_EDGE,
    EDGE_VERTEX,
    FACE_VERTEX,
    VERTEX_EDGE,
    VERTEX_FACE,
    VERTEX_VERTEX,
    meshes_meet,
    no_leaves,
    search_tables,
)
from ...collision.mesh.mesh_output import Contacts
from ...collision.mesh.mesh_pair_kernels import ball_and_mesh, pair_of_meshes
from ...collision.mesh.mesh_round_kernels import ROUND_EDGE, ROUND_FACE, ROUND_VERTEX
from ...collision.mesh.pierce_kernels import depth_within
from ...collision.surface.mesh_pool import FLAT_ANGLE, INWARD, SHEET, SIDE
from ...jit import inner, kernel

# What a collider of a contact meets with.
FACE, EDGE, VERTEX, NONE = range(4)


@inner
def _room(count):
    return Contacts(np.empty((count, 3)), np.empty((count, 3)), np.empty(count), np.empty(count, np.int64))


@inner
def met_by(kind, side):
    """What a side meets with in contacts of a kind."""
    if kind in (EDGE_EDGE, ROUND_EDGE):
        return EDGE
    if kind in (VERTEX_VERTEX, ROUND_VERTEX):
        return VERTEX
    if kind == ROUND_FACE:
        return FACE
    if kind in (FACE_VERTEX, VERTEX_FACE):
        return FACE if (kind == FACE_VERTEX) == (side == 0) else VERTEX
    if kind in (EDGE_VERTEX, VERTEX_EDGE):
        return EDGE if (kind == EDGE_VERTEX) == (side == 0) else VERTEX
    return NONE


@inner
def _is_nearest_way(pool, index, poses, ends, found, c, kind, work):
    """Whether contact c, deep behind a face or an edge, is none of vertices that are less than half as deep within that
    surface, and none of such edges that are outside it: where it is bent, thin or pressed thin it ends before the depth
    that the search allows for, which is that of the rest, and what goes over a rim is behind the face on the other side
    of it. What is so deep behind a sheet, which has no inside, has the sheet inside it: the upper side of a foot that
    stands on one has not. ends: both colliders; work: (rotation (3,3), stack)."""
    place, orientation = poses
    turn, stack = work
    for side in range(2):
        met = met_by(kind, side)
        mesh, body = index[ends[side], MESH_NUMBER], index[ends[side], BODY]
        if kind != EDGE_EDGE and kind != FACE_VERTEX and kind != VERTEX_FACE or pool.mesh_int[mesh, SHEET] > 0:
            continue
        if met == VERTEX and pool.mesh_int[index[ends[1 - side], MESH_NUMBER], SHEET] == 0:
            continue
        # How deep it has to be, in parts of the overlap: edges that cross may lie in a face.
        share = 0.9 if met == FACE else (0.1 if met == VERTEX else -0.1)
        rotation_matrix(orientation[body], turn)
        # The other one's point.
        way = (0.5 - side) * found.gap[c]
        x = found.position[c, 0] + way * found.normal[c, 0] - place.motion[body, 0]
        y = found.position[c, 1] + way * found.normal[c, 1] - place.motion[body, 1]
        z = found.position[c, 2] + way * found.normal[c, 2] - place.motion[body, 2]
        at = (turn[0, 0] * x + turn[1, 0] * y + turn[2, 0] * z, turn[0, 1] * x + turn[1, 1] * y + turn[2, 1] * z,
              turn[0, 2] * x + turn[1, 2] * y + turn[2, 2] * z)  # fmt: skip
        if depth_within(pool, mesh, at, stack) < -share * found.gap[c]:
            return False
    return True


@kernel
def surface_contacts(pool, colliders, poses, pairs, node_speed, h, room, out):
    """Contacts of collider pairs (P,2), each with a mesh, into out: bodies a, b (n,), position (n,3), normal (n,3) from
    a to b, gap (n,), key (n,), and its features, kind, first, second (n,); node_speed (R,) [m/s]: see find; poses:
    Placement, and orientations (R,4).

    Returns (contacts, most of one pair): where they are more than n, or than `room`, call again with more.
    """
    place, orientation = poses
    body_a, body_b, position, normal, gap, key, kind, first, second = out
    index, found = colliders.index, _room(room)
    nothing, tables, work = no_leaves(), search_tables(), (np.empty((3, 3)), np.empty((STACK, 2), dtype=np.int32))
    used, most = 0, 0
    for p in range(pairs.shape[0]):
        a, b = np.int64(pairs[p, 0]), np.int64(pairs[p, 1])
        least = RELATIVE_MARGIN * min(colliders.size[a, EXTENT], colliders.size[b, EXTENT])
        margin = least + h * (node_speed[index[a, BODY]] + node_speed[index[b, BODY]])
        if index[a, KIND] <= CAPSULE or index[b, KIND] <= CAPSULE:
            count = ball_and_mesh(pool, place, orientation, colliders, (a, b), h, margin, found)
        else:
            meshes = pair_of_meshes(pool, index, place, orientation, a, b, h)
            count, _ = meshes_meet(meshes, margin, nothing, tables, found)
        most = max(most, count)
        sign = -1.0 if index[a, KIND] <= CAPSULE else 1.0
        for c in range(count if count <= room else 0):
            code, of_a, of_b = features_of_key(found.key[c])
            if found.gap[c] < -least and not _is_nearest_way(pool, index, poses, (a, b), found, c, code, work):
                continue
            if used < gap.size:
                body_a[used], body_b[used] = index[a, BODY], index[b, BODY]
                for i in range(3):
                    position[used, i] = found.position[c, i]
                    normal[used, i] = sign * found.normal[c, i]
                gap[used], key[used] = found.gap[c], found.key[c] ^ pair_salt(index[a, SALT], index[b, SALT])
                kind[used], first[used] = code, of_a
                # A ball has no features: what the key names first is that of the surface, whichever collider it is.
                ball = code in (ROUND_FACE, ROUND_EDGE, ROUND_VERTEX)
                second[used] = of_a if ball else of_b
            used += 1
    return used, most


@inner
def _is_sharp(pool, edge):
    """Whether an edge of the pool has faces that fall away from each other."""
    r = pool.edge_real[edge]
    side, left, right = r[SIDE : SIDE + 3], r[INWARD : INWARD + 3], r[INWARD + 3 : INWARD + 6]
    falls, square = 0.0, 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        falls -= (side[j] * left[k] - side[k] * left[j]) * right[i]
        square += side[i] * side[i]
    return falls > FLAT_ANGLE * sqrt(square)


@kernel
def needed(pool, tables, body_a, body_b, kind, first, second, kept):
    """Fill kept (C,) bool with whether contacts are none of edges that are not sharp where the corners at their ends
    touch the same body, or where neither edge is sharp; tables: SurfaceTables."""
    ends, feature, most, corners = (body_a, body_b), (first, second), tables.most_nodes, 0
    bodies = tables.first_edge.size
    held = np.empty(2 * kind.size, dtype=np.int64)
    for c in range(kind.size):
        for side in range(2):
            if met_by(kind[c], side) == VERTEX and tables.first_edge[ends[side][c]] >= 0:
                name = (side * bodies + ends[side][c]) * bodies + ends[1 - side][c]
                held[corners], corners = name * most + feature[side][c], corners + 1
    held = np.sort(held[:corners])
    for c in range(kind.size):
        kept[c] = True
        if kind[c] != EDGE_EDGE and kind[c] != ROUND_EDGE:
            continue
        blunt, dull, carried = True, False, False
        for side in range(2):
            first_edge = tables.first_edge[ends[side][c]]
            if first_edge < 0:
                blunt = False
                continue
            edge, name = feature[side][c], (side * bodies + ends[side][c]) * bodies + ends[1 - side][c]
            flat, both = not _is_sharp(pool, first_edge + edge), True
            blunt, dull = blunt and flat, dull or flat
            for k in range(2):
                code = name * most + tables.end[tables.start[ends[side][c], 2] + edge, k]
                at = np.searchsorted(held, code)
                both = both and at < corners and held[at] == code
            carried = carried or both
        kept[c] = not (blunt or (dull and carried))


@kernel
def stencils(tables, node_start, x, found, features, node, weight):
    """Fill node, weight (C,2,3) of Stencils of found: (bodies a, b (C,), position, normal (C,3), gap (C,))."""
    body_a, body_b, position, normal, gap = found
    kind, first, second = features
    at, triangle = np.empty(3), np.empty(3, np.int64)
    for c in range(kind.size):
        for side in range(2):
            body, feature = (body_a[c], first[c]) if side == 0 else (body_b[c], second[c])
            for k in range(3):
                node[c, side, k], weight[c, side, k] = -1, 0.0
            if tables.first_edge[body] < 0:
                continue
            points, start, met = x[node_start[body] : node_start[body + 1]], tables.start[body], met_by(kind[c], side)
            # Each side is touched on its own surface, half a gap from the contact's position.
            for i in range(3):
                at[i] = position[c, i] + (side - 0.5) * gap[c] * normal[c, i]
            if met == NONE:
                own = tables.triangle[start[1] : tables.start[body + 1, 1]]
                met, feature = FACE, _nearest(points, own, at)[0]
            for k in range(3):
                if met == FACE:
                    triangle[k] = tables.triangle[start[1] + feature, k]
                else:
                    own = tables.end[start[2] + feature, min(k, 1)] if met == EDGE else feature
                    triangle[k] = tables.node[start[0] + own]
            _fill_weights(points, triangle, at, weight[c, side])
            for k in range(3):
                if weight[c, side, k] > 0.0:
                    node[c, side, k] = triangle[k]
                else:
                    weight[c, side, k] = 0.0


@kernel
def sweep_surfaces(tables, node_start, colliders, x, v, h, low, high):
    """Fill the rows of low, high (C,3) of deformable bodies: the boxes of their nodes at x (N,3), moving with v (N,3)
    for h [s]."""
    for body in range(tables.first_edge.size):
        if tables.first_edge[body] < 0:
            continue
        own = tables.collider[body]
        spare = 0.5 * RELATIVE_MARGIN * colliders.size[own, EXTENT]
        for i in range(3):
            low[own, i], high[own, i] = np.inf, -np.inf
        for k in range(tables.start[body, 0], tables.start[body + 1, 0]):
            n = node_start[body] + tables.node[k]
            for i in range(3):
                then = x[n, i] + h * v[n, i]
                low[own, i] = min(low[own, i], min(x[n, i], then) - spare)
                high[own, i] = max(high[own, i], max(x[n, i], then) + spare)


@kernel
def in_reach(tables, colliders, inflation, low, high, pairs, out):
    """Those of the pairs (P,2) of colliders whose boxes low, high (C,3) are within the pair's own margin of each other
    into out (P,2), and their number: a box of the ground is moved out as the largest body of the scene asks, which is
    nothing to the others."""
    used = 0
    for p in range(pairs.shape[0]):
        apart, margin = -np.inf, np.inf
        for i in range(3):
            a, b = pairs[p, 0], pairs[p, 1]
            apart = max(apart, max(low[a, i] - high[b, i], low[b, i] - high[a, i]))
        for k in range(2):
            half = 0.5 * RELATIVE_MARGIN * colliders.size[pairs[p, k], EXTENT]
            body = colliders.index[pairs[p, k], BODY]
            apart += half if tables.first_edge[body] >= 0 else inflation[pairs[p, k]]
            margin = min(margin, 2.0 * half)
        if apart <= margin:
            out[used], used = pairs[p], used + 1
    return used


@kernel
def join(a, b, moving, near):
    """Set near (R,) bool for all bodies that are moving (R,) and joined with one by pairs of moving bodies a, b."""
    more = True
    while more:
        more = False
        for p in range(a.size):
            if moving[a[p]] and moving[b[p]] and near[a[p]] != near[b[p]]:
                near[a[p]] = near[b[p]] = more = True


@inner
def _fill_weights(x, triangle, point, weights):
    """triangle_weights of one triangle (3,) and one point (3,)."""
    d00 = d01 = d11 = d20 = d21 = 0.0
    for i in range(3):
        a = x[triangle[0], i]
        ab, ac, ap = x[triangle[1], i] - a, x[triangle[2], i] - a, point[i] - a
        d00 += ab * ab
        d01 += ab * ac
        d11 += ac * ac
        d20 += ap * ab
        d21 += ap * ac
    whole = d00 * d11 - d01 * d01
    v, w = -1.0, -1.0
    if whole > 1e-14 * d00 * d11:
        v, w = (d11 * d20 - d01 * d21) / whole, (d00 * d21 - d01 * d20) / whole
    if v < 0.0 or w < 0.0 or v + w > 1.0:
        v, w = _nearest_on_rim(d00, d01, d11, d20, d21)
    weights[0], weights[1], weights[2] = 1.0 - v - w, v, w


@kernel
def triangle_weights(x, triangles, point, weights):
    """Barycentric coordinates (C,3) of the points of triangles (C,3) of nodes nearest to points (C,3)."""
    for c in range(triangles.shape[0]):
        _fill_weights(x, triangles[c], point[c], weights[c])


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
    weights, best, nearest = np.empty(3), np.inf, 0
    for f in range(triangles.shape[0]):
        _fill_weights(x, triangles[f], point, weights)
        square = 0.0
        for i in range(3):
            d = point[i]
            for k in range(3):
                d -= weights[k] * x[triangles[f, k], i]
            square += d * d
        if square < best:
            best, nearest = square, f
    return nearest, best


@kernel
def nearest_triangle(x, triangles, points, nearest):
    """Number (C,) of the triangle (F,3) nearest to each point (C,3): for keys that name no feature."""
    for c in range(points.shape[0]):
        nearest[c] = _nearest(x, triangles, points[c])[0]
