"""Work space of the narrow phase: one per chunk of pairs, reused for every pair in it."""

from typing import NamedTuple

import numpy as np

from ...jit import inner


class Work(NamedTuple):
    """Buffers inside one pair. Numbers of features are kept beside the coordinates: fewer tables make faster calls.

    simplex (4,6): points, weights and vertices of the closest points; edges (2,E,13): normals, start, vector and
    number of the edges that can meet; sides (P,5): planes and edges of a reference face; polygon (2,P,5): corners,
    vertices and edges, clipped from the first into the second; moved (V,3): vertices where they will be;
    boxes (5,3): products of the axes of two boxes; carried (2,2,V,3) and frames (2,12): vertices, normals and frames at
    the end of the step.
    """

    simplex: np.ndarray
    edges: np.ndarray
    sides: np.ndarray
    polygon: np.ndarray
    moved: np.ndarray
    boxes: np.ndarray
    carried: np.ndarray
    frames: np.ndarray


class Raw(NamedTuple):
    """Contacts of one pair before the reduction: place (N,7) position, normal, gap; key (N,)."""

    place: np.ndarray
    key: np.ndarray


@inner
def work_for(most_vertices, most_edges, most_corners):
    """Work for cores of at most that many vertices, edges, and corners a face.

    Clipping one polygon by another yields at most as many corners as both have together.
    """
    corners = 2 * most_corners + 8
    return Work(
        np.empty((4, 6)), np.empty((2, most_edges + 1, 13)), np.empty((corners, 5)), np.empty((2, corners, 5)),
        np.empty((most_vertices, 3)), np.empty((5, 3)),
        np.empty((2, 2, max(most_vertices, 2 * most_corners, most_edges), 3)), np.empty((2, 12)),
    )  # fmt: skip


def allocate_raw(capacity):
    """Room for `capacity` contacts of a pair."""
    return Raw(place=np.empty((capacity, 7)), key=np.empty(capacity, np.int64))
