"""Kernels of the accelerated sweeps: Gauss-Seidel with momentum, island by island, on a Compact problem."""

from math import sqrt

from ...jit import inner, kernel
from .compact_kernels import add_all_changes
from .part_sweep_kernels import grade_island, relax

# Columns of the state of an island.
SWEEPS, BEST, LEAST, SINCE, PLAIN, TIME, JUMP, FIRST = range(8)
# Sweeps without progress before those without momentum, and how many of these there are.
STAGNATION, PLAIN_SWEEPS = 200.0, 50.0


@kernel
def progress(residual, state):
    """Note the residual of an iterate; returns whether it is the least so far."""
    better = residual < state[BEST]
    if better:
        if residual < 0.9 * state[BEST]:
            state[SINCE] = 0.0
        state[BEST] = residual
    return better


@inner
def note(residual, state, work, row0, row1):
    """Keep the iterate as the best one if its residual is the least; note progress."""
    if progress(residual, state):
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
    if along < 0.0 or square > 8.0 * state[LEAST] or state[TIME] < 1.0:
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
def restart_island(c, parts, i, state, work):
    """Go back to the best iterate of island i, impulses and velocities both, and forget the search direction."""
    first, last = parts.start[i], parts.start[i + 1]
    k0, k1 = parts.block[first], parts.block[last]
    for j in range(c.row[k0], c.row[k1]):
        work.lam[j] = work.best[j]
    for n in range(parts.node[first], parts.node[last]):
        for j in range(6):
            work.w[n, j] = 0.0
    add_all_changes(c, k0, k1, work.lam, work.w)
    state[TIME] = state[SINCE] = state[PLAIN] = 0.0
    state[JUMP] = -1.0


@kernel
def advance(s, goal, limit, check_every, state, merit, scratch):
    """Run up to merit.size sweeps on every island that is not at its goal (I,) [m/s], nor at its limit (I,) of sweeps.

    Returns (islands not at their goal, most sweeps done on one). s: Sweep. state (I,8) is kept from call to call. merit
    keeps the largest change of each sweep over all islands [m/s]. scratch: None where all contacts are plain, see
    make_scratch otherwise.
    """
    left, most, parts, row = 0, 0, s.parts, s.rows.row
    for island in range(parts.start.size - 1):
        tolerance = goal[island]
        own, span = state[island], (parts.start[island], parts.start[island + 1])
        row0, row1 = row[parts.block[span[0]]], row[parts.block[span[1]]]
        # The first pass grades the start, every other one sweeps before that.
        i, start = 0, own[SWEEPS] == 0.0
        if start:
            own[BEST] = 1e300
        while own[BEST] > tolerance:
            moved = 0.0
            if not start:
                if i == merit.size or own[SWEEPS] >= limit[island]:
                    break
                moved, square, along = relax(s, span, own[JUMP], scratch)
                own[JUMP] = momentum(own, square, along)
                merit[i] = max(merit[i], moved)
                i += 1
                own[SWEEPS] += 1.0
                own[SINCE] += 1.0
                if moved > tolerance and own[SWEEPS] % check_every != 0.0 and not stagnates(own):
                    continue
            residual = grade_island(s, span, scratch)
            if start:
                own[FIRST] = residual
            start = False
            note(residual, own, s.work, row0, row1)
            change_over(own)
        left += 1 if own[BEST] > tolerance else 0
        most = max(most, i)
    return left, most
