"""The algorithms of the four papers as printed: listings, stopping rules, and the traps in them."""

import numpy as np
import problem_cases as cases
import pytest
import scipy.sparse as sp

from stiction.solver.laws.friction_laws import FrictionLaw
from stiction.solver.methods import METHODS, Status, solve
from stiction.solver.methods.papers.extrapolation import PATIENCE, PLAIN, Extrapolation
from stiction.solver.methods.papers.linear_solvers import LINEAR_SOLVERS
from stiction.solver.methods.papers.newton_kernels import friction_compliance, unilateral
from stiction.solver.methods.papers.nncg import Iteration
from stiction.solver.methods.sweep_kernels import BOX_ROWS, blocks_of, gauss_seidel_sweep
from stiction.solver.problem import Block, ProblemError, from_delassus
from stiction.solver.scene_io.problem_file import load_problem

# S8: two unilateral rows that push each other up, mass ratio 10.
RAMP = from_delassus([[1.0, -1.0], [-1.0, 1.1]], [-1.0, 0.0], [[], []], kind=[Block.LIMIT] * 2, row_start=[0, 1, 2])
PGS_LISTING = [(1, 0.909091), (1.909091, 1.735537), (2.735537, 2.486852), (3.486852, 3.169865)]
NNCG_LISTING = [(1, 0.909091), (2.735537, 2.486852), (4.672247, 4.247497), (6.382859, 5.802600)]


def dump(name):
    return load_problem(cases.DATA / "contact_problems" / f"{name}.npz")


def run(problem, key, **values):
    impulse = np.zeros(problem.row_count)
    return impulse, solve(problem, impulse, key, cases.ours(key, **values))


def test_pgs_makes_the_steps_of_the_listing():
    x, w = np.zeros(2), np.zeros(2)
    for expected in PGS_LISTING:
        gauss_seidel_sweep(blocks_of(RAMP), BOX_ROWS, 1.0, x, w)
        np.testing.assert_allclose(x, expected, atol=6e-7)


@pytest.mark.parametrize("friction", ["box", "problem"])
def test_nncg_makes_the_steps_of_the_listing(friction):
    iteration = Iteration(RAMP, np.zeros(2), METHODS["nncg"].options(friction=friction))
    for expected in NNCG_LISTING:
        iteration.advance(1)
        np.testing.assert_allclose(iteration.run.x, expected, atol=6e-7)


def test_nncg_restarts_when_the_merit_grows():
    iteration = Iteration(dump("stack10_t0.5"), np.zeros(120), METHODS["nncg"].options())
    last, restarts = np.inf, 0
    for _ in range(150):
        merit = iteration.advance(1).merit[0]
        if merit > last:
            restarts += 1
            np.testing.assert_array_equal(iteration.run.direction, 0.0)
        last = merit
    assert restarts > 0


def test_nncg_needs_fewer_sweeps_than_its_own_sweep_on_a_stack():
    _, plain = run(dump("stack10_t0.5"), "prox", tolerance=1e-4, max_iterations=5000)
    _, nncg = run(dump("stack10_t0.5"), "nncg", tolerance=1e-4, max_iterations=5000)
    assert nncg.status == plain.status == Status.CONVERGED
    assert nncg.iterations < 0.5 * plain.iterations


def test_the_line_search_makes_hardly_any_spikes():
    growths = {}
    for line_search in (False, True):
        _, report = run(dump("stack10_t0.5"), "nncg", line_search=line_search, tolerance=0.0, max_iterations=300,
                        record_history=True)  # fmt: skip
        growths[line_search] = int(np.sum(np.diff(report.history) > 0))
    assert growths[True] < 0.25 * growths[False]


def test_nncg_stops_by_the_papers_rule():
    _, report = run(dump("stack10_t0.5"), "nncg", stopping="paper", merit_tolerance=1e-4, record_history=True)
    history = np.sqrt(report.history)
    assert history[-1] <= 1e-4 < history[:-1].min()


def test_over_relaxation_reaches_the_same_answer():
    x, first = run(cases.case_problem("S3 disk, A_T=diag(1,4), mu lamN=1", FrictionLaw.BOX), "pgs")
    y, second = run(cases.case_problem("S3 disk, A_T=diag(1,4), mu lamN=1", FrictionLaw.BOX), "pgs", relaxation=1.3)
    assert first.status == second.status == Status.CONVERGED
    np.testing.assert_allclose(x, y, atol=1e-6)


def test_box_friction_is_too_strong_on_the_diagonal_and_the_judge_says_so():
    _, report = run(cases.case_problem("S2 sphere slide disk mu=.5"), "pgs")
    assert report.status == Status.STAGNATED
    assert report.residual > 0.1


@pytest.mark.parametrize("key", ["prox_literal", "jacobi"])
@pytest.mark.parametrize("strategy", ["local", "blocked"])
@pytest.mark.parametrize("name", [name for name in cases.COULOMB_CASES if name.startswith(("S3", "S4"))])
def test_local_and_blocked_r_factors_turn_the_friction(key, strategy, name):
    # The error of the printed strategies: on S3 (1, -.832050, -.554700) instead of (1, -.6, -.8).
    impulse, report = run(cases.case_problem(name), key, strategy=strategy, stopping="paper", absolute=1e-14,
                          relative=0.0, max_iterations=5000)  # fmt: skip
    np.testing.assert_allclose(impulse, cases.CASES[name]["wrong_" + strategy[:5]], atol=1e-9)
    assert report.status == Status.STAGNATED
    assert report.residual > 1e-2


@pytest.mark.parametrize("key", ["prox_literal", "jacobi"])
@pytest.mark.parametrize("strategy", ["scalar", "global"])
def test_one_r_for_the_friction_block_does_not(key, strategy):
    name = "S3 disk, A_T=diag(1,4), mu lamN=1"
    impulse, report = run(cases.case_problem(name), key, strategy=strategy, tolerance=1e-11)
    assert report.status == Status.CONVERGED
    np.testing.assert_allclose(impulse, (1, -0.6, -0.8), atol=1e-9)


def test_box_friction_is_right_with_any_diagonal_r():
    name = "S3 disk, A_T=diag(1,4), mu lamN=1"
    impulse, _ = run(cases.case_problem(name, FrictionLaw.BOX), "prox_literal", strategy="local", tolerance=1e-11)
    np.testing.assert_allclose(impulse, cases.CASES[name]["box"], atol=1e-9)


def test_global_r_depends_on_units_of_mass_and_scalar_r_does_not():
    problem = dump("stack10_t0.5")
    A = problem.delassus()
    counts = {}
    for strategy in ("scalar", "global"):
        counts[strategy] = []
        for mass in (1.0, 1000.0):
            scaled = from_delassus(A / mass, problem.b, problem.mu, row_start=problem.row_start)
            _, report = run(scaled, "prox_literal", strategy=strategy, tolerance=2e-3, max_iterations=3000)
            counts[strategy].append(report.iterations)
    assert counts["scalar"][0] == counts["scalar"][1]
    assert counts["global"][0] != counts["global"][1]


@pytest.mark.parametrize("rule", ["absolute", "relative"])
def test_prox_stops_by_the_papers_rules(rule):
    rules = {"absolute": 0.0, "relative": 0.0} | {rule: 1e-3}
    _, report = run(dump("stack10_t0.5"), "prox_literal", stopping="paper", record_history=True, **rules)
    merit = np.array(report.history)
    if rule == "absolute":
        assert merit[-1] < 1e-3 <= merit[:-1].min()
    else:
        kept = np.minimum.accumulate(merit)
        change = np.abs(np.diff(merit)) / kept[:-1]
        assert change[-1] < 1e-3
    assert report.iterations < 1000


def test_staggered_starts_from_friction_and_needs_fewer_projections_then():
    problem = dump("local_problem_test")
    impulse, cold = run(problem, "staggered", stopping="paper", tolerance=1e-7)
    warm = solve(problem, impulse, "staggered", METHODS["staggered"].options(stopping="paper", tolerance=1e-7))
    assert cold.iterations > 5 * warm.iterations


@pytest.mark.parametrize("stopping", ["judge", "paper"])
def test_staggered_never_penetrates_even_when_cut_short(stopping):
    # Graceful degradation: the last thing done is a contact projection.
    problem = dump("Capsules-i125-1213")
    _, report = run(problem, "staggered", max_iterations=3, stopping=stopping, subproblems="sweeps",
                    inner_iterations=5000)  # fmt: skip
    assert report.status == Status.MAX_ITERATIONS
    assert report.violations.penetrating_velocity < 1e-5
    assert report.violations.negative_impulse == 0.0


def test_staggered_records_the_relative_kinetic_error():
    _, report = run(dump("local_problem_test"), "staggered", stopping="paper", tolerance=1e-7, record_history=True)
    assert report.history[-1] <= 1e-4 < min(report.history[1:-1])


def test_conic_library_and_own_sweeps_agree():
    pytest.importorskip("clarabel")
    problem = cases.manufactured(3, (Block.CONTACT, Block.BILATERAL, Block.DRIVE, Block.LIMIT)).problem
    for friction in ("problem", "polygon"):
        answers = [
            run(problem, "staggered", subproblems=solver, friction=friction, stopping="paper", friction_tolerance=1e-16,
                tolerance=1e-10)[0]
            for solver in ("sweeps", "clarabel")
        ]  # fmt: skip
        np.testing.assert_allclose(answers[0], answers[1], atol=1e-7)


@pytest.mark.parametrize("stopping", ["judge", "paper"])
def test_projections_by_the_accurate_method_agree_with_sweeps(stopping):
    problem = cases.manufactured(3, (Block.CONTACT, Block.BILATERAL, Block.CONTACT)).problem
    answers = [
        run(problem, "staggered", subproblems=solver, stopping=stopping, tolerance=1e-10,
            **({"friction_tolerance": 1e-16} if stopping == "paper" else {}))[0]
        for solver in ("sweeps", "accurate")
    ]  # fmt: skip
    np.testing.assert_allclose(answers[0], answers[1], atol=1e-7)


def test_accurate_refuses_to_hold_limits_and_drives_while_friction_is_projected():
    problem = cases.manufactured(3, (Block.CONTACT, Block.LIMIT)).problem
    with pytest.raises(ProblemError, match="limits or drives.*take sweeps or clarabel"):
        run(problem, "staggered", subproblems="accurate")
    assert run(problem, "staggered", subproblems="auto")[1].residual < 1e-6


def test_extrapolated_friction_needs_a_third_of_the_pairs_and_solves_hyperstatic_piles():
    """Sweeps of 1,000 leave the projections of this stack inexact, and plain pairs creep."""
    problem = dump("BoxesStack1-i100000-32")
    pairs = {}
    for depth in (0, 5):
        _, report = run(problem, "staggered", tolerance=1e-8, extrapolation=depth, max_iterations=300)
        assert report.status == Status.CONVERGED, "which exact projections reach, in either way"
        pairs[depth] = report.iterations
    assert pairs[5] < 0.35 * pairs[0], f"{pairs}"


def test_extrapolation_solves_a_linear_sequence_in_as_many_steps_as_it_has_dimensions():
    M, c = np.diag([0.9, 0.5, -0.4]), np.array([1.0, 2.0, 3.0])
    fixed, x, sequence = np.linalg.solve(np.eye(3) - M, c), np.zeros(3), Extrapolation(3)
    for k in range(4):
        x = sequence.next(x, M @ x + c, 1.0 / (k + 1))
    np.testing.assert_allclose(x, fixed, atol=1e-8)
    plain = Extrapolation(0)
    np.testing.assert_array_equal(plain.next(x, c, 0.0), c)


def test_extrapolation_is_left_off_while_it_does_not_help():
    sequence, used = Extrapolation(5), []
    x = np.array([1.0, 2.0])
    for _ in range(PATIENCE + PLAIN + 5):
        image = 0.9 * x[::-1]
        x = sequence.next(x, image, 1.0)
        used.append(not np.array_equal(x, image))
    assert any(used[:PATIENCE])
    assert not any(used[PATIENCE : PATIENCE + PLAIN])


def test_polygons_of_many_directions_approach_the_disk():
    errors = []
    for directions in (8, 16, 64):
        impulse, _ = run(cases.case_problem("S2 sphere slide disk mu=.5"), "staggered", friction="polygon",
                         directions=directions)  # fmt: skip
        errors.append(np.abs(impulse - [1.0, -0.3, -0.4]).max())
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.01


@pytest.mark.parametrize("fischer", [True, False])
def test_derivatives_of_the_complementarity_functions(fischer):
    rng, step = np.random.default_rng(0), 1e-6
    for _ in range(50):
        v, impulse, r = rng.normal(), rng.normal(), rng.uniform(0.1, 3)

        def value(v, impulse, r=r):
            return unilateral(fischer, r, v, impulse)[2]

        a, s, _ = unilateral(fischer, r, v, impulse)
        assert a == pytest.approx((value(v + step, impulse) - value(v - step, impulse)) / (2 * step), abs=1e-6)
        assert s == pytest.approx((value(v, impulse + step) - value(v, impulse - step)) / (2 * step), abs=1e-6)


def test_equations_26_and_27_at_the_corner():
    assert unilateral(True, 2.0, 0.0, 0.0) == (0.0, 2.0, 0.0)


@pytest.mark.parametrize("fischer", [True, False])
def test_friction_compliance_follows_its_definition(fischer):
    # W = (|v| - psi) / (|y| + psi / r), equation (35) with the r of appendix A.
    rng = np.random.default_rng(2)
    for _ in range(100):
        slip, limit, r = rng.uniform(0, 2), rng.uniform(0.1, 2), rng.uniform(0.1, 3)
        size = rng.uniform(0, 1.5) * limit
        gap = r * (limit - size)
        psi = slip + gap - np.hypot(slip, gap) if fischer else min(slip, gap)
        expected = (slip - psi) / max(size + psi / r, 1e-2 * limit)
        assert friction_compliance(fischer, r, 0.0, slip, size, limit) == pytest.approx(expected, rel=1e-9, abs=1e-14)


def test_sliding_compliance_is_slip_over_impulse_whatever_r():
    for r in (0.1, 1.0, 10.0):
        for fischer in (True, False):
            assert friction_compliance(fischer, r, 0.0, 0.8, 0.5, 0.5) == pytest.approx(1.6)


def test_printed_equation_104_cannot_be_meant():
    # With |D^T u|^2 in the denominator, as printed, W at the cone limit would not be slip over impulse.
    slip, limit, r = 0.8, 0.5, 1.0
    printed = r * slip / (slip**2 + r * limit - slip)
    assert friction_compliance(True, r, 0.0, slip, limit, limit) != pytest.approx(printed, rel=0.1)


@pytest.mark.parametrize("name", list(LINEAR_SOLVERS))
def test_linear_solvers_solve_a_linear_system(name):
    rng = np.random.default_rng(4)
    B = rng.normal(size=(12, 12))
    M = sp.csr_matrix(B @ B.T + 6 * np.eye(12))
    x = rng.normal(size=12)
    np.testing.assert_allclose(LINEAR_SOLVERS[name](M, M @ x, 3000), x, atol=1e-8)


def test_conjugate_residuals_fall_in_every_iteration_on_a_singular_system():
    rng = np.random.default_rng(5)
    B = rng.normal(size=(30, 12))
    M, x = sp.csr_matrix(B @ B.T), rng.normal(size=30)
    rhs, P = M @ x, 1.0 / np.diag(B @ B.T)
    norms = [
        np.sqrt((rhs - M @ y) @ (P * (rhs - M @ y)))
        for y in (LINEAR_SOLVERS["pcr"](M, rhs, count) for count in range(1, 13))
    ]
    assert all(b <= a * (1 + 1e-9) for a, b in zip(norms[:-1], norms[1:], strict=True))


@pytest.mark.parametrize("start", ["zero", "free", "warm"])
def test_newton_arrives_from_every_start(start):
    _, report = run(dump("stack10_t0.5"), "newton", start=start, tolerance=1e-8)
    assert report.status == Status.CONVERGED
    assert report.iterations < 40


@pytest.mark.slow
def test_shorter_steps_end_a_cycle_of_the_friction_compliance():
    """The last bits of b decide how long the cycle lasts: 173 to 378 steps were seen."""
    problem = dump("Capsules-i101-404")
    _, paper = run(problem, "newton", patience=0, tolerance=1e-8, max_iterations=1000)
    _, ours = run(problem, "newton", tolerance=1e-8, max_iterations=1000)
    assert paper.status == Status.MAX_ITERATIONS
    assert ours.status == Status.CONVERGED


def test_newton_masters_a_mass_ratio_that_sweeps_do_not():
    problem = dump("stack10_top100_t0.5")
    _, newton = run(problem, "newton", tolerance=1e-8)
    _, sweeps = run(problem, "prox", tolerance=1e-8, max_iterations=1000)
    assert newton.status == Status.CONVERGED
    assert sweeps.status == Status.MAX_ITERATIONS


@pytest.mark.parametrize(("preconditioner", "expected"), [("effective_mass", True), ("identity", False)])
def test_effective_mass_is_the_preconditioner_that_copes_with_heavy_bodies(preconditioner, expected):
    problem = dump("stack10_t0.5")
    heavy = from_delassus(problem.delassus() / 1e6, problem.b, problem.mu, row_start=problem.row_start)
    _, report = run(heavy, "newton", preconditioner=preconditioner, tolerance=1e-8, max_iterations=60)
    assert (report.status == Status.CONVERGED) == expected
