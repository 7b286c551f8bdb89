"""Mesh pool: everything the mesh kernels need to know of all meshes, in flat arrays.

Vertices are given relative to the body's centre of mass, in body axes. All indices are those of the pool;
`vertex_start[m]` and its like say where mesh m begins.
"""

import math
from typing import NamedTuple

import numpy as np

from .mesh_build_kernels import build_tree, flat_patches, inward_distance

FLAT_ANGLE = math.radians(0.25)  # edges bent less than this are no edges
PATCH_ANGLE = 1e-3  # faces within this of one plane are one patch
DEGENERATE = 1e-12  # area over longest edge squared: below it a triangle has no normal
CONVEX, FLAT, CONCAVE = 1, 0, -1
DEEPEST = 0.25  # of the mesh's size: overlap deeper than this is never followed


class MeshPool(NamedTuple):
    """M meshes with V vertices, T triangles, E edges, N tree nodes in all.

    vertices (V,3) [m]; triangles (T,3) vertex indices, in the order of the tree; normals (T,3);
    patch (T,) flat patch of a face, counted in its mesh; depth (T,) [m] half the thickness of the solid behind a face;
    edges (E,2); edge_faces (E,2), the second -1 at a boundary; edge_inward (E,2,3) unit vectors from the edge
    into its faces; edge_kind (E,) CONVEX, FLAT or CONCAVE; edge_depth (E,) [m] the smaller of its faces' depths;
    face_edges (T,3) edge from corner k to k+1; owned_edges, owned_vertices (T,3): the edges and vertices that
    this face answers for, -1 for those of other faces and those that can touch nothing;
    star_start (V+1,), star (S,3) unit vectors from a vertex to its neighbours; fan_start (V+1,), fan (3T,) faces
    at a vertex; box (N,6) centre and half size; child (N,) first of two neighbouring children, -1 at a leaf;
    leaf (N,) face of a leaf; vertex_start, face_start, edge_start, node_start (M+1,);
    is_open (M,) bool: a sheet, touched from both sides; size (M,) [m] bounding radius about the centre of mass.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    normals: np.ndarray
    patch: np.ndarray
    depth: np.ndarray
    edges: np.ndarray
    edge_faces: np.ndarray
    edge_inward: np.ndarray
    edge_kind: np.ndarray
    edge_depth: np.ndarray
    face_edges: np.ndarray
    owned_edges: np.ndarray
    owned_vertices: np.ndarray
    star_start: np.ndarray
    star: np.ndarray
    fan_start: np.ndarray
    fan: np.ndarray
    box: np.ndarray
    child: np.ndarray
    leaf: np.ndarray
    vertex_start: np.ndarray
    face_start: np.ndarray
    edge_start: np.ndarray
    node_start: np.ndarray
    is_open: np.ndarray
    size: np.ndarray


class _Edges(NamedTuple):
    ends: np.ndarray
    faces: np.ndarray
    face_edges: np.ndarray
    is_open: bool


def _face_normals(vertices, triangles):
    """Unit normals (T,3) and which faces are too thin to have one."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    cross = np.cross(b - a, c - a)
    double_area = np.linalg.norm(cross, axis=1)
    longest = np.maximum.reduce([((b - a) ** 2).sum(1), ((c - b) ** 2).sum(1), ((a - c) ** 2).sum(1)])
    bad = double_area <= DEGENERATE * longest
    return cross / np.where(bad, 1.0, double_area)[:, None], bad


def _find_edges(triangles, vertex_count):
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
    by_face = np.argsort(halves, kind="stable")
    place = np.empty(len(halves), dtype=np.int64)
    place[by_face] = np.arange(len(halves))
    face_edges = np.empty(3 * len(triangles), dtype=np.int64)
    face_edges[halves] = place
    face_edges[half_b] = place[: len(half_b)]
    ends = np.stack((start[halves], end[halves]), axis=1)[by_face]
    return _Edges(ends, faces[by_face], face_edges.reshape(-1, 3), bool(np.any(uses % 2)))


def _borrow_normals(normals, bad, edges):
    """Give faces without a normal that of a neighbour, from good faces outward."""
    pair = edges.faces[edges.faces[:, 1] >= 0]
    for _ in range(16):
        todo = bad & ~normals.any(axis=1)
        if not np.any(todo):
            return
        for here, there in ((0, 1), (1, 0)):
            take = pair[todo[pair[:, here]] & normals[pair[:, there]].any(axis=1)]
            normals[take[:, here]] = normals[take[:, there]]


def _edge_geometry(vertices, normals, edges):
    """Directions from the edges into their faces (E,2,3) and the kind of every edge (E,)."""
    direction = vertices[edges.ends[:, 1]] - vertices[edges.ends[:, 0]]
    length = np.linalg.norm(direction, axis=1)
    direction /= np.where(length > 0.0, length, 1.0)[:, None]
    left = normals[edges.faces[:, 0]]
    right = normals[edges.faces[:, 1]]
    lone = edges.faces[:, 1] < 0
    inward = np.empty((len(direction), 2, 3))
    inward[:, 0] = np.cross(left, direction)
    inward[:, 1] = np.where(lone[:, None], inward[:, 0], -np.cross(right, direction))
    kind = np.where(np.einsum("ij,ij->i", left, inward[:, 1]) < 0.0, CONVEX, CONCAVE)
    kind[np.einsum("ij,ij->i", left, right) > math.cos(FLAT_ANGLE)] = FLAT
    kind[lone | ((kind == CONCAVE) & edges.is_open)] = CONVEX
    return inward, kind


def _rows(group, value, count):
    """Group the values by `group` in 0..count-1: (start (count+1,), values)."""
    order = np.argsort(group, kind="stable")
    return np.concatenate(([0], np.cumsum(np.bincount(group, minlength=count)))), value[order]


def _touching_vertices(triangles, edges, kind, patch, vertex_count):
    """Vertices that can touch something: not those inside a flat patch, not those with concave edges only."""
    low = np.full(vertex_count, np.iinfo(np.int64).max)
    high = np.full(vertex_count, -1)
    for k in range(3):
        np.minimum.at(low, triangles[:, k], patch)
        np.maximum.at(high, triangles[:, k], patch)
    lone = edges.faces[:, 1] < 0
    convex, concave, rim = (np.zeros(vertex_count, dtype=bool) for _ in range(3))
    for end in range(2):
        convex[edges.ends[kind == CONVEX, end]] = True
        concave[edges.ends[kind == CONCAVE, end]] = True
        rim[edges.ends[lone, end]] = True
    inside = (low == high) & ~rim
    return ~inside & (convex | ~concave)


def _owned(table, able, allowed):
    """Keep every number of `table` (T,3) only where it stands first in a face of `able`; -1 elsewhere."""
    flat = np.where(able[:, None] & allowed[table], table, -1).ravel()
    owned = np.full(len(flat), -1)
    number, first = np.unique(flat, return_index=True)
    owned[first] = number
    return owned.reshape(-1, 3)


def _build_one(vertices, triangles):
    """The arrays of one mesh, numbered from zero, as a dict by the names of MeshPool."""
    vertices = np.ascontiguousarray(vertices, dtype=float)
    triangles = np.asarray(triangles, dtype=np.int64)
    normals, bad = _face_normals(vertices, triangles)
    if np.all(bad):
        raise ValueError("a mesh needs at least one triangle with an area")
    good = np.flatnonzero(~bad)
    corners = vertices[triangles[good]]
    box, child, order, leaf = build_tree(corners.min(axis=1), corners.max(axis=1))
    order = np.concatenate((good[order], np.flatnonzero(bad)))
    triangles, normals, bad = np.ascontiguousarray(triangles[order]), normals[order], bad[order]
    edges = _find_edges(triangles, len(vertices))
    _borrow_normals(normals, bad, edges)
    inward, kind = _edge_geometry(vertices, normals, edges)
    patch = flat_patches(normals, edges.face_edges, edges.faces, math.cos(PATCH_ANGLE))
    size = float(np.sqrt((vertices**2).sum(axis=1).max()))
    depth = 0.5 * inward_distance(vertices, triangles, normals, box, child, leaf, 2.0 * DEEPEST * size)
    if edges.is_open:
        depth[:] = DEEPEST * size
    second = np.where(edges.faces[:, 1] < 0, edges.faces[:, 0], edges.faces[:, 1])
    touching = _touching_vertices(triangles, edges, kind, patch, len(vertices))
    here, there = np.concatenate((edges.ends, edges.ends[:, ::-1])).T
    length = np.linalg.norm(vertices[there] - vertices[here], axis=1)
    star = (vertices[there] - vertices[here]) / np.where(length > 0.0, length, 1.0)[:, None]
    star_start, star = _rows(here, star, len(vertices))
    fan_start, fan = _rows(triangles.ravel(), np.repeat(np.arange(len(triangles)), 3), len(vertices))
    return {
        "vertices": vertices,
        "triangles": triangles,
        "normals": normals,
        "patch": patch,
        "depth": depth,
        "edges": edges.ends,
        "edge_faces": edges.faces,
        "edge_inward": inward,
        "edge_kind": kind,
        "edge_depth": np.minimum(depth[edges.faces[:, 0]], depth[second]),
        "face_edges": edges.face_edges,
        "owned_edges": _owned(edges.face_edges, ~bad, kind == CONVEX),
        "owned_vertices": _owned(triangles, ~bad, touching),
        "star_start": star_start,
        "star": star,
        "fan_start": fan_start,
        "fan": fan,
        "box": box,
        "child": child,
        "leaf": leaf,
        "is_open": np.array([edges.is_open]),
        "size": np.array([size]),
    }


# Tables of indices, the table whose rows they count, and their type in the pool.
_POINTS_INTO = {
    "triangles": "vertices",
    "edges": "vertices",
    "edge_faces": "triangles",
    "face_edges": "edges",
    "owned_edges": "edges",
    "owned_vertices": "vertices",
    "star_start": "star",
    "fan_start": "fan",
    "fan": "triangles",
    "child": "box",
    "leaf": "triangles",
}
_STARTS = {"vertex_start": "vertices", "face_start": "triangles", "edge_start": "edges", "node_start": "box"}


def _joined(parts, name, offsets):
    """Join one table of all meshes; indices are shifted, -1 stays -1; pointer tables lose all but the last end."""
    tables = [part[name] for part in parts]
    if name in _POINTS_INTO:
        tables = [np.where(t < 0, -1, t + o) for t, o in zip(tables, offsets[_POINTS_INTO[name]][:-1], strict=True)]
    if name in ("star_start", "fan_start"):
        tables = [t[:-1] for t in tables[:-1]] + tables[-1:]
    joined = np.concatenate(tables)
    if name == "edge_kind":
        return joined.astype(np.int8)
    if joined.dtype.kind == "i":
        return joined.astype(np.int32)
    return np.ascontiguousarray(joined)


def build_mesh_pool(meshes):
    """Pool `meshes`, a list of (vertices (V,3) [m] about the centre of mass in body axes, triangles (T,3)).

    Meshes should be welded and outward oriented (`shapes.mesh_prep.prepare_mesh`); an open one is taken as a
    sheet that is touched from both sides. Raises ValueError for a mesh without a triangle that has an area.
    """
    parts = [_build_one(*mesh) for mesh in meshes]
    if not parts:
        return _empty_pool()
    counted = set(_POINTS_INTO.values())
    offsets = {name: np.concatenate(([0], np.cumsum([len(part[name]) for part in parts]))) for name in counted}
    tables = {name: _joined(parts, name, offsets) for name in parts[0]}
    starts = {name: offsets[table].astype(np.int32) for name, table in _STARTS.items()}
    return MeshPool(**tables, **starts)


def _empty_pool():
    """A pool of no meshes, of the same types as any other."""
    one = build_mesh_pool([(np.eye(3), np.array([[0, 1, 2]]))])
    kept = ("star_start", "fan_start", *_STARTS)
    return MeshPool(*(table[:1] if name in kept else table[:0] for name, table in zip(one._fields, one, strict=True)))
