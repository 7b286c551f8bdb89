"""Surfaces of deformable bodies in the mesh pool."""

from typing import NamedTuple

import numpy as np

from ...collision.surface.mesh_pool import DEEPEST, DEPTH, FIRST_EDGE, FIRST_VERTEX, THROUGH
from ...collision.surface.mesh_refit import pool_face, refit_mesh, refit_tables
from ...shapes.form import form_of_points
from .. import rotation


class Surface(NamedTuple):
    """Surface of a deformable body: its nodes (s,), its triangles (F,3) of nodes as the pool orders them, its edges
    (E,2) of nodes, RefitTables, the numbers of its collider and its mesh, and how thick the body is at its nodes at
    rest, thickness (s,) [m], infinite where that is more than an eighth of its size."""

    nodes: np.ndarray
    triangles: np.ndarray
    edges: np.ndarray
    tables: object
    collider: int
    mesh: int
    thickness: np.ndarray


class SurfaceTables(NamedTuple):
    """The Surfaces of R bodies as kernels take them, body by body: node (.,), triangle (.,3) of nodes, end (.,2) of the
    edges among the body's nodes in `node`; start (R+1,3): where each body's begin; first_edge (R,): its first one in
    the pool, -1 for rigid bodies; collider (R,); most_nodes of one."""

    node: np.ndarray
    triangle: np.ndarray
    end: np.ndarray
    start: np.ndarray
    first_edge: np.ndarray
    collider: np.ndarray
    most_nodes: int


def surface_tables(surfaces, pool):
    """SurfaceTables of Surfaces, None for rigid bodies, in a MeshPool."""
    own = [surface for surface in surfaces if surface is not None]
    there = np.array([surface is not None for surface in surfaces])
    sizes, numbers = np.zeros((len(surfaces) + 1, 3), dtype=np.int64), np.full((2, len(surfaces)), -1)
    sizes[1:][there] = [(len(one.nodes), len(one.triangles), len(one.edges)) for one in own]
    numbers[:, there] = [pool.mesh_int[[one.mesh for one in own], FIRST_EDGE], [one.collider for one in own]]
    columns = [one.nodes for one in own], [one.triangles for one in own], [one.tables.ends for one in own]
    return SurfaceTables(*map(np.concatenate, columns), np.cumsum(sizes, axis=0), *numbers, int(sizes[:, 0].max()))


class SurfaceShape:
    """The rest surface of one deformable body, for the collision model: a mesh that is shared with no other body."""

    type = "mesh"

    def __init__(self, body, vertices, triangles):
        self.content = ("deformable", body)
        self._surface = vertices, triangles

    def surface(self):
        """Vertices (s,3) and triangles (F,3), shape frame."""
        return self._surface

    def identity(self):
        """Equal for no other body's."""
        return self.content

    def form(self):
        """Triangles, as those of a mesh."""
        return form_of_points("mesh", self._surface[0])


def surface_shape(number, body, origin, turn):
    """SurfaceShape of a Deformable whose shape frame lies at `origin` (3,), turned by `turn` (3,3)."""
    nodes = body.surface_nodes
    return SurfaceShape(number, (body.rest[nodes] - origin) @ turn, np.searchsorted(nodes, body.surface))


def surfaces_of(collision, deformables):
    """Surface of each body, None for rigid ones; collision: CollisionModel that was made with their SurfaceShapes."""
    found = []
    for number, body in enumerate(deformables):
        if body is None:
            found.append(None)
            continue
        collider = int(np.flatnonzero(collision.geometry.body == number)[0])
        nodes = body.surface_nodes
        mesh = int(collision.geometry.mesh[collider])
        # From the very numbers that the pool was built from: the order of its faces hangs on how they lie.
        built = collision.meshes.vertices[collision.meshes.mesh_int[mesh, FIRST_VERTEX] :][: len(nodes)]
        tables = refit_tables(built, np.searchsorted(nodes, body.surface))
        thickness = node_thickness(collision.meshes, mesh, tables)
        found.append(Surface(nodes, nodes[tables.triangles], nodes[tables.ends], tables, collider, mesh, thickness))
    return tuple(found)


def node_thickness(pool, mesh, tables):
    """How much solid (s,) [m] there is behind the vertices of a mesh of the pool, at the thinnest of their faces;
    infinite where that is more than the pool knows."""
    first = pool_face(pool, mesh)
    depth = pool.face_real[first : first + len(tables.triangles), DEPTH]
    least = np.full(int(tables.triangles.max()) + 1, np.inf)
    known = depth < 0.99 * DEEPEST * pool.mesh_size[mesh]
    np.minimum.at(least, tables.triangles, np.where(known, depth, np.inf)[:, None])
    return least / THROUGH


def place_surfaces(model, meshes, position, orientation, x):
    """Move the surfaces in a MeshPool to node positions x (N,3); bodies' centres (R,3) and orientations (R,4)."""
    for number, surface in enumerate(model.surfaces):
        if surface is not None:
            turn = rotation.matrix(orientation[number : number + 1])[0]
            at = x[model.node_start[number] + surface.nodes] - position[number]
            refit_mesh(meshes, surface.mesh, surface.tables, at @ turn, thickness=False, loose=True)
