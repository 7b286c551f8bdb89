"""Free motion of rigid bodies: gravity, damping and the gyroscopic torque."""

from math import atan, cos, sin, sqrt

import numpy as np

from ..base.vectors import add, cross, dot, norm, part, put, rotate, row, scale, sub, unrotate
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
            Im = rotate((x, y, z), m)
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


@inner
def turned(q, x, y, z, angle_half_sine, angle_half_cosine, first, out):
    """out (4,) = turn q or q turn, the turn given by the direction and the half angle's sine and cosine; `first`: the
    turn is in the world, after q."""
    w, x, y, z = angle_half_cosine, angle_half_sine * x, angle_half_sine * y, angle_half_sine * z
    a, b, c, d = q[0], q[1], q[2], q[3]
    sign = 1.0 if first else -1.0
    p = w * a - x * b - y * c - z * d, w * b + x * a + sign * (y * d - z * c)
    r = w * c + y * a + sign * (z * b - x * d), w * d + z * a + sign * (x * c - y * b)
    length = sqrt(p[0] * p[0] + p[1] * p[1] + r[0] * r[0] + r[1] * r[1])
    out[0], out[1], out[2], out[3] = p[0] / length, p[1] / length, r[0] / length, r[1] / length


@inner
def turned_by(q, vector, first, out):
    """`turned` by a rotation vector [rad]."""
    angle = sqrt(dot(vector, vector))
    if angle == 0.0:
        for j in range(4):
            out[j] = q[j]
        return
    turned(q, vector[0] / angle, vector[1] / angle, vector[2] / angle, sin(0.5 * angle), cos(0.5 * angle), first, out)


@kernel
def spin_on(bodies, symmetry, orientation, twist, time, new_orientation, new_twist):
    """See `drifted`: overwrites orientation and angular velocity of the bodies with a gyroscopic torque that spin."""
    R, S, middle = np.empty((1, 3, 3)), np.empty((1, 3, 3)), np.empty((1, 4))
    omega, after = np.empty((1, 3)), np.empty((1, 3))
    for i in range(twist.shape[0]):
        w = part(twist, i, 3)
        if not bodies.gyroscopic[i] or bodies.inverse_mass[i] == 0.0 or dot(w, w) == 0.0:
            continue
        kernels.rotation_matrices(orientation[i : i + 1], R)
        inertia, axis = bodies.inertia[i], row(symmetry, i)
        if dot(axis, axis) > 0.0:
            along = dot(rotate(inertia, axis), axis)
            across = 0.5 * (inertia[0, 0] + inertia[1, 1] + inertia[2, 2] - along)
            world = rotate(R[0], axis)
            slip = (1.0 - along / across) * dot(w, world)
            precession = scale(sub(w, scale(world, slip)), time)
            turned_by(orientation[i], scale(axis, time * slip), False, middle[0])
            turned_by(middle[0], precession, True, new_orientation[i])
            turn_vector(precession, w, new_twist[i, 3:])
            continue
        put(omega, 0, 0, unrotate(R[0], w))
        gyroscopic_midpoint(bodies.inertia[i : i + 1], omega, time, after)
        mean = scale(add(row(omega, 0), row(after, 0)), 0.5 * time)
        angle = sqrt(dot(mean, mean))
        # The Cayley turn takes I w in the world along exactly; its angle is 2 atan(angle / 2).
        length = sqrt(1.0 + 0.25 * angle * angle)
        turned(orientation[i], mean[0], mean[1], mean[2], 0.5 / length, 1.0 / length, False, middle[0])
        o = row(omega, 0)
        Iw = rotate(inertia, o)
        L = rotate(R[0], Iw)
        # What it lacks of the angle of a steady spin is turned about the angular momentum, which changes nothing of it.
        # Of directions alone: squares of a slow spin are below the smallest number, and it lacks nothing.
        lacks = angle - 2.0 * atan(0.5 * angle)
        if lacks > 0.0:
            lacks *= dot(mean, Iw) / (angle * norm(Iw))
            turned_by(middle[0], scale(L, lacks / norm(L)), True, new_orientation[i])
        else:
            for j in range(4):
                new_orientation[i, j] = middle[0, j]
        kernels.rotation_matrices(new_orientation[i : i + 1], S)
        put(new_twist, i, 3, rotate(S[0], row(after, 0)))


@kernel
def drift(bodies, symmetry, position, orientation, twist, time):
    """See `drifted`."""
    new_position, new_orientation, new_twist = np.empty_like(position), np.empty_like(orientation), twist.copy()
    kernels.move(position, orientation, twist, time, new_position, new_orientation)
    spin_on(bodies, symmetry, orientation, twist, time, new_orientation, new_twist)
    return new_position, new_orientation, new_twist


@inner
def turn_on(bodies, before, after, momentum, twist):
    """Change twist (R,6) of bodies that are turned from orientations `before` (R,4) to `after` (R,4) by no impulse:
    they keep their angular momenta if `momentum`, else their angular velocities in their own axes."""
    begin, end = np.empty((1, 3, 3)), np.empty((1, 3, 3))
    for i in range(twist.shape[0]):
        if not bodies.gyroscopic[i] or not (after[i] != before[i]).any():
            continue
        kernels.rotation_matrices(before[i : i + 1], begin)
        kernels.rotation_matrices(after[i : i + 1], end)
        own = unrotate(begin[0], part(twist, i, 3))
        if momentum:
            own = unrotate(end[0], rotate(begin[0], rotate(bodies.inertia[i], own)))
            own = rotate(bodies.inverse_inertia[i], own)
        put(twist, i, 3, rotate(end[0], own))


@kernel
def velocities_at_end(bodies, went, turned, closed, ends):
    """Velocities (R,6) at orientations `ends` (R,4), to which bodies come otherwise than velocities alone take them, to
    poses (R,3), (R,4) and velocities (R,6) `went`.

    A motion takes them to `turned` and closing overlap from `closed` on: kinetic energies stay to round-off. Closing
    joints takes them to `closed`: angular momenta stay.
    """
    twist = went[2].copy()
    turn_on(bodies, went[1], turned, False, twist)
    turn_on(bodies, turned, closed, True, twist)
    turn_on(bodies, closed, ends, False, twist)
    return twist


@inner
def turn_vector(vector, v, out):
    """out (3,) = v turned by a rotation vector [rad]."""
    angle = sqrt(dot(vector, vector))
    if angle == 0.0:
        for j in range(3):
            out[j] = v[j]
        return
    n = scale(vector, 1.0 / angle)
    c, s = cos(angle), sin(angle)
    side, own = cross(n, v), dot(n, v) * (1.0 - c)
    for j in range(3):
        out[j] = c * v[j] + s * side[j] + own * n[j]


@kernel
def free_motion(bodies, before, h, decay, twist):
    """See free_twist; decay (R,2): factors of velocity and angular velocity in the step."""
    for i in range(before.shape[0]):
        for j in range(6):
            twist[i, j] = before[i, j]
        if bodies.inverse_mass[i] == 0.0:
            continue
        for j in range(3):
            # Gravity undamped: a body at rest weighs what it weighs.
            twist[i, j] = decay[i, 0] * twist[i, j] + h * bodies.gravity[j]
            twist[i, 3 + j] *= decay[i, 1]


@kernel
def kick(bodies, orientation, h, twist):
    """See kicked_twist; changes twist (R,6)."""
    R = np.empty((1, 3, 3))
    omega, after = np.empty((1, 3)), np.empty((1, 3))
    for i in range(twist.shape[0]):
        w = part(twist, i, 3)
        if not bodies.gyroscopic[i] or bodies.inverse_mass[i] == 0.0 or dot(w, w) == 0.0:
            continue
        kernels.rotation_matrices(orientation[i : i + 1], R)
        put(omega, 0, 0, unrotate(R[0], w))
        gyroscopic_midpoint(bodies.inertia[i : i + 1], omega, h, after)
        put(twist, i, 3, rotate(R[0], row(after, 0)))


def free_twist(model, twist, h):
    """Velocities (R,6) after time h without contacts: gravity and damping; how a free body turns is in `drifted`."""
    after = np.empty_like(twist)
    # exp(-c h): the exact decay of v' = -c v, stable for any step.
    free_motion(model.bodies, twist, h, np.exp(-h * model.damping), after)
    return after


def kicked_twist(model, state, orientation, h):
    """free_twist with the gyroscopic torque over h at orientations (R,4) in it: for schemes that move bodies with
    constant velocities."""
    after = free_twist(model, state.twist, h)
    kick(model.bodies, orientation, h, after)
    return after


def drifted(model, position, orientation, twist, time):
    """Positions (R,3), orientations (R,4) and velocities (R,6) after moving freely, without gravity, for `time` [s].

    Angular momentum in the world and kinetic energy stay, to round-off for any time. A body whose inertia is symmetric
    about an axis turns exactly: R = exp(t L/I1) R exp(t (w3 - L3/I1) e3). Others by the implicit midpoint rule in the
    body frame and the Cayley turn by its mean angular velocity a, R' = R cay(t a): then R' I w' = R I w. That is of
    second order in time. Bodies on a given path keep their velocity.
    """
    return drift(model.bodies, model.symmetry, position, orientation, twist, time)


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
