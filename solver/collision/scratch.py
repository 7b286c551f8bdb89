"""Work space of the narrow phase: one per chunk of pairs, reused for every pair in it."""

from typing import NamedTuple

import numpy as np


class Work(NamedTuple):
    """Buffers inside one pair.

    simplex (4,4) points and weights, index (4,2): closest points; edges (2,E) and edge_data (2,E,12): edges that can
    meet; sides (P,4) planes and side_edge (P,) of a reference face; polygon (2,P,3) and label (2,P,2): clipping from
    the first into the second; moved (V,3): vertices where they will be.
    """

    simplex: np.ndarray
    index: np.ndarray
    edges: np.ndarray
    edge_data: np.ndarray
    sides: np.ndarray
    side_edge: np.ndarray
    polygon: np.ndarray
    label: np.ndarray
    moved: np.ndarray


class Raw(NamedTuple):
    """Contacts of one pair before the reduction: place (N,7) position, normal, gap; key (N,); order, cluster (N,) and
    keep (N,) bool are the reduction's."""

    place: np.ndarray
    key: np.ndarray
    order: np.ndarray
    cluster: np.ndarray
    keep: np.ndarray


def allocate_work(most_vertices, most_edges, most_corners):
    """Work for cores of at most that many vertices, edges, and corners a face.

    Clipping one polygon by another yields at most as many corners as both have together.
    """
    corners = 2 * most_corners + 8
    return Work(
        simplex=np.zeros((4, 4)),
        index=np.zeros((4, 2), np.int64),
        edges=np.zeros((2, most_edges + 1), np.int64),
        edge_data=np.zeros((2, most_edges + 1, 12)),
        sides=np.zeros((corners, 4)),
        side_edge=np.zeros(corners, np.int64),
        polygon=np.zeros((2, corners, 3)),
        label=np.zeros((2, corners, 2), np.int64),
        moved=np.zeros((most_vertices, 3)),
    )


def allocate_raw(capacity):
    """Room for `capacity` contacts of a pair."""
    return Raw(
        place=np.zeros((capacity, 7)),
        key=np.zeros(capacity, np.int64),
        order=np.zeros(capacity, np.int64),
        cluster=np.zeros(capacity, np.int64),
        keep=np.zeros(capacity, np.bool_),
    )
