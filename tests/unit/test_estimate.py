"""The error of a run, stated from a finer one: right within a factor of two where truth is known, silent on chaos."""

import json

import numpy as np
import pytest
from joint_scenes import hinged_rod

from stiction.solver.cli import main
from stiction.solver.meshes.tet_grids import box_grid
from stiction.solver.results.estimate import estimate
from stiction.solver.scene import Body, Elastic, Motion, Scene
from stiction.solver.scenes import build
from stiction.solver.shapes import SHAPES, Tetrahedra
from stiction.solver.simulation import options_for, simulate


def estimated(made, time, h):
    """(Trajectory, estimate) of a scene."""
    settings = options_for(made, time=time, time_step=h, steps_per_frame=1)
    run = simulate(made, settings)
    return run, estimate(made, settings, run)


def test_errors_of_a_pendulum_are_known_within_a_factor_of_two():
    """Against the same at a tenth of the step: its place, its energy and the force in its hinge."""
    made, h = hinged_rod(90.0), 0.02
    run, found = estimated(made, 1.0, h)
    fine = simulate(made, options_for(made, time=1.0, time_step=0.1 * h, steps_per_frame=1))
    assert not found["parted"] and found["until"] == pytest.approx(1.0)
    true = np.linalg.norm(run.center_of_mass[-1] - fine.center_of_mass[-1])
    assert 0.5 * true < found["bodies"]["rod"]["center_of_mass"] < 2.0 * true
    force = fine.joints[1:, 0, 4:7].reshape(50, 10, 3).mean(axis=1)
    off = np.sqrt(np.mean(np.sum((run.joints[1:, 0, 4:7] - force) ** 2, axis=1)))
    rms, change = found["joints"]["pin"]["force"]
    assert 0.5 * off < change < 2.0 * off and rms > 100 * change
    assert found["energy"]["kinetic"][0] == pytest.approx(run.steps["kinetic"][-1])


def test_a_deformable_body_that_turns_about_its_centre_differs_by_its_nodes():
    """Its centre stays; a bar of rubber that turns by 0.3 rad a step stretches otherwise at half the step."""
    bar = Body("bar", Tetrahedra(*box_grid((4, 1, 1), (0.6, 0.1, 0.1))), angular_velocity=(0, 0, 30),
               elastic=Elastic(young=2e4))  # fmt: skip
    made = Scene((bar,), gravity=(0.0, 0.0, 0.0))
    settings = options_for(made, time=0.05, time_step=0.01, steps_per_frame=1)
    run = simulate(made, settings)
    finer = simulate(made, options_for(made, time=0.05, time_step=0.005, steps_per_frame=2))
    found = estimate(made, settings, run)
    change = np.linalg.norm(run.node_positions - finer.node_positions, axis=2)
    assert found["bodies"]["bar"]["center_of_mass"] < 1e-12 < 1e-3 < found["bodies"]["bar"]["node"]
    assert found["bodies"]["bar"]["node"] == pytest.approx(change[-1].max()) and "angle" not in found["bodies"]["bar"]


def test_where_runs_part_is_said_and_nothing_beyond():
    """A ball through rows of pins, each of which makes what is off many times larger."""
    ball, box = SHAPES["sphere"], SHAPES["box"]
    pins = [Body(f"pin{i}{k}", ball(0.1), motion=Motion.STATIC, position=(0.5 * i + 0.25 * (k % 2), 0.0, -0.5 * k))
            for i in range(-6, 7) for k in range(1, 8)]  # fmt: skip
    falling = Body("falling", ball(0.1), position=(0.2501, 0.0, 0.5))
    walls = [Body(f"wall{k}", box((6.0, 0.2, 10.0)), motion=Motion.STATIC, position=(0, 0.21 * (2 * k - 1), -2.0))
             for k in range(2)]  # fmt: skip
    run, found = estimated(Scene((*pins, *walls, falling)), 3.0, 0.01)
    assert found["parted"] and found["body"] == "falling" and 0.2 < found["until"] < 2.9
    assert "the runs part after" in found["sentence"]
    assert found["bodies"]["falling"]["center_of_mass"] < 0.1 * (0.1 + 6.0)


@pytest.mark.parametrize(("name", "h", "impact"), [("bouncing_ball", 1 / 60, True), ("drop10", 1 / 60, True),
                                                  ("stack10", 1 / 60, False), ("sliding_block", 1 / 60, False)])
def test_what_impacts_may_put_bodies_off_by_is_told(name, h, impact):
    """A ball whose bounces fall into the same moments at half the step: both runs agree, and both are off."""
    made = build(name)
    run, found = estimated(made, 1.0, h)
    fine = simulate(made, options_for(made, time=1.0, time_step=h / 37, steps_per_frame=37))
    true = np.linalg.norm(run.center_of_mass[-1] - fine.center_of_mass[-1], axis=1)
    for body, off in zip(run.names, true, strict=True):
        told = found["bodies"][body]
        assert off < 2.0 * told["center_of_mass"] + told["impacts"] + 1e-12
    assert (max(body["impacts"] for body in found["bodies"].values()) > 0.0) == impact
    assert ("impacts happen at times of steps" in found["sentence"]) == impact


def test_the_command_says_energies_and_changes(capsys):
    assert main(["simulate", "bennett", "--time", "0.2", "--estimate", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert set(summary["estimate"]) == {"time_step", "until", "parted", "body", "largest", "energy", "bodies", "joints",
                                        "sentence"}  # fmt: skip
    assert summary["energy"]["elastic"] == 0.0
    assert main(["simulate", "bennett", "--time", "0.2", "--estimate"]) == 0
    said = capsys.readouterr().out
    assert "energy       kinetic" in said and "estimate     at half the time step" in said and "N, torque" in said
    assert main(["simulate", "bennett", "--time", "0.02"]) == 0
    assert "estimate" not in capsys.readouterr().out
