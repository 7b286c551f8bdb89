"""The impulses of one time step: contacts, the problem, its solution, and a second look for contacts it makes."""

from dataclasses import dataclass, replace

import numpy as np

from .. import methods
from ..collision import find_contacts
from ..collision.contacts import ContactSet
from .contact_step import bounces, contact_step, contact_velocity, displacement_b, velocity_b
from .onset import find_onset, onset_b
from .patches import spread_loads
from .projection import smaller_size
from .warm_start import carried_impulses, from_rows, match, to_rows

# Contacts closer than this part of the smaller body are always found; only faster changes can make unseen ones.
SEEN_MARGIN = 0.01
# An overlap predicted to stay below this part of the smaller body does not call for another solve.
LATE_OVERLAP = 1e-3

# Searches for such contacts in one step.
LOOKS = 2
# Bodies at rest count as moving at this part of what gravity gives in a step when "acceptable" is measured.
AT_REST = 0.03
# How much more work a solve may take while all bodies are slower than that.
REST_WORK = 10


@dataclass(frozen=True)
class Poses:
    """Where contacts are looked for: poses (R,3), (R,4); velocities before the step and after it without impulses
    (R,6); the time from here to the end of the step [s]."""

    position: np.ndarray
    orientation: np.ndarray
    before: np.ndarray
    free: np.ndarray
    remaining: float


@dataclass(frozen=True)
class StepSolution:
    """step: ContactStep; impulse (K,); twist (R,6) after the step; motion (R,6): velocity that moves the bodies over
    the remaining time; hit (C,): contacts that bounce; report: SolveReport of the velocity problem."""

    step: object
    impulse: np.ndarray
    twist: np.ndarray
    motion: np.ndarray
    hit: np.ndarray
    report: object

    @property
    def carried(self):
        """Impulses (C,5) for the next step's warm start."""
        return from_rows(self.impulse, self.step.frame, self.step.rows)


def solve_step(model, state, poses, settings):
    """Return the StepSolution of one step.

    Bodies that are hit may move on into bodies they were not moving towards, or turn a far corner into the one that
    hit them: such contacts are unknown when the problem is made. After a solution the bodies are searched again
    with their new velocities, and if that finds new contacts about to overlap the problem is solved again with them.
    """
    h = settings.time_step
    settings = _with_acceptable(model, poses, settings)
    contacts = find_contacts(
        model.collision, poses.position, poses.orientation, poses.free, h, workers=settings.workers
    )
    step = contact_step(model, poses.position, poses.orientation, poses.before, poses.free, contacts)
    carried = carried_impulses(state.contacts, state.impulses, contacts)
    spread_loads(contacts, carried, -step.free[:, 0] - np.maximum(contacts.gap, 0.0) / h, model.inverse_mass)
    impulse = to_rows(carried, step.frame, step.rows)
    solution = _solve_velocity(model, poses, step, impulse, settings)
    for _ in range(LOOKS):
        late = _late_contacts(model, poses, solution, settings)
        if late is None:
            break
        solution = _solve_with(model, poses, solution, late, settings)
    return _with_motion(model, poses, solution, settings)


def _solve_with(model, poses, solution, late, settings):
    """Solve again with late contacts, starting at the impulses of `solution`."""
    contacts = solution.step.contacts
    merged, is_late = _merged(contacts, late)
    step = contact_step(model, poses.position, poses.orientation, poses.before, poses.free, merged)
    step = _struck(step, is_late, solution, poses)
    impulse = to_rows(carried_impulses(contacts, solution.carried, merged), step.frame, step.rows)
    return _solve_velocity(model, poses, step, impulse, settings)


def _with_acceptable(model, poses, settings):
    """Settings whose method accepts a residual small against the speed of the bodies, where it has that option."""
    if settings.acceptable == 0.0 or not hasattr(settings.method_options, "acceptable"):
        return settings
    moving = model.inverse_mass > 0
    speed = np.linalg.norm(poses.before[moving, :3]) / np.sqrt(max(1, np.count_nonzero(moving)))
    slow = AT_REST * settings.time_step * np.linalg.norm(model.gravity)
    options = replace(settings.method_options, acceptable=float(settings.acceptable * (speed + slow)))
    if speed < slow and hasattr(options, "patience"):
        # Solved to the end, a structure at rest starts its next steps with the answer; that pays for the work.
        options = replace(options, patience=REST_WORK * options.patience, effort=REST_WORK * options.effort)
    return replace(settings, method_options=options)


def _solve_velocity(model, poses, step, impulse, settings):
    """Solve for the velocities at the end of the step, starting at `impulse`."""
    h = settings.time_step
    hit, target = bounces(step, h, h - poses.remaining, settings.bounce_threshold)
    onset = find_onset(model, step, impulse, h, h - poses.remaining)
    b = velocity_b(step, h, hit, target)
    if onset is not None:
        b = onset_b(b, step, h, poses.remaining, onset)
        impulse -= onset.held
        hit = hit | onset.hit
    report = methods.solve(step.problem.with_b(b), impulse, settings.method, settings.method_options, brief=True)
    if onset is not None:
        impulse += onset.held
    twist = _with_change(model, poses.free, step.problem.velocity_change(impulse))
    return StepSolution(step, impulse, twist, twist, hit, report)


def _with_change(model, free, change):
    """Velocities of all bodies after the impulses changed those of the moving ones."""
    twist = free.copy()
    twist[model.inverse_mass > 0] += change.reshape(-1, 6)
    return twist


def _late_contacts(model, poses, solution, settings):
    """Contacts not yet in the problem that the new velocities would make overlap, None if there are none."""
    moving = model.inverse_mass > 0
    if not np.any(moving):
        return None
    h, size = settings.time_step, model.size
    change = np.abs(solution.twist - poses.before)
    reach = h * (change[:, :3].sum(axis=1) + size * change[:, 3:].sum(axis=1))
    if reach[moving].max() <= 0.5 * SEEN_MARGIN * size[moving].min():
        return None
    found = find_contacts(
        model.collision, poses.position, poses.orientation, solution.twist, h, workers=settings.workers
    )
    frame = np.zeros((found.count, 3, 3))
    frame[:, 0] = found.normal
    closing = contact_velocity(solution.twist, poses.position, found, frame)[:, 0]
    predicted = found.gap + h * closing
    source = np.empty(found.count, dtype=np.int64)
    seen = solution.step.contacts
    match(seen.body_a, seen.body_b, seen.key, found.body_a, found.body_b, found.key, source)
    late = (source < 0) & (predicted < -LATE_OVERLAP * smaller_size(model, found))
    return _subset(found, late) if np.any(late) else None


def _subset(contacts, use):
    return ContactSet(*(column[use] for column in contacts))


def _merged(contacts, late):
    """Both sets in lexicographic order, and which contacts came from the second."""
    columns = ContactSet(*(np.concatenate(pair) for pair in zip(contacts, late, strict=True)))
    order = np.lexsort((columns.key, columns.body_b, columns.body_a))
    return _subset(columns, order), order >= contacts.count


def _struck(step, is_late, solution, poses):
    """The step with the velocities of the last solution as those before the impact of the late contacts."""
    before, free = step.before.copy(), step.free.copy()
    # Contacts that came late in an earlier look keep the velocities they were met with.
    before[~is_late], free[~is_late] = solution.step.before, solution.step.free
    v = contact_velocity(solution.twist, poses.position, step.contacts, step.frame)
    before[is_late], free[is_late] = v[is_late], v[is_late]
    return replace(step, before=before, free=free)


def _with_motion(model, poses, solution, settings):
    """The solution with the velocity that moves the bodies: another one only where contacts bounce or overlap."""
    h, step, hit = settings.time_step, solution.step, solution.hit
    push = _push(model, step.contacts, poses.remaining, settings)
    if not np.any(hit) and not np.any(push > 0):
        return solution
    shift = solution.impulse.copy()
    problem = step.problem.with_b(displacement_b(step, h, poses.remaining, hit, push))
    methods.solve(problem, shift, settings.method, settings.method_options, brief=True)
    return replace(solution, motion=_with_change(model, poses.free, step.problem.velocity_change(shift)))


def _push(model, contacts, remaining, settings):
    """Velocity (C,) [m/s] that takes a part of the overlap away over the remaining time, capped by the body size."""
    if settings.overlap != "soft":
        return np.zeros(contacts.count)
    size = smaller_size(model, contacts)
    overlap = -contacts.gap - settings.overlap_tolerance * size
    distance = np.minimum(settings.push_rate * np.maximum(overlap, 0.0), settings.largest_push * size)
    return distance / remaining
