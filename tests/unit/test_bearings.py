"""Friction in joints that grows with the load: screw, hinge and slider against closed forms."""

from math import atan, pi, tan

import numpy as np
import pytest
from joint_scenes import G, cube, rod, run, scene

from stiction.solver.base.refusal import SceneError
from stiction.solver.model import compile_scene
from stiction.solver.scene import Bearing, Joint, Motor
from stiction.solver.scene_io.scene_file import load_scene, save_scene

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
