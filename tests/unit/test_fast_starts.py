"""Bodies that begin a run near what they fly at, faster than any search before could have covered."""

import numpy as np
import pytest

from stiction.solver.scene import Body, KeyedPoses, Motion, Scene
from stiction.solver.shapes import Box, Sphere
from stiction.solver.simulation import options_for, simulate

FLOOR = Body("floor", Box((10.0, 10.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5))


@pytest.mark.parametrize("shape", [Box((1.0, 1.0, 1.0)), Sphere(0.5)], ids=lambda shape: shape.type)
@pytest.mark.parametrize("speed", [1e3, 1e5, 1e6])
def test_a_body_lands_on_the_floor_it_begins_near(shape, speed):
    scene = Scene((FLOOR, Body("thrown", shape, position=(0.0, 0.0, 2.0), velocity=(0.0, 0.0, -speed))))
    run = simulate(scene, options_for(scene, time=0.05))
    assert run.positions[-1, 1, 2] == pytest.approx(0.5, abs=1e-6)


def test_an_animated_body_takes_along_what_it_is_thrown_at():
    still = np.tile([1.0, 0.0, 0.0, 0.0], (3, 1))
    places = np.array([[0.0, 0, 0], [0, 0, 0], [1e5, 0, 0]])
    driven = Body("driven", Box((1.0, 1.0, 1.0)), motion=Motion.KINEMATIC,
                  keys=KeyedPoses([0.0, 0.02, 0.04], places, still))  # fmt: skip
    scene = Scene((driven, Body("free", Box((1.0, 1.0, 1.0)), position=(3.0, 0, 0))), gravity=(0.0, 0.0, 0.0))
    assert simulate(scene, options_for(scene, time=0.05)).positions[-1, 1, 0] > 1e5
