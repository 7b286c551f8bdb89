"""Kernels of the judge."""

from math import acos, cos, sqrt

import numpy as np

from ..friction import gauge, project_friction, support
from ..jit import inner, kernel
from .problem_kernels import add_velocity_change, block_velocity, three_velocities


@inner
def largest_eigenvalue(S):
    """Of a symmetric matrix (3,3), by a third of an angle (Smith 1961), to 1e-8 of it where two are equal.

    LAPACK would do as well, but numba loads scipy's for it at every start.
    """
    middle = (S[0, 0] + S[1, 1] + S[2, 2]) / 3.0
    a, b, c = S[0, 0] - middle, S[1, 1] - middle, S[2, 2] - middle
    x, y, z = S[1, 2], S[0, 2], S[0, 1]
    spread = sqrt((a * a + b * b + c * c + 2.0 * (x * x + y * y + z * z)) / 6.0)
    if spread == 0.0:
        return middle
    half = 0.5 * (a * (b * c - x * x) - z * (z * c - x * y) + y * (z * x - b * y)) / spread / spread / spread
    return middle + 2.0 * spread * cos(acos(min(max(half, -1.0), 1.0)) / 3.0)


@inner
def scaled_entry(offset, diagonal, m, mu, i, j):
    """Entry i, j of D A_FF D, see friction_step: its symmetric part, for some problems from files are not symmetric."""
    a = 0.5 * (diagonal[offset + (i + 1) * m + j + 1] + diagonal[offset + (j + 1) * m + i + 1])
    return mu[i] * mu[j] * a


@kernel
def friction_step(offset, diagonal, m, mu):
    """Largest eigenvalue of D A_FF D for a contact of m rows with A_kk from diagonal[offset]; 0 without friction."""
    n = m - 1
    if n == 0:
        return 0.0
    ss = scaled_entry(offset, diagonal, m, mu, 0, 0)
    if n == 1:
        return ss
    tt, st = scaled_entry(offset, diagonal, m, mu, 1, 1), scaled_entry(offset, diagonal, m, mu, 0, 1)
    half = 0.5 * (ss - tt)
    flat = 0.5 * (ss + tt) + sqrt(half * half + st * st)
    if n == 2:
        return flat
    S = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            S[i, j] = scaled_entry(offset, diagonal, m, mu, i, j)
    if S[2, 2] == 0.0 and S[0, 2] == 0.0 and S[1, 2] == 0.0:
        return flat
    return largest_eigenvalue(S)


@kernel
def sliding_scale(mu):
    """Coefficient that turns a scaled slip velocity back to m/s; 1 where only torsion is left."""
    largest = max(mu[0], mu[1])
    return largest if largest > 0.0 else 1.0


@inner
def plain_residual(a_nn, eigenvalue, mu, lam, v):
    """contact_residual of three impulses lam and velocities v (tuples) under law 0, the ellipsoid, with friction both
    ways: the same sums without arrays take a tenth of the time. eigenvalue: see friction_step."""
    n, s, t = lam
    v_n, v_s, v_t = v
    if a_nn <= 0.0:
        return max(0.0, -v_n)
    r_n = 1.0 / a_nn
    normal = abs(n - max(0.0, n - r_n * v_n)) / r_n
    if eigenvalue <= 0.0:
        return normal
    r_y, radius, mu_s, mu_t = 1.0 / eigenvalue, max(0.0, n), mu[0], mu[1]
    y_s, y_t = s / mu_s, t / mu_t
    z_s, z_t = y_s - r_y * mu_s * v_s, y_t - r_y * mu_t * v_t
    square = z_s * z_s + z_t * z_t
    if square > radius * radius:
        scale = radius / sqrt(square)
        z_s, z_t = z_s * scale, z_t * scale
    return max(normal, sqrt((y_s - z_s) ** 2 + (y_t - z_t) ** 2) / (r_y * max(mu_s, mu_t)))


@kernel
def contact_residual(p, k, offset, diagonal, lam, v):
    """Natural map of contact k [m/s] from its impulses lam[:m] and velocities v[:m]; its block of A from `offset`."""
    a_nn, m, mu, y, z = diagonal[offset], p.row_start[k + 1] - p.row_start[k], p.mu[k], np.empty(3), np.empty(3)
    if a_nn <= 0.0:
        return max(0.0, -v[0])
    r_n = 1.0 / a_nn
    normal = abs(lam[0] - max(0.0, lam[0] - r_n * v[0])) / r_n
    eigenvalue = friction_step(offset, diagonal, m, mu)
    outside = 0.0
    for i in range(m - 1):
        if mu[i] > 0.0:
            y[i] = lam[i + 1] / mu[i]
        else:
            y[i] = 0.0
            # A row without friction carries no impulse; what it carries anyway is an error, in velocity.
            outside = max(outside, abs(lam[i + 1]) * diagonal[offset + (i + 1) * m + i + 1])
    if eigenvalue <= 0.0:
        return max(normal, outside)
    r_y = 1.0 / eigenvalue
    for i in range(m - 1):
        z[i] = y[i] - r_y * mu[i] * v[i + 1]
    project_friction(p.law[k], p.sides, max(0.0, lam[0]), z, m - 1)
    square = 0.0
    for i in range(m - 1):
        square += (y[i] - z[i]) ** 2
    return max(normal, outside, sqrt(square) / (r_y * sliding_scale(mu)))


@kernel
def bounded_residual(a, lower, upper, lam, v):
    """Natural map of one row with lower <= lambda <= upper [m/s]."""
    r = 1.0 / a if a > 0.0 else 1.0
    return abs(lam - min(max(lam - r * v, lower), upper)) / r


@kernel
def block_residual(p, k, offset, diagonal, lam, v):
    """Natural map of block k [m/s], see contact_residual."""
    kind = p.kind[k]
    if kind == 0:
        return contact_residual(p, k, offset, diagonal, lam, v)
    if kind == 1 or kind == 4:
        largest = 0.0
        for i in range(p.row_start[k + 1] - p.row_start[k]):
            largest = max(largest, abs(v[i]))
        return largest
    lower, upper = (0.0, np.inf) if kind == 2 else (p.bounds[k, 0], p.bounds[k, 1])
    return bounded_residual(diagonal[offset], lower, upper, lam[0], v[0])


@kernel
def natural_map(p, offset, diagonal, impulse, w, residual):
    """Natural map of every block [m/s]."""
    J, b, mu = p.J, p.b, p.mu
    v = np.zeros(16)
    for k in range(p.kind.size):
        first = p.row_start[k]
        m = p.row_start[k + 1] - first
        three = m == 3 and p.kind[k] == 0 and p.law[k] == 0 and p.compliance_offset[k] < 0
        if three and mu[k, 0] > 0.0 and mu[k, 1] > 0.0:
            lam = impulse[first], impulse[first + 1], impulse[first + 2]
            step = friction_step(offset[k], diagonal, m, mu[k])
            residual[k] = plain_residual(diagonal[offset[k]], step, mu[k], lam, three_velocities(J, k, b, first, w))
            continue
        block_velocity(p, k, impulse, w, v)
        residual[k] = block_residual(p, k, offset[k], diagonal, impulse[first:], v)


@kernel
def largest_residual(p, offset, diagonal, impulse, w, fill):
    """Largest natural map over blocks [m/s], inf if an impulse is not finite; `fill` adds W J^T impulse to w first."""
    total = 0.0
    for i in range(impulse.size):
        total += 0.0 * impulse[i]
    if total != 0.0:
        return np.inf
    residual = np.empty(p.kind.size)
    if fill:
        add_velocity_change(p, impulse, w)
    natural_map(p, offset, diagonal, impulse, w, residual)
    worst = 0.0
    for k in range(p.kind.size):
        if not residual[k] <= worst:
            worst = residual[k]
    return worst


@kernel
def violations(p, impulse, w, out):
    """Fill out (6,) with the largest violations, see residuals.Violations."""
    v, y, slip = np.zeros(16), np.zeros(3), np.zeros(3)
    for k in range(p.kind.size):
        first = p.row_start[k]
        m = p.row_start[k + 1] - first
        block_velocity(p, k, impulse, w, v)
        if p.kind[k] == 1 or p.kind[k] == 4:
            for i in range(m):
                out[5] = max(out[5], abs(v[i]))
            continue
        if p.kind[k] == 3:
            continue
        out[0] = max(out[0], -v[0])
        out[1] = max(out[1], abs(impulse[first] * v[0]))
        out[3] = max(out[3], -impulse[first])
        if p.kind[k] == 2:
            continue
        for i in range(m - 1):
            mu = p.mu[k, i]
            y[i] = impulse[first + i + 1] / mu if mu > 0.0 else 0.0
            slip[i] = mu * v[i + 1]
            if mu == 0.0:
                out[2] = max(out[2], abs(impulse[first + i + 1]))
        normal = max(0.0, impulse[first])
        out[2] = max(out[2], gauge(p.law[k], p.sides, y, m - 1) - normal)
        rate = normal * support(p.law[k], p.sides, slip, m - 1)
        for i in range(m - 1):
            rate += y[i] * slip[i]
        out[4] = max(out[4], rate)
