"""Sleeping: bodies at rest freeze, and wake at once when something reaches them (solver/stepping/sleeping.py)."""

from dataclasses import replace

import numpy as np
import pytest

from stiction.solver.scene import Body, KeyedPoses, Motion, Scene
from stiction.solver.scenes import build
from stiction.solver.scenes.base import box, floor
from stiction.solver.shapes import Box, ConvexHull, Sphere
from stiction.solver.simulation import SimulationOptions, options_for, simulate
from stiction.solver.validation.run import run


def stack(count=3):
    return [box(f"b{i}", (0.4, 0.4, 0.4), (0.0, 0.0, 0.2 + 0.4 * i)) for i in range(count)]


def moved_plate(goal, start=1.0):
    """A plate at z = 0 that moves by `goal` [m] from `start` [s] on, within 0.5 s."""
    upright = np.tile([1.0, 0, 0, 0], (3, 1))
    positions = np.array([[0, 0, -0.5], [0, 0, -0.5], [goal[0], goal[1], goal[2] - 0.5]], dtype=float)
    keys = KeyedPoses([0.0, start, start + 0.5], positions, upright)
    return Body("plate", Box((2.0, 2.0, 1.0)), motion=Motion.KINEMATIC, position=(0, 0, -0.5), keys=keys)


def test_a_stack_falls_asleep_and_costs_nothing():
    result = run(Scene((floor(), *stack())), 1.5, sleeping=True)
    assert np.all(result.twist[-1] == 0)
    assert result.reports[-1].iterations == 0
    assert np.array_equal(result.position[-1], result.position[-50])
    assert result.reports[-1].contact_count == result.reports[0].contact_count
    energy = [report.kinetic + report.potential for report in result.reports]
    assert np.ptp(energy) < 1e-6 * abs(energy[0])


def test_what_moves_slowly_does_not_sleep():
    """On a slope of 1.001 times the critical one a block slides all the time."""
    scene = build("topple_block", slope=1.001 * 0.3, friction=0.3)
    awake, asleep = run(scene, 2.0), run(scene, 2.0, sleeping=True)
    assert np.array_equal(awake.position[-1], asleep.position[-1])
    assert awake.displacement()[-1] > 1e-3


def test_a_ball_wakes_what_it_hits():
    """A ball that comes when the stack sleeps does what it does to a stack awake."""
    ball = Body("ball", Sphere(0.15), position=(-6.0, 0.0, 1.0), velocity=(6.0, 0.0, 4.9), mass=20.0)
    scene = Scene((floor(), *stack(), ball))
    awake, asleep = run(scene, 1.6), run(scene, 1.6, sleeping=True)
    before = int(np.searchsorted(asleep.times, 0.8))
    assert np.all(asleep.twist[before, 1:4] == 0)
    assert awake.displacement()[-1] > 0.3
    assert np.abs(asleep.position - awake.position).max() < 1e-6


@pytest.mark.parametrize("goal", [(0.0, 0.0, -1.5), (0.5, 0.0, 0.0)])
def test_a_support_that_moves_wakes_all_above(goal):
    scene = Scene((moved_plate(goal), *stack()))
    awake, asleep = run(scene, 1.4), run(scene, 1.4, sleeping=True)
    before = int(np.searchsorted(asleep.times, 0.95))
    assert np.all(asleep.twist[before] == 0)
    assert awake.displacement()[-1] > 0.1
    assert np.abs(asleep.position - awake.position).max() < 1e-6


def test_dominoes_sleep_until_they_are_hit():
    """The wave runs through sleeping dominoes as through waking ones."""
    scene = build("dominoes", count=8, gap=0.5)
    held = replace(scene.bodies[1], velocity=(0.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 0.0))
    shot = Body("shot", Sphere(0.01), position=(-1.2, 0.0, 0.044), velocity=(1.5, 0.0, 0.0), mass=0.05)
    track = Body("track", Box((2.0, 0.2, 0.02)), motion=Motion.STATIC, position=(-1.02, 0.0, 0.024))
    scene = replace(scene, bodies=(scene.bodies[0], held, *scene.bodies[2:], track, shot))
    awake, asleep = (run(scene, 1.4, 0.002, sleeping=on) for on in (False, True))
    before = int(np.searchsorted(asleep.times, 0.7))
    assert np.all(asleep.twist[before, 1:9] == 0)
    tilt = [np.degrees(np.arccos(r.turn(8)[-1, 2, 2])) for r in (awake, asleep)]
    assert tilt[0] > 45 and tilt[1] == pytest.approx(tilt[0], abs=1.0)


def test_the_same_bits_with_more_threads_and_after_a_resume(tmp_path):
    ball = Body("ball", Sphere(0.15), position=(-5.0, 0.0, 1.0), velocity=(6.0, 0.0, 3.9), mass=20.0)
    scene = Scene((floor(), *stack(), ball))
    options = options_for(scene, time=1.2, sleeping=True)
    whole = simulate(scene, options)
    threads = simulate(scene, replace(options, threads=2))
    assert np.array_equal(whole.positions, threads.positions)
    stop = iter(range(1000))
    simulate(scene, options, tmp_path / "run", cancelled=lambda: next(stop) == 70)
    resumed = simulate(scene, options, tmp_path / "run", resume=True)
    assert np.array_equal(whole.positions, resumed.positions)
    assert np.array_equal(whole.velocities, resumed.velocities)


def test_without_gravity_nothing_sleeps():
    body = Body("body", Sphere(0.1), velocity=(1e-9, 0.0, 0.0))
    result = run(Scene((body,), gravity=(0.0, 0.0, 0.0)), 1.0, sleeping=True)
    assert result.position[-1, 0, 0] == pytest.approx(1e-9)
    assert SimulationOptions().sleeping is False


def test_keys_move_a_lopsided_body_alike_whether_all_others_sleep_or_not():
    """Its keys are those of its shape's frame, in which its centre of mass is not the origin."""
    wedge = ConvexHull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    turns = [(1.0, 0.0, 0.0, 0.0), (0.6, 0.0, 0.0, 0.8)]
    keys = KeyedPoses([0.0, 0.2], [(5.0, 0.0, 0.0), (5.0, 1.0, 0.0)], turns)
    driven = Body("wedge", wedge, motion=Motion.KINEMATIC, position=(5.0, 0.0, 0.0), keys=keys)
    sleeper = replace(stack(1)[0], asleep=True)
    asleep, awake = (run(Scene((floor(), body, driven)), 0.2) for body in (sleeper, replace(sleeper, asleep=False)))
    assert np.abs(asleep.position[:, 2] - awake.position[:, 2]).max() < 1e-12
    assert np.abs(asleep.position[-1, 2] - asleep.position[0, 2]).max() > 0.1
