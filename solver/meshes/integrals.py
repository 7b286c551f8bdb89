"""Mass properties of what a closed triangle surface encloses."""

import numpy as np

from .mass_properties import MassProperties


def inertia_from_second_moments(second):
    """Inertia (3,3) from the second moments (3,3) integral of x x^T."""
    return np.trace(second) * np.eye(3) - second


def corner_columns(vertices, triangles, origin=0.0):
    """The three corners of all triangles as columns, (3,T) each, about an origin (3,): twice as quick as rows."""
    columns = np.ascontiguousarray((np.asarray(vertices, dtype=float) - origin).T)
    triangles = np.asarray(triangles)
    return tuple(columns[:, triangles[:, k]] for k in range(3))


def cross_columns(a, b):
    """Cross products (3,T) of columns (3,T)."""
    result = np.empty(np.broadcast(a, b).shape)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        np.multiply(a[i], b[j], out=result[k])
        result[k] -= a[j] * b[i]
    return result


def dot_columns(a, b):
    """Dot products (T,) of columns (3,T)."""
    result = a[0] * b[0]
    for k in (1, 2):
        result += a[k] * b[k]
    return result


def triangle_areas(vertices, triangles):
    """Areas (T,) [m^2]."""
    a, b, c = corner_columns(vertices, triangles)
    normal = cross_columns(b - a, c - a)
    return 0.5 * np.sqrt(dot_columns(normal, normal))


def six_volumes(a, b, c):
    """Six times the signed volumes (T,) [m^3] of tetrahedra from the origin to triangles with these corners (3,T)."""
    return dot_columns(a, cross_columns(b, c))


def solid_properties(vertices, triangles):
    """Volume [m^3], centre of mass and inertia of the solid inside a closed, outward oriented surface.

    vertices (V,3) [m], triangles (T,3) int. The divergence theorem as a sum over the signed tetrahedra
    between the triangles and the middle of the bounding box (which keeps the sums well conditioned far
    from the origin); exact for the polyhedron. A volume of zero gives the box's middle as centre.
    """
    vertices = np.asarray(vertices, dtype=float)
    origin = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    a, b, c = corner_columns(vertices, triangles, origin)
    determinant = six_volumes(a, b, c)
    volume = determinant.sum() / 6.0
    if volume == 0.0:
        return MassProperties(0.0, origin, np.zeros((3, 3)))
    total = a + b + c
    first = np.einsum("t,kt->k", determinant, total) / 24.0
    second = np.empty((3, 3))
    for j in range(3):
        for k in range(j + 1):
            products = sum(np.einsum("t,t,t->", determinant, p[j], p[k]) for p in (a, b, c, total))
            second[j, k] = second[k, j] = products / 120.0
    center = first / volume
    second -= volume * np.outer(center, center)
    return MassProperties(float(volume), center + origin, inertia_from_second_moments(second))
