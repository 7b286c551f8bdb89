"""Kernels of a calm step: what goes before its narrow phase is one call, and what comes after its solve another.

They call what the general way calls one by one, in the same order, so the same bits.
"""

from typing import NamedTuple

import numpy as np

from ..collision.broadphase.broad_kernels import few_pairs
from ..dynamics.report_kernels import work_of_step
from ..dynamics.rigid import drift, free_motion
from ..dynamics.step_kernels import add_change, moved_beyond_search, push_velocities, rows_to_world, spread_rows
from ..dynamics.tables import BodyTables
from ..jit import kernel
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
