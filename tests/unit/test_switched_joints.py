"""Joints that let go and hold again at given times."""

import dataclasses

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from verified_scenes import edit_recording

from stiction.solver.base.refusal import SceneError
from stiction.solver.collision.depths import depths_between
from stiction.solver.model import compile_scene
from stiction.solver.results.verdict import judge
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.scene import Body, Joint, Motion, Scene
from stiction.solver.scene_io.scene_file import load_scene, save_scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import options_for, simulate
from stiction.solver.verify import verify

TURN = 2.0 * np.pi
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


def met_again(kind, angle, axis=(0.2, 1.0, 0.3), **more):
    """The run of two equal boxes of which one turns by an angle [rad] about an axis until a joint holds it again."""
    box, spin = Box((0.2, 0.2, 0.4)), np.array(axis) / np.linalg.norm(axis) * angle / 0.3
    bodies = Body("a", box), Body("b", box, angular_velocity=tuple(spin.tolist()))
    joint = Joint("j", kind, ("a", "b"), axis=(0.0, 0.0, 1.0), switches=(0.0, 0.3), **more)
    scene = Scene(bodies, joints=(joint,), gravity=(0.0, 0.0, 0.0))
    return simulate(scene, options_for(scene, time=0.4, time_step=0.01))


def turn_between(run, frame):
    """Orientation of the second body seen from the first."""
    a, b = (Rotation.from_quat(run.orientations[frame, i], scalar_first=True) for i in range(2))
    return a.inv() * b


@pytest.mark.parametrize("kind", ["fixed", "slider", "hinge", "cylindrical", "planar", "universal"])
@pytest.mark.parametrize("angle", [1.0, 2.0, 3.0, np.pi, 4.0])
def test_a_joint_that_holds_again_turns_back_the_short_way(kind, angle):
    """Half a turn off its rows were met, too: it was held there, or thrown. It holds as it was made, and brings little
    energy."""
    run = met_again(kind, angle, **{"axis2": (0.0, 1.0, 0.0)} if kind == "universal" else {})
    R = turn_between(run, -1).as_matrix()
    if kind in ("fixed", "slider"):
        np.testing.assert_allclose(R, np.eye(3), atol=1e-9)
    elif kind == "universal":
        assert abs(R[2, 1]) < 1e-9
    else:
        assert R[2, 2] == pytest.approx(1.0, abs=1e-12)
    assert run.joints[:, 0, 3].max() < 1e-9
    # As much as its angular momentum asks for where it is taken.
    assert run.steps["kinetic"][-1] <= run.steps["kinetic"][0] * 1.2
    assert judge(run).word == "good"


@pytest.mark.parametrize(("angle", "back"), [(2.0, 2.0), (3.0, 3.0), (3.3, 3.3 - TURN), (7.0, 7.0 - TURN)])
def test_both_bodies_go_half_of_the_shorter_way(angle, back):
    run = met_again("fixed", angle, axis=(0.0, 0.0, 1.0))
    frame = int(np.searchsorted(run.times, 0.3 - 1e-9))
    turned = Rotation.from_quat(run.orientations[frame + 1, 0], scalar_first=True).as_rotvec()
    assert turned == pytest.approx([0.0, 0.0, 0.5 * (back + angle / 30.0)], abs=1e-6)


def test_turns_made_while_a_joint_is_off_are_not_turned_back():
    """Three turns and a half radian, within the limits: it was said to be 19.3 rad beyond them, and stopped dead."""
    run = met_again("hinge", 6.0 * np.pi + 0.5, axis=(0.0, 0.0, 1.0), limits=(-1.0, 1.0))
    held = run.times > 0.3
    assert np.all(np.abs(run.joints[held, 0, 0]) < 1.0 + 1e-9)
    assert run.joints[held, 0, 0][0] == pytest.approx(0.5, abs=1.0)


def test_where_a_joint_holds_again_is_verified(tmp_path):
    """Two boxes that gravity parts: their jump back is the joint's; said to hold again later it is a body's own."""
    box = Box((0.2, 0.2, 0.4))
    bodies = Body("a", box, position=(0.0, 0.0, 3.0)), Body("b", box, velocity=(0.3, 0.0, 0.0),
                                                          angular_velocity=(6.0, 2.0, 1.0))  # fmt: skip
    joints = (Joint("j", "hinge", ("a", "b"), position=(0.0, 0.0, 1.5), axis=(1.0, 0.0, 0.0), switches=(0.0, 0.4)),
              Joint("top", "ball", ("world", "a"), position=(0.0, 0.0, 3.2)))  # fmt: skip
    scene = Scene(bodies, joints=joints)
    simulate(scene, options_for(scene, time=0.8, time_step=0.01, store_contacts=True), tmp_path / "run")
    found = verify(tmp_path / "run")
    assert found["passed"], [check for check in found["checks"] if not check["passed"]]
    edit_recording(tmp_path / "run", lambda said: said["joints"][0].update(switches=[0.0, 0.6]))
    assert not verify(tmp_path / "run")["passed"]


@pytest.mark.parametrize("kind", ["fixed", "hinge", "ball"])
def test_overlap_that_a_joint_makes_is_told(kind):
    """A box that a joint takes back to where another one is by then: it was told to overlap by nothing in that step,
    and by a part of what it did in the next."""
    box = Box((0.2, 0.2, 0.2))
    bodies = (Body("a", box, velocity=(3.0, 0.0, 0.0), angular_velocity=(0.0, 4.0, 0.0)),
              Body("b", box, position=(-0.65, 0.02, 0.03), velocity=(1.8, 0.0, 0.0), mass=1000.0))  # fmt: skip
    joint = Joint("j", kind, ("world", "a"), position=(0.0, 0.0, 0.0), switches=(0.0, 0.3))
    scene = Scene(bodies, joints=(joint,), gravity=(0.0, 0.0, 0.0))
    run, (model, _) = simulate(scene, options_for(scene, time=0.4, time_step=0.01)), compile_scene(scene)
    ends = np.array([0]), np.array([1])
    real = np.array([depths_between(model.collision, x, q, ends)[0]
                     for x, q in zip(run.positions[1:], run.orientations[1:], strict=True)])  # fmt: skip
    assert run.steps["overlap"].max() > 0.05
    assert np.all(run.steps["overlap"] >= real * (1.0 - 1e-6) - 1e-9)


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
