"""Free motion of rigid bodies: gravity, damping and the gyroscopic torque."""

import numpy as np

from ..jit import kernel
from . import step_kernels as kernels


@kernel
def gyroscopic_midpoint(inertia, omega, h, result):
    """Angular velocities after time h without torque, body frame.

    Solves I (w' - w) / h + wm x (I wm) = 0 with wm = (w + w') / 2 by Newton. The implicit midpoint rule keeps
    the kinetic energy w.I w / 2 and the length of I w, both quadratic, to round-off for any h.
    inertia (R,3,3) about the centre of mass [kg m^2]; omega, result (R,3) [rad/s].
    """
    for b in range(omega.shape[0]):
        tensor = inertia[b]
        w0 = omega[b]
        w = w0.copy()
        for _ in range(30):
            m = 0.5 * (w0 + w)
            Im = tensor @ m
            f = tensor @ (w - w0)
            f[0] += h * (m[1] * Im[2] - m[2] * Im[1])
            f[1] += h * (m[2] * Im[0] - m[0] * Im[2])
            f[2] += h * (m[0] * Im[1] - m[1] * Im[0])
            M = np.array([[0.0, -m[2], m[1]], [m[2], 0.0, -m[0]], [-m[1], m[0], 0.0]])
            L = np.array([[0.0, -Im[2], Im[1]], [Im[2], 0.0, -Im[0]], [-Im[1], Im[0], 0.0]])
            step = np.linalg.solve(tensor + 0.5 * h * (M @ tensor - L), f)
            w = w - step
            if np.abs(step).max() <= 1e-15 * np.abs(w).max():
                break
        result[b] = w


def free_twist(model, state, R, h):
    """Velocities (R,6) after time h without contacts: gravity, damping, gyroscopic torque; R (R,3,3) at half step.

    The torque-free rotation is solved in the body frame. A turn about omega leaves the body components of
    omega alone, so the half steps before and after do not spoil what the midpoint rule keeps.
    """
    twist = state.twist.copy()
    moving = model.inverse_mass > 0
    twist[moving, :3] += h * model.gravity
    spinning = np.flatnonzero(moving & model.gyroscopic & np.any(state.twist[:, 3:] != 0, axis=1))
    if len(spinning):
        body_omega = np.einsum("bji,bj->bi", R[spinning], state.twist[spinning, 3:])
        after = np.empty_like(body_omega)
        gyroscopic_midpoint(model.inertia[spinning], body_omega, h, after)
        twist[spinning, 3:] = np.einsum("bij,bj->bi", R[spinning], after)
    if model.linear_damping or model.angular_damping:
        # exp(-c h): the exact decay of v' = -c v, stable for any step.
        twist[moving, :3] *= np.exp(-model.linear_damping * h)
        twist[moving, 3:] *= np.exp(-model.angular_damping * h)
    return twist


def moved(state, twist, time):
    """Positions and orientations after moving with `twist` for `time` [s]."""
    position, orientation = np.empty_like(state.position), np.empty_like(state.orientation)
    kernels.move(state.position, state.orientation, twist, time, position, orientation)
    return position, orientation


def energies(model, state, R):
    """Kinetic and potential energy [J] of the moving bodies; the potential is zero at the world's origin."""
    kinetic = kernels.kinetic_energy(model.mass, model.inertia, model.inverse_mass, R, state.twist)
    moving = model.inverse_mass > 0
    potential = -np.sum(model.mass[moving] * (state.position[moving] @ model.gravity))
    return float(kinetic), float(potential)
