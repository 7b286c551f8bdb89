"""A solve of plain contacts between rigid bodies in one call: rows, islands, groups of sweeps, goals, even loads.

It is what accelerated.py and its classes do one by one, for problems that need nothing else: small ones spend most of
their time between kernels. Same functions in the same order, so the same bits.
"""

from typing import NamedTuple

import numpy as np

from ...jit import inner, kernel
from ...problems.check_kernels import sound, zero_times_sum
from ...problems.diagonal_kernels import diagonal_of
from ...problems.island_kernels import order_islands
from ...problems.islands import Islands
from ...problems.residual_kernels import largest_residual
from ..base import EVENED, SETTLED, SLIPS
from ..compact.accelerated_kernels import BEST, SWEEPS, advance
from ..compact.columns import PACKED
from ..compact.compact import Rows
from ..compact.compact_build_kernels import fill_compact, lay_out, plan_nodes, scale_impulses, unscale_impulses
from ..compact.compact_kernels import add_all_changes
from ..compact.part_sweep_kernels import Parts, Team, Work
from ..even_islands_kernels import slipping_from_rest, spread_islands
from .newton_turn_kernels import Turns, newton_turn, no_turns
from .turn_kernels import GROUP, Limits, asked_of_islands

# How a solve ends. CONVERGED, ACCEPTABLE, LIMITED: see Status. HANDED_OVER: an island is worth more Newton steps than
# newton_turn makes, and the solve goes on from the Solve returned. NOT_PLAIN, UNSOUND (numbers not finite or not in
# order): nothing was done.
CONVERGED, ACCEPTABLE, LIMITED, HANDED_OVER, NOT_PLAIN, UNSOUND = range(6)
# Blocks of the largest problem: below that no island is divided, and one thread makes all rows.
LARGEST = 2048


class Settings(NamedTuple):
    """Options that a solve reads, in the form kernels take them; expected: see accelerated.prepare."""

    newton: bool
    expected: float
    check_every: int


class Start(NamedTuple):
    """What solve_evenly takes from the options alone; loads: even_loads."""

    limits: Limits
    settings: Settings
    team: Team
    loads: int


class Solve(NamedTuple):
    """A solve that is not at its end: what a Sweeper and a Finisher keep."""

    rows: Rows
    islands: Islands
    work: Work
    state: np.ndarray
    impatient: np.ndarray
    turns: Turns


@inner
def split(node, count):
    """See islands.split; of islands too small to be divided."""
    size = node.shape[0]
    nodes, blocks, pair = np.empty(count, np.int64), np.empty(size, np.int64), np.empty((size, 2), np.int64)
    start, (part_node, part_block) = np.empty(count + 1, np.int64), np.empty((2, count + 1), np.int64)
    found, used = order_islands(node, count, nodes, blocks, pair, start, part_node, part_block)
    start, part_node, part_block = start[: found + 1], part_node[: found + 1], part_block[: found + 1]
    return Islands(nodes, blocks[:used], part_node, part_block, pair[:used], start, part_node, part_block)


@inner
def rows_of(p, found, L, moving, segment):
    """See compact._fill; the second value is False where the blocks are not all plain contacts."""
    blocks = found.blocks
    count = blocks.size
    row, square = np.empty(count + 1, np.int64), np.empty(count + 1, np.int64)
    form = np.empty(count, np.int8)
    plain = lay_out(p, blocks, row, square, form)
    size = row[count]
    c = Rows(
        np.empty(count, np.int64), row, square[:count], found.node_of_block, np.empty((size, 12)), np.empty(size),
        np.zeros((count, 4)), np.empty(square[count]), np.zeros(0), np.zeros(square[count]), np.zeros(count, np.int8),
        form, np.zeros((count, PACKED)), np.empty(count, np.int64), np.empty((count, 2)), p.sides, plain,
    )  # fmt: skip
    if plain:
        fill_compact(p, blocks, segment, L, moving, found.nodes, c, 0, count)
    return c, plain


@inner
def begun(p, c, found, impulse):
    """The Work of a solve that starts from impulses (K,)."""
    lam, w = np.zeros(c.b.size), np.zeros((found.nodes.size + 1, 6))
    scale_impulses(p, found.blocks, c, impulse, lam)
    add_all_changes(c, 0, c.kind.size, lam, w)
    return Work(
        lam, w, lam.copy(), np.zeros_like(lam), np.zeros_like(w), np.zeros_like(lam), np.zeros_like(w),
        np.empty_like(lam),
    )  # fmt: skip


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
def next_limits(asked, impatient, goal, limit):
    """goal (I,) and limit (I,) of the next group of sweeps, see IslandGoals.now and limit."""
    for i in range(goal.size):
        goal[i] = asked.acceptable[i] if impatient[i] else asked.tolerance[i]
        limit[i] = asked.most[i]
        if not asked.exact[i] and not impatient[i]:
            limit[i] = min(asked.patience[i], asked.most[i])


@inner
def all_spent(asked, goal, state, spent, impatient, limit):
    """Note which islands lose patience, see IslandGoals; returns whether none that is open may go on. spent (I,):
    Newton steps in sweeps."""
    for i in range(goal.size):
        used = state[i, SWEEPS] + spent[i]
        impatient[i] = used >= min(asked.patience[i], asked.most[i]) and not asked.exact[i]
    next_limits(asked, impatient, goal, limit)
    at_work = 0
    for i in range(goal.size):
        at_work += np.int64(state[i, BEST] > goal[i] and state[i, SWEEPS] + spent[i] < asked.most[i])
    return at_work == 0


@inner
def ended(asked, goal, state, impatient):
    """How the solve ended: as its worst island."""
    how = CONVERGED
    for i in range(goal.size):
        if state[i, BEST] > goal[i]:
            return LIMITED
        if impatient[i] and state[i, BEST] > asked.tolerance[i]:
            how = ACCEPTABLE
    return how


@kernel
def solve_plain(p, mass, goals, limits, settings, team, impulse):
    """Solve plain contacts from impulses (K,), in place; returns (how it ended, sweeps, Solve or None).

    mass: start, offset and data of an InverseMass; goals: tolerance, acceptable, patience, effort (B,).
    """
    start, offset, data = mass
    count, blocks = start.size - 1, p.kind.size
    L, moving = np.zeros((count, 6, 6)), np.empty(count, np.int64)
    node, segment = np.empty((blocks, 2), np.int64), np.zeros((blocks, 2), np.int64)
    used = plan_nodes(p.J, p.row_start, start, offset, data, L, moving, node, segment)
    if used < 0:
        return NOT_PLAIN, 0, None
    found = split(node, used)
    c, plain = rows_of(p, found, L, moving, segment)
    if not plain:
        return NOT_PLAIN, 0, None
    asked, parts = asked_of(found, goals, limits), Parts(found.part_start, found.part_node, found.part_block)
    size = asked.tolerance.size
    impatient, goal, limit = np.zeros(size, np.bool_), np.empty(size), np.empty(size)
    turns, state = no_turns(size), np.zeros((size, 8))
    work = begun(p, c, found, impulse)
    next_limits(asked, impatient, goal, limit)
    merit = np.zeros(GROUP)
    left, sweeps = advance(c, parts, GROUP, goal, limit, settings.check_every, state, work, merit,
                           None, team)  # fmt: skip
    while left > 0:
        if settings.newton:
            cost = newton_turn(c, found, asked, settings, goal, limit, state, work, turns)
            if cost < 0:
                return HANDED_OVER, sweeps, Solve(c, found, work, state, impatient, turns)
            sweeps += cost
        if all_spent(asked, goal, state, turns.spent, impatient, limit):
            break
        left, more = advance(c, parts, GROUP, goal, limit - turns.spent, settings.check_every, state,
                             work, merit, None, team)  # fmt: skip
        sweeps += more
    unscale_impulses(p, found.blocks, c, work.best, impulse)
    return ended(asked, goal, state, impatient), sweeps, None


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


@kernel
def solve_evenly(p, mass, goals, limits, settings, team, impulse, share, most, dof_count):
    """Check the numbers, solve_plain, and then what even.py, staggered_start.py and the judge look at first.

    Returns (how it ended, sweeps, Solve or None, Looked). Loads are left alone where the solve has not ended here.
    """
    before, evened = impulse.copy(), np.zeros(p.kind.size, np.bool_)
    change, diagonal = np.zeros(dof_count), (np.empty(0, np.int64), np.empty(0))
    if not sound(p) or zero_times_sum(impulse) != 0.0:
        return UNSOUND, 0, None, Looked(SETTLED, evened, before, diagonal, np.inf, change)
    diagonal = diagonal_of(p)
    how, sweeps, rest = solve_plain(p, mass, goals, limits, settings, team, impulse)
    if how >= HANDED_OVER:
        return how, sweeps, rest, Looked(SETTLED, evened, before, diagonal, np.inf, change)
    calm, tolerance, found = goals[2] > limits.patience, goals[0], impulse.copy()
    if slipping_from_rest(p, impulse, before, tolerance, calm, most, dof_count, evened) > 0:
        return how, sweeps, rest, Looked(SLIPS, evened, found, diagonal, np.inf, change)
    evened[:] = False
    spread_islands(p, diagonal[0], diagonal[1], impulse, before, tolerance, share, most, dof_count, evened)
    if evened.any():
        return how, sweeps, rest, Looked(EVENED, evened, found, diagonal, np.inf, change)
    residual = largest_residual(p, diagonal[0], diagonal[1], impulse, change, True)
    return how, sweeps, rest, Looked(SETTLED, evened, found, diagonal, residual, change)
