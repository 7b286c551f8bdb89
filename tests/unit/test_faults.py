"""Numbers that computing made not finite: said as a fault of the program, in a run that can be read."""

import json

import numpy as np
import pytest

from stiction.solver import steppers
from stiction.solver.cli import main
from stiction.solver.stepping.quiet import steps as quiet_steps
from stiction.solver.trajectory import Trajectory

SLIDER = {"name": "rail", "type": "slider", "bodies": ["world", "b"], "position": [0, 0, 0], "axis": [0, 0, 1]}
# The fourth step begins below this.
FAULTY = -0.004


def scene_file(folder, joints, **body):
    """A file with one box in free fall, or on a joint."""
    box = {"shape": {"type": "box", "size": [1, 0.5, 0.25]}, "material": "m"}
    bodies = [{"name": "a", "motion": "static", "position": [9, 0, 0], **box},
              {"name": "b", "motion": "dynamic", "position": [0, 0, 0], **box, **body}]  # fmt: skip
    path = folder / "scene.json"
    path.write_text(json.dumps({
        "stiction_scene": 1, "gravity": [0, 0, -9.81], "materials": {"m": {"density": 1000, "friction": 0}},
        "bodies": bodies, "joints": joints, "settings": {"time_step": 0.01, "time": 0.1, "steps_per_frame": 2},
    }))  # fmt: skip
    return path


@pytest.mark.parametrize("turn", [[0.8, 0.36, 0.48, 0.0], [1, 0, 0, 0]])
def test_a_body_whose_turning_a_joint_holds(tmp_path, turn, capsys):
    """What is left of its spin after a step is 1e-100 rad/s and less: squares of it are below the smallest number."""
    path = scene_file(tmp_path, [SLIDER], orientation=turn, angular_velocity=[0.1, 0.2, 0.3])
    assert main(["simulate", str(path), "--json"]) == 0
    fallen = json.loads(capsys.readouterr().out)["bodies"]["b"]["position"]
    assert fallen == pytest.approx([0.0, 0.0, -0.5 * 9.81 * 0.1**2], abs=1e-9)


@pytest.mark.parametrize("joints", [[SLIDER], []], ids=["on a joint", "free"])
def test_a_fault_names_step_body_and_joint_and_leaves_a_run(tmp_path, joints, monkeypatch, capsys):
    drifted = steppers.drifted

    def faulty(model, position, orientation, twist, time):
        after = drifted(model, position, orientation, twist, time)
        if position[1, 2] < FAULTY:
            after[1][1] = np.nan
        return after

    monkeypatch.setattr(steppers, "drifted", faulty)
    # Quiet steps drift in kernels.
    monkeypatch.setattr(quiet_steps, "is_able", lambda *_: False)
    path = scene_file(tmp_path, joints, angular_velocity=[0, 0, 0.0 if joints else 30.0])
    folder = tmp_path / "run"
    assert main(["simulate", str(path), "--json", "--output", str(folder)]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["fault"] == said["notes"][0]
    assert "step 4, to 0.04 s, body 'b'" + (" on joint 'rail'" if joints else "") in said["fault"]
    assert "a fault of the program, not of your scene" in said["fault"]
    assert "repair" not in said["fault"]
    run = Trajectory.load(folder)
    assert run.fault == said["fault"]
    assert not run.complete
    assert run.times == pytest.approx([0.0, 0.02, 0.03])
    assert np.isfinite(run.center_of_mass).all()
    assert np.isfinite(run.orientations).all()
