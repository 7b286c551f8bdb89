"""A mesh hung on tetrahedra: every vertex moves with the one it is in; one outside with all that are near it.

Vertices lie outside where modifiers made the simulated surface from a coarser mesh (the corners of a subdivided cube).
To follow the nearest tetrahedron alone would fling them about.
"""

from typing import NamedTuple

import numpy as np

from ...solver.dynamics.elastic.elements import EDGES, shape_functions
from ..base.geometry import vertices_of
from ..exporting.meshes import mesh_of

# Tetrahedra with the nearest middles, one of which may be around a vertex; those that a vertex outside follows.
CANDIDATES, FOLLOWED = 12, 32
# A barycentric weight below which a vertex counts as outside.
OUTSIDE = -0.05
# Newton steps to the place of a point in a bent element.
ROUNDS = 6
# How near they have to come, in parts of an edge, and the least barycentric weight there.
CLOSE, FURTHEST = 1e-9, -0.3


class Embedding(NamedTuple):
    """corners, weights (P,4), of quadratic tets (P,10): nodes of the tet that each point is in, and their weights;
    matrix (P,N): the same, sparse; outside (Q,): points that follow several tets instead; tets (Q,K,4), shares (Q,K) of
    these; inverse (Q,K,3,3) of their edges at rest and arms (Q,K,3) from their first corners."""

    corners: np.ndarray
    weights: np.ndarray
    matrix: object
    outside: np.ndarray
    tets: np.ndarray
    shares: np.ndarray
    inverse: np.ndarray
    arms: np.ndarray


def world_vertices(ob, one, reading):
    """Places (V,3) [m] of the own vertices of an object, whose BodyReading is `one`, at the first frame of a
    SceneReading; where its pins follow its animation, as that has deformed them by then."""
    places = (reading.meshes[one.mesh][0] if one.follows else vertices_of(mesh_of(ob))).astype(float)
    return (places @ one.matrix[:3, :3].T + one.matrix[:3, 3]) * reading.unit


def embed(points, nodes, tets, middle=None):
    """Embedding of points (P,3) among nodes (N,3) and tets (T,4); middle (T,6): the nodes on the edges of quadratic
    ones, which points follow by the shape functions."""
    from scipy.sparse import csr_array
    from scipy.spatial import cKDTree

    at = nodes[tets]
    inverse = np.linalg.inv(np.transpose(at[:, 1:] - at[:, :1], (0, 2, 1)))
    tree = cKDTree(at.mean(axis=1))
    _, near = tree.query(points, min(CANDIDATES, len(tets)))
    near = near.reshape(len(points), min(CANDIDATES, len(tets)))
    best, chosen = np.full(len(points), -np.inf), np.zeros(len(points), dtype=np.int64)
    weights = np.zeros((len(points), 4))
    for k in range(near.shape[1]):
        tet = near[:, k]
        local = np.einsum("pij,pj->pi", inverse[tet], points - at[tet, 0])
        found = np.column_stack([1.0 - local.sum(axis=1), local])
        better = found.min(axis=1) > best
        best[better] = found[better].min(axis=1)
        weights[better], chosen[better] = found[better], tet[better]
    outside = np.flatnonzero(best < OUTSIDE)
    count = min(FOLLOWED, len(tets))
    distance, followed = (found.reshape(len(outside), count) for found in tree.query(points[outside], count))
    shares = 1.0 / np.maximum(distance, 1e-12) ** 2
    shares /= shares.sum(axis=1, keepdims=True)
    arms = points[outside][:, None] - at[followed, 0]
    corners = tets[chosen]
    if middle is not None and np.all(middle >= 0):
        corners = np.concatenate([corners, middle[chosen]], axis=1)
        weights = _within_bent(points, nodes[corners], weights)
    starts = np.arange(0, weights.size + 1, weights.shape[1])
    matrix = csr_array((weights.ravel(), corners.ravel(), starts), shape=(len(points), len(nodes)))
    return Embedding(corners, weights, matrix, outside, tets[followed], shares, inverse[followed], arms)


def _within_bent(points, at, weights):
    """Weights (P,10) of the nodes, at (P,10,3), of the quadratic elements that points (P,3) are in: the shape functions
    where Newton's method from the coordinates (P,4) in straight elements finds the points, else these."""
    straight = np.concatenate([weights, np.zeros((len(weights), 6))], axis=1)
    for rounds in range(ROUNDS + 1):
        values = shape_functions(weights, 10)
        off = points - np.einsum("pk,pki->pi", values, at)
        if rounds == ROUNDS:
            break
        change = np.empty((len(points), 4, 3))
        for i in range(4):
            change[:, i] = (4.0 * weights[:, i, None] - 1.0) * at[:, i]
        for k, (i, j) in enumerate(EDGES):
            change[:, i] += 4.0 * weights[:, j, None] * at[:, 4 + k]
            change[:, j] += 4.0 * weights[:, i, None] * at[:, 4 + k]
        edges = np.swapaxes(change[:, 1:] - change[:, :1], 1, 2)
        step = np.clip(np.linalg.solve(edges, off[:, :, None])[:, :, 0], -0.5, 0.5)
        weights = weights + np.column_stack([-step.sum(axis=1), step])
    size = np.linalg.norm(at[:, 1] - at[:, 0], axis=1)
    found = (np.linalg.norm(off, axis=1) < CLOSE * size) & (weights.min(axis=1) > FURTHEST)
    return np.where(found[:, None], values, straight)


def standing_out(points, nodes, triangles):
    """How far [m] points (P,3) of a mesh are outside of the surface of triangles (F,3) of nodes (N,3) that touches
    others, at most: by so much may the mesh sink into these."""
    from scipy.spatial import cKDTree

    corners = nodes[triangles]
    count = min(CANDIDATES, len(corners))
    _, near = cKDTree(corners.mean(axis=1)).query(points, count)
    at = corners[near.reshape(len(points), count)]
    edges = np.roll(at, -1, axis=2) - at
    normal = np.cross(edges[:, :, 0], edges[:, :, 1])
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    arms = points[:, None, None] - at
    # From the edges; from the plane where the foot is between all three.
    along = np.einsum("pkei,pkei->pke", arms, edges) / np.einsum("pkei,pkei->pke", edges, edges)
    off = arms - np.clip(along, 0.0, 1.0)[..., None] * edges
    distance = np.linalg.norm(off, axis=3).min(axis=2)
    height = np.einsum("pki,pki->pk", arms[:, :, 0], normal)
    sides = np.einsum("pkei,pkei->pke", np.cross(normal[:, :, None], edges), arms)
    distance = np.where((sides >= 0.0).all(axis=2), np.abs(height), distance)
    nearest = np.arange(len(points)), distance.argmin(axis=1)
    return float(distance[nearest][height[nearest] > 0.0].max(initial=0.0))


def carried(embedding, nodes):
    """Places (P,3) of embedded points for nodes at (N,3)."""
    e = embedding
    places = e.matrix @ nodes
    if len(e.outside):
        corners = nodes[e.tets]
        edges = np.swapaxes(corners[:, :, 1:] - corners[:, :, :1], 2, 3)
        local = np.einsum("qkij,qkj->qki", e.inverse, e.arms)
        moved = corners[:, :, 0] + np.einsum("qkij,qkj->qki", edges, local)
        places[e.outside] = np.einsum("qk,qki->qi", e.shares, moved)
    return places
