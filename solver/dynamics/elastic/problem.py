"""The contact problem of an island with deformable bodies: rows on rigid bodies and on nodes, one velocity vector.

Its components are the six of every rigid body that moves, then three for every node that carries rows, body by body; of
a reduced body its own 6 + r. W of a deformable body is its inverse matrix condensed on these, so elasticity is in the
problem and no method sees it. Where all have few unknowns W is block by block, as that of rigid bodies is. Rows of
contacts come first, then those of attachments, then those of joints between rigid bodies.
"""

from typing import NamedTuple

import numpy as np

from ...options import changed
from ...problem import Block, BlockRows, ContactProblem, InverseMass
from ..contact_step import contact_step
from ..jointed.rows import Parts, appended, with_joints
from . import row_kernels as kernels
from .row_directions import common_points, directions


class SoftRows(NamedTuple):
    """Rows on the nodes of D bodies (B blocks): frame (B,3,3); rows (B,) of each block; body (B,2) 0..D-1 of each side,
    -1 for none; node (B,2,3) among all nodes of the island, -1 for none; push (B,2,3,3,3): see row_directions.py; held:
    the blocks of attachments, a slice."""

    frame: np.ndarray
    rows: np.ndarray
    body: np.ndarray
    node: np.ndarray
    push: np.ndarray
    held: slice


class Chosen(NamedTuple):
    """The blocks (A,) of a step that are solved for, ascending: local (A,2,3) their nodes among those of the body that
    carry such rows and are free, -1 for none; nodes: for each body which of its own nodes (s,) these are, in the order
    of its matrix."""

    blocks: np.ndarray
    local: np.ndarray
    nodes: tuple


def island_rows(island, parts, poses, h):
    """(ContactStep with all rows of the rigid bodies, SoftRows of all blocks) of an Island whose SoftParts are at its
    poses (impulses.Poses); the velocities of nodes are not in b yet."""
    x = np.concatenate([part.found_at for part in parts])
    contacts, attached_at = _about_common_points(island, parts, x)
    step = contact_step(island.model, poses.position, poses.orientation, poses.before, poses.free, contacts)
    ends = [np.stack([island.contacts.body_a, island.contacts.body_b], axis=1)]
    frame, rows, stencils = [step.frame], [step.rows], [island.stencils]
    if island.attached.count:
        grip = _attached_step(island, attached_at, poses)
        gap = island.attached_gap
        b = grip.problem.b + np.einsum("aij,aj->ai", grip.frame, gap).ravel() / h
        part = grip.problem
        kinds = np.full(island.attached.count, int(Block.BILATERAL), dtype=np.int64)
        none = np.full(len(kinds), -1), np.zeros(0)
        free = np.tile([-np.inf, np.inf], (len(kinds), 1))
        both = appended(step.problem, Parts(kinds, part.row_start, part.J, part.G), b, none, free)
        step = changed(step, problem=both)
        ends.append(island.attached.body)
        frame.append(grip.frame)
        rows.append(grip.rows)
        stencils.append(island.attached_stencils)
    step = with_joints(island.model, island.joints, poses, step, h)
    more = step.problem.block_count - sum(len(own) for own in rows)
    if more:
        ends.append(np.full((more, 2), -1))
        frame.append(np.zeros((more, 3, 3)))
        rows.append(np.diff(step.problem.row_start)[-more:])
        stencils.append((np.full((more, 2, 3), -1), np.zeros((more, 2, 3))))
    node, weight = (np.concatenate(columns) for columns in zip(*stencils, strict=True))
    count = island.contacts.count
    held = slice(count, count + island.attached.count)
    body, node = _on_nodes(parts, np.concatenate(ends), node)
    frame = np.concatenate(frame)
    node, push = directions(node, weight, frame, x, lambda nodes: _completed(parts, nodes))
    return step, SoftRows(frame, np.concatenate(rows), body, node, push, held)


def _about_common_points(island, parts, x):
    """(the contacts of an Island at the points about which their rows push, places (A,3) where attachments do)."""
    contacts = island.contacts
    _, node = _on_nodes(parts, np.stack([contacts.body_a, contacts.body_b], axis=1), island.stencils[0])
    at = common_points(contacts, node, island.stencils[1], x)
    held = None if island.attached_at is None else island.attached_at - island.attached_gap
    return contacts._replace(position=at), held


def _completed(parts, nodes):
    """Triangles (k,3) that nodes (k,3) of the island belong to, see Deformable.completed."""
    nodes, some = nodes.copy(), nodes.max(axis=1)
    for part in parts:
        own = (some >= part.first) & (some < part.first + part.body.node_count)
        nodes[own] = part.body.completed(np.where(nodes[own] >= 0, nodes[own] - part.first, -1)) + part.first
    return nodes


def _attached_step(island, at, poses):
    """ContactStep of the attachments: three rows each, along the axes of the world, about points `at` (A,3)."""
    attached, model = island.attached, island.model
    count = attached.count
    axis = np.tile([1.0, 0.0, 0.0], (count, 1))
    empty = np.zeros(count)
    contacts = type(island.contacts)(
        np.ascontiguousarray(attached.body[:, 0]), np.ascontiguousarray(attached.body[:, 1]),
        np.ascontiguousarray(at), axis, empty, np.arange(count),
    )  # fmt: skip
    grip = changed(model)
    # Three rows each, whatever the friction.
    grip.__dict__["pairs"] = model.pairs._replace(mu=np.ones_like(model.pairs.mu) * [1.0, 1.0, 0.0])
    grip.__dict__["bodies"] = model.bodies._replace(directed=np.zeros_like(model.bodies.directed))
    return contact_step(grip, poses.position, poses.orientation, poses.before, poses.free, contacts)


def _on_nodes(parts, ends, own_node):
    """(body, node) of SoftRows: ends (B,2) bodies, own_node (B,2,3) nodes of their own."""
    body, node = np.full((len(ends), 2), -1), np.full((len(ends), 2, 3), -1)
    for k, part in enumerate(parts):
        of = ends == part.number
        body[of] = k
        node[of] = np.where(own_node[of] >= 0, own_node[of] + part.first, -1)
    return body, node


def chosen_blocks(soft, parts, wanted):
    """The Chosen of the blocks `wanted` (B,) bool."""
    blocks = np.flatnonzero(wanted)
    body, node = soft.body[blocks], soft.node[blocks]
    local, carrying = np.full(node.shape, -1), []
    for k, part in enumerate(parts):
        of = body == k
        own = np.where(node[of] >= 0, node[of] - part.first, -1)
        able = (own >= 0) & ~part.body.pinned[own]
        pattern = part.body.symbolic
        nodes = pattern.order[np.unique(pattern.place[own[able]])]
        rank = np.full(part.body.node_count, -1)
        rank[nodes] = np.arange(len(nodes))
        local[of] = np.where(able, rank[own], -1)
        carrying.append(nodes)
    return Chosen(blocks, local, tuple(carrying))


def island_problem(step, soft, chosen, parts, condensed, b):
    """(ContactProblem of the Chosen blocks of a ContactStep of the rigid bodies, with rows on nodes; its rows (K',)
    among the step's); condensed: for each body its W on chosen.nodes,
    or on what they follow from; b (K,)."""
    blocks, whole = chosen.blocks, len(chosen.blocks) == len(soft.rows)
    rigid, at = (step.problem, np.arange(len(b))) if whole else step.problem.restrict(blocks)
    rows, body = soft.rows[blocks], soft.body[blocks]
    shapes = [part.rows(nodes) for part, nodes in zip(parts, chosen.nodes, strict=True)]
    width = np.array([len(W) for W in condensed], dtype=np.int64)
    none = np.array([shape is None for shape in shapes])
    shapes = [np.zeros(0) if shape is None else shape.ravel() for shape in shapes]
    node_start = np.where(none, -1, _starts([len(shape) for shape in shapes])[:-1])
    J_start, G_start = np.empty(len(rows) + 1, np.int64), np.empty(len(rows) + 1, np.int64)
    on = kernels.OnNodes(rows, body, chosen.local, soft.push[blocks])
    in_J, in_G = kernels.count_segments(rigid.J.indptr, on, width, node_start, J_start, G_start)
    J, G = _room(J_start, in_J), _room(G_start, in_G)
    dof, W_start = rigid.dof_count + _starts(width), _starts(width * width)
    W = np.concatenate([np.zeros(0), *(w.ravel() for w in condensed)])
    scale = np.array([part.scheme.reach for part in parts])
    bodies = kernels.Condensed(scale, dof, width, W_start, W, node_start, np.concatenate(shapes))
    kernels.fill_segments(rigid.J, rigid.G, on, bodies, J, G)
    problem = ContactProblem(
        kind=rigid.kind, row_start=rigid.row_start, J=J, G=G, b=b[at], law=rigid.law, mu=rigid.mu, bounds=rigid.bounds,
        compliance_offset=rigid.compliance_offset, compliance=rigid.compliance, dof_count=int(dof[-1]), name="step",
        inverse_mass=None if none.any() else _inverse_mass(rigid.inverse_mass, condensed, dof, W_start, W),
    )  # fmt: skip
    return problem, at


def _inverse_mass(rigid, condensed, dof, W_start, W):
    """The InverseMass of rigid bodies, given theirs, and of reduced ones behind them."""
    masses = [np.linalg.inv(w).ravel() for w in condensed]
    return InverseMass(
        np.concatenate([rigid.start, dof[1:]]), np.concatenate([rigid.offset, len(rigid.data) + W_start[:-1]]),
        np.concatenate([rigid.data, W]), np.concatenate([rigid.mass, *masses]),
    )  # fmt: skip


def _starts(sizes):
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def _room(indptr, length):
    segments = int(indptr[-1])
    return BlockRows(indptr, *(np.empty(segments, np.int64) for _ in range(3)), np.empty(length))
