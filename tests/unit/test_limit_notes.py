"""Where a limit of work ends solves, the summary says in which part of the steps and by how much."""

import csv
from dataclasses import replace

import numpy as np
from soft_scenes import FLOOR, cube
from soft_scenes import scene as soft_scene

from stiction.solver.results.summary import largest_gain, run_summary
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scenes import SCENES
from stiction.solver.shapes import Box
from stiction.solver.simulation import options_for, simulate
from stiction.solver.stepping.not_accepted import limit_notes, not_accepted
from stiction.solver.stepping.step_parts import in_turn, side_by_side
from stiction.solver.stepping.step_report import StepReport


def test_the_part_of_the_steps_and_how_far_they_were():
    steps = {"converged": np.array([1, 0, 0, 1]), "residual": np.array([1e-9, 2e-3, 5e-3, 1.0])}
    steps |= {"time": np.array([0.1, 0.2, 0.3, 0.4]), "worst_body": np.array([-1, 0, 1, -1])}
    (note,) = limit_notes(steps, 1e-6, ["stone", "brick"])
    assert note.startswith("2 of 4 steps (50.0 %)")
    assert "at most 0.005 m/s, 5e+03 times the aim, in the step to 0.3 s at 'brick'" in note
    assert limit_notes({"converged": np.ones(3), "residual": np.ones(3)}, 1e-6, []) == []


def test_a_run_that_was_given_too_little_work_says_so_of_every_step(tmp_path):
    scene = SCENES["wall85"].build()
    run = simulate(scene, options_for(scene, time=0.05, max_iterations=3, acceptable=1e-12), tmp_path)
    summary = run_summary(run)
    (note,) = (note for note in summary["notes"] if "ended at a limit of work" in note)
    assert any(f" at {body.name!r}" in note for body in scene.bodies)
    with open(tmp_path / "not_accepted.csv", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == len(summary["warnings"]) == summary["steps_not_accepted"] > 1
    touching = {frozenset((run.names[a], run.names[b]))
                for a, b in zip(run.state.contacts.body_a, run.state.contacts.body_b, strict=True)}  # fmt: skip
    for row, sentence in zip(rows, summary["warnings"], strict=True):
        assert frozenset((row["body"], row["other"])) in touching
        assert sentence.startswith(f"step {row['step']}, to ") and f"{row['body']!r} and {row['other']!r}" in sentence
        k = int(row["step"]) - 1
        assert float(row["residual"]) == run.steps["residual"][k] and float(row["time"]) == run.steps["time"][k]


def test_a_run_whose_steps_were_all_accepted_leaves_no_table(tmp_path):
    scene = SCENES["stack10"].build()
    (tmp_path / "not_accepted.csv").write_text("of a run before")
    run = simulate(scene, options_for(scene, time=0.02), tmp_path, overwrite=True)
    assert run_summary(run)["warnings"] == [] and not (tmp_path / "not_accepted.csv").exists()


def test_a_deformable_body_is_named_where_its_solve_was_ended():
    scene = soft_scene(FLOOR, cube("soft"), cube("other", position=(2.0, 0.0, 0.1)))
    run = simulate(scene, options_for(scene, time=0.01, max_iterations=1, acceptable=1e-12))
    rows = not_accepted(run.steps, run.header["tolerance"], run.names)
    assert rows and all({row.body, row.other} in ({"soft", "floor"}, {"other", "floor"}) for row in rows)


def test_a_pair_left_too_deep_is_named():
    steps = {name: np.array([0.0, 2.0]) for name in StepReport._fields}
    steps |= {"converged": np.ones(2), "worst_body": np.array([-1, 1]), "worst_other": np.array([-1, 0])}
    (row,) = not_accepted(steps, 0.0, ["floor", "stone"])
    assert (row.step, row.body, row.other) == (2, "stone", "floor") and "2 pairs left deep" in row.sentence


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
        "stabilisation_work": [-5.0, 2.0, 1.0], "impact_loss": [0.0, -3.0, -0.5], "brought_energy": [0.0, 0.0, 7.0],
        "kinetic": [9.0, 5.0, 0.0], "elastic": [0.0, 1.0, 0.0], "potential": [-1.0, -6.0, -10.0],
    }.items()}  # fmt: skip
    lift = {"largest_lift": 2.0, "largest_lift_part": 0.2}
    assert largest_gain(steps) == lift | {"largest_gain": 0.5, "largest_gain_part": 1.0}
    steps["friction_work"] = np.array([0.0, 2.0, -0.5])
    assert largest_gain(steps) == lift | {"largest_gain": 1.0, "largest_gain_part": 0.1}
    steps["stabilisation_work"] = -5.0 * np.ones(3)
    assert set(largest_gain(steps).values()) == {0.0}


def test_energy_that_removing_overlap_gives_is_a_warning_with_its_bodies():
    """A box that begins 2 cm deep in another is lifted: 1 cm of its weight in the first step."""
    places = ("table", Motion.STATIC, 0.0), ("sunk", Motion.DYNAMIC, 0.98), ("apart", Motion.DYNAMIC, 5.0)
    boxes = [Body(name, Box((1.0, 1.0, 1.0)), motion=motion, position=(0.0, 0.0, z)) for name, motion, z in places]
    run = simulate(Scene(tuple(boxes), gravity=(0.0, 0.0, -9.81)), SimulationOptions(time=0.03))
    warnings = run_summary(run)["warnings"]
    assert warnings and "at 'sunk' and 'table': removing overlap gave" in warnings[0]
    flat = Scene((boxes[0], replace(boxes[1], position=(0.0, 0.0, 1.0)), boxes[2]))
    assert run_summary(simulate(flat, SimulationOptions(time=0.03)))["warnings"] == []
