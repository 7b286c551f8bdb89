"""Free motion of rigid bodies: gravity, damping and the gyroscopic torque."""

from math import exp

import numpy as np

from ..base.vectors import add, cross, dot, row, scale, sub
from ..jit import inner, kernel
from . import step_kernels as kernels


@inner
def largest(v):
    """Largest absolute component."""
    return max(abs(v[0]), abs(v[1]), abs(v[2]))


@kernel
def gyroscopic_midpoint(inertia, omega, h, result):
    """Angular velocities after time h without torque, body frame.

    Solves I (w' - w) / h + wm x (I wm) = 0 with wm = (w + w') / 2 by Newton. The implicit midpoint rule keeps
    the kinetic energy w.I w / 2 and the length of I w, both quadratic, to round-off for any h.
    inertia (R,3,3) about the centre of mass [kg m^2]; omega, result (R,3) [rad/s].
    """
    for b in range(omega.shape[0]):
        x, y, z = row(inertia[b], 0), row(inertia[b], 1), row(inertia[b], 2)
        w0 = row(omega, b)
        w = w0
        for _ in range(30):
            change, m = sub(w, w0), scale(add(w0, w), 0.5)
            Im = (dot(x, m), dot(y, m), dot(z, m))
            turning = cross(m, Im)
            f = (
                dot(x, change) + h * turning[0], dot(y, change) + h * turning[1], dot(z, change) + h * turning[2]
            )  # fmt: skip
            # Columns of the Jacobian I + h/2 ([m] I - [I m]); the inertia is symmetric.
            p = add(x, scale(sub(cross(m, x), (0.0, Im[2], -Im[1])), 0.5 * h))
            q = add(y, scale(sub(cross(m, y), (-Im[2], 0.0, Im[0])), 0.5 * h))
            r = add(z, scale(sub(cross(m, z), (Im[1], -Im[0], 0.0)), 0.5 * h))
            qr = cross(q, r)
            step = scale((dot(f, qr), dot(p, cross(f, r)), dot(p, cross(q, f))), 1.0 / dot(p, qr))
            w = sub(w, step)
            if largest(step) <= 1e-15 * largest(w):
                break
        for j in range(3):
            result[b, j] = w[j]


@kernel
def free_motion(bodies, before, orientation, h, linear, angular, twist):
    """See free_twist; linear, angular: factors of the decay in the step."""
    R = np.empty((1, 3, 3))
    omega, after = np.empty((1, 3)), np.empty((1, 3))
    for i in range(before.shape[0]):
        for j in range(6):
            twist[i, j] = before[i, j]
        if bodies.inverse_mass[i] == 0.0:
            continue
        for j in range(3):
            twist[i, j] += h * bodies.gravity[j]
        spins = before[i, 3] != 0.0 or before[i, 4] != 0.0 or before[i, 5] != 0.0
        if bodies.gyroscopic[i] and spins:
            kernels.rotation_matrices(orientation[i : i + 1], R)
            for j in range(3):
                omega[0, j] = R[0, 0, j] * before[i, 3] + R[0, 1, j] * before[i, 4] + R[0, 2, j] * before[i, 5]
            gyroscopic_midpoint(bodies.inertia[i : i + 1], omega, h, after)
            for j in range(3):
                twist[i, 3 + j] = R[0, j, 0] * after[0, 0] + R[0, j, 1] * after[0, 1] + R[0, j, 2] * after[0, 2]
        for j in range(3):
            twist[i, j] *= linear
            twist[i, 3 + j] *= angular


def free_twist(model, state, orientation, h):
    """Velocities (R,6) after time h without contacts: gravity, damping, gyroscopic torque; orientation at half step.

    The torque-free rotation is solved in the body frame. A turn about omega leaves the body components of
    omega alone, so the half steps before and after do not spoil what the midpoint rule keeps.
    """
    twist = np.empty_like(state.twist)
    # exp(-c h): the exact decay of v' = -c v, stable for any step.
    linear, angular = exp(-model.linear_damping * h), exp(-model.angular_damping * h)
    free_motion(model.bodies, state.twist, orientation, h, linear, angular, twist)
    return twist


def moved(state, twist, time):
    """Positions and orientations after moving with `twist` for `time` [s]."""
    return moved_poses(state.position, state.orientation, twist, time)


def moved_poses(position, orientation, twist, time):
    """Poses (R,3), (R,4) after moving with `twist` (R,6) for `time` [s]."""
    after = np.empty_like(position), np.empty_like(orientation)
    kernels.move(position, orientation, twist, time, *after)
    return after


def with_change(model, free, change):
    """Velocities of all bodies after the impulses changed those of the moving ones."""
    twist = free.copy()
    kernels.add_change(model.bodies.dof_of_body, change, twist)
    return twist
