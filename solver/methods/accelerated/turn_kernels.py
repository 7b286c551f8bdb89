"""What is asked of the islands of a solve, how it ends, and when each of them gets Newton steps; see docs/theory.md."""

from math import ceil, inf
from typing import NamedTuple

import numpy as np

from ...jit import inner, kernel
from ..compact.accelerated_kernels import BEST, SWEEPS
from ..second_order.proximal_newton_kernels import FAILING, FAILURES, FIRST_STRENGTH, LEAST, STEPS, STRENGTH

# Sweeps between two decisions about an island.
GROUP = 50
# Sweeps that every island gets, whatever the effort; fewer will do where friction is given.
LEAST_SWEEPS, LEAST_GIVEN = 50, 25
# The first turn of sweeps: so many, and as many as this number of Newton steps costs. Newton steps from worse impulses
# wander: after 50 sweeps a sliding hopper of 500 contacts took 234 of them, after 400 sweeps two.
FIRST_SWEEPS, FIRST_STEPS = 100.0, 20.0
# Fewest Newton steps of a turn.
FEWEST = 4
# A turn that leaves less than this part of the residual is followed by another one of Newton steps.
LEAVES = 0.1
# How a solve ends, see Status: CONVERGED, ACCEPTABLE, at a limit.
CONVERGED, ACCEPTABLE, LIMITED = range(3)


class Limits(NamedTuple):
    """What the options say that islands' goals do not: sweeps at most, patience, whether friction is given."""

    max_iterations: int
    patience: int
    friction_given: bool


class Asked(NamedTuple):
    """What is asked of islands (I,): tolerance and acceptable [m/s], patience and most: sweeps until what is acceptable
    will do, and at all. Where only the tolerance will do they are the same."""

    tolerance: np.ndarray
    acceptable: np.ndarray
    patience: np.ndarray
    most: np.ndarray


class Aims(NamedTuple):
    """What ends the work on islands (I,) now: goal [m/s], limit: sweeps, Newton steps counted as those they cost."""

    goal: np.ndarray
    limit: np.ndarray


class Turns(NamedTuple):
    """Turns of Newton steps on islands (I,). due: sweeps after which the next one begins; cost: of a step in sweeps, 0
    before it is known; spent: steps done, in sweeps; strength of the next proximal step, 0 where the next turn begins
    anew; base (R,): scaled impulses that it goes on from."""

    due: np.ndarray
    cost: np.ndarray
    spent: np.ndarray
    strength: np.ndarray
    base: np.ndarray


@kernel
def asked_of_islands(size, first_block, goals, limits):
    """Asked of islands of size (I,) blocks, from the goals of their first_block (I,): four arrays over blocks."""
    tolerance, acceptable, patience, effort = goals
    count = size.size
    asked = Asked(np.empty(count), np.empty(count), np.empty(count, np.int64), np.empty(count, np.int64))
    least = LEAST_GIVEN if limits.friction_given else LEAST_SWEEPS
    for i in range(count):
        k, blocks = first_block[i], max(size[i], 1)
        most = limits.max_iterations
        if effort[k] > 0:
            most = min(most, max(least, effort[k] // blocks))
        exact = acceptable[k] <= tolerance[k]
        asked.tolerance[i], asked.acceptable[i] = tolerance[k], max(tolerance[k], acceptable[k])
        asked.most[i], asked.patience[i] = most, most if exact else min(most, max(GROUP, patience[k] // blocks))
    return asked


@kernel
def first_aims(asked):
    """Aims of a solve that begins: the tolerance, until patience is used up."""
    return Aims(asked.tolerance.copy(), asked.patience.astype(np.float64))


@kernel
def next_aims(asked, state, spent, aims):
    """Note in Aims which islands have used up their patience; returns whether any that is open may go on."""
    going = False
    for i in range(aims.goal.size):
        used = state[i, SWEEPS] + spent[i]
        if used >= asked.patience[i]:
            aims.goal[i], aims.limit[i] = asked.acceptable[i], asked.most[i]
        going = going or (state[i, BEST] > aims.goal[i] and used < asked.most[i])
    return going


@kernel
def ended(asked, state, aims):
    """How the solve ended: as its worst island."""
    how = CONVERGED
    for i in range(aims.goal.size):
        if not state[i, BEST] <= aims.goal[i]:
            return LIMITED
        if state[i, BEST] > asked.tolerance[i]:
            how = ACCEPTABLE
    return how


@kernel
def no_turns(islands, rows):
    """Turns of islands with so many rows, before the first one."""
    return Turns(
        np.full(islands, FIRST_SWEEPS), np.zeros(islands), np.zeros(islands), np.zeros(islands), np.zeros(rows)
    )


@kernel
def is_due(turns, i, state, goal):
    """Whether island i has a turn of Newton steps before it; state (8,) and goal [m/s] of the island."""
    return state[BEST] > goal and state[SWEEPS] >= turns.due[i]


@inner
def know_cost(turns, i, cost):
    """Note what a Newton step on island i costs in sweeps; the first turn waits until as many as FIRST_STEPS would."""
    turns.cost[i] = cost
    turns.due[i] = max(turns.due[i], FIRST_STEPS * cost)


@kernel
def length_of_turn(turns, i, state, aims):
    """Newton steps of the turn that is due on island i, of which one step's cost is known; 0: none is.

    As many as cost what was spent on the island so far; none where the work left does not allow as many.
    """
    if not is_due(turns, i, state, aims.goal[i]):
        return 0
    used, cost = state[SWEEPS] + turns.spent[i], turns.cost[i]
    steps = max(FEWEST, int(used / cost))
    return steps if steps * cost <= aims.limit[i] - used else 0


@kernel
def steps_of_turn(turns, i, state, aims, rows, best):
    """Newton steps of the turn on island i, which begins now; 0: none does. rows: its first and last row.

    They go on from where the last turn ended, unless that failed, else from the best impulses, best (R,).
    """
    steps = length_of_turn(turns, i, state, aims)
    if steps > 0 and turns.strength[i] == 0.0:
        turns.strength[i] = FIRST_STRENGTH
        turns.base[rows[0] : rows[1]] = best[rows[0] : rows[1]]
    return steps


@kernel
def end_turn(turns, i, state, goal, run):
    """Note a turn that ends with the state `run` of its proximal steps; returns whether another one follows."""
    before = state[BEST]
    state[BEST] = run[LEAST]
    turns.spent[i] += ceil(turns.cost[i] * run[STEPS])
    turns.strength[i] = 0.0 if run[FAILURES] >= FAILING else run[STRENGTH]
    follows = goal < run[LEAST] <= LEAVES * before
    if not follows and run[LEAST] > goal:
        turns.due[i] = state[SWEEPS] + turns.spent[i]
    return follows


@kernel
def too_large(turns, i):
    """Leave island i to the sweeps."""
    turns.due[i] = inf
