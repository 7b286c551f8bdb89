"""Joints that hold the same twice share what they carry as joints of equal compliance would."""

from dataclasses import replace

import numpy as np
import pytest
from joint_scenes import cube

from stiction.solver.methods.second_order import profile_kernels as profiles
from stiction.solver.methods.second_order.direct_rows import held_profile
from stiction.solver.methods.second_order.elimination import held_blocks
from stiction.solver.scene import Body, Joint, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import SimulationOptions, compiled, options_for, simulate, step_settings, stepper

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


def bars_in_rows():
    """The Profile of the held rows of a step of two bars on five ball joints each, which a hinge couples twice."""
    bars = [Body(name, Box((2.4, 0.1, 0.1)), mass=mass, position=(0, 0, z)) for name, mass, z in
            (("low", 3.0, 0.0), ("high", 0.5, 1.0))]  # fmt: skip
    joints = [Joint(f"{name}{x}", "ball", ("world", name), (x, 0, z)) for name, z in (("low", 0.0), ("high", 1.0))
              for x in (-1.1, -0.5, 0.0, 0.3, 1.0)]  # fmt: skip
    joints += [Joint(f"post{x}", "hinge", ("low", "high"), (x, 0, 0.5), (0, 1, 0)) for x in (-1.0, 1.0)]
    return profile_of_step(Scene(tuple(bars), joints=tuple(joints)))


def profile_of_step(made):
    """The Profile of the held rows of the first step of a Scene."""
    options, found = options_for(made), []
    model, state = compiled(made, options)
    settings = replace(step_settings(options, model, state), record=found.append)
    stepper(options)(model, state, settings)
    return held_profile(found[-1], np.flatnonzero(held_blocks(found[-1])))


def velocities(rows, impulse):
    """A x (k,) of a Profile, whose lower rows stand one behind another."""
    A = np.zeros((len(impulse),) * 2)
    for i, first in enumerate(rows.first):
        A[i, first : i + 1] = A[first : i + 1, i] = rows.A[rows.offset[i] : rows.offset[i] + i + 1 - first]
    return A @ impulse


def test_many_right_sides_have_the_bits_of_each_alone():
    rows = bars_in_rows()
    random = np.random.default_rng(0)
    rhs = random.normal(size=(40, len(rows.rows)))
    rhs[::2] = [velocities(rows, one) for one in rhs[::2]]
    many = profiles.solve(rows, rhs)
    assert np.any(rows.made[0] == -1), "rows depend on each other"
    for one, answer in zip(rhs, many, strict=True):
        assert profiles.solve(rows, one[None]).tobytes() == answer.tobytes()


def test_what_rows_share_hangs_not_on_where_it_is_looked_for():
    rows, random = bars_in_rows(), np.random.default_rng(1)
    given = random.normal(size=len(rows.rows))
    shared = []
    for start in (np.zeros_like(given), given, random.normal(size=len(given))):
        shared.append(given.copy())
        profiles.share(rows, shared[-1], start)
        np.testing.assert_allclose(velocities(rows, shared[-1]), velocities(rows, given), atol=1e-9)
        np.testing.assert_allclose(shared[-1], shared[0], atol=1e-7)
    assert np.linalg.norm(shared[0]) < 0.9 * np.linalg.norm(given)


def test_rows_that_contradict_each_other_are_given_up():
    """Two joints at one place of which one asks for another velocity by a trace: what no impulse answers is left after
    the pass that has not changed it, and each further one would press them against each other by as much again."""
    bodies = (cube("one", (0, 0, 0)), cube("two", (1, 0, 0)))
    joints = tuple(Joint(name, "ball", ("one", "two"), (0.5, 0, 0)) for name in ("first", "second"))
    held, off = profile_of_step(Scene(bodies, joints=joints)), 1e-9
    rhs = np.zeros((1, len(held.rows)))
    rhs[0, 0] = off
    for many in (1, 3):
        answer = profiles.solve(held, np.repeat(rhs, many, axis=0))
        pressed = 0.5 * np.abs(answer).max() * held.diagonal[0]
        assert 0.2 * off / 1e-6 < pressed < 0.6 * off / 1e-6
