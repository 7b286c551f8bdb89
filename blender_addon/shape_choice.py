"""Mesh and the user's choice -> the solver's shape, and where its frame sits in the object's."""

import numpy as np

from ..solver.refusal import SceneError
from . import geometry as measure
from .transforms import significant

# Vertices closer to a plane than this part of their extent make no solid.
FLAT = 1e-6


def _shape(key):
    """The solver's shape class; imported on first use, or Blender would load scipy at its start."""
    from ..solver.shapes import SHAPES

    return SHAPES[key]


def choose(choice, geometry, who, solid):
    """Return (shape, centre (3,)): the solver's shape [m] and the place of its frame in the geometry's frame.

    `solid`: the body has mass, so its shape must enclose a volume. Raises SceneError naming `who` otherwise.
    """
    if choice == "AUTO":
        choice = recognise(geometry, who, solid)
    if choice in ("BOX", "SPHERE", "CAPSULE", "CYLINDER"):
        return primitive(choice, geometry, who)
    if choice == "CONVEX_HULL":
        return hull(geometry, who)
    return mesh(geometry, who, solid)


def recognise(geometry, who, solid):
    """The choice that AUTO stands for: exact and cheapest."""
    surface = measure.welded(geometry)
    if len(surface.triangles) == 0 or measure.open_edge_count(surface):
        if solid:
            mesh(geometry, who, solid)
        return "MESH"
    if measure.is_box(surface):
        return "BOX"
    if measure.is_sphere(surface):
        return "SPHERE"
    return "CONVEX_HULL" if measure.volume(surface) > 0 and measure.is_convex(surface) else "MESH"


def primitive(choice, geometry, who):
    """Box, sphere, capsule or cylinder from the bounds, with the proportions Blender gives its own rigid bodies."""
    size = significant(geometry.size)
    if choice == "BOX":
        shape = _shape("box")(tuple(size.tolist())) if size.min() > 0 else None
    elif choice == "SPHERE":
        shape = _shape("sphere")(float(size.max()) / 2) if size.max() > 0 else None
    else:
        radius, height = float(max(size[:2])) / 2, float(size[2])
        length = height if choice == "CYLINDER" else max(0.0, height - 2 * radius)
        shape = _shape(choice.lower())(radius, length) if radius > 0 and height > 0 else None
    if shape is None:
        extent = " x ".join(f"{x:g}" for x in size)
        raise SceneError(f"{who}: its bounds {extent} m have no volume; give it thickness or choose the shape Mesh")
    # A single-precision mesh about its origin misses it by rounding.
    center = geometry.center
    return shape, np.where(np.abs(center) < FLAT * size.max(), 0.0, center)


def hull(geometry, who):
    """Convex hull of the vertices."""
    if measure.thickness(geometry) < FLAT:
        raise SceneError(f"{who}: its vertices lie in one plane, so their hull has no volume; give the mesh thickness")
    return _shape("convex_hull")(geometry.vertices), np.zeros(3)


def mesh(geometry, who, solid):
    """The triangles; a body with mass needs a closed surface that encloses a volume."""
    surface = measure.welded(geometry)
    if solid:
        missing = measure.open_edge_count(surface)
        if missing:
            raise SceneError(
                f"{who}: its mesh is open or inconsistent at {missing} edges, so it has no volume; "
                "close it and recalculate its normals, or choose the shape Convex Hull"
            )
        inside = measure.volume(surface)
        if abs(inside) <= measure.FIT * 1e-3 * float(np.linalg.norm(surface.size)) ** 3:
            raise SceneError(f"{who}: its mesh encloses {inside:.3g} m^3; give it thickness")
        if inside < 0:
            # A closed surface that faces inward throughout can only be meant the other way round.
            surface = measure.Geometry(surface.vertices, np.ascontiguousarray(surface.triangles[:, ::-1]))
    return _shape("mesh")(surface.vertices, surface.triangles), np.zeros(3)
