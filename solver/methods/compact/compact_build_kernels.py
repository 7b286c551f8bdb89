"""Kernels that build Compact problems, and carry impulses there and back.

Impulses there are scaled, lambda_F = D y, and velocities are those of the square-root mass: with W = L L^T of
each node, J~ = D J L gives A~ = J~ J~^T, so that one set of rows serves for velocities and for their change.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from ...base.inlining import inlined
from ...jit import inner, kernel
from ...problems.residual_kernels import friction_step, sliding_scale
from ..sweep_kernels import COUPLED_WITH_MOMENTUM, normal_step, solve_dense
from .columns import (
    A_NN,
    A_SN,
    A_TN,
    EIGENVALUE,
    JUDGE,
    LARGEST,
    PACKED,
    R_N,
    R_Y,
    STEP_FRICTION,
    STEP_JUDGE,
    STEP_NORMAL,
    Rows,
)
from .compact_kernels import BOUNDED, FIXED, OTHER, PLAIN, TORSION


@inner
def factor_inverse_mass(data, first, m, L):
    """Fill the lower triangle of L with the Cholesky factor of the m x m block of data from `first` on, a column with
    zeros where nothing is left of it; returns whether the body moves: whether the block is not zero."""
    moves = False
    for r in range(m):
        for c in range(r + 1):
            total = data[first + r * m + c]
            for k in range(c):
                total -= L[r, k] * L[c, k]
            if r == c:
                L[r, r] = sqrt(total) if total > 1e-14 * abs(data[first + r * m + r]) else 0.0
                moves = moves or data[first + r * m + r] > 0.0
            elif L[c, c] > 0.0:
                L[r, c] = total / L[c, c]
    return moves


@kernel
def factor_mass(start, offset, data, L, movable):
    """Cholesky factors L (n,6,6) of the inverse mass blocks; movable (n,) is 0 where the whole block is zero, or too
    large."""
    for i in range(start.size - 1):
        m = start[i + 1] - start[i]
        movable[i] = 1 if m <= 6 and factor_inverse_mass(data, offset[i], m, L[i]) else 0


class Plan(NamedTuple):
    """Nodes of a Compact: how many bodies move and are touched, -1 where the blocks do not fit; Cholesky factors L
    (n,6,6) of the inverse masses; the body of each moving node; nodes and segments of J (B,2) of each block."""

    used: int
    L: np.ndarray
    moving: np.ndarray
    node: np.ndarray
    segment: np.ndarray


@inner
def block_nodes(J, node_at, node_size, new_index, plan):
    """Find the movable nodes of each block of a Plan and the segments of J they come from.

    new_index maps nodes to movable nodes, -1 for the others. Returns False where a block has more than two
    movable nodes, or a segment is not a whole node, or one node twice.
    """
    node, none = plan.node, plan.used
    for k in range(node.shape[0]):
        node[k, 0] = node[k, 1] = none
        found = 0
        for s in range(J.indptr[k], J.indptr[k + 1]):
            i = node_at[J.start[s]]
            if i < 0 or node_size[i] != J.size[s]:
                return False
            if new_index[i] < 0:
                continue
            if found == 2 or (found == 1 and node[k, 0] == new_index[i]):
                return False
            node[k, found] = new_index[i]
            plan.segment[k, found] = s
            found += 1
    return True


@kernel
def friction_scale(kind, mu, i):
    """Entry i of the row scaling (1, mu_s, mu_t, mu_tau) of a contact; 1 for other blocks."""
    return mu[i - 1] if kind == 0 and i > 0 else 1.0


@inlined
def product(x, L, j):
    """Product of six numbers with column j of L (6,6)."""
    return 0.0 + x[0] * L[0, j] + x[1] * L[1, j] + x[2] * L[2, j] + x[3] * L[3, j] + x[4] * L[4, j] + x[5] * L[5, j]


@inlined
def fill_six(data, base, L, scale, J, i, at):
    """Fill six entries of row i of J from `at` on with scale x L, x: six entries of data from `base` on.

    All are read before one is written, and what is zero in L (6,6) counts, so that the products of a row are those of
    vectors: a third of the instructions.
    """
    x = data[base], data[base + 1], data[base + 2], data[base + 3], data[base + 4], data[base + 5]
    y = (product(x, L, 0), product(x, L, 1), product(x, L, 2), product(x, L, 3), product(x, L, 4), product(x, L, 5))
    J[i, at], J[i, at + 1], J[i, at + 2] = scale * y[0], scale * y[1], scale * y[2]
    J[i, at + 3], J[i, at + 4], J[i, at + 5] = scale * y[3], scale * y[4], scale * y[5]


@inner
def fill_rows(p, plan, found, c, begin, end):
    """Fill the scaled rows of blocks begin:end of Compact c, without b, from the Arrays p."""
    none = found.nodes.size
    for q in range(begin, end):
        k = found.blocks[q]
        row = c.row[q]
        for i in range(row, c.row[q + 1]):
            for j in range(12):
                c.J[i, j] = 0.0
        for i in range(p.row_start[k + 1] - p.row_start[k]):
            scale = friction_scale(p.kind[k], p.mu[k], i)
            for side in range(2):
                if c.node[q, side] == none:
                    continue
                s = plan.segment[k, side]
                factor = plan.L[plan.moving[found.nodes[c.node[q, side]]]]
                size = p.J.size[s]
                base = p.J.offset[s] + i * size
                if size == 6:
                    fill_six(p.J.data, base, factor, scale, c.J, row + i, 6 * side)
                    continue
                for j in range(size):
                    total = 0.0
                    for e in range(j, size):
                        total += p.J.data[base + e] * factor[e, j]
                    c.J[row + i, 6 * side + j] = scale * total


@kernel
def fill_b(p, blocks, c, begin, end):
    """Fill b of blocks begin:end of Compact c from the Arrays p."""
    for q in range(begin, end):
        k = blocks[q]
        first, row = p.row_start[k], c.row[q]
        for i in range(row, c.row[q + 1]):
            c.b[i] = 0.0
        for i in range(p.row_start[k + 1] - first):
            c.b[row + i] = friction_scale(p.kind[k], p.mu[k], i) * p.b[first + i]


@kernel
def fill_diagonals(p, blocks, c, begin, end):
    """Fill diagonal blocks A~_kk (with compliance) begin:end of Compact c."""
    for q in range(begin, end):
        k, row = blocks[q], c.row[q]
        m = c.row[q + 1] - row
        base = c.square[q]
        offset = p.compliance_offset[k]
        for i in range(m):
            for j in range(m):
                if j <= i:
                    total = 0.0
                    # Two nodes after the other: the compiler knows how long that is.
                    for first in range(0, c.J.shape[1], 12):
                        for e in range(12):
                            total += c.J[row + i, first + e] * c.J[row + j, first + e]
                    c.diagonal[base + i * m + j] = c.diagonal[base + j * m + i] = total
                c.compliance[base + i * m + j] = 0.0
                if offset >= 0:
                    scale = friction_scale(p.kind[k], p.mu[k], i) * friction_scale(p.kind[k], p.mu[k], j)
                    c.compliance[base + i * m + j] = scale * p.compliance[offset + i * m + j]
                    c.compliant[q] = 1
        if c.compliant[q]:
            for e in range(m * m):
                c.diagonal[base + e] += c.compliance[base + e]


@kernel
def fill_steps(mu, order, c, begin, end):
    """Fill the step lengths r of blocks begin:end of Compact c from its diagonal blocks; order (B,) of the mu (B,3)."""
    one = np.ones(3)
    for q in range(begin, end):
        base, m = c.square[q], c.row[q + 1] - c.row[q]
        a = c.diagonal[base]
        c.r[q, STEP_NORMAL] = 1.0 / a if a > 0.0 else 0.0
        if c.kind[q] == 0:
            c.r[q, STEP_NORMAL] = normal_step(base, c.diagonal, m, one, COUPLED_WITH_MOMENTUM)
            eigenvalue = friction_step(base, c.diagonal, m, one)
            c.r[q, STEP_FRICTION] = 1.0 / eigenvalue if eigenvalue > 0.0 else 0.0
            # What turns a change of y into a velocity, as the judge measures it.
            c.r[q, STEP_JUDGE] = eigenvalue / sliding_scale(mu[order[q]])
            c.r[q, EIGENVALUE] = eigenvalue
        elif c.form[q] == FIXED:
            invert(c.diagonal, c.inverse, base, m)


@kernel
def invert(A, inverse, base, m):
    """Inverse of the m x m block of A from entry `base`; a direction in which A is zero gets none."""
    square, x = np.empty((m, m)), np.empty(m)
    for j in range(m):
        for i in range(m):
            x[i] = 1.0 if i == j else 0.0
            for e in range(m):
                square[i, e] = A[base + i * m + e]
        solve_dense(square, x, m)
        for i in range(m):
            inverse[base + i * m + j] = x[i]


@kernel
def take_friction_away(c):
    """Make Compact c, without b and pack, what it is with coefficients of 0."""
    for q in range(c.kind.size):
        if c.kind[q] != 0:
            continue
        base, m = c.square[q], c.row[q + 1] - c.row[q]
        for e in range(1, m * m):
            c.diagonal[base + e] = c.compliance[base + e] = 0.0
        for i in range(c.row[q] + 1, c.row[q + 1]):
            for j in range(12):
                c.J[i, j] = 0.0
        c.r[q, STEP_NORMAL] = 1.0 / c.diagonal[base] if c.diagonal[base] > 0.0 else 0.0
        c.r[q, STEP_FRICTION] = c.r[q, STEP_JUDGE] = c.r[q, EIGENVALUE] = 0.0


@kernel
def scale_impulses(p, blocks, c, impulse, lam):
    """Scaled impulses lam of c from the impulses of p."""
    for q in range(blocks.size):
        k = blocks[q]
        for i in range(p.row_start[k + 1] - p.row_start[k]):
            scale = friction_scale(p.kind[k], p.mu[k], i)
            lam[c.row[q] + i] = impulse[p.row_start[k] + i] / scale if scale > 0.0 else 0.0


@kernel
def unscale_impulses(p, blocks, c, lam, impulse):
    """Impulses of p from the scaled impulses of c; blocks of p that are not in c keep theirs."""
    for q in range(blocks.size):
        k = blocks[q]
        for i in range(p.row_start[k + 1] - p.row_start[k]):
            impulse[p.row_start[k] + i] = friction_scale(p.kind[k], p.mu[k], i) * lam[c.row[q] + i]


@kernel
def plan_nodes(p, mass):
    """The Plan of a problem with inverse masses (start, offset, data)."""
    start, offset, data = mass
    count, blocks, J = start.size - 1, p.kind.size, p.J
    L, moving = np.zeros((count, 6, 6)), np.empty(count, np.int64)
    node, segment = np.empty((blocks, 2), np.int64), np.zeros((blocks, 2), np.int64)
    unfit = Plan(-1, L, moving, node, segment)
    size, movable, touched = np.empty(count, np.int64), np.empty(count, np.int8), np.zeros(count, np.bool_)
    node_at, new_index = np.full(start[count] + 1, -1), np.full(count, -1)
    for i in range(count):
        size[i] = start[i + 1] - start[i]
        node_at[start[i]] = i
    for k in range(blocks):
        if p.row_start[k + 1] - p.row_start[k] > 12:
            return unfit
    factor_mass(start, offset, data, L, movable)
    # Bodies that touch nothing are left out.
    for s in range(J.start.size):
        if node_at[J.start[s]] >= 0:
            touched[node_at[J.start[s]]] = True
            if size[node_at[J.start[s]]] > 6:
                return unfit
    used = 0
    for i in range(count):
        if movable[i] != 0 and touched[i]:
            moving[used], new_index[i] = i, used
            used += 1
    plan = Plan(used, L, moving, node, segment)
    return plan if block_nodes(J, node_at, size, new_index, plan) else unfit


@kernel
def form_of(p, k, size):
    """Form of block k that is no plain contact."""
    if p.kind[k] == 0:
        return TORSION if size == 4 and p.law[k] == 0 and p.compliance_offset[k] < 0 else OTHER
    if p.kind[k] == 1 or p.kind[k] == 4:
        return FIXED
    return BOUNDED if p.compliance_offset[k] < 0 else OTHER


@inner
def is_plain(p, k):
    """Whether block k is a plain contact: three rows, or one without friction, of the usual law and no compliance."""
    size = p.row_start[k + 1] - p.row_start[k]
    # Law 0 is the ellipsoid, kind 0 a contact.
    return p.kind[k] == 0 and p.compliance_offset[k] < 0 and (size == 1 or (size == 3 and p.law[k] == 0))


@kernel
def lay_out(p, blocks, row, square, form):
    """First row and first entry of the diagonal of each block in its new order, row and square (B+1,), and its form
    (B,); returns whether all are plain contacts."""
    row[0], square[0], all_plain = 0, 0, True
    for q in range(blocks.size):
        k = blocks[q]
        size, fits = p.row_start[k + 1] - p.row_start[k], is_plain(p, k)
        # One row: a frictionless contact is one with a disk of radius zero, whose other rows are zero.
        size = 3 if fits else size
        row[q + 1], square[q + 1] = row[q] + size, square[q] + size * size
        form[q] = PLAIN if fits else form_of(p, k, size)
        all_plain = all_plain and fits
    return all_plain


@kernel
def empty_rows(p, found):
    """Rows of the blocks of Islands, laid out and not filled."""
    blocks = found.blocks
    count = blocks.size
    row, square, form = np.empty(count + 1, np.int64), np.empty(count + 1, np.int64), np.empty(count, np.int8)
    plain = lay_out(p, blocks, row, square, form)
    size = row[count]
    return Rows(
        np.empty(count, np.int64), row, square[:count], found.node_of_block, np.empty((size, 12)), np.empty(size),
        np.zeros((count, 4)), np.empty(square[count]), np.zeros(0 if plain else square[count]), np.zeros(square[count]),
        np.zeros(count, np.int8), form, np.zeros((count, PACKED)), np.empty(count, np.int64), np.empty((count, 2)),
        p.sides, plain,
    )  # fmt: skip


@kernel
def fill_compact(p, plan, found, c, begin, end):
    """Fill all arrays of Rows c that empty_rows has not for blocks begin:end."""
    for q in range(begin, end):
        k = found.blocks[q]
        c.kind[q], c.law[q] = p.kind[k], p.law[k]
        c.bounds[q, 0], c.bounds[q, 1] = p.bounds[k, 0], p.bounds[k, 1]
    fill_rows(p, plan, found, c, begin, end)
    fill_b(p, found.blocks, c, begin, end)
    fill_diagonals(p, found.blocks, c, begin, end)
    fill_steps(p.mu, found.blocks, c, begin, end)
    pack_plain(c, begin, end)


@kernel
def pack_plain(c, begin, end):
    """Copy the small numbers a sweep needs of each plain contact of begin:end into one stretch of memory."""
    for q in range(begin, end):
        if c.form[q] != PLAIN:
            continue
        row, square, pack = c.row[q], c.square[q], c.pack[q]
        for i in range(3):
            pack[i] = c.b[row + i]
        pack[R_N], pack[R_Y] = c.r[q, STEP_NORMAL], c.r[q, STEP_FRICTION]
        pack[A_SN], pack[A_TN], pack[A_NN] = c.diagonal[square + 3], c.diagonal[square + 6], c.diagonal[square]
        pack[JUDGE], pack[LARGEST] = c.r[q, STEP_JUDGE], c.r[q, EIGENVALUE]
