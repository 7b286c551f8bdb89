"""Constraint rows of contacts between rigid bodies: J, G = (W J^T)^T and the block-diagonal inverse mass."""

import numpy as np

from ..collision.contacts import ContactSet
from ..jit import inner, kernel
from ..problem import BlockRows, InverseMass
from .tables import dof_of_bodies


@kernel
def count_segments(body_a, body_b, dof_of_body, indptr):
    """Number of moving bodies of every contact, summed up in indptr (C+1,)."""
    for k in range(body_a.size):
        count = 0
        if dof_of_body[body_a[k]] >= 0:
            count += 1
        if dof_of_body[body_b[k]] >= 0:
            count += 1
        indptr[k + 1] = indptr[k] + count


@inner
def write_segment(sign, frame, rows, arm, inverse_mass, inverse_inertia, J, G):
    """Rows n, s, t (and torsion about n) of one body: J = sign [d, arm x d], G = W J^T row by row."""
    for i in range(rows):
        torsion = i == 3
        d = frame[0] if torsion else frame[i]
        if torsion:
            lx, ly, lz = 0.0, 0.0, 0.0
            ax, ay, az = d[0], d[1], d[2]
        else:
            lx, ly, lz = d[0], d[1], d[2]
            ax = arm[1] * d[2] - arm[2] * d[1]
            ay = arm[2] * d[0] - arm[0] * d[2]
            az = arm[0] * d[1] - arm[1] * d[0]
        J[6 * i] = sign * lx
        J[6 * i + 1] = sign * ly
        J[6 * i + 2] = sign * lz
        J[6 * i + 3] = sign * ax
        J[6 * i + 4] = sign * ay
        J[6 * i + 5] = sign * az
        for j in range(3):
            G[6 * i + j] = inverse_mass * J[6 * i + j]
            G[6 * i + 3 + j] = sign * (
                inverse_inertia[j, 0] * ax + inverse_inertia[j, 1] * ay + inverse_inertia[j, 2] * az
            )


@kernel
def fill_segments(contacts, frame, rows, center, masses, J, G):
    """Fill the segments J, BlockRows whose indptr is given, and numbers G of all contacts; see contact_rows; masses:
    inverse_mass, inverse_inertia, dof_of_body."""
    inverse_mass, inverse_inertia, dof_of_body = masses
    at = 0
    arm = np.empty(3)
    for k in range(contacts.gap.size):
        s = J.indptr[k]
        for side in range(2):
            body = contacts.body_a[k] if side == 0 else contacts.body_b[k]
            if dof_of_body[body] < 0:
                continue
            # Over an open gap each body is touched on its own surface, half a gap from the contact's position.
            apart = (side - 0.5) * max(contacts.gap[k], 0.0)
            for j in range(3):
                arm[j] = contacts.position[k, j] + apart * frame[k, 0, j] - center[body, j]
            J.start[s], J.size[s], J.offset[s] = dof_of_body[body], 6, at
            count = 6 * rows[k]
            sign = -1.0 if side == 0 else 1.0
            write_segment(sign, frame[k], rows[k], arm, inverse_mass[body], inverse_inertia[body],
                          J.data[at : at + count], G[at : at + count])  # fmt: skip
            at += count
            s += 1


def contact_rows(body_a, body_b, position, frame, rows, center, inverse_mass, inverse_inertia):
    """Return J and G (BlockRows) and dof_of_body (R,), -1 for bodies that no impulse moves.

    body_a, body_b (C,); position (C,3) [m]; frame (C,3,3) rows n, s, t with n from a to b; rows (C,) 1, 3 or 4;
    center (R,3) centres of mass [m]; inverse_mass (R,) [1/kg]; inverse_inertia (R,3,3) world [1/(kg m^2)].
    The velocity of row d is d . (velocity of b - velocity of a at the contact).
    """
    dof_of_body = dof_of_bodies(inverse_mass)
    count = len(body_a)
    indptr = np.zeros(count + 1, dtype=np.int64)
    count_segments(body_a, body_b, dof_of_body, indptr)
    start, size, offset = (np.empty(indptr[-1], dtype=np.int64) for _ in range(3))
    length = int(np.sum(6 * rows * np.diff(indptr)))
    J, G = BlockRows(indptr, start, size, offset, np.empty(length)), np.empty(length)
    closed = ContactSet(body_a, body_b, position, position, np.zeros(count), np.zeros(count, dtype=np.int64))
    fill_segments(closed, frame, rows, center, (inverse_mass, inverse_inertia, dof_of_body), J, G)
    return J, J._replace(data=G), dof_of_body


@kernel
def fill_mass_blocks(inverse_mass, inverse_inertia, mass, inertia, W, M):
    """The 6x6 blocks of InverseMass, one a moving body, into W and M (36 n,), which are zero before."""
    at = 0
    for body in range(inverse_mass.size):
        if inverse_mass[body] == 0.0:
            continue
        for i in range(3):
            W[at + 7 * i], M[at + 7 * i] = inverse_mass[body], mass[body]
            for j in range(3):
                W[at + 21 + 6 * i + j], M[at + 21 + 6 * i + j] = inverse_inertia[body, i, j], inertia[body, i, j]
        at += 36


def rigid_inverse_mass(inverse_mass, inverse_inertia, mass, inertia):
    """Return InverseMass of the moving bodies, one 6x6 block a body; inertias (R,3,3) in the world frame."""
    count = int(np.count_nonzero(inverse_mass))
    W, M = np.zeros(36 * count), np.zeros(36 * count)
    fill_mass_blocks(inverse_mass, inverse_inertia, mass, inertia, W, M)
    return mass_blocks(W, M)


def mass_blocks(W, M):
    """InverseMass of 6x6 blocks W and their inverses M, each (36 n,)."""
    count = len(W) // 36
    return InverseMass(6 * np.arange(count + 1), 36 * np.arange(count), W, M)
