"""Steps of runs that once ended badly, written by `stiction dump`."""

import numpy as np
import problem_cases as cases

from stiction.solver import methods
from stiction.solver.methods import METHODS, Status
from stiction.solver.scene_io.problem_file import load_problem


def test_a_few_tumbling_cubes_are_solved_with_the_default_limits():
    """Nineteen contacts need 1343 sweeps' worth of Newton steps: of 1000, 4.6e-3 m/s were left."""
    problem = load_problem(cases.DATA / "steps" / "cubes_00097.npz")
    options = METHODS["accelerated"].options(tolerance=1e-9)
    report = methods.solve(problem, np.zeros(problem.row_count), "default", options)
    assert report.status == Status.CONVERGED


def test_a_sliding_pile_is_solved_by_sweeps_alone():
    """Grains in a slot hopper, 537 contacts: sweeps that went back to their best iterate never got there."""
    problem = load_problem(cases.DATA / "steps" / "hopper_00160.npz")
    options = METHODS["accelerated"].options(tolerance=4.9e-5, max_iterations=4000, newton=False)
    report = methods.solve(problem, np.zeros(problem.row_count), "default", options)
    assert report.status == Status.CONVERGED


def test_contacts_that_slide_on_a_wall_do_not_go_on_and_off():
    """Jacks in a funnel, 211 contacts: friction turns the normal velocity of some by more than a third of A_nn. With
    the full step and momentum these went on and off in turn, 1.5e-2 m/s after 400 sweeps."""
    problem = load_problem(cases.DATA / "steps" / "funnel_00043.npz")
    options = METHODS["accelerated"].options(tolerance=1e-6, max_iterations=400, newton=False)
    report = methods.solve(problem, np.zeros(problem.row_count), "default", options)
    assert report.status == Status.CONVERGED
