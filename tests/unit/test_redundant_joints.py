"""Joints that hold the same twice share what they carry as joints of equal compliance would."""

import numpy as np
import pytest
from joint_scenes import cube

from stiction.solver.scene import Body, Joint, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import SimulationOptions, simulate

G = 9.81


def loads(scene, time=0.1):
    """(J,3) force [N] of each joint on its second body in the last step."""
    return simulate(scene, SimulationOptions(time=time)).joints[-1, :, 4:7]


@pytest.mark.parametrize("places", [(-1.0, 0.0, 1.0), (-1.0, 0.2, 1.0), (-1.1, -0.5, 0.0, 0.1, 1.0)])
def test_a_bar_on_ball_joints(places):
    """A rigid bar goes down and turns: its loads are linear along it, with its weight in its middle."""
    bar = Body("bar", Box((2.4, 0.1, 0.1)), mass=3.0)
    joints = tuple(Joint(f"j{k}", "ball", ("world", "bar"), (x, 0, 0)) for k, x in enumerate(places))
    force = loads(Scene((bar,), joints=joints))
    sums = np.stack([np.ones(len(places)), places])
    right = sums.T @ np.linalg.solve(sums @ sums.T, [3.0 * G, 0.0])
    np.testing.assert_allclose(force[:, 2], right, atol=1e-8)
    np.testing.assert_allclose(force[:, :2], 0.0, atol=1e-8)


def frame(compliance):
    """A light and a heavy body in a row between two walls, with two joints at each place: some hold the same twice."""
    bodies = (cube("light", (0, 0, 0), mass=0.1), cube("heavy", (0.5, 0, 0), mass=50.0))
    held = [("world", "light", "ball", (-0.1, 0.0, 0.1)), ("world", "light", "ball", (-0.1, 0.0, -0.1)),
            ("light", "heavy", "hinge", (0.25, 0.1, 0.0)), ("light", "heavy", "hinge", (0.25, -0.1, 0.0)),
            ("world", "heavy", "ball", (0.6, 0.1, 0.0)), ("world", "heavy", "fixed", (0.6, -0.1, 0.0))]  # fmt: skip
    joints = (Joint(f"j{k}", kind, (a, b), place, (0, 1, 0), compliance=compliance)
              for k, (a, b, kind, place) in enumerate(held))  # fmt: skip
    return Scene(bodies, joints=tuple(joints))


def test_bodies_of_very_different_mass_between_walls():
    """The same as with a compliance in each joint so small that it moves nothing."""
    stiff, soft = loads(frame(0.0)), loads(frame(1e-8), time=0.5)
    assert np.abs(soft).max() > 100.0
    np.testing.assert_allclose(stiff, soft, atol=1e-3 * np.abs(soft).max())
