"""The loop of quiet steps, as many as are asked for in one call of a kernel.

A quiet step is one that its first attempt settles: linearise along the motion, solve, look along the solved motion,
accept. The functions are those of the general way (substeps.py) in the same order, so the bits are the same. Where a
look finds anything else to do, the loop ends before that step, and the general way makes it.
"""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from ..collision.broadphase.broad_kernels import few_pairs
from ..collision.contacts import ContactSet
from ..collision.convex.narrow_kernels import narrow
from ..dynamics.assembly_kernels import (
    Earlier,
    asked,
    be_patient_at_first,
    begun,
    columns_of,
    contact_arrays,
    no_couples,
)
from ..dynamics.contact_step import StepTimes
from ..dynamics.jointed.after_kernels import Read, middle_of_step, readings
from ..dynamics.jointed.row_kernels import Tables
from ..dynamics.report_kernels import stabilisation_work, work_of_step
from ..dynamics.rigid import drift, free_motion
from ..dynamics.step_kernels import (
    add_change,
    contact_velocities,
    match,
    moved_beyond_search,
    push_velocities,
    relative_travels,
    rows_to_world,
    spread_rows,
)
from ..dynamics.tables import BodyTables, PairTables
from ..jit import inner, kernel
from ..methods.accelerated.plain_kernels import HANDED_OVER, LARGEST, UNSOUND, Start, solve_evenly
from ..methods.accelerated.turn_kernels import LIMITED
from ..methods.base import SETTLED
from .quiet_bounds import moved_apart, none_deeper, none_turns, quiet_ahead, turn_bound
from .quiet_joints import (
    Answer,
    JointsNow,
    after_joints,
    answer_with_joints,
    errs,
    is_taut,
    no_rows,
    not_settled,
    worked,
)

# Columns of the reports of quiet steps; `work` is in contacts relaxed.
COLUMNS = ("contact_count", "impact_loss", "friction_work", "overlap", "kinetic", "potential", "residual", "iterations",
           "work", "stabilisation_work", "joint_work")  # fmt: skip


class Search(NamedTuple):
    """What the search for contacts reads of a CollisionModel, see few_pairs and narrow; none (C,): zeros."""

    geometry: Any
    inflation: np.ndarray
    allowed: Any
    colliders: Any
    sizes: tuple
    none: np.ndarray


class Bounds(NamedTuple):
    """Within what a step is quiet: reach, allowed, thickness (R,) [m] of a Group; parts and lengths as quiet_bounds.py
    and push_velocities take them; turn, fly [m]: least that turning and flying may take a body off; turns: part of what
    a body allows that it turns off its path; again: part of what a
    pair allows that is no new overlap; late: part of the smaller body that may be met late; taut: radians that bodies
    may swing across the pull of joints, ahead and back."""

    reach: np.ndarray
    allowed: np.ndarray
    thickness: np.ndarray
    grown: float
    turn: float
    fly: float
    margin: float
    push: tuple
    deep: float
    turns: float
    again: float
    late: float
    taut: tuple


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
    """What all steps of a group have in common; symmetry (R,3) and decay (R,2): see Model and free_motion; joints:
    Tables, read: what readings take of them, and how many there are."""

    search: Search
    bodies: BodyTables
    symmetry: np.ndarray
    decay: np.ndarray
    pairs: PairTables
    times: StepTimes
    bounds: Bounds
    solving: Solving
    joints: Tables
    read: Read
    joint_count: int


class Moment(NamedTuple):
    """What a step begins with and ends in: poses (R,3), (R,4), twist (R,6), the contacts with their impulses (C,5),
    since (R,) when they were found, horizon (R,) how far they are searched for; columns (C,4): impulses by rows;
    joints: JointsNow."""

    position: np.ndarray
    orientation: np.ndarray
    twist: np.ndarray
    contacts: ContactSet
    impulses: np.ndarray
    since: np.ndarray
    horizon: np.ndarray
    columns: np.ndarray
    joints: JointsNow


class Places(NamedTuple):
    """Where bodies are in the middle of a step: by their velocities alone, straight (R,3), (R,4); where contacts are
    found; where joints push; before, free (R,6): velocities there, and at the end without impulses."""

    straight: tuple
    position: np.ndarray
    orientation: np.ndarray
    pushed: tuple
    before: np.ndarray
    free: np.ndarray


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
def unsearched_pairs(world, at, twist, astray, pairs):
    """Those of pairs (P,2) of colliders with a body `astray` (R,) that no search covers now that they move with `twist`
    (R,6), see relative.unsearched."""
    count, body = len(pairs), world.search.geometry.body
    a, b, travel = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count)
    for p in range(count):
        a[p], b[p] = body[pairs[p, 0]], body[pairs[p, 1]]
    size, found, used = world.bodies.size, np.empty_like(pairs), 0
    relative_travels(size, at.position, twist - at.before, world.times.horizon, a, b, travel)
    for p in range(count):
        apart = travel[p] > world.bounds.margin * min(size[a[p]], size[b[p]])
        if apart and (astray[a[p]] or astray[b[p]]):
            found[used, 0], found[used, 1] = pairs[p, 0], pairs[p, 1]
            used += 1
    return found[:used]


@inner
def meets_late(world, at, contacts, twist, astray):
    """Whether bodies `astray` (R,), which their impulses sent where no search covers, come to overlap there by more
    than they may, see impulses._late_contacts."""
    search, bodies, h = world.search, world.bodies, world.times.horizon
    place, pairs, lost = few_pairs(search.geometry, at.position, at.orientation, twist, h, search.inflation,
                                   search.allowed)  # fmt: skip
    if lost >= 0:
        return True
    pairs = unsearched_pairs(world, at, twist, astray, pairs)
    found = narrow(search.colliders, place, pairs, 0, len(pairs), h, -1.0, search.sizes)
    count, present = found.gap.size, contacts.gap.size
    source, frame = np.empty(count, np.int64), np.zeros((max(count, present), 3, 3))
    match(contacts.body_a, contacts.body_b, contacts.key, found.body_a, found.body_b, found.key, source)
    later, now = np.empty((count, 4)), np.empty((present, 4))
    for k in range(count):
        frame[k, 0] = found.normal[k]
    contact_velocities(twist, at.position, found.body_a, found.body_b, found.position, found.gap, frame, later)
    for k in range(present):
        frame[k, 0] = contacts.normal[k]
    a, b = contacts.body_a, contacts.body_b
    contact_velocities(twist, at.position, a, b, contacts.position, contacts.gap, frame, now)
    for k in range(count):
        smaller, known = np.inf, 0.0
        for body in (found.body_a[k], found.body_b[k]):
            if bodies.inverse_mass[body] > 0.0:
                smaller = min(smaller, bodies.size[body])
        if source[k] >= 0:
            known = min(0.0, contacts.gap[source[k]] + h * now[source[k], 0])
        if found.gap[k] + h * later[k, 0] < known - world.bounds.late * smaller:
            return True
    return False


@inner
def turn_together(world, position, orientation, twist, off):
    """Whether two bodies whose boxes come near turn further off their paths, off (R,) [m], than they may overlap."""
    search, allowed, body = world.search, world.bounds.allowed, world.search.geometry.body
    _, pairs, lost = few_pairs(search.geometry, position, orientation, twist, 1.5 * world.times.step, search.none,
                               search.allowed)  # fmt: skip
    far = lost >= 0
    for p in range(len(pairs)):
        a, b = body[pairs[p, 0]], body[pairs[p, 1]]
        far = far or not off[a] + off[b] <= min(allowed[a], allowed[b])
    return far


@inner
def fly_through(world, now, off):
    """Whether two bodies may meet and pass each other where no search has covered their way, see step_review._flying;
    off (R,) [m]: how far they turn off their paths in a step."""
    search, bounds, h = world.search, world.bounds, world.times.step
    count, body = now.twist.shape[0], search.geometry.body
    way, fast = np.empty(count), np.empty(count, np.bool_)
    for i in range(count):
        speed = sqrt(now.twist[i, 0] ** 2 + now.twist[i, 1] ** 2 + now.twist[i, 2] ** 2)
        spin = sqrt(now.twist[i, 3] ** 2 + now.twist[i, 4] ** 2 + now.twist[i, 5] ** 2)
        way[i] = 0.5 * h * (speed + bounds.reach[i] * spin)
        unseen = now.horizon.size == 0 or now.horizon[i] < 0.5 * (1.0 - 1e-9) * h
        fast[i] = way[i] > bounds.fly and (unseen or off[i] > bounds.turns * bounds.allowed[i])
    if not fast.any():
        return False
    _, pairs, lost = few_pairs(search.geometry, now.position, now.orientation, now.twist, 0.5 * h, search.none,
                               search.allowed)  # fmt: skip
    through = lost >= 0
    for p in range(len(pairs)):
        a, b = body[pairs[p, 0]], body[pairs[p, 1]]
        thin = not way[a] + way[b] <= min(bounds.thickness[a], bounds.thickness[b])
        through = through or (thin and (fast[a] or fast[b]))
    return through


@inner
def strays_ahead(world, now):
    """Whether bodies would turn or fly too far in the coming step, see step_review.look_ahead."""
    bounds, h = world.bounds, world.times.step
    if quiet_ahead(bounds.reach, now.twist, 1.5 * h, bounds.turn, bounds.fly):
        return False
    off = np.empty(now.twist.shape[0])
    for i in range(off.size):
        off[i] = turn_bound(bounds.reach, now.twist, i, h)
    return turn_together(world, now.position, now.orientation, now.twist, off) or fly_through(world, now, off)


@inner
def strays_after(world, contacts, start, twist, after):
    """Whether bodies that met, or are near each other, turned further off their paths than they may overlap."""
    bounds, h = world.bounds, world.times.step
    if none_turns(bounds.reach, start, twist, h, bounds.turn):
        return False
    off = np.empty(twist.shape[0])
    for i in range(off.size):
        off[i] = max(turn_bound(bounds.reach, start, i, h), turn_bound(bounds.reach, twist, i, h))
    for k in range(contacts.gap.size):
        a, b = contacts.body_a[k], contacts.body_b[k]
        if not off[a] + off[b] <= min(bounds.allowed[a], bounds.allowed[b]):
            return True
    return turn_together(world, after[0], after[1], after[2], off)


@inner
def settled(world, contacts, at, twist, start, after):
    """Whether the look along the solved motion finds nothing to do: at: Places; start, twist (R,6): velocities at the
    start and the end; after: poses and twist at the end."""
    bodies, bounds, times = world.bodies, world.bounds, world.times
    a, b, gap, count = contacts.body_a, contacts.body_b, contacts.gap, contacts.gap.size
    spare, moved = np.empty(count), np.empty(count, np.bool_)
    tolerance, rate, largest = bounds.push
    astray = moved_beyond_search(bodies, at.before, twist, times.horizon, bounds.margin)
    if astray.any() and meets_late(world, at, contacts, twist, astray):
        return False
    if push_velocities(bodies, a, b, gap, tolerance, rate, largest, times.step - times.elapsed, spare):
        return False
    if strays_after(world, contacts, start, twist, after):
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


@inner
def middle(world, now):
    """The Places of a step from the Moment `now`."""
    bodies, times = world.bodies, world.times
    position, orientation, before = drift(bodies, world.symmetry, now.position, now.orientation, now.twist,
                                          times.elapsed)  # fmt: skip
    free = np.empty_like(before)
    free_motion(bodies, before, times.step, world.decay, free)
    straight = position, orientation
    if world.joint_count == 0:
        return Places(straight, position, orientation, straight, before, free)
    joints, remaining = now.joints, times.step - times.elapsed
    shift = (times.step - remaining) / 3.0 * (free - before)
    position, orientation, place, turned = middle_of_step(
        world.joints, bodies, (joints.value, joints.impulse, joints.broken), (now.contacts, now.impulses), position,
        orientation, shift,
    )  # fmt: skip
    return Places(straight, position, orientation, (place, turned), before, free)


@inner
def answer_of_contacts(world, contacts, at, earlier, begun):
    """The Answer of a step without joints; begun: StepArrays of its contacts, impulses of the warm start, loaded."""
    bodies, times, solving = world.bodies, world.times, world.solving
    out, impulse, loaded = begun
    own, size = contact_arrays(out, out.b, solving.sides), out.W.size // 6
    found = asked(bodies, own, out.W, out.M, contacts, columns_of(out), earlier, at.position, at.before, times,
                  solving.threshold, np.zeros(0), 0.0, solving.numbers, impulse, no_couples())  # fmt: skip
    be_patient_at_first(found.of_block, loaded, solving.numbers[2][2], found.patience, found.effort)
    if hits_hard(found, out.before, solving.fast):
        return not_settled(impulse, own, no_rows())
    if impulse.size == 0:
        return Answer(True, np.zeros(size), 0, 0.0, 0, impulse, own, no_rows(), np.zeros(0))
    effort = found.effort.copy()
    for k in range(effort.size):
        if effort[k] == solving.effort:
            effort[k] = solving.first_effort
    goals, start = (found.tolerance, found.acceptable, found.patience, effort), solving.start
    p, mass = contact_arrays(out, found.b, solving.sides), (out.mass_start, out.mass_offset, out.W)
    how, sweeps, _, looked = solve_evenly(p, mass, goals, start.limits, start.settings, start.team, impulse,
                                          found.share, start.loads, size)  # fmt: skip
    if how in (UNSOUND, LIMITED) or how >= HANDED_OVER or looked.left != SETTLED:
        return not_settled(impulse, own, no_rows())
    # What a solve leaves at -0 is 0.
    return Answer(True, looked.change, sweeps, looked.residual, sweeps * found.hit.size, impulse + 0.0, own, no_rows(),
                  np.zeros(0))  # fmt: skip


@inner
def fill_report(world, at, contacts, out, answer, own, twist, after, report):
    """Fill the row of COLUMNS of a step; own (k,): impulses of joints."""
    bodies, h, joint_work, stabilisation = world.bodies, world.times.step, 0.0, 0.0
    works = work_of_step(bodies, np.zeros(0, np.bool_), answer.own, contacts, out.frame, out.rows, answer.impulse,
                         (at.position, at.orientation), after, h)  # fmt: skip
    if world.joint_count > 0:
        stabilisation = stabilisation_work(bodies, at.position, at.orientation, after[0], after[1], twist,
                                           h - world.times.elapsed, after[2])  # fmt: skip
        stabilisation += stabilisation_work(bodies, at.straight[0], at.straight[1], at.position, at.orientation,
                                            at.before, 0.0, at.before)  # fmt: skip
        joint_work = worked(world, answer, own, at.free, twist)
    report[0], report[1], report[2], report[3], report[4], report[5] = works
    report[6], report[7], report[8] = answer.residual, answer.sweeps, answer.relaxed
    report[9], report[10] = stabilisation, joint_work


@inner
def fill_poses(now, poses):
    """Fill poses (R,13) with position, orientation and twist of a Moment."""
    for i in range(now.position.shape[0]):
        for j in range(3):
            poses[i, j] = now.position[i, j]
        for j in range(4):
            poses[i, 3 + j] = now.orientation[i, j]
        for j in range(6):
            poses[i, 7 + j] = now.twist[i, j]


@kernel
def quiet_step(world, now, report):
    """(whether it was quiet, the Moment after it): one step from the Moment `now`; report: row of COLUMNS, filled.
    Where it was not, the Moment is that given."""
    bodies, times, bounds, jointed = world.bodies, world.times, world.bounds, world.joint_count > 0
    if strays_ahead(world, now):
        return False, now
    if jointed and is_taut(world.joints, bodies, now.orientation, now.joints, bounds.taut[0], times.step):
        return False, now
    at = middle(world, now)
    contacts, finite = contacts_at(world.search, at.position, at.orientation, at.free, times.horizon)
    if not finite or contacts.gap.size > LARGEST:
        return False, now
    earlier = Earlier(now.contacts, now.impulses, now.since, now.position)
    begins = begun(bodies, world.pairs, contacts, earlier, at.position, at.orientation, at.before, at.free, times)
    if jointed:
        answer = answer_with_joints(world, now, at, contacts, earlier, begins)
    else:
        answer = answer_of_contacts(world, contacts, at, earlier, begins)
    if not answer.settled or (world.solving.limit > 0 and answer.relaxed >= world.solving.limit):
        return False, now
    out, joints, remaining, twist = begins[0], now.joints, times.step - times.elapsed, at.free.copy()
    add_change(bodies.dof_of_body, answer.change, twist)
    position, orientation, velocity = drift(bodies, world.symmetry, at.position, at.orientation, twist, remaining)
    own = answer.impulse[out.b.size :]
    if jointed:
        position, orientation, joints = after_joints(world, now, answer.joined, own, position, orientation)
        taut = is_taut(world.joints, bodies, orientation, joints, bounds.taut[1], times.step)
        if taut or errs(world, answer, own, at.before, twist):
            return False, now
    after = position, orientation, velocity
    if not all_finite(after) or not settled(world, contacts, at, twist, now.twist, after):
        return False, now
    fill_report(world, at, contacts, out, answer, own, twist, after, report)
    impulse, count = answer.impulse[: out.b.size], contacts.gap.size
    carried, columns = np.empty((count, 5)), np.zeros((count, 4))
    rows_to_world(impulse, out.frame, out.rows, carried)
    spread_rows(impulse, out.rows, columns)
    since = np.full(now.position.shape[0], remaining)
    horizon = np.full(now.position.shape[0], times.horizon - remaining)
    return True, Moment(position, orientation, velocity, contacts, carried, since, horizon, columns, joints)


@kernel
def quiet_steps(world, now, records, first, each):
    """(how many steps were made, the Moment after them, the Moment after the last frame) from the Moment `now`: as many
    quiet ones in turn as there is room for. A frame ends after `first` steps, and after `each` more.

    records: of each step position, orientation and twist (S,R,13), COLUMNS (S,11), and readings of joints (S,J,11).
    """
    poses, reports, read = records
    made, frame = 0, now
    while made < reports.shape[0]:
        quiet, now = quiet_step(world, now, reports[made])
        if not quiet:
            break
        fill_poses(now, poses[made])
        if world.joint_count > 0:
            j = now.joints
            readings(world.read, (j.value, j.impulse, j.load, j.broken), now.position, now.orientation, now.twist,
                     world.times.step, read[made])  # fmt: skip
        made += 1
        if made >= first and (made - first) % each == 0:
            frame = now
    return made, now, frame
