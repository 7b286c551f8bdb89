"""Mesh and the user's choice -> the solver's shape, and where its frame sits in the object's."""

import numpy as np

from ...solver.base.refusal import SceneError
from ..base import geometry as measure
from ..base.transforms import significant
from .wires import wire

# Shape choices that are repairs of the solver's table.
WAYS = {"WINDING": "winding", "VOXEL_REMESH": "voxel_remesh", "SOLIDIFY": "solidify", "PROXY": "proxy"}
WAYS_SHOWN = "Close by Winding, Voxel Remesh, Solidify or Convex Hull"
# Shapes that are made of the vertices alone.
OF_VERTICES = ("BOX", "SPHERE", "CAPSULE", "CYLINDER", "CONVEX_HULL")
# What is said of a sheet whose triangles make no prisms.
BRANCHES = "branches, has one side, or bends more sharply than"
# What of a flat mesh has a volume all the same.
THICKENED = "SOLIDIFY"


def _shape(key):
    """The solver's shape class; imported on first use, or Blender would load scipy at its start."""
    from ...solver.shapes import SHAPES

    return SHAPES[key]


def choose(choice, geometry, who, solid, amount=None):
    """Return (shape, centre (3,)): the solver's shape [m] and the place of its frame in the geometry's frame.

    `solid`: the body has mass, so its shape must enclose a volume. amount: the number a repair takes (see REPAIRS in
    the solver), the thickness [m] of a mesh without faces. Raises SceneError naming `who` otherwise.
    """
    if takes_edges(choice, geometry):
        return wire(geometry, amount, who)
    if takes_triangles(choice, geometry, solid):
        return mesh(geometry, who, solid)
    if choice == "AUTO":
        return automatic(geometry, who, solid)
    if choice == "CONVEX_HULL":
        return hull(geometry, who)
    if choice in OF_VERTICES:
        return primitive(choice, geometry, who)
    return mesh(geometry, who, solid, WAYS.get(choice), amount)


def takes_edges(choice, geometry):
    """True if a body is its edges and points: its mesh has no faces, and its shape is not told by its bounds or its
    hull alone."""
    return geometry.is_wire and (choice not in OF_VERTICES or measure.is_flat(geometry))


def wire_moves(choice, geometry):
    """True if a Geometry without faces may move freely: by its edges, or as a shape of its vertices; points alone are
    none."""
    return bool((geometry.triangles[:, 0] != geometry.triangles[:, 1]).any()) or not takes_edges(choice, geometry)


def takes_triangles(choice, geometry, solid):
    """True if a body is its triangles whatever its choice: it has no mass and is flat, and of all shapes only a sheet
    that is thickened has such a form."""
    return not solid and choice != THICKENED and measure.is_flat(geometry)


def automatic(geometry, who, solid):
    """The shape the mesh is, where the solver recognises one: exact and cheapest; else the mesh."""
    from ...solver.shapes.recognise import recognise

    whole, center = mesh(geometry, who, solid)
    known = recognise(whole.prepared)
    if known is None:
        return whole, center
    if known.position is not None and np.abs(known.rotation - np.eye(3)).max() < measure.FLAT:
        place = significant(known.position)
        size = np.abs(geometry.size).max()
        # A single-precision mesh about its origin misses it by rounding.
        return _rounded(known.shape), np.where(np.abs(place) < measure.FLAT * size, 0.0, place)
    return known.in_place(), center


def _rounded(shape):
    """The shape with its lengths as the user would write them: single precision has seven digits."""
    import dataclasses

    values = {field.name: getattr(shape, field.name) for field in dataclasses.fields(shape)}
    plain = {name: tuple(significant(np.array(v)).tolist()) if isinstance(v, tuple) else significant(v)
             for name, v in values.items()}  # fmt: skip
    return type(shape)(**plain)


def primitive(choice, geometry, who):
    """Box, sphere, capsule or cylinder from the bounds, with the proportions Blender gives its own rigid bodies."""
    size = significant(geometry.size)
    if choice == "BOX":
        shape = _shape("box")(tuple(size.tolist())) if size.min() > 0 else None
    elif choice == "SPHERE":
        shape = _shape("sphere")(float(size.max()) / 2) if size.max() > 0 else None
    else:
        radius, height = float(max(size[:2])) / 2, float(size[2])
        length = height if choice == "CYLINDER" else height - 2 * radius
        if not (radius > 0 and height > 0):
            shape = None
        elif length > 0:
            shape = _shape(choice.lower())(radius, length)
        else:
            # What is no taller than it is wide is two caps of a capsule with nothing between them.
            shape = _shape("sphere")(radius)
    if shape is None:
        extent = " x ".join(f"{x:g}" for x in size)
        raise SceneError(f"{who}: its bounds {extent} m have no volume; give it thickness or choose the shape Mesh")
    # A single-precision mesh about its origin misses it by rounding.
    center = geometry.center
    return shape, np.where(np.abs(center) < measure.FLAT * size.max(), 0.0, center)


def beyond(choice, size):
    """How far a ball, a capsule or a cylinder made from bounds of `size` (3,) stands out of them; 0 for others."""
    wide = float(max(size) if choice == "SPHERE" else max(size[:2]))
    if choice == "CYLINDER":
        return 0.5 * (wide - float(min(size[:2])))
    return 0.5 * (wide - float(min(size))) if choice in ("SPHERE", "CAPSULE") else 0.0


def hull(geometry, who):
    """Convex hull of the vertices."""
    if measure.is_flat(geometry):
        raise SceneError(
            f"{who}: its vertices lie in one plane, so their hull has no volume; choose the shape Solidify, or give "
            "the mesh thickness"
        )
    return _shape("convex_hull")(geometry.vertices), np.zeros(3)


def bending_sheet(geometry, who, thickness):
    """(Tetrahedra, centre (3,)) of the skin of a Geometry [m] that is `thickness` [m] thick: as fine as its triangles,
    for a lattice would need as many elements as it is thin."""
    from ...solver.meshes.solidify import sheet_tets

    skin, _ = mesh(geometry, who, solid=False)
    if not thickness > 0:
        raise SceneError(f"{who}: its Thickness is {thickness:g}; set Thickness above 0")
    shape = _shape("tetrahedra")(*sheet_tets(skin.given, thickness))
    try:
        shape.check(who)
    except SceneError:
        raise SceneError(f"{who}: its sheet {BRANCHES} {thickness:.3g} m, its Thickness, allows; lower Thickness, or "
                         "switch Deformable off") from None  # fmt: skip
    return shape, np.zeros(3)


def mesh(geometry, who, solid, way=None, amount=None):
    """The triangles; a body with mass needs a closed surface that encloses a volume, or a repair."""
    from ...solver.meshes.repairs import MeshRepair

    whole = _shape("mesh")(geometry.vertices, geometry.triangles, way and MeshRepair(way, amount))
    if way is None:
        whole.check(who)
        defects = whole.prepared.report.defects() if solid else ()
        if defects:
            found = " and ".join(defects)
            raise SceneError(f"{who}: its mesh is no solid, it has {found}; close it, or choose the shape {WAYS_SHOWN}")
    else:
        # The way is taken by the worker, which has the compiled code; only its numbers are looked at here.
        whole.repair.check(who)
    return whole, np.zeros(3)
