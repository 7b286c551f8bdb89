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


class Judge:
    """Keeps every step; `which`(twist (R,6)) -> (R,) bool: the bodies that it takes for turning."""

    def __init__(self, which):
        self.which = which

    def __call__(self, after, there, solution, report):
        return np.ones(len(after.position), dtype=bool)

    def turns(self, state, h):
        return self.which


def middle_gap(gap, next_step, restitution=0.0, judge=None):
    """Gap [m] of a falling ball in the middle of a step of 10 ms that follows one of 5 ms, and its speed there."""
    ball = Body("ball", Sphere(RADIUS), position=(0.0, 0.0, RADIUS + gap), velocity=(0.0, 0.0, -SPEED))
    scene = Scene((FLOOR, ball), MaterialTable((Material("default", restitution=restitution),)))
    model, state = compile_scene(scene)
    options = SimulationOptions()
    settings = step_settings(options, model, state)
    step = STEPPERS[options.stepper]
    state, _, _ = step(model, state, replace(settings, time_step=0.005, next_step=next_step), judge)
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


@pytest.mark.parametrize(
    "turns", [lambda twist: [False, True], lambda twist: (twist[:, 2] > -0.9 * SPEED) & [False, True]]
)
def test_a_body_that_turns_is_not_hit_by_what_it_would_meet_in_the_longer_step(turns):
    """Where it turns anyway, and where only the contact made it turn: here, slowed it down."""
    assert middle_gap(0.036, 0.01)[1] > -0.9 * SPEED
    speed = middle_gap(0.036, 0.01, judge=Judge(lambda twist: np.array(turns(twist))))[1]
    assert speed == pytest.approx(-SPEED - 0.005 * 9.81, rel=1e-6)


def test_a_body_that_does_not_turn_keeps_what_it_meets_in_the_longer_step():
    none = Judge(lambda twist: np.zeros(len(twist), dtype=bool))
    assert middle_gap(0.036, 0.01, judge=none) == middle_gap(0.036, 0.01)


def test_a_body_that_turns_may_come_as_near_as_in_a_short_step():
    """It closes its gap in the short time and is not slowed down for the longer one."""
    turning = Judge(lambda twist: np.array([False, True]))
    assert middle_gap(0.023, 0.01)[1] > -0.8 * SPEED
    assert middle_gap(0.023, 0.01, judge=turning)[1] == pytest.approx(middle_gap(0.023, None)[1], rel=1e-9)
