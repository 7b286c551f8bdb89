"""Drives whose target changes: a motor follows its keyed speed, a servo its keyed place."""

import json

import numpy as np
import pytest
from joint_scenes import coordinate, cube, run, scene

from stiction.solver.base.refusal import SceneError
from stiction.solver.model import compile_scene
from stiction.solver.scene import Joint, Keyed, Motor, Servo
from stiction.solver.scene_io.scene_file import load_scene, save_scene, scene_digest


def wheel(**drive):
    return scene([cube("wheel", (0, 0, 0))], [Joint("axle", "hinge", ("world", "wheel"), **drive)], (0, 0, 0))


def test_motor_follows_its_keyed_speed():
    """From 0 to 4 rad/s in a second, then backwards: the speed at every step's end is the keyed one, and the angle its
    integral."""
    keys = Keyed((0.0, 1.0, 2.0), (0.0, 4.0, -4.0))
    rates, made = [], wheel(motor=Motor(keys))
    done = run(made, 2.0, each=lambda k, state, _: rates.append(state.twist[0, 5]))
    times = 0.01 * np.arange(1, 201)
    assert rates == pytest.approx(list(np.interp(times, keys.times, keys.values)), abs=1e-9)
    assert coordinate(done.model, done.state) == pytest.approx(2.0, abs=1e-9)


def test_servo_follows_its_keyed_angle_within_limits_of_its_strength():
    keys = Keyed((0.0, 0.5, 1.0, 2.0), (0.0, 0.0, 1.0, 1.0))
    done = run(wheel(servo=Servo(keys, 1e8, 10.0)), 0.75)
    assert coordinate(done.model, done.state) == pytest.approx(0.5, abs=1e-6)
    done = run(wheel(servo=Servo(keys, 1e4, 10.0)), 3.0)
    assert coordinate(done.model, done.state) == pytest.approx(1.0, abs=1e-6)
    weak = run(wheel(servo=Servo(keys, 1e8, 10.0, max=1e-4)), 0.75)
    assert coordinate(weak.model, weak.state) < 0.05


def test_keyed_drives_of_one_island_survive_beside_another():
    """Rows are picked when islands are stepped alone: each keeps its own keys."""
    keys = [Keyed((0.0, 1.0), (0.0, 1.0 + i)) for i in range(3)]
    made = scene(
        [cube(f"w{i}", (3.0 * i, 0, 0)) for i in range(3)],
        [Joint(f"a{i}", "hinge", ("world", f"w{i}"), (3.0 * i, 0, 0), motor=Motor(keys[i])) for i in range(3)],
        (0, 0, 0),
    )  # fmt: skip
    model, _ = compile_scene(made)
    part = model.joints.of(np.array([1, 2]), 3)
    assert [key.values[1] for key in part.keyed] == [key.values[1] for key in model.joints.keyed[1:]]
    assert [key.row for key in part.keyed] == [int(r) for r in np.flatnonzero(part.rows.role == 2)]
    assert model.joints.of(np.array([1, 2]), 3) is part, "they are picked once"
    assert model.joints.of(np.array([0, 1]), 3).names == ("a0", "a1")
    done = run(made, 1.0, sleeping=True)
    assert done.state.twist[:, 5] == pytest.approx([1.0, 2.0, 3.0], abs=1e-9)


def test_scene_file_round_trip(tmp_path):
    made = wheel(motor={"rz": Motor(Keyed((0.0, 1.0), (0.0, 2.0)), 5.0)})
    save_scene(tmp_path / "a.json", made)
    again = load_scene(tmp_path / "a.json")
    assert again.joints == made.joints
    assert scene_digest(again) == scene_digest(made)
    entry = json.loads((tmp_path / "a.json").read_text())["joints"][0]["motor"]["rz"]
    assert entry["velocity"] == {"times": [0.0, 1.0], "values": [0.0, 2.0]}


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (Keyed((0.0, 1.0), (0.0,)), ["2 times", "1 values"]),
        (Keyed((0.0, 0.0), (0.0, 1.0)), ["times[1]", "sort"]),
        (Keyed((0.0,), (float("nan"),)), ["finite"]),
        (Keyed((), ()), ["0 times"]),
    ],
)
def test_refusals(keys, words):
    with pytest.raises(SceneError) as told:
        compile_scene(wheel(motor=Motor(keys)))
    assert "'axle'" in str(told.value)
    for word in words:
        assert word in str(told.value)
