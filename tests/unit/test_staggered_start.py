"""Of several answers of Coulomb's law an island at rest gets the one that even loads lead to."""

from dataclasses import replace

import numpy as np
import pytest

from stiction.solver import methods
from stiction.solver.methods import even_islands_kernels as kernels
from stiction.solver.methods.base import Goals, Outcome, Status
from stiction.solver.methods.even_kernels import Even
from stiction.solver.methods.staggered_start import begin, with_loads_given
from stiction.solver.residuals import natural_map
from stiction.solver.scenes import build
from stiction.solver.simulation import compiled, options_for, step_settings, stepper

FALL = 9.81 * 0.01


def steps(scene, count, method="default"):
    """Twist (6,) of the block after `count` steps, the state and the problems that were solved."""
    options = options_for(scene, time=0.01 * count, time_step=0.01, method=method)
    model, state = compiled(scene, options)
    kept, settings, advance = [], step_settings(options, model, state), stepper(options)
    settings = replace(settings, record=kept.append)
    for k in range(1, count + 1):
        state, _, _ = advance(model, state, settings)
        state.time = 0.01 * k
    return state.twist[model.names.index("block")], state, kept


@pytest.mark.parametrize("method", ["default", "accurate"])
def test_flat_pads_hold_a_thousandth_above_the_limit(method):
    twist, state, _ = steps(build("grip", factor=1.001, round_pads=False), 5, method)
    assert np.abs(twist).max() < 1e-9
    normals = state.impulses[:, 0]
    assert len(normals) == 8
    assert normals == pytest.approx(np.full(8, 1.001 * FALL / 4), rel=1e-4), "even on a pad"


@pytest.mark.parametrize("method", ["default", "accurate"])
def test_flat_pads_let_slip_straight_down_below_it(method):
    twist, _, _ = steps(build("grip", factor=0.999, round_pads=False), 5, method)
    assert twist[2] == pytest.approx(-0.001 * 5 * FALL, rel=1e-5)
    assert np.abs(twist[[0, 1]]).max() < 1e-9
    assert np.abs(twist[3:]).max() < 1e-6


def first_problem():
    return steps(build("grip", factor=1.2, round_pads=False), 1)[2][0]


def solved(problem, impulse, patience):
    """What time steps do: goals of an island, and the load of each contact under even pressure."""
    options = methods.get_method("default").options(acceptable=1e-3, patience=1000)
    ones = np.ones(problem.block_count)
    goals = Goals(1e-9 * ones, 1e-5 * ones, np.full(problem.block_count, patience), np.zeros(problem.block_count, int))
    methods.improve(problem, impulse, "default", options, goals, ones)
    assert natural_map(problem, impulse) < 2e-9
    return np.abs(problem.velocity(impulse)[:24]).max()


def test_only_islands_at_rest_without_impulses_begin_anew():
    problem = first_problem()
    assert solved(problem, np.zeros(problem.row_count), 30_000) < 1e-8
    assert solved(problem, np.zeros(problem.row_count), 1000) > 1e-3, "moving: the sweep's own answer, which pivots"
    begun = np.zeros(problem.row_count)
    begun[0] = FALL
    assert solved(problem, begun, 30_000) > 1e-3, "it has had its loads from the step before"


def test_an_island_larger_than_loads_are_spread_in_is_left_alone():
    problem = first_problem()
    still, calm = np.zeros(problem.row_count), np.ones(problem.block_count, dtype=bool)
    pivoting = still.copy()
    solved(problem, pivoting, 1000)
    chosen = np.zeros(problem.block_count, dtype=bool)
    goal = np.full(problem.block_count, 1e-9)
    for most, found in ((12, 12), (11, 0)):
        asked = problem.arrays, pivoting, still, goal, calm, most, problem.dof_count, chosen
        assert kernels.slipping_from_rest(*asked) == found


def test_with_loads_given_friction_alone_is_left():
    problem = first_problem()
    load = np.zeros(problem.row_count)
    load[:24:3] = np.linspace(0.1, 0.2, 8)
    given = with_loads_given(problem, load)
    impulse = np.zeros(problem.row_count)
    methods.improve(given, impulse, "default", methods.get_method("default").options(tolerance=1e-11))
    assert impulse[:24:3] == pytest.approx(load[:24:3], rel=1e-9)
    own, whole = given.velocity(impulse), problem.velocity(impulse)
    tangential = np.arange(36) % 3 > 0
    tangential[24:] = True
    assert own[tangential] == pytest.approx(whole[tangential], abs=1e-12), "what the loads do is in b"


@pytest.mark.parametrize(("status", "projections"), [(Status.CONVERGED, 3), (Status.ACCEPTABLE, 1)])
def test_a_projection_gets_no_more_work_than_its_share_and_one_that_fails_is_the_last(status, projections):
    """Each had what an island at rest may take, and where even loads lead to no answer all of them took it."""
    problem = first_problem()
    pivoting, still, asked = np.zeros(problem.row_count), np.zeros(problem.row_count), []
    solved(problem, pivoting, 1000)
    ones, calm = np.ones(problem.block_count), np.ones(problem.block_count, dtype=bool)
    goals = Goals(1e-9 * ones, 1e-5 * ones, *(np.full(len(ones), most) for most in (30_000, 30_000_000)))

    def noted(part, x, goals):
        asked.append(goals.effort.max())
        return Outcome(status if len(asked) < 3 else Status.ACCEPTABLE, 0)

    begin(problem, pivoting, still, goals, calm, Even(goals.tolerance, ones, 200), 1000, noted)
    assert asked == [1000] * projections
