"""Contact problems of a run's steps: they are the ones that were solved, and recording them changes nothing."""

import numpy as np
import pytest

from stiction.solver import methods
from stiction.solver.base.refusal import SceneError
from stiction.solver.cli import main
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.methods import METHODS
from stiction.solver.results.dump import dump, step_problems
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scene_io.problem_file import load_problem
from stiction.solver.scenes import SCENES
from stiction.solver.shapes import Box, Sphere
from stiction.solver.simulation import options_for, simulate


def floor(material="default"):
    return Body("floor", Box((4.0, 4.0, 1.0)), material, motion=Motion.STATIC, position=(0.0, 0.0, -0.5))


def answer(problem):
    impulse = np.zeros(problem.row_count)
    report = methods.solve(problem, impulse, "accurate", METHODS["accurate"].options(tolerance=1e-12))
    return impulse, report


def test_the_impulses_of_a_dumped_step_carry_the_weight(tmp_path):
    scene = Scene((floor(), Body("box", Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 0.5), mass=3.0)), name="one")
    options = options_for(scene, time=0.05)
    paths = dump(scene, tmp_path / "new", options, every=5)
    assert [path.name for path in paths] == ["one_00005.npz"]
    problem = load_problem(paths[0])
    impulse, _ = answer(problem)
    # Steps before may leave a velocity of 1e-8 of what gravity gives in one.
    assert impulse[problem.row_start[:-1]].sum() == pytest.approx(3.0 * 9.81 * 0.01, rel=1e-8)


def test_a_dumped_impact_bounces():
    """The right-hand side is the one that was solved: it holds the velocity the impact gives back."""
    table = MaterialTable((Material("steel", restitution=0.5, friction=0.0),))
    ball = Body("ball", Sphere(0.5), "steel", position=(0.0, 0.0, 0.505), velocity=(0.0, 0.0, -2.0), mass=1.0)
    scene = Scene((floor("steel"), ball), table, name="drop", gravity=(0.0, 0.0, 0.0))
    (_, problem), *_ = step_problems(scene, options_for(scene, time=0.02))
    impulse, _ = answer(problem)
    assert impulse[0] == pytest.approx(1.0 * (2.0 + 1.0), rel=1e-9)


def test_recording_changes_no_bit():
    scene = SCENES["stack10"].build()
    options = options_for(scene, time=0.1)
    reports = []
    list(step_problems(scene, options, progress=lambda done, total, report: reports.append(report)))
    run = simulate(scene, options)
    assert [report.kinetic for report in reports] == list(run.steps["kinetic"])
    assert [report.contact_count for report in reports] == list(run.steps["contact_count"])


def test_a_step_in_parts_gives_its_largest_problem():
    scene = SCENES["stack10"].build()
    problems = list(step_problems(scene, options_for(scene, time=0.03, substeps=3)))
    assert [number for number, _ in problems] == [1, 2, 3]
    assert all(problem.contact_count == 40 for _, problem in problems)


def test_a_scene_in_which_nothing_touches_is_refused(tmp_path):
    scene = Scene((floor(), Body("box", Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 9.5))), name="high")
    with pytest.raises(SceneError, match="nothing touches"):
        dump(scene, tmp_path, options_for(scene, time=0.05))
    with pytest.raises(SceneError, match="whole number"):
        list(step_problems(scene, every=0))


def test_the_command_writes_what_compare_reads(tmp_path, capsys):
    folder = tmp_path / "steps"
    assert main(["dump", "stack10", str(folder), "--time", "0.04", "--every", "2"]) == 0
    assert len(list(folder.glob("*.npz"))) == 2
    assert main(["compare", str(folder), "--methods", "prox,nncg", "--max-iterations", "50",
                 "--output", str(tmp_path / "out")]) == 0  # fmt: skip
    assert "stack10_00004" in capsys.readouterr().out
