"""Runs that end after the first step that is not accepted: bodies went through each other, or a solve was given up."""

import numpy as np
import pytest
from test_two_turns import EFFORT, falling_stack

from stiction.solver.scenes import build
from stiction.solver.simulation import options_for, simulate


def test_a_run_ends_after_its_first_step_that_is_not_accepted_and_says_which():
    falling, options = falling_stack(), {"time": 0.3, "time_step": 0.01, "effort": EFFORT, "acceptable": 1e-3}
    whole = simulate(falling, options_for(falling, **options))
    first = int(np.argmin(whole.steps["converged"])) + 1
    assert 1 <= first < 30 and whole.stopped == ""
    run = simulate(falling, options_for(falling, until_not_accepted=True, **options))
    assert len(run.steps["time"]) == first and run.times[-1] == pytest.approx(0.01 * first)
    assert run.stopped.startswith(f"step {first}, to {0.01 * first:.6g} s at 'box")
    assert np.array_equal(run.positions[-1], whole.positions[first])


def test_where_every_step_is_accepted_it_goes_to_its_end():
    scene = build("stack10")
    run = simulate(scene, options_for(scene, time=0.1, until_not_accepted=True))
    assert run.stopped == "" and run.times[-1] == pytest.approx(0.1)
