"""Errors of orientation of joints: angles, at whatever turn."""

import numpy as np
import pytest
from joint_scenes import cube

from stiction.solver.dynamics.jointed.rows import linearised_at, rates
from stiction.solver.dynamics.jointed.start.compile import compile_joints
from stiction.solver.dynamics.rigid import moved_poses
from stiction.solver.scene import Joint, Scene


@pytest.mark.parametrize("key", ["fixed", "slider", "hinge", "cylindrical", "planar", "universal"])
@pytest.mark.parametrize("angle", [1e-3, 0.012, 1.5, 3.1, np.pi])
def test_errors_of_orientation_are_angles_at_any_turn(key, angle):
    """The error grows with the turn up to half a turn, and its rates are exact there; closing by the rows' own rates
    takes it away in one move."""
    bodies = [cube("a", (0, 0, 0)), cube("b", (0, 0, 0))]
    joint = Joint("j", key, ("a", "b"), (0, 0, 0), (0, 0, 1), **({"axis2": (1, 0, 0)} if key == "universal" else {}))
    x, q = np.zeros((2, 3)), np.tile([1.0, 0, 0, 0], (2, 1))
    tables, _ = compile_joints(Scene(tuple(bodies), joints=(joint,)), x, q, np.ones(2), np.ones(2, dtype=bool))
    # About an axis across those that may turn.
    axis = {"fixed": (0.6, 0.0, 0.8), "slider": (0.6, 0.0, 0.8), "universal": (0.0, 1.0, 0.0)}.get(key, (0.6, 0.8, 0.0))
    move = np.zeros((2, 6))
    move[1, 3:] = (0.5 * angle if key == "universal" else angle) * np.array(axis)
    x, q = moved_poses(x, q, move, 1.0)
    held = np.flatnonzero((tables.rows.role == 0) & tables.turns)
    there, zero = linearised_at(tables, np.zeros(len(tables.functions.part)), x, q), np.zeros((2, 6))
    error = there.g[held] / tables.per_joint.length[0]
    assert np.linalg.norm(error) == pytest.approx(np.linalg.norm(move[1, 3:]), abs=1e-9)
    J = np.array([rates(tables, there, np.eye(12)[6 + i].reshape(2, 6))[held] for i in range(3, 6)]).T
    zero[1, 3:] = -np.linalg.lstsq(J, there.g[held], rcond=1e-9)[0]
    closed = linearised_at(tables, there.value, *moved_poses(x, q, zero, 1.0))
    np.testing.assert_allclose(closed.g[held], 0.0, atol=1e-9)
