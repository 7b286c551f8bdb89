"""Where a limit of work ends solves, the summary says in which part of the steps and by how much."""

import numpy as np

from stiction.solver.results.summary import largest_gain, run_summary
from stiction.solver.scenes import SCENES
from stiction.solver.simulation import options_for, simulate
from stiction.solver.stepping.step_parts import in_turn, side_by_side
from stiction.solver.stepping.step_report import StepReport, limit_notes


def test_the_part_of_the_steps_and_how_far_they_were():
    steps = {"converged": np.array([1, 0, 0, 1]), "residual": np.array([1e-9, 2e-3, 5e-3, 1.0])}
    steps |= {"time": np.array([0.1, 0.2, 0.3, 0.4]), "worst_body": np.array([-1, 0, 1, -1])}
    (note,) = limit_notes(steps, 1e-6, ["stone", "brick"])
    assert note.startswith("2 of 4 steps (50.0 %)")
    assert "at most 0.005 m/s, 5e+03 times the aim, in the step to 0.3 s at 'brick'" in note
    assert limit_notes({"converged": np.ones(3), "residual": np.ones(3)}, 1e-6, []) == []


def test_a_run_that_was_given_too_little_work_says_so():
    scene = SCENES["wall85"].build()
    starved = run_summary(simulate(scene, options_for(scene, time=0.02, max_iterations=3, acceptable=1e-12)))
    (note,) = (note for note in starved["notes"] if "ended at a limit of work" in note)
    assert any(f" at {body.name!r}" in note for body in scene.bodies)


def test_the_worst_body_keeps_its_number_in_what_is_put_together():
    left, right = (StepReport(0.1, 1, 0, 0, 0, 0, 0, 0, residual, 1, False, 0.0, worst_body=1)
                   for residual in (1e-3, 2e-3))  # fmt: skip
    beside = side_by_side(left.numbered(np.array([0, 2])), right.numbered(np.array([1, 5])))
    assert beside.worst_body == 5
    some = np.array([3, 5, 8])
    assert [beside.among(bodies).worst_body for bodies in (some, np.array([0, 1]))] == [1, -1]
    assert beside.among(some).numbered(some).worst_body == 5
    fine = right._replace(residual=1.0, converged=True, worst_body=-1)
    assert side_by_side(fine, left).worst_body == 1
    assert in_turn([left, right._replace(worst_body=4), fine]).worst_body == 4


def test_the_largest_gain_and_its_part_of_the_energy_there():
    steps = {name: np.array(values) for name, values in {
        "stabilisation_work": [-5.0, 2.0, 1.0], "kinetic": [9.0, 5.0, 0.0], "elastic": [0.0, 1.0, 0.0],
        "potential": [-1.0, -6.0, -10.0],
    }.items()}  # fmt: skip
    assert largest_gain(steps) == {"largest_gain": 2.0, "largest_gain_part": 0.2}
    steps["stabilisation_work"] = -np.ones(3)
    assert largest_gain(steps) == {"largest_gain": 0.0, "largest_gain_part": 0.0}
