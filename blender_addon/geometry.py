"""What a triangle mesh is: box, sphere, convex, closed. numpy only."""

from dataclasses import dataclass

import numpy as np

# A mesh is taken for the exact shape only if it fits to this part of its size.
FIT = 1e-5
# A mesh whose vertices lie on a sphere is taken for the sphere if it fills this part of it.
SPHERE_FILL = 0.95
# Largest number of numbers held at once while testing a mesh for convexity.
CHUNK = 4_000_000


@dataclass(frozen=True)
class Geometry:
    """A triangle mesh: vertices (V,3), triangles (T,3)."""

    vertices: np.ndarray
    triangles: np.ndarray

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


def welded(geometry):
    """The mesh with vertices at one place merged, vertices no triangle uses dropped, and no collapsed triangle."""
    used = geometry.vertices[geometry.triangles.ravel()]
    points, inverse = np.unique(used, axis=0, return_inverse=True)
    triangles = inverse.reshape(-1, 3)
    real = (triangles != np.roll(triangles, 1, axis=1)).all(axis=1)
    return Geometry(points, triangles[real])


def open_edge_count(geometry):
    """Number of directed edges without their opposite: 0 for a closed, consistently turned surface."""
    directed = np.concatenate([geometry.triangles[:, pair] for pair in ((0, 1), (1, 2), (2, 0))])
    count = len(geometry.vertices)
    there = directed[:, 0] * count + directed[:, 1]
    back = directed[:, 1] * count + directed[:, 0]
    keys, times = np.unique(there, return_counts=True)
    position = np.searchsorted(keys, back)
    position = np.minimum(position, len(keys) - 1)
    matched = (keys[position] == back) & (times[position] == 1)
    return int(np.count_nonzero(~matched))


def volume(geometry):
    """Volume enclosed by a closed mesh, positive if its triangles face out (divergence theorem)."""
    # Relative to the centre of the bounds, or a mesh far from its origin loses all digits.
    a, b, c = np.moveaxis((geometry.vertices - geometry.center)[geometry.triangles], 1, 0)
    return float(np.einsum("ti,ti->", a, np.cross(b, c)) / 6)


def is_box(geometry):
    """True if the closed mesh fills its bounds: a box along the axes, however finely it is divided."""
    full = float(np.prod(geometry.size))
    return full > 0 and abs(abs(volume(geometry)) - full) <= FIT * full


def is_sphere(geometry):
    """True if every vertex is on one sphere about the bounds' centre and the closed mesh nearly fills it."""
    distance = np.linalg.norm(geometry.vertices - geometry.center, axis=1)
    radius = distance.max()
    if radius == 0 or np.ptp(distance) > FIT * radius:
        return False
    return abs(volume(geometry)) >= SPHERE_FILL * 4 / 3 * np.pi * radius**3


def is_convex(geometry):
    """True if no vertex is in front of any triangle of the closed mesh."""
    points = geometry.vertices - geometry.center
    a, b, c = np.moveaxis(points[geometry.triangles], 1, 0)
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    scale = np.linalg.norm(geometry.size)
    real = lengths > 1e-12 * scale**2
    normals = normals[real] / lengths[real, None]
    heights = np.einsum("ti,ti->t", normals, a[real])
    rows = max(1, CHUNK // len(points))
    for start in range(0, len(normals), rows):
        block = slice(start, start + rows)
        if (normals[block] @ points.T - heights[block, None]).max() > FIT * scale:
            return False
    return True


def thickness(geometry):
    """Smallest extent of the vertices over the largest, along their principal axes: 0 if they are in a plane."""
    points = geometry.vertices - geometry.vertices.mean(axis=0)
    extents = np.linalg.svd(points.T @ points, compute_uv=False) ** 0.5
    return float(extents[-1] / extents[0]) if extents[0] > 0 else 0.0
