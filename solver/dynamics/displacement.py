"""The motion of the bodies over the rest of a step where it is not that of their velocities: overlaps and bounces.

The displacement problem is the velocity problem with other demands on the normals. With friction such demands may have
no answer but a wild one: a foot wedged between two walls, one of which has to give way, is thrown about with
millions of times the impulses. Without friction the velocities of the problem are bounded.
"""

from dataclasses import replace

import numpy as np

from .. import methods
from ..islands import body_islands
from . import step_kernels as kernels
from .contact_step import contact_step, displacement_b
from .relative import point_speed

# How far, in parts of its size, a body moves beside its velocity before that is looked at,
FAR = 0.02
# and how many times faster than the demands of its island it then is where the problem has no answer.
WILD = 20.0


def displaced(model, poses, solution, push, settings):
    """Velocities (R,6) that move the bodies over the remaining time; push (C,): see displacement_b.

    Islands with a body that would be thrown about move as the problem without friction has it.
    """
    step = solution.step
    motion, b = _motion(model, poses, step, poses.free, solution.impulse.copy(), solution.hit, push, settings)
    beside = np.where(model.inverse_mass > 0, point_speed(model.size, motion - solution.twist), 0.0)
    far = poses.remaining * beside > FAR * model.size
    if not far.any():
        return motion
    wild = _wild(model, step, far, beside, b - solution.problem.b)
    if not wild.any():
        return motion
    return np.where(wild[:, None], _without_friction(model, poses, solution, push, settings), motion)


def with_change(model, free, change):
    """Velocities of all bodies after the impulses changed those of the moving ones."""
    twist = free.copy()
    kernels.add_change(model.bodies.dof_of_body, change, twist)
    return twist


def _motion(model, poses, step, free, impulse, hit, push, settings):
    """(velocities (R,6), b (K,)) of the displacement problem of a ContactStep, solved from `impulse` (K,) on.

    free (R,6): velocities without its impulses.
    """
    problem = step.problem.with_b(displacement_b(step, poses.horizon, poses.remaining, hit, push))
    methods.improve(problem, impulse, settings.method, settings.method_options)
    return with_change(model, free, step.problem.velocity_change(impulse)), problem.b


def _wild(model, step, far, beside, asked):
    """Bodies (R,) of islands in which one moves `far` (R,), and much faster beside its velocity than was asked for.

    beside (R,) [m/s]: how fast; asked (K,) [m/s]: what the displacement problem asks of each row beyond the velocity
    problem.
    """
    contacts, moving = step.contacts, model.inverse_mass > 0
    label = body_islands(model.inverse_mass, contacts)
    demand, wild = np.zeros(len(label)), np.zeros(len(label), dtype=bool)
    each = np.maximum.reduceat(np.abs(asked), step.problem.row_start[:-1])
    for ends in (contacts.body_a, contacts.body_b):
        moves = moving[ends]
        np.maximum.at(demand, label[ends[moves]], each[moves])
    wild[label[far & (beside > WILD * demand[label])]] = True
    return wild[label] & moving


def _without_friction(model, poses, solution, push, settings):
    """The motion with the friction impulses of the velocity problem, and normal ones that meet the demands."""
    step, held = solution.step, solution.impulse.copy()
    normals = step.problem.row_start[:-1]
    held[normals] = 0.0
    rubbed = with_change(model, poses.free, step.problem.velocity_change(held))
    smooth = contact_step(
        replace(model, mu=np.zeros_like(model.mu)), poses.position, poses.orientation, poses.before, rubbed,
        step.contacts,
    )  # fmt: skip
    return _motion(model, poses, smooth, rubbed, solution.impulse[normals], solution.hit, push, settings)[0]
