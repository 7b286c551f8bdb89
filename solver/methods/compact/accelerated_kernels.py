"""Kernels of the accelerated sweeps: Gauss-Seidel with momentum, island by island, on a Compact problem."""

from math import sqrt

from ...jit import inner, kernel
from .part_sweep_kernels import grade_island, relax

# Columns of the state of an island.
SWEEPS, BEST, LEAST, SINCE, PLAIN, TIME, JUMP, FIRST = range(8)
# Sweeps without progress before those without momentum, and how many of these there are.
STAGNATION, PLAIN_SWEEPS = 200.0, 50.0
# The momentum starts anew where the squared change of a sweep is this many times the least one.
GROWTH = 8.0


@kernel
def note(residual, state, work, row0, row1):
    """Keep the iterate as the best one if its residual is the least; note progress."""
    if residual < state[BEST]:
        if residual < 0.9 * state[BEST]:
            state[SINCE] = 0.0
        state[BEST] = residual
        for i in range(row0, row1):
            work.best[i] = work.lam[i]


@inner
def stagnates(state):
    """Whether an island has gone without progress for as long as it may."""
    return state[SINCE] >= (PLAIN_SWEEPS if state[PLAIN] > 0.0 else STAGNATION)


@kernel
def change_over(state):
    """At stagnation: sweeps without momentum, then with it again.

    They go on from where they are. Going back to the best iterate would make the same sweeps again and again.
    """
    if stagnates(state):
        state[SINCE], state[TIME] = 0.0, 1.0
        state[PLAIN] = 1.0 - state[PLAIN]


@inner
def momentum(state, square, along):
    """Weight of the next jump, see `extrapolate_nodes`: Nesterov's sequence, started anew where it leads astray.

    square: the squared change x of the last sweep, and along its product with the jump before it, both weighted. The
    change is the negative gradient: where it points against that jump, or has grown, the momentum is too much
    (O'Donoghue and Candes 2015, adaptive restart; they ask along + square, the way since the last iterate, which
    piles that slide need a third more sweeps with).
    """
    if along < 0.0 or square > GROWTH * state[LEAST] or state[TIME] < 1.0:
        state[TIME], state[LEAST] = 1.0, square
    state[LEAST] = min(state[LEAST], square)
    weight = 0.0
    if state[PLAIN] == 0.0:
        following = 0.5 * (1.0 + sqrt(1.0 + 4.0 * state[TIME] * state[TIME]))
        weight = (state[TIME] - 1.0) / following
        state[TIME] = following
    # No jump: the last one has to be forgotten, where there was one.
    return weight if weight > 0.0 or state[JUMP] <= 0.0 else -1.0


@kernel
def restore_best(c, k0, k1, n0, n1, best, lam, w):
    """Go back to the best iterate of an island, impulses and velocities both."""
    for i in range(c.row[k0], c.row[k1]):
        lam[i] = best[i]
    for i in range(n0, n1):
        for j in range(6):
            w[i, j] = 0.0
    for q in range(k0, k1):
        a, o = c.node[q, 0], c.node[q, 1]
        for i in range(c.row[q], c.row[q + 1]):
            for j in range(6):
                w[a, j] += c.J[i, j] * lam[i]
                w[o, j] += c.J[i, 6 + j] * lam[i]


@kernel
def restart_island(c, parts, i, state, work):
    """Go back to the best iterate of island i and forget the search direction."""
    first, last = parts.start[i], parts.start[i + 1]
    k0, k1 = parts.block[first], parts.block[last]
    restore_best(c, k0, k1, parts.node[first], parts.node[last], work.best, work.lam, work.w)
    state[TIME] = state[SINCE] = state[PLAIN] = 0.0
    state[JUMP] = -1.0


@kernel
def advance(c, parts, count, goal, limit, check_every, state, work, merit, scratch, team):
    """Run up to `count` sweeps on every island that is not at its goal (I,) [m/s], nor at its limit (I,) of sweeps.

    Returns (islands not at their goal, most sweeps done on one). parts: see Parts. state (I,8) is kept from call to
    call. merit (count,) keeps the largest change of each sweep over all islands [m/s]. scratch: None where all
    contacts are plain, see make_scratch otherwise. team: of the threads that help with large islands.
    """
    left, most = 0, 0
    for island in range(parts.start.size - 1):
        tolerance = goal[island]
        s, span = state[island], (parts.start[island], parts.start[island + 1])
        row0, row1 = c.row[parts.block[span[0]]], c.row[parts.block[span[1]]]
        # The first pass grades the start, every other one sweeps before that.
        i, start = 0, s[SWEEPS] == 0.0
        if start:
            s[BEST] = 1e300
        while s[BEST] > tolerance:
            moved = 0.0
            if not start:
                if i == count or s[SWEEPS] >= limit[island]:
                    break
                moved, square, along = relax(c, parts, span, s[JUMP], work, scratch, team)
                s[JUMP] = momentum(s, square, along)
                merit[i] = max(merit[i], moved)
                i += 1
                s[SWEEPS] += 1.0
                s[SINCE] += 1.0
                if moved > tolerance and s[SWEEPS] % check_every != 0.0 and not stagnates(s):
                    continue
            residual = grade_island(c, parts, span, work, scratch, team)
            if start:
                s[FIRST] = residual
            start = False
            note(residual, s, work, row0, row1)
            change_over(s)
        left += 1 if s[BEST] > tolerance else 0
        most = max(most, i)
    return left, most
