"""Bodies on keyed paths begin where their keys do, and are where one step takes them, however it is divided."""

from dataclasses import replace

import numpy as np
import pytest

from stiction.solver.base.refusal import SceneError
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


def slider(**pose):
    """A box on keys that begin at (-1, 0, 0.25), turned by 90 degrees, and a ball between there and the origin."""
    turned = (0.5**0.5, 0.0, 0.0, 0.5**0.5)
    keys = KeyedPoses((0.0, 2.0), ((-1.0, 0.0, 0.25), (-0.8, 0.0, 0.25)), (turned, turned))
    box = Body("box", Box((0.5, 0.1, 0.5)), motion=Motion.KINEMATIC, keys=keys, **pose)
    return Scene((box, Body("ball", Sphere(0.1), position=(-0.5, 0.0, 0.25))), gravity=(0.0, 0.0, 0.0))


def test_a_body_begins_where_its_keys_are():
    """A position left out is not the origin, from where it would sweep away what is on its way to the first key."""
    run = simulate(slider(), SimulationOptions(time=0.5))
    assert run.positions[0, 0] == pytest.approx([-1.0, 0.0, 0.25], abs=1e-12)
    assert run.velocities[1, 0] == pytest.approx([0.1, 0.0, 0.0], abs=1e-9)
    assert run.positions[-1, 1] == pytest.approx([-0.5, 0.0, 0.25], abs=1e-12)


@pytest.mark.parametrize("pose", [{"position": (-1.0, 0.0, 0.3)}, {"orientation": (0.0, 1.0, 0.0, 0.0)}])
def test_a_pose_that_its_keys_do_not_begin_with_is_refused(pose):
    with pytest.raises(SceneError, match=rf"'box': {next(iter(pose))} is .* but its keys begin with"):
        simulate(slider(**pose), SimulationOptions(time=0.01))


def test_the_pose_that_its_keys_begin_with_may_be_said():
    pose = {"position": (-1.0, 0.0, 0.25), "orientation": (-(0.5**0.5), 0.0, 0.0, -(0.5**0.5))}
    run = simulate(slider(**pose), SimulationOptions(time=0.01))
    assert run.positions[0, 0] == pytest.approx(pose["position"], abs=1e-12)
