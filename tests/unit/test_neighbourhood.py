"""A neighbourhood stepped finely inside a pile: momentum and energy, and what is left alone."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from stiction.solver.dynamics import rotation
from stiction.solver.dynamics.jointed.tables import NO_JOINTS
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import SimulationOptions, simulate, step_settings, stepper
from stiction.solver.stepping import neighbourhood, refinement

FLOOR = Body("floor", Box((20.0, 20.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5))


@pytest.fixture
def cuts(monkeypatch):
    """Numbers of bodies of the neighbourhoods that are cut out, however small the pile."""
    seen = []
    made = refinement._fine

    def counted(coarse, cut):
        fine = made(coarse, cut)
        if np.any(fine.held):
            seen.append(int(cut.sum()))
        return fine

    monkeypatch.setattr(neighbourhood, "LARGE", 0)
    monkeypatch.setattr(neighbourhood, "WORTH", 0.9)
    monkeypatch.setattr(refinement, "WORTH", 0.9)
    monkeypatch.setattr(refinement, "_fine", counted)
    return seen


def scene(bodies, gravity, restitution=0.0):
    material = Material("default", friction=0.4, restitution=restitution)
    return Scene(tuple(bodies), MaterialTable((material,)), gravity=gravity)


def row_of_boxes(count, gap=0.0):
    return [Body(f"box{i}", Box((0.5, 0.5, 0.5)), position=((0.5 + gap) * i, 0.0, 0.25)) for i in range(count)]


def spinning_card(x, speed=(0.0, 0.0, -3.0)):
    return Body("card", Box((0.4, 0.6, 0.01)), position=(x, 0.1, 0.9), velocity=speed,
                angular_velocity=(60.0, 20.0, 9.0))  # fmt: skip


def momentum(model, state):
    """Momentum, and the kinetic energy."""
    turn = rotation.matrix(state.orientation)
    own = np.einsum("rij,rjk,rlk,rl->ri", turn, model.inertia, turn, state.twist[:, 3:])
    linear = model.mass[:, None] * state.twist[:, :3]
    energy = 0.5 * np.sum(linear * state.twist[:, :3]) + 0.5 * np.sum(own * state.twist[:, 3:])
    return linear.sum(axis=0), energy


def test_momentum_is_kept_nearly(cuts):
    """A card flies into a row of boxes without a floor or gravity; its own momentum is the measure."""
    model, state = compile_scene(scene([*row_of_boxes(10), spinning_card(0.2)], (0.0, 0.0, 0.0)))
    options = SimulationOptions(tolerance=1e-12)
    advance, settings = stepper(options), step_settings(options, model, state)
    first = momentum(model, state)
    spent = 0.0
    for _ in range(60):
        state, report, _ = advance(model, state, settings)
        spent += report.friction_work + report.impact_loss + report.stabilisation_work
    last = momentum(model, state)
    assert min(cuts) < 11 and len(cuts) >= 3
    assert last[0] == pytest.approx(first[0], abs=0.1 * np.abs(first[0]).max())
    assert last[1] - first[1] == pytest.approx(spent, abs=1e-9 * first[1])


@pytest.mark.parametrize("restitution", [0.0, 0.5])
@pytest.mark.parametrize("stepping", ["moreau", "semi_implicit"])
def test_ledger_closes_over_neighbourhoods(cuts, restitution, stepping):
    """Energy before - energy after = work of friction, impacts and stabilisation."""
    places = [(0.2 + 0.7 * i, 0.1, 0.7 + 0.1 * i) for i in range(6)]
    cards = [replace(spinning_card(0.0), name=f"card{i}", position=place) for i, place in enumerate(places)]
    bodies = [FLOOR, *row_of_boxes(10), *cards]
    whole = scene(bodies, (0.0, 0.0, -9.81), restitution)
    steps = simulate(whole, SimulationOptions(time=0.6, stepper=stepping)).steps
    assert len(cuts) >= 3
    energy = steps["kinetic"] + steps["potential"]
    work = np.cumsum(steps["friction_work"] + steps["impact_loss"] + steps["stabilisation_work"])
    accurate = 1e-9 if stepping == "moreau" else 0.02
    assert energy - energy[0] == pytest.approx(work - work[0], abs=accurate * energy[0])


def test_same_bits_for_any_number_of_threads(cuts):
    bodies = [FLOOR, *row_of_boxes(10), spinning_card(0.2)]
    options = SimulationOptions(time=0.3)
    one, two = (simulate(scene(bodies, (0.0, 0.0, -9.81)), replace(options, threads=n)) for n in (1, 2))
    assert cuts
    assert np.array_equal(one.center_of_mass, two.center_of_mass)
    assert np.array_equal(one.orientations, two.orientations)


def test_only_what_is_near_is_cut_out():
    """A pile of more than LARGE bodies in a row: two contacts to either side of the seed; fewer are cut out whole."""
    count = neighbourhood.LARGE + 5

    def cut_out(seeds, a, b, moving):
        group = SimpleNamespace(moving=moving, model=SimpleNamespace(joints=NO_JOINTS, inverse_mass=1.0 * moving))
        return neighbourhood.cut_out(seeds, a, b, group)

    a, b = np.arange(count - 1), np.arange(1, count)
    seeds = a == 20
    cut = cut_out(seeds, a, b, np.ones(count, dtype=bool))
    assert np.flatnonzero(cut).tolist() == [18, 19, 20, 21, 22, 23]
    few = neighbourhood.LARGE
    assert cut_out(seeds[: few - 1], a[: few - 1], b[: few - 1], np.ones(few, dtype=bool)).all()
    # Fixed bodies join nothing.
    fixed = np.ones(count, dtype=bool)
    fixed[21] = False
    assert np.flatnonzero(cut_out(seeds, a, b, fixed)).tolist() == list(range(21))


def test_work_on_bodies(cuts):
    """The floor under three boxes at rest takes their weight times a step, in a world that sinks with it."""
    model, state = compile_scene(scene([FLOOR, *row_of_boxes(3)], (0.0, 0.0, -9.81)))
    options = SimulationOptions()
    advance, settings = stepper(options), step_settings(options, model, state)
    for _ in range(3):
        state, _, _ = advance(model, state, settings)
    floor, boxes = np.array([True, False, False, False]), np.array([False, True, True, True])
    sinking = np.tile([0.0, 0.0, -2.0, 0.0, 0.0, 0.0], (4, 1))
    contacts = state.contacts, state.impulses, state.position, sinking
    weight = model.mass[1:] * 9.81 * 0.01
    assert neighbourhood.work_on(floor, boxes, *contacts)[0] == pytest.approx(2.0 * weight.sum(), rel=1e-6)
    assert neighbourhood.work_on(boxes, floor, *contacts)[1:] == pytest.approx(-2.0 * weight, rel=1e-6)
    assert not np.any(neighbourhood.work_on(boxes, np.zeros(4, dtype=bool), *contacts))


def test_what_is_squeezed_leaves_no_huge_impulses_to_the_next_step(cuts):
    """Boxes between two that keep to their paths may be squeezed without bound; nothing here carries that much."""
    places = [(0.2 + 0.7 * i, 0.1, 0.7 + 0.1 * i) for i in range(6)]
    cards = [replace(spinning_card(0.0), name=f"card{i}", position=place) for i, place in enumerate(places)]
    model, state = compile_scene(scene([FLOOR, *row_of_boxes(10), *cards], (0.0, 0.0, -9.81)))
    options = SimulationOptions()
    advance, settings = stepper(options), step_settings(options, model, state)
    there = 2.0 * np.sum(model.mass * np.linalg.norm(state.twist[:, :3], axis=1)) + model.mass.sum() * 9.81 * 0.01
    energy, booked = momentum(model, state)[1], []
    for _ in range(60):
        state, report, _ = advance(model, state, settings)
        assert np.abs(state.impulses[:, 0]).max(initial=0.0) < there
        booked.append(report.stabilisation_work)
    # Where that happens more bodies are stepped finely: no more work is booked than the bodies' energy.
    assert np.abs(booked).max() < energy
    assert cuts
    assert cuts
