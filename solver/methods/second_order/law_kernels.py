"""Laws of every kind and their derivatives, for the second-order methods: `evaluate_plain` for general blocks."""

import numpy as np

from ...friction import friction_slope
from ...jit import kernel
from ..compact.columns import STEP_FRICTION, STEP_NORMAL
from ..sweep_kernels import solve_dense
from .proximal_kernels import row_product, subtract_product


@kernel
def contact_law(c, q, strength, base, v, lam, K, z, y, slope):
    """Impulses lam of a contact and K[q] = -d lam / d v from its velocities v; see law_of_block."""
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
def bilateral_law(c, q, strength, base, v, lam, K, A, x):
    """lam = (1 + rho C)^-1 (r - rho v) of a joint, and K[q]."""
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
def law_of_block(c, q, strength, base, v, lam, K, z, y, slope, A):
    """Proximal impulses lam of block q for velocities v, both indexed by row, and K[q] = -d lam / d v."""
    if c.kind[q] == 0:
        contact_law(c, q, strength, base, v, lam, K, z, y, slope)
    elif c.kind[q] == 1 or c.kind[q] == 4:
        bilateral_law(c, q, strength, base, v, lam, K, A, z)
    else:
        row, rho = c.row[q], strength * c.r[q, STEP_NORMAL]
        lower, upper = (0.0, np.inf) if c.kind[q] == 2 else (c.bounds[q, 0], c.bounds[q, 1])
        soft = 1.0 + rho * c.compliance[c.square[q]]
        free = (base[row] - rho * v[row]) / soft
        lam[row] = min(max(free, lower), upper)
        K[q, 0] = rho / soft if lower < free < upper else 0.0


@kernel
def evaluate_mixed(c, span, strength, base, w, lam, K, F, v, scratch, dual):
    """`evaluate_plain` for blocks of every kind."""
    z, y, slope, A = scratch[0], scratch[1], scratch[5], scratch[3]
    k0, k1, n0, n1 = span
    for i in range(n0, n1):
        for j in range(6):
            F[i, j] = w[i, j]
    mismatch = 0.0
    for q in range(k0, k1):
        row, m = c.row[q], c.row[q + 1] - c.row[q]
        for i in range(m):
            v[row + i] = c.b[row + i] + row_product(c, q, i, w)
        law_of_block(c, q, strength, base, v, lam, K, z, y, slope, A)
        a, o = c.node[q, 0], c.node[q, 1]
        for i in range(m):
            x = lam[row + i]
            mismatch = max(mismatch, abs(x - base[row + i]) * c.diagonal[c.square[q] + i * m + i])
            if dual is not None:
                continue
            for j in range(6):
                F[a, j] -= c.J[row + i, j] * x
                F[o, j] -= c.J[row + i, 6 + j] * x
    if dual is not None:
        subtract_product(dual, lam, F)
    square = 0.0
    for i in range(n0, n1):
        for j in range(6):
            square += F[i, j] * F[i, j]
    return square, mismatch / strength
