"""Distances that `stiction verify` works out of shapes, beside closed forms."""

import numpy as np
import pytest
from verified_scenes import turned

from stiction.solver.recording.constants import _solids
from stiction.solver.shapes import Box, Capsule, Compound, Cylinder, Part, Sphere
from stiction.solver.verify.shapes import depths, samples
from stiction.solver.verify.surfaces import beside

RNG = np.random.default_rng(0)
X = RNG.uniform(-1.0, 1.0, (400, 3))
FAR = 4.0


def of_box(x, sides):
    beyond = np.abs(x) - 0.5 * np.array(sides)
    return np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)


def distances(solids, x):
    """Distances (n,) [m] of points x (n,3), from the depths of balls that are nowhere out of reach."""
    return FAR - depths(solids, x, np.full(len(x), FAR))


def test_a_box_of_triangles_is_as_far_as_a_box():
    found = distances(_solids(Box((0.9, 0.5, 0.3))), X)
    assert found == pytest.approx(of_box(X, (0.9, 0.5, 0.3)), abs=1e-12) and (found < 0).sum() > 5


def test_round_shapes():
    rho, z = np.hypot(X[:, 0], X[:, 1]), np.abs(X[:, 2])
    capsule = np.where(z < 0.3, rho, np.hypot(rho, z - 0.3)) - 0.2
    assert distances(_solids(Capsule(0.2, 0.6)), X) == pytest.approx(capsule, abs=1e-12)
    assert distances(_solids(Sphere(0.4)), X) == pytest.approx(np.linalg.norm(X, axis=1) - 0.4, abs=1e-12)
    flat = of_box(np.column_stack([rho, 0 * rho, z]), (0.8, 2.0, 0.6))
    assert distances(_solids(Cylinder(0.4, 0.6)), X) == pytest.approx(flat, abs=1e-12)


def test_a_compound_is_the_nearest_of_its_parts_where_they_lie():
    q = turned(0.7, (1, 2, 3))
    parts = Part(Box((0.5, 0.2, 0.2)), (0.3, 0, 0.1), q), Part(Sphere(0.2), (-0.4, 0, 0))
    w, v = q[0], np.array(q[1:])
    # Turned back: by the conjugate.
    back = X - (0.3, 0, 0.1)
    back = back - 2 * w * np.cross(v, back) + 2 * np.cross(v, np.cross(v, back))
    wanted = np.minimum(of_box(back, (0.5, 0.2, 0.2)), np.linalg.norm(X + (0.4, 0, 0), axis=1) - 0.2)
    assert distances(_solids(Compound(parts)), X) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("shape", [Box((0.9, 0.5, 0.3)), Sphere(0.4), Capsule(0.2, 0.6), Cylinder(0.4, 0.6)])
def test_outermost_points_touch_the_surface_from_within(shape):
    points, radius = samples(_solids(shape))
    assert len(points) >= 1 and distances(_solids(shape), points) == pytest.approx(-radius[:, 0], abs=1e-12)


SIDE, TILT = np.array([0.0, 0.0, 1.0]), 0.2
BOX = Box((0.8, 0.6, 0.4))


@pytest.mark.parametrize(("shape", "at", "to", "lean", "reach"), [
    (BOX, (0, 0, 0.2), (1, 0), TILT, 0.4), (BOX, (0.1, 0, 0.2), (1, 0), TILT, 0.3),
    (BOX, (0.4, 0, 0.2), (1, 0), 0.0, None), (BOX, (0.4, 0, 0.2), (-1, 0), TILT, 0.8),
    (BOX, (0.4, 0, 0.2), (0, 1), TILT, 0.3), (BOX, (0.4, 0.3, 0.2), (1, 1), 0.0, None),
    (Sphere(0.2), (0, 0, 0.2), (1, 0), TILT, 0.2), (Capsule(0.2, 0.6), (0, 0, 0.5), (0, 1), TILT, 0.2),
    (Cylinder(0.4, 0.6), (0.4, 0, 0.3), (1, 0), 0.0, None), (Cylinder(0.4, 0.6), (0.4, 0, 0.3), (0, 1), TILT, 0.4),
    (Cylinder(0.4, 0.6), (0.1, 0, 0.3), (1, 0), TILT, 0.3),
])  # fmt: skip
def test_normals_lean_from_the_cone_of_a_face_an_edge_or_a_corner(shape, at, to, lean, reach):
    """Turned from z to a side `to`; reach: how far faces go on to where they would be cut."""
    n = np.cos(TILT) * SIDE + np.sin(TILT) * np.append(to, 0.0) / np.hypot(*to)
    off, angle, along = beside(_solids(shape), np.array([at], dtype=float), n[None], np.array([1e-6]))
    assert off == pytest.approx([0.0], abs=1e-12) and angle == pytest.approx([np.degrees(lean)], abs=1e-7)
    assert reach is None or along == pytest.approx([reach], rel=1e-9)
