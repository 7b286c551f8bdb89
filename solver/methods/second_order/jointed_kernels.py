"""Islands with joints, solved in one call: held rows eliminated by their profile, what is left swept against them.

The mathematics are those of elimination.py, which solves the islands that are too large for this.
"""

from typing import NamedTuple

import numpy as np

from ...friction import project_friction
from ...jit import inner
from ...problems.residual_kernels import bounded_residual, contact_residual, friction_step
from ..compact.accelerated_kernels import BEST, JUMP, SINCE, SWEEPS, change_over, momentum
from ..sweep_kernels import COUPLED_WITH_MOMENTUM, normal_step
from . import profile_kernels as profiles
from .direct_kernels import fill_delassus, label_blocks
from .direct_rows import DENSE, WIDE

# Kinds of blocks that hold without a law: BILATERAL and ELEMENT.
BILATERAL, ELEMENT = 1, 4
# Rows that are held, and those swept against them, at most.
MOST_HELD, MOST_FREE = 3000, 600
# Sweeps after which Newton steps would have their turn: the solve is left to the sweepers that know them.
MOST_SWEEPS = 200


class Profile(NamedTuple):
    """Held rows factorised in their profile, see profile_kernels: blocks (n,) in their order there, place (n+1,), rows
    (k,) of the problem; factors: diagonal, L (2,a), made (2,)."""

    blocks: np.ndarray
    place: np.ndarray
    rows: np.ndarray
    first: np.ndarray
    at: np.ndarray
    A: np.ndarray
    factors: tuple


class Jointed(NamedTuple):
    """Islands with held rows: their Profile; free blocks (f,), island by island, place (f+1,) of their rows (n,),
    start (I+1,) of each island among them; coupling (k,n) = A_EN; A (n,n) after elimination; rest: blocks of islands
    without held rows; label (B,) of the island of each block; fits: whether this is for them."""

    held: Profile
    free: np.ndarray
    place: np.ndarray
    rows: np.ndarray
    start: np.ndarray
    coupling: np.ndarray
    A: np.ndarray
    rest: np.ndarray
    label: np.ndarray
    fits: bool


@inner
def rows_of_blocks(row_start, blocks):
    """(place (n+1,), rows (k,)) of blocks (n,)."""
    place = np.zeros(blocks.size + 1, np.int64)
    for x in range(blocks.size):
        place[x + 1] = place[x] + row_start[blocks[x] + 1] - row_start[blocks[x]]
    rows = np.empty(place[blocks.size], np.int64)
    for x in range(blocks.size):
        for i in range(place[x + 1] - place[x]):
            rows[place[x] + i] = row_start[blocks[x]] + i
    return place, rows


@inner
def profile_of(row_start, J, G, compliance_offset, compliance, blocks):
    """The Profile of blocks (n,) whose segments of J and G are on the same bodies; not factorised yet, and not filled
    where it is too wide."""
    order = profiles.ordered(profiles.block_graph(J, blocks))
    sorted_blocks = np.empty_like(blocks)
    for x in range(blocks.size):
        sorted_blocks[x] = blocks[order[x]]
    place, rows = rows_of_blocks(row_start, sorted_blocks)
    graph = profiles.block_graph(J, sorted_blocks)
    first, at = np.empty(rows.size, np.int64), np.empty(rows.size + 1, np.int64)
    profiles.profile(graph, place, first, at)
    thin = at[rows.size] <= WIDE * rows.size or rows.size <= DENSE
    size = at[rows.size] if thin else 0
    A, diagonal = np.empty(size), np.ones(rows.size)
    if thin:
        profiles.fill_profile(J, G, compliance_offset, compliance, sorted_blocks, graph, place, first, at, A)
        for k in range(rows.size):
            if A[at[k + 1] - 1] > 0.0:
                diagonal[k] = A[at[k + 1] - 1]
    return Profile(sorted_blocks, place, rows, first, at, A, (diagonal, np.empty((2, size)), np.zeros(2, np.bool_)))


@inner
def sorted_into(p, label):
    """(held blocks, free blocks of islands with held ones, start of each island among the free, blocks of others)."""
    count, islands = p.kind.size, 0
    for k in range(count):
        islands = max(islands, label[k] + 1)
    jointed, free = np.zeros(islands, np.bool_), np.zeros(islands, np.int64)
    held_count = rest_count = 0
    for k in range(count):
        if p.kind[k] == BILATERAL or p.kind[k] == ELEMENT:
            jointed[label[k]] = True
            held_count += 1
    for k in range(count):
        if not jointed[label[k]]:
            rest_count += 1
        elif p.kind[k] != BILATERAL and p.kind[k] != ELEMENT:
            free[label[k]] += 1
    start, used = np.zeros(islands + 1, np.int64), 0
    number = np.full(islands, -1)
    for i in range(islands):
        if free[i] > 0:
            number[i] = used
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
    return held, order, start[: used + 1].copy(), rest


@inner
def whole_bodies(J, G):
    """Whether every segment is one whole rigid body, and those of J and G are the same."""
    if J.start.size != G.start.size:
        return False
    alike = True
    for s in range(J.start.size):
        alike = alike and J.size[s] == 6 and G.size[s] == 6 and J.start[s] == G.start[s]
    return alike


@inner
def jointed_of(p, dof_count, how):
    """The Jointed of a problem; where it does not fit nothing is filled."""
    label = np.empty(p.kind.size, np.int64)
    label_blocks(p.G, dof_count, label)
    blocks, free, start, rest = sorted_into(p, label)
    place, rows = rows_of_blocks(p.row_start, free)
    fits = whole_bodies(p.J, p.G) and rows.size <= MOST_FREE
    held = profile_of(p.row_start, p.J, p.G, p.compliance_offset, p.compliance, blocks)
    fits = fits and held.rows.size <= MOST_HELD and (held.A.size > 0 or held.rows.size == 0)
    count = rows.size if fits else 0
    coupling, A = np.zeros((held.rows.size, count)), np.zeros((count, count))
    if count > 0:
        fill_delassus(p, held.blocks, free, held.place, place, False, coupling)
        fill_delassus(p, free, free, place, place, True, A)
        columns = np.empty((count, held.rows.size))
        profiles.solved(held.first, held.at, held.A, held.factors, coupling.T.copy(), how, columns)
        eliminate(coupling, columns, A)
    return Jointed(held, free, place, rows, start, coupling, A, rest, label, fits)


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


@inner
def own_blocks(s, f0, f1):
    """(offset (f1-f0+1,), numbers) of the diagonal blocks of A of free blocks f0:f1, as ContactProblem.diagonal."""
    offset = np.zeros(f1 - f0 + 1, np.int64)
    for f in range(f0, f1):
        m = s.place[f + 1] - s.place[f]
        offset[f - f0 + 1] = offset[f - f0] + m * m
    numbers = np.empty(offset[f1 - f0])
    for f in range(f0, f1):
        m = s.place[f + 1] - s.place[f]
        for i in range(m):
            for j in range(m):
                numbers[offset[f - f0] + i * m + j] = s.A[s.place[f] + i, s.place[f] + j]
    return offset, numbers


@inner
def relaxed(p, k, m, offset, numbers, lam, v, change, y):
    """Change (m,) of the impulses lam (m,) of free block k by a proximal step at velocities v (m,)."""
    a = numbers[offset]
    if p.kind[k] != 0:
        r = 1.0 / a if a > 0.0 else 0.0
        lower, upper = (0.0, np.inf) if p.kind[k] == 2 else (p.bounds[k, 0], p.bounds[k, 1])
        change[0] = min(max(lam[0] - r * v[0], lower), upper) - lam[0]
        return
    mu = p.mu[k]
    new = max(0.0, lam[0] - normal_step(offset, numbers, m, mu, COUPLED_WITH_MOMENTUM) * v[0])
    change[0] = new - lam[0]
    eigenvalue = friction_step(offset, numbers, m, mu)
    r = 1.0 / eigenvalue if eigenvalue > 0.0 else 0.0
    for i in range(m - 1):
        seen = v[i + 1] + numbers[offset + (i + 1) * m] * change[0]
        y[i] = lam[i + 1] / mu[i] - r * mu[i] * seen if mu[i] > 0.0 else 0.0
    project_friction(p.law[k], p.sides, new, y, m - 1)
    for i in range(m - 1):
        change[i + 1] = mu[i] * y[i] - lam[i + 1]


@inner
def residual_of(p, s, span, blocks, x, v, y, z):
    """Largest natural map of the free blocks of an island [m/s], at velocities v (n,)."""
    worst = 0.0
    offset, numbers = blocks
    for f in range(span[0], span[1]):
        k, first, m = s.free[f], s.place[f], s.place[f + 1] - s.place[f]
        at = offset[f - span[0]]
        if p.kind[k] == 0:
            own = contact_residual(p.law[k], p.sides, p.mu[k], at, numbers, m, x[first:], v[first:], y, z)
        elif p.kind[k] == 2:
            own = bounded_residual(numbers[at], 0.0, np.inf, x[first], v[first])
        else:
            own = bounded_residual(numbers[at], p.bounds[k, 0], p.bounds[k, 1], x[first], v[first])
        if not own <= worst:
            worst = own
    return worst


@inner
def swept(p, s, span, b, goal, limit, check_every, state, x, best):
    """Sweep the free blocks of an island, `span`, until the residual is at the goal [m/s] or `limit` sweeps are done.

    b (n,): after elimination; state (8,): see accelerated_kernels; x, best (n,): impulses now, and those with the least
    residual. Momentum as in general_kernels.advance_general; velocities are carried along.
    """
    r0, r1 = s.place[span[0]], s.place[span[1]]
    blocks, v, before, jump = own_blocks(s, span[0], span[1]), np.zeros(b.size), np.zeros(b.size), np.zeros(b.size)
    change, y, z = np.empty(16), np.empty(16), np.empty(16)
    offset, numbers = blocks
    for i in range(r0, r1):
        v[i] = b[i]
        for j in range(r0, r1):
            v[i] += s.A[i, j] * x[j]
    state[BEST] = residual_of(p, s, span, blocks, x, v, y, z)
    for i in range(r0, r1):
        best[i] = x[i]
    while state[BEST] > goal and state[SWEEPS] < limit:
        if state[JUMP] != 0.0:
            for i in range(r0, r1):
                jump[i] = state[JUMP] * (jump[i] + x[i] - before[i]) if state[JUMP] > 0.0 else 0.0
            for i in range(r0, r1):
                x[i] += jump[i]
                for j in range(r0, r1):
                    v[i] += s.A[i, j] * jump[j]
        square, along = 0.0, 0.0
        for i in range(r0, r1):
            before[i] = x[i]
        for f in range(span[0], span[1]):
            first, m = s.place[f], s.place[f + 1] - s.place[f]
            at = offset[f - span[0]]
            relaxed(p, s.free[f], m, at, numbers, x[first:], v[first:], change, y)
            for i in range(m):
                if change[i] == 0.0:
                    continue
                x[first + i] += change[i]
                for j in range(r0, r1):
                    v[j] += s.A[j, first + i] * change[i]
                square += change[i] * change[i] * numbers[at + i * m + i]
                along += change[i] * jump[first + i] * numbers[at + i * m + i]
        state[JUMP] = momentum(state, square, along) if np.isfinite(square) else -1.0
        state[SWEEPS] += 1.0
        state[SINCE] += 1.0
        if state[SWEEPS] % check_every == 0.0 or state[SWEEPS] >= limit:
            # Afresh, so that round-off does not gather.
            for i in range(r0, r1):
                v[i] = b[i]
                for j in range(r0, r1):
                    v[i] += s.A[i, j] * x[j]
            residual = residual_of(p, s, span, blocks, x, v, y, z)
            if residual < state[BEST]:
                if residual < 0.9 * state[BEST]:
                    state[SINCE] = 0.0
                state[BEST] = residual
                for i in range(r0, r1):
                    best[i] = x[i]
            change_over(state)
    for i in range(r0, r1):
        x[i] = best[i]


@inner
def solve_jointed(p, s, goals, limits, check_every, how, least_norm, impulse):
    """Solve the islands with held rows from impulses (K,), in place: (whether all that was swept came to its goal,
    sweeps at most of an island, sweeps times blocks of all).

    s: their Jointed; goals: tolerance, acceptable, patience, effort (B,); limits: Limits; how, least_norm: see
    direct_rows.py.
    """
    held, done, most, relaxed_blocks = s.held, True, 0, 0
    count = s.rows.size
    rhs, answer = np.empty((1, held.rows.size)), np.empty((1, held.rows.size))
    x, b, best = np.empty(count), np.empty(count), np.empty(count)
    if count > 0:
        for k in range(held.rows.size):
            rhs[0, k] = p.b[held.rows[k]]
        profiles.solved(held.first, held.at, held.A, held.factors, rhs, how, answer)
        for i in range(count):
            x[i], b[i] = impulse[s.rows[i]], p.b[s.rows[i]]
            for k in range(held.rows.size):
                b[i] -= s.coupling[k, i] * answer[0, k]
    for i in range(s.start.size - 1):
        span, state, k = (s.start[i], s.start[i + 1]), np.zeros(8), s.free[s.start[i]]
        swept(p, s, span, b, goals[0][k], float(min(MOST_SWEEPS, limits.max_iterations)), check_every, state, x, best)
        done = done and state[BEST] <= goals[0][k]
        most = max(most, np.int64(state[SWEEPS]))
        relaxed_blocks += np.int64(state[SWEEPS]) * (span[1] - span[0])
    for k in range(held.rows.size):
        rhs[0, k] = -p.b[held.rows[k]]
        for i in range(count):
            rhs[0, k] -= s.coupling[k, i] * x[i]
    profiles.solved(held.first, held.at, held.A, held.factors, rhs, how, answer)
    profiles.share(held.first, held.at, held.A, held.factors, answer[0], how, least_norm)
    for k in range(held.rows.size):
        impulse[held.rows[k]] = answer[0, k]
    for i in range(count):
        impulse[s.rows[i]] = x[i]
    return done, most, relaxed_blocks + held.blocks.size
