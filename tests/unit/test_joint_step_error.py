"""The error of the time step in joint forces, as a run estimates it, against a driven slider-crank in closed form."""

import numpy as np
import pytest

from stiction.solver.results.joint_step_error import joint_step_errors
from stiction.solver.results.summary import run_summary
from stiction.solver.simulation import SimulationOptions, simulate
from stiction.solver.validation.jointed.driven_crank import driven, pin_forces


@pytest.mark.parametrize(("h", "every", "factor"), [(0.01, 1, 2.0), (0.02, 1, 3.0), (0.005, 2, 2.0)])
def test_the_error_of_a_driven_slider_crank_is_known(h, every, factor):
    run = simulate(driven(), SimulationOptions(time=1.0, time_step=h, steps_per_frame=every))
    found = joint_step_errors(run)
    for joint, name, true in zip((1, 2), "bc", pin_forces(run.times[1:] - 0.5 * h), strict=True):
        rms, error = found[name]["force"]
        off = np.sqrt(np.mean(np.sum((run.joints[1:, joint, 4:7] - true) ** 2, axis=1)))
        assert rms == pytest.approx(np.sqrt(np.mean(np.sum(true**2, axis=1))), rel=0.1)
        assert 1.0 / factor < error / off < factor


def test_it_stands_in_the_summary_and_nothing_without_joints():
    run = simulate(driven(), SimulationOptions(time=0.1, time_step=0.01, steps_per_frame=1))
    assert run_summary(run)["joint_step_error"]["c"]["force"][1] > 0.0
    few = simulate(driven(), SimulationOptions(time=0.02, time_step=0.01, steps_per_frame=1))
    assert joint_step_errors(few) == {}
