"""Mesh pool: everything the mesh kernels need to know of all meshes, in flat arrays.

Vertices are given relative to the body's centre of mass, in body axes. All indices are those of the pool;
`vertex_start[m]` and its like say where mesh m begins.
"""

import math
from typing import NamedTuple

import numpy as np

from ...meshes.bounding_tree import bounding_tree
from ...meshes.integrals import corner_columns, cross_columns, dot_columns
from ...meshes.mesh_build_kernels import flat_patches, inward_distance
from ...meshes.mesh_lanes import LANES, fill_bounds, widen
from ...meshes.mesh_prep import corner_boxes, grouping_order
from ..convex.narrow_kernels import RELATIVE_MARGIN
from ..manifold.reduce_kernels import SHALLOW

FLAT_ANGLE = math.radians(0.25)  # edges bent less than this are no edges, if they rise little, see _edge_geometry
PATCH_ANGLE = 1e-3  # faces within this of one plane are one patch
DEGENERATE = 1e-12  # area over longest edge squared: below it a triangle has no normal
CONVEX, FLAT, CONCAVE = 1, 0, -1
DEEPEST = 0.25  # of the mesh's size: overlap deeper than this is never followed
CONCAVE_SLACK = 2.0  # of the depth: how far a face widens below a concave edge, at most
THROUGH = 2.0  # of the solid's thickness behind a face: likewise; cones and `drop_hidden` tell the sides of a wall


# Columns of the tables of MeshPool.
CORNERS, NORMAL, DEPTH, WIDENING = 0, 9, 12, 13  # face_real
OWN_VERTICES, OWN_EDGES, RIM, PATCH = 0, 3, 6, 9  # face_int
START, SIDE, INWARD, EDGE_DEPTH, SADDLES = 0, 3, 6, 12, 13  # edge_real
EDGE_OF = 3  # star
# What lies across a face's edge. A concave one bears two more bits: an edge that meets its start or its end is convex.
OPEN_RIM, FLAT_RIM, FLAT_FOREIGN_RIM, CONVEX_RIM, CONCAVE_RIM = 0, 1, 2, 3, 4
CONVEX_AT_START, CONVEX_AT_END = 1, 2
CHILD, LEAF = 6, 7  # tree
TREE_STACK = 128  # room for nodes that wait while a tree is descended: one a level
FIRST_VERTEX, FIRST_EDGE, ROOT, SHEET = 0, 1, 2, 3  # mesh_int


class MeshPool(NamedTuple):
    """M meshes with V vertices, T triangles, E edges, N tree nodes in all. Few wide tables: kernels take them quicker.

    face_real (T,16): corners (9) [m], unit normal, depth [m] to which a feature behind it touches the face, and for
    each edge how far the face widens below it where it is concave, from the front or the back, relative to the depth;
    face_int (T,10): the vertices and the edges (k: corner k to k + 1) that this face owns (-1: another
    face does, or it can touch nothing), what lies across its edges, flat patch counted in its mesh;
    edge_real (E,15): start, end minus start [m], unit vectors from the edge into its two faces, depth [m], its two
    vertices, -1 for one that meets no concave edge;
    vertices (V,3) [m]; star_start (V+1,), star (S,4): unit vectors from a vertex to its neighbours, and the edge there
    if it is convex, else -1;
    star_face (S,): the faces at a vertex, -1 where there are fewer than neighbours;
    tree (N,8): centre and half size of a node [m], the first of its two neighbouring children or -1, face of a leaf;
    wide_row (N,): row of the wide node (see mesh_lanes) of what is under a tree node, -1 for leaves and where there is
    none; wide_node (W,8): tree nodes of its lanes, -1 for an empty one; wide_box (W,6,8) float32: their boxes;
    mesh_int (M,4): first vertex, first edge, root node, 1 for a sheet (an open mesh, touched from both sides);
    mesh_size (M,) [m]: bounding radius about the centre of mass;
    leaf_size (M,2) [m]: greatest sum over the leaves of their distance from the centre of mass and twice their half
    diagonal, and greatest half diagonal.
    """

    face_real: np.ndarray
    face_int: np.ndarray
    edge_real: np.ndarray
    vertices: np.ndarray
    star_start: np.ndarray
    star: np.ndarray
    star_face: np.ndarray
    tree: np.ndarray
    wide_row: np.ndarray
    wide_node: np.ndarray
    wide_box: np.ndarray
    mesh_int: np.ndarray
    mesh_size: np.ndarray
    leaf_size: np.ndarray


class _Edges(NamedTuple):
    ends: np.ndarray
    faces: np.ndarray
    face_edges: np.ndarray
    is_open: bool


def _face_normals(vertices, triangles):
    """Unit normals (T,3) and which faces are too thin to have one."""
    a, b, c = corner_columns(vertices, triangles)
    ab, ac = b - a, c - a
    cross = cross_columns(ab, ac)
    double_area = np.sqrt(dot_columns(cross, cross))
    longest = np.maximum.reduce([dot_columns(side, side) for side in (ab, c - b, ac)])
    bad = double_area <= DEGENERATE * longest
    return np.ascontiguousarray((cross / np.where(bad, 1.0, double_area)).T), bad


def find_edges(triangles, vertex_count):
    """Edges with their two faces. Where other than two faces meet, every face gets a boundary edge of its own."""
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    key = np.minimum(start, end) * np.int64(vertex_count) + np.maximum(start, end)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    uses = np.diff(np.concatenate((first, [len(ordered)])))
    half_a, half_b = order[first[uses == 2]], order[first[uses == 2] + 1]
    single = np.sort(order[np.repeat(uses != 2, uses)])
    halves = np.concatenate((half_a, single))
    faces = np.full((len(halves), 2), -1, dtype=np.int64)
    faces[:, 0] = halves // 3
    faces[: len(half_b), 1] = half_b // 3
    # Edges are numbered in the order of the half-edges that they begin with.
    begins = np.zeros(3 * len(triangles), dtype=bool)
    begins[halves] = True
    face_edges = np.cumsum(begins) - 1
    by_face = np.empty(len(halves), dtype=np.int64)
    by_face[face_edges[halves]] = np.arange(len(halves))
    face_edges[half_b] = face_edges[half_a]
    ends = np.stack((start[begins], end[begins]), axis=1)
    return _Edges(ends, faces[by_face], face_edges.reshape(-1, 3), bool(np.any(uses % 2)))


def borrow_normals(normals, bad, edges):
    """Give faces without a normal that of a neighbour, from good faces outward."""
    pair = edges.faces[edges.faces[:, 1] >= 0]
    for _ in range(16):
        todo = bad & ~normals.any(axis=1)
        if not np.any(todo):
            return
        for here, there in ((0, 1), (1, 0)):
            take = pair[todo[pair[:, here]] & normals[pair[:, there]].any(axis=1)]
            normals[take[:, here]] = normals[take[:, there]]


def _edge_geometry(vertices, triangles, normals, edges, size):
    """Directions from the edges into their faces (E,2,3) and the kind of every edge (E,), seen from the front.

    Between large faces an edge that is hardly bent may stand out: flat is one that rises less over the plane of one of
    its faces than overlap is seen. size [m]: of the mesh.
    """
    columns, normals = np.ascontiguousarray(vertices.T), np.ascontiguousarray(normals.T)
    direction = columns[:, edges.ends[:, 1]] - columns[:, edges.ends[:, 0]]
    length = np.sqrt(dot_columns(direction, direction))
    direction /= np.where(length > 0.0, length, 1.0)
    left = normals[:, edges.faces[:, 0]]
    right = normals[:, edges.faces[:, 1]]
    lone = edges.faces[:, 1] < 0
    inward = np.empty((2, 3, len(lone)))
    inward[0] = cross_columns(left, direction)
    inward[1] = np.where(lone, inward[0], cross_columns(direction, right))
    kind = np.where(dot_columns(left, inward[1]) < 0.0, CONVEX, CONCAVE)
    gentle = np.flatnonzero(~lone & (dot_columns(left, right) > math.cos(FLAT_ANGLE)))
    corners, start = sum(corner_columns(vertices, triangles)), 3.0 * columns[:, edges.ends[gentle, 0]]
    beside = (corners[:, edges.faces[gentle, k]] - start for k in range(2))
    rise = [abs(dot_columns(n[:, gentle], far)) for n, far in zip((right, left), beside, strict=True)]
    kind[gentle[np.minimum(*rise) < SHALLOW * RELATIVE_MARGIN * size]] = FLAT
    kind[lone] = CONVEX
    return np.ascontiguousarray(inward.transpose(2, 0, 1)), kind


def _widenings(normals, edges):
    """How far faces widen below their edges (T,3), relative to the depth there: the tangents of the bends.

    That is as far as the wedge between the prisms of both faces goes: what is beyond it lies behind the other one.
    """
    left, right = normals[edges.faces[:, 0]], normals[edges.faces[:, 1]]
    cosine, sine = np.sum(left * right, axis=1), np.linalg.norm(np.cross(left, right), axis=1)
    gentle = sine < CONCAVE_SLACK * cosine
    wider = np.full(len(left), CONCAVE_SLACK)
    wider[gentle] = sine[gentle] / cosine[gentle]
    return wider[edges.face_edges]


def _without_pits(depth, edges):
    """Raise lone small depths (a ray that leaves through a crease beside its face) to the smallest neighbour's."""
    left, right = edges.faces[edges.faces[:, 1] >= 0].T
    around = np.full(len(depth), np.inf)
    np.minimum.at(around, left, depth[right])
    np.minimum.at(around, right, depth[left])
    return np.where(np.isfinite(around), np.maximum(depth, around), depth)


def _rows(group, value, count):
    """Group the values by `group` in 0..count-1: (start (count+1,), values)."""
    order = grouping_order(group, count)
    return np.concatenate(([0], np.cumsum(np.bincount(group, minlength=count)))), value[order]


def _table(columns, dtype):
    """The columns (rows,) and (rows,k) side by side."""
    parts = [column if column.ndim == 2 else column[:, None] for column in columns]
    table = np.empty((len(parts[0]), sum(part.shape[1] for part in parts)), dtype)
    at = 0
    for part in parts:
        table[:, at : at + part.shape[1]] = part
        at += part.shape[1]
    return table


def _touching_vertices(triangles, edges, kind, patch, vertex_count):
    """Vertices that can touch something: those with a convex edge or a rim, and those with flat edges only that are
    inside no flat patch."""
    of_one = np.full(vertex_count, -1)
    for k in range(3):
        of_one[triangles[:, k]] = patch
    flat = of_one >= 0
    for k in range(3):
        flat[triangles[of_one[triangles[:, k]] != patch, k]] = False
    convex, concave = (np.zeros(vertex_count, dtype=bool) for _ in range(2))
    for end in range(2):
        convex[edges.ends[kind == CONVEX, end]] = True
        concave[edges.ends[kind == CONCAVE, end]] = True
    return convex | ~(flat | concave)


def _saddles(edges, kind):
    """The ends of the edges (E,2), -1 for those that meet no concave edge."""
    concave = np.zeros(edges.ends.max() + 1, dtype=bool)
    concave[edges.ends[kind == CONCAVE]] = True
    return np.where(concave[edges.ends], edges.ends, -1)


def _owned(table, able, allowed):
    """Keep every number of `table` (T,3) only where it stands first in a face of `able`; -1 elsewhere."""
    flat = table.ravel()
    places = np.flatnonzero((able[:, None] & allowed[table]).ravel())
    first = np.full(len(allowed), -1)
    # Of several values for one place the last is kept.
    first[flat[places[::-1]]] = places[::-1]
    owned = np.full(len(flat), -1)
    taken = np.flatnonzero(first >= 0)
    owned[first[taken]] = taken
    return owned.reshape(-1, 3)


def ordered_faces(vertices, triangles):
    """Triangles in the order of their tree's leaves, those without area last: (triangles, normals, bad, tree)."""
    vertices, triangles = np.asarray(vertices, dtype=float), np.asarray(triangles, dtype=np.int64)
    normals, bad = _face_normals(vertices, triangles)
    if np.all(bad):
        raise ValueError("a mesh needs at least one triangle with an area")
    good = np.flatnonzero(~bad)
    box, child, order, leaf = bounding_tree(*corner_boxes(vertices, triangles[good]))
    order = np.concatenate((good[order], np.flatnonzero(bad)))
    return np.ascontiguousarray(triangles[order]), normals[order], bad[order], (box, child, leaf)


def _build_one(vertices, triangles):
    """The arrays of one mesh, numbered from zero, as a dict by the names of MeshPool."""
    vertices = np.ascontiguousarray(vertices, dtype=float)
    triangles, normals, bad, (box, child, leaf) = ordered_faces(vertices, triangles)
    edges = find_edges(triangles, len(vertices))
    borrow_normals(normals, bad, edges)
    size = float(np.sqrt((vertices**2).sum(axis=1).max()))
    inward, kind = _edge_geometry(vertices, triangles, normals, edges, size)
    rims = _rims(triangles, edges, kind)
    if edges.is_open:
        kind = np.abs(kind)
    patch = flat_patches(normals, edges.face_edges, edges.faces, math.cos(PATCH_ANGLE))
    depth = THROUGH * inward_distance(vertices, triangles, normals, box, child, leaf, DEEPEST / THROUGH * size)
    if edges.is_open:
        depth[:] = DEEPEST * size
    depth = _without_pits(depth, edges)
    touching = _touching_vertices(triangles, edges, kind, patch, len(vertices))
    start = vertices[edges.ends[:, 0]]
    side = vertices[edges.ends[:, 1]] - start
    length = np.linalg.norm(side, axis=1)
    away = side / np.where(length > 0.0, length, 1.0)[:, None]
    convex = np.where(kind == CONVEX, np.arange(len(kind)), -1)[:, None]
    star = np.concatenate((np.hstack((away, convex)), np.hstack((-away, convex))))
    star_start, star = _rows(edges.ends.T.ravel(), star, len(vertices))
    edge_faces = np.where(edges.faces < 0, edges.faces[:, :1], edges.faces)
    tree = _table((box, child, leaf), float)
    wide_row, wide_node = widen(child)
    corners = vertices[triangles].reshape(-1, 9)
    owned = (_owned(triangles, ~bad, touching), _owned(edges.face_edges, ~bad, kind == CONVEX))
    return {
        "face_real": _table((corners, normals, depth, _widenings(normals, edges)), float),
        "face_int": _table((*owned, rims, patch), np.int32),
        "edge_real": _table(
            (start, side, inward.reshape(-1, 6), np.minimum(*depth[edge_faces].T), _saddles(edges, kind)), float
        ),
        "vertices": vertices,
        "star_start": star_start,
        "star": star,
        "star_face": _star_faces(triangles, star_start),
        "tree": tree,
        "wide_row": wide_row,
        "wide_node": wide_node,
        "wide_box": np.empty((len(wide_node), 6, LANES), np.float32),
        "mesh_int": np.array([[0, 0, 0, edges.is_open]]),
        "mesh_size": np.array([size]),
        "leaf_size": np.empty((1, 2)),
    }


def _rims(triangles, edges, kind):
    """What lies across every face's edges (T,3): for flat ones also whether the edge counts as this face's own."""
    corner = np.zeros(triangles.max() + 1, dtype=np.int64)
    corner[edges.ends[kind == CONVEX]] = 1
    start, end = corner[triangles], corner[np.roll(triangles, -1, axis=1)]
    concave = CONCAVE_RIM + CONVEX_AT_START * start + CONVEX_AT_END * end
    first = edges.faces[edges.face_edges, 0] == np.arange(len(edges.face_edges))[:, None]
    across = kind[edges.face_edges]
    flat = np.where(first, FLAT_RIM, FLAT_FOREIGN_RIM)
    bent = np.where(across == CONCAVE, concave, CONVEX_RIM)
    lone = edges.faces[edges.face_edges, 1] < 0
    return np.where(lone, OPEN_RIM, np.where(across == FLAT, flat, bent))


def _star_faces(triangles, star_start):
    """The faces at every vertex, in the room of its neighbours (of which there are at least as many)."""
    vertex, count = triangles.ravel(), len(star_start) - 1
    order = grouping_order(vertex, count)
    uses = np.bincount(vertex, minlength=count)
    shift = star_start[:-1] - (np.cumsum(uses) - uses)
    table = np.full(star_start[-1], -1)
    table[np.arange(len(order)) + np.repeat(shift, uses)] = order // 3
    return table


# For the columns of each table of indices: the table whose rows they count (None: not an index).
_POINTS_INTO = {
    "face_int": ("vertices",) * 3 + ("edge_real",) * 3 + (None,) * 4,
    "edge_real": (None,) * 13 + ("vertices",) * 2,
    "star": (None,) * 3 + ("edge_real",),
    "star_face": ("face_real",),
    "star_start": ("star",),
    "tree": (None,) * 6 + ("tree", "face_real"),
    "wide_row": ("wide_node",),
    "wide_node": ("tree",) * 8,
    "mesh_int": ("vertices", "edge_real", "tree", None),
}


def _joined(parts, name, offsets):
    """Join one table of all meshes; indices are shifted, -1 stays -1; star_start loses all ends but the last."""
    tables = [part[name] for part in parts]
    if name in _POINTS_INTO and len(parts) > 1:
        zero = np.zeros(len(parts), dtype=np.int64)
        shift = np.array([zero if target is None else offsets[target] for target in _POINTS_INTO[name]])
        shift = shift.T if tables[0].ndim == 2 else shift.ravel()
        tables = [np.where((t < 0) & (s > 0), t, t + s) for t, s in zip(tables, shift, strict=True)]
    if name == "star_start":
        tables = [t[:-1] for t in tables[:-1]] + tables[-1:]
    joined = tables[0] if len(tables) == 1 else np.concatenate(tables)
    return np.ascontiguousarray(joined, dtype=np.int32 if joined.dtype.kind == "i" else joined.dtype)


def build_mesh_pool(meshes):
    """Pool `meshes`, a list of (vertices (V,3) [m] about the centre of mass in body axes, triangles (T,3)).

    Meshes should be welded and outward oriented (`shapes.mesh_prep.prepare_mesh`); an open one is taken as a
    sheet that is touched from both sides. Raises ValueError for a mesh without a triangle that has an area.
    """
    parts = [_build_one(*mesh) for mesh in meshes]
    if not parts:
        one = build_mesh_pool([(np.eye(3), np.array([[0, 1, 2]]))])
        return MeshPool(*(table[:0] for table in one))
    offsets = {name: np.cumsum([0] + [len(part[name]) for part in parts])[:-1] for name in parts[0]}
    pool = MeshPool(*(_joined(parts, name, offsets) for name in MeshPool._fields))
    for mesh in range(len(parts)):
        place_bounds(pool, mesh)
    return pool


def place_bounds(pool, mesh):
    """Let what bounds a mesh of a pool follow its tree."""
    first = int(pool.mesh_int[mesh, ROOT])
    last = int(pool.mesh_int[mesh + 1, ROOT]) if mesh + 1 < len(pool.mesh_int) else len(pool.tree)
    fill_bounds(pool.tree, first, last, pool.wide_row, pool.wide_node, pool.wide_box, pool.leaf_size[mesh])


def thicknesses(pool):
    """Thickness (M,) [m] of each mesh: 90 % of its surface has at least as much solid behind it; inf for sheets.

    Thickness is known up to an eighth of the mesh's size.
    """
    result = np.full(len(pool.mesh_int), np.inf)
    ends = np.append(pool.mesh_int[1:, ROOT], len(pool.tree))
    for m, (first, last) in enumerate(zip(pool.mesh_int[:, ROOT], ends, strict=True)):
        if pool.mesh_int[m, SHEET]:
            continue
        leaves = pool.tree[first:last]
        faces = pool.face_real[leaves[leaves[:, CHILD] < 0, LEAF].astype(np.int64)]
        corners = faces[:, :9].reshape(-1, 3, 3)
        area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        order = np.argsort(faces[:, DEPTH], kind="stable")
        share = np.cumsum(area[order]) / area.sum()
        # A tenth of a mesh's surface may have thinner parts than its thickness.
        result[m] = faces[order[np.searchsorted(share, 0.1)], DEPTH] / THROUGH
    return result
