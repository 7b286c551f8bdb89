"""Kernel of tension.py: the fastest swing of each body across the pull of its joints and contacts."""

from math import sqrt

import numpy as np

from ...jit import inner, kernel
from ..step_kernels import rotation_matrices


@inner
def largest_swing(inverse, K):
    """Largest eigenvalue of inverse K, inverse (3,3) symmetric and positive, K (3,3)."""
    # Shifted by its lowest possible eigenvalue it has none below zero, so that the largest is the one found.
    P, x, y = np.empty((3, 3)), np.array([0.57, 0.59, 0.61]), np.empty(3)
    low = 0.0
    for i in range(3):
        total = 0.0
        for j in range(3):
            P[i, j] = 0.0
            for m in range(3):
                P[i, j] += inverse[i, m] * K[m, j]
            total += abs(P[i, j])
        low = max(low, total)
    value = 0.0
    # Power iteration: the largest of three eigenvalues to some per cent.
    for _ in range(12):
        size = 0.0
        for i in range(3):
            y[i] = low * x[i]
            for j in range(3):
                y[i] += P[i, j] * x[j]
            size += y[i] * y[i]
        size = sqrt(size)
        if size == 0.0:
            return 0.0
        value = size / sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - low
        for i in range(3):
            x[i] = y[i] / size
    return value


@inner
def about_pivot(mass, r, far, inverse):
    """Turn the inverse of the moments of inertia about the centre of mass into that about the point r (3,), `far` its
    square."""
    # I + m (r^2 1 - r r^T) = I + m r^2 (a a^T + b b^T) with a, b across r: Sherman and Morrison's formula for each.
    a, b, Pa = np.empty(3), np.empty(3), np.empty(3)
    least = 0
    for i in range(3):
        if abs(r[i]) < abs(r[least]):
            least = i
    length = sqrt(far)
    for i in range(3):
        a[i] = (1.0 if i == least else 0.0) - r[least] * r[i] / far
    size = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    for i in range(3):
        a[i] /= size
    b[0] = (r[1] * a[2] - r[2] * a[1]) / length
    b[1] = (r[2] * a[0] - r[0] * a[2]) / length
    b[2] = (r[0] * a[1] - r[1] * a[0]) / length
    for axis in (a, b):
        total = 0.0
        for i in range(3):
            Pa[i] = 0.0
            for j in range(3):
                Pa[i] += inverse[i, j] * axis[j]
            total += axis[i] * Pa[i]
        scale = mass * far / (1.0 + mass * far * total)
        for i in range(3):
            for j in range(3):
                inverse[i, j] -= scale * Pa[i] * Pa[j]


@inner
def add_stiffness(r, force, sign, K):
    """Add to K (3,3) what the force times `sign` at the arm r (3,) makes of it."""
    along = 0.0
    for i in range(3):
        along += sign * force[i] * r[i]
    for i in range(3):
        K[i, i] += along
        for j in range(3):
            K[i, j] -= sign * force[i] * r[j]


@inner
def may_swing(inverse_inertia, K, most):
    """Whether the largest eigenvalue of inverse_inertia K may be more than `most`: sums of their parts bound both."""
    inertia, stiffness = 0.0, 0.0
    for i in range(3):
        for j in range(3):
            inertia += abs(inverse_inertia[i, j])
            stiffness += abs(K[i, j])
    return inertia * stiffness > most


@kernel
def swings(bodies, orientation, joints, broken, load, pressed, most, taut):
    """Set taut (R,) where the square of a body's swing times the step is more than `most`; load (J,6) [N s, N m s];
    joints: ends (J,2) and anchor (J,2,3), see PerJoint, and pins (J,) bool: joints that hold a point; pressed:
    ContactSet, its impulses (C,5), positions (R,3) and twist (R,6) of the bodies, and since (R,) when it was found,
    empty at a start, where no contact counts."""
    (ends, anchor, pins), (contacts, impulses, position, twist, since) = joints, pressed
    count = orientation.shape[0]
    R, K, loaded = np.empty((count, 3, 3)), np.zeros((count, 3, 3)), np.zeros(count, np.bool_)
    rotation_matrices(orientation, R)
    r, pivot = np.empty(3), np.zeros((count, 3))
    for k in range(ends.shape[0]):
        for side in range(2):
            body, other = ends[k, side], ends[k, 1 - side]
            if broken[k] or not pins[k] or body < 0 or (other >= 0 and bodies.inverse_mass[other] > 0.0):
                continue
            for i in range(3):
                pivot[body, i] = 0.0
                for j in range(3):
                    pivot[body, i] += R[body, i, j] * anchor[k, side, j]
    for k in range(ends.shape[0]):
        if broken[k]:
            continue
        for side in range(2):
            body = ends[k, side]
            if body < 0 or bodies.inverse_mass[body] == 0.0:
                continue
            for i in range(3):
                r[i] = -pivot[body, i]
                for j in range(3):
                    r[i] += R[body, i, j] * anchor[k, side, j]
            loaded[body] = True
            add_stiffness(r, load[k], 1.0 if side == 1 else -1.0, K[body])
    force = np.empty(3)
    for k in range(contacts.gap.size if since.size > 0 else 0):
        if impulses[k, 0] <= 0.0:
            continue
        for i in range(3):
            force[i] = impulses[k, 0] * contacts.normal[k, i] + impulses[k, 1 + i]
        for body, sign in ((contacts.body_a[k], -1.0), (contacts.body_b[k], 1.0)):
            if bodies.inverse_mass[body] > 0.0:
                for i in range(3):
                    r[i] = contacts.position[k, i] - position[body, i] + since[body] * twist[body, i] - pivot[body, i]
                loaded[body] = True
                add_stiffness(r, force, sign, K[body])
    inverse = np.empty((3, 3))
    for body in range(count):
        if not loaded[body] or not may_swing(bodies.inverse_inertia[body], K[body], most):
            continue
        for i in range(3):
            for j in range(3):
                inverse[i, j] = 0.0
                for m in range(3):
                    for n in range(3):
                        inverse[i, j] += R[body, i, m] * bodies.inverse_inertia[body, m, n] * R[body, j, n]
        far = 0.0
        for i in range(3):
            far += pivot[body, i] * pivot[body, i]
        if far > 0.0:
            about_pivot(bodies.mass[body], pivot[body], far, inverse)
        taut[body] = largest_swing(inverse, K[body]) > most
