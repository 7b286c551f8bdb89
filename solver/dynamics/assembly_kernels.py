"""Kernels that write the contact problem of a step: coefficients, frames, rows and velocities."""

from math import sqrt
from typing import NamedTuple

import numpy as np

from ..collision.contact_keys import INNER_KEY
from ..collision.contacts import ContactSet
from ..jit import inner, kernel
from ..problem import Arrays, BlockRows
from ..problems.label_kernels import label_islands
from ..problems.problem_kernels import add_velocity_change, row_velocity
from .carry_kernels import carry, reaches
from .contact_rows import fill_mass_blocks, fill_segments
from .goal_kernels import be_patient_at_first, block_goals, island_speeds, mass_ratios, moving_ends
from .patches import inner_shares, spread_patches
from .step_kernels import (
    add_turning,
    add_velocity_targets,
    bounce_targets,
    contact_velocities,
    direct_frames,
    may_land,
    rotate_tensors,
    rotation_matrices,
    tangent_frames,
    world_to_rows,
)

# An overlap at the start of a step that counts as touching, in parts of the smaller body.
TOUCHING = 1e-6
# An impact is faster than what bodies held by the old impulses gain in this many steps.
FAST = 2.0


class StepArrays(NamedTuple):
    """What fill_step writes for C contacts with K rows, S segments of J and n moving bodies; see ContactStep,
    ContactProblem, BlockRows and InverseMass."""

    rows: np.ndarray
    row_start: np.ndarray
    frame: np.ndarray
    restitution: np.ndarray
    tangential_restitution: np.ndarray
    before: np.ndarray
    free: np.ndarray
    kind: np.ndarray
    law: np.ndarray
    mu: np.ndarray
    bounds: np.ndarray
    compliance_offset: np.ndarray
    b: np.ndarray
    indptr: np.ndarray
    start: np.ndarray
    size: np.ndarray
    offset: np.ndarray
    J: np.ndarray
    G: np.ndarray
    W: np.ndarray
    M: np.ndarray
    mass_start: np.ndarray
    mass_offset: np.ndarray
    compliance: np.ndarray


class StepColumns(NamedTuple):
    """Columns of a ContactStep that its right-hand sides need, see there."""

    frame: np.ndarray
    restitution: np.ndarray
    tangential_restitution: np.ndarray
    before: np.ndarray
    free: np.ndarray


@kernel
def count_rows(bodies, pairs, body_a, body_b, rows, row_start, indptr):
    """Rows (C,) of each contact, 1, 3 or 4 by its friction; row_start, indptr (C+1,) first row and first segment.

    Returns how many numbers J has.
    """
    row_start[0], indptr[0], length = 0, 0, 0
    for k in range(body_a.size):
        a, b = body_a[k], body_b[k]
        mu = pairs.mu[bodies.material[a], bodies.material[b]]
        rows[k] = 4 if mu[2] > 0.0 else 3 if mu[0] > 0.0 or mu[1] > 0.0 else 1
        segments = np.int64(bodies.dof_of_body[a] >= 0) + np.int64(bodies.dof_of_body[b] >= 0)
        row_start[k + 1] = row_start[k] + rows[k]
        indptr[k + 1] = indptr[k] + segments
        length += 6 * rows[k] * segments
    return length


@inner
def fill_laws(bodies, pairs, body_a, body_b, out):
    """Kind, law, coefficients and bounds of every contact."""
    for k in range(body_a.size):
        a, b = bodies.material[body_a[k]], bodies.material[body_b[k]]
        out.kind[k], out.law[k], out.compliance_offset[k] = 0, pairs.law[a, b], -1
        out.restitution[k], out.tangential_restitution[k] = pairs.restitution[a, b, 0], pairs.restitution[a, b, 1]
        out.bounds[k, 0], out.bounds[k, 1] = -np.inf, np.inf
        for i in range(3):
            out.mu[k, i] = pairs.mu[a, b, i]


@kernel
def fill_step(bodies, pairs, contacts, position, orientation, before, free, out):
    """Fill StepArrays whose rows, row_start and indptr are given; poses and velocities as in contact_step."""
    body_a, body_b = contacts.body_a, contacts.body_b
    R = np.empty((orientation.shape[0], 3, 3))
    inertia, inverse_inertia = np.empty_like(R), np.empty_like(R)
    rotation_matrices(orientation, R)
    rotate_tensors(R, bodies.inertia, inertia)
    rotate_tensors(R, bodies.inverse_inertia, inverse_inertia)
    fill_laws(bodies, pairs, body_a, body_b, out)
    tangent_frames(contacts.normal, out.frame)
    direct_frames(contacts.normal, body_a, body_b, bodies.directed, R, out.frame)
    fill_segments(
        body_a,
        body_b,
        contacts.position,
        contacts.gap,
        out.frame,
        out.rows,
        position,
        bodies.inverse_mass,
        inverse_inertia,
        bodies.dof_of_body,
        out.indptr,
        out.start,
        out.size,
        out.offset,
        out.J,
        out.G,
    )
    contact_velocities(before, position, body_a, body_b, contacts.position, contacts.gap, out.frame, out.before)
    contact_velocities(free, position, body_a, body_b, contacts.position, contacts.gap, out.frame, out.free)
    for k in range(body_a.size):
        for i in range(out.rows[k]):
            out.b[out.row_start[k] + i] = out.free[k, i]
    fill_mass_blocks(bodies.inverse_mass, inverse_inertia, bodies.mass, inertia, out.W, out.M)


@inner
def room_for(bodies, pairs, contacts):
    """StepArrays with room for the contacts, their rows counted."""
    count, integer = contacts.gap.size, np.int64
    rows, row_start, indptr = np.empty(count, integer), np.empty(count + 1, integer), np.empty(count + 1, integer)
    length = count_rows(bodies, pairs, contacts.body_a, contacts.body_b, rows, row_start, indptr)
    segments, moving = indptr[count], 0
    for body in range(bodies.dof_of_body.size):
        moving = max(moving, bodies.dof_of_body[body] // 6 + 1)
    return StepArrays(
        rows, row_start, np.empty((count, 3, 3)), np.empty(count), np.empty(count), np.empty((count, 4)),
        np.empty((count, 4)), np.empty(count, integer), np.empty(count, integer), np.empty((count, 3)),
        np.empty((count, 2)), np.empty(count, integer), np.empty(row_start[count]), indptr,
        np.empty(segments, integer), np.empty(segments, integer), np.empty(segments, integer), np.empty(length),
        np.empty(length), np.zeros(36 * moving), np.zeros(36 * moving), 6 * np.arange(moving + 1),
        36 * np.arange(moving), np.zeros(0),
    )  # fmt: skip


@kernel
def assembled(bodies, pairs, contacts, position, orientation, before, free):
    """The StepArrays of contacts; poses and velocities as in contact_step."""
    out = room_for(bodies, pairs, contacts)
    fill_step(bodies, pairs, contacts, position, orientation, before, free, out)
    return out


@inner
def asks_for_onset(bodies, p, contacts, restitution, before, times, impulse):
    """Whether onset.find_onset may find something: a contact let through by the last step, or one that lands."""
    size, smallest, deepest = np.inf, np.inf, 0.0
    for i in range(bodies.size.size):
        smallest = min(smallest, bodies.size[i])
    for k in range(contacts.gap.size):
        deepest = min(deepest, contacts.gap[k])
    if deepest < -TOUCHING * smallest:
        for k in range(contacts.gap.size):
            size = np.inf
            for body in (contacts.body_a[k], contacts.body_b[k]):
                size = min(size, bodies.size[body] if bodies.inverse_mass[body] > 0.0 else np.inf)
            reach, gap = TOUCHING * size, contacts.gap[k]
            if restitution[k] == 0.0 and gap < -reach and gap - times.elapsed * before[k, 0] > -reach:
                return True
    if not may_land(p.row_start, restitution, before, impulse):
        return False
    w, v = np.zeros(6 * np.count_nonzero(bodies.dof_of_body >= 0)), np.empty(impulse.size)
    add_velocity_change(p, impulse, w)
    row_velocity(p, impulse, w, v)
    for k in range(contacts.gap.size):
        first, speed = p.row_start[k], before[k, 0]
        if impulse[first] > 0.0 or restitution[k] != 0.0 or not speed < 0.0:
            continue
        if speed < -FAST * abs(v[first] - speed) and contacts.gap[k] + times.horizon * v[first] < 0.0:
            return True
    return False


class Asked(NamedTuple):
    """What a step asks of the velocities at its end: contacts hit (C,) bool that bounce; of_block (C,) and of_body
    (R,), see BlockIslands; b (K,); Goals (C,); share (C,), see patches.shares; onset: b is to be changed by what lands,
    and by what is met sooner."""

    hit: np.ndarray
    of_block: np.ndarray
    of_body: np.ndarray
    b: np.ndarray
    tolerance: np.ndarray
    acceptable: np.ndarray
    patience: np.ndarray
    effort: np.ndarray
    share: np.ndarray
    onset: bool


class Couples(NamedTuple):
    """What joints couple in a step: coupled (P,2) bodies; bodies (n,): one that moves of each of their blocks; turning
    (m,): bodies that joints let turn; driven (n,) [m/s]: see JointRows."""

    coupled: np.ndarray
    bodies: np.ndarray
    turning: np.ndarray
    driven: np.ndarray


class Earlier(NamedTuple):
    """The last step, as State has it: contacts, their impulses (C,5), since (R,) and where bodies are now (R,3)."""

    contacts: ContactSet
    impulses: np.ndarray
    since: np.ndarray
    position: np.ndarray


@inner
def no_couples():
    """Couples of a step without joints."""
    none = np.zeros(0, np.int64)
    return Couples(np.zeros((0, 2), np.int64), none, none, np.zeros(0))


@inner
def island_of_bodies(inverse_mass, contacts, coupled, of_body):
    """Label of_body (R,) of the island of each body, by contacts and by what joints couple (P,2)."""
    count, size = contacts.gap.size, coupled.shape[0]
    if size == 0:
        label_islands(inverse_mass, contacts.body_a, contacts.body_b, of_body)
        return
    a, b = np.empty(count + size, np.int64), np.empty(count + size, np.int64)
    for k in range(count):
        a[k], b[k] = contacts.body_a[k], contacts.body_b[k]
    for k in range(size):
        a[count + k], b[count + k] = coupled[k, 0], coupled[k, 1]
    label_islands(inverse_mass, a, b, of_body)


@inner
def islands_asked(bodies, contacts, twist, before, given, couples):
    """(of_block, of_body, the four goals); given: see `asked`."""
    numbers, rest, (tolerance, patience, effort) = given
    contact_count, size = contacts.gap.size, bodies.mass.size
    count = contact_count + couples.bodies.size
    of_body, of_block = np.empty(size, np.int64), np.empty(count, np.int64)
    island_of_bodies(bodies.inverse_mass, contacts, couples.coupled, of_body)
    moving_ends(bodies.inverse_mass, contacts.body_a, contacts.body_b, of_block[:contact_count])
    for x in range(couples.bodies.size):
        of_block[contact_count + x] = couples.bodies[x]
    for k in range(count):
        of_block[k] = of_body[of_block[k]]
    ratio, number, speed = np.zeros(size), np.zeros(size), np.zeros(size)
    mass_ratios(bodies.mass, bodies.inverse_mass, of_body, np.zeros(size), ratio)
    island_speeds(bodies.inverse_mass, of_body, of_block, twist, before, number, speed)
    for body in couples.turning:
        spin = sqrt(twist[body, 3] ** 2 + twist[body, 4] ** 2 + twist[body, 5] ** 2)
        speed[of_body[body]] = max(speed[of_body[body]], spin * bodies.size[body])
    goals = np.full(count, tolerance), np.empty(count), np.full(count, patience), np.full(count, effort)
    block_goals(of_block, speed, ratio, numbers, rest, goals[0], goals[1], goals[2], goals[3])
    if couples.driven.size > 0:
        driven = np.zeros(size)
        for x in range(couples.driven.size):
            label = of_block[contact_count + x]
            driven[label] = max(driven[label], couples.driven[x])
        for k in range(count):
            goals[0][k] = max(goals[0][k], numbers[2] * driven[of_block[k]])
    return of_block, of_body, goals


@kernel
def asked(bodies, p, W, M, contacts, out, earlier, position, twist, times, threshold, sooner, short, given, impulse,
          couples):  # fmt: skip
    """What a step Asks, from its Arrays p, contacts first, and StepArrays `out`; couples: of its joints.

    position (R,3), twist (R,6): where contacts were found, and before the step; times: StepTimes; threshold [m/s]: see
    bounces; sooner (C,) [m/s], short [s]: see Poses, empty where nothing turns; given: numbers of block_goals, its
    rest, and tolerance, patience and effort of the options; impulse (K,): that of the warm start.
    """
    count = contacts.gap.size
    hit, target = np.empty(count, np.bool_), np.empty(count)
    bounce_targets(out.before, out.free, contacts.gap, out.restitution, times.step, times.elapsed, times.horizon,
                   threshold, hit, target)  # fmt: skip
    for k in range(sooner.size):
        hit[k] = hit[k] and (sooner[k] == 0.0 or contacts.gap[k] + short * out.free[k, 0] < 0.0)
    of_block, of_body, goals = islands_asked(bodies, contacts, twist, out.before, given, couples)
    onset = asks_for_onset(bodies, p, contacts, out.restitution, out.before, times, impulse)
    b = p.b.copy()
    add_velocity_targets(p.row_start, contacts.gap, times.horizon, hit, target, out.tangential_restitution, out.before,
                         b)  # fmt: skip
    if times.elapsed != 0.0 and earlier.contacts.gap.size > 0 and earlier.since.size > 0:
        add_turning(bodies.dof_of_body, W, M, contacts, out.frame, p.row_start, earlier.contacts, earlier.impulses,
                    earlier.since, earlier.position, position, twist, bodies.size, times, hit, b)  # fmt: skip
    if not onset:
        for k in range(sooner.size):
            if sooner[k] > 0.0 and not hit[k]:
                b[p.row_start[k]] += sooner[k]
    share = np.ones(p.kind.size)
    if count > 0 and contacts.key.max() >= INNER_KEY:
        inner_shares(contacts.body_a, contacts.body_b, contacts.key, share)
    return Asked(hit, of_block, of_body, b, goals[0], goals[1], goals[2], goals[3], share, onset)


@inner
def contact_arrays(out, b, sides):
    """The Arrays of StepArrays with another b (K,)."""
    J = BlockRows(out.indptr, out.start, out.size, out.offset, out.J)
    G = BlockRows(out.indptr, out.start, out.size, out.offset, out.G)
    return Arrays(out.kind, out.row_start, J, G, b, out.law, out.mu, out.bounds, out.compliance_offset, out.compliance,
                  sides)  # fmt: skip


@inner
def begun(bodies, pairs, contacts, earlier, position, orientation, before, free, times):
    """(StepArrays, impulses (K,) of the warm start, loaded (C,) bool: which contacts carry any of them)."""
    out = room_for(bodies, pairs, contacts)
    fill_step(bodies, pairs, contacts, position, orientation, before, free, out)
    carried, impulse = np.zeros((contacts.gap.size, 5)), np.empty(out.b.size)
    place, reach = contacts.position.copy(), reaches(before, bodies.size, times.step)
    carry(earlier.contacts, earlier.impulses, contacts, bodies.size, reach, carried, place)
    loaded = carried[:, 0] > 0.0
    if contacts.gap.size >= 4:
        spread_patches(contacts.body_a, contacts.body_b, contacts.key, contacts.position, place, contacts.normal,
                       contacts.gap, out.free, out.mu, times.horizon, bodies.inverse_mass, carried)  # fmt: skip
    world_to_rows(carried, out.frame, out.rows, impulse)
    return out, impulse, loaded


@inner
def columns_of(out):
    """The StepColumns of StepArrays."""
    return StepColumns(out.frame, out.restitution, out.tangential_restitution, out.before, out.free)


@kernel
def first_asked(bodies, pairs, contacts, earlier, position, orientation, before, free, times, threshold, sooner, short,
                given, sides):  # fmt: skip
    """(StepArrays, Asked, impulses (K,) of the warm start) of the contacts of a step that the search found first."""
    out, impulse, loaded = begun(bodies, pairs, contacts, earlier, position, orientation, before, free, times)
    p = contact_arrays(out, out.b, sides)
    found = asked(bodies, p, out.W, out.M, contacts, columns_of(out), earlier, position, before, times, threshold,
                  sooner, short, given, impulse, no_couples())  # fmt: skip
    be_patient_at_first(found.of_block, loaded, given[2][2], found.patience, found.effort)
    return out, found, impulse
