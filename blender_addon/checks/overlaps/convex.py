"""Two convex bodies: the axis along which they overlap least, exactly what takes them apart."""

import numpy as np

# Numbers of products of a vertex and an axis that a pair may take.
MOST_PRODUCTS = 4_000_000
# Edges of each body whose products are axes: bodies with more are so round that faces alone tell.
MOST_EDGES = 24
PARALLEL = 1e-6


def partings(a, b):
    """(depth (K,) [m], ways (K,3)) of two subjects, least first: moving a by depth along way takes it out of b.

    Empty where they are apart. By the theorem of separating axes: normals of faces, and products of edges.
    """
    axes = _axes(a, b)
    low_a, high_a = _span(a.world, axes)
    low_b, high_b = _span(b.world, axes)
    depth = np.concatenate((high_b - low_a, high_a - low_b))
    if depth.min() <= 0.0:
        return np.zeros(0), np.zeros((0, 3))
    order = np.argsort(depth, kind="stable")
    return depth[order], np.concatenate((axes, -axes))[order]


def _span(points, axes):
    along = points @ axes.T
    return along.min(axis=0), along.max(axis=0)


def _axes(a, b):
    (normals_a, edges_a), (normals_b, edges_b) = a.axes, b.axes
    axes = np.concatenate((normals_a, normals_b))
    most = max(1, MOST_PRODUCTS // max(len(a.world), len(b.world)))
    if len(axes) > most:
        axes = axes[:: -(-len(axes) // most)]
    if max(len(edges_a), len(edges_b)) <= MOST_EDGES:
        axes = np.concatenate((axes, _units(np.cross(edges_a[:, None], edges_b[None]).reshape(-1, 3))))
    apart = a.world.mean(axis=0) - b.world.mean(axis=0)
    return np.concatenate((axes, _units(apart[None])))


def axes_of_surface(vertices, triangles):
    """(normals (N,3), directions of edges (E,3)) of the surface of a convex body, each direction once."""
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    edges = (np.roll(corners, -1, axis=1) - corners).reshape(-1, 3)
    return _different(_units(normals)), _different(_units(edges))


def _units(vectors):
    """The vectors (N,3) of a length that tells their direction, with length 1."""
    length = np.linalg.norm(vectors, axis=1)
    told = length > PARALLEL * (length.max() if len(length) else 0.0)
    return vectors[told] / length[told, None]


def _different(axes):
    """Axes (N,3) without those that another one is, or is the opposite of, to six digits."""
    rounded = np.round(axes, 6)
    leading = rounded[np.arange(len(rounded)), (rounded != 0.0).argmax(axis=1)]
    rounded[leading < 0.0] *= -1.0
    # Bytes tell -0 from 0; to sort them takes longer than all else that is done with a pair of boxes.
    told, width = (rounded + 0.0).tobytes(), 3 * rounded.itemsize
    first = {told[width * i : width * (i + 1)]: i for i in reversed(range(len(rounded)))}
    return axes[sorted(first.values())]
