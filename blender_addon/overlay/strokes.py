"""Lines to draw, as arrays: Blender units, world frame."""

from typing import NamedTuple

import numpy as np

HEAD = 0.22  # length of an arrow's head, as a part of the arrow


class Stroke(NamedTuple):
    """Segments (S,2,3) of one colour (4,) and width [pixels]."""

    segments: np.ndarray
    color: tuple
    width: float = 1.5


def crosses(points, size):
    """Segments of upright crosses of half width `size` at points (P,3)."""
    arms = size * np.array([[[-1, 0, 0], [1, 0, 0]], [[0, -1, 0], [0, 1, 0]], [[0, 0, -1], [0, 0, 1]]], dtype=float)
    return (np.asarray(points, dtype=float)[:, None, None, :] + arms[None]).reshape(-1, 2, 3)


def arrows(start, vector):
    """Segments of arrows from points (P,3) along vectors (P,3); zero vectors have none."""
    start, vector = np.asarray(start, dtype=float), np.asarray(vector, dtype=float)
    length = np.linalg.norm(vector, axis=1)
    keep = length > 0
    start, vector, length = start[keep], vector[keep], length[keep, None]
    end, along = start + vector, vector / length
    side = np.cross(along, np.where(np.abs(along[:, 2:]) > 0.9, [[1.0, 0, 0]], [[0, 0, 1.0]]))
    side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-300)
    base, wide = end - HEAD * vector, 0.4 * HEAD * length * side
    parts = [(start, end), (end, base + wide), (end, base - wide)]
    return np.concatenate([np.stack(part, axis=1) for part in parts]) if len(start) else np.zeros((0, 2, 3))


def box_edges(low, high):
    """Segments (12 P,2,3) of boxes with corners low and high (P,3)."""
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    corner = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    pairs = [(a, b) for a in range(8) for b in range(a) if bin(a ^ b).count("1") == 1]
    corners = low[:, None] + corner[None] * (high - low)[:, None]
    return corners[:, pairs].reshape(-1, 2, 3)
