"""The loop of the proximal-point Newton method on one island of a Compact problem."""

from ...jit import kernel
from .block_lu_kernels import factorise, solve
from .law_kernels import evaluate_mixed
from .proximal_kernels import assemble, assemble_dual, evaluate_plain, largest_velocity


@kernel
def newton_direction(c, span, pattern, factors, K, F, dx, dual):
    """dx = -(I + J~^T K J~)^-1 F in elimination order; False where a pivot is singular."""
    n0, n1 = span[2], span[3]
    if dual is None:
        assemble(c, span, pattern.place, pattern.slot, K, factors.D, factors.L, factors.U)
    else:
        assemble_dual(c, dual, pattern.place, K, factors.D, factors.L, factors.U)
    if not factorise(pattern.indptr, pattern.rows, factors.D, factors.L, factors.U, factors.swap):
        return False
    for i in range(n1 - n0):
        for j in range(6):
            dx[pattern.place[i], j] = -F[n0 + i, j]
    solve(pattern.indptr, pattern.rows, factors.D, factors.L, factors.U, factors.swap, dx)
    return True


@kernel
def inner_newton(c, span, pattern, factors, strength, goal, limit, base, work, scratch, dual):
    """Solve one proximal step from the body velocities work.w; work.lam gets its impulses.

    Returns (converged, Newton steps). It has converged when impulses and body velocities disagree by little against
    the step itself, or the goal [m/s]; it gives up after four steps that hardly help.
    """
    n0, n1 = span[2], span[3]
    before, step, halvings, slow, t = 0.0, 0, 0, 0, 0.0
    while True:
        # One place to evaluate: at the start with t = 0, then at w + t dx.
        for i in range(n0, n1):
            for j in range(6):
                work.trial[i, j] = work.w[i, j] + (t * work.dx[pattern.place[i - n0], j] if t > 0.0 else 0.0)
        if scratch is None:
            square, mismatch = evaluate_plain(c, span, strength, base, work.trial, work.lam, work.K, work.F, work.v,
                                            dual)  # fmt: skip
        else:
            square, mismatch = evaluate_mixed(c, span, strength, base, work.trial, work.lam, work.K, work.F, work.v,
                                              scratch, dual)  # fmt: skip
        if t > 0.0:
            if not square < before and halvings < 6:
                halvings += 1
                t *= 0.5
                continue
            if not square < 1e300:
                return False, step
            if square > 0.25 * before:
                slow += 1
            if largest_velocity(c, span, work.F) <= max(0.05 * mismatch, 0.1 * goal):
                return True, step
            if slow >= 4 or step >= limit:
                return False, step
            for i in range(n0, n1):
                for j in range(6):
                    work.w[i, j] = work.trial[i, j]
        step += 1
        if not newton_direction(c, span, pattern, factors, work.K, work.F, work.dx, dual):
            return False, step
        before, halvings, t = square, 0, 1.0
