"""Measures of the two convex subproblems of staggered projections; their sweeps are in sweep_kernels.py."""

from math import sqrt

import numpy as np

from ...jit import kernel
from ...problems.problem_kernels import apply_change, block_velocity
from ..sweep_kernels import relax, relaxing


@kernel
def stage_residual(s, stage, impulse, w):
    """Natural map of one stage [m/s], largest over the Blocks `s`."""
    p, work, largest = s.p, relaxing(), 0.0
    for k in range(p.kind.size):
        m = p.row_start[k + 1] - p.row_start[k]
        kind = p.kind[k]
        block_velocity(p, k, impulse, w, work.v)
        if kind == 1 or kind == 4:
            for i in range(m):
                largest = max(largest, abs(work.v[i]))
            continue
        relax(s, k, stage, 1.0, impulse, work)
        change, r = work.change, s.r[k]
        if r[0] > 0.0:
            largest = max(largest, abs(change[0]) / r[0])
        if kind == 0 and r[1] > 0.0:
            square, mu = 0.0, 0.0
            for i in range(1, m):
                if p.mu[k, i - 1] > 0.0:
                    square += (change[i] / p.mu[k, i - 1]) ** 2
            for i in range(min(2, m - 1)):
                mu = max(mu, p.mu[k, i])
            largest = max(largest, sqrt(square) / (r[1] * (mu if mu > 0.0 else 1.0)))
    return largest


@kernel
def signorini_residual(p, impulse, w):
    """Equation (29): sum over contacts of |alpha_k v_nk| [J]."""
    v = np.zeros(16)
    total = 0.0
    for k in range(p.kind.size):
        if p.kind[k] == 0:
            block_velocity(p, k, impulse, w, v)
            total += abs(impulse[p.row_start[k]] * v[0])
    return total


@kernel
def friction_energies(p, friction, old_friction, dof_count):
    """Numerator and denominator of equation (28): |f^i - f^{i-1}|^2 and |f^{i-1}|^2 in the metric M^-1 [J].

    friction, old_friction (K,): impulses whose rows other than friction are 0.
    """
    change = friction - old_friction
    return kinetic_square(p, change, dof_count), kinetic_square(p, old_friction, dof_count)


@kernel
def kinetic_square(p, impulse, dof_count):
    """lambda^T J W J^T lambda [J]."""
    w, v = np.zeros(dof_count), np.zeros(16)
    for k in range(p.kind.size):
        apply_change(p, k, impulse[p.row_start[k] : p.row_start[k + 1]], w)
    total = 0.0
    for k in range(p.kind.size):
        first = p.row_start[k]
        block_velocity(p, k, impulse, w, v)
        for i in range(p.row_start[k + 1] - first):
            total += impulse[first + i] * (v[i] - p.b[first + i])
    return max(0.0, total)
