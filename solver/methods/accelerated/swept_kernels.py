"""What joints leave of islands, in one call: sweeps in the ways to move that are left, and Newton steps, in turns.

See second_order/factored_kernels.py.
"""

import numpy as np

from ...jit import inner
from ..compact.accelerated_kernels import BEST, SWEEPS, advance, restart_island
from ..compact.compact_build_kernels import unscale_impulses
from ..compact.part_sweep_kernels import Parts, Sweep, work_of
from ..second_order import profile_kernels as profiles
from ..second_order.factored_kernels import island_of, rows_of
from ..second_order.proximal_newton_kernels import FIRST_STRENGTH, begun, newton_work, proximal_steps
from .plain_kernels import turns_on
from .turn_kernels import FEWEST, Aims, is_due, no_turns

# Sweeps after which the solve is left to the general way.
MOST_SWEEPS = 200


@inner
def swept(p, s, span, b, goals, start, impulse):
    """Solve what is left of an island, blocks span of Jointed.free, until the residual is at the first of two goals
    [m/s], at the second where a turn of Newton steps brings nothing more, or at a limit. Impulses (K,) in place.

    goals: both, and how many rows are held. Returns (residual, sweeps, Newton steps counted as those they cost).
    """
    (goal, enough, eliminated), limit = goals, float(min(MOST_SWEEPS, start.limits.max_iterations))
    blocks, every, settings = s.free[span[0] : span[1]], start.settings.check_every, start.settings
    c, nodes = rows_of(p, blocks, s.place[span[0] : span[1] + 1], s.A, b)
    work, state, merit = work_of(p, blocks, c, nodes, impulse), np.zeros((1, 8)), np.zeros(every)
    parts = Parts(np.array([0, 1]), np.array([0, nodes]), np.array([0, blocks.size]))
    sweep, scratch = Sweep(c, parts, work, start.team), (np.zeros(16), np.zeros(16), np.zeros(16), np.zeros((16, 16)),
                                                        np.zeros(16), np.zeros((3, 4)))  # fmt: skip
    aims, turns = Aims(np.array([goal]), np.array([limit])), no_turns(1, c.b.size)
    left, _ = advance(sweep, aims.goal, aims.limit, every, state, merit, scratch)
    # What is at rest goes on from here, and what is left below the goal would move it for ever.
    least = goal / FIRST_STRENGTH**2 if enough <= goal < np.inf else np.inf
    if left > 0 or state[0, BEST] > least:
        island, newton = island_of(c, nodes), newton_work(blocks.size, nodes + 1, turns.base, work.best)
        # The first turn comes once sweeps have cost as much as the least turn does.
        turns.cost[0], turns.due[0] = island.cost, FEWEST * island.cost
        while left > 0 and state[0, SWEEPS] + turns.spent[0] < limit:
            before, spent = state[0, BEST], turns.spent[0]
            if settings.newton and is_due(turns, 0, state[0], goal):
                turns_on(c, island, 0, aims, state[0], turns, newton, scratch)
                if state[0, BEST] <= goal or 0.9 * before < state[0, BEST] <= enough:
                    break
                if turns.spent[0] > spent:
                    restart_island(c, parts, 0, state[0], work)
            left, _ = advance(sweep, aims.goal, aims.limit - turns.spent, every, state, merit, scratch)
        # Eliminating k rows costs as much as k sweeps.
        if state[0, BEST] > least and island.cost <= state[0, SWEEPS] + eliminated:
            newton.base[:] = work.best
            run = begun(state[0, BEST], FIRST_STRENGTH)
            proximal_steps(c, island, (least, FEWEST, FEWEST), run, newton, scratch, None)
    unscale_impulses(p, blocks, c, work.best, impulse)
    return state[0, BEST], np.int64(state[0, SWEEPS] + turns.spent[0])


@inner
def stall(p, s, span, b, goal, impulse):
    """Give rows with bounds, which held rows leave nothing to move, of blocks span of Jointed.free all the impulse that
    they may have where they ask for more than a goal [m/s], none where they do not: a motor in a loop that others lock
    pushes as hard as it can."""
    for q in range(span[0], span[1]):
        k = s.free[q]
        for i in range(s.place[q], s.place[q + 1]):
            if p.kind[k] != 0 and s.A[i, i] == 0.0:
                most = 0.0 if abs(b[i]) <= goal else (p.bounds[k, 0] if b[i] > 0.0 else p.bounds[k, 1])
                impulse[s.rows[i]] = most if abs(most) < np.inf else 0.0


@inner
def solve_jointed(p, s, goals, start, impulse):
    """Solve the islands with held rows from impulses (K,), in place: (whether all that was swept came to its goal, or
    to what is acceptable where things move, sweeps at most of an island, sweeps times blocks of all).

    s: their Jointed; goals: tolerance, acceptable, patience, effort (B,); start: see solve_plain.
    """
    held, done, most, relaxed_blocks = s.held, True, 0, 0
    count, rhs, b = s.rows.size, np.empty((1, s.held.rows.size)), np.empty(s.rows.size)
    if count > 0:
        for k in range(held.rows.size):
            rhs[0, k] = p.b[held.rows[k]]
        answer = profiles.solve(held, rhs)
        for i in range(count):
            b[i] = p.b[s.rows[i]]
            for k in range(held.rows.size):
                b[i] -= s.coupling[k, i] * answer[0, k]
    for i in range(s.start.size - 1):
        span, k = (s.start[i], s.start[i + 1]), s.free[s.start[i]]
        # Who starts the next steps with what this one finds has more patience, see goals.py.
        enough = goals[0][k] if goals[2][k] > start.limits.patience else max(goals[0][k], goals[1][k])
        stall(p, s, span, b, goals[0][k], impulse)
        found, sweeps = swept(p, s, span, b, (goals[0][k], enough, s.eliminated[i]), start, impulse)
        done, most = done and found <= enough, max(most, sweeps)
        relaxed_blocks += sweeps * (span[1] - span[0])
    for k in range(held.rows.size):
        rhs[0, k] = -p.b[held.rows[k]]
        for i in range(count):
            rhs[0, k] -= s.coupling[k, i] * impulse[s.rows[i]]
    own = profiles.solve(held, rhs)[0]
    profiles.share(held, own, impulse[held.rows])
    for k in range(held.rows.size):
        impulse[held.rows[k]] = own[k]
    return done, most, relaxed_blocks + held.blocks.size
