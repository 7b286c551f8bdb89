"""The joints' share in the solution of a step: their impulses there and back, the turning of their rows, what
breaks."""

from dataclasses import replace

import numpy as np

from ... import methods
from ...methods.counted import improve_within
from ...options import changed
from ..rigid import with_change
from . import function_kernels as kernels
from .rows import rates, strengths, turned_with
from .tables import Role

# A breaking load is measured over this time [s], whatever the time step.
FILTER = 0.005
# Solutions at most with the friction that the loads of the one before give, and the change of it that ends them.
LOADINGS, SAME = 8, 1e-6
# Friction that uses all but this part of what there is slides.
AT_BOUND = 1e-6


def with_joint_rows(step, impulse, carried):
    """Row impulses (K,) of all rows of a step, from those of its contacts and the joints' impulses by their own
    rows."""
    return impulse if step.joints is None else np.concatenate([impulse, carried[step.joints.rows]])


def joint_rows(step, impulse, template):
    """Impulses of the joints by their own rows, from those (K,) of all rows of a step; template: an array like it."""
    own = np.zeros_like(template)
    if step.joints is not None:
        own[step.joints.rows] = _of_joints(step, impulse)
    return own


def _of_joints(step, impulse):
    """Those of the joints of impulses (K,) of all rows of a step: the last, behind those of what is attached, too."""
    return impulse[len(impulse) - len(step.joints.rows) :]


def turned_solution(model, poses, solution, settings, goals):
    """The StepSolution whose joints close with their rows as they are at the end of the step.

    Its rows are those of the first solution's end, and friction in its bearings that of its loads; only islands with
    joints are solved again, once, or until that friction is settled: from the velocities before the step this is of
    second order.
    """
    step = turned_with(model, poses, solution.step, solution.twist)
    shift = step.problem.b - solution.step.problem.b
    problem = solution.problem.with_b(solution.problem.b + shift)
    bounds = _bounds_by_loads(step, solution.impulse, settings.time_step)
    open_still = np.ones(problem.block_count, dtype=bool)
    if bounds is None:
        return _solved_again(model, poses, solution, step, problem, settings, goals, open_still)
    for _ in range(LOADINGS):
        step, problem = changed(step, problem=step.problem.with_bounds(bounds)), problem.with_bounds(bounds)
        solution = _solved_again(model, poses, solution, step, problem, settings, goals, open_still)
        before, bounds = bounds, _bounds_by_loads(step, solution.impulse, settings.time_step)
        change = np.abs(np.subtract(bounds, before, where=np.isfinite(bounds), out=np.zeros_like(bounds)))
        # An island whose friction is settled keeps it, whatever others need.
        open_still = solution.islands.any((change > SAME * np.abs(bounds)).any(axis=1))
        if not open_still.any():
            break
        bounds = np.where(open_still[:, None], bounds, before)
    return solution


def _solved_again(model, poses, solution, step, problem, settings, goals, wanted):
    """The StepSolution with those islands with joints solved for another `problem` whose blocks are `wanted` (B,)."""
    label = solution.islands.of_block
    jointed = np.zeros(label.max() + 1, dtype=bool)
    jointed[label[len(step.rows) :]] = True
    blocks = np.flatnonzero(jointed[label] & wanted)
    answer = solution.answer
    if len(blocks) == problem.block_count:
        solved = improve_within(problem, answer, settings, goals)
    else:
        part, rows = problem.restrict(blocks)
        mine = answer[rows]
        goals = [None if own is None else own[blocks] for own in goals]
        solved = improve_within(part, mine, settings, goals)
        answer[rows] = mine
        solved = _both(solution.solved, solved)
    impulse = answer + solution.held
    twist = with_change(model, poses.free, problem.velocity_change(impulse))
    return changed(solution, step=step, problem=problem, impulse=impulse, twist=twist, motion=twist, solved=solved)


def with_bounds_by_loads(step, problem, impulse, settings):
    """The problem with friction in bearings by the impulses (K,) of the last solution."""
    bounds = None if step.joints is None else _bounds_by_loads(step, impulse, settings.time_step)
    return problem if bounds is None else problem.with_bounds(bounds)


def _bounds_by_loads(step, impulse, h):
    """Bounds (B,2) [N s] of all blocks by the impulses (K,) of a solution; None without friction by loads."""
    tables, rows = step.joints.tables, step.joints.rows
    if not tables.rows.grip.any():
        return None
    own = np.zeros(len(tables.rows.role))
    own[rows] = _of_joints(step, impulse)
    most = strengths(tables, own, h)[tables.blocks.row_start[step.joints.blocks]]
    bounds = step.problem.bounds.copy()
    bounds[len(bounds) - len(most) :] = np.column_stack([-most, most])
    return bounds


def _both(first, second):
    """What the method says of both solves: the status of the worse."""
    order = list(methods.Status)
    worse = max((first.outcome, second.outcome), key=lambda outcome: order.index(outcome.status))
    total = first.outcome.iterations + second.outcome.iterations
    return second._replace(outcome=worse._replace(iterations=total), wall_s=first.wall_s + second.wall_s,
                           cpu_s=first.cpu_s + second.cpu_s)  # fmt: skip


def after_step(model, joints, solution, h):
    """JointState after a step of h seconds: impulses, loads, which joints broke, and what sticks."""
    tables = joints.tables
    if tables.count == 0:
        return joints
    step = solution.step
    impulse = joint_rows(step, solution.impulse, joints.impulse)
    load = np.zeros((tables.count, 6))
    if step.joints is not None:
        linear = step.joints.linear
        kernels.add_loads(tables.rows, tables.functions, linear.J, impulse, load)
        load[:, 3:] -= np.cross(_arms(tables, step), load[:, :3])
    strain, broken = joints.strain, joints.broken
    limited = np.isfinite(tables.per_joint.breaking)
    if limited.any():
        force = np.linalg.norm(load[:, :3], axis=1)
        torque = np.linalg.norm(load[:, 3:], axis=1) / tables.per_joint.length
        now = np.where(limited, np.hypot(force, torque) / h / np.where(limited, tables.per_joint.breaking, 1.0), 0.0)
        # A mean over some time, so that a blow breaks the same joint whatever the time step.
        share = -np.expm1(-h / FILTER)
        strain = strain + share * (now - strain)
        broken = broken | (strain >= 1.0)
    return replace(joints, impulse=impulse, load=load, strain=strain, broken=broken, sticks=_sticks(joints, impulse, h))


def _sticks(joints, impulse, h):
    """Rows (K,) of friction that hold with less than there was for them in a step of h seconds, by impulses (K,)."""
    tables = joints.tables
    friction = tables.rows.role == Role.FRICTION
    if not (tables.per_joint.static_ratio > 1.0).any():
        return friction
    return friction & (np.abs(impulse) < (1.0 - AT_BOUND) * joints.sticking() * strengths(tables, impulse, h))


def joint_work(model, solution, kept, free, h):
    """Work [J] of the joints of the bodies `kept` (R,) in a step of h seconds; free (R,6): velocities without impulses.

    As that of contacts: impulses against the mean of the velocities before without gravity and after with them.
    """
    step = solution.step
    if step.joints is None:
        return 0.0
    tables, linear = step.joints.tables, step.joints.linear
    fall = np.zeros_like(free)
    fall[model.inverse_mass > 0, :3] = h * model.gravity
    speed = rates(tables, linear, solution.twist) + rates(tables, linear, free) - rates(tables, linear, fall)
    use = kept[step.joints.bodies]
    rows = step.joints.rows[np.repeat(use, np.diff(step.problem.row_start)[len(step.rows) :])]
    impulse = joint_rows(step, solution.impulse, np.zeros(len(tables.rows.role)))
    return 0.5 * float(impulse[rows] @ speed[rows])


def _arms(tables, step):
    """Where the second bodies' anchors are from their centres of mass, world (J,3) [m]; zeros for the world."""
    p = tables.per_joint
    arms = np.einsum("jik,jk->ji", step.joints.orientation[p.ends[:, 1]], p.anchor[:, 1])
    return np.where(p.ends[:, 1:] >= 0, arms, 0.0)
