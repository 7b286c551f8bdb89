"""Rows that are swept against an eliminated mechanism all feel each other: their sweeps are dear, and count so."""

from dataclasses import replace

import numpy as np
import pytest
from joint_scenes import rod, scene

from stiction.solver.laws.friction_laws import FrictionLaw
from stiction.solver.methods.base import Goals
from stiction.solver.methods.method_options import AcceleratedOptions
from stiction.solver.methods.second_order import elimination
from stiction.solver.scene import Body, Joint, Motion
from stiction.solver.shapes import Box
from stiction.solver.simulation import compiled, options_for, step_settings, stepper


def chain_on_floor(count):
    """The problem of a step of a chain of rods that lies on a floor: four contacts a rod."""
    floor = Body("floor", Box((40.0, 4.0, 0.2)), motion=Motion.STATIC, position=(0, 0, -0.11))
    rods = [rod(f"r{i}", (i, 0, 0), (i + 1, 0, 0)) for i in range(count)]
    rods = [replace(one, collides_with=None) for one in rods]
    joints = [Joint(f"j{i}", "ball", (f"r{i}", f"r{i + 1}"), (i + 1, 0, 0)) for i in range(count - 1)]
    made, found = scene([floor, *rods], joints), []
    options = options_for(made)
    model, state = compiled(made, options)
    settings = replace(step_settings(options, model, state), record=found.append)
    stepper(options)(model, state, settings)
    return found[-1]


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("count", [2, 10])
def test_patience_and_effort_are_less_by_the_cost_of_a_sweep(count, given):
    problem, asked = chain_on_floor(count), []
    assert np.all(problem.law == FrictionLaw.ELLIPSOID)
    options = AcceleratedOptions(patience=20_000, effort=1_000_000)
    full = (np.full(problem.block_count, number) for number in (1e-9, 1e-3, 20_000, 1_000_000))
    goals = Goals(*full) if given else None

    def plain(part, options, goals):
        asked.append((part.row_count, options, goals))
        return lambda impulse: None

    elimination.prepare(problem, options, goals, plain)
    rows, options, goals = asked[0]
    assert rows == 12 * count, "the joints' rows are gone"
    cost = rows / elimination.OF_TWO_BODIES
    assert options.effort == int(1e6 / cost) and options.patience == int(2e4 / cost)
    if given:
        assert np.all(goals.effort == int(1e6 / cost)) and np.all(goals.patience == int(2e4 / cost))
        assert np.all(goals.tolerance == 1e-9)
