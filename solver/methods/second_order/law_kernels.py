"""Laws of every kind and their derivatives, for the second-order methods: `evaluate_plain` for general blocks."""

from math import sqrt

import numpy as np

from ...friction import friction_slope
from ...jit import inner, kernel
from ..compact.columns import STEP_FRICTION, STEP_NORMAL
from ..compact.compact_kernels import PLAIN, TORSION
from ..compact.lanes import add_four_in_turn, products_of_four
from ..sweep_kernels import solve_dense
from .proximal_kernels import add_row, evaluate_three, row_product, summed


@kernel
def contact_law(c, q, strength, work, scratch):
    """Impulses of a contact and K[q] = -d lam / d v from its velocities; see law_of_block."""
    base, v, lam, K, z, y, slope = work.base, work.v, work.lam, work.K, scratch[0], scratch[1], scratch[5]
    row, m = c.row[q], c.row[q + 1] - c.row[q]
    rho_n, rho_y = strength * c.r[q, STEP_NORMAL], strength * c.r[q, STEP_FRICTION]
    normal = base[row] - rho_n * v[row]
    for i in range(m * m):
        K[q, i] = 0.0
    if normal <= 0.0:
        for i in range(m):
            lam[row + i] = 0.0
        return
    lam[row] = normal
    K[q, 0] = rho_n
    n = m - 1
    if n == 0:
        return
    for i in range(n):
        z[i] = base[row + 1 + i] - rho_y * v[row + 1 + i]
    friction_slope(c.law[q], c.sides, normal, z, n, y, slope)
    for i in range(n):
        lam[row + 1 + i] = y[i]
        K[q, (i + 1) * m] = slope[i, n] * rho_n
        for j in range(n):
            K[q, (i + 1) * m + j + 1] = slope[i, j] * rho_y


@kernel
def bilateral_law(c, q, strength, work, scratch):
    """lam = (1 + rho C)^-1 (r - rho v) of a joint, and K[q]."""
    base, v, lam, K, x, A = work.base, work.v, work.lam, work.K, scratch[0], scratch[3]
    row, m, first = c.row[q], c.row[q + 1] - c.row[q], c.square[q]
    largest = 0.0
    for i in range(m):
        largest = max(largest, c.diagonal[first + i * m + i])
    rho = strength / largest if largest > 0.0 else 0.0
    for j in range(m + 1):
        for i in range(m):
            for e in range(m):
                A[i, e] = (1.0 if i == e else 0.0) + rho * c.compliance[first + i * m + e]
            x[i] = base[row + i] - rho * v[row + i] if j == m else (rho if i == j else 0.0)
        solve_dense(A, x, m)
        for i in range(m):
            if j == m:
                lam[row + i] = x[i]
            else:
                K[q, i * m + j] = x[i]


@kernel
def law_of_block(c, q, strength, work, scratch):
    """Proximal impulses work.lam of block q for velocities work.v, both indexed by row, and K[q] = -d lam / d v."""
    if c.kind[q] == 0:
        contact_law(c, q, strength, work, scratch)
    elif c.kind[q] == 1 or c.kind[q] == 4:
        bilateral_law(c, q, strength, work, scratch)
    else:
        row, rho = c.row[q], strength * c.r[q, STEP_NORMAL]
        lower, upper = (0.0, np.inf) if c.kind[q] == 2 else (c.bounds[q, 0], c.bounds[q, 1])
        soft = 1.0 + rho * c.compliance[c.square[q]]
        free = (work.base[row] - rho * work.v[row]) / soft
        work.lam[row] = min(max(free, lower), upper)
        work.K[q, 0] = rho / soft if lower < free < upper else 0.0


@inner
def fill_sliding(K, q, shrink, along, rho_n, rho_y):
    """K[q] of a contact of four rows that slides in the direction `along`, see laws/ellipsoid.py."""
    for i in range(3):
        K[q, 4 * (i + 1)] = along[i] * rho_n
        for j in range(3):
            slope = -shrink * along[i] * along[j]
            K[q, 4 * (i + 1) + j + 1] = (slope + shrink if i == j else slope) * rho_y


@kernel
def evaluate_torsion(c, first, last, strength, work):
    """What contact_law and evaluate_mixed do, for contacts with torsion first:last between bodies; returns the largest
    |lam - r| as a velocity [m/s]."""
    mismatch, J, row, node, r, place, diagonal = 0.0, c.J, c.row, c.node, c.r, c.square, c.diagonal
    base, w, lam, K, F, v, start = work.base, work.trial, work.lam, work.K, work.F, work.v, work.start
    for q in range(first, last):
        i, a, o, d = row[q], node[q, 0], node[q, 1], place[q]
        v0, v1, v2, v3 = products_of_four(J, i, w, a, o)
        v0, v1, v2, v3 = start[i] + v0, start[i + 1] + v1, start[i + 2] + v2, start[i + 3] + v3
        v[i], v[i + 1], v[i + 2], v[i + 3] = v0, v1, v2, v3
        rho_n, rho_y = strength * r[q, STEP_NORMAL], strength * r[q, STEP_FRICTION]
        for e in range(16):
            K[q, e] = 0.0
        normal, y1, y2, y3 = base[i] - rho_n * v0, 0.0, 0.0, 0.0
        if normal > 0.0:
            K[q, 0] = rho_n
            z1, z2, z3 = base[i + 1] - rho_y * v1, base[i + 2] - rho_y * v2, base[i + 3] - rho_y * v3
            square = z1 * z1 + z2 * z2 + z3 * z3
            length, scale = sqrt(square), 1.0
            if square > normal * normal:
                scale = normal / length
            y1, y2, y3 = z1 * scale, z2 * scale, z3 * scale
            if length <= normal:
                K[q, 5] = K[q, 10] = K[q, 15] = rho_y
            else:
                fill_sliding(K, q, normal / length, (z1 / length, z2 / length, z3 / length), rho_n, rho_y)
        else:
            normal = 0.0
        d0, d1, d2, d3 = normal - base[i], y1 - base[i + 1], y2 - base[i + 2], y3 - base[i + 3]
        mismatch = max(mismatch, abs(d0) * diagonal[d], abs(d1) * diagonal[d + 5], abs(d2) * diagonal[d + 10],
                       abs(d3) * diagonal[d + 15])  # fmt: skip
        lam[i], lam[i + 1], lam[i + 2], lam[i + 3] = normal, y1, y2, y3
        add_four_in_turn(J, i, 0, (-d0, -d1, -d2, -d3), F, a)
        add_four_in_turn(J, i, 6, (-d0, -d1, -d2, -d3), F, o)
    return mismatch


@kernel
def evaluate_mixed(c, span, strength, work, scratch, dual):
    """`evaluate_plain` for blocks of every kind."""
    base, w, lam, F, v, change = work.base, work.trial, work.lam, work.F, work.v, work.change
    k0, k1, n0, n1 = span
    for i in range(n0, n1):
        for j in range(6):
            F[i, j] = w[i, j]
    mismatch, end, form = 0.0, k0, c.form
    for q in range(k0, k1):
        if q < end:
            continue
        if (form[q] == PLAIN or form[q] == TORSION) and dual is None:
            end = q + 1
            while end < k1 and form[end] == form[q]:
                end += 1
            if form[q] == PLAIN:
                mismatch = max(mismatch, evaluate_three(c, q, end, strength, work, dual))
            else:
                mismatch = max(mismatch, evaluate_torsion(c, q, end, strength, work))
            continue
        row, m = c.row[q], c.row[q + 1] - c.row[q]
        for i in range(m):
            v[row + i] = work.start[row + i] + row_product(c, q, i, w)
        law_of_block(c, q, strength, work, scratch)
        for i in range(m):
            x = lam[row + i] - base[row + i]
            mismatch = max(mismatch, abs(x) * c.diagonal[c.square[q] + i * m + i])
            if dual is not None:
                change[row + i] = x
                continue
            add_row(c, q, i, -x, F)
    return summed(F, change, n0, n1, dual), mismatch / strength
