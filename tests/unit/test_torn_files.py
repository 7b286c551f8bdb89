"""Whatever byte of whatever file of a run is lost or changed: the same bits again, or a refusal that names the file."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from stiction.solver.base.refusal import TrajectoryError
from stiction.solver.cli import main
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.problem import from_delassus
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scene_io.problem_file import load_problem, save_problem
from stiction.solver.scene_io.scene_file import save_scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import simulate
from stiction.solver.trajectory import Trajectory

SCENE = Scene(
    (Body("floor", Box((4.0, 4.0, 0.2)), "m", Motion.STATIC, position=(0.0, 0.0, -0.1)),
     Body("block", Box((0.3, 0.2, 0.1)), "m", position=(0.0, 0.0, 0.12), velocity=(1.0, 0.3, 0.0),
          angular_velocity=(2.0, 1.0, 0.5))),
    MaterialTable((Material("m"),)),
)  # fmt: skip
OPTIONS = SimulationOptions(time=0.12, store_contacts=True, threads=1)
ROOT = Path(__file__).resolve().parents[2]


def same(a, b):
    return (a.complete and b.complete and np.array_equal(a.center_of_mass, b.center_of_mass)
            and np.array_equal(a.orientations, b.orientations) and np.array_equal(a.velocities, b.velocities)
            and np.array_equal(a.contacts, b.contacts) and a.steps.keys() == b.steps.keys()
            and all(np.array_equal(a.steps[key], b.steps[key]) for key in a.steps if key != "solve_s"))  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """(the run in one go, the folder of the same run stopped after seven frames)."""
    folder = tmp_path_factory.mktemp("runs")
    whole, frames = simulate(SCENE, OPTIONS, folder / "whole"), iter(range(100))
    simulate(SCENE, OPTIONS, folder / "part", cancelled=lambda: next(frames) == 6)
    return whole, folder


def damage(path, rng):
    """Cut the file at a random byte, or change one."""
    data = bytearray(path.read_bytes())
    at = int(rng.integers(0, len(data)))
    if rng.random() < 0.5:
        del data[at:]
    else:
        data[at] ^= 1 << int(rng.integers(0, 8))
    path.write_bytes(data)


def test_any_damage_gives_the_same_bits_or_names_the_file(runs, tmp_path):
    whole, folder = runs
    rng, outcomes = np.random.default_rng(7), {"resumed": 0, "refused": 0}
    for draw in range(200):
        run = tmp_path / str(draw)
        shutil.copytree(folder / "part", run)
        files = [path for path in sorted(run.iterdir()) if path.stat().st_size]
        path = files[int(rng.integers(0, len(files)))]
        damage(path, rng)
        try:
            again = simulate(SCENE, OPTIONS, run, resume=True)
        except TrajectoryError as refusal:
            outcomes["refused"] += 1
            assert path.name in str(refusal), f"draw {draw}: {path.name} was damaged, but: {refusal}"
        else:
            outcomes["resumed"] += 1
            assert same(whole, again), f"draw {draw}: {path.name} was damaged, and other frames came of it"
    assert min(outcomes.values()) > 20, outcomes


def test_a_damaged_finished_run_is_not_read(runs, tmp_path):
    _, folder = runs
    rng = np.random.default_rng(3)
    for name in ("frames.bin", "steps.bin", "contacts.bin", "header.json", "journal.bin"):
        for draw in range(6):
            run = tmp_path / f"{name}{draw}"
            shutil.copytree(folder / "whole", run)
            damage(run / name, rng)
            with pytest.raises(TrajectoryError, match=name):
                Trajectory.load(run)


@pytest.mark.parametrize("name", ["frames.bin", "steps.bin", "journal.bin", "header.json"])
def test_a_missing_file_is_named(runs, tmp_path, name):
    shutil.copytree(runs[1] / "part", tmp_path / "run")
    (tmp_path / "run" / name).unlink()
    with pytest.raises(TrajectoryError, match=name):
        simulate(SCENE, OPTIONS, tmp_path / "run", resume=True)


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_finished_run_is_not_written_over_unless_asked_to(runs, tmp_path, capsys):
    save_scene(tmp_path / "scene.json", SCENE)
    shutil.copytree(runs[1] / "whole", tmp_path / "run")
    before = files_of(tmp_path / "run")
    command = ["simulate", str(tmp_path / "scene.json"), "--time", "0.02", "--output", str(tmp_path / "run")]
    assert main(command) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "not empty" in said and "--overwrite" in said
    assert files_of(tmp_path / "run") == before
    assert main([*command, "--overwrite"]) == 0
    assert len(Trajectory.load(tmp_path / "run").times) == 3


def test_a_folder_with_other_files_is_not_made_a_run(tmp_path, capsys):
    save_scene(tmp_path / "scene.json", SCENE)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    assert main(["simulate", str(tmp_path / "scene.json"), "--output", str(tmp_path / "mine")]) == 2
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]
    assert "--overwrite" in capsys.readouterr().err


@pytest.fixture
def problem(tmp_path):
    path = tmp_path / "p.npz"
    save_problem(path, from_delassus(np.diag([1.0, 1.0, 4.0]), [-1.0, 1.8, 4.8], [[1.0]]))
    return path


def test_solve_does_not_write_over_its_problem(problem, capsys):
    before = problem.read_bytes()
    assert main(["solve", str(problem), "--output", str(problem)]) == 2
    assert problem.read_bytes() == before and "the problem itself" in capsys.readouterr().err
    assert main(["solve", str(problem), "--output", str(problem), "--overwrite"]) == 2
    assert problem.read_bytes() == before and "the problem itself" in capsys.readouterr().err


@pytest.mark.parametrize(("output", "words"), [(".", "folder"), ("gone/a.npz", "does not exist")])
def test_solve_says_before_it_works_that_it_cannot_write(problem, output, words, capsys):
    assert main(["solve", str(problem), "--output", str(problem.parent / output)]) == 2
    assert words in capsys.readouterr().err
    load_problem(problem)


def test_other_outputs_are_not_written_over(runs, problem, tmp_path, capsys):
    save_scene(tmp_path / "scene.json", SCENE)
    (tmp_path / "out.csv").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "compare.csv").write_text("mine")
    for command in (["extract", str(runs[1] / "whole"), str(tmp_path / "out.csv")],
                    ["compare", str(problem), "--methods", "prox", "--output", str(tmp_path / "full")],
                    ["dump", str(tmp_path / "scene.json"), str(tmp_path / "full")]):  # fmt: skip
        assert main(command) == 2
        assert "--overwrite" in capsys.readouterr().err
    assert (tmp_path / "out.csv").read_text() == "mine"
    assert main(["extract", str(runs[1] / "whole"), str(tmp_path / "out.csv"), "--overwrite"]) == 0


LIMITED = """
import resource, sys
sys.path.insert(0, "tests"); import conftest
from stiction.solver.cli import main
arguments = sys.argv[2:]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.exit(main(arguments))
"""


def limited(bytes_, *arguments):
    """Run a command in a process whose files may not grow beyond a size: what a full disk does."""
    code = [sys.executable, "-c", LIMITED, str(bytes_), *map(str, arguments)]
    return subprocess.run(code, cwd=ROOT, capture_output=True, text=True)


def test_a_run_on_a_full_disk_says_so_and_goes_on_later(runs, tmp_path):
    save_scene(tmp_path / "scene.json", SCENE)
    command = ["simulate", tmp_path / "scene.json", "--time", "0.12", "--contacts", "--threads", "1", "--output",
               tmp_path / "run"]  # fmt: skip
    done = limited(3500, *command)
    assert done.returncode == 2, done.stderr
    assert "cannot be written" in done.stderr and "--resume" in done.stderr and "Traceback" not in done.stderr
    assert main([*map(str, command), "--resume"]) == 0
    assert same(runs[0], Trajectory.load(tmp_path / "run"))


def test_an_answer_on_a_full_disk_leaves_the_old_one(problem, tmp_path):
    target = tmp_path / "answer.npz"
    assert main(["solve", str(problem), "--output", str(target)]) == 0
    before = target.read_bytes()
    done = limited(100, "solve", problem, "--output", target, "--overwrite")
    assert done.returncode == 2 and "cannot be written" in done.stderr
    assert target.read_bytes() == before
    assert not list(tmp_path.glob("*.part")) and not list(tmp_path.glob(".*.part"))


@pytest.mark.slow
def test_problems_and_comparisons_on_a_full_disk_leave_no_half_file(problem, tmp_path):
    folder = tmp_path / "steps"
    done = limited(3000, "dump", "stack10", folder, "--time", "0.02")
    assert done.returncode == 2 and "cannot be written" in done.stderr and "Traceback" not in done.stderr
    assert not list(folder.iterdir())
    assert main(["compare", str(problem), "--methods", "prox", "--output", str(tmp_path / "out")]) == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    done = limited(100, "compare", problem, "--methods", "prox,nncg", "--output", tmp_path / "out", "--overwrite")
    assert done.returncode == 2 and "cannot be written" in done.stderr and "Traceback" not in done.stderr
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}


def test_the_header_names_every_stream(runs):
    header = json.loads((runs[1] / "whole" / "header.json").read_text())
    assert header["streams"] == list(header["reached"])
