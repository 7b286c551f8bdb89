"""The impulses of one time step: contacts, the problem, its solution, and a re-detection of contacts that it makes."""

from typing import Any, NamedTuple

import numpy as np

from .. import methods
from ..base.records import record
from ..base.threads import concurrently
from ..collision.contact_keys import FOUND_AGAIN
from ..collision.contacts import among, chosen, empty_contacts, merged
from ..collision.convex.narrow_kernels import RELATIVE_MARGIN
from ..collision.pipeline import find_contacts
from ..mechanisms import off
from ..methods.counted import improve_within
from ..options import changed
from ..residuals import block_residuals
from . import step_kernels as kernels
from .carry_kernels import reaches
from .contact_step import (
    StepSolution,
    asked_of_step,
    bounces,
    carried_impulses,
    columns_of_step,
    contact_step,
    count_carried,
    count_terms,
    first_step,
    normal_velocity,
    rows_at_end,
    times_of,
    to_rows,
)
from .displacement import motion_to_end
from .goal_kernels import be_patient_at_first, effort_before_search
from .goals import BlockIslands, block_islands, goal_numbers, on_blocks, only, step_goals
from .impact_energy import without_gain
from .jointed.newton_mass import newton_step
from .jointed.rows import at_end, with_joints
from .jointed.solution import joint_rows, turned_solution, with_bounds_by_loads, with_joint_rows
from .jointed.state import joints_of
from .onset import reached, shorten_horizon
from .patches import shares
from .projection import smaller_size
from .relative import unsearched
from .rigid import drifted, with_change

# Contacts closer than this part of the smaller body are always found; only faster changes can make unseen ones.
SEARCH_MARGIN = RELATIVE_MARGIN
# An overlap predicted to stay below this part of the smaller body does not call for another solve.
LATE_OVERLAP = 1e-3
# Part of the effort of a small island that any may use before each of these searches: all is left for after them.
BEFORE_SEARCH = 0.25
# Rows up to which a step is done before another thread would have begun with a part of it.
SMALL = 3000


@record
class Poses:
    """Where contacts are searched for: poses (R,3), (R,4); velocities before the step and after it without impulses
    (R,6); times from here [s]: remaining to the end of the step, horizon to where contacts are searched for again;
    place: jointed.rows.Place where joints push, None for these poses;
    newton_steps: how often the problem is made anew where its solution ends, see contact_step.rows_at_end; stiffened:
    with geometric stiffness, see jointed/newton_mass.py."""

    position: np.ndarray
    orientation: np.ndarray
    before: np.ndarray
    free: np.ndarray
    remaining: float
    horizon: float
    place: object = None
    newton_steps: int = 0
    stiffened: bool = False


class _Begun(NamedTuple):
    """What all solutions of a step begin with: Model, State before it, JointState, Poses, StepSettings."""

    model: Any
    state: Any
    joints: Any
    poses: Poses
    settings: Any


def solve_step(model, state, poses, settings):
    """Return the StepSolution of one step.

    Bodies that are hit may move on into bodies they were not moving towards, or turn a far corner into the one that
    hit them: such contacts are unknown when the problem is made. After a solution the bodies are searched again
    with their new velocities, and if that finds new contacts about to overlap the problem is solved again with them.
    """
    contacts = find_contacts(
        model.collision, poses.position, poses.orientation, poses.free, poses.horizon,
        workers=settings.workers, memory=settings.memory,
    )  # fmt: skip
    settings.work.search(contacts.count)
    begun = _Begun(model, state, joints_of(state).at(state.time, settings.time_step), poses, settings)
    step, found, impulse = _first_step(begun, contacts)
    count_carried(model, state, contacts, settings.events)
    two_turns = getattr(settings.method_options, "effort", 0) > 0 and poses.newton_steps == 0
    two_turns = two_turns and not off("resumed_effort")
    part = BEFORE_SEARCH if two_turns else 1.0
    solution = _solve_velocity(begun, step, impulse, (poses.before,), part, found=found)
    unmet = False
    for searches_left in (1, 0):
        solution, late = _late_contacts(model, poses, solution, settings)
        solution, again = _reached(model, poses, solution, settings)
        unmet = unmet or not solution.solved.outcome.status.accepted
        missed = _unfinished(model, poses, solution, settings) if unmet and two_turns else None
        if late.count == 0 and not again.any():
            solution = solution if missed is None else _finished(model, poses, solution, missed, settings)
            break
        if searches_left == 0 and missed is not None:
            again = again | missed
        part = BEFORE_SEARCH if two_turns and searches_left else 1.0
        solution = _solve_with(begun, solution, late, again, part)
    before = np.zeros_like(poses.before) if poses.newton_steps else None
    for _ in range(poses.newton_steps):
        before, solution = solution.twist, _at_the_end(model, poses, solution, before, settings)
    if settings.record is not None:
        settings.record(solution.problem)

    def graded():
        report = methods.grade(solution.problem, solution.answer, solution.solved, True)
        kept = unmet and poses.newton_steps == 0 and report.status.accepted
        return _with_kept_islands(model, poses, solution, settings, report) if kept else report

    report = concurrently(graded, settings.workers if solution.problem.row_count > SMALL else 1)
    motion, moving = motion_to_end(model, poses, solution, settings)
    return changed(solution, motion=motion, moving=moving, report=report())


def _first_step(begun, contacts):
    """(ContactStep, what it Asks, impulses (K,) to begin with) of the contacts that the search found first."""
    model, state, joints, poses, settings = begun
    if model.joints.count == 0 and not off("quiet_steps"):
        return first_step(model, state, poses, contacts, settings)
    step = contact_step(model, poses.position, poses.orientation, poses.before, poses.free, contacts)
    reach = reaches(poses.before, model.size, settings.time_step)
    carried = carried_impulses(state.contacts, state.impulses, contacts, model.size, reach)
    # Joints always count as loaded.
    loaded = ~on_blocks(step, carried[:, 0] <= 0.0)
    step = with_joints(model, joints, poses, step, settings.time_step)
    impulse = with_joint_rows(step, to_rows(carried, step.frame, step.rows), joints.impulse)
    found = asked_of_step(model, state, poses, step, impulse, settings)
    _, _, (_, patience, _) = goal_numbers(model, settings)
    be_patient_at_first(found.of_block, loaded, patience, found.patience, found.effort)
    return step, found, impulse


def _jointed(step, islands):
    """Blocks (B,) of islands with joints, which have all of their effort before each search."""
    return islands.any(~on_blocks(step, np.ones(len(step.rows), dtype=bool)))


def _unfinished(model, poses, solution, settings):
    """Blocks (B,) as in missed_blocks of islands without joints, None where there are none."""
    missed = missed_blocks(model, poses.before, solution, settings)
    left = None if missed is None else missed & ~_jointed(solution.step, solution.islands)
    return left if left is not None and left.any() else None


def missed_blocks(model, before, solution, settings):
    """Blocks (B,) of islands whose residual is above what is acceptable, None where there are none; before (R,6):
    twists before the step."""
    goals = step_goals(model, before, solution.step, settings)
    # The judge's residual may be above the one that ended a solve by round-off.
    goal = np.maximum(goals.tolerance, goals.acceptable) * (1.0 + 1e-6)
    missed = block_residuals(solution.problem, solution.answer) > goal
    return solution.islands.any(missed) if missed.any() else None


def _finished(model, poses, solution, missed, settings):
    """The solution with all effort for the islands of blocks `missed` (B,)."""
    settings.events.count("resumed_effort")
    step = solution.step
    goals = only(step_goals(model, poses.before, step, settings), missed)
    answer = solution.answer
    solved = improve_within(solution.problem, answer, settings, goals, shares(step))
    impulse = answer + solution.held
    twist = with_change(model, poses.free, step.problem.velocity_change(impulse))
    solution = changed(solution, impulse=impulse, twist=twist, motion=twist, solved=solved.unjudged)
    return without_gain(model, poses, solution, settings, goals)


def _with_kept_islands(model, poses, solution, settings, report):
    """The SolveReport of the last solution with the status that it has with islands which were not solved again."""
    missed = missed_blocks(model, poses.before, solution, settings)
    return report if missed is None else changed(report, status=methods.Status.MAX_ITERATIONS)


def _at_the_end(model, poses, solution, before, settings):
    """The solution of the problem as it is where that of the last one ends; before (R,6): velocities of the iterate
    before that."""
    times = times_of(poses, settings.time_step)
    step, motion = solution.step, solution.twist
    _, target = bounces(step, times, settings.bounce_threshold)
    ends = drifted(model, poses.position, poses.orientation, motion, poses.remaining)[:2]
    weighed, free = newton_step(model, poses, solution, before, ends[1], poses.stiffened)
    there, b = rows_at_end(weighed, poses, ends, step, solution.hit, target, motion, free)
    there = at_end(weighed, poses, step, there, ends, motion, free, settings.time_step)
    b = np.concatenate([b, there.problem.b[len(b) :]])
    problem = with_bounds_by_loads(there, there.problem.with_b(b), solution.impulse, settings)
    impulse = solution.impulse.copy()
    goals = step_goals(model, poses.before, step, settings)
    solved = improve_within(problem, impulse, settings, goals, shares(there))
    twist = with_change(model, free, problem.velocity_change(impulse))
    return changed(solution, step=there, problem=problem, impulse=impulse, twist=twist, motion=twist, solved=solved,
                   held=np.zeros_like(impulse))  # fmt: skip


def _solve_with(begun, solution, late, again, part):
    """Solve again with late contacts, starting at the impulses of `solution`; islands without late contacts and blocks
    `again` (B,) keep theirs. part: see _solve_velocity."""
    model, _, joints, poses, settings = begun
    contacts = solution.step.contacts
    both, order = merged((contacts, late))
    is_late = order >= contacts.count
    step = contact_step(model, poses.position, poses.orientation, poses.before, poses.free, both)
    step = changed(step, late=np.append(solution.step.late, np.ones(late.count, dtype=bool))[order])
    step = with_joints(model, joints, poses, step, settings.time_step)
    carried = carried_impulses(contacts, solution.carried, both, model.size)
    impulse = to_rows(carried, step.frame, step.rows)
    impulse = with_joint_rows(step, impulse, joint_rows(solution.step, solution.impulse, joints.impulse))
    islands, late_blocks = block_islands(model, step), on_blocks(step, is_late)
    touched = late_blocks.copy()
    touched[~late_blocks] = again
    anew = islands.any(touched)
    fresh = _solve_velocity(begun, step, impulse, solution.searched_with, part, anew)
    # The rows of a contact that is not late, and those of joints, are the same ones in both steps.
    changed_rows, old = np.repeat(anew, np.diff(step.problem.row_start)), ~anew[~late_blocks]
    old_rows = np.repeat(old, np.diff(solution.step.problem.row_start))
    b, impulse, hit = fresh.problem.b.copy(), fresh.impulse.copy(), fresh.hit.copy()
    b[~changed_rows], impulse[~changed_rows] = solution.problem.b[old_rows], solution.impulse[old_rows]
    hit[~anew[: both.count]] = solution.hit[old[: contacts.count]]
    twist = with_change(model, poses.free, step.problem.velocity_change(impulse))
    held = fresh.held.copy()
    held[~changed_rows] = solution.held[old_rows]
    step = fresh.step
    if step.joints is not None:
        own = step.problem.b.copy()
        own[~changed_rows] = solution.step.problem.b[old_rows]
        step = changed(step, problem=step.problem.with_b(own))
    return changed(
        fresh, step=step, problem=step.problem.with_b(b), impulse=impulse, hit=hit, twist=twist, motion=twist,
        held=held, solved=fresh.solved.unjudged,
    )  # fmt: skip


def _solve_velocity(begun, step, impulse, searched_with, part, wanted=True, found=None):
    """Solve for the velocities at the end of the step, starting at `impulse`; of islands that are not `wanted` (B,)
    nothing is asked, islands without joints may use `part` of their effort. found: what the step Asks, if that is
    known."""
    model, state, _, poses, settings = begun
    found = asked_of_step(model, state, poses, step, impulse, settings) if found is None else found
    count_terms(model, state, poses, step, found, settings)
    islands, held, problem = BlockIslands(found.of_block, found.of_body), found.held, step.problem.with_b(found.b)
    effort = found.effort
    if part < 1.0:
        effort = effort_before_search(found.of_block, step.contacts.count, part, found.small, effort)
    goals = methods.Goals(found.tolerance, found.acceptable, found.patience, effort)
    goals = goals if wanted is True else only(goals, wanted)
    answer = impulse - held
    solved = improve_within(problem, answer, settings, goals, found.share)
    if held.any():
        impulse, solved = answer + held, solved.unjudged
    else:
        # What a solve leaves at -0 is 0.
        impulse = answer + 0.0
    judged = solved.outcome.judged
    change = step.problem.velocity_change(impulse) if judged is None else judged[1]
    twist = with_change(model, poses.free, change)
    solution = StepSolution(step, problem, impulse, twist, twist, found.hit, solved, searched_with, islands, held,
                            found.tolerance)  # fmt: skip
    if poses.newton_steps:
        return solution
    if step.joints is not None:
        solution = turned_solution(model, poses, solution, settings, goals)
    return without_gain(model, poses, solution, settings, goals, last=part == 1.0)


def _reached(model, poses, solution, settings):
    """(the solution whose step has as late what impulses of bounces close of its open gaps: they bounce, too; blocks
    (B,) of the islands of such contacts)."""
    step, islands, found = solution.step, solution.islands, np.empty(len(solution.hit), dtype=bool)
    none = np.zeros(len(islands.of_block), dtype=bool)
    if off("late_contacts") or not solution.hit.any():
        return solution, none
    demands, problem = (islands.of_block, solution.hit, solution.impulse), solution.problem
    if not reached(columns_of_step(step), problem.row_start, poses.horizon, demands, found):
        return solution, none
    settings.events.some("late_contacts", model, step.contacts, found)
    return changed(solution, step=changed(step, late=step.late | found)), islands.any(on_blocks(step, found))


def _late_contacts(model, poses, solution, settings):
    """(solution, ContactSet of those not yet in its problem that its velocities would make overlap)."""
    h, twists = poses.horizon, (*solution.searched_with, solution.twist)
    astray = kernels.moved_beyond_search(model.bodies, solution.searched_with[-1], solution.twist, h, SEARCH_MARGIN)
    if off("late_contacts") or not astray.any():
        return solution, empty_contacts()

    def wanted(a, b):
        return unsearched(model.size, poses.position, twists, h, SEARCH_MARGIN, a, b)

    solution = changed(solution, searched_with=twists)
    found = find_contacts(
        model.collision, poses.position, poses.orientation, solution.twist, h,
        workers=settings.workers, memory=settings.memory, wanted=wanted, of_interest=astray,
    )  # fmt: skip
    predicted = found.gap + h * normal_velocity(solution.twist, poses.position, found)
    source = np.empty(found.count, dtype=np.int64)
    present = solution.step.contacts
    kernels.match(present, found, source)
    allowed = LATE_OVERLAP * smaller_size(model, found)
    # The gap predicted of each contact found; of new ones, whose source is the last entry, none.
    known = np.append(present.gap + h * normal_velocity(solution.twist, poses.position, present), np.inf)[source]
    late = predicted < np.minimum(0.0, known) - allowed
    # All new features of a pair at once: one of several that meet alike would turn the bodies.
    late |= (source < 0) & among(model.body_count, found.body_a[late], found.body_b[late])(found.body_a, found.body_b)
    settings.events.some("late_contacts", model, found, late)
    # Features that meet elsewhere or otherwise than was found: both contacts hold, so the new one has a key of its own.
    found = found._replace(key=np.where(source >= 0, found.key ^ (FOUND_AGAIN << len(twists)), found.key))
    return solution, chosen(found, late)


def searched_ahead(model, solution, position, remaining, horizon):
    """How far (R,) [s] from the end of a step contacts were searched for and are met as its solution has them; position
    (R,3): where they were found; remaining, horizon [s]: from there to the end, and to the next search."""
    ahead = np.full(model.body_count, horizon - remaining)
    if (solution.hit & (solution.step.restitution > 0.0)).any():
        ways = solution.motion, solution.twist
        shorten_horizon(model.bodies, solution.step.contacts, position, ways, (remaining, LATE_OVERLAP), ahead)
    return ahead
