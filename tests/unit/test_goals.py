"""Goals of each island: met island by island, and what is done on one is the same whatever the others need."""

from dataclasses import replace

import numpy as np
import pytest

from stiction.solver import methods
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.methods import METHODS, Goals, Status
from stiction.solver.problem import Block, BlockRows, assemble
from stiction.solver.residuals import natural_map
from stiction.solver.results.dump import step_problems
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scenes import SCENES
from stiction.solver.shapes import Box
from stiction.solver.simulation import options_for, simulate

TIGHT, LOOSE = 1e-10, 1e-3


def first_problem(scene):
    """Contact problem of the first step."""
    return next(step_problems(scene, options_for(scene, time=0.01)))[1]


@pytest.fixture(scope="module")
def stacks():
    """(problem of a stack, problem of that stack and one of five boxes far away, its blocks in it)."""
    scene = SCENES["stack10"].build()
    other = [
        replace(body, name=f"other{i}", position=(8.0, 0.0, body.position[2]))
        for i, body in enumerate(scene.bodies[1:6])
    ]
    both = first_problem(replace(scene, bodies=(*scene.bodies, *other)))
    alone = first_problem(scene)
    last = np.maximum.reduceat(both.J.start, both.J.indptr[:-1])
    return alone, both, last < 6 * (len(scene.bodies) - 1)


def asked(problem, tolerance, acceptable=0.0, patience=100_000):
    return Goals(*(np.broadcast_to(value, problem.block_count) for value in (tolerance, acceptable, patience)))


def solved(problem, goals, method="accelerated", **options):
    impulse = np.zeros(problem.row_count)
    options = METHODS[method].options(**{"max_iterations": 20_000, **options})
    return impulse, methods.improve(problem, impulse, method, options, goals)


@pytest.mark.parametrize("method", ["accelerated", "accurate"])
def test_an_island_is_solved_as_if_it_were_alone(stacks, method):
    alone, both, own = stacks
    rows = np.repeat(own, np.diff(both.row_start))
    given = asked(both, np.where(own, TIGHT, LOOSE))
    here, there = solved(alone, asked(alone, TIGHT), method)[0], solved(both, given, method)[0]
    assert np.array_equal(here, there[rows])


def test_each_island_meets_its_own_goal(stacks):
    _, both, own = stacks
    impulse, report = solved(both, asked(both, np.where(own, LOOSE, TIGHT)))
    velocity, blocks = both.velocity(impulse), both.row_start[:-1]
    pushed = np.where(impulse[blocks] > 0, np.abs(velocity[blocks]), np.maximum(0.0, -velocity[blocks]))
    assert report.outcome.status == Status.CONVERGED
    assert pushed[~own].max() < 1e-9 < pushed[own].max() < LOOSE


def test_what_is_acceptable_and_when_is_each_islands_own(stacks):
    _, both, own = stacks
    goals = asked(both, TIGHT, np.where(own, LOOSE, 0.0), np.where(own, 0, 100_000))
    impulse, report = solved(both, goals, newton=False)
    assert report.outcome.status in (Status.ACCEPTABLE, Status.CONVERGED)
    assert natural_map(both, impulse) < LOOSE


def test_a_limit_of_effort_is_that_of_the_island(stacks):
    _, both, own = stacks
    few = Goals(*asked(both, TIGHT)[:3], effort=np.where(own, 1, 0))
    impulse, report = solved(both, few, newton=False)
    velocity, blocks = both.velocity(impulse), both.row_start[:-1]
    assert report.outcome.status == Status.MAX_ITERATIONS
    assert np.abs(velocity[blocks][~own & (impulse[blocks] > 0)]).max() < 1e-9
    assert np.abs(velocity[blocks][own]).max() > 1e-6


def test_methods_without_islands_aim_at_the_strictest(stacks):
    _, both, own = stacks
    impulse, _ = solved(both, asked(both, np.where(own, 1e-5, LOOSE)), "prox")
    assert natural_map(both, impulse) <= 1e-5


def test_what_is_acceptable_below_the_tolerance_changes_nothing(stacks):
    """Patience ends where it leads to nothing; once the loop went round for ever there."""
    alone = stacks[0]
    goals = asked(alone, 1e-9, 1e-10, patience=0)
    there, report = solved(alone, goals, newton=False)
    here, _ = solved(alone, asked(alone, 1e-9), newton=False)
    assert report.outcome.status == Status.CONVERGED
    assert np.array_equal(here, there)


def test_a_block_of_three_bodies_takes_the_fast_form_from_its_own_island_alone(stacks):
    """A joint among three bodies of the far stack: the other stack is solved to the same bits as alone."""
    alone, both, own = stacks
    far = np.unique(both.J.start[np.repeat(~own, np.diff(both.J.indptr))])[:3]

    def with_joint(rows, offset):
        return BlockRows(np.append(rows.indptr, rows.indptr[-1] + 3), np.append(rows.start, far),
                         np.append(rows.size, [6, 6, 6]), np.append(rows.offset, len(rows.data) + 6 * np.arange(3)),
                         np.append(rows.data, offset))  # fmt: skip

    row = np.zeros((3, 6))
    row[:, 2] = 1.0, -2.0, 1.0
    W = both.inverse_mass
    at = np.searchsorted(W.start, far)
    weighted = np.concatenate([W.data[W.offset[i] : W.offset[i] + 36].reshape(6, 6) @ row[k] for k, i in enumerate(at)])
    problem = assemble(
        np.append(both.kind, Block.BILATERAL), np.append(both.row_start, both.row_start[-1] + 1),
        with_joint(both.J, row.ravel()), with_joint(both.G, weighted), np.append(both.b, 0.01),
        np.vstack([both.mu, np.zeros(3)]), both.dof_count, law=np.append(both.law, 0), inverse_mass=W,
    )  # fmt: skip
    joint = np.append(np.repeat(own, np.diff(both.row_start)), False)
    here, _ = solved(alone, asked(alone, TIGHT))
    there, report = solved(problem, asked(problem, np.where(np.append(own, False), TIGHT, 1e-5)))
    assert report.outcome.status == Status.CONVERGED
    assert np.array_equal(here, there[joint])
    assert natural_map(problem, there) <= 1e-5


def test_what_is_acceptable_is_accepted_when_the_work_ends_before_the_patience(stacks):
    alone = stacks[0]
    _, loose = solved(alone, asked(alone, 1e-300, 1.0, 10**9), max_iterations=100, newton=False)
    _, tight = solved(alone, asked(alone, 1e-300, 0.0, 10**9), max_iterations=100, newton=False)
    assert (loose.outcome.status, tight.outcome.status) == (Status.ACCEPTABLE, Status.MAX_ITERATIONS)


def test_a_heavy_body_on_light_ones_asks_for_no_more_than_round_off_leaves():
    corners = [(x, y) for x in (-3.0, 3.0) for y in (-3.0, 3.0)]
    floor = Body("floor", Box((30.0, 30.0, 1.0)), "stone", Motion.STATIC, (0.0, 0.0, -0.5))
    cubes = [Body(f"cube{i}", Box((0.01,) * 3), "stone", position=(*corner, 0.005)) for i, corner in enumerate(corners)]
    block = Body("block", Box((10.0, 10.0, 10.0)), "stone", position=(0.0, 0.0, 5.01))
    scene = Scene((floor, *cubes, block), MaterialTable((Material("stone", 1000.0, 0.5),)))
    steps = simulate(scene, options_for(scene, time=0.1)).steps
    fall = 9.81 * 0.01
    assert np.all(steps["converged"] == 1) and np.all(steps["residual"] < 1e-5 * fall)
    # In these masses of 1 to 1e9, 1e-8 of the fall is below round-off: 10,000 sweeps a step did not reach it.
    assert np.all(steps["iterations"] < 5000) and np.all(steps["iterations"][4:] < 500)
