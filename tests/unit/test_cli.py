"""The command line: exit codes, JSON keys, sentences."""

import json
from pathlib import Path

import numpy as np
import pytest

from stiction.solver.cli import main
from stiction.solver.commands.solve import _both_errors
from stiction.solver.methods.base import Status
from stiction.solver.problem import from_delassus
from stiction.solver.scene_io.problem_file import load_problem, save_problem
from stiction.solver.scenes import SCENES

SCENE = {
    "stiction_scene": 1,
    "materials": {"stone": {"density": 2600, "friction": 0.6}},
    "bodies": [
        {"name": "floor", "motion": "static", "material": "stone", "shape": {"type": "box", "size": [9, 9, 1]},
         "position": [0, 0, -0.5]},
        {"name": "b1", "material": "stone", "shape": {"type": "box", "size": [1, 1, 1]}, "position": [0, 0, 0.5]},
    ],
    "settings": {"time_step": 0.01, "time": 0.2},
}  # fmt: skip


@pytest.fixture
def scene_file(tmp_path):
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(SCENE))
    return path


@pytest.fixture
def problem_file(tmp_path):
    A = np.diag([1.0, 1.0, 4.0])
    save_problem(tmp_path / "s3.npz", from_delassus(A, [-1.0, 1.8, 4.8], [[1.0]]))
    return tmp_path / "s3.npz"


def test_scenes_lists_every_scene(capsys):
    assert main(["scenes"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == list(SCENES)


def test_simulate_json(scene_file, capsys):
    assert main(["simulate", str(scene_file), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    wanted = {
        "scene",
        "method",
        "steps",
        "time",
        "wall_s",
        "contacts_max",
        "overlap_max",
        "residual_max",
        "energy",
        "bodies",
    }
    assert wanted <= summary.keys()
    assert summary["steps"] == 20 and summary["contacts_max"] == 4
    assert summary["bodies"]["b1"]["drift"] < 1e-6
    assert {"position", "orientation", "drift"} <= summary["bodies"]["b1"].keys()


def test_simulate_extract_and_resume(scene_file, tmp_path, capsys):
    run = tmp_path / "run"
    assert main(["simulate", str(scene_file), "--output", str(run), "--contacts"]) == 0
    assert main(["extract", str(run), str(tmp_path / "out.npz")]) == 0
    assert np.load(tmp_path / "out.npz")["position"].shape == (21, 2, 3)
    assert main(["simulate", str(scene_file), "--output", str(run), "--contacts", "--resume"]) == 0
    assert main(["simulate", str(scene_file), "--output", str(run), "--overlap", "none", "--contacts", "--resume"]) == 2
    assert "other settings" in capsys.readouterr().err


def test_solve_json_and_output(problem_file, tmp_path, capsys):
    out = tmp_path / "answer.npz"
    assert (
        main(["solve", str(problem_file), "--method", "prox", "--tolerance", "1e-9", "--json", "--output", str(out)])
        == 0
    )
    summary = json.loads(capsys.readouterr().out)
    wanted = {"problem", "method", "contacts", "status", "iterations", "residual", "siconos_error", "cpu_s", "wall_s"}
    assert wanted <= summary.keys()
    assert np.load(out)["impulse"] == pytest.approx(np.array([[1.0, -0.6, -0.8]]), abs=1e-8)


def test_solve_states_both_errors_and_that_the_residual_stopped_it(capsys):
    """A residual within 1e-4 m/s may leave a Siconos error of 1.5e-2."""
    problem = Path(__file__).resolve().parents[1] / "data" / "contact_problems" / "Box_Stacks-i0122-82-5.npz"
    assert main(["solve", str(problem), "--tolerance", "1e-4", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["residual"] <= 1e-4 < summary["siconos_error"]
    assert main(["solve", str(problem), "--tolerance", "1e-4"]) == 0
    said = capsys.readouterr().out
    assert "stopped by the residual, at 0.0001 m/s" in said and "Siconos' error is larger" in said


def test_solve_says_when_the_tolerance_is_not_met(problem_file, capsys):
    assert main(["solve", str(problem_file), "--method", "prox", "--tolerance", "1e-12", "--max-iterations", "1"]) == 1
    said = capsys.readouterr().out
    assert "above the 1e-12 m/s asked for, the iterations were used up; raise --max-iterations" in said
    assert "stopped by the residual" not in said


def test_solve_has_a_remedy_for_each_way_to_miss_a_tolerance():
    for status in Status:
        summary = {"residual": 1e-3, "siconos_error": None, "tolerance": 1e-6, "status": str(status)}
        assert "above the 1e-06 m/s asked for" in _both_errors(summary)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "gone.npz"], ["gone.npz", "no such file"]),
        (["solve", "{problem}", "--method", "magic"], ["magic", "prox"]),
        (["solve", "{problem}", "--tolerance", "-1"], ["tolerance", "-1"]),
        (["solve", "{problem}", "--method", "prox", "--option", "colour=red"], ["colour"]),
        (["solve", "{problem}", "--tolerance", "1e-4", "--option", "tolerance=1e-3"], ["tolerance is given twice"]),
        (["simulate", "{scene}", "--option", "effort=3", "--option", "effort=4"], ["effort is given twice"]),
        (["simulate", "no_such_scene"], ["no_such_scene", "stiction scenes"]),
        (["simulate", "{scene}", "--time-step", "0"], ["time_step", "0"]),
        (["simulate", "{scene}", "--method", "magic"], ["magic"]),
        (["simulate", "{scene}", "--resume"], ["--output"]),
        (["simulate", "{scene}", "--overwrite"], ["--overwrite replaces", "--output"]),
        (["simulate", "stack10", "--full"], ["stack10", "--full", "prox_chalices"]),
        (["extract", "nowhere", "out.npz"], ["nowhere", "not the folder of a run"]),
        (["bake", "nothing.blend"], ["nothing.blend", "no such file"]),
        (["demo"], ["Blender"]),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(arguments, words, scene_file, problem_file, capsys):
    arguments = [text.format(problem=problem_file, scene=scene_file) for text in arguments]
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1 and captured.out == ""
    for word in words:
        assert word in captured.err


def test_damaged_problem_is_refused(problem_file, capsys):
    problem_file.write_bytes(problem_file.read_bytes()[:300])
    assert main(["solve", str(problem_file)]) == 2
    assert "s3.npz" in capsys.readouterr().err


def test_nan_in_a_problem_is_refused(tmp_path, capsys):
    problem = from_delassus(np.eye(3), [-1.0, 0.0, 0.0], [[0.5]])
    problem.b[0] = np.nan
    save_problem(tmp_path / "nan.npz", problem)
    assert main(["solve", str(tmp_path / "nan.npz")]) == 2
    assert "nan" in capsys.readouterr().err


def test_problem_round_trip(tmp_path, problem_file):
    problem = load_problem(problem_file)
    save_problem(tmp_path / "again.npz", problem)
    again = load_problem(tmp_path / "again.npz")
    assert np.array_equal(again.G.data, problem.G.data) and np.array_equal(again.b, problem.b)


def test_every_option_of_a_run_has_a_flag(scene_file, capsys):
    """The flags follow from SimulationOptions: a value changes the run, a bad one is refused."""
    with pytest.raises(SystemExit):
        main(["simulate", "--help"])
    text = capsys.readouterr().out
    for flag in ("--stepper", "--overlap", "--bounce-threshold", "--angular-damping", "--steps-per-frame"):
        assert flag in text
    assert main(["simulate", str(scene_file), "--json", "--time", "0.1", "--steps-per-frame", "5"]) == 0
    assert json.loads(capsys.readouterr().out)["steps"] == 10
    assert main(["simulate", str(scene_file), "--overlap", "glue"]) == 2
    assert "soft, projection, none" in capsys.readouterr().err
    assert main(["simulate", str(scene_file), "--time", "soon"]) == 2
    assert "time is 'soon'" in capsys.readouterr().err
