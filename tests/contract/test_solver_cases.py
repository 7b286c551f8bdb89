"""Hand-derived contact problems with exact answers, for every method that models their law."""

import json

import numpy as np
import problem_cases as cases
import pytest

from stiction.solver.laws.friction_laws import FrictionLaw
from stiction.solver.methods import METHODS, Status, solve
from stiction.solver.problem import Block, from_delassus
from stiction.solver.residuals import natural_map

KEYS = list(METHODS)
COULOMB_METHODS = [key for key in KEYS if key != "pgs"]
TOLERANCE = 1e-10


def law_of(key):
    """The law of which a method solves problems: pgs has that of its paper only."""
    return FrictionLaw.BOX if key == "pgs" else cases.COULOMB


def run(problem, key, **values):
    impulse = np.zeros(problem.row_count)
    options = {"tolerance": TOLERANCE, "max_iterations": 20_000} | values
    report = solve(problem, impulse, key, cases.ours(key, **options))
    return impulse, report


@pytest.mark.parametrize("key", KEYS)
def test_a_sphere_bounces(key):
    # S1: m = 2, v = -3, e = 0.5: b = (1 + e) v, A = 1/m.
    problem = from_delassus([[0.5]], [-4.5], [[]], row_start=[0, 1])
    impulse, report = run(problem, key)
    assert report.status == Status.CONVERGED
    assert impulse[0] == pytest.approx(9.0, abs=1e-9)


@pytest.mark.parametrize("key", COULOMB_METHODS)
@pytest.mark.parametrize("name", cases.COULOMB_CASES)
def test_coulomb_cases(key, name):
    case = cases.CASES[name]
    impulse, report = run(cases.case_problem(name), key)
    assert report.status == Status.CONVERGED
    if name.startswith("S7"):
        # Two corners of a box: the normal impulses are unique, the split of friction is not, its sum is.
        np.testing.assert_allclose(impulse[[0, 2]], np.array(case["lam"])[[0, 2]], atol=1e-8)
        assert impulse[1] + impulse[3] == pytest.approx(case["lam"][1] + case["lam"][3], abs=1e-8)
    else:
        np.testing.assert_allclose(impulse, case["lam"], atol=1e-8)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("name", cases.COULOMB_CASES)
def test_box_cases(key, name):
    impulse, report = run(cases.case_problem(name, FrictionLaw.BOX), key)
    assert report.status == Status.CONVERGED
    if not name.startswith("S7"):
        np.testing.assert_allclose(impulse, cases.CASES[name]["box"], atol=1e-8)


@pytest.mark.parametrize("key", COULOMB_METHODS)
@pytest.mark.parametrize(("sides", "expected"), [(8, (-0.353553, -0.353553)), (16, (-0.337095, -0.364551))])
def test_polygons_choose_a_corner(key, sides, expected):
    if key == "newton":
        pytest.skip("smooth friction only")
    problem = cases.case_problem("S2 sphere slide disk mu=.5", FrictionLaw.POLYGON, sides)
    impulse, report = run(problem, key)
    assert report.status == Status.CONVERGED
    np.testing.assert_allclose(impulse[1:], expected, atol=1e-6)


@pytest.mark.parametrize("key", KEYS)
def test_twice_the_speed_is_twice_the_impulse(key):
    law = law_of(key)
    one, _ = run(cases.case_problem("S4 ellipsoid aniso + torsion (sphere R=1,m=1)", law), key)
    two, _ = run(cases.case_problem("S4b as S4, lamN=2", law), key)
    np.testing.assert_allclose(two, 2 * one, atol=1e-8)


# Where friction pushes the contact open, each step of these maps overshoots; they cycle, and say so.
CYCLES = {"Painleve mu=1.5 b=(-0.1,-5)": {"staggered", "jacobi"}, "Painleve mu=2 b=(-0.1,-5)": {"staggered", "jacobi"}}
# The back-tracking of 2017 takes an impulse that must grow for divergence; row sweeps need under-relaxation.
SECOND_TRY = {"prox_literal": {"back_tracking": False}, "jacobi": {"back_tracking": False}, "pgs": {"relaxation": 0.6}}
# A linear rate close to 1 where mu A_NT comes near A_NN.
SLOW = {"newton": 1e-4}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("name", cases.PAINLEVE_CASES)
def test_rods_slip_stick_and_jam(key, name):
    problem = cases.case_problem(name, law_of(key))
    limit = {"max_iterations": 300 if key == "staggered" else 5000}
    impulse, report = run(problem, key, **limit)
    assert np.all(np.isfinite(impulse))
    assert (report.status == Status.CONVERGED) == (report.residual <= TOLERANCE)
    if key in CYCLES.get(name, ()):
        assert report.status != Status.CONVERGED
        return
    if report.status != Status.CONVERGED and key in SECOND_TRY:
        impulse, report = run(problem, key, **limit, **SECOND_TRY[key])
    solutions = [np.array(values) for _, values in cases.CASES[name]["solutions"]]
    assert min(np.max(np.abs(impulse - s)) for s in solutions) < SLOW.get(key, 1e-7)
    if "b=(0.1,5)" in name:
        # Separation is one of up to three answers, and the one a cold start gives.
        np.testing.assert_array_equal(impulse, 0.0)


def ramp_of_multipliers(mass=10.0):
    """S8: two unilateral rows that push each other up; the answer is (1 + M, M)."""
    A = [[1.0, -1.0], [-1.0, 1.0 + 1.0 / mass]]
    return from_delassus(A, [-1.0, 0.0], [[], []], kind=[Block.LIMIT] * 2, row_start=[0, 1, 2])


@pytest.mark.parametrize("key", KEYS)
def test_two_rows_that_push_each_other_up(key):
    impulse, report = run(ramp_of_multipliers(), key)
    assert report.status == Status.CONVERGED
    np.testing.assert_allclose(impulse, [11.0, 10.0], rtol=1e-7)


def table_on_four_legs(order=(0, 1, 2, 3)):
    """S12: unit mass, legs at (+-1, +-1), inertia 2/3: A has rank 3. Legs' x, y and the problem, in `order`."""
    x, y = np.array([1.0, -1.0, -1.0, 1.0])[list(order)], np.array([1.0, 1.0, -1.0, -1.0])[list(order)]
    A = 1.0 + 1.5 * (np.outer(x, x) + np.outer(y, y))
    return x, y, from_delassus(A, -np.ones(4), [[]] * 4, row_start=np.arange(5))


@pytest.mark.parametrize(
    ("order", "expected"),
    [((0, 1, 2, 3), (0.3125, 0.1875, 0.3125, 0.1875)), ((0, 2, 1, 3), (0.375, 0.375, 0.125, 0.125))],
)
def test_what_sweeps_from_zero_make_of_the_table_depends_on_their_order(order, expected):
    for key in ("pgs", "prox"):
        impulse, _ = run(table_on_four_legs(order)[2], key)
        np.testing.assert_allclose(impulse, expected, atol=1e-9)


@pytest.mark.parametrize("key", KEYS)
def test_four_legs_carry_the_weight_whatever_the_split(key):
    x, y, problem = table_on_four_legs()
    impulse, report = run(problem, key)
    assert report.status == Status.CONVERGED
    assert impulse.sum() == pytest.approx(1.0, abs=1e-9)
    assert np.abs([impulse @ x, impulse @ y]).max() < 1e-9
    assert impulse.min() >= 0.0


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("restitution", "expected"), [(1.0, (-0.2, 0.692820)), (0.5, (0.1, 0.519615)), (0.0, (0.4, 0.346410))]
)
def test_a_symmetric_break(key, restitution, expected):
    # S15: a unit ball with speed 1 hits two at +-30 degrees; Newton's law at both contacts at once.
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    J = np.array([[-c, -s, c, s, 0, 0], [-c, s, 0, 0, c, -s]])
    u = np.array([1.0, 0, 0, 0, 0, 0])
    problem = from_delassus(J @ J.T, (1 + restitution) * J @ u, [[], []], row_start=[0, 1, 2])
    impulse, _ = run(problem, key)
    after = u + J.T @ impulse
    assert after[0] == pytest.approx(expected[0], abs=1e-8)
    assert np.hypot(after[2], after[3]) == pytest.approx(expected[1], abs=1e-6)


@pytest.mark.parametrize("key", KEYS)
def test_newtons_law_with_friction_makes_energy_as_kane_found(key):
    # E1: rod at 40 degrees, e = 1: a known defect of the impact law, to be reported and not to be repaired.
    A = np.array([[2.239528, 1.477212], [1.477212, 2.760472]])
    law = law_of(key)
    problem = from_delassus(A, [-2.0, -0.5], cases.coefficients([[0.5]], law), row_start=[0, 2], law=law)
    impulse, report = run(problem, key)
    assert report.status == Status.CONVERGED
    np.testing.assert_allclose(impulse, [1.195585, -0.458665], atol=2e-6)


MANUFACTURED_BATCH = 25


# Drawn problems that a method does not solve to 1e-8 in 3,000 iterations, and how near it comes [m/s]: plain sweeps are
# slow where A is rank deficient. All others it must solve; the first three methods solve all.
MISSES = {
    "prox": {1002: 1.4e-5, 1006: 1.2e-8, 1012: 2e-6},
    "pgs": {1002: 3.6e-8},
    "prox_literal": {1002: 3.9e-5, 1007: 1.5e-3},
    "jacobi": {1002: 4.9e-5, 1007: 9.3e-4, 1012: 7e-8},
    "staggered": {1002: 3.1e-6},
}


def least_solved(key):
    """Share of more drawn problems that must reach 1e-8."""
    return 1.0 if METHODS[key].accurate else 0.9 if key in ("nncg", "newton") else 0.7


def manufactured_batch(key, seed, rank_deficient):
    law = law_of(key)
    kinds = [(Block.CONTACT,) * 2, (Block.CONTACT, Block.BILATERAL), (Block.CONTACT, Block.LIMIT, Block.DRIVE)]
    drawn = [
        cases.manufactured(1000 * seed + i, kinds[i % 3], law, torsion=i % 2 == 0, rank_deficient=rank_deficient)
        for i in range(MANUFACTURED_BATCH)
    ]
    return drawn


def missed(key, seed, rank_deficient):
    """{number: residual [m/s]} of the problems of a batch that are not solved to 1e-8; every status must be honest."""
    found, drawn = {}, manufactured_batch(key, seed, rank_deficient)
    for number, case in enumerate(drawn, start=1000 * seed):
        impulse, report = run(case.problem, key, tolerance=1e-8, max_iterations=3000)
        assert (report.status == Status.CONVERGED) == (natural_map(case.problem, impulse) <= 1e-8)
        if report.status != Status.CONVERGED:
            found[number] = report.residual
    return found


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("rank_deficient", [False, True])
def test_problems_built_from_their_answer(key, rank_deficient):
    listed = MISSES.get(key, {}) if rank_deficient else {}
    for number, residual in missed(key, 1, rank_deficient).items():
        assert number in listed, f"{key} leaves {residual:.1e} m/s in problem {number}"
        assert residual < 1.5 * listed[number]


@pytest.mark.slow(hours=True)
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("seed", range(2, 8))
def test_more_problems_built_from_their_answer(key, seed):
    found = missed(key, seed, seed % 2 == 0)
    print(f"{key}: " + ", ".join(f"{number} ({residual:.1e})" for number, residual in found.items()))
    assert len(found) <= (1.0 - least_solved(key)) * MANUFACTURED_BATCH


def test_the_manufactured_answer_is_one():
    for seed in range(20):
        for law in FrictionLaw:
            case = cases.manufactured(seed, (Block.CONTACT, Block.ELEMENT, Block.DRIVE, Block.LIMIT), law)
            assert natural_map(case.problem, case.impulse) < 1e-12


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("moving", "count", "expected"),
    [(1, 3, (-1 / 3, 2 / 3)), (1, 5, (-0.6, 0.4)), (2, 5, (-0.2, 0.8))],
)
def test_newtons_cradle_by_the_simultaneous_law(key, moving, count, expected):
    # S10: touching equal balls, e = 1 at every contact at once; energy is conserved.
    J = np.diff(np.eye(count), axis=0)
    u = np.where(np.arange(count) < moving, 1.0, 0.0)
    before = J @ u
    problem = from_delassus(J @ J.T, before + before, [[]] * (count - 1), row_start=np.arange(count))
    impulse, report = run(problem, key)
    after = u + J.T @ impulse
    assert report.status == Status.CONVERGED
    np.testing.assert_allclose(after, np.repeat(expected, [moving, count - moving]), atol=1e-8)
    assert after @ after == pytest.approx(u @ u, abs=1e-8)


@pytest.mark.parametrize("key", COULOMB_METHODS)
def test_the_recorded_manufactured_problem(key):
    data = json.loads((cases.DATA / "manufactured.json").read_text(encoding="utf-8"))
    mu = cases.coefficients([data["mu"]] * 2, cases.COULOMB)
    problem = from_delassus(data["A"], data["b"], mu, row_start=[0, 4, 8], law=cases.COULOMB)
    assert natural_map(problem, np.array(data["lam"])) < 1e-12
    impulse, report = run(problem, key, tolerance=1e-9)
    assert report.status == Status.CONVERGED
    np.testing.assert_allclose(impulse, data["lam"], atol=1e-6)
