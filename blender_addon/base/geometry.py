"""A triangle mesh as arrays. numpy only; what it is, the solver tells."""

from dataclasses import dataclass

import numpy as np

from ...solver.base.solid_angle import half_angles

# Vertices closer to a plane than this part of their extent make no solid.
FLAT = 1e-6
# Relative distance of two single-precision numbers.
SINGLE = 2.0**-23


@dataclass(frozen=True)
class Geometry:
    """A triangle mesh: vertices (V,3), triangles (T,3); without faces (E,2): its edges, and points as pairs of one."""

    vertices: np.ndarray
    triangles: np.ndarray

    @property
    def is_wire(self):
        """True for a mesh without faces."""
        return self.triangles.shape[1] == 2

    @property
    def low(self):
        """Smallest corner of the bounds (3,)."""
        return self.vertices.min(axis=0)

    @property
    def high(self):
        """Largest corner of the bounds (3,)."""
        return self.vertices.max(axis=0)

    @property
    def size(self):
        """Edge lengths of the bounds (3,)."""
        return self.high - self.low

    @property
    def center(self):
        """Centre of the bounds (3,)."""
        return 0.5 * (self.high + self.low)

    def transformed(self, linear):
        """The mesh under a linear map (3,3); a map that mirrors turns the triangles over, so that they face out."""
        triangles = self.triangles if np.linalg.det(linear) > 0 else self.triangles[:, ::-1]
        return Geometry(self.vertices @ np.asarray(linear).T, np.ascontiguousarray(triangles))


def vertices_of(mesh):
    """Places (V,3) of the vertices of a Blender mesh, single precision as there."""
    places = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    # Neither a mesh without vertices nor one in Edit Mode has the attribute, which is read faster.
    if mesh.is_editmode:
        mesh.vertices.foreach_get("co", places)
    elif len(places):
        mesh.attributes["position"].data.foreach_get("vector", places)
    return places.reshape(-1, 3)


def is_flat(geometry):
    """True if the vertices lie in one plane, as far as single precision tells."""
    points = geometry.vertices - geometry.vertices.mean(axis=0)
    spread = np.linalg.svd(points.T @ points, compute_uv=False) ** 0.5
    # Places far from the origin are coarse, so a plane that lies there is rough.
    rough = SINGLE * float(np.abs(geometry.vertices).max()) * len(points) ** 0.5
    return bool(spread[-1] <= max(FLAT * spread[0], rough))


def encloses(vertices, triangles, point):
    """True if a surface, vertices (V,3) and triangles (T,3) that all face the same way, goes round a point (3,): if its
    solid angle from there is more than half of all."""
    sine, cosine, _ = half_angles(*np.moveaxis(vertices[triangles] - point, 1, 0))
    return bool(abs(np.arctan2(sine, cosine).sum()) > np.pi)
