"""What is done about overlap: each treatment against what it promises."""

from collections import Counter

import numpy as np
import pytest

from stiction.solver.dynamics.jointed.rows import linearised_at
from stiction.solver.dynamics.projection import coupled_with, limits_of, projected
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.scene import Body, Joint, KeyedPoses, Motion, Scene
from stiction.solver.shapes import Box, Sphere
from stiction.solver.simulation import SimulationOptions, compiled, simulate, step_settings
from stiction.solver.stepping.overlap_treatments import OVERLAP_TREATMENTS

FLOOR = Body("floor", Box((20.0, 20.0, 1.0)), "m", Motion.STATIC, (0.0, 0.0, -0.5))
TABLE = MaterialTable((Material("m", friction=0.5),))


def scene(*bodies, gravity=(0.0, 0.0, -9.81)):
    return Scene((FLOOR, *bodies), TABLE, gravity)


def run(bodies, treatment, time=1.0, **more):
    return simulate(scene(*bodies, **more), SimulationOptions(time=time, overlap=treatment))


def box(name, x, z=0.1):
    return Body(name, Box((0.2, 0.2, 0.2)), "m", position=(x, 0.0, z))


@pytest.mark.parametrize("treatment", OVERLAP_TREATMENTS)
def test_overlap_gives_no_kinetic_energy(treatment):
    """Two boxes 2 cm inside each other and 1 cm in the floor: nothing flies apart, nothing sinks further."""
    result = run([box("a", 0.0, 0.09), box("b", 0.18, 0.09)], treatment)
    assert result.steps["kinetic"].max() < 1e-3
    assert result.steps["overlap"].max() <= 0.02 + 1e-9
    energy = result.steps["kinetic"] + result.steps["potential"]
    work = result.steps["friction_work"] + result.steps["impact_loss"] + result.steps["stabilisation_work"]
    assert np.diff(energy) == pytest.approx(work[1:], abs=1e-9 * abs(energy[0]))


def test_soft_takes_half_a_step():
    overlap = run([box("a", 0.0), box("b", 0.198)], "soft").steps["overlap"]
    assert overlap[1:4] / overlap[:3] == pytest.approx([0.5, 0.5, 0.5], abs=0.02)
    assert overlap[-1] < 1e-5


def test_soft_takes_a_fifth_of_little_overlap():
    overlap = run([box("a", 0.0), box("b", 0.2 - 1e-5)], "soft").steps["overlap"]
    assert overlap[1:3] / overlap[:2] == pytest.approx([0.8, 0.8], abs=0.05)


def test_soft_takes_no_more_than_a_fiftieth_of_the_body_a_step():
    overlap = run([box("a", 0.0), box("b", 0.18)], "soft").steps["overlap"]
    assert overlap[0] - overlap[1] <= 0.02 * 0.2 * 3**0.5 / 2 + 1e-6
    assert overlap[-1] < 1e-5


def test_projection_takes_all_of_it_in_the_first_step():
    overlap = run([box("a", 0.0), box("b", 0.18)], "projection").steps["overlap"]
    assert overlap.max() < 2e-6


def test_none_leaves_it_alone():
    result = run([box("a", 0.0), box("b", 0.18)], "none")
    assert result.steps["overlap"][-1] == pytest.approx(0.02, abs=1e-6)


def test_projection_shares_displacements_by_mass():
    """Eq. 45 for two spheres, masses 1 : 8, without gravity: their displacements are as 8 : 1, their centre stays."""
    small = Body("small", Sphere(0.1), "m", position=(0.0, 0.0, 5.0))
    large = Body("large", Sphere(0.2), "m", position=(0.27, 0.0, 5.0))
    result = run([small, large], "projection", time=0.01, gravity=(0.0, 0.0, 0.0))
    moved = (result.center_of_mass[-1] - result.center_of_mass[0])[1:, 0]
    assert moved == pytest.approx([-0.03 * 8 / 9, 0.03 / 9], abs=1e-6)
    assert np.abs(result.velocities[-1]).max() == 0.0


def test_projection_turns_a_body_about_its_centre():
    """A tilted plank, one end sunk by d, is lifted by d / (1 + m l^2 / I), l the lever of that end (eq. 49)."""
    length, depth = 1.0, 1e-3
    tilt = 0.02
    half = 0.05
    turn = (np.cos(tilt / 2), 0.0, np.sin(tilt / 2), 0.0)
    # The lower edge of the end at x > 0 is `depth` in the floor.
    height = half * np.cos(tilt) + 0.5 * length * np.sin(tilt) - depth
    plank = Body("plank", Box((length, 0.1, 2 * half)), "m", position=(0.0, 0.0, height), orientation=turn)
    result = run([plank], "projection", time=0.01, gravity=(0.0, 0.0, 0.0))
    lever = 0.5 * length * np.cos(tilt) - half * np.sin(tilt)
    inertia = (length**2 + (2 * half) ** 2) / 12
    lift = depth / (1 + lever**2 / inertia)
    assert result.center_of_mass[-1, 1, 2] - height == pytest.approx(lift, rel=0.01)


def test_what_would_move_far_is_closed_in_parts():
    """A box 15 mm in the floor, and one on it: a round moves no body by more than a fiftieth."""
    given = scene(box("a", 0.0, 0.085), box("b", 0.0, 0.28))
    model, state = compiled(given, SimulationOptions(time=0.1))
    settings = step_settings(SimulationOptions(time=0.1), model, state)
    limits = limits_of(settings)
    size, everyone = model.size[1], np.ones(3, dtype=bool)
    once, _ = projected(model, state, settings, limits._replace(rounds=1), everyone)
    lower, upper = once.position[1:, 2] - [0.085, 0.28]
    # The upper one has to go as far as the lower, and its own overlap with it.
    assert upper == pytest.approx(limits.way * size, rel=1e-4)
    assert lower / upper == pytest.approx(0.015 / 0.02, rel=1e-4)
    closed, _ = projected(model, state, settings, limits, everyone)
    assert closed.position[1:, 2] == pytest.approx([0.1, 0.3], abs=1e-5 * size)


def test_only_bodies_that_may_be_coupled_with_what_is_to_be_closed_are_searched():
    """One deep overlap made the search of the whole scene anew."""
    inverse_mass, wanted = np.array([0.0, 1.0, 1.0, 1.0, 1.0, 1.0]), np.array([False, False, True, False, False, False])
    a, b = np.array([0, 1, 2, 0, 4, 0]), np.array([1, 2, 3, 4, 5, 5])
    nothing = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    assert coupled_with(wanted, inverse_mass, nothing)(a, b).tolist() == [True, True, True, False, False, False]
    assert coupled_with(wanted, inverse_mass, (np.array([3]), np.array([4])))(a, b).all()
    assert coupled_with(inverse_mass > 0, inverse_mass, nothing) is None


@pytest.mark.parametrize("kind", ["ball", "hinge", "fixed"])
def test_what_joints_hold_moves_along_where_overlap_is_closed(kind):
    """Of two bodies on a joint one is in the floor: it comes out, and the joint stays closed. Nothing pushes sideways,
    so their centre goes straight up."""
    pair = box("a", 0.0, 0.0999), box("b", 0.4, 0.3999)
    joint = Joint("j", kind, ("a", "b"), (0.2, 0.0, 0.25), axis=(0.0, 1.0, 0.0))
    given = Scene((FLOOR, *pair), TABLE, (0.0, 0.0, -9.81), joints=(joint,))
    model, state = compiled(given, SimulationOptions(time=0.1))
    settings = step_settings(SimulationOptions(time=0.1), model, state)
    closed, _ = projected(model, state, settings, limits_of(settings), np.ones(3, dtype=bool))
    moved = closed.position[1:] - state.position[1:]
    assert moved[0, 2] >= 1e-4 - 1e-7 and moved[1, 2] > 2e-5
    assert moved.sum(axis=0)[:2] == pytest.approx([0.0, 0.0], abs=1e-10)
    assert np.abs(linearised_at(model.joints, closed.joints.value, closed.position, closed.orientation).g).max() < 1e-12


def test_a_soft_grip_makes_no_step_of_a_pile_finer():
    """A rod in the soft grip of a hand pushes into bricks: islands with joints were not closed at the end of steps, and
    went in halves for it. Nothing turns in such a grip, and nothing was to be solved again."""
    turn, counted = (np.cos(0.15), 0.0, np.sin(0.15), 0.0), Counter()
    bricks = [Body(f"b{i}{j}{k}", Box((0.1, 0.08, 0.06)), "m", position=(0.13 * i + 0.02 * k, 0.1 * j, 0.07 + 0.11 * k),
                   orientation=turn) for i in range(3) for j in range(3) for k in range(3)]  # fmt: skip
    start, speed, upright = (-0.2, 0.1, 0.1), 0.6, np.tile([1.0, 0.0, 0.0, 0.0], (2, 1))
    way = KeyedPoses(np.array([0.0, 0.5]), np.array([start, (0.1, 0.1, 0.1)]), upright)
    hand = Body("hand", Sphere(0.01), "m", Motion.KINEMATIC, start, keys=way, layers=(9,), collides_with=(9,))
    rod = Body("rod", Box((0.1, 0.1, 0.16)), "m", position=start, velocity=(speed, 0.0, 0.0))
    grip = Joint("grip", "fixed", ("hand", "rod"), start, compliance=1e-4)

    def watch(step, state, report, rows):
        counted.update({event.name: event.count for event in report.events})

    given = Scene((FLOOR, hand, rod, *bricks), TABLE, (0.0, 0.0, -9.81), joints=(grip,))
    steps = simulate(given, SimulationOptions(time=0.5, threads=1), watch=watch).steps
    assert steps["substeps"].sum() == 50 and steps["converged"].all() and steps["overlap"].max() < 5e-6
    assert counted["penetration_correction"] and not counted["halved_overlap"] + counted["joint_rows_at_end"]
