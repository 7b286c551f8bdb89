"""Where joints push in a step: where the bodies are in the mean over it, if only gravity drives them."""

from dataclasses import replace

import numpy as np
import pytest
from joint_scenes import cube, hinged_rod, run, scene

from stiction.solver import steppers
from stiction.solver.dynamics.jointed.projection import place_of_joints, swinging
from stiction.solver.dynamics.rigid import drifted, free_twist
from stiction.solver.scene import Body, Joint, Motion, Motor, Servo, Spring
from stiction.solver.scenes.jointed.machines import joint_top
from stiction.solver.shapes import SHAPES
from stiction.solver.simulation import compiled, options_for
from stiction.solver.stepping.quiet import steps as quiet_steps
from stiction.solver.validation.run import run as standing

G, H = 9.81, 0.01


def middle(model, state):
    """(position, orientation, Place where joints push) in the middle of the next step of H seconds."""
    position, orientation, twist = drifted(model, state.position, state.orientation, state.twist, 0.5 * H)
    shift = H / 6 * (free_twist(model, twist, H) - twist)
    return position, orientation, place_of_joints(model, state, position, orientation, shift)


def angle(position):
    return np.arctan2(position[0, 0], -position[0, 2])


@pytest.mark.parametrize("rate", [0.0, -2.0])
def test_a_sixth_of_the_acceleration_beyond_the_middle(rate):
    """A rod of 1 m on a hinge, 60 degrees from hanging: its angle is that of the motion in the mean over the step."""
    model, state = compiled(hinged_rod(60.0), options_for(hinged_rod(60.0), time=1.0, time_step=H))
    start = angle(state.position)
    axis = np.array([0.0, -1.0, 0.0])
    state.twist[0] = rate * np.array([*np.cross(axis, state.position[0]), *axis])
    _, _, place = middle(model, state)
    gain = -1.5 * G * np.sin(start)
    assert angle(place.position) - start == pytest.approx(0.5 * H * rate + H**2 / 6 * gain, abs=3e-6)
    assert np.linalg.norm(place.position[0]) == pytest.approx(0.5, abs=1e-7)


def test_a_step_asks_for_a_sixth(monkeypatch):
    """The mean of a fall over a step is a sixth of g h^2 beyond where the velocity at its start takes a body until its
    middle."""
    found, real = [], steppers.place_of_joints
    monkeypatch.setattr(quiet_steps, "is_able", lambda *_: False)
    monkeypatch.setattr(steppers, "place_of_joints", lambda *given: found.append(given[-1]) or real(*given))
    run(hinged_rod(60.0), H)
    assert found[0][0] == pytest.approx([0.0, 0.0, -(H**2) / 6 * G, 0.0, 0.0, 0.0], rel=1e-12, abs=1e-15)


def test_at_rest_where_the_bodies_are():
    """A rod that a servo holds out: what gravity would do to it alone does not matter."""
    result = run(hinged_rod(60.0, servo=Servo(0.0, 1e4, 500.0)), 2.0)
    position, orientation, place = middle(result.model, result.state)
    assert np.abs(place.position - result.state.position).max() < 1e-11
    assert np.abs(position - result.state.position).max() < 1e-11


@pytest.mark.parametrize("more", [{"motor": Motor(1.0)}, {"spring": Spring(5.0)}, {"friction": 0.1}], ids=str)
def test_what_more_drives_is_pushed_in_the_middle(more):
    """Decided for each group from its own: of two pendulums one is driven."""
    alone, driven = hinged_rod(60.0).bodies[0], cube("driven", (3.0, 0.0, -0.5))
    axle = Joint("axle", "hinge", ("world", "driven"), (3, 0, 0), (0, 1, 0), **more)
    made = scene([alone, driven], [*hinged_rod(60.0).joints, axle])
    assert swinging(*compiled(made, options_for(made, time=1.0))).tolist() == [True, False]


def test_limits_and_contacts_count_while_they_press():
    floor = Body("floor", SHAPES["box"]((4.0, 4.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -1.0))
    rod = hinged_rod(60.0, limits=(-0.2, 0.2))
    stopped = run(rod, 1.0)
    assert swinging(*compiled(rod, options_for(rod, time=1.0))).all()
    assert not swinging(stopped.model, stopped.state).any()
    made = scene([cube("lever", (0.3, 0.0, -0.35), collides_with=None), floor],
                 [Joint("pin", "hinge", ("world", "lever"), (0, 0, 0), (0, 1, 0))])  # fmt: skip
    lies = run(made, 1.0)
    assert not swinging(lies.model, lies.state)[0]


@pytest.mark.parametrize("friction", [0.0, 1e-9], ids=["free", "friction"])
def test_a_top_precesses_evenly_whatever_else_acts_in_its_joint(friction):
    """With the motion going on from poses that were closed in the middle it nutated by 1.9 degrees."""
    scene, _ = joint_top()
    joints = tuple(replace(joint, friction=friction) for joint in scene.joints)
    result = standing(replace(scene, joints=joints), 1.0, H)
    tilt = np.degrees(np.arccos(result.turn(0)[:, 2, 2]))
    assert np.abs(tilt - 30.0).max() < 0.05


def test_rows_of_the_end_halve_the_error_of_a_double_pendulum():
    """Two bars fall from the side for 0.6 s. With rows of the middle their error at 5 ms is 1.2e-2 [m, m/s, rad/s]."""
    bars = [Body(f"bar{k}", SHAPES["box"]((0.3, 0.05, 0.08)), position=(0.15 + 0.3 * k, 0, 0)) for k in range(2)]
    pins = [Joint(f"pin{k}", "hinge", (on, f"bar{k}"), (0.3 * k, 0, 0), (0, 1, 0))
            for k, on in enumerate(("world", "bar0"))]  # fmt: skip
    ends = [run(scene(bars, pins), 0.6, h).state for h in (0.005, 0.00125)]
    off = [np.abs(getattr(ends[0], name) - getattr(ends[1], name)).max() for name in ("position", "twist")]
    assert max(off) < 8e-3
