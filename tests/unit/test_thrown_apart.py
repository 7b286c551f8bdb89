"""A run in which taking bodies apart, or onto their joints, throws them is poor, whatever else happens in it."""

import numpy as np
import pytest

from stiction.solver.base.wording import as_speed
from stiction.solver.results.verdict import POOR, judge
from stiction.solver.scene import Body, KeyedPoses, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import SimulationOptions, simulate


def pile(apart):
    """Two boxes on a floor, `apart` [m] from each other."""
    return Scene(name="pile", bodies=(
        Body("floor", shape=Box((20, 20, 1)), position=(0, 0, -0.5), motion="static"),
        Body("low", shape=Box((1, 1, 1)), position=(0, 0, 0.5)),
        Body("high", shape=Box((1, 1, 1)), position=(0, 0, 1.5 + apart)),
    ))  # fmt: skip


@pytest.fixture(scope="module", params=[-0.1, 0.2])
def run(request):
    return simulate(pile(request.param), SimulationOptions(time=0.5))


class With:
    """A run with other steps and another header."""

    def __init__(self, run, **more):
        self.run, self.more = run, more

    def __getattr__(self, name):
        return self.more.get(name, getattr(self.run, name))


def thrown(frames):
    """The sentences of a verdict that say that bodies were thrown."""
    return [reason for reason in judge(frames).reasons if "thrown" in reason]


def test_bodies_that_are_lifted_out_of_each_other_are_not_thrown(run):
    assert not thrown(run)


@pytest.mark.parametrize("motion", ["static", "kinematic"])
def test_a_step_that_throws_is_named_and_poor(run, motion):
    steps = {name: values.copy() for name, values in run.steps.items()}
    steps["stabilisation_work"][5] += 1e7
    steps["kinetic"][5] += 1e7
    frames = With(run, steps=steps, header={**run.header, "motion": [motion, *run.header["motion"][1:]]})
    assert judge(frames).word == POOR
    assert "(step 6)" in thrown(frames)[0]


def test_a_small_die_that_was_let_go_is_not_thrown():
    """Its mass is not known to the run that it begins Animated in: what closed its overlap counted as a blast."""
    die = Body("die", shape=Box((0.016, 0.016, 0.016)), position=(0, 0, 0.2), motion="kinematic", switches=(0.1,),
               keys=KeyedPoses((0.0, 0.1), ((0.0, 0.0, 0.2), (0.1, 0.0, 0.2)),
                               ((1.0, 0.0, 0.0, 0.0), (0.8, 0.6, 0.0, 0.0))))  # fmt: skip
    floor = Body("floor", shape=Box((20, 20, 1)), position=(0, 0, -0.5), motion="static")
    run = simulate(Scene(name="die", bodies=(floor, die)), SimulationOptions(time=0.6))
    steps = {name: values.copy() for name, values in run.steps.items()}
    steps["kinetic"][-1], steps["stabilisation_work"][-1] = 0.0, 1e-9
    frames = With(run, steps=steps)
    assert np.any(run.steps["brought_energy"]) and not thrown(frames)


def test_what_was_fast_already_may_be_taken_out_of_each_other(run):
    steps = {name: values.copy() for name, values in run.steps.items()}
    steps["stabilisation_work"][5] += 1e7
    steps["kinetic"] = steps["kinetic"] + 3e7
    assert not thrown(With(run, steps=steps))


@pytest.mark.parametrize(("speed", "text"), [(0.1234, "120 mm/s"), (0.9999, "1000 mm/s"), (1234.0, "1200 m/s"),
                                             (2.6e-3, "2.6 mm/s"), (1e-12, "1e-09 mm/s")])  # fmt: skip
def test_speeds_read_as_people_write_them(speed, text):
    assert as_speed(speed) == text
