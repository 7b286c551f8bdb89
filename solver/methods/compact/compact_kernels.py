"""Kernels on Compact problems of plain contacts (three rows, disk law): sweeping and grading; velocities of any rows.

Impulses and velocities are the scaled ones, see compact.py. mixed_kernels.py has the same for blocks of every kind;
callers choose by whether they were given scratch arrays, which numba decides when it compiles.
"""

from math import sqrt

import numpy as np

from ...jit import kernel
from .columns import A_NN, A_SN, A_TN, B_N, B_S, B_T, JUDGE, LARGEST, R_N, R_Y

# How a block is swept: contacts with the disk law and without compliance, of three rows and of four (torsion); joints;
# one row between bounds; anything else.
OTHER, PLAIN, TORSION, FIXED, BOUNDED = range(5)


@kernel
def plain_velocity(J, pack, node, q, i, w):
    """Scaled velocities (normal, s, t) of plain contact q with rows i, i + 1, i + 2 [m/s]."""
    a, o = node[q, 0], node[q, 1]
    a0, a1, a2, a3, a4, a5 = w[a, 0], w[a, 1], w[a, 2], w[a, 3], w[a, 4], w[a, 5]
    b0, b1, b2, b3, b4, b5 = w[o, 0], w[o, 1], w[o, 2], w[o, 3], w[o, 4], w[o, 5]
    # Sums of three side by side: a chain of twelve additions would wait for each, pairs would stall.
    v0 = (
        pack[q, B_N]
        + ((J[i, 0] * a0 + J[i, 1] * a1 + J[i, 2] * a2) + (J[i, 3] * a3 + J[i, 4] * a4 + J[i, 5] * a5))
        + ((J[i, 6] * b0 + J[i, 7] * b1 + J[i, 8] * b2) + (J[i, 9] * b3 + J[i, 10] * b4 + J[i, 11] * b5))
    )
    v1 = (
        pack[q, B_S]
        + (
            (J[i + 1, 0] * a0 + J[i + 1, 1] * a1 + J[i + 1, 2] * a2)
            + (J[i + 1, 3] * a3 + J[i + 1, 4] * a4 + J[i + 1, 5] * a5)
        )
        + (
            (J[i + 1, 6] * b0 + J[i + 1, 7] * b1 + J[i + 1, 8] * b2)
            + (J[i + 1, 9] * b3 + J[i + 1, 10] * b4 + J[i + 1, 11] * b5)
        )
    )
    v2 = (
        pack[q, B_T]
        + (
            (J[i + 2, 0] * a0 + J[i + 2, 1] * a1 + J[i + 2, 2] * a2)
            + (J[i + 2, 3] * a3 + J[i + 2, 4] * a4 + J[i + 2, 5] * a5)
        )
        + (
            (J[i + 2, 6] * b0 + J[i + 2, 7] * b1 + J[i + 2, 8] * b2)
            + (J[i + 2, 9] * b3 + J[i + 2, 10] * b4 + J[i + 2, 11] * b5)
        )
    )
    return v0, v1, v2


@kernel
def sweep_plain(J, pack, node, row, first, last, freeze, rest, lam, w, p, step):
    """One Gauss-Seidel sweep over plain contacts first:last; w = J~^T lam on entry and on exit.

    step (R,) gets the change of every impulse; p (R,) is the last jump of the momentum. A block whose change is below
    `freeze` [m/s] is left alone for the next sweeps (rest counts them down). Returns (largest change [m/s], sum of
    squares of the scaled changes, sum of their products with p).
    """
    # One flat loop without calls: a call here costs half as much time as the whole sweep.
    largest, square, along = 0.0, 0.0, 0.0
    # Not even zeros are added to the velocities of what cannot move: threads that write them wait for each other.
    none = w.shape[0] - 1
    for q in range(first, last):
        i = row[q]
        if rest[q] > 0:
            rest[q] -= 1
            step[i], step[i + 1], step[i + 2] = 0.0, 0.0, 0.0
            continue
        a, o = node[q, 0], node[q, 1]
        a0, a1, a2, a3, a4, a5 = w[a, 0], w[a, 1], w[a, 2], w[a, 3], w[a, 4], w[a, 5]
        b0, b1, b2, b3, b4, b5 = w[o, 0], w[o, 1], w[o, 2], w[o, 3], w[o, 4], w[o, 5]
        # Sums of three side by side: a chain of twelve additions would wait for each, pairs would stall.
        v0 = (
            pack[q, B_N]
            + ((J[i, 0] * a0 + J[i, 1] * a1 + J[i, 2] * a2) + (J[i, 3] * a3 + J[i, 4] * a4 + J[i, 5] * a5))
            + ((J[i, 6] * b0 + J[i, 7] * b1 + J[i, 8] * b2) + (J[i, 9] * b3 + J[i, 10] * b4 + J[i, 11] * b5))
        )
        if v0 >= 0.0 and lam[i] == 0.0 and lam[i + 1] == 0.0 and lam[i + 2] == 0.0:
            # Open and without impulse: nothing changes. Two contacts of five in a pile that flows.
            step[i], step[i + 1], step[i + 2] = 0.0, 0.0, 0.0
            if freeze > 0.0:
                rest[q] = 8
            continue
        if pack[q, R_Y] == 0.0:
            # Without friction the other two rows are zero.
            d0 = max(0.0, lam[i] - pack[q, R_N] * v0) - lam[i]
            if a != none:
                for j in range(6):
                    w[a, j] += J[i, j] * d0
            if o != none:
                for j in range(6):
                    w[o, j] += J[i, 6 + j] * d0
            lam[i] += d0
            step[i], step[i + 1], step[i + 2] = d0, 0.0, 0.0
            moved = abs(d0) * pack[q, A_NN]
            square += d0 * d0 * pack[q, A_NN]
            along += d0 * p[i] * pack[q, A_NN]
            largest = max(largest, moved)
            if moved < freeze:
                rest[q] = 8
            continue
        v1 = (
            pack[q, B_S]
            + (
                (J[i + 1, 0] * a0 + J[i + 1, 1] * a1 + J[i + 1, 2] * a2)
                + (J[i + 1, 3] * a3 + J[i + 1, 4] * a4 + J[i + 1, 5] * a5)
            )
            + (
                (J[i + 1, 6] * b0 + J[i + 1, 7] * b1 + J[i + 1, 8] * b2)
                + (J[i + 1, 9] * b3 + J[i + 1, 10] * b4 + J[i + 1, 11] * b5)
            )
        )
        v2 = (
            pack[q, B_T]
            + (
                (J[i + 2, 0] * a0 + J[i + 2, 1] * a1 + J[i + 2, 2] * a2)
                + (J[i + 2, 3] * a3 + J[i + 2, 4] * a4 + J[i + 2, 5] * a5)
            )
            + (
                (J[i + 2, 6] * b0 + J[i + 2, 7] * b1 + J[i + 2, 8] * b2)
                + (J[i + 2, 9] * b3 + J[i + 2, 10] * b4 + J[i + 2, 11] * b5)
            )
        )
        before0, before1, before2 = lam[i], lam[i + 1], lam[i + 2]
        new = max(0.0, before0 - pack[q, R_N] * v0)
        d0 = new - before0
        y1 = before1 - pack[q, R_Y] * (v1 + pack[q, A_SN] * d0)
        y2 = before2 - pack[q, R_Y] * (v2 + pack[q, A_TN] * d0)
        length = y1 * y1 + y2 * y2
        if length > new * new:
            scale = new / sqrt(length)
            y1 *= scale
            y2 *= scale
        d1, d2 = y1 - before1, y2 - before2
        if a != none:
            for j in range(6):
                w[a, j] += (J[i, j] * d0 + J[i + 1, j] * d1) + J[i + 2, j] * d2
        if o != none:
            for j in range(6):
                w[o, j] += (J[i, 6 + j] * d0 + J[i + 1, 6 + j] * d1) + J[i + 2, 6 + j] * d2
        lam[i], lam[i + 1], lam[i + 2] = new, y1, y2
        step[i], step[i + 1], step[i + 2] = d0, d1, d2
        slip = d1 * d1 + d2 * d2
        moved = max(abs(d0) * pack[q, A_NN], sqrt(slip) * pack[q, JUDGE])
        square += d0 * d0 * pack[q, A_NN] + slip * pack[q, LARGEST]
        along += d0 * p[i] * pack[q, A_NN] + (d1 * p[i + 1] + d2 * p[i + 2]) * pack[q, LARGEST]
        largest = max(largest, moved)
        if moved < freeze:
            rest[q] = 8
    return largest, square, along


@kernel
def grade_plain(J, pack, node, row, first, last, lam, w, v):
    """The judge's natural map of plain contacts first:last, the largest [m/s], inf if one is no number.

    v (R,) gets all velocities.
    """
    worst = 0.0
    for q in range(first, last):
        i = row[q]
        v0, v1, v2 = plain_velocity(J, pack, node, q, i, w)
        v[i], v[i + 1], v[i + 2] = v0, v1, v2
        if pack[q, A_NN] == 0.0:
            worst = max(worst, -v0)
            continue
        normal = abs(lam[i] - max(0.0, lam[i] - v0 / pack[q, A_NN])) * pack[q, A_NN]
        y1 = lam[i + 1] - pack[q, R_Y] * v1
        y2 = lam[i + 2] - pack[q, R_Y] * v2
        radius = max(0.0, lam[i])
        length = y1 * y1 + y2 * y2
        if length > radius * radius:
            scale = radius / sqrt(length)
            y1 *= scale
            y2 *= scale
        slip = sqrt((lam[i + 1] - y1) ** 2 + (lam[i + 2] - y2) ** 2) * pack[q, JUDGE]
        if not normal + slip < np.inf:
            return np.inf
        worst = max(worst, normal, slip)
    return worst


@kernel
def add_all_changes(c, first, last, lam, w):
    """Add J~^T lam of blocks first:last to w."""
    for q in range(first, last):
        a, o = c.node[q, 0], c.node[q, 1]
        for i in range(c.row[q], c.row[q + 1]):
            for j in range(6):
                w[a, j] += c.J[i, j] * lam[i]
                w[o, j] += c.J[i, 6 + j] * lam[i]
