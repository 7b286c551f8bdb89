"""The loops of the proximal-point Newton method on one island of a Compact problem."""

from typing import NamedTuple

import numpy as np

from ...jit import inner, kernel
from ..compact.part_sweep_kernels import grade
from .block_lu_kernels import factorise, solve
from .law_kernels import evaluate_mixed
from .proximal_kernels import assemble, assemble_dual, body_velocity, evaluate_plain, largest_velocity

# Bounds of the strength, and Newton steps one proximal step may take.
WEAKEST, STRONGEST = 0.1, 1e8
NEWTON_LIMIT = 12
# Strength of the first proximal step.
FIRST_STRENGTH = 1e3
# Newton steps before the interior point gets a turn, four times as many each turn: at most, and where they neither get
# ten times better nor leave the neighbourhood of the best impulses.
PROXIMAL_STEPS, PATIENCE = 4000, 60
# Proximal steps that may fail one after the other.
FAILING = 8
# Columns of the state of a run, see proximal_newton.ProximalState.
LEAST, PRESENT, STRENGTH, CEILING, STEPS, FAILURES, MARK, SINCE = range(8)
# How proximal steps end: at the goal, at a limit or where they lead nowhere, or as many as were asked for are made.
AT_GOAL, AT_END, MADE = range(3)


class NewtonWork(NamedTuple):
    """Changing arrays of the Newton iteration (R rows, B blocks, n nodes and one for none)."""

    lam: np.ndarray
    w: np.ndarray
    trial: np.ndarray
    K: np.ndarray
    F: np.ndarray
    dx: np.ndarray
    v: np.ndarray


@inner
def newton_work(rows, blocks, nodes):
    """NewtonWork for `nodes` nodes, with the one for none."""
    return NewtonWork(
        np.zeros(rows), np.zeros((nodes, 6)), np.zeros((nodes, 6)), np.zeros((blocks, 36)), np.zeros((nodes, 6)),
        np.zeros((nodes, 6)), np.zeros(rows),
    )  # fmt: skip


@kernel
def begun(residual, strength):
    """State of a run from impulses with a residual [m/s]."""
    state = np.zeros(SINCE + 1)
    state[LEAST], state[PRESENT], state[STRENGTH] = residual, np.inf, strength
    state[CEILING], state[MARK] = STRONGEST, residual
    return state


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


@inner
def proximal_step(c, span, pattern, factors, goal, state, base, best, work, scratch, dual):
    """One proximal step on an island, about three Newton steps; see ProximalNewton.run."""
    row0, row1 = c.row[span[0]], c.row[span[1]]
    body_velocity(c, span, base, work.w, dual)
    solved, used = inner_newton(c, span, pattern, factors, state[STRENGTH], goal, NEWTON_LIMIT, base, work, scratch,
                                dual)  # fmt: skip
    state[STEPS] += used
    residual = np.inf
    if solved:
        body_velocity(c, span, work.lam, work.w, dual)
        residual = grade(c, span[0], span[1], work.lam, work.w, work.v, scratch)
    if residual < state[LEAST]:
        state[LEAST] = residual
        best[row0:row1] = work.lam[row0:row1]
    if residual < np.inf:
        state[FAILURES], state[PRESENT] = 0.0, residual
        base[row0:row1] = work.lam[row0:row1]
        factor = 5.0 if used <= 3 else (2.0 if used <= 5 else 1.0)
        state[STRENGTH] = min(STRONGEST, min(state[CEILING], factor * state[STRENGTH]))
        # Short Newton iterations show that the failure is behind: do not creep up.
        state[CEILING] *= 4.0 if used <= 2 else 1.3
    else:
        state[FAILURES] += 1.0
        # Not up to here again soon: a failure costs as much as two steps that count.
        state[CEILING] = 0.5 * state[STRENGTH]
        state[STRENGTH] = max(WEAKEST, 0.25 * state[STRENGTH])


@kernel
def proximal_steps(c, span, pattern, factors, goal, steps, patience, most, state, base, best, work, scratch, dual):
    """Up to `most` proximal steps, see ProximalNewton.run; returns AT_GOAL, AT_END or MADE."""
    for _ in range(most):
        if state[FAILURES] >= FAILING or state[STEPS] >= steps:
            return AT_END
        proximal_step(c, span, pattern, factors, goal, state, base, best, work, scratch, dual)
        if state[LEAST] <= goal:
            return AT_GOAL
        if state[LEAST] < 0.1 * state[MARK] or state[PRESENT] > 2.0 * state[LEAST]:
            state[MARK], state[SINCE] = state[LEAST], state[STEPS]
        elif state[STEPS] - state[SINCE] >= patience:
            return AT_END
    return MADE
