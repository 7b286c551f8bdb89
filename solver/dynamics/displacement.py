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

# How far, in parts of its size, a body moves beside its velocity before that is looked at,
FAR = 0.02
# and how many times faster than the demands of its island it then is where the problem has no answer.
WILD = 20.0


def displaced(model, poses, solution, push, settings):
    """Velocities (R,6) that move the bodies over the remaining time; push (C,): see displacement_b."""
    step = solution.step
    shift = solution.impulse.copy()
    problem = step.problem.with_b(displacement_b(step, poses.horizon, poses.remaining, solution.hit, push))
    methods.improve(problem, shift, settings.method, settings.method_options)
    motion = with_change(model, poses.free, step.problem.velocity_change(shift))
    asked = problem.b - solution.problem.b
    if not _far(model, motion - solution.twist, poses.remaining).any():
        return motion
    return _tamed(model, poses, solution, push, motion, asked, settings)


def with_change(model, free, change):
    """Velocities of all bodies after the impulses changed those of the moving ones."""
    twist = free.copy()
    kernels.add_change(model.bodies.dof_of_body, change, twist)
    return twist


def _tamed(model, poses, solution, push, motion, asked, settings):
    """The motion, in islands with a body that it throws about that without friction.

    asked (K,): what the displacement problem asks of each row beyond the velocity problem [m/s].
    """
    wild = _wild(model, poses, solution, motion, asked)
    if not wild.any():
        return motion
    return np.where(wild[:, None], _without_friction(model, poses, solution, push, settings), motion)


def _speed(model, beside):
    """Bound (R,) [m/s] on how fast points of the moving bodies are with velocities `beside` (R,6)."""
    speed = np.linalg.norm(beside[:, :3], axis=1) + model.size * np.linalg.norm(beside[:, 3:], axis=1)
    return np.where(model.inverse_mass > 0, speed, 0.0)


def _far(model, beside, remaining):
    """Bodies (R,) that velocities `beside` (R,6) move far in the remaining time."""
    return remaining * _speed(model, beside) > FAR * model.size


def _wild(model, poses, solution, motion, asked):
    """Bodies (R,) of islands in which one moves far, and much faster beside its velocity than what was asked for."""
    contacts = solution.step.contacts
    beside = motion - solution.twist
    label = body_islands(model.inverse_mass, contacts)
    demand, wild = np.zeros(len(label)), np.zeros(len(label), dtype=bool)
    each = np.maximum.reduceat(np.abs(asked), solution.step.problem.row_start[:-1])
    for ends in (contacts.body_a, contacts.body_b):
        moves = model.inverse_mass[ends] > 0
        np.maximum.at(demand, label[ends[moves]], each[moves])
    thrown = _far(model, beside, poses.remaining) & (_speed(model, beside) > WILD * demand[label])
    wild[label[thrown]] = True
    return wild[label] & (model.inverse_mass > 0)


def _without_friction(model, poses, solution, push, settings):
    """The motion with the friction impulses of the velocity problem, and normal ones that meet the demands."""
    step, held = solution.step, solution.impulse.copy()
    held[step.problem.row_start[:-1]] = 0.0
    rubbed = with_change(model, poses.free, step.problem.velocity_change(held))
    smooth = contact_step(
        replace(model, mu=np.zeros_like(model.mu)), poses.position, poses.orientation, poses.before, rubbed,
        step.contacts,
    )  # fmt: skip
    normal = solution.impulse[step.problem.row_start[:-1]]
    problem = smooth.problem.with_b(displacement_b(smooth, poses.horizon, poses.remaining, solution.hit, push))
    methods.improve(problem, normal, settings.method, settings.method_options)
    return with_change(model, rubbed, smooth.problem.velocity_change(normal))
