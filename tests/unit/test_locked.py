"""Squeezing that no rigid body can answer is said: `unresolved` counts the pairs that are locked in each other."""

from math import radians, tan

import pytest

from stiction.solver.materials import Material, MaterialTable
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.scene import Body, KeyedPoses, Motion, Scene
from stiction.solver.scenes import build
from stiction.solver.shapes import Box
from stiction.solver.simulation import simulate
from stiction.solver.stepping.not_accepted import step_notes

STEEL = MaterialTable((Material("m", 7800.0, 0.3),))
FLOOR = Body("floor", Box((2.0, 2.0, 0.1)), "m", Motion.STATIC, position=(0.0, 0.0, -0.05))
CUBE = Body("cube", Box((0.1, 0.1, 0.1)), "m", position=(0.0, 0.0, 0.05))
UPRIGHT = [(1.0, 0.0, 0.0, 0.0)] * 3


def jaw(name, side, squeeze):
    """A plate that closes on the cube until the gap of both is `squeeze` [m] narrower than it."""
    away, closed = (side * 0.105, 0.0, 0.05), (side * (0.1 - 0.5 * squeeze), 0.0, 0.05)
    keys = KeyedPoses([0.0, 0.3, 1.0], [away, closed, closed], UPRIGHT)
    return Body(name, Box((0.1, 0.3, 0.3)), "m", Motion.KINEMATIC, position=away, keys=keys)


def run(*bodies, **options):
    return simulate(Scene((FLOOR, *bodies), STEEL), SimulationOptions(time=0.6, **options))


def test_a_vise_that_closes_further_than_the_cube_is_wide_is_unresolved():
    made = run(CUBE, jaw("left", -1, 0.002), jaw("right", 1, 0.002))
    closed = made.steps["time"] > 0.31
    assert made.steps["unresolved"][closed].min() >= 1, "both jaws stay in the cube"
    (note,) = step_notes(made.steps, made.names)
    assert f"{CUBE.name!r}" in note


def test_a_push_without_an_answer_takes_no_more_work_than_others():
    """Steps whose overlap no motion removes are made for as long as it stays: the effort of each was all there is."""
    made = run(CUBE, jaw("left", -1, 0.002), jaw("right", 1, 0.002))
    assert made.steps["work"][made.steps["time"] > 0.31].max() < 60_000


def test_a_vise_that_just_closes_is_not():
    steps = run(CUBE, jaw("left", -1, 0.0), jaw("right", 1, 0.0)).steps
    assert not steps["unresolved"].any()


def test_a_press_into_a_stack_is_unresolved():
    keys = KeyedPoses([0.0, 0.3, 1.0], [(0.0, 0.0, 0.26), (0.0, 0.0, 0.245), (0.0, 0.0, 0.245)], UPRIGHT)
    press = Body("press", Box((0.1, 0.1, 0.1)), "m", Motion.KINEMATIC, position=(0.0, 0.0, 0.26), keys=keys)
    top = Body("top", Box((0.1, 0.1, 0.1)), "m", position=(0.0, 0.0, 0.15))
    steps = run(CUBE, top, press).steps
    assert steps["unresolved"][steps["time"] > 0.31].min() >= 1


@pytest.mark.parametrize("depth", [0.002, 0.01])
def test_overlap_at_the_start_that_goes_is_not(depth):
    sunk = Body("cube", Box((0.1, 0.1, 0.1)), "m", position=(0.0, 0.0, 0.05 - depth))
    assert not run(sunk).steps["unresolved"][1:].any()


def test_a_motionless_arch_reports_round_off():
    """Steps that were accepted once reported up to 0.087 m/s where one contact carried nothing."""
    steps = simulate(build("arch", count=11), SimulationOptions(time=1.0)).steps
    assert steps["converged"].all()
    assert steps["residual"].max() < 1e-8


@pytest.mark.parametrize("factor", [0.98, 1.02])
def test_a_nipped_disk_reports_what_is_left(factor):
    """Locked above tan(half angle) and pushed out below it; it once reported 0.062 m/s when locked."""
    scene = build("nip_disk", friction=factor * tan(radians(15.0)), half_angle=15.0)
    steps = simulate(scene, SimulationOptions(time=0.3)).steps
    assert steps["converged"].all()
    assert steps["residual"].max() < 1e-8
    assert not steps["unresolved"].any()
