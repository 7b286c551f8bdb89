"""Joints that let go and hold again at given times."""

import dataclasses

import numpy as np
import pytest

from stiction.solver.base.refusal import SceneError
from stiction.solver.model import compile_scene
from stiction.solver.results.verdict import judge
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.scene import Body, Joint, Motion, Scene
from stiction.solver.scene_io.scene_file import load_scene, save_scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import options_for, simulate

CUBE = Box((1.0, 1.0, 1.0))


def hung(*switches, time=1.0, type="fixed", **more):
    """A cube that a joint holds 2 m over another, and its heights (F,) at 25 frames a second."""
    bodies = Body("wall", CUBE, motion=Motion.STATIC), Body("cube", CUBE, position=(0.0, 0.0, 2.0))
    joint = Joint("j", type, ("wall", "cube"), position=(0.0, 0.0, 1.0), switches=switches)
    scene = Scene(bodies, joints=(joint,))
    return scene, SimulationOptions(time=time, time_step=0.01, **more)


def fallen(run, since):
    """Whether a body fell freely from 2 m since a time [s]."""
    times = np.maximum(run.times - since, 0.0)
    return run.positions[:, 1, 2] == pytest.approx(2.0 - 0.5 * 9.81 * times**2, abs=1e-9)


@pytest.mark.parametrize("type", ["fixed", "ball"])
def test_a_joint_lets_go_at_its_time(type):
    run = simulate(*hung(0.3, type=type, time=0.6))
    assert fallen(run, 0.3)
    joints = run.joints[run.times > 0.35, 0]
    assert not joints[:, 2:].any(), "what is off has neither error nor load"


def test_a_joint_holds_again_where_it_held():
    scene, options = hung(0.0, 0.2, 0.6, time=0.8)
    heights = simulate(scene, options).positions[:, 1, 2]
    times = np.arange(len(heights)) * options.time_step * options.steps_per_frame
    off = times <= 0.2
    assert heights[off] == pytest.approx(2.0 - 0.5 * 9.81 * times[off] ** 2, abs=1e-9)
    assert heights[(times > 0.25) & (times <= 0.6)] == pytest.approx(2.0, abs=1e-6)
    assert heights[-1] == pytest.approx(2.0 - 0.5 * 9.81 * 0.2**2, abs=1e-6)


@pytest.mark.parametrize("kind", ["fixed", "hinge"])
@pytest.mark.parametrize(("turn", "word"), [(1.0, "good"), (2.0, "poor")])
def test_a_joint_that_holds_again_beyond_a_right_angle_is_no_good_result(kind, turn, word):
    """Half a turn off its rows are met, too: it was held there, with a reported error of 0, and called good."""
    body = Body("a", Box((0.2, 0.2, 0.4)), angular_velocity=(turn / 0.3, 0.0, 0.0))
    joint = Joint("j", kind, ("world", "a"), axis=(0.0, 0.0, 1.0), switches=(0.0, 0.3))
    scene = Scene((body,), joints=(joint,), gravity=(0.0, 0.0, 0.0))
    verdict = judge(simulate(scene, options_for(scene, time=0.8, time_step=0.01)))
    assert verdict.word == word
    wanted = f"joint 'j' held again at 0.3 s turned by {np.degrees(turn):.0f} degrees"
    assert (word == "good") != any(reason.startswith(wanted) for reason in verdict.reasons)


def test_what_sleeps_wakes_when_its_joint_lets_go():
    scene, options = hung(1.5, time=2.0)
    assert fallen(simulate(scene, dataclasses.replace(options, sleeping=True)), 1.5)


def test_a_run_goes_on_with_the_same_bits(tmp_path):
    scene, options = hung(0.2, 0.4, time=0.8)
    whole = simulate(scene, options)
    simulate(scene, dataclasses.replace(options, time=0.32), output=tmp_path / "run")
    again = simulate(scene, options, output=tmp_path / "run", resume=True)
    assert np.array_equal(again.positions, whole.positions)


def test_switches_are_kept_in_a_file(tmp_path):
    scene, _ = hung(0.0, 0.5)
    save_scene(tmp_path / "scene.json", scene)
    assert load_scene(tmp_path / "scene.json").joints[0].switches == (0.0, 0.5)


@pytest.mark.parametrize("switches", [(-0.1,), (0.2, 0.1), (np.nan,), (0.1, 0.1)])
def test_times_that_are_none_are_refused(switches):
    with pytest.raises(SceneError, match="joint 'j': switches are .*rising times of 0 or more"):
        compile_scene(hung(*switches)[0])


def test_joint_of_two_that_never_move_is_refused():
    scene, _ = hung()
    still = dataclasses.replace(scene.bodies[1], motion=Motion.STATIC)
    with pytest.raises(SceneError, match="neither 'wall' nor 'cube' moves freely"):
        compile_scene(dataclasses.replace(scene, bodies=(scene.bodies[0], still)))
