"""The loops of the proximal-point Newton method on one island of a Compact problem."""

from typing import NamedTuple

import numpy as np

from ...jit import inner, kernel
from ..compact.part_sweep_kernels import grade
from .block_lu_kernels import Factors, Pattern, factorise, solve
from .law_kernels import evaluate_mixed
from .proximal_kernels import (
    assemble,
    assemble_dual,
    body_velocity,
    evaluate_plain,
    largest_velocity,
    start_velocities,
)

# Bounds of the strength, and Newton steps one proximal step may take.
WEAKEST, STRONGEST = 0.1, 1e8
NEWTON_LIMIT = 12
# Strength of the first proximal step.
FIRST_STRENGTH = 1e3
# What a Newton step costs in contacts swept once (35 ns): for each contact, for each block product of the
# factorisation, and for each node.
CONTACT_COST, PRODUCT_COST, NODE_COST = 4.0, 1.0, 14.0
# Proximal steps that may fail one after the other.
FAILING = 8
# Columns of the state of a run: least residual so far [m/s]; strength rho A of the proximal term [1], and what it may
# not pass; Newton steps done; failures since the last proximal step that counted.
LEAST, STRENGTH, CEILING, STEPS, FAILURES = range(5)
# How proximal steps end: at the goal, at a limit or where they lead nowhere, or as many as were asked for are made.
AT_GOAL, AT_END, MADE = range(3)


class Island(NamedTuple):
    """One island, ready for factorisations: its range of blocks and nodes, its first and last row, the pattern of its
    matrix and room for the factors, and what a Newton step costs in sweeps."""

    span: tuple
    rows: tuple
    pattern: Pattern
    factors: Factors
    cost: float


class NewtonWork(NamedTuple):
    """Changing arrays of the Newton iteration (R rows, B blocks, n nodes and one for none).

    w: changes of the body velocities from those of base; start (R+1,): row velocities there; change (R,) of impulses.
    base (R,): impulses of the last proximal step that was solved; best (R,): those with the least residual.
    """

    lam: np.ndarray
    w: np.ndarray
    trial: np.ndarray
    K: np.ndarray
    F: np.ndarray
    dx: np.ndarray
    v: np.ndarray
    start: np.ndarray
    change: np.ndarray
    base: np.ndarray
    best: np.ndarray


@kernel
def newton_work(blocks, nodes, base, best):
    """NewtonWork for so many blocks and nodes, with the one for none."""
    rows = base.size
    return NewtonWork(
        np.zeros(rows), np.zeros((nodes, 6)), np.zeros((nodes, 6)), np.zeros((blocks, 36)), np.zeros((nodes, 6)),
        np.zeros((nodes, 6)), np.zeros(rows), np.zeros(rows + 1), np.zeros(rows), base, best,
    )  # fmt: skip


@kernel
def newton_cost(work, blocks, nodes):
    """Cost of a Newton step in sweeps over an island of so many blocks and nodes; work: see factor_work."""
    return (PRODUCT_COST * work + NODE_COST * nodes) / max(1, blocks) + CONTACT_COST


@kernel
def begun(residual, strength):
    """State of a run from impulses with a residual [m/s]."""
    state = np.zeros(FAILURES + 1)
    state[LEAST], state[STRENGTH], state[CEILING] = residual, strength, STRONGEST
    return state


@kernel
def newton_direction(c, island, work, dual):
    """work.dx = -(I + J~^T K J~)^-1 F in elimination order; False where a pivot is singular."""
    span, pattern, factors, dx = island.span, island.pattern, island.factors, work.dx
    n0, n1 = span[2], span[3]
    if dual is None:
        assemble(c, span, pattern.place, pattern.slot, work.K, factors.D, factors.L, factors.U)
    else:
        assemble_dual(c, dual, pattern.place, work.K, factors.D, factors.L, factors.U)
    if not factorise(pattern.indptr, pattern.rows, factors.D, factors.L, factors.U, factors.swap):
        return False
    for i in range(n1 - n0):
        for j in range(6):
            dx[pattern.place[i], j] = -work.F[n0 + i, j]
    solve(pattern.indptr, pattern.rows, factors.D, factors.L, factors.U, factors.swap, dx)
    return True


@inner
def evaluate(c, span, strength, work, scratch, dual):
    """What evaluate_plain and evaluate_mixed return at the change of body velocities work.trial."""
    if scratch is None:
        return evaluate_plain(c, span, strength, work, dual)
    else:
        return evaluate_mixed(c, span, strength, work, scratch, dual)


@kernel
def inner_newton(c, island, strength, goal, work, scratch, dual):
    """Solve one proximal step from work.base; work.lam gets its impulses, work.w its change of body velocities.

    Returns (converged, Newton steps). It has converged when impulses and body velocities disagree by little against
    the step itself, or the goal [m/s]; it gives up after four steps that hardly help.
    """
    span, place = island.span, island.pattern.place
    n0, n1 = span[2], span[3]
    body_velocity(c, span, work.base, work.w, dual)
    start_velocities(c, span, work.w, work.start)
    for i in range(n0, n1):
        for j in range(6):
            work.w[i, j] = 0.0
    before, step, halvings, slow, t = 0.0, 0, 0, 0, 0.0
    while True:
        # One place to evaluate: at the start with t = 0, then at w + t dx.
        for i in range(n0, n1):
            for j in range(6):
                work.trial[i, j] = work.w[i, j] + (t * work.dx[place[i - n0], j] if t > 0.0 else 0.0)
        square, mismatch = evaluate(c, span, strength, work, scratch, dual)
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
            if slow >= 4 or step >= NEWTON_LIMIT:
                return False, step
            for i in range(n0, n1):
                for j in range(6):
                    work.w[i, j] = work.trial[i, j]
        step += 1
        if not newton_direction(c, island, work, dual):
            return False, step
        before, halvings, t = square, 0, 1.0


@inner
def proximal_step(c, island, goal, state, work, scratch, dual):
    """One proximal step on an island, about three Newton steps; see ProximalNewton.run."""
    span, (row0, row1) = island.span, island.rows
    solved, used = inner_newton(c, island, state[STRENGTH], goal, work, scratch, dual)
    state[STEPS] += used
    residual = np.inf
    if solved:
        body_velocity(c, span, work.lam, work.w, dual)
        residual = grade(c, span[0], span[1], work.lam, work.w, work.v, scratch)
    if residual < state[LEAST]:
        state[LEAST] = residual
        work.best[row0:row1] = work.lam[row0:row1]
    if residual < np.inf:
        state[FAILURES] = 0.0
        work.base[row0:row1] = work.lam[row0:row1]
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
def proximal_steps(c, island, aim, state, work, scratch, dual):
    """Proximal steps until the residual is at the goal, too many failed, or enough Newton or proximal steps are made;
    aim: goal [m/s], how many of either. Returns AT_GOAL, AT_END or MADE; see ProximalNewton.run."""
    goal, steps, most = aim
    for _ in range(most):
        if state[FAILURES] >= FAILING or state[STEPS] >= steps:
            return AT_END
        proximal_step(c, island, goal, state, work, scratch, dual)
        if state[LEAST] <= goal:
            return AT_GOAL
    return MADE
