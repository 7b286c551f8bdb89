"""The model of projected Gauss-Seidel: every direction limited on its own."""

import numpy as np

from .base import Law


def project(radius, y, count, sides):
    for i in range(count):
        y[i] = min(max(y[i], -radius), radius)


def gauge(y, count, sides):
    largest = 0.0
    for i in range(count):
        largest = max(largest, abs(y[i]))
    return largest


def support(v, count, sides):
    total = 0.0
    for i in range(count):
        total += abs(v[i])
    return total


def slope(radius, z, n, y, slope):
    for i in range(n):
        if abs(z[i]) <= radius:
            slope[i, i] = 1.0
        else:
            slope[i, n] = 1.0 if z[i] > 0.0 else -1.0


def cones(count, sides):
    both = np.vstack([np.eye(count), -np.eye(count)])
    return [("nonnegative", np.arange(count), both, np.ones(2 * count))]


LAW = Law(
    "box", "Box",
    "Each direction limited on its own, as in projected Gauss-Seidel; up to 41 % too strong on the diagonal",
    1, project, gauge, support, slope, cones, rowwise=True,
)  # fmt: skip
