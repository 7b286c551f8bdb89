"""Telling that an open triangle mesh is one flat convex polygon, such as a ground or a table top of a few triangles."""

import numpy as np

from ..meshes.integrals import triangle_areas
from ..meshes.mesh_prep import mesh_edges, rim_of

ON = 1e-6  # of the size, and of the area: rounding of vertices in single precision leaves about this


def plate_corners(vertices, triangles):
    """Corners (n,3) [m], counter-clockwise, of the flat convex polygon that triangles (T,3) of vertices (V,3) fill
    once; None where they are anything else."""
    middle, size = vertices.mean(axis=0), float(np.ptp(vertices, axis=0).max())
    _, spread, axes = np.linalg.svd((vertices - middle) / size, full_matrices=False)
    local = (vertices - middle) @ axes.T / size
    if not spread[1] > ON or np.abs(local[:, 2]).max() > ON:
        return None
    from scipy.spatial import ConvexHull as QuickHull

    # Corners between sides that nearly go on straight are none.
    outline = QuickHull(local[:, :2], qhull_options=f"C-{ON}")
    filled = triangle_areas(vertices, triangles).sum() / size**2
    if abs(filled / outline.volume - 1.0) > ON or not _rim_is_outline(local[:, :2], triangles, outline):
        return None
    # Counter-clockwise about one of the two sides, which are alike.
    return middle + size * (local[outline.vertices, :2] @ axes[:2])


def _rim_is_outline(points, triangles, outline):
    """Whether the edges of one triangle alone lie on the outline: no hole, and nothing twice."""
    edges = mesh_edges(triangles, len(points))
    if (edges.uses > 2).any():
        return False
    rim = points[rim_of(triangles, edges).ravel()]
    below = rim @ outline.equations[:, :2].T + outline.equations[:, 2]
    return bool((below.max(axis=1) >= -ON).all())
