"""Sweeps of the two convex subproblems of staggered projections (Kaufman et al. 2008, equations 24 and 25).

CONTACT stage: normal impulses, limits and drives move, friction stands still. FRICTION stage: friction moves
inside the set of the standing normal impulse. Joints and elements move in both, which makes both projections
orthogonal in the metric of the jointed bodies.
"""

from math import sqrt

import numpy as np

from ...friction import project_friction
from ...jit import kernel
from ...problems.problem_kernels import apply_change, block_velocity
from ..sweep_kernels import relax_block

CONTACT_STAGE, FRICTION_STAGE = 2, 3


@kernel
def friction_change(p, k, r_y, impulse, v, change):
    """Step of the friction rows of contact k against the standing normal impulse; fills change[:m]."""
    first = p.row_start[k]
    m = p.row_start[k + 1] - first
    y = np.empty(3)
    change[0] = 0.0
    for i in range(m - 1):
        mu = p.mu[k, i]
        y[i] = impulse[first + i + 1] / mu - r_y * mu * v[i + 1] if mu > 0.0 else 0.0
    project_friction(p.law[k], p.sides, max(0.0, impulse[first]), y, m - 1)
    for i in range(m - 1):
        change[i + 1] = p.mu[k, i] * y[i] - impulse[first + i + 1]


@kernel
def stage_change(p, k, r, offset, diagonal, stage, impulse, v, change, A):
    """Change of the impulses of block k in one step of a stage from its velocities v; fills change[:m]."""
    first = p.row_start[k]
    m = p.row_start[k + 1] - first
    kind = p.kind[k]
    if kind == 0 and stage == CONTACT_STAGE:
        for i in range(1, m):
            change[i] = 0.0
        change[0] = max(0.0, impulse[first] - r[k, 0] * v[0]) - impulse[first]
    elif kind == 0:
        friction_change(p, k, r[k, 1], impulse, v, change)
    elif stage == FRICTION_STAGE and (kind == 2 or kind == 3):
        change[0] = 0.0
    else:
        relax_block(p, k, r, offset, diagonal, impulse, v, 1.0, change, A)


@kernel
def stage_sweep(p, r, offset, diagonal, stage, impulse, w):
    """Relax every block of one stage once, in order; impulse (K,) and w (N,) in place, w = W J^T impulse holds."""
    v, change, A = np.zeros(16), np.zeros(16), np.zeros((16, 16))
    for k in range(p.kind.size):
        first = p.row_start[k]
        block_velocity(p, k, impulse, w, v)
        stage_change(p, k, r, offset, diagonal, stage, impulse, v, change, A)
        for i in range(p.row_start[k + 1] - first):
            impulse[first + i] += change[i]
        apply_change(p, k, change, w)


@kernel
def stage_residual(p, r, offset, diagonal, stage, impulse, w):
    """Natural map of one stage [m/s], largest over blocks."""
    v, change, A = np.zeros(16), np.zeros(16), np.zeros((16, 16))
    largest = 0.0
    for k in range(p.kind.size):
        m = p.row_start[k + 1] - p.row_start[k]
        kind = p.kind[k]
        block_velocity(p, k, impulse, w, v)
        if kind == 1 or kind == 4:
            for i in range(m):
                largest = max(largest, abs(v[i]))
            continue
        stage_change(p, k, r, offset, diagonal, stage, impulse, v, change, A)
        if r[k, 0] > 0.0:
            largest = max(largest, abs(change[0]) / r[k, 0])
        if kind == 0 and r[k, 1] > 0.0:
            square, mu = 0.0, 0.0
            for i in range(1, m):
                if p.mu[k, i - 1] > 0.0:
                    square += (change[i] / p.mu[k, i - 1]) ** 2
            for i in range(min(2, m - 1)):
                mu = max(mu, p.mu[k, i])
            largest = max(largest, sqrt(square) / (r[k, 1] * (mu if mu > 0.0 else 1.0)))
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
