"""Mass properties of what a closed triangle surface encloses."""

import numpy as np

from .base import MassProperties


def inertia_from_second_moments(second):
    """Inertia (3,3) from the second moments (3,3) integral of x x^T."""
    return np.trace(second) * np.eye(3) - second


def solid_properties(vertices, triangles):
    """Volume [m^3], centre of mass and inertia of the solid inside a closed, outward oriented surface.

    vertices (V,3) [m], triangles (T,3) int. The divergence theorem as a sum over the signed tetrahedra
    between the triangles and the middle of the bounding box (which keeps the sums well conditioned far
    from the origin); exact for the polyhedron. A volume of zero gives the box's middle as centre.
    """
    vertices = np.asarray(vertices, dtype=float)
    origin = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    corners = (vertices - origin)[np.asarray(triangles)]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    determinant = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume = determinant.sum() / 6.0
    if volume == 0.0:
        return MassProperties(0.0, origin, np.zeros((3, 3)))
    total = a + b + c
    first = determinant @ total / 24.0
    second = sum(np.einsum("i,ij,ik->jk", determinant, p, p) for p in (a, b, c, total)) / 120.0
    center = first / volume
    second -= volume * np.outer(center, center)
    return MassProperties(float(volume), center + origin, inertia_from_second_moments(second))
