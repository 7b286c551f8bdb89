"""The motion of the bodies over the rest of a step where it is not that of their velocities: bounces and overlaps.

Bodies that bounce first close their gap: a displacement problem with friction. Overlap is pushed out by one more
problem, which keeps the friction impulses: with a friction law of its own it would often have no answer. Of two
contacts that wedge a body one has to give way and the other does not let it, and overlaps in a pile stay for ever.
"""

import numpy as np

from ..mechanisms import off
from ..methods.counted import improve_within
from ..options import changed
from ..residuals import block_residuals
from . import step_kernels as kernels
from .contact_step import displacement_b
from .goals import on_blocks, only, step_goals
from .relative import point_speed
from .rigid import with_change

# How exactly overlaps are pushed out, in parts of the fastest push of an island.
PUSHED = 0.003


def motion_to_end(model, poses, solution, settings):
    """Velocities (R,6) that move the bodies over the remaining time: not those of the solution where contacts bounce or
    overlap."""
    push = _push(model, solution.step.contacts, poses.remaining, settings)
    if off("bounce_displacement"):
        solution = changed(solution, hit=np.zeros_like(solution.hit))
    if push is None and not solution.hit.any():
        return solution.twist
    settings.events.some("bounce_displacement", model, solution.step.contacts, solution.hit)
    if push is not None:
        settings.events.some("penetration_correction", model, solution.step.contacts, push > 0.0)
    return _displaced(model, poses, solution, push, settings)


def _displaced(model, poses, solution, push, settings):
    """Velocities (R,6) that move the bodies over the remaining time.

    push (C,) [m/s]: how fast overlap is to go; None where there is nothing to push. Islands whose bodies a displacement
    problem would send flying do without it. Where the velocities did not converge, gaps are closed without friction.
    Islands in which nothing bounces or overlaps move with their velocities.
    """
    step, impulse, islands, moved = solution.step, solution.impulse, solution.islands, solution.twist
    goals = step_goals(model, poses.before, step, settings, patient=False)

    def asking(push):
        b = displacement_b(step, poses.horizon, poses.remaining, solution.hit, push)
        if poses.turning is not None:
            sooner = np.where(solution.hit, 0.0, poses.sooner(step.contacts))
            b[step.first[sooner > 0.0]] += sooner[sooner > 0.0]
        return step.problem.with_b(b)

    bouncing = islands.any(on_blocks(step, solution.hit))
    if bouncing.any():
        residual = block_residuals(solution.problem, solution.answer)
        solved = bouncing & ~islands.any(residual > goals.tolerance)
        if solved.any():
            problem = asking(0.0)
            after = _improved(problem, impulse, settings, only(goals, solved), solved)
            moved, impulse, wild = _limited(model, poses, solution, problem, impulse, after)
            bouncing = (bouncing & ~solved) | wild
            settings.events.count("unbounded_response", np.count_nonzero(wild))
    asked = bouncing if push is None else bouncing | islands.any(on_blocks(step, push > 0.0))
    if asked.any():
        problem = asking(0.0 if push is None else push)
        after = _pushed(problem, step, impulse, settings, only(_roughly(goals, push, step, islands), asked), asked)
        moved, _, wild = _limited(model, poses, solution, problem, impulse, after)
        settings.events.count("unbounded_response", np.count_nonzero(wild))
    return moved


def _push(model, contacts, remaining, settings):
    """Velocity (C,) [m/s] that takes a part of the overlap away over the remaining time, capped by the body size; None
    where there is none."""
    if settings.overlap != "soft" or off("penetration_correction"):
        return None
    push = np.zeros(contacts.count)
    limits = settings.overlap_tolerance, settings.push_rate, settings.largest_push
    return push if kernels.push_velocities(model.bodies, contacts, limits, remaining, push) else None


def _roughly(goals, push, step, islands):
    """The Goals of a push: what is left of an overlap is pushed in the next step, so a part of how fast overlaps of the
    island are to go will do."""
    if push is None:
        return goals
    fastest = np.zeros(len(islands.of_body))
    np.maximum.at(fastest, islands.of_block[: len(push)], push)
    return goals._replace(tolerance=np.maximum(goals.tolerance, PUSHED * fastest[islands.of_block]))


def _motion(model, poses, step, impulse):
    return with_change(model, poses.free, step.problem.velocity_change(impulse))


def _improved(problem, impulse, settings, goals, wanted):
    """Impulses (K,) that meet the demands of `problem` on blocks `wanted` (B,), from those given; others stay."""
    better = impulse.copy()
    improve_within(problem, better, settings, goals)
    return np.where(np.repeat(wanted, np.diff(problem.row_start)), better, impulse)


def _pushed(problem, step, impulse, settings, goals, wanted):
    """Impulses (K,) with normal ones that meet the demands of `problem`, and the friction of those given."""
    friction = impulse.copy()
    friction[step.first] = 0.0
    friction[step.contact_rows :] = 0.0
    normal = _improved(problem.with_friction_given(friction), impulse - friction, settings, goals, wanted)
    return np.where(np.repeat(wanted, np.diff(problem.row_start)), friction + normal, impulse)


def _limited(model, poses, solution, problem, before, after):
    """(velocities (R,6), their impulses (K,), wild (B,): blocks of islands that bodies would fly out of): those
    of `after`, an answer to `problem`, or of `before` on islands that are wild.
    """
    moved = _motion(model, poses, solution.step, after)
    extra = point_speed(model.size, moved - solution.twist)
    # Less than a fiftieth of its size beyond its velocity is no flight.
    far = (poses.remaining * extra > 0.02 * model.size) & (model.inverse_mass > 0)
    wild = np.zeros(problem.block_count, dtype=bool)
    if far.any() and not off("unbounded_response"):
        wild = _wild(solution, far, extra, problem.b - solution.problem.b)
    if not wild.any():
        return moved, after, wild
    limited = np.where(np.repeat(wild, np.diff(problem.row_start)), before, after)
    return _motion(model, poses, solution.step, limited), limited, wild


def _wild(solution, far, extra, asked):
    """Blocks (B,) of islands in which a body moves `far` (R,), and that much faster than was asked for.

    extra (R,) [m/s]: how fast it moves beyond its velocity; asked (K,) [m/s]: what the displacement problem asks of
    each row beyond the velocity problem.
    """
    label = solution.islands.of_body
    demand, wild = np.zeros(len(label)), np.zeros(len(label), dtype=bool)
    most = np.maximum.reduceat(np.abs(asked), solution.step.problem.row_start[:-1])
    np.maximum.at(demand, solution.islands.of_block, most)
    # So many times faster than the demands of its island it is where the problem has no answer but a wild one.
    wild[label[far & (extra > 20.0 * demand[label])]] = True
    return wild[solution.islands.of_block]
