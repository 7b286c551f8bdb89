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
    """D deformable bodies: scale (D,), see above; dof (D,): first velocity component; size (D,): nodes that carry rows;
    W (.,): condensed inverse matrices, row by row, from start (D,) on."""

    scale: np.ndarray
    dof: np.ndarray
    size: np.ndarray
    start: np.ndarray
    W: np.ndarray


@inner
def _any(local):
    return local[0] >= 0 or local[1] >= 0 or local[2] >= 0


@kernel
def count_segments(rigid, on, size, J_start, G_start):
    """Fill J_start, G_start (C+1,): first segments of each contact of OnNodes; returns how many numbers J and G have.

    rigid (C+1,): those of its rigid bodies; size (D,): see Condensed.
    """
    rows, body, local = on.rows, on.body, on.local
    J_start[0] = G_start[0] = 0
    in_J, in_G = 0, 0
    for c in range(rows.size):
        nodes, bodies = rigid[c + 1] - rigid[c], rigid[c + 1] - rigid[c]
        in_J += 6 * rows[c] * nodes
        in_G += 6 * rows[c] * nodes
        for side in range(2):
            used = 0
            for j in range(3):
                if local[c, side, j] >= 0:
                    used += 1
            nodes += used
            in_J += 3 * rows[c] * used
            if used > 0 and not (side == 1 and body[c, 0] == body[c, 1] and _any(local[c, 0])):
                bodies += 1
                in_G += 3 * rows[c] * size[body[c, side]]
        J_start[c + 1], G_start[c + 1] = J_start[c] + nodes, G_start[c] + bodies
    return in_J, in_G


@kernel
def fill_segments(rigid, rigid_G, on, bodies, J, G):
    """Fill the BlockRows J and G of OnNodes and Condensed bodies, whose indptr is given. rigid, rigid_G: BlockRows of
    the rigid bodies alone. Of a contact the segments of rigid bodies come first.
    """
    rows, body, local, push = on
    scale, dof, size, W_start, W = bodies
    at_J, at_G = 0, 0
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
            width = 3 * size[b]
            together = side == 1 and body[c, 0] == b and _any(local[c, 0])
            if together:
                g -= 1
                at_G -= m * width
            else:
                G.start[g], G.size[g], G.offset[g] = dof[b], width, at_G
                for i in range(m * width):
                    G.data[at_G + i] = 0.0
            factor = scale[b] * (-1.0 if side == 0 else 1.0)
            for j in range(3):
                node = local[c, side, j]
                if node < 0:
                    continue
                J.start[s], J.size[s], J.offset[s] = dof[b] + 3 * node, 3, at_J
                for i in range(m):
                    row = G.data[at_G + i * width : at_G + (i + 1) * width]
                    for k in range(3):
                        entry = factor * push[c, side, j, i, k]
                        J.data[at_J + 3 * i + k] = entry
                        first = W_start[b] + (3 * node + k) * width
                        source = W[first : first + width]
                        for q in range(width):
                            row[q] += entry * source[q]
                at_J, s = at_J + 3 * m, s + 1
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
