"""The motion over the rest of a step: overlap is taken away without throwing bodies about."""

import numpy as np
import pytest

from stiction.solver.dynamics import rotation
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scenes.base import floor, one_material, quadruple
from stiction.solver.shapes import Box, Mesh, Sphere
from stiction.solver.shapes.generators import chalice, tumbler
from stiction.solver.validation.run import run

SIZE = 0.5  # [m]


def wedged():
    """Two chalices in flight, the foot of one between the cup and the stem of the other and 0.9 mm in one of them."""
    shape = Mesh(*chalice(SIZE, 12))
    turns = ((-0.4402, 0.6382, 0.2796, 0.5663), (-0.3046, 0.8358, 0.2996, -0.3449))
    first, second = (quadruple(np.array(turn) / np.linalg.norm(turn)) for turn in turns)
    bodies = (
        Body("below", shape, position=(0.3061, 0.3757, 0.143), orientation=first, velocity=(-0.29, 0.16, 0.08),
             angular_velocity=(-1.09, -2.05, 0.0)),
        Body("above", shape, position=(0.29, 0.3009, 0.3731), orientation=second, velocity=(-0.32, -0.59, -1.93),
             angular_velocity=(5.41, 1.41, 4.05)),
    )  # fmt: skip
    return Scene(bodies, one_material(0.75, 2500.0, torsional_friction=0.01))


def test_a_wedged_foot_is_not_thrown_about():
    step = 0.01
    result = run(wedged(), 2 * step, step)
    turn = rotation.matrix(result.orientation)
    angle = np.arccos(np.clip(0.5 * (np.einsum("bij,bij->b", turn[0], turn[1]) - 1.0), -1.0, 1.0))
    way = np.linalg.norm(result.position[1] - result.position[0], axis=1) + SIZE * angle
    speed = np.linalg.norm(result.twist[..., :3], axis=2) + SIZE * np.linalg.norm(result.twist[..., 3:], axis=2)
    assert np.all(way <= 1.2 * step * speed[:2].max(axis=0))
    assert max(report.overlap for report in result.reports) < 1e-4, "the foot is out at the end of either step"


def groove(half, friction, overlap, radius=0.2):
    """A ball that begins `overlap` [m] deep in both walls of a groove, which lean out by `half` from the vertical."""
    walls = []
    for sign in (-1, 1):
        turn = rotation.matrix(np.array([[np.cos(0.5 * half), 0.0, sign * np.sin(0.5 * half), 0.0]]))[0]
        middle = turn @ np.array([0.5 * sign, 0.0, 1.0])
        pose = {"position": tuple(middle), "orientation": (np.cos(0.5 * half), 0.0, sign * np.sin(0.5 * half), 0.0)}
        walls.append(Body(f"wall{sign}", Box((1.0, 2.0, 4.0)), motion=Motion.STATIC, **pose))
    ball = Body("ball", Sphere(radius), position=(0.0, 0.0, (radius - overlap) / np.sin(half)))
    return Scene((*walls, ball), one_material(friction))


@pytest.mark.parametrize("degrees", [5, 10, 20])
@pytest.mark.parametrize("friction", [0.3, 1.0])
def test_friction_does_not_hold_a_wedged_ball_in_its_walls(degrees, friction):
    """It has to rise by overlap / sin(half); tan(half) < mu would hold it against any push of the walls."""
    result = run(groove(np.radians(degrees), friction, 2e-3), 0.6, 0.01)
    assert 5e-4 < result.reports[0].overlap < 2e-3
    assert result.reports[-1].overlap < 1e-5
    assert np.abs(result.twist).max() < 1e-6


def test_cups_that_begin_in_each_other_do_not_push_each_other_through_the_floor():
    """Their walls are steep: overlap goes by a way many times as long as it is deep, half of it downwards."""
    cup = Mesh(*tumbler(0.66, 0.22, 0.033, 12))
    cups = [Body(f"cup{k}", cup, position=(0.0, 0.0, 0.351 + 0.3 * k)) for k in range(3)]
    result = run(Scene((floor(4.0), *cups), one_material(0.1)), 1.0, 0.01)
    assert result.reports[0].overlap > 0.01
    assert result.position[:, 1:, 2].min() > 0.304, "none is in the floor on the way"
    assert result.reports[-1].overlap < 1e-4
