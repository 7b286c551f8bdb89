"""Friction in joints that grows with the load: screw, hinge and slider against closed forms."""

from dataclasses import replace
from math import atan, pi, tan

import numpy as np
import pytest
from joint_scenes import G, cube, rod, run, scene

from stiction.solver.base.refusal import SceneError
from stiction.solver.model import compile_scene
from stiction.solver.scene import Bearing, Joint, Motor
from stiction.solver.scene_io.scene_file import load_scene, save_scene
from stiction.solver.scenes import build
from stiction.solver.simulation import SimulationOptions, simulate

LEAD, RADIUS = 0.005, 0.01
RISE = atan(LEAD / (2 * pi * RADIUS))


def jack(mu, torque=0.0, speed=0.0):
    """A nut of 100 N on an upright screw."""
    motor = Motor(speed, torque) if torque else None
    return scene([cube("nut", (0, 0, 0), 0.02, 100.0 / G)],
                 [Joint("thread", "screw", ("world", "nut"), lead=LEAD, bearing=Bearing(mu, RADIUS), motor=motor)])


@pytest.mark.parametrize(("factor", "turns"), [(0.999, False), (1.001, True)])
@pytest.mark.parametrize("way", [1, -1])
def test_torque_that_turns_a_loaded_screw(factor, turns, way):
    """W r tan(friction angle +- rise)."""
    torque = 100.0 * RADIUS * tan(atan(0.15) + way * RISE)
    done = run(jack(0.15, factor * torque, 5.0 * way), 0.1)
    assert (np.abs(done.state.twist).max() > 1e-9) == turns


@pytest.mark.parametrize(("factor", "holds"), [(0.999, False), (1.001, True)])
def test_a_screw_holds_itself_beyond_the_tangent_of_its_rise(factor, holds):
    assert (np.abs(run(jack(factor * tan(RISE)), 0.1).state.twist).max() < 1e-9) == holds


@pytest.mark.parametrize("substeps", [1, 4])
def test_a_flywheel_slows_by_its_weight_on_the_bearing(substeps):
    """mu R m g about a level axle, whatever the step."""
    wheel = cube("wheel", (0, 0, 0), mass=2.0)
    wheel = type(wheel)(**{**vars(wheel), "angular_velocity": (0.0, 5.0, 0.0)})
    made = scene([wheel], [Joint("axle", "hinge", ("world", "wheel"), axis=(0, 1, 0), bearing=Bearing(0.2, 0.01))])
    done = run(made, 0.5, substeps=substeps)
    inertia = 2.0 * 0.2**2 / 6
    assert done.state.twist[0, 4] == pytest.approx(5.0 - 0.2 * 0.01 * 2.0 * G * 0.5 / inertia, rel=1e-4)


@pytest.mark.parametrize("axis", [(np.cos(pi / 6), 0.0, -0.5), (1 / 3, 2 / 3, -2 / 3)])
def test_a_slider_slides_by_mu_of_what_presses_on_it(axis):
    """On an inclined guide: g (sin a - mu cos a), also where two rows of the joint share the load."""
    guide = Joint("guide", "slider", ("world", "box"), axis=axis, bearing=Bearing(0.3))
    made = scene([cube("box", (0, 0, 0))], [guide])
    done = run(made, 0.5)
    speed = done.state.twist[0, :3] @ axis
    assert speed == pytest.approx(0.5 * G * (-axis[2] - 0.3 * np.hypot(*axis[:2])), rel=1e-4)


def test_bearings_in_files_and_refusals(tmp_path):
    made = jack(0.15)
    save_scene(tmp_path / "s.json", made)
    assert load_scene(tmp_path / "s.json").joints[0].bearing == Bearing(0.15, RADIUS)
    for kind, bearing, words in (("hinge", Bearing(0.1), "radius is 0.0 m; give more than 0"),
                                 ("slider", Bearing(0.1, 0.1), "radius is 0.1 m; a slider has none"),
                                 ("hinge", Bearing(-0.1, 0.1), "friction is -0.1"),
                                 ("ball", Bearing(0.1, 0.1), "bearing does not belong to a ball")):  # fmt: skip
        with pytest.raises(SceneError, match=words):
            compile_scene(scene([rod("a", (0, 0, 0), (1, 0, 0))], [Joint("j", kind, ("world", "a"), bearing=bearing)]))


@pytest.mark.parametrize("substeps", [0, 2])
def test_a_block_on_a_belt_sticks_and_slips_where_static_friction_is_above_sliding(substeps):
    """Amplitude of the closed form, 0.6 and 0.4 on a belt of 0.2 m/s; with one coefficient it comes to rest."""
    h = 0.004
    x = np.array(simulate(build("stick_slip"), SimulationOptions(time=2.0, time_step=h, steps_per_frame=1,
                                                                 substeps=substeps)).positions[:, 1, 0])  # fmt: skip
    assert 0.5 * np.ptp(x[250:]) == pytest.approx(0.028017, rel=0.03)
    late = np.diff(x[250:]) / h
    assert np.any(np.abs(late - 0.2) < 1e-6) and np.any(late < -0.1), "it sticks, and it slides back"


def test_with_one_coefficient_a_block_on_a_belt_swings_and_never_sticks_again():
    """It leaves the belt at its speed v where the spring takes over: amplitude v / omega, 20 mm."""
    h = 0.004
    options = SimulationOptions(time=2.0, time_step=h, steps_per_frame=1)
    x = simulate(build("stick_slip", static=0.4), options).positions[125:, 1, 0]
    assert 0.5 * np.ptp(x) == pytest.approx(0.02, rel=0.01)
    assert np.count_nonzero(np.abs(np.diff(x) / h - 0.2) < 1e-6) <= 3


def test_static_ratio_in_files_checkpoints_and_refusals(tmp_path):
    made = build("stick_slip")
    save_scene(tmp_path / "s.json", made)
    assert load_scene(tmp_path / "s.json").joints[2].static_ratio == pytest.approx(1.5)
    options = SimulationOptions(time=0.6, time_step=0.01, steps_per_frame=1)
    whole = simulate(made, options).positions
    simulate(made, replace(options, time=0.4), output=tmp_path / "run")
    assert np.array_equal(simulate(made, options, output=tmp_path / "run", resume=True).positions, whole)
    for more, words in (({"static_ratio": 0.5, "friction": 1.0}, "static_ratio is 0.5; give 1 or more"),
                        ({"static_ratio": float("nan"), "friction": 1.0}, "static_ratio is nan"),
                        ({"static_ratio": 1.5}, "the joint has no friction")):  # fmt: skip
        with pytest.raises(SceneError, match=words):
            compile_scene(scene([rod("a", (0, 0, 0), (1, 0, 0))], [Joint("j", "hinge", ("world", "a"), **more)]))
