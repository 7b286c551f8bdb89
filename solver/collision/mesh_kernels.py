"""Contacts of a pair of triangle meshes: tandem descent of both trees, then feature pairs of the faces found.

Everything is computed in the axes of body a about its centre of mass. Motion within the step is linearised:
a point p fixed to b moves by slide + turn x p relative to a.
"""

import math
from typing import NamedTuple

import numpy as np

from ..jit import kernel
from .mesh_features import (
    BESIDE,
    COMING,
    EDGE,
    FACE,
    FAR_CONE,
    NEAR_CONE,
    NOTHING,
    OVER,
    VERTEX,
    common_normal,
    depth_of_vertex,
    edges_meet,
    in_both_cones,
    in_vertex_cone,
    vertex_and_face,
    vertex_beside_face,
)
from .mesh_pool import (
    CHILD,
    CORNERS,
    DEPTH,
    EDGE_DEPTH,
    FIRST_EDGE,
    FIRST_VERTEX,
    INWARD,
    LEAF,
    NORMAL,
    OWN_EDGES,
    OWN_VERTICES,
    PATCH,
    RIM,
    ROOT,
    SHEET,
)
from .mesh_vectors import (
    add,
    along,
    cross,
    dot,
    norm,
    part,
    quaternion_rows,
    relative_rotation,
    rotate,
    scale,
    sub,
    unrotate,
)

STACK = 256  # two trees of 2^31 leaves halved at the median need no more than 128
BATCH = 256  # pairs of faces gathered before their features are tested
KEY_SHIFT = 29  # bits for the number of a feature in its mesh

FACE_VERTEX, VERTEX_FACE, EDGE_EDGE, EDGE_VERTEX, VERTEX_EDGE, VERTEX_VERTEX = 1, 2, 3, 4, 5, 6


class Relative(NamedTuple):
    """Body b seen from body a: rotation (rows), shift, and the linearised motion within the step."""

    rotation: tuple
    shift: tuple
    slide: tuple
    turn: tuple


class Contacts(NamedTuple):
    """Room for contacts: position (n,3), normal (n,3), gap (n,), key (n,)."""

    position: np.ndarray
    normal: np.ndarray
    gap: np.ndarray
    key: np.ndarray


@kernel
def motion(rel, p, sign):
    """Displacement of a point p of body b relative to a within the step, or with sign -1 the reverse."""
    return scale(add(rel.slide, cross(rel.turn, p)), sign)


@kernel
def relative_motion(xa, ra, ua, xb, rb, ub, h):
    """Relative pose and motion of b in the axes of a, from positions, rotations (rows) and twists (world)."""
    shift = unrotate(ra, (xb[0] - xa[0], xb[1] - xa[1], xb[2] - xa[2]))
    turn_b = unrotate(ra, (h * ub[3], h * ub[4], h * ub[5]))
    turn_a = unrotate(ra, (h * ua[3], h * ua[4], h * ua[5]))
    travel = unrotate(ra, (h * (ub[0] - ua[0]), h * (ub[1] - ua[1]), h * (ub[2] - ua[2])))
    return Relative(relative_rotation(ra, rb), shift, sub(travel, cross(turn_b, shift)), sub(turn_b, turn_a))


@kernel
def boxes_apart(box, i, j, rel, margin, spin):
    """True if node j of b, swept by its motion, stays further than the margin from node i of a (six face axes)."""
    (r00, r01, r02), (r10, r11, r12), (r20, r21, r22) = rel.rotation
    ax, ay, az = box[i, 3], box[i, 4], box[i, 5]
    bx, by, bz = box[j, 3], box[j, 4], box[j, 5]
    center = add(rotate(rel.rotation, part(box, j, 0)), rel.shift)
    half = scale(add(rel.slide, cross(rel.turn, center)), 0.5)
    reach = margin if spin == 0.0 else margin + spin * math.sqrt(bx * bx + by * by + bz * bz)
    d = sub(add(center, half), part(box, i, 0))
    if abs(d[0]) > ax + abs(r00) * bx + abs(r01) * by + abs(r02) * bz + abs(half[0]) + reach:
        return True
    if abs(d[1]) > ay + abs(r10) * bx + abs(r11) * by + abs(r12) * bz + abs(half[1]) + reach:
        return True
    if abs(d[2]) > az + abs(r20) * bx + abs(r21) * by + abs(r22) * bz + abs(half[2]) + reach:
        return True
    db = unrotate(rel.rotation, d)
    sweep = unrotate(rel.rotation, half)
    if abs(db[0]) > bx + abs(r00) * ax + abs(r10) * ay + abs(r20) * az + abs(sweep[0]) + reach:
        return True
    if abs(db[1]) > by + abs(r01) * ax + abs(r11) * ay + abs(r21) * az + abs(sweep[1]) + reach:
        return True
    return abs(db[2]) > bz + abs(r02) * ax + abs(r12) * ay + abs(r22) * az + abs(sweep[2]) + reach


@kernel
def gather_face_pairs(box, tree, rel, margin, stack, top, pairs):
    """Descend both trees from the pairs of nodes on the stack until it or the room for face pairs is used up.

    Returns (number of face pairs written, height of the stack).
    """
    spin = norm(rel.turn)
    count = np.int64(0)
    while top > 0 and count < len(pairs):
        top -= 1
        i, j = stack[top, 0], stack[top, 1]
        if boxes_apart(box, i, j, rel, margin, spin):
            continue
        if tree[i, CHILD] < 0 and tree[j, CHILD] < 0:
            pairs[count, 0] = tree[i, LEAF]
            pairs[count, 1] = tree[j, LEAF]
            count += 1
        elif tree[j, CHILD] < 0 or (
            tree[i, CHILD] >= 0 and box[i, 3] + box[i, 4] + box[i, 5] >= box[j, 3] + box[j, 4] + box[j, 5]
        ):
            stack[top, 0], stack[top, 1] = tree[i, CHILD] + 1, j
            stack[top + 1, 0], stack[top + 1, 1] = tree[i, CHILD], j
            top += 2
        else:
            stack[top, 0], stack[top, 1] = i, tree[j, CHILD] + 1
            stack[top + 1, 0], stack[top + 1, 1] = i, tree[j, CHILD]
            top += 2
    return count, top


@kernel
def _outside(n, base, sign, corners, moves, margin):
    """True if all corners are further than the margin on the side sign * n of a plane, now and after the moves."""
    d0, d1, d2 = dot(n, sub(corners[0], base)), dot(n, sub(corners[1], base)), dot(n, sub(corners[2], base))
    if min(sign * d0, sign * d1, sign * d2) <= margin:
        return False
    d0, d1, d2 = d0 + dot(n, moves[0]), d1 + dot(n, moves[1]), d2 + dot(n, moves[2])
    return min(sign * d0, sign * d1, sign * d2) > margin


@kernel
def _below(n, base, corners, depth):
    """True if all corners are deeper than `depth` under a plane."""
    highest = max(dot(n, sub(corners[0], base)), dot(n, sub(corners[1], base)), dot(n, sub(corners[2], base)))
    return highest < -depth


@kernel
def contact_key(kind, feature_a, feature_b):
    """Key of a contact from its kind and the numbers of the features in their meshes."""
    return (np.int64(kind) << (2 * KEY_SHIFT)) | (np.int64(feature_a) << KEY_SHIFT) | np.int64(feature_b)


@kernel
def _write(out, m, ra, xa, position, normal, gap, key):
    """Write contact m in world axes if there is room; return m + 1."""
    if m < len(out.gap):
        p = rotate(ra, position)
        n = rotate(ra, normal)
        for k in range(3):
            out.position[m, k] = p[k] + xa[k]
            out.normal[m, k] = n[k]
        out.gap[m] = gap
        out.key[m] = key
    return m + 1


@kernel
def _feature_number(pool, kind, feature, body):
    """Number of a feature in its mesh; all faces of a flat patch bear one."""
    if kind == FACE:
        return pool.face_int[feature, PATCH]
    if kind == EDGE:
        return feature - pool.mesh_int[body, FIRST_EDGE]
    return feature - pool.mesh_int[body, FIRST_VERTEX]


@kernel
def _may_meet(a, na, move_a, sheet_a, depth_a, b, nb, move_b, sheet_b, depth_b, margin):
    """False if no feature of two triangles can be in contact: each plane against the other's corners."""
    if _outside(na, a[0], 1.0, b, move_b, margin) or _outside(nb, b[0], 1.0, a, move_a, margin):
        return False
    if sheet_a and _outside(na, a[0], -1.0, b, move_b, margin):
        return False
    if sheet_b and _outside(nb, b[0], -1.0, a, move_a, margin):
        return False
    if sheet_a or sheet_b:
        return True
    return not (_below(na, a[0], b, max(depth_a, margin)) and _below(nb, b[0], a, max(depth_b, margin)))


@kernel
def _vertex_contact(pool, v, v_frame, p, where, f, f_frame, n, height, sheet, margin):
    """Contact of vertex v at p with face f or what lies beside it, `where` as told by `vertex_and_face`.

    v_frame and f_frame are rotation and shift from the axes of the vertex's and the face's body to common axes.
    Returns (kind of the feature met, its number, unit normal towards the vertex, gap, still to come).
    """
    n_vertex = unrotate(v_frame[0], n)
    if where & OVER:
        if in_vertex_cone(pool.star_start, pool.star, v, n_vertex, NEAR_CONE):
            if sheet and height < -depth_of_vertex(pool.face_real, pool.star_start, pool.star_face, v, n_vertex):
                return NOTHING, f, n, height, False
            return FACE, f, n, height, False
        return NOTHING, f, n, height, False
    if where & BESIDE:
        kind, feature, n_edge, gap = vertex_beside_face(pool, f, unrotate(f_frame[0], sub(p, f_frame[1])), margin)
        if kind != NOTHING:
            n_edge = rotate(f_frame[0], n_edge)
            if in_vertex_cone(pool.star_start, pool.star, v, unrotate(v_frame[0], n_edge), NEAR_CONE):
                return kind, feature, n_edge, gap, False
    if where & COMING and in_vertex_cone(pool.star_start, pool.star, v, n_vertex, FAR_CONE):
        return FACE, f, n, height, True
    return NOTHING, f, n, height, False


@kernel
def _vertices_on_face(pool, iv, fv, points, moves, v_frame, i, f, corners, n, f_frame, swap, margin, ra, xa, m, out):
    """Contacts of the vertices that face fv of mesh iv answers for with face f of mesh i; return the new count m.

    swap: the vertices are those of body a, so that the contact's normal is turned round.
    """
    a, b, c = corners
    ints = pool.face_int
    rims = (ints[f, RIM], ints[f, RIM + 1], ints[f, RIM + 2])
    depth = pool.face_real[f, DEPTH]
    sheet = pool.mesh_int[i, SHEET] > 0
    for k in range(3):
        v = ints[fv, OWN_VERTICES + k]
        if v < 0:
            continue
        p = points[k]
        move = moves[k]
        where, height = vertex_and_face(p, move, rims, a, b, c, n, depth, margin)
        kind, feature, normal, gap, far = NOTHING, f, n, height, False
        if where:
            kind, feature, normal, gap, far = _vertex_contact(
                pool, v, v_frame, p, where, f, f_frame, n, height, sheet, margin
            )
        if sheet and kind == NOTHING:
            back = scale(n, -1.0)
            where, height = vertex_and_face(p, move, (rims[2], rims[1], rims[0]), a, c, b, back, depth, margin)
            if where:
                kind, feature, normal, gap, far = _vertex_contact(
                    pool, v, v_frame, p, where, f, f_frame, back, height, sheet, margin
                )
        if kind == NOTHING or (swap and kind == VERTEX):
            continue
        other = _feature_number(pool, kind, feature, i)
        mine = v - pool.mesh_int[iv, FIRST_VERTEX]
        position = p if far else along(p, normal, -0.5 * gap)
        if swap:
            key = contact_key(VERTEX_FACE if kind == FACE else VERTEX_EDGE, mine, other)
            normal = scale(normal, -1.0)
        else:
            code = FACE_VERTEX if kind == FACE else (EDGE_VERTEX if kind == EDGE else VERTEX_VERTEX)
            key = contact_key(code, other, mine)
        m = _write(out, m, ra, xa, position, normal, gap, key)
    return m


@kernel
def _edges_on_edges(pool, ia, ib, fa, a, fb, b, rel, margin, ra, xa, m, out):
    """Contacts between the edges that faces fa and fb answer for; return the new count m."""
    edge = pool.edge_real
    for j in range(3):
        eb = pool.face_int[fb, OWN_EDGES + j]
        if eb < 0:
            continue
        q0 = b[j]
        v = sub(b[j - 2], q0)
        left_b = rotate(rel.rotation, part(edge, eb, INWARD))
        right_b = rotate(rel.rotation, part(edge, eb, INWARD + 3))
        for i in range(3):
            ea = pool.face_int[fa, OWN_EDGES + i]
            if ea < 0:
                continue
            p0 = a[i]
            u = sub(a[i - 2], p0)
            left_a, right_a = part(edge, ea, INWARD), part(edge, ea, INWARD + 3)
            n, gap = common_normal(p0, u, q0, v, left_a, right_a, left_b, right_b)
            if gap == np.inf or (gap < -margin and gap < -min(edge[ea, EDGE_DEPTH], edge[eb, EDGE_DEPTH])):
                continue
            if not in_both_cones(n, left_a, right_a, left_b, right_b, NEAR_CONE if gap <= margin else FAR_CONE):
                continue
            meet, position = edges_meet(p0, u, q0, v, n, gap, rel.slide, rel.turn, margin)
            if meet:
                key = contact_key(
                    EDGE_EDGE, ea - pool.mesh_int[ia, FIRST_EDGE], eb - pool.mesh_int[ib, FIRST_EDGE]
                )
                m = _write(out, m, ra, xa, position, n, gap, key)
    return m


@kernel
def _face_pairs(pool, ia, ib, pairs, count, rel, margin, ra, xa, m, out):
    """Contacts between the features that the faces of each pair answer for; return the new count m."""
    face = pool.face_real
    a_frame = (((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0))
    b_frame = (rel.rotation, rel.shift)
    sheet_a, sheet_b = pool.mesh_int[ia, SHEET] > 0, pool.mesh_int[ib, SHEET] > 0
    for q in range(count):
        fa, fb = pairs[q, 0], pairs[q, 1]
        a = (part(face, fa, CORNERS), part(face, fa, CORNERS + 3), part(face, fa, CORNERS + 6))
        b0 = add(rotate(rel.rotation, part(face, fb, CORNERS)), rel.shift)
        b1 = add(rotate(rel.rotation, part(face, fb, CORNERS + 3)), rel.shift)
        b2 = add(rotate(rel.rotation, part(face, fb, CORNERS + 6)), rel.shift)
        b = (b0, b1, b2)
        na = part(face, fa, NORMAL)
        nb = rotate(rel.rotation, part(face, fb, NORMAL))
        move_b = (motion(rel, b0, 1.0), motion(rel, b1, 1.0), motion(rel, b2, 1.0))
        move_a = (motion(rel, a[0], -1.0), motion(rel, a[1], -1.0), motion(rel, a[2], -1.0))
        if _may_meet(
            a, na, move_a, sheet_a, face[fa, DEPTH], b, nb, move_b, sheet_b, face[fb, DEPTH], margin
        ):
            m = _vertices_on_face(
                pool, ib, fb, b, move_b, b_frame, ia, fa, a, na, a_frame, False, margin, ra, xa, m, out
            )
            m = _vertices_on_face(
                pool, ia, fa, a, move_a, a_frame, ib, fb, b, nb, b_frame, True, margin, ra, xa, m, out
            )
            m = _edges_on_edges(pool, ia, ib, fa, a, fb, b, rel, margin, ra, xa, m, out)
    return m


@kernel
def mesh_pair(pool, ia, xa, qa, ua, ib, xb, qb, ub, h, margin, out_position, out_normal, out_gap, out_key):
    """Contacts between mesh ia (body a) and mesh ib (body b) of the pool; return how many there are.

    xa, xb (3,) centres of mass [m], qa, qb (4,) orientations w,x,y,z, ua, ub (6,) twists (world), h [s] the
    step, margin [m] the distance up to which separated features count whatever their motion. Written, as far
    as there is room: out_position (n,3), out_normal (n,3) from a to b, out_gap (n,), out_key (n,) int64. If
    the count returned is larger than n, call again with more room.
    """
    ra = quaternion_rows(qa)
    rb = quaternion_rows(qb)
    rel = relative_motion(xa, ra, ua, xb, rb, ub, h)
    out = Contacts(out_position, out_normal, out_gap, out_key)
    stack = np.empty((STACK, 2), dtype=np.int32)
    pairs = np.empty((BATCH, 2), dtype=np.int32)
    stack[0, 0], stack[0, 1] = pool.mesh_int[ia, ROOT], pool.mesh_int[ib, ROOT]
    top, m = np.int64(1), np.int64(0)
    while top > 0:
        count, top = gather_face_pairs(pool.tree_box, pool.tree_int, rel, 1.02 * margin, stack, top, pairs)
        m = _face_pairs(pool, ia, ib, pairs, count, rel, margin, ra, xa, m, out)
    return m
