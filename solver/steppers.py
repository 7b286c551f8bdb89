"""Time stepping: one function a scheme, ten readable lines each; no kernels.

A scheme takes (model, state, settings) and returns the new state, a StepReport, and the impulses (C,4) of the
contacts: n, s, t, tau. judge(new state, state of the search for contacts, StepSolution, report) -> (R,) bool, where one
is given, says whose motion is kept: report(kept) is of these bodies, the contacts among them and with fixed ones.
"""

from dataclasses import field, replace
from typing import Any

import numpy as np

from .base.records import record
from .base.threads import concurrently
from .base.work import Work
from .collision.depths import depths_between
from .collision.search_memory import SearchMemory
from .dynamics import kinematic
from .dynamics import report_kernels as kernels
from .dynamics.contact_step import four_columns
from .dynamics.goals import ends_of_block
from .dynamics.impulses import SMALL, Poses, searched_ahead, solve_step
from .dynamics.jointed.projection import closed_poses, place_of_joints, with_momentum
from .dynamics.jointed.rows import counted_ahead, linearised_at
from .dynamics.jointed.solution import after_step, joint_work
from .dynamics.jointed.state import joints_of
from .dynamics.projection import closed_at_end
from .dynamics.rigid import drifted, free_twist, velocities_at_end
from .mechanisms import Events
from .options import changed
from .residuals import block_residuals
from .state import State, check_speeds, naming_faults
from .stepping.not_accepted import SHOWS, gain_by_overlap
from .stepping.step_report import StepReport


@record
class StepSettings:
    """What a step needs besides the state: time_step [s], the method and its options, and how overlap is treated.

    next_step [s]: length of the step after this one, None for the same: contacts are searched for again within that.
    accuracy: part of what gravity gives in a step, or of an island's speed, that is its tolerance; 0: that of the
    method's options. acceptable: part of an island's speed, or of what gravity gives in a step, that a solve may leave
    there as its residual where its tolerance is far; 0: none. work: Work of the step, and what is left of it. memory:
    what searches for contacts leave to the next; it changes no bit of the answer and belongs to no state. events:
    Events of the step, which change none either.
    record(ContactProblem), where given, is called with every problem solved. log:
    recording.SubstepLog that takes every substep, None for none.
    """

    time_step: float
    next_step: float | None = None
    method: str = "default"
    method_options: Any = None
    accuracy: float = 0.0
    acceptable: float = 0.0
    bounce_threshold: float = 0.0
    overlap: str = "soft"
    overlap_tolerance: float = 1e-5
    push_rate: float = 0.5
    largest_push: float = 0.02
    workers: int = 1
    work: Any = field(default_factory=Work, compare=False, repr=False)
    memory: Any = field(default_factory=SearchMemory, compare=False, repr=False)
    events: Any = field(default_factory=Events, compare=False, repr=False)
    record: Any = field(default=None, compare=False, repr=False)
    log: Any = field(default=None, compare=False, repr=False)


def moreau_midpoint(model, state, settings, judge=None):
    """Moreau's midpoint scheme: half a step with the old velocity, contacts there, half a step with the new one."""
    h = settings.time_step
    state = kinematic.driven(model, state, h)
    there = drifted(model, state.position, state.orientation, state.twist, 0.5 * h)
    following = h if settings.next_step is None else settings.next_step
    return _impulses_and_motion(model, state, there, (0.5 * h, 0.5 * h + 0.5 * following), settings, judge)


def semi_implicit(model, state, settings, judge=None):
    """Semi-implicit Euler: contacts at the start of the step, then a full step with the new velocity."""
    h = settings.time_step
    state = kinematic.driven(model, state, h)
    there = state.position, state.orientation, state.twist
    return _impulses_and_motion(model, state, there, (h, h), settings, judge)


def position_level(model, state, settings, judge=None, newton_steps=4, stiffened=False):
    """Backward Euler on the level of positions (Macklin et al. 2019, (45) to (50)): gaps, joints and rows are those of
    the end of the step, which the solution of each of `newton_steps` problems moves on, (63); joints are not projected.
    stiffened: with geometric stiffness, (70) to (74)."""
    h = settings.time_step
    state = kinematic.driven(model, state, h)
    there = state.position, state.orientation, state.twist
    return _impulses_and_motion(model, state, there, (h, h), settings, judge, newton_steps, stiffened)


def position_level_stiffened(model, state, settings, judge=None):
    """position_level with geometric stiffness, (70) to (74)."""
    return position_level(model, state, settings, judge, stiffened=True)


STEPPERS = {"moreau": moreau_midpoint, "semi_implicit": semi_implicit, "position_level": position_level,
            "position_level_stiffened": position_level_stiffened}  # fmt: skip
# The bodies that count in a report: all.
ALL = np.zeros(0, dtype=bool)


@naming_faults
def _impulses_and_motion(model, state, there, times, settings, judge, newton_steps=0, stiffened=False):
    """Contacts and impulses of the step where and as fast as bodies are `there`, (R,3), (R,4) and (R,6), and the motion
    over the remaining time; times [s]: from there to the end of the step and to the next search for contacts."""
    remaining, horizon = times
    h = settings.time_step
    position, orientation, twist = there
    free, place = free_twist(model, twist, h), None
    if not newton_steps:
        joints = joints_of(state)
        ahead = counted_ahead(joints, lambda: linearised_at(joints.tables, joints.value, position, orientation), twist,
                              h - remaining)  # fmt: skip
        state = state if ahead is joints else replace(state, joints=ahead)
        shift = (h - remaining) / 3.0 * (free - twist)
        place = place_of_joints(model, state, position, orientation, shift)
    poses = Poses(position, orientation, twist, free, remaining, horizon, place, newton_steps, stiffened)
    solution = solve_step(model, state, poses, settings)
    there = changed(state, time=state.time + settings.time_step - remaining, position=position, orientation=orientation,
                    twist=twist)  # fmt: skip
    position, orientation, twist = drifted(model, position, orientation, solution.motion, remaining)
    went, turned = (position, orientation, twist), orientation
    joints = after_step(model, joints_of(state), solution, settings.time_step)
    if solution.step.joints is not None:
        joints = counted_ahead(joints, lambda: solution.step.joints.linear, solution.twist, remaining)
    if newton_steps:
        value = linearised_at(joints.tables, joints.value, position, orientation).value
    else:
        open_at = position
        position, orientation, value = closed_poses(model, joints, position, orientation)
        if position is not open_at:
            settings.events.bodies("joint_closing", model, (position != open_at).any(axis=1))
    after = State(state.time + settings.time_step, position, orientation, twist, solution.step.contacts,
                  solution.carried, horizon=searched_ahead(model, solution, there.position, remaining, horizon),
                  since=np.full(len(position), remaining),
                  joints=replace(joints, value=value) if joints.tables.count else joints)  # fmt: skip
    after, solution = closed_at_end(model, there, after, solution, settings)
    if solution.motion is not solution.twist:
        went = drifted(model, there.position, there.orientation, solution.twist, remaining)
    after = replace(after, twist=velocities_at_end(model.bodies, went, turned, orientation, after.orientation))
    if place is not None or solution.motion is not solution.twist:
        acts = there.position, (place or there).position
        last = after.position, after.orientation, after.twist
        moved = solution.motion, solution.moving, solution.closed, remaining
        after = replace(after, twist=with_momentum(model, solution, joints_of(state), acts, went, last, moved))

    check_speeds(model, after.twist[:, :3], settings.work.fastest)
    if settings.log is not None:
        settings.log.add(model, state, there, after, solution, (state.time, h, h - remaining, horizon))

    def report(kept):
        return _report(model, there, after, solution, settings, remaining, kept, free)

    # Most steps are kept whole.
    few = solution.problem.row_count <= SMALL
    whole = concurrently(lambda: report(None), 1 if few else settings.workers)
    kept = None if judge is None else judge(after, there, solution, report)
    step_report = whole() if kept is None or kept.all() else report(kept)
    return after, step_report, four_columns(solution.impulse, solution.step.rows)


def _joint_work(model, solution, kept, free, h):
    """See joint_work; kept (R,): None for all bodies."""
    return joint_work(model, solution, np.ones(model.body_count, dtype=bool) if kept is None else kept, free, h)


def _report(model, there, after, solution, settings, remaining, kept, free):
    """What happened in the step to the bodies `kept` (R,), None for all, in physical units."""
    step, solved, bodies = solution.step, solution.report, model.bodies
    if kept is not None:
        bodies = bodies._replace(inverse_mass=np.where(kept, bodies.inverse_mass, 0.0))
    count, normal, friction, overlap, kinetic, potential, deep = kernels.work_of_step(
        bodies, ALL if kept is None else kept, step.problem.arrays, step.contacts, step.frame, solution.impulse,
        ((there.position, there.orientation), (after.position, after.orientation, after.twist)), settings.time_step,
        kernels.NEWLY_DEEP * settings.overlap_tolerance,
    )  # fmt: skip
    if deep.any():
        ends, poses = (step.contacts.body_a[deep], step.contacts.body_b[deep]), (after.position, after.orientation)
        overlap = max(overlap, depths_between(model.collision, *poses, ends, settings.workers).max())
    stabilisation = 0.0
    if solution.motion is not solution.twist or model.joints.count:
        stabilisation = kernels.stabilisation_work(
            bodies, there.position, there.orientation, after.position, after.orientation, solution.twist, remaining,
            after.twist,
        )  # fmt: skip
    accepted = solved.status.accepted
    report = StepReport(
        time=after.time, contact_count=count, overlap=overlap,
        kinetic=kinetic, potential=potential, friction_work=friction, impact_loss=normal,
        stabilisation_work=stabilisation, residual=solved.residual, iterations=solved.iterations,
        converged=accepted, solve_s=solved.wall_s,
        joint_work=_joint_work(model, solution, kept, free, settings.time_step) if model.joints.count else 0.0,
    )  # fmt: skip
    if accepted:
        return _with_gain(model, step.contacts, bodies, report)
    worst = int(np.argmax(block_residuals(solution.problem, solution.answer)))
    return report.where(*ends_of_block(model, step, worst))


def _with_gain(model, contacts, bodies, report):
    """The report with the pair that overlaps most, where removing overlap gave the `bodies` energy that shows."""
    if report.stabilisation_work <= 0.0 or contacts.count == 0:
        return report
    moves = bodies.inverse_mass > 0.0
    weight = float(np.linalg.norm(model.gravity)) * float((bodies.mass * bodies.size)[moves].sum())
    gain = gain_by_overlap(report.stabilisation_work, (report.friction_work, report.impact_loss))
    if gain <= SHOWS * (report.kinetic + weight):
        return report
    deepest = int(np.argmin(np.where(moves[contacts.body_a] | moves[contacts.body_b], contacts.gap, np.inf)))
    a, b = int(contacts.body_a[deepest]), int(contacts.body_b[deepest])
    return report.where(a, b) if moves[a] else report.where(b, a)
