"""Going on with a run to a later time gives the frames of one run to that time, bit by bit."""

import dataclasses

import numpy as np
import pytest

from stiction.solver.base.refusal import TrajectoryError
from stiction.solver.scene import Body, KeyedPoses, Motion, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import options_for, simulate

FRAMES = 24


def pushed(frames=FRAMES):
    """A box that falls on a floor and is pushed by a keyed one; keys for so many frames, each 0.02 s."""
    times = 0.02 * np.arange(frames)
    places = np.stack([-1.2 + 0.5 * times, 0 * times, 0.5 + 0 * times], axis=1)
    keys = KeyedPoses(times, places, np.tile([1.0, 0, 0, 0], (frames, 1)))
    size = (1.0, 1.0, 1.0)
    bodies = (
        Body("floor", Box((10.0, 10.0, 1.0)), motion=Motion.STATIC, position=(0, 0, -0.5)),
        Body("pusher", Box(size), motion=Motion.KINEMATIC, position=(-1.2, 0, 0.5), keys=keys),
        Body("box", Box(size), position=(0.05, 0.02, 0.52)),
    )
    return Scene(bodies, name="pushed")


def options(scene, frames):
    return options_for(scene, time=0.02 * (frames - 1), time_step=0.01, steps_per_frame=2)


def test_later_end_gives_the_frames_of_one_run(tmp_path):
    whole = simulate(pushed(), options(pushed(), FRAMES), tmp_path / "whole")
    short = pushed(10)
    simulate(short, options(short, 10), tmp_path / "parts")
    parts = simulate(pushed(), options(pushed(), FRAMES), tmp_path / "parts", resume=True)
    assert parts.complete
    assert np.array_equal(parts.times, whole.times)
    assert np.array_equal(parts.center_of_mass, whole.center_of_mass)
    assert np.array_equal(parts.orientations, whole.orientations)
    assert np.array_equal(parts.steps["residual"], whole.steps["residual"])


def test_another_past_is_refused(tmp_path):
    short = pushed(10)
    simulate(short, options(short, 10), tmp_path / "run")
    other = pushed()
    other.bodies[1].keys.positions[4, 0] += 0.1
    with pytest.raises(TrajectoryError, match="another scene or other settings"):
        simulate(other, options(other, FRAMES), tmp_path / "run", resume=True)
    finer = dataclasses.replace(options(pushed(), FRAMES), time_step=0.005, steps_per_frame=4)
    with pytest.raises(TrajectoryError, match="another scene or other settings"):
        simulate(pushed(), finer, tmp_path / "run", resume=True)
