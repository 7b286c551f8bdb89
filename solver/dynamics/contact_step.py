"""The contact problem of one time step: frames, coefficients, rows and right-hand sides."""

from dataclasses import dataclass

import numpy as np

from ..problem import Block, ContactProblem, assemble
from . import rotation
from . import step_kernels as kernels
from .contact_rows import contact_rows, rigid_inverse_mass
from .warm_start import row_mask


@dataclass(frozen=True)
class ContactStep:
    """Contacts of one step with what the right-hand sides need (C contacts).

    frame (C,3,3) rows n, s, t; rows (C,) 1, 3 or 4; restitution (C,) and tangential_restitution (C,); before and free
    (C,4): contact
    velocities of the bodies before the step and after the step without impulses [m/s, rad/s].
    """

    contacts: object
    frame: np.ndarray
    rows: np.ndarray
    restitution: np.ndarray
    tangential_restitution: np.ndarray
    before: np.ndarray
    free: np.ndarray
    problem: ContactProblem


def contact_frames(model, R, contacts):
    """Frames (C,3,3) with rows n, s, t; s follows the body whose friction has a direction."""
    frame = np.empty((contacts.count, 3, 3))
    kernels.tangent_frames(contacts.normal, frame)
    directed = model.anisotropic[model.material]
    if np.any(directed):
        kernels.direct_frames(contacts.normal, contacts.body_a, contacts.body_b, directed, R, frame)
    return frame


def contact_velocity(twist, position, contacts, frame):
    """Velocity of b relative to a at the contacts, in the frames: (C,4) n, s, t [m/s] and spin about n [rad/s]."""
    v = np.empty((contacts.count, 4))
    a, b = contacts.body_a, contacts.body_b
    kernels.contact_velocities(twist, position, a, b, contacts.position, contacts.gap, frame, v)
    return v


def contact_step(model, position, orientation, before, free, contacts):
    """Return the ContactStep of `contacts` between bodies at the given poses; b of its problem is J u_f."""
    R = rotation.matrix(orientation)
    a, b = contacts.body_a, contacts.body_b
    frame = contact_frames(model, R, contacts)
    pair = model.material[a], model.material[b]
    mu = model.mu[pair]
    rows = np.where(mu[:, 2] > 0, 4, np.where(np.any(mu[:, :2] > 0, axis=1), 3, 1)).astype(np.int64)
    inverse_inertia, inertia = np.empty_like(R), np.empty_like(R)
    kernels.rotate_tensors(R, model.inverse_inertia, inverse_inertia)
    kernels.rotate_tensors(R, model.inertia, inertia)
    J, G, _ = contact_rows(a, b, contacts.position, frame, rows, position, model.inverse_mass, inverse_inertia,
                           contacts.gap)
    v_before = contact_velocity(before, position, contacts, frame)
    v_free = contact_velocity(free, position, contacts, frame)
    row_start = np.concatenate(([0], np.cumsum(rows)))
    problem = assemble(
        np.full(len(rows), int(Block.CONTACT)), row_start, J, G, v_free[row_mask(rows)], mu,
        6 * int(np.count_nonzero(model.inverse_mass)), law=model.law[pair],
        inverse_mass=rigid_inverse_mass(model.inverse_mass, inverse_inertia, model.mass, inertia), name="step",
    )  # fmt: skip
    return ContactStep(contacts, frame, rows, *model.restitution[pair].T, v_before, v_free, problem)


def bounces(step, h, elapsed, threshold):
    """Contacts that meet within the step with restitution, and their target velocity (C,) [m/s].

    A contact bounces if e > 0, it closes faster than `threshold` and than the free forces alone would make
    it in two steps, and its gap vanishes before the next look at it. With the acceleration a between the
    bodies the speed of impact follows from v_imp^2 = v^2 - 2 a g0, g0 the gap at the start of the step; the
    velocity given at the end of the step, where a gap d may be left, keeps the energy: v'^2 = e^2 v_imp^2 + 2 a d.
    So the height of a bounce does not depend on where in the step the impact falls. `elapsed` [s]: how far into
    the step the contacts were found.
    """
    before, free, gap = step.before[:, 0], step.free[:, 0], step.contacts.gap
    a = (free - before) / h
    fast = np.maximum(threshold, 2.0 * h * np.abs(a))
    hit = (step.restitution > 0) & (before < -fast) & (gap + h * free < 0)
    start_gap = np.maximum(0.0, gap - elapsed * before)
    impact = np.maximum(0.0, before * before - 2.0 * a * start_gap)
    left = np.maximum(0.0, gap + (h - elapsed) * free)
    square = step.restitution**2 * impact + 2.0 * np.minimum(a, 0.0) * left
    return hit, np.where(hit, np.sqrt(np.maximum(0.0, square)), 0.0)


def velocity_b(step, h, hit, target):
    """b of the velocity problem: v_n >= target for bounces, v_n >= -gap/h for open contacts, v_n >= 0 else.

    A bounce that grips turns its sliding velocity round by the tangential restitution (Newton's law, e_T): friction
    opposes v_T + e_T v_T-, so with e_T <= 1 a sphere gains no energy.
    """
    b = step.problem.b.copy()
    first = step.problem.row_start[:-1]
    gap = step.contacts.gap
    b[first] += np.where(hit, -target, np.maximum(gap, 0.0) / h)
    turns = np.flatnonzero(hit & (step.tangential_restitution > 0) & (step.rows >= 3))
    for axis in (1, 2):
        b[first[turns] + axis] += step.tangential_restitution[turns] * step.before[turns, axis]
    return b


def displacement_b(step, h, remaining, hit, push):
    """b of the displacement problem, whose velocity moves the bodies over the remaining time of the step.

    Bouncing contacts may close their gap but not pass through; overlap is pushed out with velocity `push` (C,).
    """
    b = step.problem.b.copy()
    first = step.problem.row_start[:-1]
    gap = np.maximum(step.contacts.gap, 0.0)
    # A contact without restitution that is hit in the middle of the step ends it touching, even where it was passed.
    close = np.where(step.restitution > 0, gap, step.contacts.gap) / remaining
    b[first] += np.where(hit, close, gap / h) - push
    return b
