"""Closed meshes in which other bodies begin: Blender's shape Mesh is triangles without an inside, and holds them."""

import numpy as np

from ..base.geometry import bounds_of, holds, lies_within
from ..checks.open_mesh import give_thickness
from ..settings.motion import is_dynamic

# Bodies asked whether they begin inside a mesh: where many do, the first one does.
MOST_ASKED = 32


def make_hollow(objects, geometries, entries):
    """Give closed meshes of the shape Mesh the shape Solidify where an Active body begins inside, and say it in
    entries, one for each of the objects; geometries: {object: evaluated mesh or None}."""
    moving = [ob for ob in objects if is_dynamic(ob.stiction) and geometries[ob] is not None]
    moving = [(ob, bounds_of(_placed(ob, geometries[ob].vertices))) for ob in moving]
    for ob, entry in zip(objects, entries, strict=True):
        geometry = geometries[ob]
        if ob.stiction.type == "NONE" or ob.stiction.shape != "MESH" or geometry is None or geometry.is_wire:
            continue
        inner = _begins_inside(ob, geometry, [pair for pair in moving if pair[0] != ob])
        if inner is not None:
            thickness = give_thickness(ob, geometry, ob.matrix_world.to_scale())
            entry.changed.append(f"shape Mesh: Solidify, hollow and {thickness:.3g} thick, as {inner!r} begins inside")


def _placed(ob, vertices):
    """Vertices (V,3) of an object in the world."""
    matrix = np.array(ob.matrix_world)
    return vertices @ matrix[:3, :3].T + matrix[:3, 3]


def _begins_inside(ob, geometry, moving):
    """Name of a body whose middle a closed mesh encloses; None if there is none. moving: pairs of an object and its
    bounds."""
    around = bounds_of(_placed(ob, geometry.vertices))
    within = [pair for pair in moving if lies_within(pair[1], around)]
    if not within:
        return None
    from ...solver.shapes import SHAPES

    given = SHAPES["mesh"](geometry.vertices, geometry.triangles).given
    if not given.report.closed:
        return None
    vertices = _placed(ob, given.vertices)
    inside = (other for other, box in within[:MOST_ASKED] if holds(vertices, given.triangles, box))
    return next((other.name for other in inside), None)
