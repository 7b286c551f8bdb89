"""Coulomb's law: in scaled rows the ellipsoid |D^-1 lambda_F| <= lambda_n is a ball, and its projection a scaling."""

from math import sqrt

import numpy as np

from .base import Law


def project(radius, y, count, sides):
    square = 0.0
    for i in range(count):
        square += y[i] * y[i]
    if square > radius * radius:
        scale = radius / sqrt(square)
        for i in range(count):
            y[i] *= scale


def gauge(y, count, sides):
    square = 0.0
    for i in range(count):
        square += y[i] * y[i]
    return sqrt(square)


def slope(radius, z, n, y, slope):
    square = 0.0
    for i in range(n):
        square += z[i] * z[i]
    length = sqrt(square)
    if length <= radius:
        for i in range(n):
            slope[i, i] = 1.0
        return
    for i in range(n):
        slope[i, n] = z[i] / length
        for j in range(n):
            slope[i, j] = -radius / length * (z[i] / length) * (z[j] / length)
        slope[i, i] += radius / length


def cones(count, sides):
    matrix = np.vstack([np.zeros(count), -np.eye(count)])
    return [("second_order", np.arange(count), matrix, np.concatenate(([1.0], np.zeros(count))))]


LAW = Law(
    "ellipsoid", "Coulomb ellipsoid",
    "Isotropic or anisotropic Coulomb friction with optional torsion (Coulomb-Contensou): disk, ellipse, ellipsoid",
    0, project, gauge, gauge, slope, cones, smooth=True,
)  # fmt: skip
