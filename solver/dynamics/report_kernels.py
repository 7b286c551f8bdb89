"""Kernels of the StepReport: energies, work of the impulses, and work of moving the bodies out of overlap."""

from typing import NamedTuple

import numpy as np

from ..jit import inner, kernel
from ..problems.problem_kernels import add_velocity_change, row_velocity
from .step_kernels import contact_velocities, gap_at_start, rotation_matrices, smaller_moving

# What a step itself makes of overlap is closed at its end where it is so many times what is let be.
NEWLY_DEEP = 2.5


class Limits(NamedTuple):
    """Which overlap the end of a step closes, see projection.py: what is deeper than let_be, parts of the smaller body,
    infinite for none, as exact as a tenth of the tolerance; way: of its size, how far a body moves at most in one of so
    many rounds of looking for it. whole: whether every island goes on to be looked at, and
    moves though its problem has no answer. effort of solves and doubles: see goal_kernels.add_for_size."""

    let_be: float
    tolerance: float
    way: float
    rounds: int
    whole: bool
    effort: int
    doubles: float


@kernel
def kinetic_energy(mass, inertia, inverse_mass, R, twist):
    """Kinetic energy [J] of the moving bodies; inertia (B,3,3) in the body frame."""
    total = 0.0
    omega = np.empty(3)
    for i in range(mass.size):
        if inverse_mass[i] == 0.0:
            continue
        square = 0.0
        for j in range(3):
            square += twist[i, j] * twist[i, j]
            omega[j] = R[i, 0, j] * twist[i, 3] + R[i, 1, j] * twist[i, 4] + R[i, 2, j] * twist[i, 5]
        spin = 0.0
        for j in range(3):
            for c in range(3):
                spin += omega[j] * inertia[i, j, c] * omega[c]
        total += 0.5 * (mass[i] * square + spin)
    return total


@inner
def kinetic_at(bodies, orientation, twist):
    """Kinetic energy [J] of the moving bodies at the given orientations (R,4)."""
    R = np.empty((orientation.shape[0], 3, 3))
    rotation_matrices(orientation, R)
    return kinetic_energy(bodies.mass, bodies.inertia, bodies.inverse_mass, R, twist)


@inner
def lifted(bodies, position):
    """Potential energy [J] of the moving bodies in gravity, zero at the world's origin."""
    total = 0.0
    for i in range(position.shape[0]):
        if bodies.inverse_mass[i] > 0.0:
            height = 0.0
            for j in range(3):
                height += position[i, j] * bodies.gravity[j]
            total -= bodies.mass[i] * height
    return total


@kernel
def energies(bodies, position, orientation, twist):
    """Kinetic and potential energy [J] of the moving bodies; the potential is zero at the world's origin."""
    return kinetic_at(bodies, orientation, twist), lifted(bodies, position)


@kernel
def impulse_work(bodies, kept, problem, contacts, frame, impulse, position, h):
    """How many contacts moving bodies have, and the work [J] of their normal and friction impulses.

    Contacts with a body that is not `kept` (R,) do not count.
    Gravity's own work is in the potential: over the step the bodies move with the mean of the velocities before and
    after, so the impulses work against the mean of the contact velocities without gravity before and with them after.
    """
    fall = np.zeros((position.shape[0], 6))
    for i in range(position.shape[0]):
        if bodies.inverse_mass[i] > 0.0:
            for j in range(3):
                fall[i, j] = h * bodies.gravity[j]
    drop = np.empty((contacts.gap.size, 4))
    contact_velocities(fall, position, contacts, frame, drop)
    w, v = np.zeros(6 * np.count_nonzero(bodies.dof_of_body >= 0)), np.empty(impulse.size)
    add_velocity_change(problem, impulse, w)
    row_velocity(problem, impulse, w, v)
    normal, friction, count = 0.0, 0.0, 0
    for k in range(contacts.gap.size):
        a, b, at = contacts.body_a[k], contacts.body_b[k], problem.row_start[k]
        if not (kept[a] and kept[b]) or (bodies.inverse_mass[a] == 0.0 and bodies.inverse_mass[b] == 0.0):
            continue
        count += 1
        for i in range(problem.row_start[k + 1] - at):
            work = 0.5 * impulse[at + i] * (v[at + i] + problem.b[at + i] - drop[k, i])
            if i == 0:
                normal += work
            else:
                friction += work
    return count, normal, friction


@inner
def moved_apart(contacts, k, poses, turns, apart):
    """Fill apart (3,) [m]: how far contact k's point of body b moves beside that of a, see end_gap."""
    (position, end_position), (before, after) = poses, turns
    apart[:] = 0.0
    for body, sign in ((contacts.body_a[k], -1.0), (contacts.body_b[k], 1.0)):
        for i in range(3):
            # What the point of the body is moved by: there it is R0 s + x0, at the end R1 s + x1.
            moved = end_position[body, i] - contacts.position[k, i]
            for j in range(3):
                arm = 0.0
                for m in range(3):
                    arm += before[body, m, j] * (contacts.position[k, m] - position[body, m])
                moved += after[body, i, j] * arm
            apart[i] += sign * moved


@inner
def end_gap(contacts, k, poses, turns):
    """Gap [m] of contact k where its bodies end; poses: positions (R,3) where contacts were found, and at the end;
    turns: their rotations (R,3,3)."""
    apart, gap = np.empty(3), contacts.gap[k]
    moved_apart(contacts, k, poses, turns, apart)
    for i in range(3):
        gap += contacts.normal[k, i] * apart[i]
    return gap


@inner
def least_end_gap(contacts, k, poses, turns):
    """The least end_gap [m] with the normal as it is, and turned with either body: a face turns with the body whose it
    is, and what slides along it comes nearer by that."""
    apart, (before, after) = np.empty(3), turns
    moved_apart(contacts, k, poses, turns, apart)
    least = plain = along = 0.0
    for i in range(3):
        plain += contacts.normal[k, i] * apart[i]
    for body in (contacts.body_a[k], contacts.body_b[k]):
        along = 0.0
        for j in range(3):
            own = back = 0.0
            for i in range(3):
                own += before[body, i, j] * contacts.normal[k, i]
                back += after[body, i, j] * apart[i]
            along += own * back
        least = min(least, along - plain)
    return contacts.gap[k] + plain + least


@inner
def rotations_of(orientation, end_orientation):
    """Rotations (R,3,3) of both."""
    before, after = np.empty((len(orientation), 3, 3)), np.empty((len(orientation), 3, 3))
    rotation_matrices(orientation, before)
    rotation_matrices(end_orientation, after)
    return before, after


@kernel
def end_overlap(bodies, kept, contacts, position, orientation, end_position, end_orientation, part):
    """(deepest overlap [m] at the end of a step, contacts (C,) bool that are to be searched for there): the contacts,
    found at `position` (R,3) and `orientation` (R,4), moved along with their bodies to the end poses. Contacts of
    bodies not `kept` (R,) do not count.

    Where contacts are found lies in the middle of a step, where bodies are predicted to be without impulses: a fast
    body is deep in another there, and never in truth. What has been turned away may be apart at the end and deep along
    the normal of before: deeper than `part` of the smaller body that tells nothing.
    """
    turns, deepest = rotations_of(orientation, end_orientation), 0.0
    deep = np.zeros(contacts.gap.shape[0], np.bool_)
    for k in range(contacts.gap.shape[0]):
        a, b = contacts.body_a[k], contacts.body_b[k]
        if not (kept[a] and kept[b]) or (bodies.inverse_mass[a] == 0.0 and bodies.inverse_mass[b] == 0.0):
            continue
        overlap = -end_gap(contacts, k, (position, end_position), turns)
        deep[k] = overlap > part * smaller_moving(bodies, contacts, k)
        deepest = deepest if deep[k] else max(deepest, overlap)
    return deepest, deep


@kernel
def deep_islands(bodies, step, label, limits, half, there, ends):
    """Moving bodies (R,) bool of islands with a contact that may be deep at the end of a step and was not at its start:
    there is to search, or grew by the step where one before left it just short of that.

    step: StepColumns; label (B,): the island of each block, contacts first; half a step [s]; there, ends: poses.

    A contact that overlaps in the middle and was closed at the start has turned by what it lacks beside its velocity
    there, and turns on by as much until the end, beside the motion of its points. An overlap there, which goes step by
    step, may hide as much of it again.
    """
    contacts, part, deep = step.contacts, limits.let_be, np.zeros(bodies.inverse_mass.size, np.bool_)
    if part == np.inf or contacts.gap.size == 0:
        return deep
    found = np.zeros(label.max() + 1, np.bool_)
    turns = rotations_of(there[1], ends[1])
    for k in range(contacts.gap.size):
        size = smaller_moving(bodies, contacts, k)
        closed = -gap_at_start(step, half, k)
        new = closed <= 2.0 * part * size < np.inf
        if not new:
            continue
        turned = min(0.0, closed) if contacts.gap[k] < -limits.tolerance * size else 0.0
        if -(least_end_gap(contacts, k, (there[0], ends[0]), turns) + 2.0 * turned) > max(part * size, closed):
            found[label[k]] = True
    for k in range(contacts.gap.size):
        for body in (contacts.body_a[k], contacts.body_b[k]):
            deep[body] |= found[label[k]] and bodies.inverse_mass[body] > 0.0
    return deep


@kernel
def stabilisation_work(bodies, before, turned, position, orientation, twist, remaining, carried):
    """Energy [J] that a motion otherwise than with the velocities `twist` gave: over `remaining` [s] from positions
    `before` (R,3) and orientations `turned` (R,4) to `position` and `orientation`, with velocities `carried` (R,6).

    Turning otherwise than with the angular velocity moves the inertia under it: work of removing overlap, too.
    """
    shift = position - before - remaining * twist[:, :3]
    return kinetic_at(bodies, orientation, carried) - kinetic_at(bodies, turned, twist) + lifted(bodies, shift)


@kernel
def work_of_step(bodies, kept, problem, contacts, frame, impulse, poses, h, part):
    """(contacts, normal and friction work, overlap, kinetic and potential energy, contacts to be searched for), see
    there; kept (R,): empty for all; poses: position and orientation where contacts were found; those and twist at the
    end."""
    (position, orientation), (end_position, end_orientation, twist) = poses
    if kept.size == 0:
        kept = np.ones(bodies.mass.size, np.bool_)
    kinetic, potential = energies(bodies, end_position, end_orientation, twist)
    count, normal, friction = impulse_work(bodies, kept, problem, contacts, frame, impulse, end_position, h)
    overlap, deep = end_overlap(bodies, kept, contacts, position, orientation, end_position, end_orientation, part)
    return count, normal, friction, overlap, kinetic, potential, deep
