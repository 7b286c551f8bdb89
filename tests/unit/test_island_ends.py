"""When the work on an island ends, and how exactly a part of a step is solved."""

from types import SimpleNamespace

import numpy as np
import pytest

from stiction.solver.methods.accelerated import turn_kernels
from stiction.solver.methods.accelerated.turn_kernels import (
    LIMITED,
    Limits,
    asked_of_islands,
    ended,
    first_aims,
    next_aims,
)
from stiction.solver.methods.compact.accelerated_kernels import BEST, SWEEPS
from stiction.solver.steppers import StepSettings
from stiction.solver.stepping.step_parts import in_parts

GOAL, ACCEPTABLE = 1e-9, 1e-4


@pytest.mark.parametrize("acceptable", [ACCEPTABLE, 0.0])
def test_what_is_acceptable_will_do_after_the_patience_where_anything_is(acceptable):
    goals = np.full(2, GOAL), np.full(2, acceptable), np.full(2, 300), np.full(2, 3000)
    asked = asked_of_islands(np.array([3, 3]), np.arange(2), goals, Limits(10_000, 300, False))
    aims, state, spent = first_aims(asked), np.zeros((2, 8)), np.array([50.0, 0.0])
    state[:, SWEEPS], state[:, BEST] = 50.0, 1.0
    assert aims.goal.tolist() == [GOAL] * 2
    assert aims.limit.tolist() == ([1000.0] * 2 if acceptable == 0.0 else [100.0] * 2)
    assert next_aims(asked, state, spent, aims)
    # The first island has used up its patience, with Newton steps.
    assert aims.goal.tolist() == [max(acceptable, GOAL), GOAL]
    state[:, BEST] = 0.5 * ACCEPTABLE, 0.5 * GOAL
    assert next_aims(asked, state, spent, aims) == (acceptable == 0.0)
    assert ended(asked, state, aims) == (LIMITED if acceptable == 0.0 else turn_kernels.ACCEPTABLE)


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
