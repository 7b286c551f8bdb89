"""Rows that joints hold but for a trace still feel what others do."""

import numpy as np
import pytest

from stiction.solver.scene import Body, Joint, Motion, Motor, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import SimulationOptions, simulate


def pressed_arm(tilt):
    """An arm that a motor presses to the floor; the axis of its hinge is off by `tilt`."""
    floor = Body("floor", Box((20.0, 20.0, 1.0)), motion=Motion.STATIC, position=(0, 0, -0.5))
    arm = Body("arm", Box((2.0, 0.3, 0.1)), mass=2.0, position=(-1, 0, 1))
    motor = Motor(velocity=-6.0, max=200.0)
    pin = Joint("pin", "hinge", ("world", "arm"), (0, 0, 1), (tilt, 1, 0), motor=motor)
    return Scene((floor, arm), joints=(pin,))


@pytest.mark.parametrize("tilt", [0.0, 4.4e-8, 1e-6])
def test_an_arm_pressed_to_the_floor_is_made_in_quiet_steps(tilt):
    """Friction along the axis is held by the hinge; one off by what single precision leaves holds it as well."""
    done = simulate(pressed_arm(tilt), SimulationOptions(time=1.0))
    quiet = done.event_records[:, 1] == done.header["events"].index("quiet_steps")
    late = done.event_records[quiet, 0] > 60
    assert np.count_nonzero(late) == 40
    assert np.all(done.steps["converged"])
