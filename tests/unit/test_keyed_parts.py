"""Bodies on keyed paths are where one step takes them, however it is divided for what they move."""

from dataclasses import replace

import numpy as np

from stiction.solver.scene import Body, Joint, KeyedPoses, Motion, Scene
from stiction.solver.shapes import Box, Sphere
from stiction.solver.simulation import SimulationOptions, simulate


def crank():
    """A keyed crank that whirls a light chain: its steps go in halves."""
    times = np.linspace(0.0, 1.0, 25)
    angles = 12.0 * times
    turns = np.column_stack([np.cos(0.5 * angles), np.zeros((25, 2)), np.sin(0.5 * angles)])
    keys = KeyedPoses(tuple(times), tuple(map(tuple, np.zeros((25, 3)))), tuple(map(tuple, turns)))
    bodies = [Body("crank", Box((0.4, 0.05, 0.05)), motion=Motion.KINEMATIC, keys=keys)]
    joints, last = [], "crank"
    for k in range(5):
        bodies.append(Body(f"link{k}", Box((0.1, 0.02, 0.02)), mass=0.1, position=(0.25 + 0.1 * k, 0.0, 0.0)))
        joints.append(Joint(f"pin{k}", "ball", (last, f"link{k}"), position=(0.2 + 0.1 * k, 0.0, 0.0)))
        last = f"link{k}"
    bodies.append(Body("weight", Sphere(0.05), mass=5.0, position=(0.75, 0.0, 0.0)))
    joints.append(Joint("end", "fixed", (last, "weight"), position=(0.7, 0.0, 0.0)))
    return Scene(tuple(bodies), joints=tuple(joints))


def test_what_falls_far_away_changes_no_bit_of_what_keys_drive():
    made = crank()
    far = Body("far", Sphere(0.1), mass=1.0, position=(500.0, 777.0, 3333.0))
    options = SimulationOptions(time_step=1 / 60, time=0.5)
    alone, beside = simulate(made, options), simulate(replace(made, bodies=(*made.bodies, far)), options)
    assert alone.steps["substeps"].max() > 1, "nothing is divided, so nothing is tested"
    count = len(made.bodies)
    for name in ("positions", "orientations", "velocities", "angular_velocities"):
        assert np.array_equal(getattr(alone, name), getattr(beside, name)[:, :count])
