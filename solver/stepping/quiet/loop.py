"""The loop of quiet steps, as many as are asked for in one call of a kernel.

A quiet step is one that its first attempt settles: linearise along the motion, solve, look along the solved motion,
accept. The functions are those of the general way (../substeps.py) in the same order, so the bits are the same. Where a
look finds anything else to do, the loop ends before that step, and the general way makes it.
"""

from math import sqrt

import numpy as np

from ...base.work import LEVERAGE, MORE
from ...dynamics.assembly_kernels import Earlier, begun, columns_of
from ...dynamics.carry_kernels import spread_rows
from ...dynamics.jointed.after_kernels import place_of_joints, readings
from ...dynamics.jointed.function_kernels import turns_fast
from ...dynamics.jointed.momentum_kernels import close_nothing, keep_momentum
from ...dynamics.kinematic import drive
from ...dynamics.onset import shorten_horizon
from ...dynamics.projection import opened_by
from ...dynamics.report_kernels import NEWLY_DEEP, deep_islands, kinetic_at, stabilisation_work, work_of_step
from ...dynamics.rigid import drift, free_motion, velocities_at_end
from ...dynamics.step_kernels import add_change, rows_to_world
from ...jit import inner, kernel
from ...methods.accelerated.plain_kernels import LARGEST
from ..not_accepted import SHOWS
from ..sleep_kernels import met_on_paths
from .answers import closed_at_end, moved_to_end
from .contacts import answer_of_contacts
from .joints import after_joints, answer_with_joints, are_taut, ask_for_halves, worked
from .look import all_finite, contacts_at, depth_at_end, searched_enough, settled, strays_ahead
from .rest import keep_still, rested
from .world import Moment, Places


@inner
def middle(world, now):
    """The Places of a step from the Moment `now`."""
    bodies, times = world.bodies, world.times
    position, orientation, before = drift(bodies, world.symmetry, now.position, now.orientation, now.twist,
                                          times.elapsed)  # fmt: skip
    free = np.empty_like(before)
    free_motion(bodies, before, times.step, world.decay, free)
    if world.joint_count == 0:
        return Places(position, orientation, (position, orientation), before, free)
    joints, remaining = now.joints, times.step - times.elapsed
    shift = (times.step - remaining) / 3.0 * (free - before)
    given = joints.value, joints.impulse, joints.broken
    pushed = place_of_joints(world.joints, bodies, given, (now.contacts, now.impulses), position, orientation, shift)
    return Places(position, orientation, pushed, before, free)


@inner
def driven(world, now, start):
    """The Moment at the time `start` [s] with the velocities of the bodies on keyed paths in the step from there."""
    if world.paths.body.size == 0:
        return now
    twist, h = now.twist.copy(), world.times.step
    drive(world.paths, start + h, h, now.position, now.orientation, twist)
    return Moment(now.position, now.orientation, twist, now.contacts, now.impulses, now.since, now.horizon, now.columns,
                  now.joints, now.known)  # fmt: skip


@inner
def too_fast(world, now, after):
    """Whether a body is faster after a step than keys and the kinetic energy before it explain, see explained.py; now:
    Moment before it with the velocities of the bodies on keyed paths; after: poses and twist."""
    bodies, keys = world.bodies, 0.0
    for i in world.paths.body:
        speed = sqrt(now.twist[i, 0] ** 2 + now.twist[i, 1] ** 2 + now.twist[i, 2] ** 2)
        spin = sqrt(now.twist[i, 3] ** 2 + now.twist[i, 4] ** 2 + now.twist[i, 5] ** 2)
        keys = max(keys, speed + bodies.size[i] * spin)
    usual, energy = LEVERAGE * (keys + world.slow), kinetic_at(bodies, now.orientation, now.twist)
    # No body has more than all of it: most steps are seen to be slow so.
    if kinetic_at(bodies, after[1], after[2]) <= energy:
        return False
    for i in range(bodies.mass.size):
        if bodies.inverse_mass[i] > 0.0:
            twist = after[2][i]
            speed = sqrt(twist[0] ** 2 + twist[1] ** 2 + twist[2] ** 2)
            speed += bodies.size[i] * sqrt(twist[3] ** 2 + twist[4] ** 2 + twist[5] ** 2)
            if speed > usual + MORE * sqrt(2.0 * energy * bodies.inverse_mass[i]):
                return True
    return False


@inner
def fill_report(world, at, contacts, out, answer, own, twist, after, otherwise, known, report):
    """Fill the row of COLUMNS of a step; own (k,): impulses of joints; otherwise: whether bodies moved otherwise than
    with twist (R,6); known: Known of the search."""
    bodies, h, joint_work, stabilisation = world.bodies, world.times.step, 0.0, 0.0
    count, normal, friction, overlap, kinetic, potential, deep = work_of_step(
        bodies, np.zeros(0, np.bool_), answer.own, contacts, out.frame, answer.impulse,
        ((at.position, at.orientation), after), h, NEWLY_DEEP * world.bounds.closing.tolerance,
    )  # fmt: skip
    if deep.any():
        overlap = max(overlap, depth_at_end(world.search, after, contacts, deep, known))
    if otherwise or world.joint_count > 0:
        stabilisation = stabilisation_work(bodies, at.position, at.orientation, after[0], after[1], twist,
                                           h - world.times.elapsed, after[2])  # fmt: skip
    if world.joint_count > 0:
        joint_work = worked(world, answer, own, at.free, twist)
    report[0], report[1], report[2], report[3], report[4], report[5] = (
        count, normal, friction, overlap, kinetic, potential)  # fmt: skip
    report[6], report[7], report[8] = answer.residual, answer.sweeps, answer.relaxed
    report[9], report[10] = stabilisation, joint_work


@inner
def gains_show(bodies, contacts, report):
    """Whether closing joints and contacts gave energy that shows, which the general way names with its bodies; report:
    row of COLUMNS."""
    weight, gravity = 0.0, bodies.gravity
    for i in range(bodies.mass.size):
        if bodies.inverse_mass[i] > 0.0:
            weight += bodies.mass[i] * bodies.size[i]
    weight *= sqrt(gravity[0] ** 2 + gravity[1] ** 2 + gravity[2] ** 2)
    gain = min(report[9], report[9] + report[1] + report[2])
    return contacts.gap.size > 0 and gain > 0.5 * SHOWS * (report[4] + weight)


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


@inner
def fastest_moving(bodies, twist):
    """Largest component [m/s] of the velocities of bodies that move freely, as check_speeds has it."""
    fastest = 0.0
    for i in range(bodies.mass.size):
        if bodies.inverse_mass[i] > 0.0:
            fastest = max(fastest, abs(twist[i, 0]), abs(twist[i, 1]), abs(twist[i, 2]))
    return fastest


@kernel
def quiet_step(world, now, former, report, asking):
    """(whether it was quiet, the Moment after it): one step from the Moment `now`, with the velocities in it of bodies
    on keyed paths; former: twist (R,6) with those of the step before. report: row of COLUMNS and COUNTED, filled.
    Where it was not, the Moment is that given; where that is because joints ask for halves, `asking` has the bodies,
    see ask_for_halves, and the report the work and the largest speed [m/s], in place of the number of contacts."""
    bodies, times, bounds, jointed = world.bodies, world.times, world.bounds, world.joint_count > 0
    if strays_ahead(world, now):
        return False, now
    carrying = now.contacts, now.impulses, now.position, now.twist, now.since
    if are_taut(world, now.orientation, now.joints, carrying, bounds.taut[0]).any():
        return False, now
    functions = world.joints.functions
    if jointed and turns_fast(functions.part, functions.body, now.twist, times.elapsed):
        return False, now
    at = middle(world, now)
    contacts, finite, known = contacts_at(world.search, (at.position, at.orientation), at.free, times.horizon,
                                          now.known)  # fmt: skip
    if not finite or contacts.gap.size > LARGEST:
        return False, now
    earlier = Earlier(now.contacts, now.impulses, now.since, now.position)
    begins = begun(bodies, world.pairs, contacts, earlier, at, times)
    if jointed:
        answer = answer_with_joints(world, now, at, contacts, earlier, begins)
    else:
        answer = answer_of_contacts(world, contacts, at, earlier, begins)
    if not answer.settled or (world.solving.limit > 0 and answer.relaxed >= world.solving.limit):
        return False, now
    out, joints, remaining, twist = begins[0], now.joints, times.step - times.elapsed, at.free.copy()
    add_change(bodies.dof_of_body, answer.change, twist)
    here, motion, moving, otherwise, pushed = moved_to_end(world, at, contacts, out, answer, twist)
    if not here:
        return False, now
    position, orientation, velocity = drift(bodies, world.symmetry, at.position, at.orientation, motion, remaining)
    own, went, turned = answer.impulse[out.b.size :], (position, orientation, velocity), orientation
    if jointed:
        if turns_fast(functions.part, functions.body, twist, remaining):
            return False, now
        snapped, (position, orientation), joints = after_joints(world, now, answer.joined, own, position, orientation)
        if snapped:
            return False, now
    there, ends = (at.position, at.orientation), (position, orientation)
    deep = deep_islands(bodies, columns_of(out, contacts), answer.found.of_block, bounds.closing, times.elapsed, there,
                        ends)  # fmt: skip
    closed = close_nothing(deep.size)
    if deep.any():
        known_here, position, orientation, joints = closed_at_end(world, joints, position, orientation, deep, known,
                                                                  closed)
        if not known_here:
            return False, now
        if closed[0].any():
            motion, otherwise = motion + closed[0] / remaining, True
            pushed += np.count_nonzero(opened_by(contacts, closed[0]))
    if otherwise:
        went = drift(bodies, world.symmetry, at.position, at.orientation, twist, remaining)
    if otherwise or jointed:
        velocity = velocities_at_end(bodies, went, turned, ends[1], orientation)
        pressed = (contacts.body_a, contacts.body_b), out.row_start, answer.impulse, moving
        pushing = answer.joined.derivative, answer.joined.rows, own
        keep_momentum(world.joints, bodies, now.joints.broken, (at.position, at.pushed[0]), pushing, went,
                      (position, orientation, velocity), ((motion, twist, remaining), pressed, closed[1:]))  # fmt: skip
    after = position, orientation, velocity
    if not all_finite(after) or not searched_enough(world, contacts, at, twist, known):
        return False, now
    impulse, count = answer.impulse[: out.b.size], contacts.gap.size
    carried, columns = np.empty((count, 5)), np.zeros((count, 4))
    rows_to_world(impulse, out.frame, out.rows, carried)
    spread_rows(impulse, out.rows, columns)
    since = np.full(now.position.shape[0], remaining)
    taut = are_taut(world, orientation, joints, (contacts, carried, position, velocity, since), bounds.taut[1])
    if jointed and ask_for_halves(world, answer, taut, own, (at.before, former, twist), asking):
        report[0], report[8] = fastest_moving(bodies, velocity), answer.relaxed
        return False, now
    if taut.any():
        return False, now
    if not settled(world, contacts, at, (now.twist, twist, motion), after, known):
        return False, now
    if world.paths.body.size > 0 and too_fast(world, now, after):
        return False, now
    fill_report(world, at, contacts, out, answer, own, twist, after, otherwise, known, report)
    if (otherwise or jointed) and gains_show(bodies, contacts, report):
        return False, now
    report[11], report[12] = answer.found.lands.sum(), answer.found.passed.sum()
    report[13], report[14] = answer.found.hit.sum(), pushed
    horizon = np.full(now.position.shape[0], times.horizon - remaining)
    if (answer.found.hit & (out.restitution > 0.0)).any():
        shorten_horizon(bodies, contacts, at.position, (motion, twist), (remaining, bounds.late), horizon)
    return True, Moment(position, orientation, velocity, contacts, carried, since, horizon, columns, joints, known)


@inner
def aim(world, targets):
    """Write the targets (n,) of a step into the rows of keyed motors."""
    for j in range(world.aimed.size):
        world.joints.rows.target[world.aimed[j]] = targets[j]


@kernel
def quiet_steps(world, now, rest, course, records, first, each):
    """(how many steps were made, the Moment after them, the Moment after the last frame, and the Rest of both) from the
    Moment `now`: as many quiet ones in turn as there is room for. A frame ends after `first` steps, and after `each`
    more.

    course: times (S,) [s] at which steps begin, and targets (S,n) of keyed motors in them.
    records: of each step position, orientation and twist (S,R,13), COLUMNS and COUNTED (S,15), and readings (S,J,11)
    where a frame ends. In the row of the step that was not quiet, if one was not: the bodies that ask for halves, and
    its report, see quiet_step.
    """
    poses, reports, read = records
    starts, targets = course
    made, frame, framed = 0, now, rest
    while made < reports.shape[0]:
        poses[made, :, :2] = 0.0
        begin = driven(world, now, starts[made])
        if rest.asleep.size > 0 and met_on_paths(rest, begin.position, begin.twist, world.times.step).any():
            break
        aim(world, targets[made])
        quiet, after = quiet_step(world, begin, now.twist, reports[made], poses[made])
        if not quiet:
            break
        keep_still(rest, (now.position, now.orientation, now.twist), (after.position, after.orientation, after.twist))
        following, undisturbed = rested(rest, after.contacts, after.columns[:, 0], after.twist)
        if not undisturbed:
            break
        now, rest = after, following
        fill_poses(now, poses[made])
        made += 1
        if made >= first and (made - first) % each == 0:
            frame, framed = now, rest
            if world.joint_count > 0:
                j = now.joints
                readings(world.read, (j.value, j.impulse, j.load, j.broken), now.position, now.orientation, now.twist,
                         world.times.step, read[made - 1])  # fmt: skip
    return made, now, frame, rest, framed
