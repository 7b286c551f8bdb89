"""Closest points of convex sets against closed forms."""

import numba
import numpy as np

from stiction.solver.collision.convex.gjk_kernels import closest_points
from stiction.solver.dynamics import rotation


@numba.njit
def distance_between(vertex_a, vertex_b, simplex):
    """Inner kernels have no entry from Python."""
    return closest_points(vertex_a, vertex_b, 10.0, simplex)[0]


def test_point_and_flat_box():
    """A point above or beside a turned box: the distance is that to the clamped point, on every one of 5000 poses.

    The long flat box gives nearly flat tetrahedra, in which the side of the origin is lost in round-off.
    """
    random, half, simplex = np.random.default_rng(0), np.array([1.3, 3.2, 0.3]), np.zeros((4, 6))
    corners = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]) * half
    for trial in range(5000):
        q = random.standard_normal(4)
        R = rotation.matrix(q / np.linalg.norm(q))
        p = random.uniform(-1.2, 1.2, 3) * (half + 0.2)
        if trial % 3:
            p = np.array([*(random.uniform(-1, 1, 2) * half[:2]), 0.3 + random.uniform(0, 0.15)])
        exact = np.linalg.norm(p - np.clip(p, -half, half))
        distance = distance_between((R @ p)[None].copy(), corners @ R.T, simplex)
        assert abs(distance - exact) < 1e-9, (trial, p)
