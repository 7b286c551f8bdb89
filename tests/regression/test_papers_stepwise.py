"""The papers' iterations, iterate by iterate, against a second implementation of each listing in plain numpy."""

import numpy as np
import problem_cases as cases
import pytest
import scipy.sparse as sp
from reference import sweeping

from stiction.solver.laws.friction_laws import FrictionLaw
from stiction.solver.methods import METHODS, solve
from stiction.solver.methods.base import Clock
from stiction.solver.methods.papers.linear_solvers import LINEAR_SOLVERS
from stiction.solver.methods.papers.newton import NewtonIteration, preconditioner
from stiction.solver.methods.papers.nncg import Iteration
from stiction.solver.methods.papers.nncg_kernels import direction_weight
from stiction.solver.methods.papers.prox_literal import AdaptiveIteration
from stiction.solver.methods.papers.prox_literal_kernels import ROLL_BACKS
from stiction.solver.methods.papers.staggered import Island
from stiction.solver.methods.papers.staggered_kernels import friction_energies
from stiction.solver.methods.sweep_kernels import BOX_ROWS, BOX_ROWS_OF_BEFORE, blocks_of, gauss_seidel_sweep
from stiction.solver.problem import Block
from stiction.solver.scene_io.problem_file import load_problem


def three(seed=0, law=FrictionLaw.ELLIPSOID, torsion=False):
    """Three coupled contacts."""
    return cases.manufactured(seed, (Block.CONTACT,) * 3, law, torsion).problem


def dump(name):
    return load_problem(cases.DATA / "contact_problems" / f"{name}.npz")


def up_to_a_tie(merits):
    """How many iterations rounding does not decide: a merit that repeats to round-off is rolled back or not."""
    last = np.inf
    for i, merit in enumerate(merits):
        if np.isfinite(last) and abs(merit - last) < 1e-7 * last:
            return i
        last = min(merit, last)
    return len(merits)


# Strategy, Jacobi, seed, torsion, least number of roll-backs among the iterations compared.
ROLLED = [
    ("global", False, 26, True, 3), ("global", False, 36, False, 2),
    ("local", True, 27, True, 4), ("local", True, 6, False, 2), ("local", False, 3, True, 0),
    ("blocked", True, 3, True, 1), ("blocked", False, 5, False, 0), ("scalar", False, 3, True, 0),
    ("scalar", True, 36, False, 4), ("scalar", True, 3, True, 2),
]  # fmt: skip


@pytest.mark.parametrize(("strategy", "jacobi", "seed", "torsion", "least"), ROLLED)
def test_prox_makes_the_papers_iterates(strategy, jacobi, seed, torsion, least):
    problem = three(seed, torsion=torsion)
    # The paper's factors nu, stated here once more.
    nu = {"global": 0.5, "local": 0.9, "blocked": 0.5, "scalar": 0.9}[strategy]
    options = METHODS["jacobi" if jacobi else "prox_literal"].options(strategy=strategy, absolute=0.0, relative=0.0)
    iteration = AdaptiveIteration(problem, np.zeros(problem.row_count), options, jacobi)
    _, merits, _ = sweeping.prox(problem, 25, strategy, nu, jacobi=jacobi)
    wanted, merits, roll_backs = sweeping.prox(problem, up_to_a_tie(merits), strategy, nu, jacobi=jacobi)
    assert len(merits) > 1 and roll_backs >= least
    for expected, merit in zip(wanted, merits, strict=True):
        group = iteration.advance(1)
        assert group.merit[0] == pytest.approx(merit, rel=1e-6, abs=1e-9)
        np.testing.assert_allclose(iteration.x, expected, rtol=1e-6, atol=1e-8)
    assert iteration.state[ROLL_BACKS] == roll_backs


def test_the_defaults_of_prox_are_the_papers():
    options = METHODS["prox_literal"].options()
    assert (options.strategy, options.r_global, options.stopping, options.start, options.roll_back) == (
        "global", 5.0, "paper", "zero", "grown")  # fmt: skip
    assert (options.absolute, options.relative, options.max_iterations) == (1e-3, 1e-3, 1000)


@pytest.mark.parametrize("rule", [{"absolute": 1e-2}, {"relative": 0.5}])
def test_prox_stops_in_the_papers_iteration(rule):
    problem = three(1)
    rules = {"absolute": 0.0, "relative": 0.0} | rule
    wanted, merits, _ = sweeping.prox(problem, 500, "local", 0.9, **rules)
    options = METHODS["prox_literal"].options(strategy="local", record_history=True, check_every=1, **rules)
    impulse = np.zeros(problem.row_count)
    report = solve(problem, impulse, "prox_literal", options)
    assert report.iterations == len(wanted) < 500
    np.testing.assert_allclose(report.history, merits, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize(("bounds", "omega"), [("newest", 1.0), ("last", 1.0), ("newest", 1.4), ("last", 0.7)])
def test_pgs_makes_the_papers_iterates(bounds, omega):
    problem = three(2, FrictionLaw.BOX)
    x, w, way = np.zeros(problem.row_count), np.zeros(problem.dof_count), BOX_ROWS
    if bounds == "last":
        way = BOX_ROWS_OF_BEFORE
    for expected in sweeping.pgs(problem, 30, omega, bounds == "last"):
        gauss_seidel_sweep(blocks_of(problem), way, omega, x, w)
        np.testing.assert_allclose(x, expected, rtol=1e-9, atol=1e-11)


def test_bounds_by_the_last_iterate_are_other_iterates():
    problem = three(2, FrictionLaw.BOX)
    newest, last = (sweeping.pgs(problem, 3, last=last)[-1] for last in (False, True))
    assert np.abs(newest - last).max() > 1e-3
    assert METHODS["pgs"].options().bounds == "newest"


@pytest.mark.parametrize("name", ["three", "stack10_t0.5"])
def test_nncg_makes_the_papers_iterates(name):
    problem = three(2, FrictionLaw.BOX) if name == "three" else dump(name)
    iteration = Iteration(problem, np.zeros(problem.row_count), METHODS["nncg"].options(friction="box"))
    wanted, squares = sweeping.nncg(problem, 12)
    for expected, square in zip(wanted, squares, strict=True):
        group = iteration.advance(1)
        assert group.merit[0] == pytest.approx(square, rel=1e-6, abs=1e-14)
        np.testing.assert_allclose(iteration.run.x, expected, rtol=1e-6, atol=1e-9)


def test_nncg_restarts_in_these_iterations():
    """Without a restart among them the comparison above would not see one go missing."""
    squares = np.array(sweeping.nncg(three(2, FrictionLaw.BOX), 12)[1])
    deep = np.array(sweeping.nncg(dump("stack10_t0.5"), 12)[1])
    assert np.any(np.diff(squares) > 0) or np.any(np.diff(deep) > 0)


def test_the_weights_of_directions_by_hand():
    g, old = np.array([3.0, 0.0]), np.array([1.0, 2.0])
    # |g|^2 = 9, |g_old|^2 = 5, g (g - g_old) = 9 - 3.
    assert direction_weight(False, 9.0, 5.0, g, old) == pytest.approx(1.8)
    assert direction_weight(True, 9.0, 5.0, g, old) == pytest.approx(1.2)
    assert direction_weight(True, 9.0, 5.0, -g, old) > 0
    assert direction_weight(True, 1.0, 5.0, np.array([0.5, 1.0]), old) == 0.0


def test_the_kinetic_error_of_staggered_projections():
    """Equation (28): (f - f_old)^T M^-1 (f - f_old) over f_old^T M^-1 f_old, with f = D beta in body space."""
    problem = dump("stack10_t0.5")
    rng = np.random.default_rng(2)
    friction, old = rng.normal(size=(2, problem.row_count))
    normal = np.zeros(problem.row_count, dtype=bool)
    normal[problem.row_start[:-1]] = True
    friction[normal] = old[normal] = 0.0
    A = problem.delassus()
    change, size = friction_energies(problem.arrays, friction, old, problem.dof_count)
    assert change == pytest.approx((friction - old) @ A @ (friction - old), rel=1e-9)
    assert size == pytest.approx(old @ A @ old, rel=1e-9)
    assert change != pytest.approx(np.sum((friction - old) ** 2), rel=0.1)


def test_the_preconditioner_of_newton_is_the_effective_mass():
    problem = three(4)
    A, starts = problem.delassus(), problem.row_start
    r = preconditioner(problem, METHODS["newton"].options())
    for k in range(3):
        own = A[starts[k] : starts[k + 1], starts[k] : starts[k + 1]]
        D = np.diag(problem.mu[k, :2])
        assert r[starts[k]] == pytest.approx(own[0, 0])
        assert r[starts[k] + 1] == pytest.approx(np.linalg.eigvalsh(D @ own[1:, 1:] @ D)[-1])
    one = preconditioner(problem, METHODS["newton"].options(preconditioner="constant"))
    assert np.all(one[starts[:-1]] == 1.0)


def test_the_defaults_of_newton_are_the_papers():
    options = METHODS["newton"].options()
    assert (options.ncp, options.preconditioner, options.linear_solver) == (
        "fischer_burmeister", "effective_mass", "pcr")  # fmt: skip
    assert (options.damping, options.epsilon, options.start) == (0.75, 1e-6, "zero")
    assert (options.friction_factor, options.patience, options.least_denominator, options.line_search) == (
        1.0, 0, 0.0, False)  # fmt: skip


def test_conjugate_residuals_are_the_least_residuals_of_their_space():
    rng = np.random.default_rng(1)
    B = rng.normal(size=(12, 12))
    M, rhs = B @ B.T + np.diag(rng.uniform(0.1, 30.0, 12)), rng.normal(size=12)
    for count in (1, 2, 3, 5):
        found = LINEAR_SOLVERS["pcr"](sp.csr_matrix(M), rhs, count)
        wanted = sweeping.conjugate_residual(M, rhs, count)
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-8)


def newton_merits(problem, count, **values):
    """|phi| in the 2-norm before each of `count` steps."""
    iteration = NewtonIteration(problem, np.zeros(problem.row_count), METHODS["newton"].options(**values))
    merits = []
    for _ in range(count):
        merits.append(iteration.residual_length(iteration.y, iteration.v))
        iteration.step()
    return merits


def test_the_line_search_lowers_the_merit_without_friction():
    """Section 8.1: it works well without friction, where the damped step first grows; friction can stall it."""
    problem = dump("slide60_t0.3")
    smooth = cases.replace(problem, mu=np.zeros_like(problem.mu))
    damped = newton_merits(smooth, 15, linear_solver="direct")
    searched = newton_merits(smooth, 15, line_search=True, linear_solver="direct")
    assert damped[1] > 1.2 * damped[0]
    assert np.all(np.diff(searched) < 0) and searched[-1] < 1e-4 * searched[0]
    stalled = newton_merits(problem, 15, line_search=True, linear_solver="direct")
    assert stalled[-1] > 0.9 * stalled[-5] > 1e-3


def test_staggered_projections_cache_the_friction_of_the_least_residual():
    """Lines 8 to 12: the iterate whose sum of |alpha_k v_nk| (29) is least, not the last."""
    case = cases.manufactured(4, (Block.CONTACT,) * 3, torsion=False)
    options = METHODS["staggered"].options()
    island = Island(case.problem, case.problem, np.zeros(case.problem.row_count), options, Clock(0.0))
    for x in (case.impulse + 1.0, case.impulse, case.impulse + 2.0):
        island.x = x.copy()
        island._remember()
    np.testing.assert_array_equal(island.cached, case.impulse)
