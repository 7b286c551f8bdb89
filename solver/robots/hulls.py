"""The corners of a mesh's convex hull, as few as robots are made to touch with."""

import numpy as np

from ..base.refusal import SceneError

# Hulls with more corners keep those furthest along so many directions, spread evenly over the sphere.
MOST = 200


def hull_corners(vertices, who):
    """Corners (V,3) of the convex hull of vertices; of round ones a selection, inside by about 1 % of the size."""
    from scipy.spatial import ConvexHull, QhullError

    vertices = np.asarray(vertices, dtype=float)
    try:
        corners = vertices[ConvexHull(vertices).vertices]
    except (QhullError, ValueError):
        raise SceneError(f"{who}: its mesh is flat or has too few corners for a convex hull; give a box") from None
    if len(corners) <= MOST:
        return corners
    center, size = corners.mean(axis=0), np.ptp(corners, axis=0)
    return corners[np.unique(np.argmax(_directions() @ ((corners - center) / size).T, axis=1))]


def _directions():
    """Unit vectors (MOST,3) on a spiral."""
    k = np.arange(MOST) + 0.5
    z, turn = 1 - 2 * k / MOST, k * np.pi * (3 - np.sqrt(5))
    return np.column_stack([np.sqrt(1 - z**2) * np.cos(turn), np.sqrt(1 - z**2) * np.sin(turn), z])
