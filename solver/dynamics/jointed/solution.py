"""The joints' share in the solution of a step: their impulses there and back, the turning of their rows, what breaks.

No work is due of held rows, so what there is is the step's own error of energy. Where a chain cracks its pull is ten
times that of the step before, and no look ahead at the loads knows it: components whose held rows do more than a part
of their energy make the step again in halves.
"""

from dataclasses import replace

import numpy as np

from ... import methods
from ...mechanisms import off
from ...methods.counted import improve_some, improve_within
from ...options import changed
from ..rigid import with_change
from . import after_kernels as kernels
from .block_kernels import acts_anew
from .rows import rows_of_step, strengths, turned_with

# Solutions at most with the friction that the loads of the one before give, and the change of it that ends them.
LOADINGS, SAME = 8, 1e-6


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
    such joints are solved again, once, or until that friction is settled: from the velocities before the step this is
    of second order.
    """
    open_still = acts_anew(model.joint_tables, solution.step.joints.found, solution.islands.of_block)
    if not open_still.any():
        return solution
    step = solution.step if off("joint_rows_at_end") else turned_with(model, poses, solution.step, solution.twist)
    settings.events.count("joint_rows_at_end", step is not solution.step)
    shift = step.problem.b - solution.step.problem.b
    problem = solution.problem.with_b(solution.problem.b + shift)
    bounds = _bounds_by_loads(step, solution.impulse, settings.time_step)
    if bounds is None or off("bearing_friction"):
        return _solved_again(model, poses, solution, step, problem, settings, goals, open_still)
    for _ in range(LOADINGS):
        settings.events.count("bearing_friction")
        step, problem = changed(step, problem=step.problem.with_bounds(bounds)), problem.with_bounds(bounds)
        solution = _solved_again(model, poses, solution, step, problem, settings, goals, open_still)
        before, bounds = bounds, _bounds_by_loads(step, solution.impulse, settings.time_step)
        change = np.abs(np.subtract(bounds, before, where=np.isfinite(bounds), out=np.zeros_like(bounds)))
        # An island whose friction is settled keeps it, whatever others need.
        open_still &= solution.islands.any((change > SAME * np.abs(bounds)).any(axis=1))
        if not open_still.any():
            break
        bounds = np.where(open_still[:, None], bounds, before)
    return solution


def _solved_again(model, poses, solution, step, problem, settings, goals, wanted):
    """The StepSolution with those islands solved for another `problem` whose blocks are `wanted` (B,)."""
    blocks, answer = np.flatnonzero(wanted), solution.answer
    if len(blocks) == problem.block_count:
        solved = improve_within(problem, answer, settings, goals)
    else:
        solved = both(solution.solved, improve_some(problem, answer, blocks, settings, goals))
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


def both(first, second):
    """What the method says of both solves: the status of the worse."""
    order = list(methods.Status)
    worse = max((first.outcome, second.outcome), key=lambda outcome: order.index(outcome.status))
    total = first.outcome.iterations + second.outcome.iterations
    return second._replace(outcome=worse._replace(iterations=total), wall_s=first.wall_s + second.wall_s,
                           cpu_s=first.cpu_s + second.cpu_s)  # fmt: skip


def after_step(model, joints, solution, h):
    """JointState after a step of h seconds: impulses, loads, which joints broke, and what sticks."""
    if joints.tables.count == 0:
        return joints
    step, impulse, load = solution.step, np.zeros_like(joints.impulse), np.zeros_like(joints.load)
    strain, broken = joints.strain.copy(), joints.broken.copy()
    known = model.joint_tables._replace(rows=joints.tables.rows)
    if step.joints is not None:
        own = step.joints
        kernels.carried(known, (own.linear.J, own.orientation, own.rows), _of_joints(step, solution.impulse), h,
                        impulse, load, strain, broken)  # fmt: skip
    sticks = kernels.sticking(known, joints.sticks, impulse, h)
    return replace(joints, impulse=impulse, load=load, strain=strain, broken=broken, sticks=sticks)


def joint_work(model, solution, kept, free, h):
    """Work [J] of the joints of the bodies `kept` (R,) in a step of h seconds; free (R,6): velocities without impulses.

    As that of contacts: impulses against the mean of the velocities before without gravity and after with them.
    """
    step = solution.step
    if step.joints is None:
        return 0.0
    own = _of_joints(step, solution.impulse)
    return kernels.work_of_joints(model.joint_tables, model.bodies, rows_of_step(step), own, kept, free, solution.twist,
                                  h)  # fmt: skip


def erring_bodies(model, before, former, solution, part=1.0):
    """Moving bodies (R,) of groups whose held rows did too much work between the twists `before` (R,6) and those of a
    StepSolution: more than `part` of what they may do in a whole step, and than what the solve was allowed to leave of
    velocities along them, which finer steps would not lessen. Bodies on keyed paths come from the velocities at the end
    of the step before, `former` (R,6): these work by how they jump."""
    joints = solution.step.joints
    if joints is None:
        return np.zeros(len(model.inverse_mass), dtype=bool)
    own = solution.impulse[len(solution.impulse) - len(joints.rows) :]
    tolerance = solution.tolerance[len(solution.tolerance) - len(joints.blocks) :]
    return kernels.erring(model.joint_tables, model.bodies, rows_of_step(solution.step), own, tolerance,
                          (before, former, solution.twist), part)  # fmt: skip
