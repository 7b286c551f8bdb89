"""Constraint rows of contacts on the nodes of deformable bodies: J, G = (W J^T)^T, velocities and forces.

Row i of a contact has the velocity sum over its sides and nodes j of sign scale push[side, j, i] . u, sign -1 on side a
(see row_directions.py). `scale` of a body: how far a node moves in the step for a unit of its velocity at the end, in
parts of the step.
"""

from typing import NamedTuple

import numpy as np

from ...jit import inner, kernel


class OnNodes(NamedTuple):
    """Rows of C contacts on nodes: rows (C,) of each; body (C,2): number of the deformable body of each side, -1 for
    none; local (C,2,3): its nodes among those that carry rows, -1 for none; push (C,2,3,3,3): see row_directions.py."""

    rows: np.ndarray
    body: np.ndarray
    local: np.ndarray
    push: np.ndarray


class Condensed(NamedTuple):
    """D deformable bodies: scale (D,), see above; dof (D,): first velocity component; width (D,): their number; W (.,):
    condensed inverse matrices, row by row, from start (D,) on. The components are those of the nodes that carry rows,
    three each, or those of a reduced body, whose nodes have the velocities that its matrix (3s,width) says: in `shape`
    (.,) from node_start (D,) on, which is -1 for a body of nodes."""

    scale: np.ndarray
    dof: np.ndarray
    width: np.ndarray
    start: np.ndarray
    W: np.ndarray
    node_start: np.ndarray
    shape: np.ndarray


@inner
def _any(local):
    return local[0] >= 0 or local[1] >= 0 or local[2] >= 0


@kernel
def count_segments(rigid, on, width, node_start, J_start, G_start):
    """Fill J_start, G_start (C+1,): first segments of each contact of OnNodes; returns how many numbers J and G have.

    rigid (C+1,): those of its rigid bodies; width, node_start (D,): see Condensed.
    """
    rows, body, local = on.rows, on.body, on.local
    J_start[0] = G_start[0] = 0
    in_J, in_G = 0, 0
    for c in range(rows.size):
        nodes, bodies = rigid[c + 1] - rigid[c], rigid[c + 1] - rigid[c]
        in_J += 6 * rows[c] * nodes
        in_G += 6 * rows[c] * nodes
        for side in range(2):
            if not _any(local[c, side]):
                continue
            b, used = body[c, side], 0
            for j in range(3):
                if local[c, side, j] >= 0:
                    used += 1
            new = not (side == 1 and body[c, 0] == b and _any(local[c, 0]))
            if new:
                bodies += 1
                in_G += rows[c] * width[b]
            if node_start[b] < 0:
                nodes += used
                in_J += 3 * rows[c] * used
            elif new:
                nodes += 1
                in_J += rows[c] * width[b]
        J_start[c + 1], G_start[c + 1] = J_start[c] + nodes, G_start[c] + bodies
    return in_J, in_G


@inner
def _add_products(row, entry, W, first, width):
    """row (width,) += entry times the row of W that begins at `first`."""
    for q in range(width):
        row[q] += entry * W[first + q]


@kernel
def fill_segments(rigid, rigid_G, on, bodies, J, G):
    """Fill the BlockRows J and G of OnNodes and Condensed bodies, whose indptr is given. rigid, rigid_G: BlockRows of
    the rigid bodies alone. Of a contact the segments of rigid bodies come first.
    """
    rows, body, local, push = on
    scale, dof, width_of, W_start, W, node_start, shape = bodies
    at_J, at_G = 0, 0
    J.data[:] = 0.0
    G.data[:] = 0.0
    for c in range(rows.size):
        m, s, g = rows[c], J.indptr[c], G.indptr[c]
        for q in range(rigid.indptr[c], rigid.indptr[c + 1]):
            J.start[s], J.size[s], J.offset[s] = rigid.start[q], 6, at_J
            G.start[g], G.size[g], G.offset[g] = rigid.start[q], 6, at_G
            for i in range(6 * m):
                J.data[at_J + i] = rigid.data[rigid.offset[q] + i]
                G.data[at_G + i] = rigid_G.data[rigid_G.offset[q] + i]
            at_J, at_G, s, g = at_J + 6 * m, at_G + 6 * m, s + 1, g + 1
        for side in range(2):
            b = body[c, side]
            if b < 0 or not _any(local[c, side]):
                continue
            width, reduced = width_of[b], node_start[b] >= 0
            if side == 1 and body[c, 0] == b and _any(local[c, 0]):
                g, at_G = g - 1, at_G - m * width
                if reduced:
                    s, at_J = s - 1, at_J - m * width
            G.start[g], G.size[g], G.offset[g] = dof[b], width, at_G
            factor = scale[b] * (-1.0 if side == 0 else 1.0)
            for j in range(3):
                node = local[c, side, j]
                if node < 0:
                    continue
                if not reduced:
                    J.start[s], J.size[s], J.offset[s] = dof[b] + 3 * node, 3, at_J
                for i in range(m):
                    for k in range(3):
                        entry, of = factor * push[c, side, j, i, k], (3 * node + k) * width
                        if reduced:
                            row = J.data[at_J + i * width : at_J + (i + 1) * width]
                            _add_products(row, entry, shape, node_start[b] + of, width)
                        else:
                            J.data[at_J + 3 * i + k] = entry
                            row = G.data[at_G + i * width : at_G + (i + 1) * width]
                            _add_products(row, entry, W, W_start[b] + of, width)
                if not reduced:
                    at_J, s = at_J + 3 * m, s + 1
            if reduced:
                J.start[s], J.size[s], J.offset[s] = dof[b], width, at_J
                for i in range(m):
                    row = G.data[at_G + i * width : at_G + (i + 1) * width]
                    row[:] = 0.0
                    for q in range(width):
                        _add_products(row, J.data[at_J + i * width + q], W, W_start[b] + q * width, width)
                at_J, s = at_J + m * width, s + 1
            at_G, g = at_G + m * width, g + 1


@kernel
def add_velocities(rows, row_start, node, push, velocity, b):
    """b (K,) += velocities of the rows for node velocities (N,3); node (C,2,3): numbers of nodes, -1 for none."""
    for c in range(rows.size):
        for side in range(2):
            sign = -1.0 if side == 0 else 1.0
            for j in range(3):
                n = node[c, side, j]
                if n < 0:
                    continue
                for i in range(rows[c]):
                    d = push[c, side, j, i, 0] * velocity[n, 0] + push[c, side, j, i, 1] * velocity[n, 1]
                    d += push[c, side, j, i, 2] * velocity[n, 2]
                    b[row_start[c] + i] += sign * d


@kernel
def add_impulses(rows, row_start, node, push, impulse, force):
    """force (N,3) += what impulses (K,) do to the nodes [N s], the transposed of add_velocities."""
    for c in range(rows.size):
        for side in range(2):
            sign = -1.0 if side == 0 else 1.0
            for j in range(3):
                n = node[c, side, j]
                if n < 0:
                    continue
                for i in range(rows[c]):
                    given = sign * impulse[row_start[c] + i]
                    for k in range(3):
                        force[n, k] += given * push[c, side, j, i, k]
