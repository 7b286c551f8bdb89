"""What solves of quiet steps have in common, and the motion where it is not that of their velocities."""

import numpy as np

from ...collision.contacts import ContactSet
from ...dynamics.assembly_kernels import columns_of
from ...dynamics.displacement import (
    PUSHED,
    ask_roughly,
    displacement_b,
    hold_push_back,
    push_velocities,
    wild_islands,
)
from ...dynamics.goal_kernels import Couples, islands_asked, of_islands
from ...dynamics.impact_energy import add_falls, impact_works
from ...dynamics.jointed.after_kernels import CLOSED, closed_poses
from ...dynamics.jointed.row_kernels import JointRows
from ...dynamics.onset import reached
from ...dynamics.projection import close_overlap, closing_problem, look_at_overlap
from ...dynamics.step_kernels import add_change
from ...jit import inner
from ...methods.accelerated.joined_kernels import solve_with_joints
from ...methods.accelerated.plain_kernels import HANDED_OVER, LARGEST, solve_plain
from ...problem import Arrays
from ...problems.check_kernels import sound, zero_times_sum
from ...problems.problem_kernels import BlockRows, add_velocity_change, diagonal_of, row_velocity
from ...problems.residual_kernels import largest_residual, natural_map
from .look import contacts_at
from .world import Answer, JointsNow

# Impacts within the step and contacts that were passed are both looked for, see onset.find_onset.
BOTH = (True, True)


@inner
def no_rows():
    """JointRows of a step without joints."""
    none, real, integer = np.zeros(0, np.int64), np.zeros(0), np.zeros(1, np.int64)
    rows = BlockRows(integer, none, none, none, real)
    return JointRows(real, np.zeros((0, 2, 6)), real, none, none, none, none, integer, rows, rows, real, none, real,
                     np.zeros((0, 2)), np.zeros(0, np.bool_), real, np.zeros((0, 3, 3)))  # fmt: skip


@inner
def not_settled(impulse, own, found, joined):
    """The Answer of a solve that leaves something to the general way."""
    return Answer(False, np.zeros(0), 0, np.inf, 0, impulse, own, own, found, joined, np.zeros(0))


@inner
def judged(p, impulse, held, size):
    """(velocity change (N,) by impulses (K,), residual [m/s] of those beyond `held` (K,) in a problem)."""
    change, own, (offset, diagonal) = np.zeros(size), np.zeros(size), diagonal_of(p)
    add_velocity_change(p, impulse, change)
    return change, largest_residual(p, offset, diagonal, impulse - held, own, True)


@inner
def with_numbers(p, b, mu, bounds):
    """The Arrays with another b (K,), other coefficients (B,3) and bounds (B,2)."""
    return Arrays(p.kind, p.row_start, p.J, p.G, b, p.law, mu, bounds, p.compliance_offset, p.compliance, p.sides)


@inner
def improved(world, p, mass, goals, start, impulse, wanted):
    """(whether it was solved in one call, impulses (K,) that meet the demands of a problem on blocks `wanted` (B,),
    from those given; others stay)."""
    asked = np.where(wanted, goals[0], np.inf), goals[1], goals[2], goals[3]
    better, size = impulse.copy(), 6 * np.count_nonzero(world.bodies.dof_of_body >= 0)
    if p.kind.any():
        how, _, _ = solve_with_joints(p, mass, asked, start, better, size)
    elif sound(p) and zero_times_sum(impulse) == 0.0:
        how, _, _ = solve_plain(p, mass, asked, start, better)
    else:
        how = HANDED_OVER
    for k in range(wanted.size):
        if not wanted[k]:
            for i in range(p.row_start[k], p.row_start[k + 1]):
                better[i] = impulse[i]
    return how < HANDED_OVER, better


@inner
def pushed(world, p, mass, goals, impulse, count, wanted):
    """The same with the friction of the impulses given: of the first `count` blocks, contacts, normal ones alone."""
    friction, given = impulse.copy(), np.empty(impulse.size)
    change = np.zeros(6 * np.count_nonzero(world.bodies.dof_of_body >= 0))
    for k in range(p.kind.size):
        for i in range(p.row_start[k], p.row_start[k + 1]):
            if k >= count or i == p.row_start[k]:
                friction[i] = 0.0
    add_velocity_change(p, friction, change)
    row_velocity(p, friction, change, given)
    known = with_numbers(p, given, np.zeros_like(p.mu), p.bounds)
    done, normal = improved(world, known, mass, goals, world.solving.given, impulse - friction, wanted)
    for k in range(wanted.size):
        for i in range(p.row_start[k], p.row_start[k + 1]):
            normal[i] = friction[i] + normal[i] if wanted[k] else impulse[i]
    return done, normal


@inner
def motion_with(world, at, p, answer, impulse, twist):
    """(whether no body flies, velocities (R,6) with impulses (K,) of a problem other than the Answer's), see
    displacement.wild_islands; twist (R,6): the Answer's."""
    bodies, times, found = world.bodies, world.times, answer.found
    change, moved = np.zeros(6 * np.count_nonzero(bodies.dof_of_body >= 0)), at.free.copy()
    add_velocity_change(p, impulse, change)
    add_change(bodies.dof_of_body, change, moved)
    wild = wild_islands(bodies, moved, twist, times.step - times.elapsed, (found.of_block, found.of_body), p.row_start,
                        p.b - answer.problem.b)  # fmt: skip
    return not wild.any(), moved


@inner
def moved_to_end(world, at, contacts, out, answer, twist):
    """(whether that is known here, velocities (R,6) that move the bodies over the rest of the step, impulses (K,) that
    give them, whether they are others than `twist` (R,6), contacts pushed), see displacement.motion_to_end; out:
    StepArrays of the contacts."""
    bodies, times, solving, own, found = world.bodies, world.times, world.solving, answer.own, answer.found
    push, t, label, columns = np.empty(contacts.gap.size), world.joints, found.of_block, columns_of(out, contacts)
    pushing = push_velocities(bodies, columns, times, found.hit, world.bounds.push, push)
    if not pushing and not found.hit.any():
        return True, twist, answer.impulse, False, 0
    couples, mass = Couples(t.coupled, answer.joined.bodies, t.blocks.body, answer.joined.driven), (
        out.mass_start, out.mass_offset, out.W)  # fmt: skip
    goals = islands_asked(bodies, contacts, at.before, out.before, solving.impatient, couples)[2]
    impulse, moved, other = answer.impulse, twist, False
    bouncing = of_islands(label, found.hit)
    if found.hit.any():
        met = np.empty(push.size, np.bool_)
        if reached(columns, own.row_start, times.horizon, (label, found.hit, impulse), met):
            return False, twist, impulse, False, 0
        velocity = np.empty(own.b.size)
        row_velocity(own, impulse, answer.change, velocity)
        impacts = label, found.hit, impulse, velocity
        works, most, left = impact_works(columns, times, solving.threshold, own.row_start, impacts, found.tolerance)
        offset, diagonal = diagonal_of(own)
        residual, change = np.empty(label.size), np.zeros(answer.change.size)
        add_velocity_change(own, impulse - found.held, change)
        natural_map(answer.problem, offset, diagonal, impulse - found.held, change, residual)
        solved = bouncing & ~of_islands(label, residual > goals[0])
        if solved.any():
            b = own.b.copy()
            displacement_b(columns, own.row_start, times, found.hit, np.zeros(push.size), b)
            p = with_numbers(own, b, own.mu, own.bounds)
            done, impulse = improved(world, p, mass, goals, solving.start, impulse, solved)
            tame, moved = motion_with(world, at, p, answer, impulse, twist)
            if not (done and tame):
                return False, twist, impulse, False, 0
            add_falls(bodies, times.step, twist, moved, found.of_body, works)
            bouncing, other = bouncing & ~solved, True
            for k in range(label.size):
                most[label[k]] = 0.0 if solved[k] else most[label[k]]
        # Bodies of islands in which nothing bounces fall otherwise, too.
        if ((works + most > left) & (left > 0.0)).any():
            return False, twist, impulse, False, 0
    wanted = bouncing | of_islands(label, push > 0.0)
    if wanted.any():
        b = own.b.copy()
        displacement_b(columns, own.row_start, times, found.hit, push, b)
        if pushing:
            ask_roughly(label, push, PUSHED, (goals[0], goals[2], goals[3]))
        p, before = with_numbers(own, b, own.mu, own.bounds), (moved, impulse)
        done, impulse = pushed(world, p, mass, goals, impulse, push.size, wanted)
        tame, moved = motion_with(world, at, p, answer, impulse, twist)
        if not (done and tame):
            return False, twist, impulse, False, 0
        blocks, remaining = (label, found.of_body, p.row_start), times.step - times.elapsed
        hold_push_back(bodies, blocks, remaining, world.bounds.push[2], bouncing, before, (moved, impulse))
        other = True
    return True, moved, impulse, other, np.count_nonzero(push > 0.0)


@inner
def closed_at_end(world, joints, position, orientation, deep, known, moved):
    """(whether that is known here, poses (R,3), (R,4) with the overlap of bodies `deep` (R,) bool closed, JointsNow),
    see projection.projected; known: Known of the search; moved: filled with what closing did, see nothing_closed."""
    bodies, limits, asked = world.bodies, world.bounds.closing, world.solving.numbers[2]
    poses, still, t = (position.copy(), orientation.copy()), np.zeros((len(deep), 6)), world.joints
    found, finite, _ = contacts_at(world.search, poses, still, 0.0, known)
    earlier = ContactSet(found.body_a[:0], found.body_b[:0], found.position[:0], found.normal[:0], found.gap[:0],
                         found.key[:0])  # fmt: skip
    for turn in range(limits.rounds):
        if turn > 0:
            found, finite, _ = contacts_at(world.search, poses, still, 0.0, known)
        look = look_at_overlap(bodies, world.pairs, found, earlier, t.coupled, poses, limits, deep)
        if not finite or look.island.size > LARGEST:
            return False, poses[0], poses[1], joints
        if not look.moves.any():
            break
        held = joints.broken, joints.value
        p, island = closing_problem(t, bodies, held, poses, look, world.solving.sides)
        out, count = look.arrays, island.size
        goals = look.tolerance[island], np.zeros(count), np.full(count, asked[1]), look.effort[island]
        done, impulse = improved(world, p, (out.mass_start, out.mass_offset, out.W), goals, world.solving.start,
                                 np.zeros(p.b.size), np.ones(count, np.bool_))  # fmt: skip
        if not done:
            return False, poses[0], poses[1], joints
        close_overlap(bodies, p, look, impulse, limits, poses, deep, moved)
        if world.joint_count > 0:
            value = np.empty_like(joints.value)
            poses = closed_poses(t, bodies, joints.broken, joints.value, poses[0], poses[1], CLOSED, value)
            joints = JointsNow(value, joints.impulse, joints.load, joints.strain, joints.broken, joints.sticks)
        if not deep.any():
            break
        earlier = look.contacts
    return True, poses[0], poses[1], joints
