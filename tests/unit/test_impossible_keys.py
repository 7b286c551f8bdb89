"""Keys that press or pull harder than anything can yield: said with step, bodies and keys, and what there is stays."""

import json

import numpy as np
import pytest

from stiction.solver.cli import main
from stiction.solver.runs.simulation_options import EFFORT
from stiction.solver.trajectory import Trajectory

TURN = [1.0, 0.0, 0.0, 0.0]


def piston(restitution, tilt):
    """A rod on a slider, pressed across it by a keyed box."""
    turn = [np.cos(tilt / 2), 0, np.sin(tilt / 2), 0]
    ways = [[0.1, 0, 0.6], [0.1, 0, 0.3], [0.1, 0, 0.3]]
    press = keyed("press", {"type": "box", "size": [0.5, 0.5, 0.5]}, ways, turn)
    rod = {"name": "rod", "motion": "dynamic", "material": "m", "shape": {"type": "box", "size": [1, 0.2, 0.2]}}
    rail = {"name": "s", "type": "slider", "bodies": ["world", "rod"], "position": [0, 0, 0], "axis": [1, 0, 0]}
    return scene([press, rod], [rail], restitution)


def chain(count, length, left, right):
    """A straight chain of links between the world or a keyed hand, where `left` is given, and a hand: how far each is
    moved along it in the first second [m]."""
    link = {"type": "box", "size": [0.9 * length, 0.1 * length, 0.1 * length]}
    rods = [{"name": f"rod{k}", "motion": "dynamic", "material": "m", "position": [length * (k + 0.5), 0, 0],
             "shape": link} for k in range(count)]  # fmt: skip
    hands = [hand("left", -0.2 * length, left, length)] if left else []
    hands += [hand("right", (count + 0.2) * length, right, length)]
    ends = ["left" if left else "world", *[rod["name"] for rod in rods], "right"]
    joints = [{"name": f"j{k}", "type": "ball", "bodies": ends[k : k + 2], "position": [length * k, 0, 0]}
              for k in range(count + 1)]  # fmt: skip
    return scene([*rods, *hands], joints, 0.0)


def hand(name, x, way, length):
    """A keyed ball that is moved `way` [m] along x in a second."""
    return keyed(name, {"type": "sphere", "radius": 0.1 * length}, [[x, 0, 0], [x + way, 0, 0], [x + way, 0, 0]], TURN)


def keyed(name, shape, positions, turn):
    """A keyed body of a scene file."""
    keys = {"times": [0, 1, 2], "positions": positions, "orientations": [list(turn)] * 3}
    return {"name": name, "motion": "kinematic", "material": "m", "shape": shape, "position": positions[0],
            "orientation": list(turn), "keys": keys}  # fmt: skip


def scene(bodies, joints, restitution):
    """A scene file's contents."""
    material = {"density": 1000, "friction": 0.0, "restitution": restitution}
    return {"stiction_scene": 1, "combine": "product", "materials": {"m": material}, "bodies": bodies, "joints": joints,
            "settings": {"time_step": 0.01, "time": 1.0}}  # fmt: skip


@pytest.mark.parametrize(
    ("given", "bodies", "least"),
    [
        (piston(1.0, 0.01), ("rod", "press"), 0.7),
        (chain(4, 1.0, None, 0.2), ("rod", "right"), 0.0),
        (chain(48, 0.1, -0.1, 0.1), ("rod", "left", "right"), 0.0),
    ],
    ids=["little tilt", "chain", "rope"],
)  # fmt: skip
def test_keys_that_nothing_can_follow_end_the_run_with_their_names(tmp_path, given, bodies, least, capsys):
    path, folder = tmp_path / "given.json", tmp_path / "run"
    path.write_text(json.dumps(given))
    assert main(["simulate", str(path), "--json", "--output", str(folder)]) == 1
    out, err = capsys.readouterr()
    said = json.loads(out)
    assert said["verdict"] == "poor"
    assert said["fault"] == said["notes"][0]
    assert "harder than anything can yield" in said["fault"]
    assert all(f"'{name}" in said["fault"] for name in bodies)
    assert "your scene" not in said["fault"] and "repair" not in out + err and "Warning" not in err
    run = Trajectory.load(folder)
    assert run.times[-1] >= least
    assert np.abs(run.velocities).max() < 100 * 0.3


def test_a_wedge_gives_its_speed_on_and_is_no_fault(tmp_path, capsys):
    """A keyed wedge of 3 degrees drives a block sideways at 19 times its own speed."""
    tilt = np.radians(3.0)
    turn = [np.cos(tilt / 2), 0, np.sin(tilt / 2), 0]
    size, way = [4.0, 0.2, 0.2], 0.02
    wedge = keyed("wedge", {"type": "box", "size": size}, [[0, 0, 0.5], [0, 0, 0.5 - way], [0, 0, 0.5 - way]], turn)
    # The lower face passes this far above the middle of the block, whose corner it meets.
    top = 0.5 - 0.1 / np.cos(tilt) - 0.5 * way
    corner = top - np.tan(tilt) * 0.1
    block = {"name": "block", "motion": "dynamic", "material": "m", "shape": {"type": "box", "size": [0.2, 0.2, 0.2]},
             "position": [0, 0, corner - 0.1]}  # fmt: skip
    rail = {"name": "s", "type": "slider", "bodies": ["world", "block"], "position": [0, 0, 0], "axis": [1, 0, 0]}
    given = scene([wedge, block], [rail], 0.0)
    path = tmp_path / "given.json"
    path.write_text(json.dumps(given))
    assert main(["simulate", str(path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["fault"] == ""
    assert said["bodies"]["block"]["drift"] > 10 * 0.5 * way


def test_keys_that_stand_still_demand_nothing(tmp_path, capsys):
    """Round-off between two equal keys was a speed in a short step, which a straight chain without gravity cannot
    follow: a frame of it took seconds."""
    given = chain(4, 1.0, None, 0.0) | {"gravity": [0, 0, 0]}
    given["settings"] |= {"time_step": 1 / 96, "time": 0.1}
    given["bodies"][-1]["keys"]["times"] = [0, 5 / 24, 17 / 24]
    path = tmp_path / "given.json"
    path.write_text(json.dumps(given))
    assert main(["simulate", str(path), "--json", "--output", str(tmp_path / "run")]) == 0
    steps = Trajectory.load(tmp_path / "run").steps
    assert (steps["converged"] == 1).all()
    assert (steps["substeps"] == 1).all()


@pytest.mark.parametrize("effort", ["10000", pytest.param(str(EFFORT), marks=pytest.mark.slow)])
@pytest.mark.parametrize("restitution", [1.0, 0.0])
def test_a_rod_pressed_where_its_joint_holds_it_is_not_shot_away_and_named(tmp_path, restitution, effort, capsys):
    """It was at 8 km/s, or ended in numbers that are none. No halves of a step answer what it does not: 22 steps took a
    minute."""
    path = tmp_path / "given.json"
    path.write_text(json.dumps(piston(restitution, 0.05)))
    assert main(["simulate", str(path), "--json", "--effort", effort, "--output", str(tmp_path / "run")]) == 1
    assert Trajectory.load(tmp_path / "run").steps["substeps"].max() == 1
    said = json.loads(capsys.readouterr().out)
    assert said["verdict"] == "poor" and said["time"] == 1.0
    assert "left bodies in each other, by up to" in said["notes"][0]
    assert "'rod'" in said["notes"][0] and "'press'" in said["notes"][0]
    assert said["energy"]["kinetic"] < 1e-6
