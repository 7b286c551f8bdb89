"""Surfaces of revolution about z."""

import numpy as np


def revolve(radii, heights, segments):
    """Closed surface from a profile that begins and ends on the axis.

    radii, heights (P,) [m]: the profile from the lowest to the highest point; the first and the last radius
    count as zero. Returns vertices (V,3) and outward triangles (T,3).
    """
    angle = np.arange(segments) * (2.0 * np.pi / segments)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    inner = len(radii) - 2
    rings = np.empty((inner, segments, 3))
    rings[:, :, :2] = radii[1:-1, None, None] * circle[None]
    rings[:, :, 2] = heights[1:-1, None]
    poles = np.array([[0.0, 0.0, heights[0]], [0.0, 0.0, heights[-1]]])
    vertices = np.vstack([rings.reshape(-1, 3), poles])
    near = np.arange(segments)
    following = (near + 1) % segments
    bottom, top = inner * segments, inner * segments + 1
    last = (inner - 1) * segments
    low = segments * np.arange(inner - 1)[:, None]
    high = low + segments
    bands = np.empty((inner - 1, 2, segments, 3), dtype=near.dtype)
    for corner, (one, other) in enumerate(((low + near, low + near), (low + following, high + following),
                                           (high + following, high + near))):  # fmt: skip
        bands[:, 0, :, corner], bands[:, 1, :, corner] = one, other
    caps = np.empty((2, segments, 3), dtype=near.dtype)
    caps[0, :, 0], caps[0, :, 1], caps[0, :, 2] = bottom, following, near
    caps[1, :, 0], caps[1, :, 1], caps[1, :, 2] = top, last + near, last + following
    return vertices, np.concatenate([caps[0], bands.reshape(-1, 3), caps[1]])
