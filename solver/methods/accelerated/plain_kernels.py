"""A solve of plain contacts between rigid bodies in one call: rows, islands, groups of sweeps, goals, even loads.

It is what accelerated.py and its classes do one by one, for problems that need nothing else: small ones spend most of
their time between kernels. Same functions in the same order, so the same bits.
"""

from typing import NamedTuple

import numpy as np

from ...jit import inner, kernel
from ...problems.check_kernels import sound, zero_times_sum
from ...problems.island_kernels import Islands, split
from ...problems.problem_kernels import diagonal_of
from ...problems.residual_kernels import largest_residual
from ..base import EVEN_ROUNDS, EVENED, SETTLED, SLIPS
from ..compact.accelerated_kernels import BEST, advance, restart_island
from ..compact.columns import Rows
from ..compact.compact_build_kernels import empty_rows, fill_compact, plan_nodes, unscale_impulses
from ..compact.part_sweep_kernels import Parts, Sweep, Team, Work, loaded
from ..even_islands_kernels import slipping_from_rest, spread_islands
from ..even_kernels import Even
from ..second_order.block_lu_kernels import analyse, factor_work, room
from ..second_order.proximal_newton_kernels import Island, begun, newton_cost, newton_work, proximal_steps
from .turn_kernels import (
    CONVERGED,
    GROUP,
    LIMITED,
    Aims,
    Limits,
    Turns,
    asked_of_islands,
    end_turn,
    ended,
    first_aims,
    is_due,
    know_cost,
    length_of_turn,
    next_aims,
    no_turns,
    steps_of_turn,
)

# How a solve ends besides CONVERGED, ACCEPTABLE and LIMITED. HANDED_OVER: the turn of Newton steps is that of an island
# too large for one call, and the solve goes on from the Solve returned. NOT_PLAIN, UNSOUND (numbers not finite or not
# in order): nothing was done. STAGNATED: the rows that are held contradict each other.
HANDED_OVER, NOT_PLAIN, UNSOUND, STAGNATED = range(LIMITED + 1, LIMITED + 5)
# Blocks of the largest problem: below that no island is divided, and one thread makes all rows. Contacts relaxed that a
# turn of Newton steps in the call may cost: in longer ones who wants the run to end would not be heard.
LARGEST, LONGEST = 2048, 1_000_000


class Settings(NamedTuple):
    """Options that a solve reads, in the form kernels take them."""

    newton: bool
    check_every: int


class Start(NamedTuple):
    """What a solve takes from the options alone; loads: even_loads."""

    limits: Limits
    settings: Settings
    team: Team
    loads: int


class Solve(NamedTuple):
    """A solve that is not at its end: what a Sweeper and NewtonTurns keep."""

    rows: Rows
    islands: Islands
    work: Work
    state: np.ndarray
    aims: Aims
    turns: Turns


@inner
def asked_of(found, goals, limits):
    """What is asked of the islands; of one of none where all bodies stand."""
    count = found.block_start.size - 1
    size, first = np.zeros(max(count, 1), np.int64), np.zeros(max(count, 1), np.int64)
    for i in range(count):
        size[i] = found.block_start[i + 1] - found.block_start[i]
        first[i] = found.blocks[found.block_start[i]]
    return asked_of_islands(size, first, goals, limits)


@inner
def pattern_of(c, found, i):
    """(the span of blocks and nodes of island i, Pattern of its factorisation, cost of a Newton step in sweeps)."""
    span = found.block_start[i], found.block_start[i + 1], found.node_start[i], found.node_start[i + 1]
    blocks, nodes = span[1] - span[0], span[3] - span[2]
    pair = np.empty((blocks, 2), np.int64)
    for q in range(blocks):
        for side in range(2):
            pair[q, side] = min(c.node[span[0] + q, side] - span[2], nodes)
    _, pattern = analyse(pair, nodes, nodes * nodes)
    return span, pattern, newton_cost(factor_work(pattern.indptr), blocks, nodes)


@inner
def relaxed_by_turn(c, found, i, aims, state, turns):
    """Contacts relaxed that the turn of Newton steps on island i costs, 0 where none is due; notes the cost of a
    step."""
    if not is_due(turns, i, state, aims.goal[i]):
        return 0.0
    if turns.cost[i] == 0.0:
        know_cost(turns, i, pattern_of(c, found, i)[2])
    return length_of_turn(turns, i, state, aims) * turns.cost[i] * (found.block_start[i + 1] - found.block_start[i])


@inner
def turns_on(c, island, i, aims, state, turns, work, scratch):
    """Turns of Newton steps on island i, as long as one follows the other, see NewtonTurns; scratch: make_scratch."""
    follows = True
    while follows:
        steps = steps_of_turn(turns, i, state, aims, island.rows, work.best)
        if steps == 0:
            break
        run = begun(state[BEST], turns.strength[i])
        proximal_steps(c, island, (aims.goal[i], steps, 1 << 60), run, work, scratch, None)
        follows = end_turn(turns, i, state, aims.goal[i], run)


@inner
def newton_turns(c, parts, found, aims, state, work, turns):
    """What NewtonTurns.run does; returns the most sweeps that turns cost on one island, -1 where one is too long for
    this and no step was made."""
    longest, most = 0.0, 0.0
    for i in range(aims.goal.size):
        longest = max(longest, relaxed_by_turn(c, found, i, aims, state[i], turns))
    if longest == 0.0:
        return most
    if longest > LONGEST:
        return -1.0
    newton = newton_work(c.kind.size, found.nodes.size + 1, turns.base, work.best)
    for i in range(aims.goal.size):
        if length_of_turn(turns, i, state[i], aims) > 0:
            (span, pattern, cost), before = pattern_of(c, found, i), turns.spent[i]
            island = Island(span, (c.row[span[0]], c.row[span[1]]), pattern, room(pattern), cost)
            turns_on(c, island, i, aims, state[i], turns, newton, None)
            spent = turns.spent[i] - before
            if spent > 0.0 and state[i, BEST] > aims.goal[i]:
                restart_island(c, parts, i, state[i], work)
            most = max(most, spent)
    return most


@kernel
def solve_plain(p, mass, goals, start, impulse):
    """Solve plain contacts from impulses (K,), in place; returns (how it ended, sweeps, Solve or None).

    mass: start, offset and data of an InverseMass; goals: tolerance, acceptable, patience, effort (B,).
    """
    plan = plan_nodes(p, mass)
    if plan.used < 0:
        return NOT_PLAIN, 0, None
    found = split(plan.node, plan.used)
    c = empty_rows(p, found)
    if not c.all_plain:
        return NOT_PLAIN, 0, None
    fill_compact(p, plan, found, c, 0, c.kind.size)
    asked, parts = asked_of(found, goals, start.limits), Parts(found.part_start, found.part_node, found.part_block)
    aims, state, turns = first_aims(asked), np.zeros((asked.most.size, 8)), no_turns(asked.most.size, c.b.size)
    work, merit = loaded(p, c, found, impulse), np.zeros(GROUP)
    sweep, every = Sweep(c, parts, work, start.team), start.settings.check_every
    left, sweeps = advance(sweep, aims.goal, aims.limit, every, state, merit, None)
    while left > 0:
        if start.settings.newton:
            cost = newton_turns(c, parts, found, aims, state, work, turns)
            if cost < 0.0:
                return HANDED_OVER, sweeps, Solve(c, found, work, state, aims, turns)
            sweeps += np.int64(cost)
        if not next_aims(asked, state, turns.spent, aims):
            break
        left, more = advance(sweep, aims.goal, aims.limit - turns.spent, every, state, merit, None)
        sweeps += more
    unscale_impulses(p, found.blocks, c, work.best, impulse)
    return ended(asked, state, aims), sweeps, None


class Looked(NamedTuple):
    """What was found about a solution right after it. left: what is to be done about loads; evened (B,): blocks whose
    loads were spread; found (K,): impulses before that; diagonal: see ContactProblem; residual [m/s]: the judge's, and
    change (N,) = W J^T impulse, both where the loads are settled."""

    left: int
    evened: np.ndarray
    found: np.ndarray
    diagonal: tuple
    residual: float
    change: np.ndarray


@inner
def evened_again(p, mass, goals, start, impulse, looked, even, dof_count):
    """(how, sweeps) of the solves that bring impulses (K,) in line after their loads were spread, and spreads them
    again, see methods._made_even; HANDED_OVER where one cannot be made here, and impulses are those given.

    looked: (evened (B,), impulses (K,) before the first spread, which is done, diagonal); even: Even.
    """
    evened, first, diagonal = looked
    tolerance, acceptable, patience, effort = goals
    given, found, chosen, total = impulse.copy(), first, evened.copy(), 0
    for left in range(EVEN_ROUNDS - 1, -1, -1):
        wanted, spread = np.where(chosen, tolerance, np.inf), impulse.copy()
        how, sweeps, _ = solve_plain(p, mass, (wanted, acceptable, patience, effort), start, impulse)
        if how == HANDED_OVER:
            impulse[:] = given
            return how, 0
        if how != CONVERGED:
            impulse[:] = found
            break
        total += sweeps
        if left == 0:
            break
        found = impulse.copy()
        chosen[:] = False
        spread_islands(p, diagonal, impulse, spread, even, dof_count, chosen)
        if not chosen.any():
            break
    return CONVERGED, total


@kernel
def solve_evenly(p, mass, goals, start, impulse, share, dof_count):
    """Check the numbers, solve_plain, and then what even.py, staggered_start.py and the judge do after it.

    Returns (how it ended, sweeps, Solve or None, Looked). Loads are left alone where the solve has not ended here.
    """
    before, evened = impulse.copy(), np.zeros(p.kind.size, np.bool_)
    change, diagonal = np.zeros(dof_count), (np.empty(0, np.int64), np.empty(0))
    if not sound(p) or zero_times_sum(impulse) != 0.0:
        return UNSOUND, 0, None, Looked(SETTLED, evened, before, diagonal, np.inf, change)
    diagonal = diagonal_of(p)
    how, sweeps, rest = solve_plain(p, mass, goals, start, impulse)
    if how >= HANDED_OVER:
        return how, sweeps, rest, Looked(SETTLED, evened, before, diagonal, np.inf, change)
    calm, even, found = goals[2] > start.limits.patience, Even(goals[0], share, start.loads), impulse.copy()
    if slipping_from_rest(p, impulse, before, goals[0], calm, start.loads, dof_count, evened) > 0:
        return how, sweeps, rest, Looked(SLIPS, evened, found, diagonal, np.inf, change)
    evened[:] = False
    spread_islands(p, diagonal, impulse, before, even, dof_count, evened)
    if evened.any():
        again, more = evened_again(p, mass, goals, start, impulse, (evened, found, diagonal), even, dof_count)
        if again == HANDED_OVER:
            return how, sweeps, rest, Looked(EVENED, evened, found, diagonal, np.inf, change)
        sweeps += more
    residual = largest_residual(p, diagonal[0], diagonal[1], impulse, change, True)
    return how, sweeps, rest, Looked(SETTLED, evened, found, diagonal, residual, change)
