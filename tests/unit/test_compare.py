"""The comparison of methods: what it measures and what it writes."""

import csv
import dataclasses
import json

import problem_cases as cases
import pytest

from stiction.solver.laws.friction_laws import FrictionLaw
from stiction.solver.methods import UnknownMethod
from stiction.solver.options import OptionError
from stiction.solver.problem import ProblemError
from stiction.solver.results.compare import (
    compare,
    growths,
    hardest_problem,
    load_problems,
    measure,
    method_and_options,
    write,
)
from stiction.solver.scenes import SCENES
from stiction.solver.simulation import options_for

STACK = cases.DATA / "contact_problems" / "stack10_t0.5.npz"


def test_a_method_is_written_with_its_options():
    key, options = method_and_options("prox_literal:strategy=global:nu=0.25", tolerance=1e-3, max_iterations=None)
    assert (key, options.strategy, options.nu, options.tolerance) == ("prox_literal", "global", 0.25, 1e-3)
    with pytest.raises(UnknownMethod):
        method_and_options("magic")
    with pytest.raises(OptionError):
        method_and_options("prox:speed=high")


def test_the_curve_ends_where_the_solve_ended():
    curve = measure(load_problems(str(STACK))[0], "nncg", tolerance=1e-5, max_iterations=2000)
    assert curve.status == "converged"
    assert len(curve.merit) == curve.iterations == curve.points[-1][0]
    assert curve.points[-1][2] == curve.residual <= 1e-5
    counts = [point[0] for point in curve.points]
    assert counts == sorted(counts)
    # The best iterate is kept, so more iterations are never worse.
    assert all(b[2] <= a[2] for a, b in zip(curve.points[:-1], curve.points[1:], strict=True))


def test_a_refusal_is_a_row_and_not_the_end():
    problem = cases.case_problem("S2 sphere slide disk mu=.5", FrictionLaw.POLYGON)
    curves = compare([problem], ["newton", "prox"])
    assert curves[0].status == "refused"
    assert "polygon" in curves[0].note
    assert curves[1].status == "converged"


def test_growths_count_what_the_schemes_of_2017_roll_back():
    assert growths([5.0, 3.0, 4.0, 3.5, 2.0, 2.0]) == 3
    assert growths([]) == 0


def test_files_are_written_and_can_be_read(tmp_path):
    problem = cases.case_problem("S3 disk, A_T=diag(1,4), mu lamN=1")
    curves = compare([problem, cases.case_problem("S2 sphere slide disk mu=.5")], ["prox", "newton"], tolerance=1e-9)
    paths = write(curves, tmp_path / "new")
    rows = list(csv.DictReader(paths[0].open(encoding="utf-8")))
    assert [row["method"] for row in rows] == ["prox", "newton"] * 2
    assert all(float(row["residual"]) <= 1e-9 for row in rows)
    data = json.loads(paths[1].read_text(encoding="utf-8"))
    assert len(data[0]["merit"]) == int(rows[0]["iterations"])
    if len(paths) == 3:
        assert paths[2].read_bytes()[:4] == b"\x89PNG"


def test_a_folder_without_problems_is_refused(tmp_path):
    with pytest.raises(ProblemError, match="no .npz"):
        load_problems(str(tmp_path))


def test_the_hardest_step_of_a_scene_is_a_problem():
    scene = SCENES["stack10"].build()
    problem = hardest_problem(scene, options_for(scene, time=0.05))
    assert problem.name.startswith("stack10_0000")
    assert problem.contact_count == 40
    assert measure(problem, "newton", tolerance=1e-8).status == "converged"


def test_the_hardest_problem_has_the_scene_s_own_contacts():
    """A scene that asks for another contact generator gets its contacts here, too."""
    scene = SCENES["stack10"].build()
    literal = dataclasses.replace(scene, settings={**scene.settings, "contact_generator": "closest_points"})
    counts = [hardest_problem(each, options_for(each, time=0.02)).block_count for each in (literal, scene)]
    assert counts[0] != counts[1]


def test_every_nth_step_of_a_scene_is_compared():
    problems = load_problems("stack10", every=2, time=0.08)
    assert [problem.name for problem in problems] == [f"stack10_{step:05d}" for step in (2, 4, 6, 8)]
    with pytest.raises(ProblemError, match="--every"):
        load_problems(str(STACK), every=2)
