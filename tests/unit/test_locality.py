"""Locality: bodies that never come near change no bit of the motion of others."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stiction.solver.materials import Material, MaterialTable
from stiction.solver.scene import Bearing, Body, Joint, Motion, Scene
from stiction.solver.scenes import SCENES
from stiction.solver.scenes.jointed.chains import chain, hanging_chain
from stiction.solver.shapes import Box, Capsule, Sphere
from stiction.solver.simulation import SimulationOptions, options_for, simulate

FAR = 1000.0


def material(friction=0.5, restitution=0.0):
    return MaterialTable((Material("stone", density=2000.0, friction=friction, restitution=restitution),))


def floor(name, x=0.0):
    return Body(name, Box((20.0, 20.0, 1.0)), "stone", Motion.STATIC, position=(x, 0.0, -0.5))


def stack(height=3, velocity=(0.0, 0.0, 0.0)):
    bodies = [Body(f"b{k}", Box((0.2, 0.2, 0.2)), "stone", position=(0.01 * k, 0.0, 0.1 + 0.2 * k), velocity=velocity)
              for k in range(height)]  # fmt: skip
    return [floor("floor"), *bodies]


def spinners():
    """Two cards that spin and meet: a step that is subdivided."""
    card = Box((0.4, 0.3, 0.01))
    return [
        floor("floor"),
        Body("c0", card, "stone", position=(0.0, 0.0, 0.3), angular_velocity=(25.0, 3.0, 0.0)),
        Body("c1", card, "stone", position=(0.05, 0.02, 0.6), velocity=(0.0, 0.0, -3.0),
             angular_velocity=(0.0, 30.0, 5.0)),
    ]  # fmt: skip


def run(bodies, gravity=(0.0, 0.0, -9.81), **options):
    scene = Scene(tuple(bodies), options.pop("materials", material()), gravity=gravity)
    return simulate(scene, SimulationOptions(**{"time": 0.2, **options}))


def assert_same_motion(alone, with_others):
    index = [with_others.names.index(name) for name in alone.names]
    for name in ("positions", "orientations", "velocities"):
        first, second = getattr(alone, name), getattr(with_others, name)[:, index]
        assert np.array_equal(first, second), (name, np.abs(first - second).max())


OTHERS = {
    "bullet": [Body("o", Sphere(0.5), "stone", position=(FAR, 0.0, 1000.0), velocity=(100.0, 0.0, 0.0))],
    "landing": [floor("of", FAR),
                Body("o", Sphere(0.5), "stone", position=(FAR, 0.0, 0.8), velocity=(0.0, 0.0, -40.0))],
    "heavy": [floor("of", FAR), Body("o", Box((9.0, 9.0, 9.0)), "stone", position=(FAR, 0.0, 4.5)),
              Body("p", Box((0.01, 0.01, 0.01)), "stone", position=(FAR, 0.0, 9.005))],
    "spinning": [floor("of", FAR),
                 Body("o", Box((0.5, 0.4, 0.01)), "stone", position=(FAR, 0.0, 0.25), velocity=(0.0, 0.0, -5.0),
                      angular_velocity=(40.0, 3.0, 0.0)),
                 Body("p", Capsule(0.05, 0.4), "stone", position=(FAR, 0.1, 0.6), velocity=(0.0, 0.0, -5.0),
                      angular_velocity=(0.0, 60.0, 9.0))],
}  # fmt: skip


@pytest.mark.parametrize("others", OTHERS)
@pytest.mark.parametrize("bodies", [stack(), stack(2, (1.5, 0.3, 0.0)), spinners()], ids=("stack", "sliding", "spin"))
def test_others_far_away_change_no_bit(bodies, others):
    alone = run(bodies)
    assert_same_motion(alone, run(bodies + OTHERS[others]))
    assert_same_motion(alone, run(OTHERS[others] + bodies))


def test_without_gravity_and_with_restitution():
    bodies = [Body("a", Sphere(0.5), "stone"),
              Body("b", Sphere(0.4), "stone", position=(1.0, 0.1, 0.0), velocity=(-2.0, 0.0, 0.0))]  # fmt: skip
    options = {"gravity": (0.0, 0.0, 0.0), "materials": material(0.3, 0.6)}
    assert_same_motion(run(bodies, **dict(options)), run(bodies + OTHERS["bullet"], **dict(options)))


@pytest.mark.parametrize("others", OTHERS)
def test_overlap_is_projected_island_by_island(others):
    """A tiny pair elsewhere asks for no further round and no smaller tolerance here."""
    bodies = [floor("floor"), Body("a", Box((0.2, 0.2, 0.2)), "stone", position=(0.0, 0.0, 0.098)),
              Body("b", Box((0.2, 0.2, 0.2)), "stone", position=(0.19, 0.01, 0.1), orientation=(0.99, 0.1, 0.0, 0.1)),
              Body("c", Box((0.2, 0.2, 0.2)), "stone", position=(0.0, 0.02, 0.29))]  # fmt: skip
    deep = [Body("q", Sphere(0.02), "stone", position=(FAR, 20.0, 3.0)),
            Body("r", Sphere(0.02), "stone", position=(FAR, 20.03, 3.0))]  # fmt: skip
    alone = run(bodies, overlap="projection", time=0.05)
    assert_same_motion(alone, run(bodies + OTHERS[others] + deep, overlap="projection", time=0.05))
    assert_same_motion(alone, run(deep + OTHERS[others] + bodies, overlap="projection", time=0.05))


def moved_away(scene):
    """Bodies and joints of a scene, 50 m away and under other names."""
    name = lambda old: old if old == "world" else f"o_{old}"  # noqa: E731
    shift = lambda place: None if place is None else tuple(np.add(place, (50.0, 0.0, 0.0)).tolist())  # noqa: E731
    bodies = tuple(replace(body, name=name(body.name), position=shift(body.position)) for body in scene.bodies)
    joints = tuple(
        replace(joint, name=name(joint.name), bodies=tuple(map(name, joint.bodies)), position=shift(joint.position),
                positions=None if joint.positions is None else tuple(map(shift, joint.positions)))
        for joint in scene.joints
    )  # fmt: skip
    return bodies, joints


@pytest.mark.parametrize(
    "other", [hanging_chain(links=6), chain(links=5, heavy=3.0, angle=40.0)], ids=["hung", "let go"]
)
def test_a_mechanism_far_away_changes_no_bit_of_another(other):
    """How often one is closed and its rows are improved decides nothing about the other."""
    own = chain(links=12, heavy=1000.0)
    bodies, joints = moved_away(other)
    both = replace(own, bodies=own.bodies + bodies, joints=own.joints + joints)
    assert_same_motion(*(simulate(scene, options_for(own, time=0.05)) for scene in (own, both)))


def test_a_ball_that_bounces_far_away_turns_no_velocity_of_a_mechanism():
    """What bounces or overlaps carries its angular velocity round; closed joints carry none, whoever else bounces."""
    w = np.array([0.6, 1.0, 0.8])
    bars = [Body(name, Box(size), position=(x, 0.0, 1.0), mass=1.0, velocity=tuple(np.cross(w, [x, 0.0, 0.0])),
                 angular_velocity=tuple(w), collides_with=())
            for name, size, x in (("a", (0.3, 0.06, 0.04), 0.15), ("b", (0.3, 0.05, 0.05), 0.45))]  # fmt: skip
    joints = (Joint("j", "ball", ("world", "a"), (0.0, 0.0, 1.0)),
              Joint("k", "hinge", ("a", "b"), (0.3, 0.0, 1.0), (0.0, 1.0, 0.0)))  # fmt: skip
    ball = Body("ball", Sphere(0.1), "stone", position=(FAR, 0.0, 0.12))
    settings = SimulationOptions(time=0.1)
    table = MaterialTable((*material(restitution=0.8).materials, Material("default")))
    alone = simulate(Scene(tuple(bars), table, joints=joints), settings)
    beside = simulate(Scene((*bars, floor("floor", FAR), ball), table, joints=joints), settings)
    assert beside.velocities[-1, -1, 2] > 0.0, "the ball has bounced"
    assert_same_motion(alone, beside)


def pendulum(x, name, friction, links):
    """(bodies, joints) of bars on hinges whose bearings rub."""
    bars = [Body(f"{name}{i}", Box((0.6, 0.1, 0.04)), position=(x + 0.3 + 0.6 * i, 0.0, 3.0), mass=1.0 + i,
                 collides_with=()) for i in range(links)]  # fmt: skip
    ends = ["world", *(bar.name for bar in bars)]
    return bars, [Joint(f"{name}j{i}", "hinge", (ends[i], ends[i + 1]), (x + 0.6 * i, 0.0, 3.0), (0.0, 1.0, 0.0),
                        bearing=Bearing(friction, 0.05)) for i in range(links)]  # fmt: skip


def test_bearings_far_away_change_no_bit_of_those_of_another_mechanism():
    """How often friction is found anew from loads is decided for each mechanism."""
    own, other = pendulum(0.0, "a", 0.3, 1), pendulum(FAR, "b", 0.6, 3)
    settings = SimulationOptions(time=0.3)
    alone = simulate(Scene(tuple(own[0]), joints=tuple(own[1])), settings)
    both = simulate(Scene((*own[0], *other[0]), joints=(*own[1], *other[1])), settings)
    assert_same_motion(alone, both)


def test_a_wall_beside_a_bullet():
    scene = SCENES["wall85"].build()
    options = options_for(scene, time=0.03)
    alone = simulate(scene, options)
    name = scene.bodies[0].material
    bullet = Body("bullet", Sphere(0.5), name, position=(0.0, 0.0, 1000.0), velocity=(100.0, 0.0, 0.0))
    both = simulate(Scene((*scene.bodies, bullet), scene.materials, scene.gravity), options)
    assert_same_motion(alone, both)
    assert both.steps["residual"].max() <= 1.01 * alone.steps["residual"].max()


@settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_scene_keeps_its_motion_beside_any_other(data):
    """Property: of two groups of bodies that never come near, each moves as it does alone."""

    def group(label, x):
        shapes = st.sampled_from([Box((0.2, 0.3, 0.1)), Sphere(0.12), Capsule(0.06, 0.2)])
        small = st.floats(-1.0, 1.0, allow_nan=False, width=32)
        bodies = [floor(f"floor {label}", x)]
        for k in range(data.draw(st.integers(1, 4))):
            place = (x + 0.25 * data.draw(small), 0.25 * data.draw(small), 0.2 + 0.35 * k)
            spin, speed = (tuple(s * data.draw(small) for _ in range(3)) for s in (30.0, 4.0))
            bodies.append(Body(f"{label}{k}", data.draw(shapes), "stone", position=place, velocity=speed,
                               angular_velocity=spin))  # fmt: skip
        return bodies

    first, second = group("a", 0.0), group("b", FAR)
    both = run(first + second, time=0.1)
    for bodies in (first, second):
        assert_same_motion(run(bodies, time=0.1), both)
