"""Six right-hand sides at a time."""

import numpy as np

from ...jit import inner
from .factor_kernels import gather, panel_of, put_back


@inner
def _six(z):
    return z[0], z[1], z[2], z[3], z[4], z[5]


@inner
def _forward_six(p, z):
    """forward of z (m + k,6); three columns at a time, all in registers."""
    m, height = p.shape
    for j in range(0, m, 3):
        for k in range(j, j + 3):
            one = 1.0 / p[k, k]
            for c in range(6):
                z[k, c] *= one
                for i in range(k + 1, j + 3):
                    z[i, c] -= p[k, i] * z[k, c]
        t0, t1, t2, t3, t4, t5 = _six(z[j])
        u0, u1, u2, u3, u4, u5 = _six(z[j + 1])
        w0, w1, w2, w3, w4, w5 = _six(z[j + 2])
        p0, p1, p2 = p[j], p[j + 1], p[j + 2]
        for i in range(j + 3, height):
            a, b, d, zi = p0[i], p1[i], p2[i], z[i]
            zi[0] -= a * t0 + b * u0 + d * w0
            zi[1] -= a * t1 + b * u1 + d * w1
            zi[2] -= a * t2 + b * u2 + d * w2
            zi[3] -= a * t3 + b * u3 + d * w3
            zi[4] -= a * t4 + b * u4 + d * w4
            zi[5] -= a * t5 + b * u5 + d * w5


@inner
def _backward_six(p, z):
    """backward of z (m + k,6)."""
    m, height = p.shape
    for j in range(m - 3, -1, -3):
        t0, t1, t2, t3, t4, t5 = _six(z[j])
        u0, u1, u2, u3, u4, u5 = _six(z[j + 1])
        w0, w1, w2, w3, w4, w5 = _six(z[j + 2])
        p0, p1, p2 = p[j], p[j + 1], p[j + 2]
        for i in range(j + 3, height):
            a, b, d, (x0, x1, x2, x3, x4, x5) = p0[i], p1[i], p2[i], _six(z[i])
            t0, u0, w0 = t0 - a * x0, u0 - b * x0, w0 - d * x0
            t1, u1, w1 = t1 - a * x1, u1 - b * x1, w1 - d * x1
            t2, u2, w2 = t2 - a * x2, u2 - b * x2, w2 - d * x2
            t3, u3, w3 = t3 - a * x3, u3 - b * x3, w3 - d * x3
            t4, u4, w4 = t4 - a * x4, u4 - b * x4, w4 - d * x4
            t5, u5, w5 = t5 - a * x5, u5 - b * x5, w5 - d * x5
        z0, z1, z2 = z[j], z[j + 1], z[j + 2]
        z0[0], z0[1], z0[2], z0[3], z0[4], z0[5] = t0, t1, t2, t3, t4, t5
        z1[0], z1[1], z1[2], z1[3], z1[4], z1[5] = u0, u1, u2, u3, u4, u5
        z2[0], z2[1], z2[2], z2[3], z2[4], z2[5] = w0, w1, w2, w3, w4, w5
        for k in range(j + 2, j - 1, -1):
            one = 1.0 / p[k, k]
            for c in range(6):
                for i in range(k + 1, j + 3):
                    z[k, c] -= p[k, i] * z[i, c]
                z[k, c] *= one


@inner
def solve_six(tree, order, L, Z):
    """Z (n,3,6) -> A^-1 of its six columns."""
    count, n = tree.start.size - 1, order.size
    x, y = np.empty((n, 18)), np.empty((n, 18))
    for i in range(n):
        for j in range(3):
            for a in range(6):
                x[i, 6 * j + a] = Z[order[i], j, a]
    for s in range(count):
        p, o, rows = panel_of(tree, L, s)
        gather(x, y, o // 3, p.shape[0] // 3, rows)
        _forward_six(p, y.reshape(-1, 6)[: p.shape[1]])
        put_back(x, y, o // 3, p.shape[0] // 3, rows)
    for s in range(count - 1, -1, -1):
        p, o, rows = panel_of(tree, L, s)
        gather(x, y, o // 3, p.shape[0] // 3, rows)
        _backward_six(p, y.reshape(-1, 6)[: p.shape[1]])
        put_back(x, y, o // 3, p.shape[0] // 3, rows[:0])
    for i in range(n):
        for j in range(3):
            for a in range(6):
                Z[order[i], j, a] = x[i, 6 * j + a]
