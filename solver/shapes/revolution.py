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
    parts = [np.stack([np.full(segments, bottom), following, near], axis=1)]
    for ring in range(inner - 1):
        low, high = ring * segments, (ring + 1) * segments
        parts.append(np.stack([low + near, low + following, high + following], axis=1))
        parts.append(np.stack([low + near, high + following, high + near], axis=1))
    parts.append(np.stack([np.full(segments, top), last + near, last + following], axis=1))
    return vertices, np.concatenate(parts)
