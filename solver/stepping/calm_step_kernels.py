"""Kernels of a calm step: what goes before its narrow phase is one call, and what comes after it another.

They call what the general way calls one by one, in the same order, so the same bits.
"""

from typing import NamedTuple

import numpy as np

from ..collision.broadphase.broad_kernels import few_pairs
from ..dynamics.assembly_kernels import Asked, StepArrays, first_asked
from ..dynamics.report_kernels import work_of_step
from ..dynamics.rigid import drift, free_motion
from ..dynamics.step_kernels import add_change, moved_beyond_search, push_velocities, rows_to_world, spread_rows
from ..dynamics.tables import BodyTables
from ..jit import inner, kernel
from ..methods.accelerated.plain_kernels import HANDED_OVER, LARGEST, NOT_PLAIN, UNSOUND, Looked, Start, solve_evenly
from ..methods.accelerated.turn_kernels import LIMITED
from ..methods.base import SETTLED
from ..problem import Arrays, BlockRows
from .calm_kernels import calm_after, none_deeper


class Moved(NamedTuple):
    """What moving bodies reads of a Model; decay (R,2): factors of velocity and angular velocity in the step."""

    bodies: BodyTables
    symmetry: np.ndarray
    decay: np.ndarray


class Bounds(NamedTuple):
    """Within what a step is calm: reach, allowed (R,) [m] of a Group; parts and lengths as calm_after, push_velocities
    and none_deeper take them."""

    reach: np.ndarray
    allowed: np.ndarray
    grown: float
    turn: float
    margin: float
    push: tuple
    deep: float


class Ended(NamedTuple):
    """The end of a step: poses, twist, impulses in the world (C,5) and in rows (C,4), and those of work_of_step."""

    position: np.ndarray
    orientation: np.ndarray
    twist: np.ndarray
    carried: np.ndarray
    columns: np.ndarray
    work: tuple


class Solving(NamedTuple):
    """How a calm step is solved: see plain_kernels.Start; effort: that of the options, and that of a solve before
    contacts are searched for again; fast [m/s]: a blow that changes too much."""

    start: Start
    effort: int
    first_effort: int
    fast: float


class Open(NamedTuple):
    """A calm step whose solve is to be gone on with: what first_asked returned, impulses (K,) now and of the warm
    start, efforts (C,), and what solve_evenly returned."""

    arrays: StepArrays
    asked: Asked
    impulse: np.ndarray
    before: np.ndarray
    effort: np.ndarray
    solved: tuple


@kernel
def begun(geometry, inflation, allowed, moved, position, orientation, twist, times):
    """The step to its narrow phase: position (R,3), orientation (R,4) and twist (R,6) where contacts are found, free
    (R,6): that after the step without impulses, Placement, pairs (P,2), and -1 or the number of a box that is not
    finite, see few_pairs; times: StepTimes."""
    position, orientation, twist = drift(moved.bodies, moved.symmetry, position, orientation, twist, times.elapsed)
    free = np.empty_like(twist)
    free_motion(moved.bodies, twist, times.step, moved.decay, free)
    place, pairs, lost = few_pairs(geometry, position, orientation, free, times.horizon, inflation, allowed)
    return position, orientation, twist, free, place, pairs, lost


@inner
def problem_arrays(out, b, sides):
    """The Arrays of StepArrays with another b (K,)."""
    J = BlockRows(out.indptr, out.start, out.size, out.offset, out.J)
    G = BlockRows(out.indptr, out.start, out.size, out.offset, out.G)
    return Arrays(out.kind, out.row_start, J, G, b, out.law, out.mu, out.bounds, out.compliance_offset, out.compliance,
                  sides)  # fmt: skip


@inner
def hits_hard(found, before, fast):
    """Whether something lands, bounces or comes too fast for where contacts were searched for; before (C,4)."""
    hard = found.onset
    for k in range(found.hit.size):
        hard = hard or found.hit[k] or before[k, 0] < -fast
    return hard


@kernel
def ended(moved, bounds, out, contacts, impulse, change, there, free, start, times, sides):
    """(whether the step was calm, its Ended) of impulses (K,) that make `change` (N,) of velocity; out: StepArrays.

    there: position, orientation, twist where contacts were found; start (R,6): velocities at the start of the step.
    """
    bodies, remaining = moved.bodies, times.step - times.elapsed
    position, orientation, before = there
    twist, frame, rows, count = free.copy(), out.frame, out.rows, out.rows.size
    add_change(bodies.dof_of_body, change, twist)
    carried, columns, spare = np.empty((count, 5)), np.zeros((count, 4)), np.empty(count)
    tolerance, rate, largest = bounds.push
    calm = not moved_beyond_search(bodies, before, twist, times.horizon, bounds.margin).any()
    calm = calm and not push_velocities(bodies, contacts.body_a, contacts.body_b, contacts.gap, tolerance, rate,
                                        largest, remaining, spare)  # fmt: skip
    after = drift(bodies, moved.symmetry, position, orientation, twist, remaining)
    calm = calm and calm_after(
        bodies, bounds.reach, bounds.allowed, after[0], start, twist, before, contacts.body_a, contacts.body_b,
        times.step, bounds.grown, bounds.turn, bounds.margin, spare,
    )  # fmt: skip
    calm = calm and none_deeper(bodies, contacts.body_a, contacts.body_b, contacts.gap, bounds.deep)
    if not calm:
        return False, Ended(after[0], after[1], after[2], carried, columns, (0, 0.0, 0.0, 0.0, 0.0, 0.0))
    rows_to_world(impulse, frame, rows, carried)
    spread_rows(impulse, rows, columns)
    J = BlockRows(out.indptr, out.start, out.size, out.offset, out.J)
    G = BlockRows(out.indptr, out.start, out.size, out.offset, out.G)
    p = Arrays(out.kind, out.row_start, J, G, out.b, out.law, out.mu, out.bounds, out.compliance_offset, out.compliance,
               sides)  # fmt: skip
    every = np.zeros(0, np.bool_)
    work = work_of_step(bodies, every, p, contacts, frame, rows, impulse, (position, orientation), after, times.step)
    return True, Ended(after[0], after[1], after[2], carried, columns, work)


@inner
def solve_from(p, mass, goals, start, impulse, share, dof_count):
    """solve_evenly of as many contacts as it is for; else nothing is done, and it says so."""
    if p.kind.size <= LARGEST:
        return solve_evenly(p, mass, goals, start.limits, start.settings, start.team, impulse, share, start.loads,
                            dof_count)  # fmt: skip
    nothing = np.empty(0, np.int64), np.empty(0)
    return NOT_PLAIN, 0, None, Looked(SETTLED, np.zeros(0, np.bool_), impulse, nothing, np.inf, np.zeros(0))


@kernel
def solved(moved, bounds, pairs, contacts, earlier, there, free, start, times, threshold, given, solving, sides):
    """(whether the step may be calm, whether it was at its end, its Ended, sweeps, residual [m/s], Open or None) after
    the narrow phase: what is asked, the solve and the end; see first_asked, solve_evenly and ended."""
    position, orientation, before = there
    out, found, impulse = first_asked(moved.bodies, pairs, contacts, earlier, position, orientation, before, free,
                                      times, threshold, np.zeros(0), 0.0, given, sides)  # fmt: skip
    none = Ended(position, orientation, before, out.before, out.before, (0, 0.0, 0.0, 0.0, 0.0, 0.0))
    if hits_hard(found, out.before, solving.fast):
        return False, none, 0, 0.0, None
    effort = found.effort.copy()
    for k in range(effort.size):
        if effort[k] == solving.effort:
            effort[k] = solving.first_effort
    goals = found.tolerance, found.acceptable, found.patience, effort
    p, mass, warm = problem_arrays(out, found.b, sides), (out.mass_start, out.mass_offset, out.W), impulse.copy()
    size = out.W.size // 6
    if p.kind.size == 0:
        calm, end = ended(moved, bounds, out, contacts, impulse, np.zeros(size), there, free, start, times, sides)
        return calm, end, 0, 0.0, None
    how, sweeps, rest, looked = solve_from(p, mass, goals, solving.start, impulse, found.share, size)
    if how in (UNSOUND, LIMITED):
        return False, none, sweeps, 0.0, None
    if how >= HANDED_OVER or looked.left != SETTLED:
        return True, none, sweeps, 0.0, Open(out, found, impulse, warm, effort, (how, sweeps, rest, looked))
    # What a solve leaves at -0 is 0.
    calm, end = ended(moved, bounds, out, contacts, impulse + 0.0, looked.change, there, free, start, times, sides)
    return calm, end, sweeps, looked.residual, None
