"""Islands with joints, solved in one call: held rows eliminated by their profile, what is left swept against them.

The mathematics are those of elimination.py, which solves the islands that are too large for this.
"""

from typing import NamedTuple

import numpy as np

from ...jit import inner
from ...problems.island_kernels import islands_of_blocks
from ...problems.problem_kernels import rows_of_blocks
from ...problems.residual_kernels import block_residual
from ..compact.accelerated_kernels import (
    BEST,
    JUMP,
    PLAIN_SWEEPS,
    SINCE,
    SWEEPS,
    TIME,
    change_over,
    momentum,
    progress,
)
from ..compact.compact_build_kernels import is_plain
from ..sweep_kernels import COUPLED_WITH_MOMENTUM, Relaxing, relax_block, relaxing, steps_of_block
from . import profile_kernels as profiles
from .active_kernels import step_on_free_rows
from .carried_kernels import Carried, carried_of, rigid
from .direct_kernels import fill_delassus
from .profile_kernels import add_scaled
from .profile_layout_kernels import Profile, profile_of

# Kinds of blocks that hold without a law: BILATERAL and ELEMENT.
BILATERAL, ELEMENT = 1, 4
# Rows that are held, and those swept against them, at most.
MOST_HELD, MOST_FREE = 3000, 600
# Sweeps after which Newton steps would have their turn: the solve is left to the sweepers that know them.
MOST_SWEEPS = 200


class Jointed(NamedTuple):
    """Islands with held rows: their Profile; free blocks (f,), island by island, place (f+1,) of their rows (n,),
    start (I+1,) of each island among them, eliminated (I,): number of its held rows; coupling (k,n) = A_EN; A (n,n)
    after elimination; carried: the same on bodies, of more rows, and then the others are empty; rest: blocks of islands
    without held rows; label (B,) of the island of each block; fits: whether this is for them."""

    held: Profile
    free: np.ndarray
    place: np.ndarray
    rows: np.ndarray
    start: np.ndarray
    eliminated: np.ndarray
    coupling: np.ndarray
    A: np.ndarray
    carried: Carried
    rest: np.ndarray
    label: np.ndarray
    fits: bool


@inner
def sorted_into(p, label):
    """(held blocks, free blocks of islands with held ones, start of each island among the free and how many held rows
    it has, blocks of others)."""
    count, islands = p.kind.size, 0
    for k in range(count):
        islands = max(islands, label[k] + 1)
    jointed, free, rows = np.zeros(islands, np.bool_), np.zeros(islands, np.int64), np.zeros(islands, np.int64)
    held_count = rest_count = 0
    for k in range(count):
        if p.kind[k] == BILATERAL or p.kind[k] == ELEMENT:
            jointed[label[k]] = True
            rows[label[k]] += p.row_start[k + 1] - p.row_start[k]
            held_count += 1
    for k in range(count):
        if not jointed[label[k]]:
            rest_count += 1
        elif p.kind[k] != BILATERAL and p.kind[k] != ELEMENT:
            free[label[k]] += 1
    start, used = np.zeros(islands + 1, np.int64), 0
    number, eliminated = np.full(islands, -1), np.zeros(islands, np.int64)
    for i in range(islands):
        if free[i] > 0:
            number[i], eliminated[used] = used, rows[i]
            start[used + 1] = start[used] + free[i]
            used += 1
    held, rest = np.empty(held_count, np.int64), np.empty(rest_count, np.int64)
    order, fill = np.empty(start[used], np.int64), start[: used + 1].copy()
    h = r = 0
    for k in range(count):
        i = label[k]
        if not jointed[i]:
            rest[r] = k
            r += 1
        elif p.kind[k] == BILATERAL or p.kind[k] == ELEMENT:
            held[h] = k
            h += 1
        else:
            order[fill[number[i]]] = k
            fill[number[i]] += 1
    return held, order, (start[: used + 1].copy(), eliminated[:used].copy()), rest


@inner
def jointed_of(p, mass, dof_count):
    """The Jointed of a problem; where it does not fit nothing is filled. mass: see plain_kernels.solve_plain."""
    label = islands_of_blocks(p, dof_count)
    blocks, free, (start, eliminated), rest = sorted_into(p, label)
    place, rows = rows_of_blocks(p.row_start, free)
    fits = rigid(p, np.arange(p.kind.size))
    held = profile_of(p.row_start, p.J, p.G, (p.compliance_offset, p.compliance), blocks, False)
    fits = fits and held.rows.size <= MOST_HELD and (held.A.size > 0 or held.rows.size == 0)
    plain = fits and rows.size > MOST_FREE
    for k in free:
        plain = plain and is_plain(p, k)
    carried = carried_of(p, mass, held, free if plain else free[:0])
    fits = fits and (carried.fits or rows.size <= MOST_FREE)
    count = rows.size if fits and not carried.fits else 0
    coupling, A = np.zeros((held.rows.size, count)), np.zeros((count, count))
    if count > 0:
        fill_delassus(p, held.blocks, free, held.place, place, False, coupling)
        fill_delassus(p, free, free, place, place, True, A)
        eliminate(coupling, profiles.solve(held, coupling.T.copy()), A)
    return Jointed(held, free, place, rows, start, eliminated, coupling, A, carried, rest, label, fits)


@inner
def eliminate(coupling, columns, A):
    """A -= coupling^T columns^T, made symmetric; columns (n,k): A_EE^-1 A_EN by columns."""
    count, held = columns.shape
    for i in range(count):
        for j in range(i + 1):
            left, right = 0.0, 0.0
            for k in range(held):
                left += coupling[k, i] * columns[j, k]
                right += coupling[k, j] * columns[i, k]
            A[i, j] = A[j, i] = 0.5 * (A[i, j] + A[j, i] - left - right)


class Free(NamedTuple):
    """The free blocks of an island, span of Jointed.free, with rows r0 to r1 of its A and `eliminated` held ones: their
    diagonal blocks from offset (f+1,), step lengths r (f,2), b (n,) after elimination and impulses x (n,) with
    velocities v (n,)."""

    span: tuple
    rows: tuple
    eliminated: int
    offset: np.ndarray
    diagonal: np.ndarray
    r: np.ndarray
    b: np.ndarray
    x: np.ndarray
    v: np.ndarray


@inner
def free_of(p, s, island, b, x):
    """The Free of an island, of the number that Jointed.start has for it."""
    span = s.start[island], s.start[island + 1]
    offset = np.zeros(span[1] - span[0] + 1, np.int64)
    for f in range(span[0], span[1]):
        m = s.place[f + 1] - s.place[f]
        offset[f - span[0] + 1] = offset[f - span[0]] + m * m
    numbers, r = np.empty(offset[span[1] - span[0]]), np.empty((span[1] - span[0], 2))
    for f in range(span[0], span[1]):
        m, at = s.place[f + 1] - s.place[f], offset[f - span[0]]
        for i in range(m):
            for j in range(m):
                numbers[at + i * m + j] = s.A[s.place[f] + i, s.place[f] + j]
        r[f - span[0], 0], r[f - span[0], 1] = steps_of_block(p, s.free[f], at, numbers, COUPLED_WITH_MOMENTUM)
    rows = s.place[span[0]], s.place[span[1]]
    return Free(span, rows, s.eliminated[island], offset, numbers, r, b, x, np.zeros(b.size))


@inner
def add_velocities(s, c, x):
    """c.v += A x (n,) on the rows of Free c: A is symmetric to the bit, and goes by rows, so that no sum waits."""
    (r0, r1), v = c.rows, c.v[c.rows[0] : c.rows[1]]
    for i in range(r0, r1):
        add_scaled(s.A[i, r0:r1], x[i], v)


@inner
def graded(p, s, c):
    """Largest natural map of Free c [m/s], once its velocities are made afresh, so that round-off does not gather."""
    worst, (r0, r1) = 0.0, c.rows
    c.v[r0:r1] = c.b[r0:r1]
    add_velocities(s, c, c.x)
    for f in range(c.span[0], c.span[1]):
        first = s.place[f]
        own = block_residual(p, s.free[f], c.offset[f - c.span[0]], c.diagonal, c.x[first:], c.v[first:])
        if not own <= worst:
            worst = own
    return worst


@inner
def sweep(p, s, c, jump, work):
    """Relax every block of Free c once, with its jump (n,) before; (squared change, its product with the jump)."""
    square, along, (r0, r1) = 0.0, 0.0, c.rows
    v = c.v[r0:r1]
    for f in range(c.span[0], c.span[1]):
        first, m = s.place[f], s.place[f + 1] - s.place[f]
        own = c.diagonal[c.offset[f - c.span[0]] :]
        relax_block(p, s.free[f], c.r[f - c.span[0]], own, c.x[first:], 1.0,
                    Relaxing(c.v[first:], work.change, work.A))  # fmt: skip
        for i in range(m):
            change = work.change[i]
            if change == 0.0:
                continue
            c.x[first + i] += change
            add_scaled(s.A[first + i, r0:r1], change, v)
            square += change * change * own[i * m + i]
            along += change * jump[first + i] * own[i * m + i]
    return square, along


@inner
def note_best(p, s, c, best, state):
    """Grade the impulses of Free c, keep them in `best` (n,) if their residual is the least, and note progress."""
    residual = graded(p, s, c)
    if residual < state[BEST]:
        best[c.rows[0] : c.rows[1]] = c.x[c.rows[0] : c.rows[1]]
    progress(residual, state)


@inner
def step_directly(p, s, c, best, state):
    """A direct step from the best impulses of Free c; what it makes worse goes no further, and momentum begins anew."""
    r0, r1 = c.rows
    c.x[r0:r1] = best[r0:r1]
    graded(p, s, c)
    step_on_free_rows(p, s, c.span, c.x, c.v)
    note_best(p, s, c, best, state)
    c.x[r0:r1] = best[r0:r1]
    graded(p, s, c)
    state[TIME], state[JUMP] = 0.0, -1.0


@inner
def swept(p, s, c, goals, limit, check_every, state):
    """Sweep Free c until the residual is at the first of two goals [m/s], at the second where neither sweeps nor a
    direct step make it less, or `limit` sweeps are done; c.x gets the best impulses.

    state (8,): see accelerated_kernels. Momentum as in general_kernels.advance_general; velocities are carried along.
    After every PLAIN_SWEEPS a direct step, see active_kernels.py.
    """
    (r0, r1), (goal, enough) = c.rows, goals
    before, jump, best, work = np.zeros(c.b.size), np.zeros(c.b.size), c.x.copy(), relaxing()
    state[BEST] = graded(p, s, c)
    while state[BEST] > goal and state[SWEEPS] < limit:
        if state[JUMP] != 0.0:
            for i in range(r0, r1):
                jump[i] = state[JUMP] * (jump[i] + c.x[i] - before[i]) if state[JUMP] > 0.0 else 0.0
                c.x[i] += jump[i]
            add_velocities(s, c, jump)
        before[r0:r1] = c.x[r0:r1]
        square, along = sweep(p, s, c, jump, work)
        state[JUMP] = momentum(state, square, along) if np.isfinite(square) else -1.0
        state[SWEEPS] += 1.0
        state[SINCE] += 1.0
        directly = state[SWEEPS] % PLAIN_SWEEPS == 0.0
        if directly or state[SWEEPS] % check_every == 0.0 or state[SWEEPS] >= limit:
            note_best(p, s, c, best, state)
            change_over(state)
        if directly and state[BEST] > goal:
            step_directly(p, s, c, best, state)
            if state[BEST] <= enough and state[SINCE] >= PLAIN_SWEEPS:
                break
    # What is at rest goes on from here, and what is left below the goal would move it for ever. A direct step on n rows
    # costs n/3 sweeps; eliminating k rows cost k.
    if enough <= goal < np.inf and r1 - r0 <= 3.0 * (state[SWEEPS] + c.eliminated):
        step_directly(p, s, c, best, state)
    c.x[r0:r1] = best[r0:r1]


@inner
def solve_jointed(p, s, goals, start, impulse):
    """Solve the islands with held rows from impulses (K,), in place: (whether all that was swept came to its goal, or
    to what is acceptable where things move, sweeps at most of an island, sweeps times blocks of all).

    s: their Jointed; goals: tolerance, acceptable, patience, effort (B,); start: see solve_plain.
    """
    held, done, most, relaxed_blocks = s.held, True, 0, 0
    count, limit = s.rows.size, float(min(MOST_SWEEPS, start.limits.max_iterations))
    rhs = np.empty((1, held.rows.size))
    x, b = np.empty(count), np.empty(count)
    if count > 0:
        for k in range(held.rows.size):
            rhs[0, k] = p.b[held.rows[k]]
        answer = profiles.solve(held, rhs)
        for i in range(count):
            x[i], b[i] = impulse[s.rows[i]], p.b[s.rows[i]]
            for k in range(held.rows.size):
                b[i] -= s.coupling[k, i] * answer[0, k]
    for i in range(s.start.size - 1):
        span, state, k = (s.start[i], s.start[i + 1]), np.zeros(8), s.free[s.start[i]]
        # Who starts the next steps with what this one finds has more patience, see goals.py, and gets Newton steps.
        enough = goals[0][k] if goals[2][k] > start.limits.patience else max(goals[0][k], goals[1][k])
        swept(p, s, free_of(p, s, i, b, x), (goals[0][k], enough), limit, start.settings.check_every, state)
        done = done and state[BEST] <= enough
        most = max(most, np.int64(state[SWEEPS]))
        relaxed_blocks += np.int64(state[SWEEPS]) * (span[1] - span[0])
    for k in range(held.rows.size):
        rhs[0, k] = -p.b[held.rows[k]]
        for i in range(count):
            rhs[0, k] -= s.coupling[k, i] * x[i]
    own = profiles.solve(held, rhs)[0]
    profiles.share(held, own)
    for k in range(held.rows.size):
        impulse[held.rows[k]] = own[k]
    for i in range(count):
        impulse[s.rows[i]] = x[i]
    return done, most, relaxed_blocks + held.blocks.size
