"""Solves of problems with joints in one call: islands with held rows by elimination, plain contacts by sweeps."""

import numpy as np

from ...jit import inner, kernel
from ...problem import Arrays, BlockRows
from ...problems.check_kernels import sound, zero_times_sum
from ...problems.diagonal_kernels import diagonal_of
from ...problems.problem_kernels import add_velocity_change
from ...problems.residual_kernels import natural_map
from ..second_order.jointed_kernels import jointed_of, solve_jointed
from .plain_kernels import HANDED_OVER, NOT_PLAIN, UNSOUND, solve_plain
from .turn_kernels import ACCEPTABLE, CONVERGED, LIMITED

# How a solve ends besides: the rows that are held contradict each other.
STAGNATED = UNSOUND + 1


@inner
def restricted_rows(rows, blocks):
    """BlockRows of some blocks; their numbers stay where they are."""
    indptr = np.zeros(blocks.size + 1, np.int64)
    for x in range(blocks.size):
        indptr[x + 1] = indptr[x] + rows.indptr[blocks[x] + 1] - rows.indptr[blocks[x]]
    size = indptr[blocks.size]
    start, width, offset = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    for x in range(blocks.size):
        for s in range(indptr[x + 1] - indptr[x]):
            own = rows.indptr[blocks[x]] + s
            start[indptr[x] + s], width[indptr[x] + s] = rows.start[own], rows.size[own]
            offset[indptr[x] + s] = rows.offset[own]
    return BlockRows(indptr, start, width, offset, rows.data)


@inner
def restricted(p, blocks, rows):
    """The Arrays of blocks (n,), ascending, whose rows (k,) these are."""
    count = blocks.size
    kind, row_start, law = np.empty(count, np.int64), np.zeros(count + 1, np.int64), np.empty(count, np.int64)
    mu, bounds, offset = np.empty((count, 3)), np.empty((count, 2)), np.empty(count, np.int64)
    b = np.empty(rows.size)
    for i in range(rows.size):
        b[i] = p.b[rows[i]]
    for x in range(count):
        k = blocks[x]
        row_start[x + 1] = row_start[x] + p.row_start[k + 1] - p.row_start[k]
        kind[x], law[x], offset[x] = p.kind[k], p.law[k], p.compliance_offset[k]
        for j in range(3):
            mu[x, j] = p.mu[k, j]
        bounds[x, 0], bounds[x, 1] = p.bounds[k, 0], p.bounds[k, 1]
    J, G = restricted_rows(p.J, blocks), restricted_rows(p.G, blocks)
    return Arrays(kind, row_start, J, G, b, law, mu, bounds, offset, p.compliance, p.sides)


@inner
def solve_rest(p, mass, s, goals, limits, settings, team, impulse):
    """solve_plain on the islands without held rows of a Jointed; (how, sweeps)."""
    blocks = s.rest
    count, size = blocks.size, 0
    for k in blocks:
        size += p.row_start[k + 1] - p.row_start[k]
    rows, at = np.empty(size, np.int64), 0
    for k in blocks:
        for i in range(p.row_start[k], p.row_start[k + 1]):
            rows[at] = i
            at += 1
    own = np.empty(count), np.empty(count), np.empty(count, np.int64), np.empty(count, np.int64)
    for x in range(count):
        k = blocks[x]
        own[0][x], own[1][x], own[2][x], own[3][x] = goals[0][k], goals[1][k], goals[2][k], goals[3][k]
    mine = np.empty(size)
    for i in range(size):
        mine[i] = impulse[rows[i]]
    how, sweeps, _ = solve_plain(restricted(p, blocks, rows), mass, own, limits, settings, team, mine)
    if how < HANDED_OVER:
        for i in range(size):
            impulse[rows[i]] = mine[i]
    return how, sweeps


@inner
def held_status(p, s, goals, residual):
    """How the islands with held rows ended, from the residual (B,) of each block."""
    rest, how = np.zeros(p.kind.size, np.bool_), CONVERGED
    for k in s.rest:
        rest[k] = True
    for k in range(p.kind.size):
        if rest[k] or residual[k] <= goals[0][k]:
            continue
        if not residual[k] <= goals[1][k]:
            return STAGNATED
        how = ACCEPTABLE
    return how


@inner
def solve_joined(p, mass, s, goals, limits, settings, team, impulse, dof_count, held):
    """(how it ended, sweeps, sweeps times blocks, residual [m/s], velocity change (N,), residuals (B,)) of a solve from
    impulses (K,), in place; NOT_PLAIN where something needs more than this, and nothing was done.

    mass, goals, limits, settings, team: as in solve_plain; s: the Jointed; held: HOW and LEAST_NORM of direct_rows.py.
    """
    given, change, residual = impulse.copy(), np.zeros(dof_count), np.zeros(p.kind.size)
    done, most, relaxed = solve_jointed(p, s, goals, limits, settings.check_every, held[0], held[1], impulse)
    rest = CONVERGED
    if done and s.rest.size > 0:
        rest, sweeps = solve_rest(p, mass, s, goals, limits, settings, team, impulse)
        most, relaxed = max(most, sweeps), relaxed + sweeps * s.rest.size
    if not done or rest >= HANDED_OVER:
        impulse[:] = given
        return NOT_PLAIN, 0, 0, np.inf, change, residual
    add_velocity_change(p, impulse, change)
    offset, diagonal = diagonal_of(p)
    natural_map(p, offset, diagonal, impulse, change, residual)
    how, largest = held_status(p, s, goals, residual), 0.0
    for k in range(p.kind.size):
        if not residual[k] <= largest:
            largest = residual[k]
    if how != STAGNATED:
        how = max(how, rest)
    return LIMITED if rest == LIMITED else how, most + 1, relaxed, largest, change, residual


@kernel
def solve_with_joints(p, mass, goals, limits, settings, team, impulse, dof_count, held):
    """solve_joined of a problem, whose numbers are checked first; (how, sweeps, sweeps times blocks)."""
    if not sound(p) or zero_times_sum(impulse) != 0.0:
        return UNSOUND, 0, 0
    s = jointed_of(p, dof_count, held[0])
    if not s.fits:
        return NOT_PLAIN, 0, 0
    how, sweeps, relaxed, _, _, _ = solve_joined(p, mass, s, goals, limits, settings, team, impulse, dof_count, held)
    return how, sweeps, relaxed
