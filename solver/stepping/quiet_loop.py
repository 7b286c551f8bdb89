"""The loop of quiet steps, as many as are asked for in one call of a kernel.

A quiet step is one that its first attempt settles: linearise along the motion, solve, look along the solved motion,
accept. The functions are those of the general way (substeps.py) in the same order, so the bits are the same. Where a
look finds anything else to do, the loop ends before that step, and the general way makes it.
"""

from typing import Any, NamedTuple

import numpy as np

from ..collision.broadphase.broad_kernels import few_pairs
from ..collision.contacts import ContactSet
from ..collision.convex.narrow_kernels import narrow
from ..dynamics.assembly_kernels import Earlier, first_asked
from ..dynamics.contact_step import StepTimes
from ..dynamics.report_kernels import work_of_step
from ..dynamics.rigid import drift, free_motion
from ..dynamics.step_kernels import add_change, moved_beyond_search, push_velocities, rows_to_world, spread_rows
from ..dynamics.tables import BodyTables, PairTables
from ..jit import inner, kernel
from ..methods.accelerated.plain_kernels import HANDED_OVER, LARGEST, UNSOUND, Start, solve_evenly
from ..methods.accelerated.turn_kernels import LIMITED
from ..methods.base import SETTLED
from ..problem import Arrays, BlockRows
from .quiet_bounds import moved_apart, none_astray, none_deeper, quiet_ahead

# Columns of the reports of quiet steps; `work` is in contacts relaxed.
COLUMNS = ("contact_count", "impact_loss", "friction_work", "overlap", "kinetic", "potential", "residual", "iterations",
           "work")  # fmt: skip


class Search(NamedTuple):
    """What the search for contacts reads of a CollisionModel, see few_pairs and narrow; none (C,): zeros."""

    geometry: Any
    inflation: np.ndarray
    allowed: Any
    colliders: Any
    sizes: tuple
    none: np.ndarray


class Bounds(NamedTuple):
    """Within what a step is quiet: reach, allowed (R,) [m] of a Group; parts and lengths as quiet_bounds.py and
    push_velocities take them; turn, fly [m]: least that turning and flying may take a body off; again: part of what a
    pair allows that is no new overlap."""

    reach: np.ndarray
    allowed: np.ndarray
    grown: float
    turn: float
    fly: float
    margin: float
    push: tuple
    deep: float
    again: float


class Solving(NamedTuple):
    """How a quiet step is solved: see plain_kernels.Start; effort: that of the options, and that of a solve before
    contacts are searched for again; fast [m/s]: a blow that changes too much; limit: work of a step, 0 for none;
    numbers: of the goals; threshold [m/s]: of a bounce; sides: see ContactProblem."""

    start: Start
    effort: int
    first_effort: int
    fast: float
    limit: int
    numbers: tuple
    threshold: float
    sides: int


class World(NamedTuple):
    """What all steps of a group have in common; symmetry (R,3) and decay (R,2): see Model and free_motion."""

    search: Search
    bodies: BodyTables
    symmetry: np.ndarray
    decay: np.ndarray
    pairs: PairTables
    times: StepTimes
    bounds: Bounds
    solving: Solving


class Moment(NamedTuple):
    """What a step begins with and ends in: poses (R,3), (R,4), twist (R,6), the contacts with their impulses (C,5), and
    since (R,) when they were found; columns (C,4): impulses by rows."""

    position: np.ndarray
    orientation: np.ndarray
    twist: np.ndarray
    contacts: ContactSet
    impulses: np.ndarray
    since: np.ndarray
    columns: np.ndarray


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


@inner
def contacts_at(search, position, orientation, twist, h):
    """(ContactSet of bodies that move on for h [s] from there, whether all boxes are finite)."""
    place, pairs, lost = few_pairs(search.geometry, position, orientation, twist, h, search.inflation, search.allowed)
    found = narrow(search.colliders, place, pairs, 0, len(pairs), h, -1.0, search.sizes)
    contacts = ContactSet(found.body_a, found.body_b, found.position, found.normal, found.gap, found.key)
    return contacts, lost < 0


@inner
def deepens(search, bounds, after, contacts, moved):
    """Whether a pair of bodies whose contacts `moved` (C,) lies in each other at the end of the step by more than what
    is no new overlap; after: poses and twist there."""
    position, orientation, twist = after
    place, pairs, lost = few_pairs(search.geometry, position, orientation, np.zeros_like(twist), 0.0, search.none,
                                   search.allowed)  # fmt: skip
    if lost >= 0:
        return True
    suspects, count, k = np.empty_like(pairs), 0, 0
    for p in range(len(pairs)):
        a, b = search.geometry.body[pairs[p, 0]], search.geometry.body[pairs[p, 1]]
        while k < moved.size and (contacts.body_a[k] < a or (contacts.body_a[k] == a and contacts.body_b[k] < b)):
            k += 1
        q, met = k, False
        while q < moved.size and contacts.body_a[q] == a and contacts.body_b[q] == b:
            met = met or moved[q]
            q += 1
        if met:
            suspects[count, 0], suspects[count, 1] = pairs[p, 0], pairs[p, 1]
            count += 1
    found = narrow(search.colliders, place, suspects, 0, count, 0.0, 0.0, search.sizes)
    for c in range(found.gap.size):
        if -found.gap[c] > bounds.again * min(bounds.allowed[found.body_a[c]], bounds.allowed[found.body_b[c]]):
            return True
    return False


@inner
def settled(world, contacts, there, twist, start, after):
    """Whether the look along the solved motion finds nothing to do: there: position and twist where contacts were
    found; start, twist (R,6): velocities at the start and the end; after: poses and twist at the end."""
    bodies, bounds, times = world.bodies, world.bounds, world.times
    position, before = there
    a, b, gap, count = contacts.body_a, contacts.body_b, contacts.gap, contacts.gap.size
    spare, moved = np.empty(count), np.empty(count, np.bool_)
    tolerance, rate, largest = bounds.push
    if moved_beyond_search(bodies, before, twist, times.horizon, bounds.margin).any():
        return False
    if push_velocities(bodies, a, b, gap, tolerance, rate, largest, times.step - times.elapsed, spare):
        return False
    if not none_astray(bodies, bounds.reach, start, twist, before, times.step, bounds.turn, bounds.margin):
        return False
    if not none_deeper(bodies, a, b, gap, bounds.deep):
        return False
    if moved_apart(bodies, bounds.allowed, after[0], start, twist, a, b, times.step, bounds.grown, spare, moved):
        return not deepens(world.search, bounds, after, contacts, moved)
    return True


@inner
def all_finite(after):
    """Whether poses and twist are; a sum is finite if all of its numbers are."""
    return np.isfinite(after[0].sum() + after[1].sum() + after[2].sum())


@kernel
def quiet_step(world, now, report):
    """(whether it was quiet, the Moment after it): one step from the Moment `now`; report: row of COLUMNS, filled.

    Where it was not, the Moment is that given.
    """
    bodies, times, solving, bounds = world.bodies, world.times, world.solving, world.bounds
    if not quiet_ahead(bounds.reach, now.twist, 1.5 * times.step, bounds.turn, bounds.fly):
        return False, now
    position, orientation, before = drift(bodies, world.symmetry, now.position, now.orientation, now.twist,
                                          times.elapsed)  # fmt: skip
    free = np.empty_like(before)
    free_motion(bodies, before, times.step, world.decay, free)
    contacts, finite = contacts_at(world.search, position, orientation, free, times.horizon)
    if not finite:
        return False, now
    earlier = Earlier(now.contacts, now.impulses, now.since, now.position)
    out, found, impulse = first_asked(
        bodies, world.pairs, contacts, earlier, position, orientation, before, free, times, solving.threshold,
        np.zeros(0), 0.0, solving.numbers, solving.sides,
    )  # fmt: skip
    if hits_hard(found, out.before, solving.fast) or contacts.gap.size > LARGEST:
        return False, now
    effort = found.effort.copy()
    for k in range(effort.size):
        if effort[k] == solving.effort:
            effort[k] = solving.first_effort
    goals = found.tolerance, found.acceptable, found.patience, effort
    p, mass = problem_arrays(out, found.b, solving.sides), (out.mass_start, out.mass_offset, out.W)
    size = out.W.size // 6
    change, sweeps, residual = np.zeros(size), 0, 0.0
    if contacts.gap.size > 0:
        start = solving.start
        how, sweeps, _, looked = solve_evenly(p, mass, goals, start.limits, start.settings, start.team, impulse,
                                              found.share, start.loads, size)  # fmt: skip
        if how in (UNSOUND, LIMITED) or how >= HANDED_OVER or looked.left != SETTLED:
            return False, now
        # What a solve leaves at -0 is 0.
        impulse = impulse + 0.0
        change, residual = looked.change, looked.residual
    relaxed = sweeps * contacts.gap.size
    if solving.limit > 0 and relaxed >= solving.limit:
        return False, now
    twist = free.copy()
    add_change(bodies.dof_of_body, change, twist)
    after = drift(bodies, world.symmetry, position, orientation, twist, times.step - times.elapsed)
    if not all_finite(after) or not settled(world, contacts, (position, before), twist, now.twist, after):
        return False, now
    carried, columns = np.empty((contacts.gap.size, 5)), np.zeros((contacts.gap.size, 4))
    rows_to_world(impulse, out.frame, out.rows, carried)
    spread_rows(impulse, out.rows, columns)
    own = problem_arrays(out, out.b, solving.sides)
    work = work_of_step(bodies, np.zeros(0, np.bool_), own, contacts, out.frame, out.rows, impulse,
                        (position, orientation), after, times.step)  # fmt: skip
    report[0], report[1], report[2], report[3], report[4], report[5] = work
    report[6], report[7], report[8] = residual, sweeps, relaxed
    since = np.full(now.position.shape[0], times.step - times.elapsed)
    return True, Moment(after[0], after[1], after[2], contacts, carried, since, columns)


@kernel
def quiet_steps(world, now, poses, reports, first, each):
    """(how many steps were made, the Moment after them, the Moment after the last frame) from the Moment `now`: as many
    quiet ones in turn as poses (S,R,13) and reports (S,9) have rows for; position, orientation and twist, and COLUMNS,
    of each are written there. A frame ends after `first` steps, and after `each` more."""
    made, frame = 0, now
    while made < reports.shape[0]:
        quiet, now = quiet_step(world, now, reports[made])
        if not quiet:
            break
        for i in range(now.position.shape[0]):
            for j in range(3):
                poses[made, i, j] = now.position[i, j]
            for j in range(4):
                poses[made, i, 3 + j] = now.orientation[i, j]
            for j in range(6):
                poses[made, i, 7 + j] = now.twist[i, j]
        made += 1
        if made >= first and (made - first) % each == 0:
            frame = now
    return made, now, frame
