"""Compiled parts of moving a pooled surface's vertices: everything that follows from them, face order kept."""

import math

import numpy as np

from ...base.vectors import add, cross, dot, norm, part, row, scale, sub
from ...jit import inner, kernel
from ...meshes.mesh_build_kernels import flat_patches, inward_distance
from ..convex.narrow_kernels import RELATIVE_MARGIN
from ..manifold.reduce_kernels import SHALLOW
from .mesh_pool import (
    CONCAVE,
    CONCAVE_RIM,
    CONCAVE_SLACK,
    CONVEX,
    CONVEX_AT_END,
    CONVEX_AT_START,
    CONVEX_RIM,
    DEEPEST,
    DEGENERATE,
    DEPTH,
    EDGE_DEPTH,
    EDGE_OF,
    FLAT,
    FLAT_ANGLE,
    FLAT_FOREIGN_RIM,
    FLAT_RIM,
    INWARD,
    NORMAL,
    OPEN_RIM,
    OWN_EDGES,
    OWN_VERTICES,
    PATCH,
    PATCH_ANGLE,
    RIM,
    SADDLES,
    SIDE,
    START,
    THROUGH,
    WIDENING,
)

FLAT_COSINE = math.cos(FLAT_ANGLE)
PATCH_COSINE = math.cos(PATCH_ANGLE)
# By this the cones of a loose surface's vertices are wider: NEAR_CONE / FAR_CONE of mesh_features, so that what is in
# them by the second sine is so by the first.
LOOSE_CONE = 0.07


@inner
def place_faces(vertices, tables, face_real):
    """Corners and normals; a face that has lost its area keeps the normal it had."""
    for f in range(len(tables.triangles)):
        for k in range(3):
            for i in range(3):
                face_real[f, 3 * k + i] = vertices[tables.triangles[f, k], i]
        a, b, c = part(face_real, f, 0), part(face_real, f, 3), part(face_real, f, 6)
        ab, bc, ca = sub(b, a), sub(c, b), sub(a, c)
        n = cross(ab, sub(c, a))
        area = norm(n)
        if area > DEGENERATE * max(dot(ab, ab), dot(bc, bc), dot(ca, ca)) and tables.lender[f] == f:
            for i in range(3):
                face_real[f, NORMAL + i] = n[i] / area
    for f in range(len(tables.triangles)):
        lender = tables.lender[f]
        if lender >= 0 and lender != f:
            for i in range(3):
                face_real[f, NORMAL + i] = face_real[lender, NORMAL + i]


@inner
def _rise(face_real, side, other, start):
    """How far [m] the far corner of a face, beside an edge from `start`, is from the plane of the other face there."""
    corners = add(add(part(face_real, side, 0), part(face_real, side, 3)), part(face_real, side, 6))
    return abs(dot(part(face_real, other, NORMAL), sub(corners, scale(start, 3.0))))


@inner
def place_edges(vertices, tables, face_real, edge_real, kind, size):
    """Ends and directions into the faces of all edges, and their kind; size [m]: of the mesh."""
    for e in range(len(tables.ends)):
        start = row(vertices, tables.ends[e, 0])
        side = sub(row(vertices, tables.ends[e, 1]), start)
        length = norm(side)
        along = scale(side, 1.0 / length) if length > 0.0 else side
        left_face, right_face = tables.edge_faces[e, 0], tables.edge_faces[e, 1]
        left = part(face_real, left_face, NORMAL)
        into_left = cross(left, along)
        into_right = into_left
        kind[e] = CONVEX
        if right_face >= 0:
            right = part(face_real, right_face, NORMAL)
            into_right = cross(along, right)
            kind[e] = CONVEX if dot(left, into_right) < 0.0 else CONCAVE
            if dot(left, right) > FLAT_COSINE:
                rise = _rise(face_real, left_face, right_face, start), _rise(face_real, right_face, left_face, start)
                if min(rise) < SHALLOW * RELATIVE_MARGIN * size:
                    kind[e] = FLAT
        for i in range(3):
            edge_real[e, START + i] = start[i]
            edge_real[e, SIDE + i] = side[i]
            edge_real[e, INWARD + i] = into_left[i]
            edge_real[e, INWARD + 3 + i] = into_right[i]


@inner
def place_stars(vertices, tables, kind, first_edge, cone, star):
    """Unit vectors from every vertex to its neighbours, times `cone`, and the convex edges to them."""
    for s in range(len(tables.star_from)):
        away = sub(row(vertices, tables.star_to[s]), row(vertices, tables.star_from[s]))
        length = norm(away)
        for i in range(3):
            star[s, i] = cone * away[i] / length if length > 0.0 else 0.0
        edge = tables.star_edge[s]
        star[s, EDGE_OF] = edge + first_edge if kind[edge] == CONVEX else -1.0


@inner
def place_saddles(tables, kind, first_vertex, edge_real):
    """The ends of all edges that meet a concave edge."""
    concave = np.zeros(tables.triangles.max() + 1, dtype=np.bool_)
    for e in range(len(tables.ends)):
        if kind[e] == CONCAVE:
            concave[tables.ends[e, 0]] = concave[tables.ends[e, 1]] = True
    for e in range(len(tables.ends)):
        for k in range(2):
            v = tables.ends[e, k]
            edge_real[e, SADDLES + k] = v + first_vertex if concave[v] else -1.0


@inner
def place_boxes(tables, face_real, tree):
    """Boxes of the tree, leaves first: children are numbered after their parents."""
    for node in range(len(tables.child) - 1, -1, -1):
        child, face = tables.child[node], tables.leaf[node]
        for i in range(3):
            if child < 0:
                low = min(face_real[face, i], face_real[face, 3 + i], face_real[face, 6 + i])
                high = max(face_real[face, i], face_real[face, 3 + i], face_real[face, 6 + i])
            else:
                low = min(tree[child, i] - tree[child, 3 + i], tree[child + 1, i] - tree[child + 1, 3 + i])
                high = max(tree[child, i] + tree[child, 3 + i], tree[child + 1, i] + tree[child + 1, 3 + i])
            tree[node, i] = 0.5 * (low + high)
            tree[node, 3 + i] = 0.5 * (high - low)


@inner
def set_rims(tables, kind, face_int, face_real):
    """What lies across every face's edges, and how far the faces widen below them."""
    corner = np.zeros(tables.triangles.max() + 1, dtype=np.int64)
    for e in range(len(tables.ends)):
        if kind[e] == CONVEX:
            corner[tables.ends[e, 0]] = corner[tables.ends[e, 1]] = 1
    for f in range(len(tables.triangles)):
        for k in range(3):
            e = tables.face_edges[f, k]
            rim = CONVEX_RIM
            if kind[e] == CONCAVE:
                start, end = corner[tables.triangles[f, k]], corner[tables.triangles[f, (k + 1) % 3]]
                rim = CONCAVE_RIM + CONVEX_AT_START * start + CONVEX_AT_END * end
            if tables.edge_faces[e, 1] < 0:
                rim = OPEN_RIM
            elif kind[e] == FLAT:
                rim = FLAT_RIM if tables.edge_faces[e, 0] == f else FLAT_FOREIGN_RIM
            face_int[f, RIM + k] = rim
            left, right = tables.edge_faces[e, 0], tables.edge_faces[e, 1]
            one, other = part(face_real, left, NORMAL), part(face_real, right, NORMAL)
            cosine, sine = dot(one, other), norm(cross(one, other))
            gentle = sine < CONCAVE_SLACK * cosine
            face_real[f, WIDENING + k] = sine / cosine if gentle else CONCAVE_SLACK


@inner
def touching_vertices(tables, kind, patch, count):
    """Which vertices can touch something, see mesh_pool: (count,) bool."""
    low, high = np.full(count, len(patch)), np.full(count, -1)
    for f in range(len(tables.triangles)):
        for k in range(3):
            v = tables.triangles[f, k]
            low[v] = min(low[v], patch[f])
            high[v] = max(high[v], patch[f])
    convex, concave = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    for e in range(len(tables.ends)):
        for k in range(2):
            v = tables.ends[e, k]
            if kind[e] == CONVEX:
                convex[v] = True
            elif kind[e] == CONCAVE:
                concave[v] = True
    return convex | (low != high) & ~concave


@inner
def share_out(tables, kind, patch, loose, face_int, first_vertex, first_edge, count):
    """Every vertex and edge that can touch something to the first face that has an area."""
    touching = np.ones(count, dtype=np.bool_) if loose else touching_vertices(tables, kind, patch, count)
    # An edge of a blade would pass a loose surface between its vertices before the flat edges in its way are bent.
    edge_left = np.ones(len(kind), dtype=np.bool_) if loose else kind == CONVEX
    for f in range(len(tables.triangles)):
        face_int[f, PATCH] = patch[f]
        for k in range(3):
            v, e = tables.triangles[f, k], tables.face_edges[f, k]
            face_int[f, OWN_VERTICES + k] = face_int[f, OWN_EDGES + k] = -1
            if tables.lender[f] != f:
                continue
            if touching[v]:
                face_int[f, OWN_VERTICES + k] = v + first_vertex
                touching[v] = False
            if edge_left[e]:
                face_int[f, OWN_EDGES + k] = e + first_edge
                edge_left[e] = False


@inner
def set_depths(vertices, tables, face_real, edge_real, tree, size):
    """Thickness of the solid behind every face and edge."""
    faces = len(tables.triangles)
    if tables.is_open:
        depth = np.full(faces, DEEPEST * size)
    else:
        normals = face_real[:, NORMAL : NORMAL + 3].copy()
        box = tree[:, :6].copy()
        deepest = DEEPEST / THROUGH * size
        depth = inward_distance(vertices, tables.triangles, normals, box, tables.child, tables.leaf, deepest)
        depth *= THROUGH
    around = np.full(faces, np.inf)
    for e in range(len(tables.ends)):
        left, right = tables.edge_faces[e, 0], tables.edge_faces[e, 1]
        if right >= 0:
            around[left] = min(around[left], depth[right])
            around[right] = min(around[right], depth[left])
    for f in range(faces):
        face_real[f, DEPTH] = max(depth[f], around[f]) if around[f] < np.inf else depth[f]
    for e in range(len(tables.ends)):
        left, right = tables.edge_faces[e, 0], tables.edge_faces[e, 1]
        least = face_real[left, DEPTH]
        edge_real[e, EDGE_DEPTH] = min(least, face_real[right, DEPTH]) if right >= 0 else least


@kernel
def refit(vertices, tables, face_real, face_int, edge_real, star, tree, first_vertex, first_edge, thickness,
          loose):  # fmt: skip
    """Rewrite one mesh's rows of the pool for new vertices (V,3); return its bounding radius.

    The tables are this mesh's slices of the pool's. thickness: measure the solid's thickness anew (a ray a face).
    loose: see mesh_refit.refit_mesh.
    """
    place_faces(vertices, tables, face_real)
    size = 0.0
    for v in range(len(vertices)):
        p = row(vertices, v)
        size = max(size, dot(p, p))
    size = math.sqrt(size)
    kind = np.empty(len(tables.ends), dtype=np.int64)
    place_edges(vertices, tables, face_real, edge_real, kind, size)
    place_boxes(tables, face_real, tree)
    set_rims(tables, kind, face_int, face_real)
    if tables.is_open:
        kind = np.abs(kind)
    place_stars(vertices, tables, kind, first_edge, LOOSE_CONE if loose else 1.0, star)
    place_saddles(tables, kind, first_vertex, edge_real)
    normals = face_real[:, NORMAL : NORMAL + 3].copy()
    # No two faces are as parallel as that: every face is a patch of its own.
    patch = flat_patches(normals, tables.face_edges, tables.edge_faces, 2.0 if loose else PATCH_COSINE)
    share_out(tables, kind, patch, loose, face_int, first_vertex, first_edge, len(vertices))
    if thickness:
        set_depths(vertices, tables, face_real, edge_real, tree, size)
    return size
