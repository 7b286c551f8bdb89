"""Kernel of tension.py: the fastest swing of each body across the pull of its joints."""

from math import sqrt

import numpy as np

from ...jit import inner, kernel
from ..step_kernels import rotation_matrices

# Rounds of power iteration: the largest of three eigenvalues to some per cent.
ROUNDS = 12


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
    for _ in range(ROUNDS):
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


@kernel
def swings(bodies, orientation, ends, anchor, broken, load, most, taut):
    """Set taut (R,) where the square of a body's swing times the step is more than `most`; load (J,6) [N s, N m s]."""
    count = orientation.shape[0]
    R, K, loaded = np.empty((count, 3, 3)), np.zeros((count, 3, 3)), np.zeros(count, np.bool_)
    rotation_matrices(orientation, R)
    r = np.empty(3)
    for k in range(ends.shape[0]):
        if broken[k]:
            continue
        for side in range(2):
            body = ends[k, side]
            if body < 0 or bodies.inverse_mass[body] == 0.0:
                continue
            sign = 1.0 if side == 1 else -1.0
            along = 0.0
            for i in range(3):
                r[i] = 0.0
                for j in range(3):
                    r[i] += R[body, i, j] * anchor[k, side, j]
                along += sign * load[k, i] * r[i]
            loaded[body] = True
            for i in range(3):
                K[body, i, i] += along
                for j in range(3):
                    K[body, i, j] -= sign * load[k, i] * r[j]
    inverse = np.empty((3, 3))
    for body in range(count):
        if not loaded[body]:
            continue
        for i in range(3):
            for j in range(3):
                inverse[i, j] = 0.0
                for m in range(3):
                    for n in range(3):
                        inverse[i, j] += R[body, i, m] * bodies.inverse_inertia[body, m, n] * R[body, j, n]
        taut[body] = largest_swing(inverse, K[body]) > most
