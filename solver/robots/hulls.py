"""The corners of a mesh's convex hull, as few as robots are made to touch with."""

import numpy as np

from ..base.refusal import SceneError

# Half of what a flat mesh is made thick [m]: the margin that PyBullet puts around every hull.
MARGIN = 1e-3
# Corners that are nearer to a plane than this part of their size lie in it.
FLAT = 1e-9
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


def thickened(vertices):
    """Vertices (V,3) that lie in a plane, moved off it to both sides by MARGIN; None for others."""
    middle = vertices.mean(axis=0) if len(vertices) else 0.0
    _, size, axes = np.linalg.svd(vertices - middle, full_matrices=False)
    if len(size) < 3 or not size[1] > FLAT * size[0] or size[2] > FLAT * size[0]:
        return None
    return np.concatenate([vertices - MARGIN * axes[2], vertices + MARGIN * axes[2]])


def _directions():
    """Unit vectors (MOST,3) on a spiral."""
    k = np.arange(MOST) + 0.5
    z, turn = 1 - 2 * k / MOST, k * np.pi * (3 - np.sqrt(5))
    return np.column_stack([np.sqrt(1 - z**2) * np.cos(turn), np.sqrt(1 - z**2) * np.sin(turn), z])
