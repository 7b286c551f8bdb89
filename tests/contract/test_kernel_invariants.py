"""w = W J^T lambda on exit of every kernel that carries w, also after a roll-back and after extrapolation."""

import numpy as np
import problem_cases as cases
import pytest

from stiction.solver.methods import METHODS
from stiction.solver.methods.papers.nncg import Iteration
from stiction.solver.methods.papers.prox_literal import AdaptiveIteration
from stiction.solver.methods.papers.prox_literal_kernels import ROLL_BACKS
from stiction.solver.methods.sweep_kernels import (
    BOX_ROWS,
    BOX_ROWS_OF_BEFORE,
    CONTACT_STAGE,
    FRICTION_STAGE,
    OWN_LAW,
    blocks_of,
    gauss_seidel_sweeps,
)

PROBLEMS = {
    "file": lambda: cases.load("slide60_t0.6"),
    "every kind of block": lambda: cases.mixed_problem(2).problem,
}


@pytest.fixture(params=PROBLEMS)
def problem(request):
    return PROBLEMS[request.param]()


def start(problem):
    """A warm start that is nobody's solution."""
    return np.random.default_rng(1).uniform(0.0, 0.1, problem.row_count)


def assert_invariant(problem, impulse, w):
    expected = problem.velocity_change(impulse)
    np.testing.assert_allclose(w, expected, atol=1e-12 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("way", [OWN_LAW, BOX_ROWS, BOX_ROWS_OF_BEFORE, CONTACT_STAGE, FRICTION_STAGE])
def test_sweeps_of_every_way(problem, way):
    x = start(problem)
    w = problem.velocity_change(x)
    gauss_seidel_sweeps(blocks_of(problem), way, 1.0, x, w, np.empty((20, 2)))
    assert_invariant(problem, x, w)


@pytest.mark.parametrize("friction", ["problem", "box"])
@pytest.mark.parametrize("line_search", [False, True])
def test_nncg_extrapolates_impulses_and_velocities_together(problem, friction, line_search):
    options = METHODS["nncg"].options(friction=friction, line_search=line_search)
    iteration = Iteration(problem, start(problem), options)
    for _ in range(5):
        group = iteration.advance(7)
        assert_invariant(problem, iteration.run.x, iteration.run.w)
        assert_invariant(problem, group.impulse, group.w)
        assert_invariant(problem, iteration.run.direction, iteration.run.direction_w)


@pytest.mark.parametrize("jacobi", [False, True])
@pytest.mark.parametrize("strategy", ["scalar", "global", "local", "blocked"])
def test_a_roll_back_restores_impulses_and_velocities(problem, jacobi, strategy):
    options = METHODS["prox_literal"].options(strategy=strategy, r_global=2.0)
    iteration = AdaptiveIteration(problem, start(problem), options, jacobi)
    for _ in range(10):
        before, before_w, count = iteration.x.copy(), iteration.w.copy(), iteration.state[ROLL_BACKS]
        iteration.advance(1)
        assert_invariant(problem, iteration.x, iteration.w)
        if iteration.state[ROLL_BACKS] > count:
            np.testing.assert_array_equal(iteration.x, before)
            np.testing.assert_array_equal(iteration.w, before_w)


def test_a_step_that_is_too_long_is_rolled_back():
    problem = cases.case_problem("S2 sphere slide disk mu=.5")
    roll_backs = {}
    for rule in ("grown", "not_less"):
        options = METHODS["prox_literal"].options(strategy="global", r_global=50.0, roll_back=rule)
        iteration = AdaptiveIteration(problem, np.zeros(3), options, jacobi=False)
        iteration.advance(30)
        roll_backs[rule] = iteration.state[ROLL_BACKS]
    # As printed, |r^{k+1}| > |r^k|, a merit that repeats is no divergence: the iteration cycles for ever.
    assert roll_backs["grown"] == 0 < roll_backs["not_less"]
