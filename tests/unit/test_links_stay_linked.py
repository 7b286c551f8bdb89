"""Chains of tori that are jerked stay linked, one that hangs gains no energy, bodies that turn do not sink in."""

from dataclasses import replace

import numpy as np
import pytest

from stiction.solver.collision.depths import pair_depths
from stiction.solver.dynamics import rotation
from stiction.solver.dynamics.jointed.tension import taut_bodies
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.results.linking import linking_numbers
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scenes.base import axis_angle, scaled
from stiction.solver.shapes import Mesh
from stiction.solver.shapes.generators import extruded, lathe, torus
from stiction.solver.simulation import compiled, options_for, simulate
from stiction.solver.stepping.not_accepted import gain_by_overlap

RADIUS, WIRE, AIR = 0.1, 0.02, 0.004
HALF = np.sqrt(0.5)


def chain(count, facets, sides, jerk, heavy=1.0, start=0.0):
    """(Scene of `count` rings in a row under a fixed one, their centre lines).

    The last one is `heavy` times as dense and is jerked down at `jerk` [m/s]; start: part of a facet by which rings are
    turned in their planes, 0 for corner in corner.
    """
    phase = 2 * np.pi * start / facets
    shape = Mesh(*torus(RADIUS, WIRE, facets, sides, phase=phase))
    angle = phase + 2 * np.pi * np.arange(facets) / facets
    line = RADIUS * np.column_stack((np.cos(angle), np.sin(angle), 0 * angle))
    bodies = []
    for k in range(count):
        last = k == count - 1
        bodies.append(Body(
            f"link{k}", shape, "heavy" if last else "steel", Motion.STATIC if k == 0 else Motion.DYNAMIC,
            (0.0, 0.0, -k * (2 * RADIUS - 2 * WIRE - AIR)), (HALF, HALF, 0.0, 0.0) if k % 2 == 0 else (0.5,) * 4,
            velocity=(0.0, 0.0, -jerk if last else 0.0),
        ))  # fmt: skip
    materials = MaterialTable((Material("steel", 7800.0, 0.3), Material("heavy", 7800.0 * heavy, 0.3)))
    return Scene(tuple(bodies), materials, name="chain"), [line] * count


@pytest.mark.parametrize(
    ("count", "facets", "sides", "jerk", "heavy", "start"),
    [(12, 12, 6, 10.0, 20.0, 0.0), (6, 18, 8, 12.0, 1.0, 0.0), (6, 8, 8, 20.0, 5.0, 0.5), (5, 12, 6, 20.0, 50.0, 0.3)],
)
def test_jerked_chains_stay_linked(count, facets, sides, jerk, heavy, start):
    scene, lines = chain(count, facets, sides, jerk, heavy, start)
    run = simulate(scene, options_for(scene, time=0.25))
    before = linking_numbers(lines, run.center_of_mass[0], run.orientations[0])
    assert set(before) == {(k, k + 1) for k in range(count - 1)}
    for frame in (1, 2, 5, 10, -1):
        assert linking_numbers(lines, run.center_of_mass[frame], run.orientations[frame]) == before
    assert not run.steps["unresolved"].any()


def snug(count, jerk=0.0, heavy=1.0, restitution=0.0):
    """A chain of rings of 14 facets, side in side, with a tenth of the wire between them."""
    scene, lines = chain(count, 14, 6, jerk, heavy, start=0.5)
    materials = MaterialTable(tuple(replace(one, restitution=restitution) for one in scene.materials.materials))
    pitch = 2 * (RADIUS * np.cos(np.pi / 14) - WIRE) - 0.1 * WIRE
    bodies = [replace(body, position=(0.0, 0.0, -k * pitch)) for k, body in enumerate(scene.bodies)]
    return replace(scene, bodies=tuple(bodies), materials=materials), lines


@pytest.mark.parametrize(("count", "jerk", "frequency"), [(3, 20.0, 24), (8, 12.0, 30), (8, 20.0, 24), (8, 12.0, 24)])
def test_links_that_bounce_to_and_fro_within_a_step_stay_linked(count, jerk, frequency):
    """What parts beside a bounce may close beyond its gap, and what closes the gaps of a bounce goes its own way."""
    scene, lines = snug(count, jerk, restitution=0.9)
    run = simulate(scene, options_for(scene, time=0.3, time_step=1.0 / frequency))
    before = linking_numbers(lines, run.center_of_mass[0], run.orientations[0])
    assert set(before) == {(k, k + 1) for k in range(count - 1)}
    for frame in range(1, len(run.times)):
        assert linking_numbers(lines, run.center_of_mass[frame], run.orientations[frame]) == before
    assert not run.steps["unresolved"].any()


@pytest.mark.parametrize(("count", "heavy", "frequency"), [(6, 1000.0, 100), (10, 300.0, 100), (30, 20.0, 24)])
def test_a_chain_that_hangs_under_a_great_weight_rests(count, heavy, frequency):
    """Its links swing across the pull of their contacts by more than two radians in a step, and would hum for ever."""
    scene, _ = snug(count, heavy=heavy)
    run = simulate(scene, options_for(scene, time=1.0, time_step=1.0 / frequency))
    at_hand = 9.81 * sum(run.header["mass"][1:]) * RADIUS
    energy = run.steps["kinetic"] + run.steps["potential"]
    assert np.diff(energy).max() < 1e-6 * at_hand
    assert run.steps["kinetic"][-1] < 1e-6 * at_hand
    assert run.steps["converged"].all() and not run.steps["unresolved"].any()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_chains_drawn_at_random_stay_linked_at_every_size(seed):
    """Jerked any way at 1 to 30 m/s, and as many that hang; every step is accepted, none gains energy that shows."""
    rng = np.random.default_rng(seed)
    count, facets, sides = rng.integers((4, 8, 4), (9, 13, 10))
    jerk = 0.0 if seed % 2 else rng.uniform(1.0, 30.0)
    # Rings of fewer facets, or an odd number of them, begin within each other.
    scene, lines = chain(count, 2 * facets, sides, jerk, heavy=rng.choice([1.0, 5.0, 20.0]))
    aside = rng.normal(size=3)
    last = replace(scene.bodies[-1], velocity=tuple(jerk * aside / np.linalg.norm(aside)))
    size = (1e-3, 1.0, 100.0)[seed % 3]
    scene = scaled(replace(scene, bodies=(*scene.bodies[:-1], last)), size, size**0.5, size**3)
    run = simulate(scene, options_for(scene, time=0.6 * size**0.5, time_step=0.01 * size**0.5))
    lines = [line * size for line in lines]
    before = linking_numbers(lines, run.center_of_mass[0], run.orientations[0])
    assert set(before) == {(k, k + 1) for k in range(count - 1)}
    for frame in range(1, len(run.times)):
        assert linking_numbers(lines, run.center_of_mass[frame], run.orientations[frame]) == before
    assert run.steps["converged"].all() and not run.steps["unresolved"].any()
    energy = run.steps["kinetic"] + run.steps["potential"]
    at_hand = run.steps["kinetic"][:-1] + 9.81 * RADIUS * size * sum(run.header["mass"][1:])
    assert (np.diff(energy) / at_hand).max() < 1e-3


def test_removing_overlap_gives_a_hanging_chain_no_energy():
    scene, _ = chain(8, 12, 6, 0.0)
    run = simulate(scene, options_for(scene, time=1.5))
    at_hand = 9.81 * sum(run.header["mass"][1:]) * RADIUS
    assert run.steps["stabilisation_work"].max() < 1e-6 * at_hand
    late = run.times > 0.5
    assert run.steps["kinetic"][late[1:]].max() < 1e-5 * at_hand
    assert run.steps["overlap"][late[1:]].max() < 1e-6


def whirled(rate=15.0):
    """A Scene of five rings that whirl about a fixed one, without gravity."""
    scene, _ = chain(6, 16, 8, 0.0, start=0.5)
    bodies = []
    for body in scene.bodies:
        moves = body.motion == Motion.DYNAMIC
        spin = (rate, 0.0, 0.0) if moves else (0.0, 0.0, 0.0)
        bodies.append(replace(body, velocity=tuple(np.cross(spin, body.position)), angular_velocity=spin))
    return replace(scene, bodies=tuple(bodies), gravity=(0.0, 0.0, 0.0))


def spike_in_crack():
    """A spike of 3 m on four sides that falls without friction into a crack with smooth walls."""
    spike = Mesh(*lathe([(0, 0), (0.3, 3.0), (0, 3.0)], 4))
    left = extruded([(-2, -2.5), (-0.01, -2.5), (-0.2, 0), (-2, 0)], 2.0)
    right = extruded([(0.01, -2.5), (2, -2.5), (2, 0), (0.2, 0)], 2.0)
    lean = axis_angle((0.3, 1.0, 0.0), 0.03)
    walls = [Body(name, Mesh(*wall), motion=Motion.STATIC) for name, wall in (("left", left), ("right", right))]
    falls = Body("spike", spike, position=(0.02, 0.0, 0.1), velocity=(0.2, 0.1, 0.0), orientation=tuple(lean))
    return Scene((*walls, falls), MaterialTable((Material("default", 1000.0, 0.0),)), name="spike")


def spike_in_hole():
    """A spike of 1 m that falls into a hole and jams: friction holds it however hard it is pressed."""
    spike = Mesh(*lathe([(0, 0), (0.08, 1.0), (0, 1.0)], 12))
    plate = Mesh(*lathe([(0.05, -0.3), (0.6, -0.3), (0.6, 0.0), (0.05, 0.0)], 16, loop=True))
    falls = Body("spike", spike, position=(0.01, 0, 0.1), velocity=(0, 0, -3.0))
    bodies = Body("plate", plate, motion=Motion.STATIC), falls
    return Scene(bodies, MaterialTable((Material("default", 2700.0, 0.3),)), name="jam")


def test_a_spike_that_jams_in_a_hole_is_held_by_what_stops_it():
    """Asked to turn on as before, it had no answer: impulses of 1e10 N s, friction work of 1e10 J."""
    scene = spike_in_hole()
    run = simulate(scene, options_for(scene, time=0.25))
    assert run.steps["converged"].all() and not run.steps["unresolved"].any()
    assert np.abs(run.steps["friction_work"]).max() < run.steps["kinetic"].max()
    assert run.steps["kinetic"][-1] < 1e-9


def test_closing_overlap_keeps_the_angular_momentum_of_rings_that_float():
    scene = whirled()
    three = scene.bodies[1:4]
    middle = np.mean([body.position for body in three], axis=0)
    bodies = [replace(body, velocity=tuple(np.cross((15.0, 0.0, 0.0), body.position - middle))) for body in three]
    scene = replace(scene, bodies=tuple(bodies))
    options = options_for(scene, time=0.3)
    model, _ = compiled(scene, options)
    found = []

    def look(_done, state, _report, _impulses):
        R = rotation.matrix(state.orientation)
        spin = np.einsum("bij,bjk,blk,bl->bi", R, model.inertia, R, state.twist[:, 3:])
        found.append((spin + np.cross(state.position, model.mass[:, None] * state.twist[:, :3])).sum(axis=0))

    run = simulate(scene, options, watch=look)
    assert run.events["penetration_correction"].any()
    np.testing.assert_allclose(found, np.tile(found[0], (len(found), 1)), atol=1e-9 * np.abs(found[0]).max())


@pytest.mark.parametrize(
    ("build", "time", "part"), [(whirled, 0.5, 1e-4), (spike_in_crack, 1.1, 1e-4), (spike_in_hole, 0.4, 1e-4)]
)
def test_bodies_that_turn_do_not_sink_in(build, time, part):
    """They leave their straight paths: what that makes overlap is closed at the end of the step."""
    scene = build()
    options = options_for(scene, time=time)
    model, _ = compiled(scene, options)
    movable, deepest = model.inverse_mass > 0, []

    def look(_done, state, _report, _impulses):
        found = pair_depths(model.collision, state.position, state.orientation, movable)
        deepest.append(found.depth.max(initial=0.0))

    run = simulate(scene, options, watch=look)
    at_hand = run.steps["kinetic"] + 9.81 * sum(run.header["mass"]) * model.size[movable].min()
    gain = gain_by_overlap(run.steps["stabilisation_work"], (run.steps["friction_work"], run.steps["impact_loss"]))
    assert (gain / at_hand).max() < 1e-3
    assert max(deepest) < part * model.size[movable].min()


def test_at_a_start_no_contact_pulls():
    """How old the contacts are that a run begins with is not known: it was read from beyond the end of nothing."""
    scene, _ = chain(4, 24, 12, 0.0)
    options = options_for(scene, time=0.1, time_step=0.01)
    model, ended = compiled(scene, options)[0], simulate(scene, options).state
    assert ended.impulses.any() and taut_bodies(model, ended, 0.01, 1e-6).any()
    assert not taut_bodies(model, replace(ended, since=np.zeros(0)), 0.01, 1e-6).any()
