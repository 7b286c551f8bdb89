"""Kernels of a time step on arrays of bodies and contacts; the orchestration is in rigid.py and contact_step.py."""

from math import cos, sin, sqrt

import numpy as np

from ..jit import kernel


@kernel
def rotation_matrices(q, R):
    """Rotation matrices R (B,3,3) of unit quaternions q (B,4) w,x,y,z."""
    for i in range(q.shape[0]):
        w, x, y, z = q[i, 0], q[i, 1], q[i, 2], q[i, 3]
        R[i, 0, 0], R[i, 0, 1], R[i, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
        R[i, 1, 0], R[i, 1, 1], R[i, 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
        R[i, 2, 0], R[i, 2, 1], R[i, 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


@kernel
def move(position, orientation, twist, time, new_position, new_orientation):
    """Poses after moving with twist (B,6) [m/s, rad/s] for `time` [s]; without spin the orientation keeps its bits."""
    for i in range(position.shape[0]):
        for j in range(3):
            new_position[i, j] = position[i, j] + time * twist[i, j]
        x, y, z = time * twist[i, 3], time * twist[i, 4], time * twist[i, 5]
        angle = sqrt(x * x + y * y + z * z)
        if angle == 0.0:
            for j in range(4):
                new_orientation[i, j] = orientation[i, j]
            continue
        # sin(angle/2)/angle by its series near zero, where the quotient has no digits.
        f = sin(0.5 * angle) / angle if angle > 1e-6 else 0.5 - angle * angle / 48.0
        w, x, y, z = cos(0.5 * angle), f * x, f * y, f * z
        a, b, c, d = orientation[i, 0], orientation[i, 1], orientation[i, 2], orientation[i, 3]
        qw, qx = w * a - x * b - y * c - z * d, w * b + x * a + y * d - z * c
        qy, qz = w * c - x * d + y * a + z * b, w * d + x * c - y * b + z * a
        length = sqrt(qw * qw + qx * qx + qy * qy + qz * qz)
        new_orientation[i, 0], new_orientation[i, 1] = qw / length, qx / length
        new_orientation[i, 2], new_orientation[i, 3] = qy / length, qz / length


@kernel
def rotate_tensors(R, body, world):
    """world[i] = R_i body[i] R_i^T for (B,3,3) tensors."""
    for i in range(R.shape[0]):
        for a in range(3):
            for b in range(a, 3):
                total = 0.0
                for c in range(3):
                    for d in range(3):
                        total += R[i, a, c] * body[i, c, d] * R[i, b, d]
                world[i, a, b] = total
                world[i, b, a] = total


@kernel
def tangent_frames(normal, frame):
    """Frames (C,3,3) with rows n, s, t from the normal alone, so that a resting contact keeps its frame.

    s is across the axis least along the normal; components equal to 1e-6 count as equal, so that round-off does
    not turn the frame of an axis-aligned normal.
    """
    for k in range(normal.shape[0]):
        nx, ny, nz = normal[k, 0], normal[k, 1], normal[k, 2]
        ax, ay, az = abs(nx), abs(ny), abs(nz)
        if ax <= ay + 1e-6 and ax <= az + 1e-6:
            sx, sy, sz = 0.0, -nz, ny
        elif ay <= az + 1e-6:
            sx, sy, sz = nz, 0.0, -nx
        else:
            sx, sy, sz = -ny, nx, 0.0
        length = sqrt(sx * sx + sy * sy + sz * sz)
        sx, sy, sz = sx / length, sy / length, sz / length
        frame[k, 0, 0], frame[k, 0, 1], frame[k, 0, 2] = nx, ny, nz
        frame[k, 1, 0], frame[k, 1, 1], frame[k, 1, 2] = sx, sy, sz
        frame[k, 2, 0] = ny * sz - nz * sy
        frame[k, 2, 1] = nz * sx - nx * sz
        frame[k, 2, 2] = nx * sy - ny * sx


@kernel
def direct_frames(normal, body_a, body_b, directed, R, frame):
    """Turn the frames of contacts with a directed body: s follows its local x axis, or y where x is along n.

    directed (B,) bool: the body's friction has a direction; if both bodies' has, body a decides.
    """
    s = np.empty(3)
    for k in range(normal.shape[0]):
        if directed[body_a[k]]:
            owner = body_a[k]
        elif directed[body_b[k]]:
            owner = body_b[k]
        else:
            continue
        n = normal[k]
        for axis in range(2):
            along = R[owner, 0, axis] * n[0] + R[owner, 1, axis] * n[1] + R[owner, 2, axis] * n[2]
            square = 0.0
            for j in range(3):
                s[j] = R[owner, j, axis] - along * n[j]
                square += s[j] * s[j]
            if square > 1e-6:
                break
        length = sqrt(square)
        for j in range(3):
            s[j] /= length
            frame[k, 1, j] = s[j]
        frame[k, 2, 0] = n[1] * s[2] - n[2] * s[1]
        frame[k, 2, 1] = n[2] * s[0] - n[0] * s[2]
        frame[k, 2, 2] = n[0] * s[1] - n[1] * s[0]


@kernel
def contact_velocities(twist, position, body_a, body_b, point, gap, frame, v):
    """v (C,4): velocity of b relative to a at the contacts along n, s, t [m/s], and the spin about n [rad/s].

    Each body's velocity is that of its own surface, half an open gap from the contact's point.
    """
    relative = np.empty(3)
    on_a, on_b = np.empty(3), np.empty(3)
    for k in range(body_a.size):
        a, b = body_a[k], body_b[k]
        spin = 0.0
        half = 0.5 * max(gap[k], 0.0)
        for j in range(3):
            on_a[j] = point[k, j] - half * frame[k, 0, j] - position[a, j]
            on_b[j] = point[k, j] + half * frame[k, 0, j] - position[b, j]
        for j in range(3):
            j1, j2 = (j + 1) % 3, (j + 2) % 3
            relative[j] = (twist[b, j] + twist[b, 3 + j1] * on_b[j2] - twist[b, 3 + j2] * on_b[j1]) - (
                twist[a, j] + twist[a, 3 + j1] * on_a[j2] - twist[a, 3 + j2] * on_a[j1]
            )
            spin += (twist[b, 3 + j] - twist[a, 3 + j]) * frame[k, 0, j]
        for i in range(3):
            v[k, i] = frame[k, i, 0] * relative[0] + frame[k, i, 1] * relative[1] + frame[k, i, 2] * relative[2]
        v[k, 3] = spin


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


@kernel
def world_to_rows(carried, frame, rows, impulse):
    """Row impulses of impulses (C,5): normal, friction vector in the world frame, torsion."""
    at = 0
    for k in range(rows.size):
        impulse[at] = carried[k, 0]
        for i in range(1, min(rows[k], 3)):
            impulse[at + i] = (
                frame[k, i, 0] * carried[k, 1] + frame[k, i, 1] * carried[k, 2] + frame[k, i, 2] * carried[k, 3]
            )
        if rows[k] > 3:
            impulse[at + 3] = carried[k, 4]
        at += rows[k]


@kernel
def rows_to_world(impulse, frame, rows, carried):
    """The reverse of world_to_rows."""
    at = 0
    for k in range(rows.size):
        carried[k, 0] = impulse[at]
        for j in range(3):
            carried[k, 1 + j] = (
                frame[k, 1, j] * impulse[at + 1] + frame[k, 2, j] * impulse[at + 2] if rows[k] > 1 else 0.0
            )
        carried[k, 4] = impulse[at + 3] if rows[k] > 3 else 0.0
        at += rows[k]
