"""Complementarity functions of the non-smooth Newton method (Macklin et al. 2019, section 4 and appendix A).

Everything is on the velocity level and in scaled friction rows lambda_F = D y, v_y = D v_F: the paper's mu
lambda_n becomes lambda_n, and an ellipse is a disk. With one coefficient the iterates are the paper's own.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from ...friction import ROWWISE, project_friction
from ...jit import inner, kernel


class System(NamedTuple):
    """Rows of the Newton system (K,): a, derivative of phi by v; s, derivative by y; phi, value [m/s]; center, the
    impulse that a = 0 stands for [N s]."""

    a: np.ndarray
    s: np.ndarray
    phi: np.ndarray
    center: np.ndarray


class Functions(NamedTuple):
    """Complementarity functions: Fischer-Burmeister, else the minimum map; least: see friction_compliance."""

    fischer: bool
    least: float


@kernel
def unilateral(fischer, r, v, impulse):
    """(derivative by v, derivative by the impulse, value) of phi(v, r lambda): Fischer-Burmeister (93)-(95) or minimum
    map (96)-(98)."""
    x = r * impulse
    if not fischer:
        return (1.0, 0.0, v) if v <= x else (0.0, r, x)
    length = sqrt(v * v + x * x)
    if length == 0.0:
        # Equations (26), (27).
        return 0.0, r, v + x - length
    return 1.0 - v / length, (1.0 - x / length) * r, v + x - length


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
    # Without a clamp the denominator can vanish, far outside the cone.
    return (length - gap) / max(denominator, least * limit, 1e-300)


@inner
def friction_rows(how, r, limit, rows, y, v, out):
    """phi_f = v_y + W y of the friction group of these rows, first and behind the last (36), its derivatives (37),
    (106); rows of inactive contacts are cut."""
    slip, size = 0.0, 0.0
    for i in range(rows[0], rows[1]):
        slip += v[i] * v[i]
        size += y[i] * y[i]
    W = friction_compliance(how.fischer, r, how.least, sqrt(slip), sqrt(size), limit) if limit > 0.0 else 1.0
    for i in range(rows[0], rows[1]):
        out.a[i] = 1.0 if limit > 0.0 else 0.0
        out.s[i] = W
        out.phi[i] = v[i] + W * y[i] if limit > 0.0 else y[i]


@inner
def drive_row(how, r, bounds, i, y, v, out):
    """One row with bounds: free, one-sided (a unilateral row, mirrored for an upper bound) or a friction row about its
    centre with a constant limit."""
    lower, upper = bounds[0], bounds[1]
    below, above = lower > -np.inf, upper < np.inf
    if below and above:
        out.center[i] = 0.5 * (lower + upper)
        y[i] -= out.center[i]
        friction_rows(how, r, 0.5 * (upper - lower), (i, i + 1), y, v, out)
        y[i] += out.center[i]
    elif below or above:
        sign = 1.0 if below else -1.0
        out.center[i] = lower if below else upper
        out.a[i], out.s[i], out.phi[i] = unilateral(how.fischer, r, sign * v[i], sign * (y[i] - out.center[i]))
        out.phi[i] *= sign


@kernel
def newton_terms(p, d, how, r, y, v, out):
    """Fill the System `out` at impulses y and velocities v, both scaled by d (K,), with Functions `how`."""
    for k in range(p.kind.size):
        first, last, kind = p.row_start[k], p.row_start[k + 1], p.kind[k]
        for i in range(first, last):
            out.a[i], out.s[i], out.phi[i], out.center[i] = 1.0, 0.0, v[i], 0.0
        if kind == 0 or kind == 2:
            out.a[first], out.s[first], out.phi[first] = unilateral(how.fischer, r[first], v[first], y[first])
        if kind == 3:
            drive_row(how, r[first], p.bounds[k], first, y, v, out)
        if kind != 0:
            continue
        limit = max(0.0, y[first])
        if ROWWISE[p.law[k]]:
            for i in range(first + 1, last):
                friction_rows(how, r[i], limit, (i, i + 1), y, v, out)
        elif last - first > 1:
            friction_rows(how, r[first + 1], limit, (first + 1, last), y, v, out)
        for i in range(first + 1, last):
            if d[i] == 0.0:
                out.a[i], out.s[i], out.phi[i] = 0.0, 1.0, y[i]


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
