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


def corners_of(mesh):
    """Vertices (L,) of the corners of the faces of a Blender mesh, face by face."""
    around = np.empty(len(mesh.loops), dtype=np.int32)
    # A mesh that another object is in Edit Mode of has no attributes of its faces meanwhile.
    fast = mesh.attributes.get(".corner_vert") if len(around) else None
    if fast is None:
        mesh.loops.foreach_get("vertex_index", around)
    else:
        fast.data.foreach_get("value", around)
    return around


def triangles_of(mesh):
    """Vertices (T,3) of the triangles of a Blender mesh, as Blender fills its faces."""
    if len(mesh.loops) == 3 * len(mesh.polygons):
        # Blender's own table of them is read a hundred times as slowly.
        return corners_of(mesh).reshape(-1, 3)
    mesh.calc_loop_triangles()
    triangles = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    return triangles.reshape(-1, 3)


def bounds_of(points):
    """Lowest and highest corner (2,3) of points (N,3)."""
    return np.array([points.min(axis=0), points.max(axis=0)])


def meet(one, other):
    """True if two boxes (2,3), lowest and highest corner, meet."""
    return bool(np.all(one[0] <= other[1]) and np.all(one[1] >= other[0]))


def lies_within(inner, outer):
    """True if one box (2,3) lies inside another and touches no side of it."""
    return bool(np.all(inner[0] > outer[0]) and np.all(inner[1] < outer[1]))


def holds(vertices, triangles, box):
    """True if a body with the bounds `box` (2,3) begins inside a closed surface: within its bounds, and with its middle
    inside it."""
    return lies_within(box, bounds_of(vertices)) and encloses(vertices, triangles, box.mean(axis=0))


def encloses(vertices, triangles, point):
    """True if a surface, vertices (V,3) and triangles (T,3) that all face the same way, goes round a point (3,): if its
    solid angle from there is more than half of all."""
    sine, cosine, _ = half_angles(*np.moveaxis(vertices[triangles] - point, 1, 0))
    return bool(abs(np.arctan2(sine, cosine).sum()) > np.pi)
