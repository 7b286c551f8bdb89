"""Nearly elastic bounces that hit others within a step come one after the other, as their gaps have it."""

import numpy as np
import pytest

from stiction.solver.materials import Material, MaterialTable
from stiction.solver.scene import Body, Joint, Scene
from stiction.solver.scenes import build
from stiction.solver.shapes import Sphere
from stiction.solver.simulation import options_for, simulate

H = 1 / 96


def ends(made, time, **options):
    """Velocities (R,3) at the end of a run, and the run."""
    run = simulate(made, options_for(made, time=time, **{"time_step": H, **options}))
    return run.velocities[-1], run


@pytest.mark.parametrize("gap", [2e-4, 2e-3, 1e-2, 3e-2])
def test_the_last_ball_takes_all_however_small_the_gaps(gap):
    """At 1 cm two balls went on together, each with two thirds of the speed."""
    velocities, run = ends(build("cradle", count=5, gap=gap), 0.2)
    assert np.abs(velocities[:, 0] - [0, 0, 0, 0, 1]).max() < 1e-9
    assert (run.events["halved_bounces"].sum() > 0) == (gap < 0.02)


def test_two_balls_send_two_on():
    velocities, _ = ends(build("cradle", count=5, moving=2, gap=2e-3), 0.2)
    assert np.abs(velocities[:, 0] - [0, 0, 0, 1, 1]).max() < 1e-9


def test_what_touches_is_hit_at_once():
    velocities, run = ends(build("cradle", count=5), 0.2)
    assert np.abs(velocities[:, 0] - [-0.6, 0.4, 0.4, 0.4, 0.4]).max() < 1e-9
    assert run.events["halved_bounces"].sum() == 0


def test_bounces_that_lose_much_are_no_reason_for_finer_steps():
    _, run = ends(build("cradle", count=5, gap=2e-3, restitution=0.5), 0.2)
    assert run.events["halved_bounces"].sum() == 0


def hung(gap, radius=0.1, length=1.0, angle=0.6):
    """Newton's cradle: five balls on rods, the first of them lifted."""
    balls, joints = [], []
    for i in range(5):
        x = i * (2 * radius + gap)
        turn = angle if i == 0 else 0.0
        place = (x - length * np.sin(turn), 0.0, -length * np.cos(turn))
        balls.append(Body(f"ball{i}", Sphere(radius), position=place))
        joints.append(Joint(f"rod{i}", "hinge", ("world", f"ball{i}"), position=(x, 0.0, 0.0), axis=(0, 1, 0)))
    steel = Material("default", 7800.0, friction=0.0, restitution=1.0)
    return Scene(tuple(balls), MaterialTable((steel,)), joints=tuple(joints))


@pytest.mark.parametrize("gap", [5e-4, 2e-3])
def test_a_cradle_on_rods_sends_out_its_last_ball(gap):
    """All four swung out together, at a step of Blender's."""
    _, run = ends(hung(gap), 0.8)
    after = run.velocities[int(0.62 / H) :, :, 0]
    speed = np.abs(run.velocities[:, 0, 0]).max()
    assert np.abs(after[0, :4]).max() < 0.02 * speed < 0.9 * speed < after[0, 4]
