"""The loops of the proximal-point Newton method on one island of a Compact problem."""

from ..jit import kernel
from .block_lu_kernels import factorise, solve
from .compact_kernels import grade
from .proximal_kernels import assemble, body_velocity, evaluate, largest_velocity

# Entries of the control array of an island.
STRENGTH, LEAST, NEWTON_STEPS, FAILURES = range(4)
WEAKEST, STRONGEST = 0.1, 1e8


@kernel
def newton_direction(c, span, pattern, factors, K, F, dx):
    """dx = -(I + J~^T K J~)^-1 F on the nodes of the span; False where a pivot is singular."""
    n0, n1 = span[2], span[3]
    D, L, U, swap = factors.D, factors.L, factors.U, factors.swap
    assemble(c, span, pattern.place, pattern.slot, K, D, L, U)
    if not factorise(pattern.indptr, pattern.rows, D, L, U, swap):
        return False
    x = dx[: n1 - n0]
    for i in range(n1 - n0):
        for j in range(6):
            x[pattern.place[i], j] = -F[n0 + i, j]
    solve(pattern.indptr, pattern.rows, D, L, U, swap, x)
    return True


@kernel
def move(w, dx, place, span, t, trial):
    """trial = w + t dx on the nodes of the span; dx is in elimination order."""
    n0 = span[2]
    for i in range(span[3] - n0):
        for j in range(6):
            trial[n0 + i, j] = w[n0 + i, j] + t * dx[place[i], j]


@kernel
def inner_newton(c, span, pattern, factors, strength, goal, limit, base, work, scratch):
    """Solve one proximal step; work.lam gets its impulses. Returns (converged, Newton steps).

    It has converged when impulses and body velocities disagree by little against the step itself, or the goal [m/s].
    """
    square, mismatch = evaluate(c, span, strength, base, work.w, work.lam, work.K, work.F, work.v, scratch)
    slow = 0
    for step in range(limit):
        if not newton_direction(c, span, pattern, factors, work.K, work.F, work.dx):
            return False, step + 1
        t, before = 1.0, square
        for _ in range(7):
            move(work.w, work.dx, pattern.place, span, t, work.trial)
            square, mismatch = evaluate(c, span, strength, base, work.trial, work.lam, work.K, work.F, work.v, scratch)
            if square < before:
                break
            t *= 0.5
        if not square < 1e300:
            return False, step + 1
        move(work.w, work.dx, pattern.place, span, t, work.w)
        if square > 0.25 * before:
            slow += 1
        if largest_velocity(c, span, work.F) <= max(0.05 * mismatch, 0.1 * goal):
            return True, step + 1
        if slow >= 4:
            return False, step + 1
    return False, limit


@kernel
def proximal_newton(c, span, pattern, factors, goal, steps, control, base, best, work, scratch, y):
    """Proximal steps until the judge's residual is at most `goal` [m/s] or about `steps` Newton steps are done.

    base (R,) holds the impulses of the last proximal step that counted, best those with the least residual. The
    strength of the proximal term follows the success of the inner iterations. Returns True at the goal.
    """
    row0, row1 = c.row[span[0]], c.row[span[1]]
    done = 0
    while done < steps and control[LEAST] > goal:
        body_velocity(c, span, base, work.w)
        ok, used = inner_newton(c, span, pattern, factors, control[STRENGTH], goal, 12, base, work, scratch)
        done += used
        control[NEWTON_STEPS] += used
        residual = 1e300
        if ok:
            body_velocity(c, span, work.lam, work.w)
            residual = grade(c, span[0], span[1], work.lam, work.w, work.v, y)
        if residual < control[LEAST]:
            control[LEAST] = residual
            for i in range(row0, row1):
                best[i] = work.lam[i]
        if residual <= 5.0 * control[LEAST]:
            control[FAILURES] = 0.0
            for i in range(row0, row1):
                base[i] = work.lam[i]
            factor = 5.0 if used <= 3 else (2.0 if used <= 5 else 1.0)
            control[STRENGTH] = min(STRONGEST, factor * control[STRENGTH])
        else:
            control[FAILURES] += 1.0
            control[STRENGTH] = max(WEAKEST, 0.25 * control[STRENGTH])
    return control[LEAST] <= goal
