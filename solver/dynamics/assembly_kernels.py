"""Kernels that write the contact problem of a step: coefficients, frames, rows and velocities."""

from typing import NamedTuple

import numpy as np

from ..collision.contact_keys import INNER_KEY
from ..collision.contacts import ContactSet
from ..jit import inner, kernel
from ..problem import Arrays, BlockRows
from .carry_kernels import carry, reaches
from .contact_rows import fill_mass_blocks, fill_segments
from .goal_kernels import Couples, be_patient_at_first, islands_asked
from .onset import add_onset, find_onset, let_part
from .patches import inner_shares
from .step_kernels import (
    add_turning,
    add_velocity_targets,
    bounce_targets,
    contact_velocities,
    direct_frames,
    rotate_tensors,
    rotation_matrices,
    tangent_frames,
    world_to_rows,
)
from .tables import StepColumns


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


class Motion(NamedTuple):
    """Where contacts were found: position (R,3), orientation (R,4); before, free (R,6): velocities before the step, and
    after it without impulses."""

    position: np.ndarray
    orientation: np.ndarray
    before: np.ndarray
    free: np.ndarray


class Earlier(NamedTuple):
    """The last step, as State has it: contacts, their impulses (C,5), since (R,) and where bodies are now (R,3)."""

    contacts: ContactSet
    impulses: np.ndarray
    since: np.ndarray
    position: np.ndarray


class Linear(NamedTuple):
    """The Arrays of a step's problem, contacts first, and the 6x6 blocks W and M of its InverseMass."""

    arrays: Arrays
    W: np.ndarray
    M: np.ndarray


class Wants(NamedTuple):
    """What a step is asked for: StepTimes; threshold [m/s]: see bounces; numbers: those of islands_asked; Couples;
    acts: of find_onset."""

    times: tuple
    threshold: float
    numbers: tuple
    couples: Couples
    acts: tuple


@kernel
def count_rows(bodies, pairs, contacts, rows, row_start, indptr):
    """Rows (C,) of each contact, 1, 3 or 4 by its friction; row_start, indptr (C+1,) first row and first segment.

    Returns how many numbers J has.
    """
    row_start[0], indptr[0], length = 0, 0, 0
    for k in range(contacts.gap.size):
        a, b = contacts.body_a[k], contacts.body_b[k]
        mu = pairs.mu[bodies.material[a], bodies.material[b]]
        rows[k] = 4 if mu[2] > 0.0 else 3 if mu[0] > 0.0 or mu[1] > 0.0 else 1
        segments = np.int64(bodies.dof_of_body[a] >= 0) + np.int64(bodies.dof_of_body[b] >= 0)
        row_start[k + 1] = row_start[k] + rows[k]
        indptr[k + 1] = indptr[k] + segments
        length += 6 * rows[k] * segments
    return length


@inner
def fill_laws(bodies, pairs, contacts, out):
    """Kind, law, coefficients and bounds of every contact."""
    for k in range(contacts.gap.size):
        a, b = bodies.material[contacts.body_a[k]], bodies.material[contacts.body_b[k]]
        out.kind[k], out.law[k], out.compliance_offset[k] = 0, pairs.law[a, b], -1
        out.restitution[k], out.tangential_restitution[k] = pairs.restitution[a, b, 0], pairs.restitution[a, b, 1]
        out.bounds[k, 0], out.bounds[k, 1] = -np.inf, np.inf
        for i in range(3):
            out.mu[k, i] = pairs.mu[a, b, i]


@inner
def segments_of(out):
    """J of StepArrays as BlockRows."""
    return BlockRows(out.indptr, out.start, out.size, out.offset, out.J)


@inner
def about_one_point(dof_of_body, contacts):
    """The contacts as their rows push: over an open gap two bodies that impulses move are touched at one point, or
    friction would turn them both; a body beside one that nothing moves is touched on its own surface."""
    gap = np.empty_like(contacts.gap)
    for k in range(gap.size):
        both = dof_of_body[contacts.body_a[k]] >= 0 and dof_of_body[contacts.body_b[k]] >= 0
        gap[k] = 0.0 if both else contacts.gap[k]
    return ContactSet(contacts.body_a, contacts.body_b, contacts.position, contacts.normal, gap, contacts.key)


@kernel
def fill_step(bodies, pairs, contacts, motion, out):
    """Fill StepArrays whose rows, row_start and indptr are given; motion: Motion."""
    R = np.empty((motion.orientation.shape[0], 3, 3))
    inertia, inverse_inertia = np.empty_like(R), np.empty_like(R)
    rotation_matrices(motion.orientation, R)
    rotate_tensors(R, bodies.inertia, inertia)
    rotate_tensors(R, bodies.inverse_inertia, inverse_inertia)
    fill_laws(bodies, pairs, contacts, out)
    tangent_frames(contacts.normal, out.frame)
    direct_frames(contacts, bodies.directed, R, out.frame)
    masses = bodies.inverse_mass, inverse_inertia, bodies.dof_of_body
    touched = about_one_point(bodies.dof_of_body, contacts)
    fill_segments(touched, out.frame, out.rows, motion.position, masses, segments_of(out), out.G)
    contact_velocities(motion.before, motion.position, touched, out.frame, out.before)
    contact_velocities(motion.free, motion.position, touched, out.frame, out.free)
    for k in range(contacts.gap.size):
        for i in range(out.rows[k]):
            out.b[out.row_start[k] + i] = out.free[k, i]
    fill_mass_blocks(bodies.inverse_mass, inverse_inertia, bodies.mass, inertia, out.W, out.M)


@inner
def room_for(bodies, pairs, contacts):
    """StepArrays with room for the contacts, their rows counted."""
    count, integer = contacts.gap.size, np.int64
    rows, row_start, indptr = np.empty(count, integer), np.empty(count + 1, integer), np.empty(count + 1, integer)
    length = count_rows(bodies, pairs, contacts, rows, row_start, indptr)
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
def assembled(bodies, pairs, contacts, motion):
    """The StepArrays of contacts between bodies in Motion."""
    out = room_for(bodies, pairs, contacts)
    fill_step(bodies, pairs, contacts, motion, out)
    return out


class Asked(NamedTuple):
    """What a step asks of the velocities at its end: contacts hit (C,) bool that bounce, or meet within the step;
    of_block (C,) and of_body (R,), see BlockIslands; b (K,); Goals (C,); small (C,): the effort of a small island;
    share (C,), see patches.shares; held (K,): impulses that act before an impact; lands, passed (C,): contacts that
    land, now or later, and that the last step let through, see onset.py."""

    hit: np.ndarray
    of_block: np.ndarray
    of_body: np.ndarray
    b: np.ndarray
    tolerance: np.ndarray
    acceptable: np.ndarray
    patience: np.ndarray
    effort: np.ndarray
    small: np.ndarray
    share: np.ndarray
    held: np.ndarray
    lands: np.ndarray
    passed: np.ndarray


@kernel
def asked(bodies, linear, step, earlier, motion, wants, impulse):
    """What a step Asks, from its Linear problem, its StepColumns, the Earlier one, Motion and what it Wants; impulse
    (K,): that of the warm start."""
    contacts, times, p = step.contacts, wants.times, linear.arrays
    count = contacts.gap.size
    hit, target = np.empty(count, np.bool_), np.empty(count)
    bounce_targets(step, times, wants.threshold, hit, target)
    of_block, of_body, goals, small = islands_asked(bodies, contacts, motion.before, step.before, wants.numbers,
                                                    wants.couples)  # fmt: skip
    parts = let_part(step, wants.threshold, of_block, hit, target)
    onset = find_onset(bodies, p, step, times, of_block, np.maximum(goals[0], goals[1]), impulse, wants.acts)
    b = p.b.copy()
    add_velocity_targets(p.row_start, step, times.horizon, hit, target, b)
    if times.elapsed != 0.0 and earlier.contacts.gap.size > 0 and earlier.since.size > 0:
        add_turning(bodies, linear, step, earlier, motion, times, hit | parts, b)
    if onset.some:
        add_onset(bodies, p, step, times, onset, b)
        hit |= onset.meets
    share = np.ones(p.kind.size)
    if count > 0 and contacts.key.max() >= INNER_KEY:
        inner_shares(contacts.body_a, contacts.body_b, contacts.key, share)
    return Asked(hit, of_block, of_body, b, goals[0], goals[1], goals[2], goals[3], small, share, onset.held,
                 onset.lands, onset.meets & ~onset.lands)  # fmt: skip


@inner
def contact_arrays(out, b, sides):
    """The Arrays of StepArrays with another b (K,)."""
    J = segments_of(out)
    return Arrays(out.kind, out.row_start, J, BlockRows(J.indptr, J.start, J.size, J.offset, out.G), b, out.law, out.mu,
                  out.bounds, out.compliance_offset, out.compliance, sides)  # fmt: skip


@inner
def begun(bodies, pairs, contacts, earlier, motion, times):
    """(StepArrays, impulses (K,) of the warm start, loaded (C,) bool: which contacts carry any of them)."""
    out = room_for(bodies, pairs, contacts)
    fill_step(bodies, pairs, contacts, motion, out)
    carried, impulse = np.zeros((contacts.gap.size, 5)), np.empty(out.b.size)
    reach = reaches(motion.before, bodies.size, times.step)
    carry(earlier.contacts, earlier.impulses, contacts, bodies.size, reach, carried)
    world_to_rows(carried, out.frame, out.rows, impulse)
    return out, impulse, carried[:, 0] > 0.0


@inner
def columns_of(out, contacts):
    """The StepColumns of StepArrays of contacts."""
    late = np.zeros(contacts.gap.size, np.bool_)
    return StepColumns(contacts, out.frame, out.restitution, out.tangential_restitution, out.before, out.free, late)


@kernel
def first_asked(bodies, pairs, contacts, earlier, motion, wants, sides):
    """(StepArrays, Asked, impulses (K,) of the warm start) of the contacts of a step that the search found first."""
    out, impulse, loaded = begun(bodies, pairs, contacts, earlier, motion, wants.times)
    linear = Linear(contact_arrays(out, out.b, sides), out.W, out.M)
    found = asked(bodies, linear, columns_of(out, contacts), earlier, motion, wants, impulse)
    be_patient_at_first(found.of_block, loaded, wants.numbers[2][1], found.patience, found.effort)
    return out, found, impulse
