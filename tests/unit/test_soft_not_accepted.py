"""What is said of steps in which elasticity did not settle, and of energy that a scheme or an impact took."""

import numpy as np
import pytest
from marks import few
from soft_scenes import FLOOR, cube, scene

from stiction.solver.results.energy_notes import energy_notes
from stiction.solver.results.summary import run_summary
from stiction.solver.scenes import build
from stiction.solver.simulation import SimulationOptions, options_for, simulate
from stiction.solver.stepping.not_accepted import limit_notes, not_accepted, unsettled_notes
from stiction.solver.stepping.step_parts import in_turn, side_by_side
from stiction.solver.stepping.step_report import CHANGING, FOLDED, LATE, OVERDONE, StepReport


def steps_of(**fields):
    """{field: (1,)} of one step that was not accepted."""
    report = StepReport(0.01, 0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, False, 0.0, worst_body=0, **fields)
    return {name: np.array([value], dtype=float) for name, value in report._asdict().items()}


@pytest.mark.parametrize(("why", "by", "said", "remedy"), [
    (CHANGING, 30.0, "after 12 rounds of linearisation the equations of elasticity leave a change of velocity 30 times",
     "soft_stepper midpoint"),
    (OVERDONE, 0.5, "elasticity made 0.5 J that nothing gave it", "smaller time step"),
    (FOLDED, -0.2, "elements are inside out (least det F -0.2)", "stiffer material"),
    (LATE, 0.0, "contacts were found only in the last round", "smaller time step"),
])  # fmt: skip
def test_the_sentence_says_what_failed(why, by, said, remedy):
    steps = steps_of(unsettled=why, unsettled_by=by, rounds=12)
    (entry,) = not_accepted(steps, 1e-6, ["ball"])
    assert entry.sentence.startswith("step 1, to 0.01 s at 'ball': ") and said in entry.sentence
    assert remedy in entry.sentence and "residual" not in entry.sentence
    assert limit_notes(steps, 1e-6, ["ball"]) == []
    assert said in unsettled_notes(steps, 1e-6, ["ball"])[0]


def test_contacts_that_were_not_solved_are_said_as_before():
    steps = steps_of()
    assert "residual" in not_accepted(steps, 1e-6, ["ball"])[0].sentence
    assert len(limit_notes(steps, 1e-6, ["ball"])) == 1 and unsettled_notes(steps, 1e-6, ["ball"]) == []


def test_the_reason_goes_with_the_worst_part():
    bad = StepReport(0.01, 0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, False, 0.0, worst_body=2, unsettled=OVERDONE,
                     unsettled_by=3.0)  # fmt: skip
    good = StepReport(0.02, 0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, True, 0.0)
    for made in (in_turn([bad, good]), side_by_side(good, bad)):
        assert (made.unsettled, made.unsettled_by, made.worst_body) == (OVERDONE, 3.0, 2)


@pytest.mark.parametrize("name", few(["soft_drop", "soft_incline"], "soft_incline"))
def test_right_runs_have_every_step_accepted(name):
    given = build(name)
    run = simulate(given, options_for(given, time=0.3))
    assert run_summary(run)["steps_not_accepted"] == 0


def dropped(step, **other):
    """Notes on the energy of an undamped cube that falls 0.1 m."""
    body = cube(young=2e5, position=(0.0, 0.0, 0.2), **other)
    return run_summary(simulate(scene(FLOOR, body), SimulationOptions(time=0.24, time_step=step)))


def test_energy_that_a_step_takes_is_said():
    said = [note for note in dropped(0.02)["notes"] if "no material did" in note]
    assert len(said) == 1 and "use a time step of 0.01 s" in said[0]


def test_energy_that_damping_takes_is_not():
    lost = {"damping_work": np.array([-0.9]), "scheme_loss": np.array([-0.1]), "impact_loss": np.array([-0.09])}
    header = {"node_start": [0, 8, 8], "motion": ["dynamic", "static"], "options": {"time_step": 0.01}}
    assert energy_notes(steps_of() | lost, header) == []
    assert len(energy_notes(steps_of() | lost | {"impact_loss": np.array([-0.12])}, header)) == 1


def test_no_more_is_taken_than_there_was():
    """A step of 10 ms took 100 % of what it left: what there was before it counts."""
    lost = {"scheme_loss": np.array([-0.5]), "impact_loss": np.array([-0.5])}
    header = {"node_start": [0, 8, 8], "motion": ["dynamic", "static"], "options": {"time_step": 0.01}}
    assert "of 2 J that there were at most" in energy_notes(steps_of() | lost, header)[0]


def test_impacts_of_rigid_bodies_are_left_out():
    steps = steps_of() | {"impact_loss": np.array([-0.5]), "scheme_loss": np.array([-0.05])}
    header = {"node_start": [0, 8, 8], "motion": ["dynamic", "dynamic"], "options": {"time_step": 0.01}}
    assert energy_notes(steps, header) == []
    assert "impacts 0.5 J" in energy_notes(steps, header | {"motion": ["dynamic", "static"]})[0]
