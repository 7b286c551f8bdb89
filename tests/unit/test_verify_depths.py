"""The check's own answer to what is within a solid of triangles, against the formula of a ring."""

import numpy as np
import pytest

from stiction.solver.verify import shapes

RING, TUBE = 1.0, 0.3


def ring(around=48, about=24):
    """A ring about z as a solid of recording.json."""
    a, b = np.meshgrid(np.arange(around), np.arange(about), indexing="ij")
    turn, roll = 2 * np.pi * a / around, 2 * np.pi * b / about
    out = RING + TUBE * np.cos(roll)
    vertices = np.stack([out * np.cos(turn), out * np.sin(turn), TUBE * np.sin(roll)], axis=-1).reshape(-1, 3)
    right, up = (a + 1) % around, (b + 1) % about
    corners = [one * about + two for one, two in ((a, b), (right, b), (right, up), (a, up))]
    halves = (0, 1, 2), (0, 2, 3)
    faces = np.concatenate([np.stack([corners[k] for k in some], axis=-1).reshape(-1, 3) for some in halves])
    return {"type": "mesh", "position": [0.0, 0.0, 0.0], "orientation": [1.0, 0.0, 0.0, 0.0],
            "vertices": vertices.tolist(), "triangles": faces.tolist()}  # fmt: skip


def depth_in_ring(x):
    """Depth (n,) in the ring itself, from which its triangles are less than 6 mm away."""
    return TUBE - np.hypot(np.hypot(x[:, 0], x[:, 1]) - RING, x[:, 2])


@pytest.mark.parametrize("grid", [False, True])
def test_depths_are_those_of_the_ring(grid):
    """Points at random, and on a grid: rays through vertices and along edges."""
    x = np.random.default_rng(0).uniform(-1.5, 1.5, (1000, 3)) * [1, 1, 0.3]
    if grid:
        shrunk = [[1.0, 1.0, 0.5], [1.0, 1.0, 0.0], [1.0, 1.0, -2.0], [0.0, 0.0, 1.0]]
        x = (np.array(ring()["vertices"])[::5, None] * shrunk).reshape(-1, 3)
    solid, true = ring(), depth_in_ring(x)
    found = shapes.depths([solid], x, np.zeros(len(x)))
    within = true > 0.006
    assert within.sum() > 100 and np.all(found[true < -0.006] < 0)
    assert np.all(np.abs(found[within] - true[within]) < 0.006)
    assert np.array_equal(shapes.distances(solid, x[within]), -found[within])


def test_a_part_within_another_is_within():
    """Faces that wind twice around a point are no hole."""
    solid = ring()
    count = len(solid["vertices"])
    twice = dict(solid, vertices=solid["vertices"] * 2,
                 triangles=solid["triangles"] + (np.array(solid["triangles"]) + count).tolist())  # fmt: skip
    x = np.array([[RING, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert shapes.depths([twice], x, np.zeros(2))[0] > 0.29 and shapes.distances(twice, x)[1] > 0.6
