"""Every option of every method has an effect: two values of it give different answers, iterations or histories."""

import dataclasses

import numpy as np
import problem_cases as cases
import pytest

from stiction.solver.methods import METHODS, solve
from stiction.solver.scene_io.problem_file import load_problem

# Options that may not change an answer, and the test that shows what they do instead.
ELSEWHERE = {
    "threads": "the same bits for any number: tests/unit/test_threads.py",
    "record_history": "test_the_history_has_one_number_an_iteration",
    "time_limit": "test_the_time_limit_is_obeyed",
}
SLIDING = {"problem": "slide60_t0.3", "tolerance": 1e-12, "newton": False, "max_iterations": 200}
# Two values of each option that is no number from a list of choices, and what else must be chosen for it to count.
VALUES = {
    "max_iterations": ((3, 6), {"tolerance": 0.0}),
    "tolerance": ((1e-1, 1e-6), {}),
    "check_every": ((1, 25), {"tolerance": 3e-3, "max_iterations": 2000}),
    "relaxation": ((1.0, 1.4), {}),
    "armijo": ((0.01, 0.4), {"line_search": True, "problem": "stack10_t0.5", "max_iterations": 60}),
    "merit_tolerance": ((1e-1, 1e-4), {"stopping": "paper"}),
    "r_global": ((0.2, 1.0), {"strategy": "global"}),
    "nu": ((0.2, 0.9), {"problem": "jacobi"}),
    "absolute": ((1.0, 1e-3), {"stopping": "paper", "relative": 0.0}),
    "relative": ((0.9, 1e-4), {"stopping": "paper", "absolute": 0.0}),
    "friction_factor": ((0.5, 1.0), {}),
    "time_step": ((0.01, 0.1), {"preconditioner": "identity"}),
    "linear_iterations": ((1, 80), {"linear_solver": "pcr"}),
    "damping": ((0.5, 1.0), {}),
    "patience": ((0, 1), {"problem": "slide60_t0.3", "max_iterations": 40}),
    "epsilon": ((1e-6, 1e-2), {"linear_solver": "direct"}),
    "least_denominator": ((0.0, 0.5), {"problem": "slide60_t0.3", "max_iterations": 40}),
    "acceptable": ((0.0, 1.0), SLIDING | {"patience": 10}),
    "effort": ((500, 40_000), SLIDING),
    "even_loads": ((0, 200), {"max_iterations": 3000}),
    "directions": ((4, 16), {"friction": "polygon", "problem": "slide60_t0.3"}),
    "extrapolation": ((0, 5), {"problem": "slide60_t0.3"}),
    "inner_iterations": ((1, 1000), {"subproblems": "sweeps"}),
    "friction_tolerance": ((1e-1, 1e-8), {"stopping": "paper"}),
}
# Choices that show only on another problem or beside other options.
BESIDE = {
    ("newton", "preconditioner"): {"max_iterations": 5},
    ("newton", "linear_solver"): {"max_iterations": 5, "linear_iterations": 3},
    ("newton", "start"): {"max_iterations": 5},
    ("newton", "line_search"): {"problem": "slide60_t0.3", "max_iterations": 5},
    ("newton", "ncp"): {"max_iterations": 5},
    ("prox_literal", "roll_back"): {"problem": "sphere", "strategy": "global", "r_global": 50.0, "start": "zero"},
    ("jacobi", "roll_back"): {"problem": "sphere", "strategy": "global", "r_global": 50.0, "start": "zero"},
    ("nncg", "stopping"): {"tolerance": 1e-2, "max_iterations": 500},
    ("prox_literal", "stopping"): {"tolerance": 1e-6, "max_iterations": 500},
    ("jacobi", "stopping"): {"tolerance": 1e-6, "max_iterations": 500},
    ("staggered", "friction"): {"problem": "slide60_t0.3", "max_iterations": 3},
    ("prox_literal", "back_tracking"): {"problem": "rolls", "strategy": "global"},
    ("jacobi", "back_tracking"): {"problem": "jacobi"},
    ("prox_literal", "nu"): {"problem": "rolls", "strategy": "global"},
    ("accelerated", "newton"): {"problem": "stack10_top100_t0.5", "max_iterations": 3000, "tolerance": 1e-10},
    ("accurate", "newton"): {"problem": "stack10_top100_t0.5", "max_iterations": 3000, "tolerance": 1e-10},
    ("accelerated", "patience"): {**SLIDING, "values": (10, 100_000), "acceptable": 1.0},
    ("accurate", "patience"): {**SLIDING, "values": (10, 100_000), "acceptable": 1.0},
    ("pgs", "bounds"): {"problem": "box"},
}


def problem_called(name):
    """A problem by name; starts are never zero, so that a warm start shows."""
    if name == "jacobi":
        return cases.manufactured(27, (0,) * 3, torsion=True).problem
    if name == "rolls":
        return cases.manufactured(26, (0,) * 3, torsion=True).problem
    if name == "sphere":
        return cases.case_problem("S2 sphere slide disk mu=.5")
    if name == "box":
        return cases.manufactured(2, (0,) * 3, cases.FrictionLaw.BOX, torsion=False).problem
    return load_problem(cases.DATA / "contact_problems" / f"{name}.npz")


def outcome(key, problem, values):
    """What a solve leaves to be seen: impulses, iterations, history."""
    impulse = np.full(problem.row_count, 0.01)
    report = solve(problem, impulse, key, cases.ours(key, record_history=True, **values))
    return impulse, report.iterations, tuple(report.history)


def fields():
    for key in METHODS:
        for field in dataclasses.fields(METHODS[key].options):
            if field.name not in ELSEWHERE:
                yield key, field


@pytest.mark.parametrize(("key", "field"), list(fields()), ids=lambda value: getattr(value, "name", value))
def test_an_option_has_an_effect(key, field):
    name = field.name
    choices = field.metadata.get("choices")
    if choices:
        values, beside = choices, {}
    elif type(field.default) is bool:
        values, beside = (False, True), {}
    else:
        values, beside = VALUES[name]
    beside = beside | BESIDE.get((key, name), {})
    values = beside.pop("values", values)
    problem = problem_called(beside.pop("problem", "stack10_t0.5"))
    beside = {"max_iterations": 30, "tolerance": 1e-9} | beside
    beside.pop(name, None)
    if name == "subproblems":
        pytest.importorskip("clarabel")
        values = ("sweeps", "accurate", "clarabel")
    if name == "linear_solver":
        values = ("pcr", "pcg", "jacobi", "gauss_seidel", "direct")
    found = [outcome(key, problem, beside | {name: value}) for value in values]
    for i, first in enumerate(found):
        for second, value in zip(found[i + 1 :], values[i + 1 :], strict=True):
            same = np.array_equal(first[0], second[0]) and first[1:] == second[1:]
            assert not same, f"{key}: {name} = {values[i]} and {value} do the same"
