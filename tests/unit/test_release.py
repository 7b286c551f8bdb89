"""Bodies that hang, or follow keys, until they are released: exact free fall from the pose and velocity they had."""

import dataclasses
import json

import numpy as np
import pytest

from stiction.solver.base.refusal import SceneError
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.scene import Body, Elastic, KeyedPoses, Motion, Scene
from stiction.solver.scene_io.scene_file import load_scene, save_scene
from stiction.solver.shapes import Box, ConvexHull
from stiction.solver.simulation import simulate
from stiction.solver.stepping.step_report import LEDGER

H = 0.01
OPTIONS = SimulationOptions(time=0.6, time_step=H, threads=1)
# A box whose centre of mass is far from the origin of its frame.
ASIDE = ConvexHull(np.array([(x, y, z) for x in (1, 2) for y in (0, 1) for z in (0, 1)], dtype=float))


def still(position=(0.0, 0.0, 3.0)):
    return KeyedPoses([0.0], [position], [(1.0, 0.0, 0.0, 0.0)])


def hanging(release, keys=None, shape=None, position=(0.0, 0.0, 3.0)):
    body = Body("hanging", shape or Box((1.0, 1.0, 1.0)), motion=Motion.KINEMATIC, position=position,
                keys=keys or still(position), switches=tuple(np.atleast_1d(release).tolist()))  # fmt: skip
    return Scene((body,))


def test_body_hangs_and_then_falls_exactly():
    run = simulate(hanging(0.3), OPTIONS)
    height = run.positions[:, 0, 2]
    assert (height[:31] == 3.0).all()
    fall = np.clip(run.times - 0.3, 0, None)
    assert np.abs(height - (3.0 - 0.5 * 9.81 * fall**2)).max() < 1e-12


@pytest.mark.parametrize("shape", [Box((1.0, 1.0, 1.0)), ASIDE], ids=["centred", "aside"])
def test_body_keeps_the_velocity_of_its_keys(shape):
    times = np.array([0.0, 0.5])
    keys = KeyedPoses(times, [(2.0 * t, 0.0, 5.0) for t in times], [(1.0, 0.0, 0.0, 0.0)] * 2)
    run = simulate(hanging(0.2, keys, shape, (0.0, 0.0, 5.0)), OPTIONS)
    assert np.abs(run.positions[:, 0, 0] - 2.0 * run.times).max() < 1e-12
    fall = np.clip(run.times - 0.2, 0, None)
    assert np.abs(run.positions[:, 0, 2] - (5.0 - 0.5 * 9.81 * fall**2)).max() < 1e-12


def test_a_turning_body_flies_off_with_its_centre_of_mass():
    """Turned about the frame's origin, the centre of mass 1.5 m off it moves at omega r when let go."""
    omega, times = 2.0, np.linspace(0, 0.2, 21)
    turns = [(np.cos(0.5 * omega * t), 0.0, 0.0, np.sin(0.5 * omega * t)) for t in times]
    run = simulate(hanging(0.2, KeyedPoses(times, [(0.0, 0.0, 5.0)] * 21, turns), ASIDE, (0.0, 0.0, 5.0)), OPTIONS)
    speed = np.linalg.norm(run.velocities[25, 0, :2])
    assert speed == pytest.approx(omega * np.hypot(1.5, 0.5), rel=1e-3)
    assert run.angular_velocities[25, 0] == pytest.approx((0, 0, omega), abs=1e-9)


def test_what_lies_on_a_released_body_falls_with_it():
    lower = hanging(0.2).bodies[0]
    upper = Body("upper", Box((0.5, 0.5, 0.5)), position=(0.0, 0.0, 3.75))
    run = simulate(Scene((lower, upper)), OPTIONS)
    assert run.positions[20, 1, 2] == pytest.approx(3.75, abs=1e-4)
    assert run.positions[-1, 1, 2] - run.positions[-1, 0, 2] == pytest.approx(0.75, abs=1e-3)
    assert run.positions[-1, 1, 2] < 3.2


def test_resumed_after_the_release_gives_the_same_bits(tmp_path):
    whole = simulate(hanging(0.2), OPTIONS, tmp_path / "whole")
    cut = simulate(hanging(0.2), dataclasses.replace(OPTIONS, time=0.35), tmp_path / "cut")
    assert len(cut.times) == 36
    again = simulate(hanging(0.2), OPTIONS, tmp_path / "cut", resume=True)
    assert np.array_equal(whole.positions, again.positions)
    assert np.array_equal(whole.velocities, again.velocities)
    assert np.array_equal(whole.steps["brought_energy"], again.steps["brought_energy"])


@pytest.mark.parametrize("shape", [Box((1.0, 1.0, 1.0)), ASIDE], ids=["centred", "aside"])
def test_what_a_released_body_brings_is_a_term_of_the_ledger(shape):
    times = np.array([0.0, 0.5])
    keys = KeyedPoses(times, [(2.0 * t, 0.0, 5.0) for t in times], [(1.0, 0.0, 0.0, 0.0)] * 2)
    run = simulate(hanging(0.2, keys, shape, (0.0, 0.0, 5.0)), OPTIONS)
    steps, mass = run.steps, 1000.0
    brought = steps["brought_energy"]
    height = 5.0 if shape is not ASIDE else 5.5
    assert np.flatnonzero(brought).tolist() == [20]
    assert brought[20] == pytest.approx(mass * (0.5 * 2.0**2 + 9.81 * height), rel=1e-9)
    total = steps["kinetic"] + steps["potential"]
    assert np.abs(total - sum(np.cumsum(steps[name]) for name in LEDGER)).max() < 1e-9 * total.max()


def test_switches_are_written_and_read(tmp_path):
    save_scene(tmp_path / "scene.json", hanging([0.25, 0.5]))
    assert load_scene(tmp_path / "scene.json").bodies[0].switches == (0.25, 0.5)


def test_release_of_older_files_is_a_switch(tmp_path):
    save_scene(tmp_path / "scene.json", hanging(0.25))
    data = json.loads((tmp_path / "scene.json").read_text())
    data["bodies"][0]["release"] = data["bodies"][0].pop("switches")[0]
    (tmp_path / "scene.json").write_text(json.dumps(data))
    assert load_scene(tmp_path / "scene.json").bodies[0].switches == (0.25,)


def test_bad_switches_are_refused_by_name():
    body = hanging(-1.0).bodies[0]
    for times in ((-1.0,), (0.2, 0.1), (0.1, 0.1), (np.nan,)):
        with pytest.raises(SceneError, match="body 'hanging': switches are .* s; give rising times"):
            simulate(Scene((dataclasses.replace(body, switches=times),)), OPTIONS)
    with pytest.raises(SceneError, match="body 'hanging': is static but has keyed poses"):
        simulate(Scene((dataclasses.replace(body, motion=Motion.STATIC, switches=(0.1,)),)), OPTIONS)
    with pytest.raises(SceneError, match="body 'hanging': has switches but is deformable"):
        soft = dataclasses.replace(body, motion=Motion.DYNAMIC, keys=None, switches=(0.1,), elastic=Elastic())
        simulate(Scene((soft,)), OPTIONS)
