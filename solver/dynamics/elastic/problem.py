"""The contact problem of an island with deformable bodies: rows on rigid bodies and on nodes, one velocity vector.

Its components are the six of every rigid body that moves, then three for every node that carries rows, body by body. W
of a deformable body is its inverse matrix condensed on these nodes, so elasticity is in the problem and no method
sees it.
"""

from typing import NamedTuple

import numpy as np

from ...problem import BlockRows, ContactProblem
from . import row_kernels as kernels


class SoftRows(NamedTuple):
    """Rows on the nodes of D bodies (C contacts): body (C,2) 0..D-1 of each side, -1 for none; node (C,2,3) among all
    nodes of the island, -1 for none; local (C,2,3) among those of the body that carry rows and are free, -1 for none;
    weight (C,2,3); nodes: for each body which of its own nodes (s,) carry rows, in the order of its matrix."""

    body: np.ndarray
    node: np.ndarray
    local: np.ndarray
    weight: np.ndarray
    nodes: tuple


def soft_rows(parts, body_a, body_b, stencils):
    """SoftRows of contacts between bodies body_a and body_b (C,); parts: SoftParts of the island."""
    count = len(body_a)
    body, node = np.full((count, 2), -1), np.full((count, 2, 3), -1)
    local, carrying = np.full((count, 2, 3), -1), []
    for k, part in enumerate(parts):
        of = np.stack([body_a == part.number, body_b == part.number], axis=1)
        body[of] = k
        own = stencils.node[of]
        node[of] = np.where(own >= 0, own + part.first, -1)
        able = (own >= 0) & ~part.body.pinned[own]
        pattern = part.body.symbolic
        nodes = pattern.order[np.unique(pattern.place[own[able]])]
        rank = np.full(part.body.node_count, -1)
        rank[nodes] = np.arange(len(nodes))
        local[of] = np.where(able, rank[own], -1)
        carrying.append(nodes)
    return SoftRows(body, node, local, stencils.weight, tuple(carrying))


def island_problem(step, soft, parts, condensed, b):
    """ContactProblem of a ContactStep of the rigid bodies, with rows on nodes; condensed: for each body its W (3s,3s)
    on soft.nodes; b (K,)."""
    rigid, rows = step.problem, step.rows
    size = np.array([len(nodes) for nodes in soft.nodes], dtype=np.int64)
    J_start, G_start = np.empty(len(rows) + 1, np.int64), np.empty(len(rows) + 1, np.int64)
    in_J, in_G = kernels.count_segments(rigid.J.indptr, soft.body, soft.local, size, rows, J_start, G_start)
    J, G = _room(J_start, in_J), _room(G_start, in_G)
    dof = rigid.dof_count + 3 * np.concatenate(([0], np.cumsum(size))).astype(np.int64)
    W_start = np.concatenate(([0], np.cumsum(9 * size * size))).astype(np.int64)
    W = np.concatenate([np.zeros(0), *(w.ravel() for w in condensed)])
    scale = np.array([part.scale for part in parts])
    kernels.fill_segments(
        rigid.J, rigid.G, step.frame, rows, soft.body, soft.local, soft.weight, scale, dof, size, W_start, W, J, G
    )
    return ContactProblem(
        kind=rigid.kind, row_start=rigid.row_start, J=J, G=G, b=b, law=rigid.law, mu=rigid.mu, bounds=rigid.bounds,
        compliance_offset=rigid.compliance_offset, compliance=rigid.compliance, dof_count=int(dof[-1]), name="step",
    )  # fmt: skip


def _room(indptr, length):
    segments = int(indptr[-1])
    return BlockRows(indptr, *(np.empty(segments, np.int64) for _ in range(3)), np.empty(length))
