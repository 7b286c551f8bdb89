"""Joints that no motion satisfies together: steps end not accepted, and are not cut into finer ones."""

import numpy as np
from joint_scenes import cube

from stiction.solver.results.summary import run_summary
from stiction.solver.results.verdict import judge
from stiction.solver.scene import Body, Joint, KeyedPoses, Motion, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import SimulationOptions, options_for, simulate

MIDDLE = (-0.17, -0.1, 2.758)


def crane(rate):
    """A cube on a rail along x with end stops, which a turning crane holds at a point and asks to be below it."""
    times = 0.04 * np.arange(4)
    angle = 0.5 * rate * times
    turns = np.stack([np.cos(angle), 0 * angle, -np.sin(angle) / 2**0.5, np.sin(angle) / 2**0.5], axis=1)
    keys = KeyedPoses(times, np.tile((1.2, -1.8, 1.7), (len(times), 1)), turns)
    jib = Body("jib", Box((0.3, 0.3, 0.3)), motion=Motion.KINEMATIC, position=(1.2, -1.8, 1.7), keys=keys)
    held = Joint("point", "generic", ("jib", "cube"), MIDDLE, axis2=(1, 0, 0), free=("rx", "rz"))
    below = Joint("below", "generic", ("jib", "cube"), MIDDLE, axis2=(1, 0, 0), free=("x", "y", "z", "rx", "rz"),
                  limits={"z": (-0.5, -0.5), "rz": (-0.5, 0.5)})  # fmt: skip
    rail = Joint("rail", "slider", ("world", "cube"), (-0.8, 0.8, 1.9), axis=(1, 0, 0), limits=(-1.0, 1.0))
    return Scene((cube("cube", (-1.5, 1.5, 3.8), mass=0.01), jib), joints=(rail, below, held))


def test_a_step_without_an_answer_costs_little():
    """A step that was not solved was made again in up to a thousand parts, until all its work was spent: 300 million
    contacts relaxed."""
    steps = simulate(crane(0.5), SimulationOptions(time=0.04, time_step=0.01)).steps
    assert not steps["converged"].any()
    assert not steps["spent"].any()
    assert steps["work"].max() < 10_000_000


def test_the_verdict_names_the_joints():
    verdict = judge(simulate(crane(0.5), SimulationOptions(time=0.04, time_step=0.01)))
    assert verdict.word == "poor"
    assert verdict.reasons[0].startswith("joint forces of 4 of 4 steps are inexact")
    assert "at 'cube' and 'jib', held by 'below' and 'point': " in verdict.reasons[0]
    assert "free these joints where they contradict" in verdict.reasons[0]


def test_a_step_ends_at_its_limit_of_work_and_says_what_it_left():
    most = 50_000
    more, bounded, again = (
        simulate(crane(0.5), options_for(crane(0.5), step_effort=limit, time=0.03)) for limit in (2 * most, most, most)
    )
    # A Newton step is not cut in two.
    assert 2 * most <= more.steps["work"].min() <= more.steps["work"].max() < 2.1 * most
    assert most <= bounded.steps["work"].min() <= bounded.steps["work"].max() < 1.1 * most
    assert bounded.steps["spent"].all()
    assert not bounded.steps["converged"].any()
    assert "raise step_effort" in run_summary(bounded)["warnings"][-1]
    np.testing.assert_array_equal(again.steps["work"], bounded.steps["work"])
    # What it has when it ends is a step all the same.
    assert np.abs(bounded.center_of_mass[-1] - more.center_of_mass[-1]).max() < 1e-4
