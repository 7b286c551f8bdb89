"""What is built straight and taut has slack, and nothing else has."""

from dataclasses import replace

import numpy as np
import pytest

from stiction.solver.dynamics.jointed.start import slack
from stiction.solver.dynamics.jointed.start.slack import SWING
from stiction.solver.scene import Body, Joint, Motion, Scene
from stiction.solver.scenes.jointed import linkages, machines
from stiction.solver.scenes.jointed.chains import chain
from stiction.solver.shapes import Box, Sphere
from stiction.solver.simulation import SimulationOptions, compiled, simulate

PLANK = 0.5


def bridge(planks, kind="ball", sides=(0.0,), sag=0.0, ball=None, **scene):
    """Planks in a row between two posts, straight at the start."""
    names = ["near", *[f"plank{k}" for k in range(planks)], "far"]
    bodies = [
        Body(name, Box((0.2, 0.4, 0.025)), mass=2.0, position=(PLANK * (k + 0.5), 0.0, 3.0))
        for k, name in enumerate(names[1:-1])
    ]
    posts = [
        Body(name, Box((0.05, 0.5, 0.5)), motion=Motion.STATIC, position=(x, 0.0, 3.0))
        for name, x in (("near", -0.1), ("far", PLANK * planks + 0.1))
    ]
    axis = {"axis": (0.0, 1.0, 0.0)} if kind == "hinge" else {}
    joints = [
        Joint(f"joint{k}_{y:g}", kind, (names[k], names[k + 1]), position=(PLANK * k, y, 3.0), **axis)
        for k in range(planks + 1) for y in sides
    ]  # fmt: skip
    loads = [] if ball is None else [Body("load", Sphere(0.2), mass=ball, position=(0.5 * PLANK * planks, 0.0, 4.0))]
    return Scene((*posts, *bodies, *loads), joints=tuple(joints), **scene)


def slack_of(scene):
    model, state = compiled(scene, SimulationOptions())
    return [model.joints.names[k] for k in model.joints.slack], model, state


@pytest.mark.parametrize(("kind", "sides"), [("ball", (0.0,)), ("hinge", (0.0,)), ("ball", (-0.4, 0.4))])
def test_a_straight_bridge_sags_and_is_not_subdivided(kind, sides):
    """Without slack every step of it was cut into 18 parts, and some were not accepted."""
    made = simulate(bridge(6, kind, sides), SimulationOptions(time_step=1 / 240, time=0.25))
    assert made.steps["substeps"].mean() < 2.0
    assert made.steps["converged"].all()
    assert "straight and taut" in " ".join(made.header["notes"])


def test_what_falls_on_a_straight_bridge_costs_little():
    """A step took 84 parts in the mean from there on."""
    made = simulate(bridge(6, ball=20.0), SimulationOptions(time_step=1 / 240, time=0.75))
    assert made.steps["substeps"].mean() < 8.0
    assert made.steps["converged"].all()


def test_two_planks_hang_in_the_sag_that_they_were_given():
    """Two links of one length hang straight, in a V: by the angle whose cosine is the way over their length."""
    _, model, state = slack_of(bridge(2))
    planks = [model.names.index(name) for name in ("plank0", "plank1")]
    sag = 3.0 - state.position[planks, 2]
    assert sag == pytest.approx(0.5 * PLANK * np.sin(SWING), rel=1e-3)
    p = model.joints.per_joint
    length = [np.ptp([p.anchor[k, int(p.ends[k, 1] == b), 0] for k in np.flatnonzero((p.ends == b).any(axis=1))])
              for b in planks]  # fmt: skip
    assert sum(length) * np.cos(SWING) == pytest.approx(2 * PLANK, rel=1e-5)
    made = simulate(bridge(2), SimulationOptions(time_step=1 / 240, time=0.5))
    assert made.joints[:, :, 2].max() < 1e-9
    assert np.ptp(made.positions[:, planks, 2]) < 2e-3 * PLANK


@pytest.mark.parametrize("gravity", [(9.81, 0.0, 0.0), (0.0, 0.0, 0.0)])
def test_what_nothing_pulls_across_has_none(gravity):
    names, _, state = slack_of(bridge(6, gravity=gravity))
    assert names == []
    assert np.all(state.position[:, 2] == 3.0)


MACHINES = {
    "chain": lambda: chain(8), "four_bars": lambda: linkages.four_bar(5), "bricard": linkages.bricard,
    "bennett": linkages.bennett, "slider_crank": linkages.slider_crank, "gears": machines.gear_train,
    "planets": machines.planetary_gear, "differential": machines.differential, "cardan": machines.cardan,
    "toggle": machines.toggle,
}  # fmt: skip


@pytest.mark.parametrize("name", MACHINES)
def test_what_moves_as_it_was_built_has_none(name):
    assert slack_of(MACHINES[name]())[0] == []


def test_a_door_on_three_hinges_has_none():
    door = Body("door", Box((0.4, 0.02, 1.0)), mass=10.0, position=(0.4, 0.0, 1.0))
    hinges = [Joint(f"hinge{z}", "hinge", ("world", "door"), position=(0.0, 0.0, z)) for z in (0.2, 1.0, 1.8)]
    tilted = (0.0, 3.0, -9.0)
    assert slack_of(Scene((door,), joints=tuple(hinges), gravity=tilted))[0] == []


def test_slack_is_of_its_own_bridge_alone():
    made, free = bridge(6), bridge(3)
    other = Body("other", Sphere(0.1), mass=1.0, position=(50.0, 0.1, 0.3))
    pendulum = Joint("pendulum", "ball", ("world", "other"), position=(50.0, 0.0, 1.3))
    beside = replace(made, bodies=(*made.bodies, other), joints=(*made.joints, pendulum))
    _, model, state = slack_of(made)
    names, both, there = slack_of(beside)
    assert "pendulum" not in names
    count = len(made.bodies)
    assert np.array_equal(state.position, there.position[:count])
    assert np.array_equal(there.position[count], other.position)
    assert np.array_equal(model.joints.per_joint.anchor, both.joints.per_joint.anchor[: len(made.joints)])
    assert len(slack_of(free)[0]) > 0


def on_the_ground(planks):
    """A bridge that lies on a plane."""
    made = bridge(planks)
    ground = Body("ground", Box((10.0, 10.0, 0.5)), motion=Motion.STATIC, position=(0.0, 0.0, 3.0 - 0.0125 - 0.25))
    return replace(made, bodies=(*made.bodies, ground))


def test_what_would_swing_into_the_ground_stays_as_it_was_built():
    made = on_the_ground(4)
    names, model, state = slack_of(made)
    assert names == [] and model.joints.swung == ()
    assert np.all(state.position[2:6, 2] == 3.0)


def test_what_begins_asleep_or_is_held_for_a_time_stays_as_it_was_built():
    made = bridge(4)
    plank = made.bodies[3]
    for changed in ({"asleep": True}, {"motion": Motion.STATIC, "switches": (1.0,)}):
        bodies = tuple(replace(body, **changed) if body is plank else body for body in made.bodies)
        assert slack_of(replace(made, bodies=bodies))[0] == []


@pytest.mark.parametrize("merge", [True, False])
def test_a_run_says_where_its_scene_has_what_begins_in_another_place(merge):
    made = bridge(4)
    lamp = Body("lamp", Sphere(0.05), mass=0.2, position=(0.75, 0.0, 2.9))
    fixed = Joint("hook", "fixed", ("plank1", "lamp"), position=(0.75, 0.0, 2.95))
    hung = replace(made, bodies=(*made.bodies, lamp), joints=(*made.joints, fixed))
    done = simulate(hung, SimulationOptions(time_step=0.01, time=0.01, merge_fixed=merge))
    assert set(done.header["swung"]) == {"plank0", "plank1", "plank2", "plank3", "lamp"}
    assert done.header["swung"]["lamp"] == [0.75, 0.0, 2.9, 1.0, 0.0, 0.0, 0.0]
    first = dict(zip(done.names, done.positions[0, :, 2], strict=True))
    assert 2.9 - first["lamp"] == pytest.approx(3.0 - first["plank1"], rel=0.2)


def test_what_no_pose_closes_stays_as_it_was_built(monkeypatch):
    monkeypatch.setattr(slack, "CLOSED", 0.0)
    names, model, state = slack_of(bridge(6))
    assert names == [] and model.joints.swung == ()
    assert np.all(state.position[:, 2] == 3.0)
