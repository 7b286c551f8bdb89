"""Contacts of deformable bodies with themselves: folds, walls of chambers that meet.

Features that share a node or an edge are left out; a vertex behind a face by more than a part of its edges is on the
other side of a wall, not in contact.
"""

from typing import NamedTuple

import numpy as np

from ...collision.broadphase.broad import overlapping_pairs
from ...collision.broadphase.filters import pair_filter
from ...collision.convex.narrow_kernels import Contacts
from . import self_contact_kernels as kernels
from .nodes import center_of, moved_with, rigid_part


class SelfTables(NamedTuple):
    """Of a surface, by nodes: triangles (F,3), edges (E,2) with the two triangles at each (E,2), start (n+1,) and
    neighbour: the nodes that share an edge with each."""

    triangles: np.ndarray
    edges: np.ndarray
    faces_of_edge: np.ndarray
    start: np.ndarray
    neighbour: np.ndarray


def self_tables(count, triangles):
    """SelfTables of triangles (F,3) among `count` nodes."""
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    edges, number = np.unique(np.sort(sides, axis=1), axis=0, return_inverse=True)
    owner = np.tile(np.arange(len(triangles)), 3)[np.argsort(number.ravel(), kind="stable")]
    first = np.searchsorted(np.sort(number.ravel()), np.arange(len(edges)))
    both = np.concatenate([edges, edges[:, ::-1]])
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    start = np.searchsorted(both[:, 0], np.arange(count + 1))
    faces_of_edge = np.stack([owner[first], owner[first + 1]], axis=1)
    return SelfTables(np.ascontiguousarray(triangles), np.ascontiguousarray(edges), faces_of_edge,
                      start.astype(np.int64), np.ascontiguousarray(both[:, 1]))  # fmt: skip


def self_contacts(number, body, x, v, h):
    """(Contacts, node (C,2,3), weight (C,2,3)) of a body, number `number`, with itself; x, v (n,3): its nodes and their
    velocities."""
    tables = body.self_tables
    triangles, edges = tables.triangles, tables.edges
    corners = x[triangles]
    face = _units(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    node_normal = np.zeros_like(x)
    for j in range(3):
        np.add.at(node_normal, triangles[:, j], face)
    edge_normal = face[tables.faces_of_edge].sum(axis=1)
    nodes = body.surface_nodes
    # A rigid motion closes no gap of the body with itself.
    way = h * np.linalg.norm(v - moved_with(rigid_part(body, x, v), center_of(body, x), x), axis=1)
    boxes = [_boxes(x, way, features) for features in (nodes[:, None], triangles, edges)]
    count = len(nodes)
    low, high = (np.concatenate(ends) for ends in zip(*boxes[:2], strict=True))
    on_faces = overlapping_pairs(low, high, (np.arange(len(low)) >= count).astype(np.int32), pair_filter([True, True]))
    on_faces = np.stack([nodes[on_faces[:, 0]], on_faces[:, 1] - count], axis=1).astype(np.int64)
    each = np.arange(len(edges), dtype=np.int32)
    on_edges = overlapping_pairs(*boxes[2], each, pair_filter(np.ones(len(edges), dtype=bool))).astype(np.int64)
    room = len(on_faces) + len(on_edges)
    out = (np.empty((room, 3)), np.empty((room, 3)), np.empty(room), np.empty(room, np.int64),
           np.empty((room, 2, 3), np.int64), np.empty((room, 2, 3)))  # fmt: skip
    rings = tables.start, tables.neighbour
    used = kernels.vertices_on_faces(x, v, h, (triangles, _units(node_normal), *rings), on_faces, 0, out)
    used = kernels.edges_on_edges(x, v, h, (edges, _units(edge_normal), *rings), on_edges, used, out)
    position, normal, gap, key, node, weight = (column[:used] for column in out)
    own = np.full(used, number, dtype=np.int64)
    return Contacts(own, own.copy(), position, normal, gap, key), node, weight


def _units(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)


def _boxes(x, way, features):
    """Corners (m,3), (m,3) of the boxes about features (m,k) of nodes at x (n,3) that move by way (n,): what touches
    one has a box that overlaps."""
    corners, way = x[features], way[features].max(axis=1)
    low, high = corners.min(axis=1), corners.max(axis=1)
    # How deep a contact may be, and how far outside of the two sides of a face a vertex that touches it.
    spare = (kernels.DEEPEST + 2.0 * kernels.NEAR) * np.linalg.norm(high - low, axis=1) + way
    return low - spare[:, None], high + spare[:, None]
