"""Work is counted in contacts of two rigid bodies: where each contact sees all others it is that many times dearer."""

import numpy as np
import pytest
from soft_scenes import FLOOR, cube, scene

from stiction.solver.base.work import Work
from stiction.solver.dynamics.goals import goals_at
from stiction.solver.methods import counted
from stiction.solver.options import changed
from stiction.solver.results.dump import step_problems
from stiction.solver.scenes import build
from stiction.solver.simulation import compiled, options_for, step_settings


def first_problem(made, time=0.2):
    return next(problem for _, problem in step_problems(made, options_for(made, time=time)))


def test_a_contact_of_rigid_bodies_counts_once():
    assert counted.cost_of_relaxing(first_problem(build("stack10"))) == 1.0


def test_a_contact_on_a_deformable_body_counts_as_often_as_it_sees_others():
    problem = first_problem(scene(FLOOR, cube(cells=5)))
    assert problem.row_count >= 3 * 16
    assert counted.cost_of_relaxing(problem) == pytest.approx(problem.row_count / 24)


def test_a_step_is_bounded_by_what_its_solves_cost():
    made = scene(FLOOR, cube(cells=5))
    problem = first_problem(made)
    settings = step_settings(options_for(made), *compiled(made, options_for(made)))
    cost, blocks = problem.row_count / 24, problem.block_count
    goals = goals_at(np.zeros(blocks, dtype=np.int64), np.zeros(1), 0.1, settings)._replace(tolerance=np.zeros(blocks))
    work = Work(int(20 * cost * blocks))
    counted.improve_within(problem, np.zeros(problem.row_count), changed(settings, work=work), goals)
    # Twenty sweeps; a look at the residual comes every ten.
    assert work.used == pytest.approx(20 * cost * blocks, rel=0.05)
