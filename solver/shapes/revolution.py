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
    # The two triangles of each side of a band, from its lower ring to the one above.
    above, over = following + segments, near + segments
    sides = np.stack([np.stack([near, following, above], axis=1), np.stack([near, above, over], axis=1)])
    bands = segments * np.arange(inner - 1)[:, None, None, None] + sides
    caps = ((np.full(segments, bottom), following, near), (np.full(segments, top), last + near, last + following))
    low, high = (np.stack(cap, axis=1) for cap in caps)
    return vertices, np.concatenate([low, bands.reshape(-1, 3), high])
