"""Bodies that begin a run near what they fly at, faster than any search before could have covered."""

from dataclasses import replace

import numpy as np
import pytest

from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, KeyedPoses, Motion, Scene
from stiction.solver.shapes import Box, Mesh, Sphere
from stiction.solver.simulation import options_for, simulate, step_settings
from stiction.solver.stepping.body_groups import whole_group
from stiction.solver.stepping.step_review import ROOM, look_ahead

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


PLATE = Box((1.0, 1.0, 0.003))


@pytest.mark.parametrize("plate", [PLATE, Mesh(*PLATE.surface())], ids=["box", "mesh"])
def test_what_the_last_search_did_not_cover_is_seen_before_a_plate_thinner_than_the_body(plate):
    """The ball goes .014 m to the middle of the step, less than it is thick, and through the plate; it was searched for
    along half of that way."""
    ball = Body("ball", Sphere(0.01), position=(0.0, 0.0, 0.0183), velocity=(0.0, 0.0, -22.0))
    scene = Scene((Body("plate", plate, motion=Motion.STATIC, position=(0.0, 0.0, -0.0015)), ball))
    options = options_for(scene, time_step=0.00125)
    model, state = compile_scene(scene)
    state = replace(state, horizon=np.full(2, 0.0003125))
    fine = look_ahead(whole_group(model), state, step_settings(options, model, state), ROOM)
    np.testing.assert_array_equal(fine, [False, True])
