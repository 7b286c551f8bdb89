"""Angles are counted where a step turns them by more than half a turn."""

import numpy as np
import pytest

from stiction.solver.results.verdict import judge
from stiction.solver.scene import Body, Joint, Motor, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import options_for, simulate

H, STEPS = 0.01, 50


def turned(rate, kind="hinge", motor=True, **more):
    drive = {"motor": {"rz": Motor(rate)} if kind == "screw" else Motor(rate)} if motor else {}
    spin = (0.0, 0.0, 0.0 if motor else rate)
    joint = Joint("j", kind, ("world", "a"), axis=(0.0, 0.0, 1.0), **drive, **more)
    scene = Scene((Body("a", Box((0.1, 0.1, 0.4)), angular_velocity=spin),), joints=(joint,), gravity=(0.0, 0.0, 0.0))
    return simulate(scene, options_for(scene, time=STEPS * H, time_step=H))


@pytest.mark.parametrize("rate", [200.0, 320.0, -500.0, 3000.0])
@pytest.mark.parametrize("motor", [True, False])
def test_a_fast_hinge_tells_its_angle(rate, motor):
    """Beyond 3000 revolutions a minute at 10 ms it was told to turn backwards. A motor begins within its first step."""
    run = turned(rate, motor=motor)
    assert run.joints[-1, 0, 0] == pytest.approx(rate * H * (STEPS - 0.5 * motor), rel=1e-9)


@pytest.mark.parametrize("rate", [200.0, 320.0, 1000.0])
def test_a_fast_screw_goes_forward(rate):
    """Its travel follows its angle: it went backwards, in a good result."""
    run = turned(rate, "screw", lead=0.01)
    assert run.positions[-1, 0, 2] == pytest.approx(rate * H * (STEPS - 0.5) * 0.01 / (2.0 * np.pi), rel=1e-9)
    assert judge(run).word == "good"
