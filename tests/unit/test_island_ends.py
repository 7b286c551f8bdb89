"""When the work on an island ends: just above its goal turn after turn, and how exactly a part of a step is solved."""

from types import SimpleNamespace

import numpy as np
import pytest

from stiction.solver.methods.accelerated.finisher import Finisher
from stiction.solver.methods.accelerated.goals import IslandGoals
from stiction.solver.methods.base import Goals
from stiction.solver.methods.method_options import AcceleratedOptions
from stiction.solver.steppers import StepSettings
from stiction.solver.stepping.step_parts import in_parts

GOAL, ACCEPTABLE = 1e-9, 1e-4


class Turns:
    """Second-order methods that leave every island at one residual, and the sweeper they are handed islands by."""

    def __init__(self, residual):
        self.residual, self.state, self.best = residual, np.zeros((2, 8)), np.zeros(0)

    def solve_island(self, index, island, residual, goal, steps, clock, best, exact):
        return self.residual, 10

    def restore(self, index):
        pass


def finisher(residual, turns):
    """A Finisher after so many turns of island 1 of two."""
    found = Finisher(Turns(residual))
    found.second_order = found.sweeper
    for _ in range(turns):
        found._solve(1, None, 1e-6, GOAL, 100, None, False)
    return found


@pytest.mark.parametrize(("turns", "lasting", "ends"), [(1, False, True), (1, True, False), (2, True, True)])
def test_an_island_just_above_its_goal_turn_after_turn_is_at_an_end(turns, lasting, ends):
    assert finisher(5 * GOAL, turns).at_an_end(np.array([lasting, lasting])).tolist() == [False, ends]


@pytest.mark.parametrize("residual", [0.5 * GOAL, 1e4 * GOAL])
def test_one_that_is_done_or_far_is_not(residual):
    assert not finisher(residual, 3).at_an_end(np.zeros(2, dtype=bool)).any()


@pytest.mark.parametrize("acceptable", [ACCEPTABLE, 0.0])
def test_what_is_at_an_end_settles_for_what_is_acceptable_where_anything_is(acceptable):
    ones = np.ones(2)
    goals = Goals(GOAL * ones, acceptable * ones, np.full(2, 1000), np.zeros(2, dtype=int))
    problem = SimpleNamespace(friction_given=False, block_count=2)
    asked = IslandGoals(problem, AcceleratedOptions(), np.array([3, 3]), np.arange(2), goals)
    asked.lose_patience(np.zeros(2), np.array([False, True]))
    assert asked.now.tolist() == [GOAL, max(acceptable, GOAL)]
    assert asked.exact.tolist() == [acceptable == 0.0] * 2


def test_a_part_of_a_step_is_solved_as_exactly_as_a_whole_one():
    """The aim is a part of the fall in a step, which is a quarter in each of four parts."""
    seen = []

    def part_of(state, settings):
        seen.append(settings)
        raise StopIteration

    state = SimpleNamespace(with_impulses_of=lambda count: None)
    with pytest.raises(StopIteration):
        in_parts(part_of, state, StepSettings(0.01, accuracy=1e-8), 4)
    assert seen[0].accuracy * seen[0].time_step == pytest.approx(1e-8 * 0.01, rel=1e-12)
