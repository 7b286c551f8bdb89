"""Solves of problems with joints in one call: islands with held rows by elimination, plain contacts by sweeps."""

import numpy as np

from ...jit import inner, kernel
from ...problems.check_kernels import sound, zero_times_sum
from ...problems.problem_kernels import Arrays, add_velocity_change, diagonal_of, restricted
from ...problems.residual_kernels import natural_map
from ..second_order.carried_kernels import given_held, hold
from ..second_order.jointed_kernels import asks_nothing, jointed_of
from .plain_kernels import HANDED_OVER, NOT_PLAIN, STAGNATED, UNSOUND, solve_plain
from .swept_kernels import solve_jointed
from .turn_kernels import ACCEPTABLE, CONVERGED, LIMITED


@inner
def solve_rest(p, mass, s, goals, start, impulse):
    """solve_plain on the islands without held rows of a Jointed; (how, sweeps)."""
    rest, rows = restricted(p, s.rest)
    own = goals[0][s.rest], goals[1][s.rest], goals[2][s.rest], goals[3][s.rest]
    mine = impulse[rows]
    how, sweeps, _ = solve_plain(rest, mass, own, start, mine)
    if how < HANDED_OVER:
        for i in range(rows.size):
            impulse[rows[i]] = mine[i]
    return how, sweeps


@inner
def solve_carried(p, mass, s, goals, start, impulse, dof_count):
    """What solve_jointed does and returns, for a Jointed whose held rows bodies carry."""
    c = s.carried
    own = goals[0][c.blocks], goals[1][c.blocks], goals[2][c.blocks], goals[3][c.blocks]
    q, mine = c.problem, impulse[c.rows]
    there = Arrays(q.kind, q.row_start, q.J, q.G, given_held(p, s.held, c, dof_count), q.law, q.mu, q.bounds,
                   q.compliance_offset, q.compliance, q.sides)  # fmt: skip
    how, sweeps, _ = solve_plain(there, (mass[0], mass[1], c.data), own, start, mine)
    if how >= HANDED_OVER:
        return False, 0, 0
    impulse[c.rows] = mine
    hold(p, s.held, c, impulse, dof_count)
    return True, sweeps, sweeps * c.blocks.size + s.held.blocks.size


@inner
def solve_held(p, mass, s, goals, start, impulse, dof_count):
    """Solve the islands with held rows of a Jointed, see solve_jointed."""
    if s.carried.fits:
        return solve_carried(p, mass, s, goals, start, impulse, dof_count)
    return solve_jointed(p, s, goals, start, impulse)


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
def solve_joined(p, mass, s, goals, start, impulse, dof_count):
    """(how it ended, sweeps, sweeps times blocks, residual [m/s], velocity change (N,), residuals (B,)) of a solve from
    impulses (K,), in place; NOT_PLAIN where something needs more than this, and nothing was done.

    mass, goals, start: as in solve_plain; s: the Jointed.
    """
    given, change, residual = impulse.copy(), np.zeros(dof_count), np.zeros(p.kind.size)
    done, most, relaxed = solve_held(p, mass, s, goals, start, impulse, dof_count)
    rest = CONVERGED
    if done and s.rest.size > 0:
        rest, sweeps = solve_rest(p, mass, s, goals, start, impulse)
        most, relaxed = max(most, sweeps), relaxed + sweeps * s.rest.size
    if not done or rest >= HANDED_OVER:
        impulse[:] = given
        return NOT_PLAIN, 0, 0, np.inf, change, residual
    for k in range(p.kind.size):
        if asks_nothing(p, k):
            impulse[p.row_start[k] : p.row_start[k + 1]] = 0.0
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
def solve_with_joints(p, mass, goals, start, impulse, dof_count):
    """solve_joined of a problem, whose numbers are checked first; (how, sweeps, sweeps times blocks)."""
    if not sound(p) or zero_times_sum(impulse) != 0.0:
        return UNSOUND, 0, 0
    s = jointed_of(p, mass, dof_count)
    if not s.fits:
        return NOT_PLAIN, 0, 0
    how, sweeps, relaxed, _, _, _ = solve_joined(p, mass, s, goals, start, impulse, dof_count)
    return how, sweeps, relaxed
