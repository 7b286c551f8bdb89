"""Kernels on Compact problems with blocks of every kind: sweeping and grading."""

from math import sqrt

import numpy as np

from ...friction import project_friction
from ...jit import kernel
from ...problems.residual_kernels import bounded_residual
from ..sweep_kernels import solve_dense
from .columns import STEP_FRICTION, STEP_JUDGE, STEP_NORMAL
from .compact_kernels import BOUNDED, FIXED, PLAIN, TORSION, extrapolate_rows, grade_plain, sweep_plain
from .form_kernels import grade_torsion, sweep_bounded, sweep_fixed, sweep_torsion


@kernel
def row_velocity(c, q, i, lam, w):
    """Scaled velocity of row i of block q [m/s]."""
    row = c.row[q]
    J, node = c.J[row + i], c.node
    v = c.b[row + i]
    for side in range(0, node.shape[1], 2):
        wa, wb = w[node[q, side]], w[node[q, side + 1]]
        for j in range(6):
            v += J[6 * side + j] * wa[j] + J[6 * side + 6 + j] * wb[j]
    if c.compliant[q] != 0:
        m = c.row[q + 1] - row
        for j in range(m):
            v += c.compliance[c.square[q] + i * m + j] * lam[row + j]
    return v


@kernel
def add_change(c, q, i, change, w):
    """Add the velocity change of a change of impulse in row i of block q."""
    J = c.J[c.row[q] + i]
    for side in range(c.node.shape[1]):
        node = c.node[q, side]
        # What cannot move stays as it is: threads that write its zeros wait for each other.
        if node != w.shape[0] - 1:
            for j in range(6):
                w[node, j] += J[6 * side + j] * change


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
        new = max(0.0, lam[row] - c.r[q, STEP_NORMAL] * v[0])
        change[0] = new - lam[row]
        for i in range(1, m):
            velocity = v[i] + c.diagonal[base + i * m] * change[0]
            x[i - 1] = lam[row + i] - c.r[q, STEP_FRICTION] * velocity if c.r[q, STEP_FRICTION] > 0.0 else 0.0
        project_friction(c.law[q], c.sides, new, x, m - 1)
        square = 0.0
        for i in range(1, m):
            change[i] = x[i - 1] - lam[row + i]
            square += change[i] * change[i]
        largest = max(abs(change[0]) * c.diagonal[base], sqrt(square) * c.r[q, STEP_JUDGE])
    elif kind == 1 or kind == 4:
        for i in range(m):
            change[i] = -v[i]
            largest = max(largest, abs(v[i]))
            for j in range(m):
                A[i, j] = c.diagonal[base + i * m + j]
        solve_dense(A, change, m)
    else:
        lower, upper = (0.0, np.inf) if kind == 2 else (c.bounds[q, 0], c.bounds[q, 1])
        change[0] = min(max(lam[row] - c.r[q, STEP_NORMAL] * v[0], lower), upper) - lam[row]
        largest = abs(change[0]) * c.diagonal[base]
    for i in range(m):
        lam[row + i] += change[i]
        add_change(c, q, i, change[i], w)
    return largest


@kernel
def sweep_other(c, first, last, work, scratch):
    """`sweep_plain` over blocks of any kind, after their jump; scratch: see make_scratch."""
    lam, w, p, step = work.lam, work.w, work.p, work.step
    v, x, change, A = scratch[0], scratch[1], scratch[2], scratch[3]
    largest, square, along = 0.0, 0.0, 0.0
    for q in range(first, last):
        i = c.row[q]
        m = c.row[q + 1] - i
        moved = relax_other(c, q, lam, w, v, x, A, change)
        for j in range(m):
            step[i + j] = change[j]
            weight = change[j] * c.diagonal[c.square[q] + j * m + j]
            square += weight * change[j]
            along += weight * p[i + j]
        largest = max(largest, moved)
    return largest, square, along


@kernel
def sweep_mixed(c, first, last, work, scratch, weight):
    """`sweep_plain` over blocks of every kind, stretch by stretch of blocks of one form."""
    largest, square, along = 0.0, 0.0, 0.0
    row, forms = c.row, c.form
    q = first
    while q < last:
        form, end = forms[q], q + 1
        while end < last and forms[end] == form:
            end += 1
        if weight != 0.0 and form != PLAIN and form != TORSION:
            extrapolate_rows(weight, row[q], row[end], work.step, work.lam, work.p)
        if form == PLAIN:
            found = sweep_plain(c, q, end, work, weight)
        elif form == TORSION:
            found = sweep_torsion(c, q, end, work, weight)
        elif form == FIXED:
            found = sweep_fixed(c, q, end, work, scratch[0])
        elif form == BOUNDED:
            found = sweep_bounded(c, q, end, work)
        else:
            found = sweep_other(c, q, end, work, scratch)
        largest, square, along = max(largest, found[0]), square + found[1], along + found[2]
        q = end
    return largest, square, along


@kernel
def grade_contact(c, q, lam, v, y):
    """Natural map of contact q [m/s]."""
    row, base = c.row[q], c.square[q]
    m = c.row[q + 1] - row
    if c.diagonal[base] == 0.0:
        return max(0.0, -v[row])
    normal = abs(lam[row] - max(0.0, lam[row] - v[row] / c.diagonal[base])) * c.diagonal[base]
    if c.r[q, STEP_FRICTION] == 0.0:
        return normal
    for i in range(m - 1):
        y[i] = lam[row + 1 + i] - c.r[q, STEP_FRICTION] * v[row + 1 + i]
    project_friction(c.law[q], c.sides, max(0.0, lam[row]), y, m - 1)
    square = 0.0
    for i in range(m - 1):
        square += (lam[row + 1 + i] - y[i]) ** 2
    return max(normal, sqrt(square) * c.r[q, STEP_JUDGE])


@kernel
def grade_mixed(c, first, last, lam, w, v, y):
    """`grade_plain` over blocks of every kind, stretch by stretch of blocks of one form."""
    worst, q, forms = 0.0, first, c.form
    while q < last:
        form, end = forms[q], q + 1
        while end < last and forms[end] == form:
            end += 1
        if form == PLAIN:
            worst = max(worst, grade_plain(c, q, end, lam, w, v))
        elif form == TORSION:
            worst = max(worst, grade_torsion(c, q, end, lam, w, v))
        else:
            for k in range(q, end):
                worst = max(worst, grade_other(c, k, lam, w, v, y))
        q = end
    return worst


@kernel
def grade_other(c, q, lam, w, v, y):
    """Natural map of a block of any kind [m/s], inf if it is no number."""
    row, base, kind = c.row[q], c.square[q], c.kind[q]
    m = c.row[q + 1] - row
    for i in range(m):
        v[row + i] = row_velocity(c, q, i, lam, w)
        if not abs(v[row + i]) + abs(lam[row + i]) < np.inf:
            return np.inf
    if kind == 0:
        return grade_contact(c, q, lam, v, y)
    if kind == 1 or kind == 4:
        worst = 0.0
        for i in range(m):
            worst = max(worst, abs(v[row + i]))
        return worst
    lower, upper = (0.0, np.inf) if kind == 2 else (c.bounds[q, 0], c.bounds[q, 1])
    return bounded_residual(c.diagonal[base], lower, upper, lam[row], v[row])
