"""A motor that is stronger than anything meets a limit of its own coordinate."""

import numpy as np
import pytest
from joint_scenes import run

from stiction.solver.results.verdict import judge
from stiction.solver.scene import Body, Joint, Motor, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import options_for, simulate


@pytest.mark.parametrize(("speed", "limits"), [(2.0, (-1.0, 0.3)), (-2.0, (-0.3, 1.0))])
@pytest.mark.parametrize("strength", [np.inf, 1e3])
def test_it_stops_there(speed, limits, strength):
    made = stopped(speed, limits, strength)
    ended = run(made, 0.4)
    angle = 2.0 * np.arcsin(ended.state.orientation[0, 3])
    assert angle == pytest.approx(0.3 * np.sign(speed), abs=1e-7)
    assert max(report.residual for report in ended.reports) < 1e-6


def test_residuals_within_the_aim_are_no_reason_for_a_poor_verdict():
    """Nothing falls and nothing moves at the end, so that nothing but the aim says what is small."""
    done = simulate(stopped(2.0, (-1.0, 0.3), 1e3), options_for(stopped(2.0, (-1.0, 0.3), 1e3), time=0.4))
    assert 0.0 < done.steps["residual"].max() < done.header["tolerance"]
    assert not any("inexact" in reason for reason in judge(done).reasons)


def stopped(speed, limits, strength):
    """An arm without gravity that a motor turns to a limit of its hinge."""
    arm = Body("arm", Box((1.0, 0.2, 0.2)), position=(0.5, 0.0, 0.0))
    hinge = Joint("hinge", "hinge", ("world", "arm"), axis=(0, 0, 1), limits=limits, motor=Motor(speed, strength))
    return Scene((arm,), gravity=(0.0, 0.0, 0.0), joints=(hinge,))
