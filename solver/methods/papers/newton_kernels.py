"""Complementarity functions of the non-smooth Newton method (Macklin et al. 2019, section 4 and appendix A).

Everything is on the velocity level and in scaled friction rows lambda_F = D y, v_y = D v_F: the paper's mu
lambda_n becomes lambda_n, and an ellipse is a disk. With one coefficient the iterates are the paper's own.
"""

from math import sqrt

import numpy as np

from ...friction import ROWWISE, project_friction
from ...jit import kernel

# Without a clamp the denominator of W can vanish, far outside the cone.
TINY = 1e-300


@kernel
def unilateral(fischer, r, v, impulse, i, a, s, phi):
    """phi(v, r lambda) and its derivatives: Fischer-Burmeister (93)-(95) or minimum map (96)-(98)."""
    x = r * impulse
    if not fischer:
        active = v <= x
        a[i] = 1.0 if active else 0.0
        s[i] = 0.0 if active else r
        phi[i] = v if active else x
        return
    length = sqrt(v * v + x * x)
    phi[i] = v + x - length
    if length == 0.0:
        # Equations (26), (27).
        a[i], s[i] = 0.0, r
    else:
        a[i] = 1.0 - v / length
        s[i] = (1.0 - x / length) * r


@kernel
def friction_compliance(fischer, r, least, slip, size, limit):
    """W of equations (103)-(105) for |v_y| = slip, |y| = size and lambda_n = limit > 0.

    least: what the denominator may not fall below, as a part of lambda_n; the paper has none. The
    printed (102) and (104) have |D^T u|^2 where the derivation from (101) gives |D^T u|.
    """
    gap = r * (limit - size)
    if not fischer:
        return 0.0 if slip <= gap else (slip - gap) / limit
    length = sqrt(slip * slip + gap * gap)
    denominator = (slip + r * limit - length) / r
    return (length - gap) / max(denominator, least * limit, TINY)


@kernel
def friction_rows(fischer, r, least, limit, first, count, y, v, a, s, phi):
    """phi_f = v_y + W y of one friction group (36), its derivatives (37), (106); rows of inactive contacts are cut."""
    slip, size = 0.0, 0.0
    for i in range(first, first + count):
        slip += v[i] * v[i]
        size += y[i] * y[i]
    W = friction_compliance(fischer, r, least, sqrt(slip), sqrt(size), limit) if limit > 0.0 else 1.0
    for i in range(first, first + count):
        a[i] = 1.0 if limit > 0.0 else 0.0
        s[i] = W
        phi[i] = v[i] + W * y[i] if limit > 0.0 else y[i]


@kernel
def drive_row(fischer, r, least, lower, upper, y, v, i, a, s, phi, center):
    """One row with bounds: free, one-sided (a unilateral row, mirrored for an upper bound) or a friction row about its
    centre with a constant limit."""
    below, above = lower > -np.inf, upper < np.inf
    center[i] = 0.0
    if not below and not above:
        a[i], s[i], phi[i] = 1.0, 0.0, v[i]
    elif below and above:
        center[i] = 0.5 * (lower + upper)
        y[i] -= center[i]
        friction_rows(fischer, r, least, 0.5 * (upper - lower), i, 1, y, v, a, s, phi)
        y[i] += center[i]
    else:
        sign = 1.0 if below else -1.0
        center[i] = lower if below else upper
        unilateral(fischer, r, sign * v[i], sign * (y[i] - center[i]), i, a, s, phi)
        phi[i] *= sign


@kernel
def newton_terms(p, d, fischer, r, least, y, v, a, s, phi, center):
    """Fill the rows of the Newton system at impulses y and velocities v, both scaled by d (K,).

    a : derivative of phi to v; s : derivative to y; phi : value [m/s]; center : impulse that a = 0 stands for.
    """
    for k in range(p.kind.size):
        first = p.row_start[k]
        m = p.row_start[k + 1] - first
        kind = p.kind[k]
        for i in range(first, first + m):
            a[i], s[i], phi[i], center[i] = 1.0, 0.0, v[i], 0.0
        if kind == 0:
            limit = max(0.0, y[first])
            unilateral(fischer, r[first], v[first], y[first], first, a, s, phi)
            if ROWWISE[p.law[k]]:
                for i in range(first + 1, first + m):
                    friction_rows(fischer, r[i], least, limit, i, 1, y, v, a, s, phi)
            elif m > 1:
                friction_rows(fischer, r[first + 1], least, limit, first + 1, m - 1, y, v, a, s, phi)
            for i in range(first + 1, first + m):
                if d[i] == 0.0:
                    a[i], s[i], phi[i] = 0.0, 1.0, y[i]
        elif kind == 2:
            unilateral(fischer, r[first], v[first], y[first], first, a, s, phi)
        elif kind == 3:
            drive_row(fischer, r[first], least, p.bounds[k, 0], p.bounds[k, 1], y, v, first, a, s, phi, center)


@kernel
def project_impulses(p, impulse):
    """Move every impulse (K,) to the closest admissible one: normals >= 0, friction in its set, drives in bounds."""
    y = np.empty(3)
    for k in range(p.kind.size):
        first = p.row_start[k]
        m = p.row_start[k + 1] - first
        if p.kind[k] == 0:
            impulse[first] = max(0.0, impulse[first])
            for i in range(m - 1):
                mu = p.mu[k, i]
                y[i] = impulse[first + i + 1] / mu if mu > 0.0 else 0.0
            project_friction(p.law[k], p.sides, impulse[first], y, m - 1)
            for i in range(m - 1):
                impulse[first + i + 1] = p.mu[k, i] * y[i]
        elif p.kind[k] == 2:
            impulse[first] = max(0.0, impulse[first])
        elif p.kind[k] == 3:
            impulse[first] = min(max(impulse[first], p.bounds[k, 0]), p.bounds[k, 1])


@kernel
def gauss_seidel_rows(indptr, indices, data, rhs, x, count):
    """`count` Gauss-Seidel sweeps on the CSR system M x = rhs; rows without a diagonal are left alone."""
    for _ in range(count):
        for i in range(rhs.size):
            total, pivot = rhs[i], 0.0
            for k in range(indptr[i], indptr[i + 1]):
                if indices[k] == i:
                    pivot = data[k]
                else:
                    total -= data[k] * x[indices[k]]
            if pivot > 0.0:
                x[i] = total / pivot
