"""The judge and Siconos' error against their definitions, worked out a second time in plain numpy and by hand."""

import numpy as np
import problem_cases as cases
import pytest
from reference import judging

from stiction.solver.laws.friction_laws import FrictionLaw
from stiction.solver.problem import Block, from_delassus
from stiction.solver.residuals import block_residuals, natural_map, siconos_error, violations
from stiction.solver.scene_io.problem_file import load_problem

SPHERE = from_delassus(np.diag([1.0, 3.5, 3.5]), [-1.0, 3.0, 4.0], [[0.5]])


def near(problem, seed):
    """Impulses somewhere near what contacts carry."""
    return np.random.default_rng(seed).normal(0.3, 0.5, problem.row_count)


@pytest.mark.parametrize("law", [FrictionLaw.ELLIPSOID, FrictionLaw.BOX])
@pytest.mark.parametrize("seed", range(12))
def test_the_judge_is_its_definition(law, seed):
    problem = cases.mixed_problem(seed, law).problem
    impulse = near(problem, seed)
    assert natural_map(problem, impulse) == pytest.approx(judging.natural_map(problem, impulse), rel=1e-10)


@pytest.mark.parametrize("torsion", [False, True])
def test_the_judge_is_its_definition_on_contacts_of_three_and_four_rows(torsion):
    for seed in range(8):
        problem = cases.manufactured(seed, (Block.CONTACT,) * 3, torsion=torsion).problem
        impulse = near(problem, seed)
        assert natural_map(problem, impulse) == pytest.approx(judging.natural_map(problem, impulse), rel=1e-10)


@pytest.mark.parametrize("name", ["slide60_t0.3", "FrictionContact3D_1c", "Confeti-ex13-4contact-Fc3D-SBM"])
def test_both_measures_on_problems_from_files(name):
    problem = load_problem(cases.DATA / "contact_problems" / f"{name}.npz")
    scale = 1.0 / np.abs(problem.diagonal[1]).max()
    impulse = scale * near(problem, 1)
    assert natural_map(problem, impulse) == pytest.approx(judging.natural_map(problem, impulse), rel=1e-9)
    assert siconos_error(problem, impulse) == pytest.approx(judging.siconos_error(problem, impulse), rel=1e-9)


@pytest.mark.parametrize(
    ("impulse", "expected"),
    [
        # Nothing pushes: the normal row misses by 1 m/s, and friction of a limit of 0 by nothing.
        ([0.0, 0.0, 0.0], 1.0),
        # The answer.
        ([1.0, -0.3, -0.4], 0.0),
        # Half the normal impulse: v_n = -1/2; friction (-.3, -.4) is |y| = 1 beyond .5, so it misses by .5 / (r mu)
        # with r = 1 / (.25 3.5): .5 3.5 .25 / .5 = .875 m/s.
        ([0.5, -0.3, -0.4], 0.875),
        # Friction left out: y = 0, a full step is D v r = .5 5 / (.25 3.5) = 2.857 beyond 1, so 1 / (r mu) = 1.75 m/s.
        ([1.0, 0.0, 0.0], 1.75),
    ],
)
def test_a_sphere_that_slides_by_hand(impulse, expected):
    assert natural_map(SPHERE, np.array(impulse)) == pytest.approx(expected, abs=1e-12)


def test_siconos_error_by_hand():
    # r = 0, u = q = (-1, 3, 4): z = -u - (.5 5, 0, 0) = (-1.5, -3, -4); onto the cone: (.5 5 - 1.5) / 1.25 = .8 and
    # friction .4 towards (-.6, -.8). |(.8, -.24, -.32)| = sqrt(.8); scale |q| = sqrt(26).
    assert siconos_error(SPHERE, np.zeros(3)) == pytest.approx(np.sqrt(0.8) / np.sqrt(26.0), rel=1e-12)


def test_torsion_is_judged():
    """One contact of four rows at rest but for its spin: .3 rad/s against mu_tau = .1 m and A_tau = 2.5."""
    problem = from_delassus(np.diag([1.0, 3.5, 3.5, 2.5]), [-1.0, 0.0, 0.0, 0.3], [[0.5, 0.5, 0.1]], row_start=[0, 4])
    # y = 0; r = 1 / (.25 3.5); a full step r .1 .3 = .0343 lies within 1, so the map is .1 .3 / mu = .06 m/s.
    assert natural_map(problem, np.array([1.0, 0.0, 0.0, 0.0])) == pytest.approx(0.06, rel=1e-12)
    assert natural_map(problem, np.array([1.0, 0.0, 0.0, -0.12])) > 0.1, "beyond mu_tau lambda_n"


def test_a_block_is_judged_by_itself():
    problem = cases.mixed_problem(2).problem
    impulse = near(problem, 5)
    assert block_residuals(problem, impulse).max() == natural_map(problem, impulse)


def test_violations_by_hand():
    # v = A lambda + b = (-.5, 3 - 1.05, 4 - 1.4); cone: |(-.3, -.4) / .5| - .5 = .5; friction against slip:
    # normal |D v_F| + y D v_F = .5 |(.975, 1.3)| + (-.6)(.975) + (-.8)(1.3) = .8125 - 1.625 = -.8125, none missing.
    found = violations(SPHERE, np.array([0.5, -0.3, -0.4]))
    assert found.penetrating_velocity == pytest.approx(0.5)
    assert found.complementarity == pytest.approx(0.25)
    assert found.cone == pytest.approx(0.5)
    assert found.dissipation_gap == 0.0
    # Friction left out: the whole rate mu lambda_n |v_F| = .5 5 is missing.
    assert violations(SPHERE, np.array([1.0, 0.0, 0.0])).dissipation_gap == pytest.approx(2.5)
    # Friction along the slip: y = (.6, .8), D v_F = (2.025, 2.7): 3.375 missing, and 3.375 of work done.
    assert violations(SPHERE, np.array([1.0, 0.3, 0.4])).dissipation_gap == pytest.approx(6.75)
    assert violations(SPHERE, np.array([-0.2, 0.0, 0.0])).negative_impulse == pytest.approx(0.2)
