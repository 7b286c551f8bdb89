"""Telling that a closed triangle mesh is a box, a sphere, a capsule, a cylinder or convex, to use the exact shape.

A mesh is taken for a round shape only if all its vertices lie on it (to ON of its size), its edges and faces cut no
deeper into it than BELOW of its radius, and its volume is the shape's to VOLUME. A coarse globe of 32 by 16 stays the
polyhedron that it is. Boxes and convex meshes are recognised exactly (to ON).
"""

from typing import Any, NamedTuple

import numpy as np

from ..meshes.integrals import solid_properties
from ..meshes.mass_properties import MassProperties
from .box import Box
from .capsule import Capsule
from .compound import Compound, Part
from .convex_hull import ConvexHull
from .cylinder import Cylinder
from .sphere import Sphere

ON = 1e-5  # of the size
BELOW = 0.005  # of the radius
VOLUME = 0.005  # of the volume
MOST_HULL_VERTICES = 5000


class Recognised(NamedTuple):
    """shape, and its frame in the mesh's: position (3,) [m] and rotation (3,3); both None for a convex hull."""

    shape: Any
    position: Any = None
    rotation: Any = None

    def in_place(self):
        """The shape in the frame of the mesh: itself, or a compound of one part."""
        if self.position is None:
            return self.shape
        size = np.abs(self.shape.surface()[0]).max()
        if np.abs(self.position).max() <= ON * size and _same_under(self.shape, self.rotation):
            return self.shape
        return Compound((Part(self.shape, tuple(self.position.tolist()), _quaternion(self.rotation)),))


class _Surface(NamedTuple):
    """What the tests measure: vertices (V,3), and middles (n,3) of edges and faces, all about the centre of mass."""

    vertices: np.ndarray
    middles: np.ndarray
    mass: MassProperties
    normals: np.ndarray
    areas: np.ndarray
    size: float


def recognise(prepared, choices=("box", "sphere", "cylinder", "capsule", "convex_hull")):
    """What a PreparedMesh is, as a Recognised; None for anything but a clean closed solid of those shapes."""
    report = prepared.report
    if not report.closed or report.defects() or report.parts != 1:
        return None
    surface = _surface(prepared)
    for kind in choices:
        found = TESTS[kind](prepared, surface)
        if found is not None:
            return found
    return None


def _surface(prepared):
    mass = solid_properties(prepared.vertices, prepared.triangles)
    vertices = prepared.vertices - mass.center
    corners = vertices[prepared.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normals, axis=1)
    middles = np.concatenate((0.5 * (corners + np.roll(corners, 1, axis=1)).reshape(-1, 3), corners.mean(axis=1)))
    unit = normals / np.where(length > 0.0, length, 1.0)[:, None]
    return _Surface(vertices, middles, mass, unit, 0.5 * length, prepared.report.size)


def _fits(surface, shape, height, radius, position, rotation):
    """The Recognised if vertices are on the shape, middles not far below it, and volumes agree; else None.

    height(points (n,3) in the shape's frame) -> signed distance (n,) from the shape's surface [m], negative inside.
    """
    local = (surface.vertices - position) @ rotation
    if np.abs(height(local)).max() > ON * surface.size:
        return None
    deep = height((surface.middles - position) @ rotation)
    if deep.max() > ON * surface.size or -deep.min() > BELOW * radius:
        return None
    if abs(surface.mass.volume / shape.mass_properties().volume - 1.0) > VOLUME:
        return None
    return Recognised(shape, surface.mass.center + position, rotation)


def _box(prepared, surface):
    """Filling its bounds along its own faces' directions."""
    rotation = _box_axes(surface)
    if rotation is None:
        return None
    local = surface.vertices @ rotation
    low, high = local.min(axis=0), local.max(axis=0)
    size, middle = high - low, 0.5 * (low + high)
    if size.min() <= 0.0 or abs(surface.mass.volume / np.prod(size) - 1.0) > ON:
        return None
    # Volume alone would let a spike of no volume pass.
    outside = np.abs(local - middle) - 0.5 * size
    if np.abs(outside.max(axis=1)).max() > ON * surface.size:
        return None
    return Recognised(Box(tuple(size.tolist())), surface.mass.center + rotation @ middle, rotation)


def _box_axes(surface):
    """Axes (columns) of the faces of a box: along the coordinate axes if they are, else None if they are not square."""
    first = surface.normals[int(np.argmax(surface.areas))]
    across = np.abs(surface.normals @ first) < 1e-4
    if not across.any():
        return None
    second = surface.normals[int(np.argmax(np.where(across, surface.areas, -1.0)))]
    second = second - first * (first @ second)
    axes = np.stack((first, second / np.linalg.norm(second), np.cross(first, second)), axis=1)
    axes[:, 2] /= np.linalg.norm(axes[:, 2])
    # Sorted and turned so that axes along the coordinates come out as the coordinates.
    axes = axes[:, np.argsort(np.argmax(np.abs(axes), axis=0), kind="stable")]
    axes = axes * np.where(axes[np.argmax(np.abs(axes), axis=0), np.arange(3)] < 0.0, -1.0, 1.0)
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] = -axes[:, 2]
    return np.eye(3) if np.abs(axes - np.eye(3)).max() < ON else axes


def _sphere(prepared, surface):
    low, high = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
    # Least squares: |x|^2 = 2 x c + (r^2 - c^2).
    rows = np.column_stack((2.0 * surface.vertices, np.ones(len(surface.vertices))))
    center = np.linalg.lstsq(rows, (surface.vertices**2).sum(axis=1), rcond=None)[0][:3]
    distance = np.linalg.norm(surface.vertices - center, axis=1)
    radius = 0.5 * float(distance.min() + distance.max())
    if not 0.0 < radius <= (high - low).max():
        return None
    return _fits(
        surface, Sphere(radius), lambda points: np.linalg.norm(points, axis=1) - radius, radius, center, np.eye(3)
    )


def _axes(surface):
    """Directions (n,3) that can be the axis of a solid of revolution: principal axes of mass and of the normals."""
    inertia = np.linalg.eigh(surface.mass.inertia)[1].T
    spread = np.einsum("t,ti,tj->ij", surface.areas, surface.normals, surface.normals)
    return np.concatenate((np.eye(3), inertia, np.linalg.eigh(spread)[1].T))


def _revolved(surface, make):
    for axis in _axes(surface):
        rotation = _frame(axis)
        local = surface.vertices @ rotation
        half = 0.5 * float(np.ptp(local[:, 2]))
        middle = rotation @ np.array([0.0, 0.0, 0.5 * (local[:, 2].max() + local[:, 2].min())])
        radius = float(np.linalg.norm(local[:, :2], axis=1).max())
        found = make(half, radius, middle, rotation) if half > 0.0 and radius > 0.0 else None
        if found is not None:
            return found
    return None


def _cylinder(prepared, surface):
    def make(half, radius, middle, rotation):
        def height(points):
            return np.maximum(np.hypot(points[:, 0], points[:, 1]) - radius, np.abs(points[:, 2]) - half)

        return _fits(surface, Cylinder(radius, 2.0 * half), height, radius, middle, rotation)

    return _revolved(surface, make)


def _capsule(prepared, surface):
    def make(half, radius, middle, rotation):
        rod = half - radius
        if rod <= ON * surface.size:
            return None

        def height(points):
            beyond = np.maximum(np.abs(points[:, 2]) - rod, 0.0)
            return np.sqrt(points[:, 0] ** 2 + points[:, 1] ** 2 + beyond**2) - radius

        return _fits(surface, Capsule(radius, 2.0 * rod), height, radius, middle, rotation)

    return _revolved(surface, make)


def _convex_hull(prepared, surface):
    """Bent outward at every edge (which rejects most meshes at once), and as large as the hull of its vertices."""
    if len(prepared.vertices) > MOST_HULL_VERTICES or not _bent_outward(prepared, surface):
        return None
    from scipy.spatial import ConvexHull as QuickHull
    from scipy.spatial import QhullError

    try:
        full = QuickHull(surface.vertices).volume
    except QhullError:
        return None
    if abs(surface.mass.volume / full - 1.0) > ON:
        return None
    return Recognised(ConvexHull(prepared.vertices))


def _bent_outward(prepared, surface):
    """No triangle's corner stands in front of a neighbour's plane by more than ON of the size."""
    triangles = prepared.triangles
    start, end, opposite = (np.roll(triangles, -k, axis=1).ravel() for k in range(3))
    key = np.minimum(start, end) * len(prepared.vertices) + np.maximum(start, end)
    order = np.argsort(key, kind="stable")
    if len(order) % 2 or np.any(key[order[0::2]] != key[order[1::2]]):
        return False
    one, two = order[0::2], order[1::2]
    for here, there in ((one, two), (two, one)):
        rise = surface.vertices[opposite[there]] - surface.vertices[start[here]]
        if np.einsum("ij,ij->i", rise, surface.normals[here // 3]).max() > ON * surface.size:
            return False
    return True


def _frame(axis):
    """Rotation (3,3) whose third column is the axis; that of the coordinates where it is one of them."""
    side = np.eye(3)[(int(np.argmax(np.abs(axis))) + 1) % 3]
    x = side - axis * (side @ axis)
    x /= np.linalg.norm(x)
    return np.stack((x, np.cross(axis, x), axis), axis=1)


def _same_under(shape, rotation):
    """True if the rotation leaves the shape as it is."""
    if shape.type == "sphere":
        return True
    if shape.type == "box":
        return bool(np.abs(rotation - np.eye(3)).max() < ON)
    return bool(abs(rotation[2, 2]) > 1.0 - ON**2)


def _quaternion(rotation):
    """Unit quaternion w, x, y, z of a rotation matrix."""
    m = rotation
    candidates = np.array(
        [
            [1 + m[0, 0] + m[1, 1] + m[2, 2], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], 1 + m[0, 0] - m[1, 1] - m[2, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
            [m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], 1 - m[0, 0] + m[1, 1] - m[2, 2], m[1, 2] + m[2, 1]],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], 1 - m[0, 0] - m[1, 1] + m[2, 2]],
        ]
    )
    row = candidates[int(np.argmax(np.diag(candidates)))]
    return tuple((row / np.linalg.norm(row)).tolist())


TESTS = {"box": _box, "sphere": _sphere, "cylinder": _cylinder, "capsule": _capsule, "convex_hull": _convex_hull}
