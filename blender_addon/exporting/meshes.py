"""Reading evaluated Blender meshes: arrays out, refusals in one sentence."""

import hashlib

import numpy as np

from ...solver.base.late import late
from ...solver.base.refusal import SceneError
from ..base.geometry import Geometry, triangles_of, vertices_of
from .wires import refuse_wire

# There only where Blender is: what is read here without it needs none.
bmesh = late("bmesh")


def read_geometry(evaluated, who):
    """Vertices (single precision, as in Blender) and triangles of an evaluated mesh object in its own coordinates; of a
    mesh without faces edges and points, see Geometry.

    Raises SceneError naming `who` for an object that is no mesh, has no vertices, or one that is not finite.
    """
    if evaluated.type != "MESH":
        if evaluated.instance_type == "COLLECTION":
            raise SceneError(
                f"{who}: is an instance of a collection and has no mesh of its own; make it real "
                "(Object > Apply > Make Instances Real), then add the meshes"
            )
        kind = evaluated.type.title().replace("_", " ")
        raise SceneError(f"{who}: is of type {kind}, not a mesh; convert it to a mesh or remove it from the bodies")
    mesh = mesh_of(evaluated)
    if len(mesh.vertices) == 0:
        refuse_wire(who, 0)
    vertices = vertices_of(mesh)
    finite = np.isfinite(vertices)
    if not finite.all():
        bad = np.flatnonzero(~finite.all(axis=1))
        place = ", ".join(str(x) for x in vertices[bad[0]])
        raise SceneError(f"{who}: vertex {bad[0]} of its mesh is at ({place}); move or delete that vertex")
    if len(mesh.polygons) == 0:
        return Geometry(vertices, _edges_and_points(mesh))
    return Geometry(vertices, triangles_of(mesh))


def _edges_and_points(mesh):
    """Vertices (E,2) of the edges of a mesh, and those without an edge as edges from and to themselves."""
    edges = np.empty(2 * len(mesh.edges), dtype=np.int32)
    mesh.edges.foreach_get("vertices", edges)
    alone = np.setdiff1d(np.arange(len(mesh.vertices), dtype=np.int32), edges)
    return np.concatenate((edges.reshape(-1, 2), np.stack((alone, alone), axis=1)))


def mesh_of(ob):
    """The mesh of an object, as evaluated by a graph that is current, or as it is itself.

    One that is edited has no vertices until Blender is asked for a copy, which lives until the next one.
    RuntimeError for an evaluated object of an old graph, whose edited mesh is freed.
    """
    if not is_edited(ob):
        return ob.data
    if not ob.is_evaluated:
        return _as_edited(ob)
    if not is_edited(ob.original):
        raise RuntimeError(f"object {ob.name!r} was read from a dependency graph that is older than the file")
    return ob.to_mesh()


def _as_edited(ob):
    """A copy of an object's own mesh as it is being edited; with shape keys, as it was before: copies share the keys.

    Object.update_from_editmode writes into the mesh itself: no step of undo knows of that, and Blender keeps it when
    the edits are undone.
    """
    mesh = ob.to_mesh()
    if mesh.shape_keys is None:
        edited = bmesh.from_edit_mesh(ob.data)
        edited.to_mesh(mesh)
    return mesh


def digest(geometry):
    """Key that is equal for equal meshes."""
    content = hashlib.blake2b(np.ascontiguousarray(geometry.vertices), digest_size=16)
    content.update(np.ascontiguousarray(geometry.triangles))
    return content.hexdigest()


def is_edited(ob):
    """True if an object's mesh is in Edit Mode. The mesh says so: another object may be the one that edits it."""
    return ob.type == "MESH" and ob.data.is_editmode


class GeometryCache:
    """Reads each evaluated mesh datablock once: objects that share a mesh share its arrays."""

    def __init__(self):
        self._by_pointer = {}

    def read(self, evaluated, who):
        """Return (geometry, digest) of an evaluated object."""
        if evaluated.type != "MESH":
            read_geometry(evaluated, who)
        pointer = evaluated.data.as_pointer()
        if pointer not in self._by_pointer:
            geometry = read_geometry(evaluated, who)
            self._by_pointer[pointer] = (geometry, digest(geometry))
        return self._by_pointer[pointer]
