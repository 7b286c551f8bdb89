"""The loop of the interior-point method on one island of a Compact problem."""

from ..jit import kernel
from .block_lu_kernels import factorise
from .compact_kernels import grade
from .interior_kernels import (
    advance_inside,
    block_direction,
    body_direction,
    local_matrix,
    local_target,
    mean_product,
    velocities,
)
from .proximal_kernels import assemble, body_velocity

# Entries of the control array of an island.
LEAST, STEPS, DAMPING, SHORT = range(4)


@kernel
def targets(c, span, damping, mu_n, mu_f, work, x):
    """Fill work.a for the products wanted."""
    for q in range(span[0], span[1]):
        local_target(c, q, damping, mu_n[q], mu_f[q], work.lam, work.u, work.s, work.v, work.K, work.T, work.a, x)


@kernel
def direction(c, span, pattern, factors, damping, work, x):
    """One direction for the products in work.mu_n, work.mu_f; returns the longest step that stays inside."""
    targets(c, span, damping, work.mu_n, work.mu_f, work, x)
    body_direction(c, span, pattern, factors, work.a, work.dw, work.x)
    return block_direction(c, span, damping, work.mu_n, work.mu_f, work.lam, work.u, work.s, work.v, work.K, work.a,
                           work.dw, work.dlam, work.du, work.ds, work.dc, work.bend)  # fmt: skip


@kernel
def set_targets(span, mu, work):
    """The same product for every block."""
    for q in range(span[0], span[1]):
        work.mu_n[q] = mu
        work.mu_f[q] = mu


@kernel
def correct_targets(row, span, mu, t, work):
    """Product mu for every block, less the second-order part that a predictor step of length t would leave."""
    for q in range(span[0], span[1]):
        work.mu_n[q] = mu - t * t * min(max(work.du[q] * work.dlam[row[q]], -mu), mu)
        work.mu_f[q] = mu - t * t * min(max(work.ds[q] * work.dc[q], -mu), mu)


@kernel
def interior_point(c, span, pattern, factors, goal, steps, control, best, work, scratch, y):
    """Up to `steps` interior-point steps, or until the judge's residual is at most `goal` [m/s]; True at the goal.

    Mehrotra's predictor chooses how far to lower the barrier. Where steps get short (the central path of a
    non-associated law can fold back), a proximal term damps the step until the iterate has moved to where the path
    goes on.
    """
    A, x = scratch[3], scratch[0]
    row0, row1 = c.row[span[0]], c.row[span[1]]
    body_velocity(c, span, work.lam, work.w)
    for _ in range(steps):
        if control[LEAST] <= goal or control[SHORT] > 12.0:
            break
        velocities(c, span, work.w, work.v)
        damping = control[DAMPING]
        for q in range(span[0], span[1]):
            local_matrix(c, q, damping, work.lam, work.u, work.s, work.K, work.T, A, x)
        assemble(c, span, pattern.place, pattern.slot, work.K, factors.D, factors.L, factors.U)
        control[STEPS] += 1.0
        if not factorise(pattern.indptr, pattern.rows, factors.D, factors.L, factors.U, factors.swap):
            control[SHORT] = 99.0
            break
        mu = mean_product(c, span, 0.0, work.lam, work.u, work.s, work.dlam, work.du, work.ds, work.dc, work.bend)
        set_targets(span, 0.0, work)
        t = min(1.0, direction(c, span, pattern, factors, damping, work, x))
        after = mean_product(c, span, t, work.lam, work.u, work.s, work.dlam, work.du, work.ds, work.dc, work.bend)
        sigma = min(1.0, max((max(after, 0.0) / mu) ** 2, 1e-4))
        if t < 0.1:
            sigma = max(sigma, 0.5)
        correct_targets(c.row, span, sigma * mu, t, work)
        t = min(1.0, 0.9 * direction(c, span, pattern, factors, damping, work, x))
        if not t > 0.0:
            control[SHORT] = 99.0
            break
        advance_inside(c, span, t, work.lam, work.u, work.s, work.dlam, work.du, work.ds, work.dc, work.bend)
        body_velocity(c, span, work.lam, work.w)
        control[SHORT] = control[SHORT] + 1.0 if t < 0.02 else 0.0
        if t < 0.1:
            control[DAMPING] = min(max(4.0 * damping, 1e-4), 1.0)
        elif t > 0.3:
            control[DAMPING] = 0.25 * damping if damping > 1e-6 else 0.0
        residual = grade(c, span[0], span[1], work.lam, work.w, work.v, y)
        if residual < control[LEAST]:
            control[LEAST] = residual
            for i in range(row0, row1):
                best[i] = work.lam[i]
    return control[LEAST] <= goal
