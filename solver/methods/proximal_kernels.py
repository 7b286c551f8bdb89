"""Kernels of the proximal-point Newton method on Compact problems: laws and their derivatives, the Newton matrix.

For impulses r of the iteration before and step lengths rho, the step solves in body space

    F(w) = w - J~^T P(r - rho (J~ w + b)) = 0

with P the proximal map of the laws: normal impulse first, then the friction set of that normal impulse, so
that the Coulomb coupling between the two is differentiated as well. Its Jacobian is I + J~^T K J~ with a small
matrix K = -dP/dv for each block: a sparse matrix of 6x6 blocks with the pattern of touching bodies.
"""

from math import sqrt

import numpy as np

from ..friction import project_friction
from ..jit import kernel
from .compact_kernels import plain_velocity
from .sweep_kernels import solve_dense


@kernel
def friction_slope(law, sides, radius, z, n, y, slope):
    """Project z[:n] onto the set of `law`; slope (n, n+1) gets the derivatives by z and, last, by the radius."""
    square = 0.0
    for i in range(n):
        y[i] = z[i]
        square += z[i] * z[i]
    project_friction(law, sides, radius, y, n)
    for i in range(n):
        for j in range(n + 1):
            slope[i, j] = 0.0
    if law == 0:
        length = sqrt(square)
        if length <= radius:
            for i in range(n):
                slope[i, i] = 1.0
            return
        for i in range(n):
            slope[i, n] = z[i] / length
            for j in range(n):
                slope[i, j] = -radius / length * (z[i] / length) * (z[j] / length)
            slope[i, i] += radius / length
    elif law == 1:
        for i in range(n):
            if abs(z[i]) <= radius:
                slope[i, i] = 1.0
            else:
                slope[i, n] = 1.0 if z[i] > 0.0 else -1.0
    else:
        # The projection onto a polygon is piecewise linear: differences are exact away from its kinks.
        small = 1e-7 * (radius + sqrt(square) + 1e-300)
        x = np.empty(3)
        for j in range(n + 1):
            for i in range(n):
                x[i] = z[i] + (small if i == j else 0.0)
            project_friction(law, sides, radius + (small if j == n else 0.0), x, n)
            for i in range(n):
                slope[i, j] = (x[i] - y[i]) / small


@kernel
def contact_law(c, q, strength, base, v, lam, K, z, y, slope):
    """Impulses lam of a contact and K[q] = -d lam / d v from its velocities v; see law_of_block."""
    row, m = c.row[q], c.row[q + 1] - c.row[q]
    rho_n, rho_y = strength * c.r[q, 0], strength * c.r[q, 1]
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
def plain_law(c, q, strength, base, v, lam, K):
    """`contact_law` of a contact of three rows with the disk law."""
    i = c.row[q]
    rho_n, rho_y = strength * c.pack[q, 39], strength * c.pack[q, 40]
    normal = base[i] - rho_n * v[i]
    for j in range(9):
        K[q, j] = 0.0
    if normal <= 0.0:
        lam[i], lam[i + 1], lam[i + 2] = 0.0, 0.0, 0.0
        return
    lam[i] = normal
    K[q, 0] = rho_n
    z1, z2 = base[i + 1] - rho_y * v[i + 1], base[i + 2] - rho_y * v[i + 2]
    length = sqrt(z1 * z1 + z2 * z2)
    if length <= normal:
        lam[i + 1], lam[i + 2] = z1, z2
        K[q, 4], K[q, 8] = rho_y, rho_y
        return
    d1, d2 = z1 / length, z2 / length
    lam[i + 1], lam[i + 2] = normal * d1, normal * d2
    shrink = rho_y * normal / length
    K[q, 3], K[q, 6] = rho_n * d1, rho_n * d2
    K[q, 4], K[q, 8] = shrink * d2 * d2, shrink * d1 * d1
    K[q, 5] = K[q, 7] = -shrink * d1 * d2


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
    if c.plain[q] != 0:
        plain_law(c, q, strength, base, v, lam, K)
    elif c.kind[q] == 0:
        contact_law(c, q, strength, base, v, lam, K, z, y, slope)
    elif c.kind[q] == 1 or c.kind[q] == 4:
        bilateral_law(c, q, strength, base, v, lam, K, A, z)
    else:
        row, rho = c.row[q], strength * c.r[q, 0]
        lower, upper = (0.0, np.inf) if c.kind[q] == 2 else (c.bounds[q, 0], c.bounds[q, 1])
        soft = 1.0 + rho * c.compliance[c.square[q]]
        free = (base[row] - rho * v[row]) / soft
        lam[row] = min(max(free, lower), upper)
        K[q, 0] = rho / soft if lower < free < upper else 0.0


@kernel
def row_product(c, q, i, w):
    """(J~ w) of row i of block q [m/s]."""
    wa, wb, J = w[c.node[q, 0]], w[c.node[q, 1]], c.J[c.row[q] + i]
    v = 0.0
    for j in range(6):
        v += J[j] * wa[j] + J[6 + j] * wb[j]
    return v


@kernel
def evaluate(c, span, strength, base, w, lam, K, F, v, scratch):
    """F = w - J~^T lam with lam the proximal impulses at w. Returns (|F|^2, largest |lam - r| as a velocity [m/s])."""
    z, y, slope, A = scratch
    k0, k1, n0, n1 = span
    for i in range(n0, n1):
        for j in range(6):
            F[i, j] = w[i, j]
    mismatch = 0.0
    for q in range(k0, k1):
        row, m = c.row[q], c.row[q + 1] - c.row[q]
        if c.plain[q] != 0:
            v[row], v[row + 1], v[row + 2] = plain_velocity(c.pack, c.node, q, w)
        else:
            for i in range(m):
                v[row + i] = c.b[row + i] + row_product(c, q, i, w)
        law_of_block(c, q, strength, base, v, lam, K, z, y, slope, A)
        a, o = c.node[q, 0], c.node[q, 1]
        for i in range(m):
            x = lam[row + i]
            mismatch = max(mismatch, abs(x - base[row + i]) * c.diagonal[c.square[q] + i * m + i])
            for j in range(6):
                F[a, j] -= c.J[row + i, j] * x
                F[o, j] -= c.J[row + i, 6 + j] * x
    square = 0.0
    for i in range(n0, n1):
        for j in range(6):
            square += F[i, j] * F[i, j]
    for j in range(6):
        F[F.shape[0] - 1, j] = 0.0
    return square, mismatch / strength


@kernel
def largest_velocity(c, span, F):
    """Largest |J~ F|, the velocity by which impulses and body velocities disagree [m/s]."""
    largest = 0.0
    for q in range(span[0], span[1]):
        for i in range(c.row[q + 1] - c.row[q]):
            largest = max(largest, abs(row_product(c, q, i, F)))
    return largest


@kernel
def assemble(c, span, place, slot, K, D, L, U):
    """Blocks of I + J~^T K J~ in elimination order."""
    k0, k1, n0, n1 = span
    D[:] = 0.0
    L[:] = 0.0
    U[:] = 0.0
    for i in range(n1 - n0):
        for j in range(6):
            D[i, 7 * j] = 1.0
    T = np.empty((6, 12))
    for q in range(k0, k1):
        row, m = c.row[q], c.row[q + 1] - c.row[q]
        largest = 0.0
        for i in range(m * m):
            largest = max(largest, abs(K[q, i]))
        if largest == 0.0:
            continue
        for i in range(m):
            for j in range(12):
                total = 0.0
                for e in range(m):
                    total += K[q, i * m + e] * c.J[row + e, j]
                T[i, j] = total
        a, o = c.node[q, 0] - n0, c.node[q, 1] - n0
        add_block(c, row, m, 0, T, 0, D, place[a])
        if slot[q - k0] < 0:
            continue
        add_block(c, row, m, 6, T, 6, D, place[o])
        if place[a] < place[o]:
            add_block(c, row, m, 0, T, 6, U, slot[q - k0])
            add_block(c, row, m, 6, T, 0, L, slot[q - k0])
        else:
            add_block(c, row, m, 6, T, 0, U, slot[q - k0])
            add_block(c, row, m, 0, T, 6, L, slot[q - k0])


@kernel
def add_block(c, row, m, left, T, right, target, index):
    """target[index] += J~[:, left:left+6]^T T[:, right:right+6]."""
    for e in range(m):
        for i in range(6):
            x = c.J[row + e, left + i]
            for j in range(6):
                target[index, 6 * i + j] += x * T[e, right + j]


@kernel
def body_velocity(c, span, lam, w):
    """w = J~^T lam on the nodes of the span."""
    k0, k1, n0, n1 = span
    for i in range(n0, n1):
        for j in range(6):
            w[i, j] = 0.0
    for q in range(k0, k1):
        a, o = c.node[q, 0], c.node[q, 1]
        for i in range(c.row[q], c.row[q + 1]):
            for j in range(6):
                w[a, j] += c.J[i, j] * lam[i]
                w[o, j] += c.J[i, 6 + j] * lam[i]
