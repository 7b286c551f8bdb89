"""Deforming surfaces: new vertex positions for a mesh of the pool, without building it anew.

The order of the faces and the shape of the tree stay; boxes, normals, edge cones, flat patches and who owns
which feature follow the vertices. Numbers of faces, edges and vertices keep their meaning, so the keys of contacts
last while a surface bends.
"""

from typing import NamedTuple

import numpy as np

from .mesh_pool import FIRST_EDGE, FIRST_VERTEX, ROOT, borrow_normals, find_edges, ordered_faces, place_bounds
from .mesh_refit_kernels import refit


class RefitTables(NamedTuple):
    """How one mesh of T triangles, V vertices and E edges hangs together, numbered from zero.

    triangles (T,3) in the order of the pool; ends (E,2), edge_faces (E,2) with -1 where there is none; face_edges
    (T,3); star_from, star_to, star_edge (S,); child, leaf (N,) of the tree; lender (T,): the face itself, for a face
    without area at the build the one whose normal it bears, or -1; is_open: touched from both sides.
    """

    triangles: np.ndarray
    ends: np.ndarray
    edge_faces: np.ndarray
    face_edges: np.ndarray
    star_from: np.ndarray
    star_to: np.ndarray
    star_edge: np.ndarray
    child: np.ndarray
    leaf: np.ndarray
    lender: np.ndarray
    is_open: bool


def refit_tables(vertices, triangles):
    """RefitTables of a mesh as it was given to build_mesh_pool: the same vertices (V,3) and triangles (T,3)."""
    triangles, _, bad, (_, child, leaf) = ordered_faces(vertices, triangles)
    edges = find_edges(triangles, len(vertices))
    lender = np.where(bad, 0, np.arange(1, len(bad) + 1))[:, None]
    borrow_normals(lender, bad, edges)
    here, there = np.concatenate((edges.ends, edges.ends[:, ::-1])).T
    order = np.argsort(here, kind="stable")
    star = here[order], there[order], order % len(edges.ends)
    integers = (triangles, edges.ends, edges.faces, edges.face_edges, *star)
    return RefitTables(
        *(np.ascontiguousarray(table, dtype=np.int64) for table in integers),
        child, leaf, lender[:, 0] - 1, edges.is_open,
    )  # fmt: skip


def refit_mesh(pool, mesh, tables, vertices, thickness=True, loose=False):
    """Move the vertices of mesh number `mesh` of a MeshPool, in place.

    tables: its RefitTables; vertices (V,3) [m] about the centre of mass in body axes, numbered as at the build.
    thickness: measure anew how thick the solid is behind every face, the most expensive part; without it the depth to
    which overlap is followed stays that of the last time. loose: a surface whose vertices move on
    their own within a step. Any of them may touch, also inside a flat patch or in a hollow of it, and every face has a
    number of its own in keys. A face whose area vanishes keeps its last normal. What a
    SearchMemory holds of this mesh is worth nothing afterwards: use a new one.
    Raises ValueError for another number of vertices or one that is not finite.
    """
    vertices = np.ascontiguousarray(vertices, dtype=float)
    first_vertex, first_edge, root = (int(pool.mesh_int[mesh, k]) for k in (FIRST_VERTEX, FIRST_EDGE, ROOT))
    count = int(tables.triangles.max()) + 1
    if vertices.ndim != 2 or vertices.shape[1] != 3 or len(vertices) < count or not np.all(np.isfinite(vertices)):
        raise ValueError(f"a refit needs finite vertices (V,3), V at least {count}; got {vertices.shape}")
    # The pool is in order of meshes; faces are counted by its trees, which have one leaf a face with an area.
    first_face = pool_face(pool, mesh)
    stars = int(pool.star_start[first_vertex])
    faces = slice(first_face, first_face + len(tables.triangles))
    pool.vertices[first_vertex : first_vertex + len(vertices)] = vertices
    pool.mesh_size[mesh] = refit(
        vertices, tables, pool.face_real[faces], pool.face_int[faces],
        pool.edge_real[first_edge : first_edge + len(tables.ends)], pool.star[stars : stars + len(tables.star_from)],
        pool.tree[root : root + len(tables.child)], first_vertex, first_edge, thickness,
        loose,
    )  # fmt: skip
    place_bounds(pool, mesh)


def pool_face(pool, mesh):
    """Number of a mesh's first face in the pool: the leaves of its tree hold its faces from the first on."""
    root = int(pool.mesh_int[mesh, ROOT])
    end = int(pool.mesh_int[mesh + 1, ROOT]) if mesh + 1 < len(pool.mesh_int) else len(pool.tree)
    leaves = pool.tree[root:end, 7]
    return int(leaves[leaves >= 0].min())
