"""The measuring tool for overlap against known overlaps and against the Minkowski difference."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull as Hull

from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scenes.base import axis_angle, rotation_matrix
from stiction.solver.shapes import Box, Compound, ConvexHull, Cylinder, Part, Sphere
from stiction.solver.validation.overlap import deepest_overlap, depth, pieces


def placed(shape, position, turn=(1.0, 0.0, 0.0, 0.0)):
    return pieces(Compound((Part(shape, tuple(position), tuple(turn)),)))[0]


def minkowski_depth(a, b):
    """Distance of the origin from the nearest facet of {x - y}; 0 if it is outside."""
    difference = (a.vertices[:, None, :] - b.vertices[None, :, :]).reshape(-1, 3)
    return max(-Hull(difference).equations[:, 3].max(), 0.0)


@pytest.mark.parametrize("sink", [0.0, 1e-7, 1e-3])
def test_boxes_face_on_face(sink):
    a, b = placed(Box((1, 1, 1)), (0, 0, 0)), placed(Box((0.5, 0.4, 0.3)), (0.1, 0.2, 0.65 - sink))
    assert depth(a, b) == pytest.approx(sink, abs=1e-15)


def test_edges_crossing():
    turn = axis_angle((1, 0, 0), np.pi / 4)
    other = axis_angle((0, 1, 0), np.pi / 4)
    reach = np.sqrt(2) / 2
    a, b = placed(Box((1, 1, 1)), (0, 0, 0), turn), placed(Box((1, 1, 1)), (0, 0, 2 * reach - 1e-4), other)
    assert depth(a, b) == pytest.approx(1e-4, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_random_polytopes_against_the_minkowski_difference(seed):
    rng = np.random.default_rng(seed)
    shapes = [Box(tuple(rng.uniform(0.2, 1, 3))), ConvexHull(rng.normal(size=(8, 3)) * 0.4)]
    a, b = (placed(s, rng.normal(size=3) * 0.3, axis_angle(rng.normal(size=3), 2.0)) for s in shapes)
    exact = minkowski_depth(a, b)
    assert max(depth(a, b), 0.0) == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize(
    ("center", "exact"), [((0, 0, 0.69), 0.01), ((0.6, 0.6, 0.0), 0.2 - 0.1 * 2**0.5), ((0, 0, 0), 0.7)]
)
def test_ball_on_box(center, exact):
    assert depth(placed(Sphere(0.2), center), placed(Box((1, 1, 1)), (0, 0, 0))) == pytest.approx(exact, abs=1e-12)


def test_compounds_cylinders_and_fixed_pairs():
    floor = Body("floor", Box((4, 4, 1)), motion=Motion.STATIC, position=(0, 0, -0.5))
    sunk = Body("sunk", Box((4, 4, 1)), motion=Motion.STATIC, position=(0, 0, -0.4))
    turn = tuple(axis_angle((1, 0, 0), 0.0))
    jack = Body("jack", Compound((Part(Box((1, 0.1, 0.1))), Part(Box((0.1, 0.1, 1))))))
    drum = Body("drum", Cylinder(0.3, 0.2))
    scene = Scene((floor, sunk, jack, drum))
    position = np.array([[0, 0, -0.5], [0, 0, -3.0], [0, 0, 0.498], [1.5, 0, 0.2]])
    found = deepest_overlap(scene, position, np.array([turn] * 4))
    assert found[0] == pytest.approx(0.002, abs=1e-12)
    assert found[1:] in (("jack", "floor"), ("floor", "jack"))
    assert np.allclose(rotation_matrix(turn), np.eye(3))
