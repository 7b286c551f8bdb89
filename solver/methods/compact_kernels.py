"""Kernels on Compact problems: sweeping over them and grading them. Impulses and velocities are the scaled ones."""

from math import sqrt

import numpy as np

from ..friction import project_friction
from ..jit import kernel
from ..residual_kernels import bounded_residual
from .sweep_kernels import solve_dense


@kernel
def row_velocity(c, q, i, lam, w):
    """Scaled velocity of row i of block q [m/s]."""
    row = c.row[q]
    wa, wb = w[c.node[q, 0]], w[c.node[q, 1]]
    J = c.J[row + i]
    v = c.b[row + i]
    for j in range(6):
        v += J[j] * wa[j] + J[6 + j] * wb[j]
    if c.compliant[q] != 0:
        m = c.row[q + 1] - row
        for j in range(m):
            v += c.compliance[c.square[q] + i * m + j] * lam[row + j]
    return v


@kernel
def add_change(c, q, i, change, w):
    """Add the velocity change of a change of impulse in row i of block q."""
    wa, wb = w[c.node[q, 0]], w[c.node[q, 1]]
    J = c.J[c.row[q] + i]
    for j in range(6):
        wa[j] += J[j] * change
        wb[j] += J[6 + j] * change


@kernel
def add_all_changes(c, first, last, lam, w):
    """Add J~^T lam of blocks first:last to w."""
    for q in range(first, last):
        for i in range(c.row[q + 1] - c.row[q]):
            add_change(c, q, i, lam[c.row[q] + i], w)


@kernel
def relax_other(c, q, lam, w, v, x, A, change):
    """Relax a block that is no plain disk contact; fills change[:m]. Returns its largest part as a velocity [m/s]."""
    row, base = c.row[q], c.square[q]
    m = c.row[q + 1] - row
    kind = c.kind[q]
    for i in range(m):
        v[i] = row_velocity(c, q, i, lam, w)
    largest = 0.0
    if kind == 0:
        new = max(0.0, lam[row] - c.r[q, 0] * v[0])
        change[0] = new - lam[row]
        for i in range(1, m):
            velocity = v[i] + c.diagonal[base + i * m] * change[0]
            x[i - 1] = lam[row + i] - c.r[q, 1] * velocity if c.r[q, 1] > 0.0 else 0.0
        project_friction(c.law[q], c.sides, new, x, m - 1)
        square = 0.0
        for i in range(1, m):
            change[i] = x[i - 1] - lam[row + i]
            square += change[i] * change[i]
        largest = max(abs(change[0]) * c.diagonal[base], sqrt(square) * c.r[q, 2])
    elif kind == 1 or kind == 4:
        for i in range(m):
            change[i] = -v[i]
            largest = max(largest, abs(v[i]))
            for j in range(m):
                A[i, j] = c.diagonal[base + i * m + j]
        solve_dense(A, change, m)
    else:
        lower, upper = (0.0, np.inf) if kind == 2 else (c.bounds[q, 0], c.bounds[q, 1])
        change[0] = min(max(lam[row] - c.r[q, 0] * v[0], lower), upper) - lam[row]
        largest = abs(change[0]) * c.diagonal[base]
    for i in range(m):
        lam[row + i] += change[i]
        add_change(c, q, i, change[i], w)
    return largest


@kernel
def plain_velocity(pack, node, q, w):
    """Scaled velocities (normal, s, t) of plain contact q [m/s]."""
    a, o = node[q, 0], node[q, 1]
    a0, a1, a2, a3, a4, a5 = w[a, 0], w[a, 1], w[a, 2], w[a, 3], w[a, 4], w[a, 5]
    b0, b1, b2, b3, b4, b5 = w[o, 0], w[o, 1], w[o, 2], w[o, 3], w[o, 4], w[o, 5]
    # Sums of three side by side: a chain of twelve additions would wait for each, pairs would be vectorised and stall.
    v0 = (
        pack[q, 36]
        + (
            (pack[q, 0] * a0 + pack[q, 1] * a1 + pack[q, 2] * a2)
            + (pack[q, 3] * a3 + pack[q, 4] * a4 + pack[q, 5] * a5)
        )
        + (
            (pack[q, 6] * b0 + pack[q, 7] * b1 + pack[q, 8] * b2)
            + (pack[q, 9] * b3 + pack[q, 10] * b4 + pack[q, 11] * b5)
        )
    )
    v1 = (
        pack[q, 37]
        + (
            (pack[q, 12] * a0 + pack[q, 13] * a1 + pack[q, 14] * a2)
            + (pack[q, 15] * a3 + pack[q, 16] * a4 + pack[q, 17] * a5)
        )
        + (
            (pack[q, 18] * b0 + pack[q, 19] * b1 + pack[q, 20] * b2)
            + (pack[q, 21] * b3 + pack[q, 22] * b4 + pack[q, 23] * b5)
        )
    )
    v2 = (
        pack[q, 38]
        + (
            (pack[q, 24] * a0 + pack[q, 25] * a1 + pack[q, 26] * a2)
            + (pack[q, 27] * a3 + pack[q, 28] * a4 + pack[q, 29] * a5)
        )
        + (
            (pack[q, 30] * b0 + pack[q, 31] * b1 + pack[q, 32] * b2)
            + (pack[q, 33] * b3 + pack[q, 34] * b4 + pack[q, 35] * b5)
        )
    )
    return v0, v1, v2


@kernel
def relax_plain(pack, node, q, i, lam, w, step):
    """Relax the plain contact q with impulses lam[i:i+3]; returns (change as a velocity [m/s], squared merit)."""
    # The text of plain_velocity again: a call here costs half as much time as the whole sweep.
    a, o = node[q, 0], node[q, 1]
    a0, a1, a2, a3, a4, a5 = w[a, 0], w[a, 1], w[a, 2], w[a, 3], w[a, 4], w[a, 5]
    b0, b1, b2, b3, b4, b5 = w[o, 0], w[o, 1], w[o, 2], w[o, 3], w[o, 4], w[o, 5]
    # Sums of three side by side: a chain of twelve additions would wait for each, pairs would be vectorised and stall.
    v0 = (
        pack[q, 36]
        + (
            (pack[q, 0] * a0 + pack[q, 1] * a1 + pack[q, 2] * a2)
            + (pack[q, 3] * a3 + pack[q, 4] * a4 + pack[q, 5] * a5)
        )
        + (
            (pack[q, 6] * b0 + pack[q, 7] * b1 + pack[q, 8] * b2)
            + (pack[q, 9] * b3 + pack[q, 10] * b4 + pack[q, 11] * b5)
        )
    )
    v1 = (
        pack[q, 37]
        + (
            (pack[q, 12] * a0 + pack[q, 13] * a1 + pack[q, 14] * a2)
            + (pack[q, 15] * a3 + pack[q, 16] * a4 + pack[q, 17] * a5)
        )
        + (
            (pack[q, 18] * b0 + pack[q, 19] * b1 + pack[q, 20] * b2)
            + (pack[q, 21] * b3 + pack[q, 22] * b4 + pack[q, 23] * b5)
        )
    )
    v2 = (
        pack[q, 38]
        + (
            (pack[q, 24] * a0 + pack[q, 25] * a1 + pack[q, 26] * a2)
            + (pack[q, 27] * a3 + pack[q, 28] * a4 + pack[q, 29] * a5)
        )
        + (
            (pack[q, 30] * b0 + pack[q, 31] * b1 + pack[q, 32] * b2)
            + (pack[q, 33] * b3 + pack[q, 34] * b4 + pack[q, 35] * b5)
        )
    )
    before0, before1, before2 = lam[i], lam[i + 1], lam[i + 2]
    new = max(0.0, before0 - pack[q, 39] * v0)
    d0 = new - before0
    y1 = before1 - pack[q, 40] * (v1 + pack[q, 41] * d0)
    y2 = before2 - pack[q, 40] * (v2 + pack[q, 42] * d0)
    length = y1 * y1 + y2 * y2
    if length > new * new:
        scale = new / sqrt(length)
        y1 *= scale
        y2 *= scale
    d1, d2 = y1 - before1, y2 - before2
    for j in range(6):
        w[a, j] += (pack[q, j] * d0 + pack[q, 12 + j] * d1) + pack[q, 24 + j] * d2
    for j in range(6):
        w[o, j] += (pack[q, 6 + j] * d0 + pack[q, 18 + j] * d1) + pack[q, 30 + j] * d2
    lam[i], lam[i + 1], lam[i + 2] = new, y1, y2
    step[i], step[i + 1], step[i + 2] = d0, d1, d2
    slip = d1 * d1 + d2 * d2
    return max(abs(d0) * pack[q, 43], sqrt(slip) * pack[q, 44]), d0 * d0 * pack[q, 43] + slip * pack[q, 45]


@kernel
def sweep_plain(pack, node, row, first, last, freeze, rest, lam, w, step):
    """`sweep` over plain contacts alone."""
    largest, square = 0.0, 0.0
    for q in range(first, last):
        i = row[q]
        if rest[q] > 0:
            rest[q] -= 1
            step[i], step[i + 1], step[i + 2] = 0.0, 0.0, 0.0
            continue
        moved, part = relax_plain(pack, node, q, i, lam, w, step)
        square += part
        largest = max(largest, moved)
        if moved < freeze:
            rest[q] = 8
    return largest, square


@kernel
def sweep_mixed(c, first, last, freeze, rest, lam, w, step):
    """`sweep` over blocks of every kind."""
    v, x, A, change = np.zeros(16), np.zeros(16), np.zeros((16, 16)), np.zeros(16)
    largest, square = 0.0, 0.0
    for q in range(first, last):
        i = c.row[q]
        m = c.row[q + 1] - i
        if rest[q] > 0:
            rest[q] -= 1
            for j in range(m):
                step[i + j] = 0.0
            continue
        if c.plain[q] != 0:
            moved, part = relax_plain(c.pack, c.node, q, i, lam, w, step)
            square += part
        else:
            moved = relax_other(c, q, lam, w, v, x, A, change)
            for j in range(m):
                step[i + j] = change[j]
                square += change[j] * change[j] * c.diagonal[c.square[q] + j * m + j]
        largest = max(largest, moved)
        if moved < freeze:
            rest[q] = 8
    return largest, square


@kernel
def sweep(c, first, last, freeze, rest, lam, w, step):
    """One Gauss-Seidel sweep over blocks first:last; w = J~^T lam on entry and on exit.

    step (R,) gets the change of every impulse. A block whose change is below `freeze` [m/s] is left alone for
    the next sweeps (rest counts them down). Returns (largest change [m/s], sum of squares of the scaled changes).
    """
    if c.all_plain:
        return sweep_plain(c.pack, c.node, c.row, first, last, freeze, rest, lam, w, step)
    return sweep_mixed(c, first, last, freeze, rest, lam, w, step)


@kernel
def grade(c, first, last, lam, w, v, y):
    """The judge's natural map of blocks first:last, the largest [m/s]; v (R,) gets all row velocities."""
    worst = 0.0
    for q in range(first, last):
        row, base, kind = c.row[q], c.square[q], c.kind[q]
        m = c.row[q + 1] - row
        if c.plain[q] != 0:
            v[row], v[row + 1], v[row + 2] = plain_velocity(c.pack, c.node, q, w)
            worst = max(worst, grade_plain(c.pack, q, row, lam, v))
            continue
        for i in range(m):
            v[row + i] = row_velocity(c, q, i, lam, w)
        if kind == 0:
            worst = max(worst, grade_contact(c, q, lam, v, y))
        elif kind == 1 or kind == 4:
            for i in range(m):
                worst = max(worst, abs(v[row + i]))
        else:
            lower, upper = (0.0, np.inf) if kind == 2 else (c.bounds[q, 0], c.bounds[q, 1])
            worst = max(worst, bounded_residual(c.diagonal[base], lower, upper, lam[row], v[row]))
    return worst


@kernel
def grade_plain(pack, q, i, lam, v):
    """Natural map of plain contact q [m/s] from its velocities v[i:i+3]."""
    if pack[q, 43] == 0.0:
        return max(0.0, -v[i])
    normal = abs(lam[i] - max(0.0, lam[i] - v[i] / pack[q, 43])) * pack[q, 43]
    y1 = lam[i + 1] - pack[q, 40] * v[i + 1]
    y2 = lam[i + 2] - pack[q, 40] * v[i + 2]
    radius = max(0.0, lam[i])
    length = y1 * y1 + y2 * y2
    if length > radius * radius:
        scale = radius / sqrt(length)
        y1 *= scale
        y2 *= scale
    return max(normal, sqrt((lam[i + 1] - y1) ** 2 + (lam[i + 2] - y2) ** 2) * pack[q, 44])


@kernel
def grade_contact(c, q, lam, v, y):
    """Natural map of contact q [m/s]."""
    row, base = c.row[q], c.square[q]
    m = c.row[q + 1] - row
    if c.diagonal[base] == 0.0:
        return max(0.0, -v[row])
    normal = abs(lam[row] - max(0.0, lam[row] - v[row] / c.diagonal[base])) * c.diagonal[base]
    if c.r[q, 1] == 0.0:
        return normal
    for i in range(m - 1):
        y[i] = lam[row + 1 + i] - c.r[q, 1] * v[row + 1 + i]
    project_friction(c.law[q], c.sides, max(0.0, lam[row]), y, m - 1)
    square = 0.0
    for i in range(m - 1):
        square += (lam[row + 1 + i] - y[i]) ** 2
    return max(normal, sqrt(square) * c.r[q, 2])
