"""Work space of the narrow phase: one per chunk of pairs, reused for every pair in it."""

from typing import NamedTuple

import numpy as np


class Scratch(NamedTuple):
    """Buffers of one pair at a time.

    simplex (4,3), index (4,2), weight (4,): closest points; edges_a, edges_b (E,): edges that can meet; polygon,
    clipped (P,3), label, clipped_label (P,2): clipping; position, normal (N,3), gap (N,), key (N,): the pair's contacts
    before the reduction; keep (N,) bool, cluster, order (N,): the reduction.
    """

    simplex: np.ndarray
    index: np.ndarray
    weight: np.ndarray
    edges_a: np.ndarray
    edges_b: np.ndarray
    polygon: np.ndarray
    clipped: np.ndarray
    label: np.ndarray
    clipped_label: np.ndarray
    position: np.ndarray
    normal: np.ndarray
    gap: np.ndarray
    key: np.ndarray
    keep: np.ndarray
    cluster: np.ndarray
    order: np.ndarray


def allocate_scratch(most_edges, most_corners, raw_contacts):
    """Scratch for cores of at most that many edges and corners a face, and room for raw contacts of a pair.

    Clipping one polygon by another yields at most as many corners as both have together.
    """
    corners = 2 * most_corners + 8
    contacts = max(raw_contacts, corners)
    return Scratch(
        simplex=np.zeros((4, 3)),
        index=np.zeros((4, 2), np.int64),
        weight=np.zeros(4),
        edges_a=np.zeros(most_edges + 1, np.int64),
        edges_b=np.zeros(most_edges + 1, np.int64),
        polygon=np.zeros((corners, 3)),
        clipped=np.zeros((corners, 3)),
        label=np.zeros((corners, 2), np.int64),
        clipped_label=np.zeros((corners, 2), np.int64),
        position=np.zeros((contacts, 3)),
        normal=np.zeros((contacts, 3)),
        gap=np.zeros(contacts),
        key=np.zeros(contacts, np.int64),
        keep=np.zeros(contacts, np.bool_),
        cluster=np.zeros(contacts, np.int64),
        order=np.zeros(contacts, np.int64),
    )
