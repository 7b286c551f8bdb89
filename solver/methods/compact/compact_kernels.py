"""Kernels on Compact problems of plain contacts (three rows, disk law): sweeping and grading; velocities of any rows.

Impulses and velocities are the scaled ones, see compact.py. mixed_kernels.py has the same for blocks of every kind;
callers choose by whether they were given scratch arrays, which numba decides when it compiles.
"""

from math import sqrt

import numpy as np

from ...jit import inner, kernel
from .columns import A_NN, A_SN, A_TN, B_N, JUDGE, LARGEST, PACKED, R_N, R_Y
from .lanes import add_one, add_three, velocities_of_three

# How a block is swept: contacts with the disk law and without compliance, of three rows and of four (torsion); joints;
# one row between bounds; anything else.
OTHER, PLAIN, TORSION, FIXED, BOUNDED = range(5)
# Squared friction impulses from this part of the normal one's square on are at their bound.
AT_BOUND = 1.0 - 1e-9


@kernel
def extrapolate_rows(weight, first, last, step, lam, p):
    """The jump of impulses first:last, see part_sweep_kernels.relax_part; p (R,) gets it, and zero where weight < 0."""
    for i in range(first, last):
        p[i] = weight * (p[i] + step[i]) if weight > 0.0 else 0.0
        lam[i] += p[i]


@inner
def within(square, radius):
    """What y of this squared length is multiplied by so that it is no longer than radius; without a branch."""
    scale = radius / sqrt(max(square, 1e-300))
    return scale if square > radius * radius else 1.0


@inner
def normal_velocity(J, b, i, w, a, o):
    """Velocity b + J[i] (w[a], w[o]) of a row [m/s]; summed as `velocities_of_three` does."""
    return (
        b
        + ((J[i, 0] * w[a, 0] + J[i, 1] * w[a, 1] + J[i, 2] * w[a, 2])
           + (J[i, 3] * w[a, 3] + J[i, 4] * w[a, 4] + J[i, 5] * w[a, 5]))
        + ((J[i, 6] * w[o, 0] + J[i, 7] * w[o, 1] + J[i, 8] * w[o, 2])
           + (J[i, 9] * w[o, 3] + J[i, 10] * w[o, 4] + J[i, 11] * w[o, 5]))
    )  # fmt: skip


@kernel
def sweep_plain(c, first, last, work, weight):
    """One Gauss-Seidel sweep over plain contacts first:last; w = J~^T lam on entry, once all have jumped, and on exit.

    c: Rows, work: Work; work.step gets the change of every impulse, work.p is the last jump of the momentum. Where
    `weight` is not zero each contact makes its next jump first, as extrapolate_rows does; w has all of them. Returns
    (largest change [m/s], sum of squares of the scaled changes, sum of their products with p).
    """
    J, pack, node, row, lam, w, p, step = c.J, c.pack, c.node, c.row, work.lam, work.w, work.p, work.step
    # One flat loop without calls: a call here costs half as much time as the whole sweep.
    largest, square, along = 0.0, 0.0, 0.0
    # Not even zeros are added to the velocities of what cannot move: threads that write them wait for each other.
    none = w.shape[0] - 1
    for q in range(first, last):
        i = row[q]
        if weight != 0.0:
            for j in range(i, i + 3):
                p[j] = weight * (p[j] + step[j]) if weight > 0.0 else 0.0
                lam[j] += p[j]
        a, o = node[q, 0], node[q, 1]
        before0, before1, before2 = lam[i], lam[i + 1], lam[i + 2]
        smooth, unloaded = pack[q, R_Y] == 0.0, before0 == 0.0 and before1 == 0.0 and before2 == 0.0
        v0 = v1 = v2 = 0.0
        if smooth or unloaded:
            v0 = normal_velocity(J, pack[q, B_N], i, w, a, o)
            if v0 >= 0.0 and unloaded:
                # Open and without impulse: nothing changes. Two contacts of five in a pile that flows.
                step[i], step[i + 1], step[i + 2] = 0.0, 0.0, 0.0
                continue
        if not smooth:
            v0, v1, v2 = velocities_of_three(J, i, w, a, o, pack, PACKED * q + B_N)
        new = max(0.0, before0 - pack[q, R_N] * v0)
        d0 = new - before0
        if smooth:
            # Without friction the other two rows are zero.
            if a != none:
                add_one(J, i, 0, (d0,), w, a)
            if o != none:
                add_one(J, i, 6, (d0,), w, o)
            lam[i] = before0 + d0
            step[i], step[i + 1], step[i + 2] = d0, 0.0, 0.0
            moved = abs(d0) * pack[q, A_NN]
            square += d0 * d0 * pack[q, A_NN]
            along += d0 * p[i] * pack[q, A_NN]
            largest = max(largest, moved)
            continue
        y1 = before1 - pack[q, R_Y] * (v1 + pack[q, A_SN] * d0)
        y2 = before2 - pack[q, R_Y] * (v2 + pack[q, A_TN] * d0)
        length = y1 * y1 + y2 * y2
        # What a branch on `length` says is known last, and each wrong guess of the processor costs as much as the
        # contact. What slid before is known first, and slides again for the most part: that needs none.
        if before1 * before1 + before2 * before2 >= AT_BOUND * (before0 * before0):
            scale = within(length, new)
            y1, y2 = y1 * scale, y2 * scale
        elif length > new * new:
            scale = new / sqrt(length)
            y1, y2 = y1 * scale, y2 * scale
        d1, d2 = y1 - before1, y2 - before2
        if a != none:
            add_three(J, i, 0, (d0, d1, d2), w, a)
        if o != none:
            add_three(J, i, 6, (d0, d1, d2), w, o)
        lam[i], lam[i + 1], lam[i + 2] = new, y1, y2
        step[i], step[i + 1], step[i + 2] = d0, d1, d2
        slip = d1 * d1 + d2 * d2
        moved = max(abs(d0) * pack[q, A_NN], sqrt(slip) * pack[q, JUDGE])
        square += d0 * d0 * pack[q, A_NN] + slip * pack[q, LARGEST]
        along += d0 * p[i] * pack[q, A_NN] + (d1 * p[i + 1] + d2 * p[i + 2]) * pack[q, LARGEST]
        largest = max(largest, moved)
    return largest, square, along


@kernel
def grade_plain(c, first, last, lam, w, v):
    """The judge's natural map of plain contacts first:last, the largest [m/s], inf if one is no number.

    v (R,) gets all velocities.
    """
    J, pack, node, row, worst = c.J, c.pack, c.node, c.row, 0.0
    for q in range(first, last):
        i = row[q]
        v0, v1, v2 = velocities_of_three(J, i, w, node[q, 0], node[q, 1], pack, PACKED * q + B_N)
        v[i], v[i + 1], v[i + 2] = v0, v1, v2
        if pack[q, A_NN] == 0.0:
            worst = max(worst, -v0)
            continue
        normal = abs(lam[i] - max(0.0, lam[i] - v0 / pack[q, A_NN])) * pack[q, A_NN]
        y1 = lam[i + 1] - pack[q, R_Y] * v1
        y2 = lam[i + 2] - pack[q, R_Y] * v2
        scale = within(y1 * y1 + y2 * y2, max(0.0, lam[i]))
        slip = sqrt((lam[i + 1] - y1 * scale) ** 2 + (lam[i + 2] - y2 * scale) ** 2) * pack[q, JUDGE]
        if not normal + slip < np.inf:
            return np.inf
        worst = max(worst, normal, slip)
    return worst


@kernel
def add_all_changes(c, first, last, lam, w):
    """Add J~^T lam of blocks first:last to w."""
    for q in range(first, last):
        for i in range(c.row[q], c.row[q + 1]):
            for side in range(c.node.shape[1]):
                for j in range(6):
                    w[c.node[q, side], j] += c.J[i, 6 * side + j] * lam[i]
