"""What every entry of METHODS promises, whatever it does inside."""

import ast
import dataclasses
import functools
import time
from pathlib import Path

import numpy as np
import problem_cases as cases
import pytest

from stiction.solver import methods
from stiction.solver.laws.friction_laws import LAWS, FrictionLaw
from stiction.solver.methods import METHODS, Status, solve
from stiction.solver.methods.base import SolveOptions
from stiction.solver.options import OptionError
from stiction.solver.problem import Block, ProblemError, from_delassus
from stiction.solver.residuals import natural_map, siconos_error

KEYS = list(METHODS)
# Methods whose own friction model is the box: graded by the problem's set, they solve box problems only.
BOX_METHODS = {"pgs"}
# Methods whose model excludes polygons.
NO_POLYGON = {"newton"}


def options_of(key, **values):
    return cases.ours(key, **values)


def law_of(key):
    return FrictionLaw.BOX if key in BOX_METHODS else cases.COULOMB


def pile():
    return cases.load("slide60_t0.6")


@pytest.mark.parametrize("key", KEYS)
def test_a_problem_without_blocks_is_solved(key):
    report = solve(cases.empty_problem(), None, key, options_of(key, record_history=True))
    assert (report.status, report.iterations, report.residual) == (Status.CONVERGED, 0, 0.0)
    assert list(report.history) == []


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("seed", range(3))
def test_blocks_of_every_kind_are_solved(key, seed):
    case = cases.mixed_problem(seed, law_of(key))
    impulse = np.zeros(case.problem.row_count)
    report = solve(case.problem, impulse, key, options_of(key, tolerance=1e-7, max_iterations=20_000))
    assert report.status == Status.CONVERGED
    assert natural_map(case.problem, impulse) <= 1e-7


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("law", list(FrictionLaw))
def test_every_friction_law_is_solved_or_refused_in_a_sentence(key, law):
    problem = cases.manufactured(11, law=law).problem
    options = options_of(key, tolerance=1e-7, max_iterations=20_000)
    if key in NO_POLYGON and law == FrictionLaw.POLYGON:
        with pytest.raises(ProblemError, match="polygon"):
            solve(problem, None, key, options)
        return
    report = solve(problem, None, key, options)
    assert (report.status == Status.CONVERGED) == (report.residual <= 1e-7)
    if key not in BOX_METHODS or law == FrictionLaw.BOX:
        assert report.status == Status.CONVERGED


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("mu", [(0.0, 0.0, 0.0), (0.5, 0.5, 0.0), (0.4, 0.0, 0.0), (0.0, 0.0, 0.1), (0.0, 0.3, 0.2)])
def test_a_coefficient_of_zero_is_no_friction_in_that_row(key, mu):
    A = np.diag([1.0, 2.0, 3.0, 1.5]) + 0.1
    law = law_of(key)
    friction = cases.coefficients([mu], law)
    problem = from_delassus(A, [-1.0, 0.5, -0.4, 0.3], friction, row_start=[0, 4], law=law)
    impulse = np.full(4, 0.01)
    report = solve(problem, impulse, key, options_of(key, tolerance=1e-9, max_iterations=5000))
    assert report.status == Status.CONVERGED
    np.testing.assert_array_equal(impulse[1:][np.array(mu) == 0.0], 0.0)


@pytest.mark.parametrize("key", KEYS)
def test_the_answer_as_a_start_is_accepted_and_survives_one_more_iteration(key):
    problem = cases.mixed_problem(4, law_of(key)).problem
    impulse = np.zeros(problem.row_count)
    cold = solve(problem, impulse, key, options_of(key, tolerance=1e-8, max_iterations=20_000))
    again = impulse.copy()
    warm = solve(problem, again, key, options_of(key, tolerance=1e-8))
    assert warm.status == Status.CONVERGED
    assert warm.iterations <= min(cold.iterations, 1)
    once_more = impulse.copy()
    more = solve(problem, once_more, key, options_of(key, tolerance=0.0, max_iterations=1))
    assert more.residual <= cold.residual
    np.testing.assert_allclose(once_more, impulse, atol=1e-6)


@pytest.mark.parametrize("key", KEYS)
def test_a_warm_start_is_not_worse_than_a_cold_one(key):
    problem = cases.mixed_problem(5, law_of(key)).problem
    impulse = np.zeros(problem.row_count)
    cold = solve(problem, impulse, key, options_of(key, tolerance=1e-9, max_iterations=20_000))
    near = solve(problem, impulse, key, options_of(key, tolerance=1e-9, max_iterations=20_000))
    assert near.iterations <= cold.iterations


@pytest.mark.parametrize("key", KEYS)
def test_same_input_gives_the_same_bits(key):
    problem = pile()
    answers = []
    for _ in range(2):
        impulse = np.full(problem.row_count, 0.01)
        solve(problem, impulse, key, options_of(key, max_iterations=7))
        answers.append(impulse)
    np.testing.assert_array_equal(answers[0], answers[1])


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("tolerance", [1e-2, 1e-5, 0.0])
def test_converged_means_the_judge_agrees(key, tolerance):
    problem, limit = pile(), 40
    impulse = np.zeros(problem.row_count)
    report = solve(problem, impulse, key, options_of(key, tolerance=tolerance, max_iterations=limit))
    assert report.residual == natural_map(problem, impulse)
    assert (report.status == Status.CONVERGED) == (report.residual <= tolerance)
    assert report.residual <= natural_map(problem, np.zeros(problem.row_count))
    assert report.iterations <= limit


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("limit", [0, 1, 13])
def test_the_iteration_limit_is_obeyed(key, limit):
    report = solve(pile(), None, key, options_of(key, max_iterations=limit, tolerance=0.0))
    assert report.iterations <= limit
    assert report.status in (Status.MAX_ITERATIONS, Status.STAGNATED)


@pytest.mark.parametrize("key", KEYS)
def test_the_time_limit_is_obeyed(key):
    problem = pile()
    solve(problem, None, key, options_of(key, max_iterations=1))
    start = time.perf_counter()
    report = solve(problem, None, key, options_of(key, max_iterations=1_000_000, tolerance=0.0, time_limit=0.05))
    # Or there is nothing left to improve but the round-off of the judge.
    assert report.status in (Status.TIME_LIMIT, Status.STAGNATED) or report.residual < 1e-14
    # One group of iterations may run on after the limit.
    assert time.process_time() - start < 3.0


@pytest.mark.parametrize("key", KEYS)
def test_the_history_has_one_number_an_iteration(key):
    problem = pile()
    report = solve(problem, None, key, options_of(key, max_iterations=12, tolerance=0.0, record_history=True))
    assert len(report.history) == report.iterations
    assert np.all(np.asarray(report.history) >= 0)
    assert solve(problem, None, key, options_of(key, max_iterations=3)).history is None


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_none_are_refused(key, bad):
    problem = cases.case_problem(cases.COULOMB_CASES[0])
    b = problem.b.copy()
    b[1] = bad
    with pytest.raises(ProblemError, match="finite"):
        solve(problem.with_b(b), None, key)
    start = np.zeros(problem.row_count)
    start[0] = bad
    with pytest.raises(ProblemError, match="finite"):
        solve(problem, start, key)
    with pytest.raises(ProblemError):
        solve(problem, np.zeros(problem.row_count + 1), key)


@pytest.mark.parametrize("key", KEYS)
def test_options_out_of_range_or_unknown_are_refused(key):
    for name, value in (("tolerance", -1.0), ("tolerance", np.nan), ("max_iterations", -1), ("max_iterations", 1e3)):
        with pytest.raises(OptionError, match=name):
            solve(cases.empty_problem(), None, key, options_of(key, **{name: value}))
    with pytest.raises(OptionError, match="no_such_option"):
        METHODS[key].options.from_strings({"no_such_option": "1"})
    with pytest.raises(TypeError):
        solve(cases.empty_problem(), None, key, object())


@functools.cache
def attributes_read(folder):
    """Names of all attributes that modules of the methods read."""
    names = set()
    for path in folder.rglob("*.py"):
        if path.name != "method_options.py":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return names


@pytest.mark.parametrize("key", KEYS)
def test_every_option_is_documented_and_read_somewhere(key):
    used = attributes_read(Path(methods.__file__).parent)
    for field in dataclasses.fields(METHODS[key].options):
        assert field.metadata.get("doc"), field.name
        assert field.name in used, field.name


def choices():
    """Every value of every option with a fixed list of values."""
    for key in KEYS:
        for field in dataclasses.fields(METHODS[key].options):
            for value in field.metadata.get("choices") or ():
                yield key, field.name, value


@pytest.mark.parametrize(("key", "name", "value"), list(choices()))
def test_every_choice_runs_and_says_honestly_how_it_ended(key, name, value):
    problem = cases.case_problem("S2 sphere slide disk mu=.5")
    if value == "clarabel":
        pytest.importorskip("clarabel")
        if LAWS[cases.COULOMB].cones is None:
            with pytest.raises(ProblemError, match="conic solvers cannot take"):
                solve(problem, None, key, options_of(key, **{name: value}))
            return
    report = solve(problem, None, key, options_of(key, max_iterations=300, **{name: value}))
    assert (report.status == Status.CONVERGED) == (report.residual <= report_tolerance())
    assert report.iterations <= 300


def report_tolerance():
    return SolveOptions().tolerance


@pytest.mark.parametrize("key", KEYS)
def test_the_answer_does_not_depend_on_units_of_mass(key):
    problem = cases.mixed_problem(6, law_of(key)).problem
    A = problem.delassus()
    heavy = from_delassus(A / 1000, problem.b, problem.mu, kind=problem.kind, row_start=problem.row_start,
                          law=problem.law, bounds=problem.bounds * 1000)  # fmt: skip
    light = from_delassus(A, problem.b, problem.mu, kind=problem.kind, row_start=problem.row_start,
                          law=problem.law, bounds=problem.bounds)  # fmt: skip
    options = options_of(key, tolerance=1e-9, max_iterations=20_000)
    x, y = np.zeros(problem.row_count), np.zeros(problem.row_count)
    first, second = solve(light, x, key, options), solve(heavy, y, key, options)
    assert first.status == second.status == Status.CONVERGED
    np.testing.assert_allclose(y / 1000, x, atol=1e-6)


@pytest.mark.parametrize(("key", "values", "other"), [
    ("nncg", {"merit_tolerance": 1e-3}, "stopping = paper"), ("nncg", {"armijo": 0.1}, "line_search = True"),
    ("staggered", {"directions": 16}, "friction = polygon"),
    ("newton", {"time_step": 0.1}, "preconditioner = identity"),
])  # fmt: skip
def test_options_without_effect_are_refused(key, values, other):
    with pytest.raises(OptionError, match=f"{next(iter(values))} .* counts only with {other}"):
        METHODS[key].options(**values).check()
    name, _, value = other.partition(" = ")
    METHODS[key].options.from_strings({name: value, **{k: str(v) for k, v in values.items()}}).check()


def test_options_of_other_strategies_than_the_papers_default_are_refused():
    with pytest.raises(OptionError, match="r_global .* counts only with strategy = global"):
        METHODS["prox_literal"].options(strategy="local", r_global=2.0).check()


def test_siconos_error_is_none_where_it_is_not_defined():
    for problem in (cases.manufactured(1, (Block.CONTACT, Block.LIMIT)).problem,
                    cases.manufactured(1, (Block.CONTACT, Block.CONTACT)).problem):  # fmt: skip
        assert siconos_error(problem, np.zeros(problem.row_count)) is None
