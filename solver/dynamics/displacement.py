"""The motion of the bodies over the rest of a step where it is not that of their velocities: bounces and overlaps.

Bodies that bounce first close their gap: a displacement problem with friction. Overlap is pushed out by one more
problem, which keeps the friction impulses: with a friction law of its own it would often have no answer. Of two
contacts that wedge a body one has to give way and the other does not let it, and overlaps in a pile stay for ever.
"""

import numpy as np

from .. import methods
from ..problems.islands import body_islands
from . import step_kernels as kernels
from .contact_step import displacement_b
from .relative import point_speed

# How far, in parts of its size, a body moves beside its velocity before that is looked at,
FAR = 0.02
# and how many times faster than the demands of its island it then is where the problem has no answer but a wild one.
WILD = 20.0


def displaced(model, poses, solution, push, settings):
    """Velocities (R,6) that move the bodies over the remaining time.

    push (C,) [m/s]: how fast overlap is to go; None where there is nothing to push. Islands whose bodies a displacement
    problem would throw about do without it. Where the velocities did not converge, gaps are closed without friction.
    """
    step, impulse, bouncing = solution.step, solution.impulse, bool(solution.hit.any())

    def asking(push):
        return step.problem.with_b(displacement_b(step, poses.horizon, poses.remaining, solution.hit, push))

    if bouncing and solution.solved.outcome.status == methods.Status.CONVERGED:
        problem = asking(0.0)
        after = _improved(problem, impulse, settings)
        moved, impulse, bouncing = _tamed(model, poses, solution, problem, impulse, after)
    if push is not None or bouncing:
        problem = asking(0.0 if push is None else push)
        moved, _, _ = _tamed(model, poses, solution, problem, impulse, _pushed(problem, impulse, settings))
    return moved


def with_change(model, free, change):
    """Velocities of all bodies after the impulses changed those of the moving ones."""
    twist = free.copy()
    kernels.add_change(model.bodies.dof_of_body, change, twist)
    return twist


def _motion(model, poses, step, impulse):
    return with_change(model, poses.free, step.problem.velocity_change(impulse))


def _improved(problem, impulse, settings):
    """Impulses (K,) that meet the demands of `problem`, from those given."""
    better = impulse.copy()
    methods.improve(problem, better, settings.method, settings.method_options)
    return better


def _pushed(problem, impulse, settings):
    """Impulses (K,) with normal ones that meet the demands of `problem`, and the friction of those given."""
    friction = impulse.copy()
    friction[problem.row_start[:-1]] = 0.0
    return friction + _improved(problem.with_friction_given(friction), impulse - friction, settings)


def _tamed(model, poses, solution, problem, before, after):
    """(velocities (R,6), their impulses (K,), whether any island is wild): those of `after`, an answer to `problem`, or
    of `before` on islands in which a body is thrown about.
    """
    moved = _motion(model, poses, solution.step, after)
    beside = point_speed(model.size, moved - solution.twist)
    far = (poses.remaining * beside > FAR * model.size) & (model.inverse_mass > 0)
    wild = _wild(model, solution.step, far, beside, problem.b - solution.problem.b) if far.any() else far
    if not wild.any():
        return moved, after, False
    tame = np.where(np.repeat(wild, np.diff(problem.row_start)), before, after)
    return _motion(model, poses, solution.step, tame), tame, True


def _wild(model, step, far, beside, asked):
    """Contacts (C,) of islands in which a body moves `far` (R,), and that much faster than was asked for.

    beside (R,) [m/s]: how fast it moves beside its velocity; asked (K,) [m/s]: what the displacement problem asks of
    each row beyond the velocity problem.
    """
    contacts = step.contacts
    ends = np.where(model.inverse_mass[contacts.body_a] > 0, contacts.body_a, contacts.body_b)
    label = body_islands(model.inverse_mass, contacts)
    demand, wild = np.zeros(len(label)), np.zeros(len(label), dtype=bool)
    np.maximum.at(demand, label[ends], np.maximum.reduceat(np.abs(asked), step.problem.row_start[:-1]))
    wild[label[far & (beside > WILD * demand[label])]] = True
    return wild[label[ends]]
