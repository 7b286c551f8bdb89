"""The overlap a step reports is the one its bodies have at its end, not one predicted on the way there."""

import pytest

from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import options_for, simulate

FLOOR = Body("floor", Box((10.0, 10.0, 1.0)), motion=Motion.STATIC, position=(0, 0, -0.5))


def run(*boxes, steps=4, time_step=0.01, **changes):
    scene = Scene((FLOOR, *boxes), name="boxes")
    return simulate(scene, options_for(scene, time=steps * time_step, time_step=time_step, **changes))


@pytest.mark.parametrize("stepper", ["moreau", "semi_implicit"])
@pytest.mark.parametrize("turn", [(1.0, 0.0, 0.0, 0.0), (0.98, 0.199, 0.0, 0.0)])
def test_fast_box_is_never_reported_deep(stepper, turn):
    box = Body("box", Box((1.0, 1.0, 1.0)), position=(0, 0, 0.9), orientation=turn, velocity=(0, 0, -8.0))
    trajectory = run(box, steps=12, stepper=stepper)
    assert trajectory.steps["contact_count"].max() > 0, "it has landed"
    # Predicted without impulses it would be 40 mm deep in the middle of a step.
    assert trajectory.steps["overlap"].max() < 2e-3


def test_true_overlap_is_reported():
    deep = 5e-3
    sunk = Body("box", Box((1.0, 1.0, 1.0)), position=(0, 0, 0.5 - deep))
    steps = run(sunk, steps=3).steps
    assert deep / 4 < steps["overlap"][0] <= deep
    assert steps["overlap"][2] < steps["overlap"][0], "it is being taken away"
