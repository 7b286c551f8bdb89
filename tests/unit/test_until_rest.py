"""Runs until rest: they end once every body has come to rest, and say which have not."""

import json

import numpy as np
import pytest

import stiction as st
from stiction.solver.cli import main
from stiction.solver.results.verdict import judge

FLOOR = st.Body("floor", st.Box((10, 10, 1)), motion=st.Motion.STATIC, position=(0, 0, -0.5))


def fall(height, **body):
    """A cube that falls onto a floor."""
    return st.Scene((FLOOR, st.Body("cube", st.Box((0.2, 0.2, 0.2)), position=(0, 0, 0.1 + height), **body)))


def test_a_run_ends_half_a_second_after_the_last_impact():
    run = st.simulate(fall(0.2), time=20.0, until_rest=True, progress=False)
    assert run.trajectory.stopped == "all bodies are at rest"
    # It falls for 0.2 s; it lies for half a second.
    assert 0.7 <= run.time[-1] < 1.5
    assert run.position[-1, 1, 2] == pytest.approx(0.1, abs=1e-4)
    assert np.abs(run.velocity[-1]).max() < 1e-4
    assert judge(run.trajectory).word == "good"


def test_what_does_not_come_to_rest_is_named():
    run = st.simulate(fall(0.0, velocity=(3.0, 0, 0)), time=0.3, until_rest=True, progress=False)
    verdict = judge(run.trajectory)
    assert verdict.word == "poor"
    assert "it did not come to rest by 0.3 s, still moving: 'cube'" in verdict.reasons[0]


def test_without_gravity_what_moves_does_not_rest():
    floating = st.Scene((st.Body("ball", st.Sphere(0.1), velocity=(1e-3, 0, 0)),), gravity=(0, 0, 0))
    run = st.simulate(floating, time=1.0, until_rest=True, progress=False)
    assert run.trajectory.stopped == ""


@pytest.mark.parametrize(("time", "code"), [("10", 0), ("0.1", 1)])
def test_on_the_command_line(tmp_path, time, code, capsys):
    box = {"type": "box", "size": [0.2, 0.2, 0.2]}
    path = tmp_path / "scene.json"
    path.write_text(json.dumps({
        "stiction_scene": 1, "materials": {"m": {"density": 1000, "friction": 0.5}},
        "bodies": [{"name": "floor", "motion": "static", "material": "m", "shape": {"type": "box", "size": [9, 9, 1]},
                    "position": [0, 0, -0.5]},
                   {"name": "cube", "motion": "dynamic", "material": "m", "shape": box, "position": [0, 0, 0.3]}],
    }))  # fmt: skip
    assert main(["simulate", "--until-rest", str(path), "--time", time, "--json"]) == code
    out, err = capsys.readouterr()
    said = json.loads(out)
    assert ("did not come to rest" in err) == (code == 1)
    assert said["stopped"] == ("" if code else "all bodies are at rest")
    assert said["bodies"]["cube"]["position"][2] == pytest.approx(0.1, abs=0.2 if code else 1e-4)


def test_a_deformable_body_comes_to_rest():
    cube = st.Body("jelly", st.Box((0.2, 0.2, 0.2)), position=(0, 0, 0.11),
                   elastic=st.Elastic(young=1e5, element_size=0.1, damping=(2.0, 1e-2)))  # fmt: skip
    run = st.simulate(st.Scene((FLOOR, cube)), time=10.0, until_rest=True, progress=False)
    assert run.trajectory.stopped == "all bodies are at rest"
