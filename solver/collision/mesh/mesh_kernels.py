"""Contacts of a pair of triangle meshes: tandem descent of both trees, then feature pairs of the faces found.

Everything is computed in the axes of body a about its centre of mass. Motion within the step is linearised:
a point p fixed to b moves by slide + turn x p relative to a.
"""

from typing import NamedTuple

import numpy as np

from ...base.inlining import inlined
from ...base.vectors import along, part, quaternion_rows, rotate, scale, sub, unrotate
from ...jit import inner, kernel
from ..contact_keys import (
    BEYOND,
    DOUBT,
    EDGE_EDGE,
    EDGE_VERTEX,
    FACE_VERTEX,
    VERTEX_EDGE,
    VERTEX_FACE,
    VERTEX_VERTEX,
    mesh_key,
)
from ..surface.mesh_pool import (
    DEPTH,
    EDGE_DEPTH,
    FIRST_EDGE,
    FIRST_VERTEX,
    INWARD,
    NORMAL,
    OWN_EDGES,
    OWN_VERTICES,
    SIDE,
)
from .mesh_cut_kernels import DEEP, SHALLOW, add_separation, drop_uncut, surfaces_cut
from .mesh_descent import BATCH, STACK, first_leaf_pairs, next_leaf_pairs, wide_search
from .mesh_edges import (
    common_normal,
    edge_approach,
    edges_meet,
    in_both_cones,
    is_doubtful_crossing,
    may_cross,
    meet_at_saddle,
    out_of_edge,
)
from .mesh_features import (
    BESIDE,
    COMING,
    DOUBTFUL,
    EDGE,
    FACE,
    NEAR_CONE,
    NOTHING,
    OVER,
    VERTEX,
    depth_of_vertex,
    in_vertex_cone,
    is_before_sheet,
    is_beside,
    rims_from_behind,
    rims_of,
    vertex_and_face,
    vertex_beside_face,
)
from .mesh_output import Contacts, drop_hidden, feature_number, write_contact
from .mesh_placing import EDGES, NEAR_NOW, PLACED_B, TOUCHING, place_faces
from .mesh_sheet_kernels import drop_unsupported
from .mesh_traversal import MeshPair, NearLeaves, far_cone, is_sheet, motion, motion_bound, relative_motion

NEAR = 1.02  # of the margin: how far apart faces are searched for
UNMET = DEEP  # of the margin: how deep they are searched for where surfaces intersect and no feature shows it


class Vertex(NamedTuple):
    """Vertex v of mesh `mesh` at p, in the common axes; frame: rotation and shift from its own to these."""

    v: int
    mesh: int
    frame: tuple
    p: tuple


class Face(NamedTuple):
    """Face f of mesh `mesh` with normal n in the common axes; frame: see Vertex."""

    f: int
    mesh: int
    frame: tuple
    n: tuple


@inlined
def _feature_met(pool, vertex, face, where, height, margin, far_cone):
    """What a vertex touches, a face or what adjoins it; `where` is found by `vertex_and_face`.

    Returns (kind of the feature met, its number, unit normal towards the vertex, gap).
    """
    v, n = vertex.v, face.n
    n_vertex = unrotate(vertex.frame[0], n)
    if where & OVER:
        inside = in_vertex_cone(pool.star_start, pool.star, v, n_vertex, far_cone if where & COMING else NEAR_CONE)
        if inside and height < 0.0 and is_sheet(pool, face.mesh):
            inside = height >= -depth_of_vertex(pool.face_real, pool.star_start, pool.star_face, v, n_vertex)
        return FACE if inside else NOTHING, face.f, n, height
    if where & BESIDE:
        p = unrotate(face.frame[0], sub(vertex.p, face.frame[1]))
        kind, feature, n_edge, gap = vertex_beside_face(pool, face.f, p, margin)
        if kind != NOTHING:
            n_edge = rotate(face.frame[0], n_edge)
            if in_vertex_cone(pool.star_start, pool.star, v, unrotate(vertex.frame[0], n_edge), NEAR_CONE):
                return kind, feature, n_edge, gap
    if where & COMING and in_vertex_cone(pool.star_start, pool.star, v, n_vertex, far_cone):
        return FACE, face.f, n, height
    return NOTHING, face.f, n, height


@inlined
def _vertex_contact(pool, vertex, face, where, height, margin, far_cone, turned):
    """The contact of a vertex with a face: (True if it is one, position, normal from a to b, gap, key).

    turned: 1 if the vertex is of a.
    """
    v, n, p = vertex.v, face.n, vertex.p
    if where & (OVER + COMING) and is_sheet(pool, face.mesh) and not is_sheet(pool, vertex.mesh):
        n_vertex = unrotate(vertex.frame[0], n)
        if not is_before_sheet(pool.face_real, pool.star_start, pool.star_face, v, n_vertex):
            where &= BESIDE
    kind, feature, normal, gap = _feature_met(pool, vertex, face, where, height, margin, far_cone)
    if kind == NOTHING or (turned and kind == VERTEX):
        return False, p, n, height, np.int64(0)
    other = feature_number(pool, kind, feature, face.mesh)
    mine = v - pool.mesh_int[vertex.mesh, FIRST_VERTEX]
    position = along(p, normal, -0.5 * gap)
    if turned:
        key = mesh_key(VERTEX_FACE if kind == FACE else VERTEX_EDGE, mine, other)
        normal = scale(normal, -1.0)
    else:
        code = FACE_VERTEX if kind == FACE else (EDGE_VERTEX if kind == EDGE else VERTEX_VERTEX)
        key = mesh_key(code, other, mine)
    if where & DOUBTFUL and kind == FACE:
        key |= DOUBT
    return True, position, normal, gap, key


@inner
def _vertices_on_faces(pair, turned, tables, count, reach, margin, m, out):
    """Contacts of the vertices of one face of each pair of faces with the other; return the new m.

    turned: 1 if the vertices are those of a and the faces those of b: the normal found is then that from b to a.
    """
    pool, rel = pair.pool, pair.rel
    _, pairs, placed = tables
    # From the axes of a and of b to the common ones, which are those of a.
    own = (((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0))
    other = (rel.rotation, rel.shift)
    iv, i = (pair.a, pair.b) if turned else (pair.b, pair.a)
    frame_v, frame_f = (own, other) if turned else (other, own)
    at_v, at_f = (0, PLACED_B) if turned else (PLACED_B, 0)
    ints, sheet, sign = pool.face_int, is_sheet(pool, i), -1.0 if turned else 1.0
    cone, seen_behind = far_cone(pair), OVER + COMING + DOUBTFUL
    for q in range(count):
        corners = (pairs[q, TOUCHING] >> (3 if turned else 0)) & 7
        if corners == 0:
            continue
        f, fv = (pairs[q, 1], pairs[q, 0]) if turned else (pairs[q, 0], pairs[q, 1])
        a, b, c = part(placed, q, at_f), part(placed, q, at_f + 3), part(placed, q, at_f + 6)
        n = part(placed, q, at_f + NORMAL)
        depth = pairs[q, NEAR_NOW] * pool.face_real[f, DEPTH]
        for k in range(3):
            if not corners & (1 << k):
                continue
            vertex = Vertex(ints[fv, OWN_VERTICES + k], iv, frame_v, part(placed, q, at_v + 3 * k))
            p = vertex.p
            if is_beside(a, b, c, n, p, reach):
                continue
            move = motion(rel, p, sign)
            rims, corners_f, facing, wanted = rims_of(pool, f), (a, b, c), n, BESIDE + seen_behind
            for _ in range(2 if sheet else 1):
                where, height = vertex_and_face(p, move, rims, corners_f, facing, depth, margin)
                where &= wanted
                if where:
                    face = Face(f, i, frame_f, facing)
                    found, x, normal, gap, key = _vertex_contact(
                        pool, vertex, face, where, height, margin, cone, turned
                    )
                    if found:
                        m = write_contact(out, m, pair.frame, x, normal, gap, key)
                # From behind.
                rims, corners_f, facing, wanted = rims_from_behind(rims), (a, c, b), scale(n, -1.0), seen_behind
    return m


@inner
def _edges_on_edges(pair, tables, count, reach, margin, m, out):
    """Contacts between the edges that the faces of each pair own; return the new count m."""
    pool, rel = pair.pool, pair.rel
    _, pairs, placed = tables
    edge, ints = pool.edge_real, pool.face_int
    sheet_a, sheet_b, far = is_sheet(pool, pair.a), is_sheet(pool, pair.b), far_cone(pair)
    for q in range(count):
        edges = pairs[q, TOUCHING] >> EDGES
        if edges == 0:
            continue
        fa, fb = pairs[q, 0], pairs[q, 1]
        deepest = pairs[q, NEAR_NOW] * min(pool.face_real[fa, DEPTH], pool.face_real[fb, DEPTH])
        for j in range(3):
            if not edges & (1 << j):
                continue
            eb = ints[fb, OWN_EDGES + j]
            q0 = part(placed, q, PLACED_B + 3 * j)
            v = sub(part(placed, q, PLACED_B + 3 * ((j + 1) % 3)), q0)
            for i in range(3):
                if not edges & (8 << i):
                    continue
                ea = ints[fa, OWN_EDGES + i]
                p0 = part(placed, q, 3 * i)
                u = sub(part(placed, q, 3 * ((i + 1) % 3)), p0)
                if not may_cross(p0, u, q0, v, max(reach, deepest), 2.0 * reach, deepest):
                    continue
                left_b = rotate(rel.rotation, part(edge, eb, INWARD))
                right_b = rotate(rel.rotation, part(edge, eb, INWARD + 3))
                left_a, right_a = part(edge, ea, INWARD), part(edge, ea, INWARD + 3)
                deep = pairs[q, NEAR_NOW] * min(edge[ea, EDGE_DEPTH], edge[eb, EDGE_DEPTH])
                n, gap = common_normal(p0, u, q0, v, left_a, right_a, left_b, right_b)
                if gap == np.inf or gap < -deep:
                    continue
                lines = (p0, u, q0, v)
                # Edges that pass through each other within the step are still to meet, however near they are.
                coming = gap > 0.0 and gap + edge_approach(lines, n, rel.slide, rel.turn) < 0.0
                cone = far if coming or gap > margin else NEAR_CONE
                if not in_both_cones(n, left_a, right_a, left_b, right_b, cone):
                    continue
                # A sheet has no inside.
                if not sheet_a and out_of_edge(part(edge, ea, SIDE), left_a, right_a, n) < -2.0 * cone:
                    continue
                if not sheet_b:
                    side_b = rotate(rel.rotation, part(edge, eb, SIDE))
                    if out_of_edge(side_b, left_b, right_b, n) > 2.0 * cone:
                        continue
                meet, position = edges_meet(lines, n, gap, rel.slide, rel.turn, margin)
                beyond = not meet and not (sheet_a or sheet_b)
                if beyond:
                    meet, position = meet_at_saddle(pool, (ea, eb), lines, n, gap, rel, reach, margin)
                if meet:
                    number = ea - pool.mesh_int[pair.a, FIRST_EDGE]
                    key = mesh_key(EDGE_EDGE, number, eb - pool.mesh_int[pair.b, FIRST_EDGE])
                    if beyond:
                        key |= BEYOND
                    if is_doubtful_crossing(pool, (ea, eb), lines, n, position, gap, rel.rotation):
                        key |= DOUBT
                    m = write_contact(out, m, pair.frame, position, n, gap, key)
    return m


@inner
def no_leaves():
    """An empty NearLeaves: the trees are descended."""
    return NearLeaves(np.empty((0, 3), np.int32), np.int64(0), np.int64(0), -1.0, 1.0, 0.0, 1.0)


@inner
def search_tables():
    """Work space of a search: stack of nodes (STACK,2), pairs of leaves or faces (BATCH,4), these placed (BATCH,24)."""
    return np.empty((STACK, 2), np.int32), np.empty((BATCH, 4), np.int32), np.empty((BATCH, 24))


@inner
def _meet(pair, near, margin, leaves, tables, out):
    """All features of the two meshes that touch or will; `near` [m]: how far apart or deep faces are searched for.

    Returns (number of contacts, whether any leaves came near).
    """
    pool, rel = pair.pool, pair.rel
    stack, pairs, _ = tables
    near_any = False
    m = np.int64(0)
    reach = margin + motion_bound(rel, pool.mesh_size[pair.b])
    wide = wide_search(pool, pair.a, pair.b, rel, near, True)
    at, top = first_leaf_pairs(pair, leaves, near, stack)
    while at < leaves.last or top > 0:
        count, at, top = next_leaf_pairs(pair, wide, leaves, near, at, stack, top, pairs)
        near_any = near_any or count > 0
        count = place_faces(pair, tables, count, margin, near, reach)
        if count > 0:
            for turned in range(2):
                m = _vertices_on_faces(pair, turned, tables, count, reach, margin, m, out)
            m = _edges_on_edges(pair, tables, count, reach, margin, m, out)
    return m, near_any


@inner
def meshes_meet(pair, margin, leaves, tables, out):
    """Contacts of a MeshPair, see `mesh_pair`: (count, how far was searched).

    leaves: NearLeaves, only a help: the answer has the same bits with any list that is complete; tables: work space.
    """
    near = NEAR * margin
    m, deepest = np.int64(0), 0.0
    sheet_a, sheet_b = is_sheet(pair.pool, pair.a), is_sheet(pair.pool, pair.b)
    asked, cut, sheets = sheet_a and sheet_b, False, np.int64(sheet_a) + np.int64(sheet_b)
    # Searches of one pair, each three times as deep, until no overlap is deeper than what was searched.
    for _ in range(6):
        m, near_any = _meet(pair, near, margin, leaves, tables, out)
        if m > len(out.gap):
            return m, near
        if sheet_a and sheet_b:
            m = drop_unsupported(pair, margin, tables, out, m)
        if sheets == 0:
            m = drop_uncut(pair, margin, tables, out, m)
        m = drop_hidden(out, m, margin)
        deepest = 0.0
        for k in range(m):
            deepest = min(deepest, out.gap[k])
        if near_any and deepest == 0.0 and not asked:
            asked, cut = True, surfaces_cut(pair, SHALLOW * margin, leaves, tables)
        # Faces that lie deeper than they were searched for may have more vertices inside, or the only ones.
        unmet = cut and deepest == 0.0 and near < UNMET * margin
        if -deepest <= 0.5 * near and not unmet:
            break
        near = 3.0 * max(near, -deepest)
    if cut and deepest == 0.0:
        m = add_separation(pair, margin, sheets, tables, out, m)
    return m, near


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
    pair = MeshPair(pool, ia, ib, rel, (ra, (xa[0], xa[1], xa[2])))
    out = Contacts(out_position, out_normal, out_gap, out_key)
    return meshes_meet(pair, margin, no_leaves(), search_tables(), out)[0]
