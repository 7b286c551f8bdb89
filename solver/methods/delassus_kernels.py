"""Sweeps with momentum on contacts that are given by their Delassus matrix only (no bodies).

Velocities are gathered from the impulses of the neighbours: v_k = b_k + sum_j A_kj lambda_j, so no body
velocities are carried along. Friction rows are scaled as everywhere, lambda_F = D y; A need not be symmetric.
"""

from math import sqrt

import numpy as np

from ..jit import kernel
from ..residual_kernels import friction_step, sliding_scale
from .accelerated_kernels import BEST, DONE, FIRST, PENDING, PLAIN, SINCE, SQUARE, SWEEPS
from .sweep_kernels import normal_step


@kernel
def gather(d, q, lam):
    """Scaled velocities of contact q [m/s]."""
    v0, v1, v2 = d.b[3 * q], d.b[3 * q + 1], d.b[3 * q + 2]
    for s in range(d.indptr[q], d.indptr[q + 1]):
        i = 3 * d.indices[s]
        x0, x1, x2 = lam[i], lam[i + 1], lam[i + 2]
        v0 += d.A[s, 0] * x0 + d.A[s, 1] * x1 + d.A[s, 2] * x2
        v1 += d.A[s, 3] * x0 + d.A[s, 4] * x1 + d.A[s, 5] * x2
        v2 += d.A[s, 6] * x0 + d.A[s, 7] * x1 + d.A[s, 8] * x2
    return v0, v1, v2


@kernel
def proximal(d, q, step, n, s, t, v0, v1, v2, coupled):
    """Proximal step of contact q, `step` long in the normal; coupled 1 lets friction see the new normal impulse."""
    new = max(0.0, n - step * v0)
    jump = coupled * (new - n)
    y1 = s - d.r[q, 1] * (v1 + d.r[q, 4] * jump)
    y2 = t - d.r[q, 1] * (v2 + d.r[q, 5] * jump)
    radius = new if coupled > 0.0 else max(0.0, n)
    length = y1 * y1 + y2 * y2
    if length > radius * radius:
        scale = radius / sqrt(length)
        y1 *= scale
        y2 *= scale
    return new, y1, y2


@kernel
def sweep(d, lam, step):
    """One Gauss-Seidel sweep; step gets all changes. Returns (largest change [m/s], squared scaled change)."""
    largest, square = 0.0, 0.0
    for q in range(d.indptr.size - 1):
        i = 3 * q
        v0, v1, v2 = gather(d, q, lam)
        new, y1, y2 = proximal(d, q, d.r[q, 0], lam[i], lam[i + 1], lam[i + 2], v0, v1, v2, 1.0)
        d0, d1, d2 = new - lam[i], y1 - lam[i + 1], y2 - lam[i + 2]
        lam[i], lam[i + 1], lam[i + 2] = new, y1, y2
        step[i], step[i + 1], step[i + 2] = d0, d1, d2
        slip = d1 * d1 + d2 * d2
        largest = max(largest, abs(d0) * d.r[q, 2], sqrt(slip) * d.r[q, 3])
        square += d0 * d0 * d.r[q, 2] + slip * d.r[q, 6]
    return largest, square


@kernel
def grade(d, lam, v):
    """The judge's natural map, largest over contacts [m/s]; v gets all scaled velocities."""
    worst = 0.0
    for q in range(d.indptr.size - 1):
        i = 3 * q
        v[i], v[i + 1], v[i + 2] = gather(d, q, lam)
        if d.r[q, 2] == 0.0:
            worst = max(worst, -v[i])
            continue
        new, y1, y2 = proximal(d, q, 1.0 / d.r[q, 2], lam[i], lam[i + 1], lam[i + 2], v[i], v[i + 1], v[i + 2], 0.0)
        slip = sqrt((y1 - lam[i + 1]) ** 2 + (y2 - lam[i + 2]) ** 2)
        if not abs(new) + slip < np.inf:
            return np.inf
        worst = max(worst, abs(new - lam[i]) * d.r[q, 2], slip * d.r[q, 3])
    return worst


@kernel
def siconos_measure(d, lam, v):
    """Siconos' relative error, see residuals.siconos_error."""
    error, r_square, u_square, b_square = 0.0, 0.0, 0.0, 0.0
    for q in range(d.indptr.size - 1):
        i, m = 3 * q, d.mu[q]
        back = 1.0 / m if m > 0.0 else 0.0
        v[i], v[i + 1], v[i + 2] = gather(d, q, lam)
        r0, r1, r2 = lam[i], m * lam[i + 1], m * lam[i + 2]
        u0, u1, u2 = v[i], back * v[i + 1], back * v[i + 2]
        r_square += r0 * r0 + r1 * r1 + r2 * r2
        u_square += u0 * u0 + u1 * u1 + u2 * u2
        b_square += d.b[i] ** 2 + (back * d.b[i + 1]) ** 2 + (back * d.b[i + 2]) ** 2
        z0 = r0 - u0 - m * sqrt(u1 * u1 + u2 * u2)
        z1, z2 = r1 - u1, r2 - u2
        t = sqrt(z1 * z1 + z2 * z2)
        if m * t <= -z0:
            z0 = z1 = z2 = 0.0
        elif t > m * z0:
            z0 = (m * t + z0) / (1.0 + m * m)
            scale = m * z0 / t
            z1 *= scale
            z2 *= scale
        error += (r0 - z0) ** 2 + (r1 - z1) ** 2 + (r2 - z2) ** 2
    largest = max(b_square, r_square, u_square)
    return sqrt(error / largest) if largest > 5e-32 else sqrt(error)


@kernel
def measure(d, relative, lam, v):
    """The judge's residual [m/s], or Siconos' relative error."""
    return siconos_measure(d, lam, v) if relative else grade(d, lam, v)


@kernel
def momentum(state, lam, p, step):
    """Fletcher-Reeves extrapolation of NNCG, see accelerated_kernels.extrapolate."""
    previous, square = state[SQUARE], state[PENDING]
    state[SQUARE] = square
    if previous <= 0.0 or square > previous or state[PLAIN] > 0.0:
        keep = 0.0 if previous > 0.0 else 1.0
        for i in range(lam.size):
            p[i] = keep * step[i]
        return
    beta = square / previous
    for i in range(lam.size):
        jump = beta * p[i]
        p[i] = jump + step[i]
        lam[i] += jump


@kernel
def advance(d, count, tolerance, relative, check_every, state, work, merit):
    """Run up to `count` sweeps until `measure` is at most `tolerance`; returns the sweeps done."""
    lam, i, start = work.lam, 0, state[SWEEPS] == 0.0
    if start:
        state[BEST] = 1e300
    while True:
        if not start:
            if i == count or state[BEST] <= tolerance:
                break
            if state[PENDING] > 0.0:
                momentum(state, lam, work.p, work.step)
            moved, state[PENDING] = sweep(d, lam, work.step)
            merit[i] = moved
            i += 1
            state[SWEEPS] += 1.0
            state[SINCE] += 1.0
            if state[SINCE] < 50.0 and state[SWEEPS] % check_every != 0.0 and (moved > tolerance or relative):
                continue
        residual = measure(d, relative, lam, work.v)
        if start:
            state[FIRST] = residual
        start = False
        if residual < state[BEST]:
            if residual < 0.9 * state[BEST]:
                state[SINCE] = 0.0
            state[BEST] = residual
            for k in range(lam.size):
                work.best[k] = lam[k]
        if state[SINCE] >= 50.0:
            # Stagnation: 50 plain sweeps from the best iterate, then momentum again.
            state[SINCE] = state[SQUARE] = 0.0
            state[PLAIN] = 1.0 - state[PLAIN]
            if state[PLAIN] > 0.0:
                state[PENDING] = 0.0
                for k in range(lam.size):
                    lam[k] = work.best[k]
    if state[BEST] <= tolerance:
        state[DONE] = 1.0
    return i


@kernel
def step_lengths(diagonal, mu, r):
    """Fill r (n,7) of DelassusRows from the scaled diagonal blocks, 9 numbers a contact."""
    one = np.ones(3)
    for q in range(mu.shape[0]):
        a = diagonal[9 * q]
        eigenvalue = friction_step(9 * q, diagonal, 3, one)
        r[q, 0] = normal_step(9 * q, diagonal, 3, one)
        r[q, 1] = 1.0 / eigenvalue if eigenvalue > 0.0 else 0.0
        r[q, 2] = a
        r[q, 3] = eigenvalue / sliding_scale(mu[q])
        r[q, 4], r[q, 5] = diagonal[9 * q + 3], diagonal[9 * q + 6]
        r[q, 6] = eigenvalue


@kernel
def count_blocks(G, indptr):
    """indptr (n+1,) of the block rows of A, from the block columns G = A^T of a problem with J = identity."""
    for i in range(indptr.size):
        indptr[i] = 0
    for s in range(G.start.size):
        indptr[G.start[s] // 3 + 1] += 1
    for i in range(indptr.size - 1):
        indptr[i + 1] += indptr[i]


@kernel
def gather_blocks(G, scale, indptr, place, indices, A, diagonal):
    """Blocks A (s,9) of D A D by rows, sorted by column, from G = A^T; place (n,) zeros, diagonal (9n,) zeros."""
    for k in range(indptr.size - 1):
        for s in range(G.indptr[k], G.indptr[k + 1]):
            row = G.start[s] // 3
            t = indptr[row] + place[row]
            place[row] += 1
            indices[t] = k
            for i in range(3):
                for j in range(3):
                    x = scale[3 * row + i] * G.data[G.offset[s] + 3 * j + i] * scale[3 * k + j]
                    A[t, 3 * i + j] = x
                    if row == k:
                        diagonal[9 * k + 3 * i + j] = x
