"""The model of staggered projections (Kaufman et al. 2008): a regular polygon of `sides` = 2m directions inscribed in
the circle, with a vertex on the first axis; torsion is limited on its own. A single row is an interval."""

from math import cos, pi, sin

import numpy as np

from . import box
from .base import Law


def project(radius, y, count, sides):
    if count == 1:
        y[0] = min(max(y[0], -radius), radius)
        return
    if count > 2:
        y[2] = min(max(y[2], -radius), radius)
    angle = 2.0 * pi / sides
    apothem = radius * cos(0.5 * angle)
    half_edge = radius * sin(0.5 * angle)
    x0, y0 = y[0], y[1]
    best, best_i = -1.0, 0
    for i in range(sides):
        c, s = cos((i + 0.5) * angle), sin((i + 0.5) * angle)
        distance = c * x0 + s * y0
        if distance > best:
            best, best_i = distance, i
    if best <= apothem:
        return
    c, s = cos((best_i + 0.5) * angle), sin((best_i + 0.5) * angle)
    along = min(max(-s * x0 + c * y0, -half_edge), half_edge)
    y[0] = apothem * c - along * s
    y[1] = apothem * s + along * c


def gauge(y, count, sides):
    if count < 2:
        return abs(y[0]) if count == 1 else 0.0
    angle = 2.0 * pi / sides
    largest = 0.0
    for i in range(sides):
        largest = max(largest, (cos((i + 0.5) * angle) * y[0] + sin((i + 0.5) * angle) * y[1]) / cos(0.5 * angle))
    if count > 2:
        largest = max(largest, abs(y[2]))
    return largest


def support(v, count, sides):
    if count < 2:
        return abs(v[0]) if count == 1 else 0.0
    largest = 0.0
    for i in range(sides):
        a = 2.0 * pi * i / sides
        largest = max(largest, -(cos(a) * v[0] + sin(a) * v[1]))
    if count > 2:
        largest += abs(v[2])
    return largest


def cones(count, sides):
    if count < 2:
        return box.cones(count, sides)
    angle = 2.0 * np.pi / sides
    middle = (np.arange(sides) + 0.5) * angle
    normals = np.column_stack([np.cos(middle), np.sin(middle)])
    edges = ("nonnegative", np.arange(2), normals, np.full(sides, np.cos(0.5 * angle)))
    torsion = ("nonnegative", np.array([2]), np.array([[1.0], [-1.0]]), np.ones(2))
    return [edges] if count == 2 else [edges, torsion]


LAW = Law(
    "polygon", "Polygon",
    "Inscribed regular polygon, as in staggered projections; up to 8 % too weak with 8 sides",
    2, project, gauge, support, None, cones,
)  # fmt: skip
