"""A step's solves before a search for late contacts have a part of the effort; the work is finished after the last."""

from dataclasses import replace

import numpy as np
import pytest

from stiction.solver import methods, simulation
from stiction.solver.dynamics import impulses as step_impulses
from stiction.solver.dynamics.goals import DOUBLES
from stiction.solver.scene import Body, Joint
from stiction.solver.scenes import build
from stiction.solver.shapes import Box
from stiction.solver.simulation import options_for, simulate
from stiction.solver.stepping.quiet import steps as quiet_steps

EFFORT = 4000
# Of the effort of the 40 contacts of a stack of ten.
FAR = 10
PART = step_impulses.BEFORE_SEARCH / (1.0 + 40 * FAR / DOUBLES)


def falling_stack():
    """Ten cubes in a stack that arrives at 3 m/s, so that no island is at rest."""
    scene = build("stack10")
    moving = (replace(body, velocity=(1.0, 0.0, -3.0)) if body.motion.name == "DYNAMIC" else body
              for body in scene.bodies)  # fmt: skip
    return replace(scene, bodies=tuple(moving))


@pytest.fixture
def falling():
    return falling_stack()


def efforts(monkeypatch, scene, effort):
    """(most effort of a block in parts of the whole effort, whether the answer was accepted) of each solve for
    velocities of islands in motion in one step."""
    asked = []

    def noted(problem, impulse, method, given, goals=None, share=None):
        solved = improve(problem, impulse, method, given, goals, share)
        if share is not None:
            whole = effort * (1.0 + problem.block_count * FAR / DOUBLES)
            asked.append((np.max(goals.effort) / whole, solved.outcome.status.accepted))
        return solved

    improve = methods.improve
    monkeypatch.setattr(methods, "improve", noted)
    # Steps that are all of them one call of a kernel call nothing here.
    monkeypatch.setattr(quiet_steps, "is_able", lambda *given: False)
    # What compiles the kernels before the run solves steps too.
    monkeypatch.setattr(simulation, "compile_ahead", lambda *given: None)
    run = simulate(scene, options_for(scene, time=0.01, threads=1, effort=effort))
    return [each for each in asked if each[0] <= 1.01], run


def test_what_is_not_acceptable_before_the_last_search_is_finished_with_all_the_effort(monkeypatch, falling):
    asked, _ = efforts(monkeypatch, falling, EFFORT)
    assert asked[0] == (pytest.approx(PART, rel=1e-2), False)
    assert asked[1][0] == pytest.approx(1.0, rel=1e-2)


def test_an_answer_that_is_acceptable_is_left_alone(monkeypatch, falling):
    asked, run = efforts(monkeypatch, falling, 1_000_000)
    assert asked and all(each == (pytest.approx(PART, rel=1e-2), True) for each in asked)
    assert np.all(run.steps["converged"])


def test_a_pendulum_far_away_takes_no_effort_from_a_stack(falling):
    """Which part of its effort an island may use before a search does not depend on joints of another one."""
    bar = Body("bar", Box((0.6, 0.1, 0.04)), position=(1000.3, 0.0, 3.0), mass=1.0, collides_with=())
    pin = Joint("pin", "hinge", ("world", "bar"), (1000.0, 0.0, 3.0), (0.0, 1.0, 0.0))
    beside = replace(falling, bodies=(*falling.bodies, bar), joints=(pin,))
    options = options_for(falling, time=0.05, effort=EFFORT, acceptable=1e-3)
    alone, both = simulate(falling, options), simulate(beside, options)
    index = [both.names.index(name) for name in alone.names]
    assert not np.all(alone.steps["converged"]), "the effort is used up"
    assert np.array_equal(alone.positions, both.positions[:, index])
