"""Time stepping: one function a scheme, ten readable lines each; no kernels.

A scheme takes (model, state, settings) and returns the new state, a StepReport, and the impulses (C,4) of the
contacts: n, s, t, tau.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import methods
from .collision import find_contacts
from .dynamics import kinematic, rotation
from .dynamics.contact_step import bounces, contact_step, contact_velocity, displacement_b, velocity_b
from .dynamics.rigid import energies, free_twist, moved
from .dynamics.warm_start import carried_impulses, four_columns, from_rows, to_rows
from .step_report import StepReport


@dataclass(frozen=True)
class StepSettings:
    """What a step needs besides the state: time_step [s], the method and its options, and how overlap is treated.

    tolerance [m/s]: 0 means automatic, `accuracy` times the velocity that gravity gives in one step.
    """

    time_step: float
    method: str = "default"
    method_options: Any = None
    bounce_threshold: float = 0.0
    overlap_tolerance: float = 1e-5
    push_rate: float = 0.2
    largest_push: float = 0.02
    workers: int = 1


def moreau_midpoint(model, state, settings):
    """Moreau's midpoint scheme: half a step with the old velocity, contacts there, half a step with the new one."""
    h = settings.time_step
    state = kinematic.driven(model, state, h)
    position, orientation = moved(state, state.twist, 0.5 * h)
    return _impulses_and_motion(model, state, position, orientation, 0.5 * h, settings)


def semi_implicit(model, state, settings):
    """Semi-implicit Euler: contacts at the start of the step, then a full step with the new velocity."""
    h = settings.time_step
    state = kinematic.driven(model, state, h)
    return _impulses_and_motion(model, state, state.position, state.orientation, h, settings)


STEPPERS = {"moreau": moreau_midpoint, "semi_implicit": semi_implicit}


def _impulses_and_motion(model, state, position, orientation, remaining, settings):
    """Contacts at the given poses, the impulses of the step, and the motion over the remaining time."""
    h = settings.time_step
    free = free_twist(model, state, rotation.matrix(orientation), h)
    contacts = find_contacts(model.collision, position, orientation, free, h, workers=settings.workers)
    step = contact_step(model, position, orientation, state.twist, free, contacts)
    carried = to_rows(carried_impulses(state.contacts, state.impulses, contacts), step.frame, step.rows)
    hit, target = bounces(step, h, h - remaining, settings.bounce_threshold)
    impulse = carried
    velocity_problem = step.problem.with_b(velocity_b(step, h, hit, target))
    solved = methods.solve(velocity_problem, impulse, settings.method, settings.method_options, brief=True)
    twist = _with_change(model, free, step.problem.velocity_change(impulse))
    motion = twist
    push = _push(model, contacts, remaining, settings)
    if np.any(hit) or np.any(push > 0):
        shift = impulse.copy()
        shifting = step.problem.with_b(displacement_b(step, h, remaining, hit, push))
        methods.solve(shifting, shift, settings.method, settings.method_options, brief=True)
        motion = _with_change(model, free, step.problem.velocity_change(shift))
    start = state.copy()
    start.position, start.orientation = position, orientation
    after = start.copy()
    after.position, after.orientation = moved(start, motion, remaining)
    after.time, after.twist = state.time + h, twist
    after.contacts, after.impulses = contacts, from_rows(impulse, step.frame, step.rows)
    return (
        after,
        _report(model, after, orientation, step, impulse, solved, motion, h, remaining),
        four_columns(impulse, step.rows),
    )


def _with_change(model, free, change):
    """Velocities of all bodies after the impulses changed those of the moving ones."""
    twist = free.copy()
    twist[model.inverse_mass > 0] += change.reshape(-1, 6)
    return twist


def _push(model, contacts, remaining, settings):
    """Velocity (C,) [m/s] that takes a part of the overlap away over the remaining time, capped by the body size."""
    size = np.minimum(_extent(model, contacts.body_a), _extent(model, contacts.body_b))
    overlap = -contacts.gap - settings.overlap_tolerance * size
    distance = np.minimum(settings.push_rate * np.maximum(overlap, 0.0), settings.largest_push * size)
    return distance / remaining


def _extent(model, body):
    """Size of the bodies, infinite for those that do not move: the smaller moving one sets the scale."""
    return np.where(model.inverse_mass[body] > 0, model.size[body], np.inf)


def _report(model, after, orientation, step, impulse, solved, motion, h, remaining):
    """What happened in the step, in physical units."""
    moving = model.inverse_mass > 0
    kinetic, potential = energies(model, after, rotation.matrix(after.orientation))
    # Gravity's own work is in the potential: over the step the bodies move with the mean of the velocities before and
    # after, so the impulses work against the mean of the contact velocities without gravity before and with them after.
    fall = np.where(moving[:, None], h * model.gravity, 0.0)
    drop = contact_velocity(np.concatenate([fall, 0.0 * fall], axis=1), after.position, step.contacts, step.frame)
    work = 0.5 * impulse * (step.problem.velocity(impulse) + step.problem.b - drop[np.arange(4) < step.rows[:, None]])
    first = step.problem.row_start[:-1]
    normal = float(work[first].sum()) if len(first) else 0.0
    shift = remaining * (motion - after.twist)[moving, :3]
    # Turning otherwise than with the angular velocity moves the inertia under it: work of removing overlap, too.
    turned = 0.0 if motion is after.twist else kinetic - energies(model, after, rotation.matrix(orientation))[0]
    stabilisation = turned - float(np.sum(model.mass[moving] * (shift @ model.gravity)))
    return StepReport(
        time=after.time, contact_count=step.contacts.count, overlap=float(np.max(-step.contacts.gap, initial=0.0)),
        kinetic=kinetic, potential=potential, friction_work=float(work.sum()) - normal, impact_loss=normal,
        stabilisation_work=stabilisation, residual=solved.residual, iterations=solved.iterations,
        converged=solved.status == methods.Status.CONVERGED, solve_s=solved.wall_s,
    )  # fmt: skip
