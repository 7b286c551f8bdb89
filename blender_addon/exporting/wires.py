"""Meshes without faces: edges and points that collide as thick as they are said to be."""

import numpy as np

from ...solver.base.refusal import SceneError
from ...solver.base.wording import counted

# More edges and points than these are no wire that somebody has drawn.
MOST_PARTS = 20_000


def refuse_wire(who, vertex_count):
    """SceneError for a mesh without faces where faces are needed."""
    corners = f"{vertex_count} {'vertex' if vertex_count == 1 else 'vertices'}"
    raise SceneError(f"{who}: its mesh has {corners} and no faces; add faces or remove it from the bodies")


def wire(geometry, thickness, who):
    """(Compound, centre (3,)) of Geometry without faces [m]: edges as capsules of `thickness`, points as spheres."""
    from ...solver.shapes import SHAPES, Compound, Part

    if not thickness > 0:
        raise SceneError(f"{who}: its mesh has no faces and its Thickness is {thickness:g}; set Thickness above 0")
    if len(geometry.triangles) > MOST_PARTS:
        raise SceneError(f"{who}: its mesh has no faces and {len(geometry.triangles)} edges and points, more than "
                         f"{MOST_PARTS}; merge some by distance, or give it faces")  # fmt: skip
    ends = geometry.vertices[geometry.triangles]
    along = ends[:, 1] - ends[:, 0]
    lengths, middles = np.linalg.norm(along, axis=1), ends.mean(axis=1)
    ball = SHAPES["sphere"](0.5 * thickness)
    parts = [
        Part(SHAPES["capsule"](0.5 * thickness, float(length)), tuple(middle), _turned_to(way / length))
        if length > 0 else Part(ball, tuple(middle))
        for length, middle, way in zip(lengths, middles.tolist(), along, strict=True)
    ]  # fmt: skip
    return Compound(tuple(parts)), np.zeros(3)


def wire_line(geometry, thickness):
    """What is said of a Geometry without faces that collides by its edges and points, in one line."""
    edges = int(np.count_nonzero(geometry.triangles[:, 0] != geometry.triangles[:, 1]))
    points = len(geometry.triangles) - edges
    named = [counted(count, noun) for count, noun in ((edges, "edge"), (points, "point")) if count]
    return f"No faces: its {' and '.join(named)} collide, {thickness:.3g} thick"


def _turned_to(way):
    """Unit quaternion w, x, y, z that turns z to the unit vector `way` (3,)."""
    x, y, z = (float(value) for value in way)
    if z < -1.0 + 1e-9:
        return 0.0, 1.0, 0.0, 0.0
    whole = np.array([1.0 + z, -y, x, 0.0])
    return tuple(float(value) for value in whole / np.linalg.norm(whole))
