"""Turns of Newton steps on small islands of plain contacts, in the middle of a solve in one call.

It is what finisher.py and second_order.py do first, and in most steps all they do; where an island needs more than the
first run of the proximal method, these take over from before the turn, with the same bits.
"""

from math import ceil
from typing import NamedTuple

import numpy as np

from ...jit import inner
from ..compact.accelerated_kernels import BEST, FIRST, SWEEPS
from ..second_order.block_lu_kernels import FEW, analysed, factor_work, room
from ..second_order.proximal_newton_kernels import (
    AT_GOAL,
    FIRST_STRENGTH,
    LEAST,
    PATIENCE,
    PROXIMAL_STEPS,
    STEPS,
    begun,
    newton_work,
    proximal_steps,
)
from .turn_kernels import CONTACT_COST, FEWEST, WINDOW, newton_cost, worth_it

# Residuals of an island that are kept: those of the last WINDOW sweeps are among them.
KEPT = 8


class Turns(NamedTuple):
    """What turns of Newton steps on I islands leave to the next. past (I,KEPT,2): sweeps and residual when second-order
    steps were asked for last, a ring; asked_for (I,): how often; spent (I,): Newton steps done, in sweeps."""

    past: np.ndarray
    asked_for: np.ndarray
    spent: np.ndarray


@inner
def no_turns(islands):
    """Turns before the first one."""
    return Turns(np.empty((islands, KEPT, 2)), np.zeros(islands, np.int64), np.zeros(islands, np.int64))


@inner
def note(turns, i, sweeps, residual, first):
    """Add sweeps and residual of island i to its past, which begins with its `first` residual."""
    past, count = turns.past[i], turns.asked_for[i]
    if count == 0:
        past[0, 0], past[0, 1], count = 0.0, first, 1
    past[count % KEPT, 0], past[count % KEPT, 1] = sweeps, residual
    turns.asked_for[i] = count + 1


@inner
def oldest(past, count, sweeps):
    """(sweeps, residual) of the first of the last `count` entries that is no more than WINDOW sweeps ago."""
    for e in range(max(0, count - KEPT), count):
        if past[e % KEPT, 0] >= sweeps - WINDOW:
            return past[e % KEPT, 0], past[e % KEPT, 1]
    return sweeps, np.inf


@inner
def newton_run(c, span, goal, budget, asked_of, base, best, state, given):
    """A run of the proximal method on the island of a span of blocks and nodes, if it is worth it; returns what it cost
    in sweeps, -1 where it did not reach its goal [m/s].

    asked_of: since, before, sweeps, now, least and expected, see worth_it; base (R,): impulses to begin from.
    """
    since, before, sweeps, now, least, expected = asked_of
    blocks, nodes = span[1] - span[0], span[3] - span[2]
    if nodes > FEW:
        return -1
    pair = np.empty((blocks, 2), np.int64)
    for q in range(blocks):
        for side in range(2):
            pair[q, side] = min(c.node[span[0] + q, side] - span[2], nodes)
    pattern = analysed(pair, nodes)
    cost = newton_cost(factor_work(pattern.indptr), blocks, nodes)
    if not worth_it(since, before, sweeps, now, goal, cost, budget, least, expected):
        return 0
    run, most = begun(now, FIRST_STRENGTH), min(np.int64(budget / cost), PROXIMAL_STEPS)
    work = newton_work(c.b.size, c.kind.size, given)
    how = proximal_steps(c, span, pattern, room(pattern), goal, most, PATIENCE, 1 << 60, run, base, best, work, None,
                         None)  # fmt: skip
    if how != AT_GOAL:
        return -1
    state[BEST] = run[LEAST]
    return np.int64(ceil(run[STEPS] * cost))


@inner
def newton_turn(c, found, asked, settings, goal, limit, state, work, turns):
    """Newton steps on the islands that are worth it, see Finisher.run; returns the most sweeps that they cost on one.

    -1 where one of them needs more than this: nothing was done then.
    """
    best, before = work.best.copy(), state.copy()
    kept = turns.past.copy(), turns.asked_for.copy(), turns.spent.copy()
    most = 0
    for i in range(goal.size):
        budget = limit[i] - (state[i, SWEEPS] + turns.spent[i])
        if state[i, BEST] <= goal[i] or budget <= 0:
            continue
        sweeps, now = state[i, SWEEPS], state[i, BEST]
        least = float(FEWEST) if asked.lasting[i] else settings.expected
        note(turns, i, sweeps, now, state[i, FIRST])
        since, residual = oldest(turns.past[i], turns.asked_for[i], sweeps)
        if not worth_it(since, residual, sweeps, now, goal[i], CONTACT_COST, budget, least, settings.expected):
            continue
        span = found.block_start[i], found.block_start[i + 1], found.node_start[i], found.node_start[i + 1]
        asked_of = since, residual, sweeps, now, least, settings.expected
        cost = newton_run(c, span, goal[i], budget, asked_of, work.best.copy(), work.best, state[i],
                          found.nodes.size + 1)  # fmt: skip
        if cost < 0:
            work.best[:], state[:] = best, before
            turns.past[:], turns.asked_for[:], turns.spent[:] = kept
            return -1
        turns.spent[i] += cost
        most = max(most, cost)
    return most
