"""Steps of different lengths after each other: how far ahead the last look at contacts has to reach."""

from dataclasses import replace

import numpy as np
import pytest

from stiction.solver.materials import Material, MaterialTable
from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.shapes import Box, Sphere
from stiction.solver.simulation import SimulationOptions, step_settings
from stiction.solver.steppers import STEPPERS

FLOOR = Body("floor", Box((20.0, 20.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5))
RADIUS, SPEED = 0.2, 4.0


def middle_gap(gap, next_step, restitution=0.0):
    """Gap [m] of a falling ball in the middle of a step of 10 ms that follows one of 5 ms, and its speed there."""
    ball = Body("ball", Sphere(RADIUS), position=(0.0, 0.0, RADIUS + gap), velocity=(0.0, 0.0, -SPEED))
    scene = Scene((FLOOR, ball), MaterialTable((Material("default", restitution=restitution),)))
    model, state = compile_scene(scene)
    options = SimulationOptions()
    settings = step_settings(options, model, state)
    step = STEPPERS[options.stepper]
    state, _, _ = step(model, state, replace(settings, time_step=0.005, next_step=next_step))
    height = state.position[1, 2] + 0.005 * state.twist[1, 2]
    return height - RADIUS, state.twist[1, 2]


@pytest.mark.parametrize("gap", np.linspace(0.011, 0.039, 8))
def test_a_body_does_not_fly_through_what_a_longer_step_finds_too_late(gap):
    """From the middle of the short step to that of the long one are 7.5 ms, not 5."""
    assert middle_gap(gap, 0.01)[0] >= -1e-9


def test_without_it_the_body_is_deep_in_the_floor():
    assert middle_gap(0.029, None)[0] < -0.008


def test_a_body_that_would_meet_in_the_longer_step_bounces_instead_of_stopping():
    """With restitution the impact that the next look would find too late is one: no speed is lost on the way to it."""
    speed = middle_gap(0.036, 0.01, restitution=0.5)[1]
    assert speed == pytest.approx(0.5 * SPEED, rel=0.03)
