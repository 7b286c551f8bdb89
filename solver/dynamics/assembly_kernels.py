"""Kernels that write the contact problem of a step: coefficients, frames, rows and velocities."""

from typing import NamedTuple

import numpy as np

from ..jit import inner, kernel
from .contact_rows import fill_mass_blocks, fill_segments
from .step_kernels import contact_velocities, direct_frames, rotate_tensors, rotation_matrices, tangent_frames


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


def allocate_step(bodies, pairs, contacts):
    """StepArrays with room for the contacts, their rows counted."""
    count, integer = contacts.count, np.int64
    rows, row_start, indptr = np.empty(count, integer), np.empty(count + 1, integer), np.empty(count + 1, integer)
    length = count_rows(bodies, pairs, contacts.body_a, contacts.body_b, rows, row_start, indptr)
    segments, moving = indptr[count], int(bodies.dof_of_body.max(initial=-6)) // 6 + 1
    return StepArrays(
        rows=rows, row_start=row_start, frame=np.empty((count, 3, 3)), restitution=np.empty(count),
        tangential_restitution=np.empty(count), before=np.empty((count, 4)), free=np.empty((count, 4)),
        kind=np.empty(count, integer),
        law=np.empty(count, integer), mu=np.empty((count, 3)), bounds=np.empty((count, 2)),
        compliance_offset=np.empty(count, integer), b=np.empty(row_start[count]), indptr=indptr,
        start=np.empty(segments, integer), size=np.empty(segments, integer), offset=np.empty(segments, integer),
        J=np.empty(length), G=np.empty(length), W=np.zeros(36 * moving), M=np.zeros(36 * moving),
    )  # fmt: skip
