"""A component made again in halves: momentum and energy are exact, and others are left alone."""

from dataclasses import replace

import numpy as np
import pytest

from stiction.solver.dynamics import rotation
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import SimulationOptions, simulate, step_settings, stepper
from stiction.solver.stepping import substeps

FLOOR = Body("floor", Box((20.0, 20.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5))


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


def cards_on_a_row(restitution):
    """Six spinning cards fall on a row of ten boxes."""
    places = [(0.2 + 0.7 * i, 0.1, 0.7 + 0.1 * i) for i in range(6)]
    cards = [replace(spinning_card(0.0), name=f"card{i}", position=place) for i, place in enumerate(places)]
    return scene([FLOOR, *row_of_boxes(10), *cards], (0.0, 0.0, -9.81), restitution)


def test_momentum_is_kept():
    """A card flies into a row of boxes without a floor or gravity; its own momentum is the measure."""
    model, state = compile_scene(scene([*row_of_boxes(10), spinning_card(0.2)], (0.0, 0.0, 0.0)))
    options = SimulationOptions(tolerance=1e-12)
    advance, settings = stepper(options), step_settings(options, model, state)
    first = momentum(model, state)
    spent, parts = 0.0, []
    for _ in range(60):
        state, report, _ = advance(model, state, settings)
        spent += report.friction_work + report.impact_loss + report.stabilisation_work
        parts.append(report.substeps)
    last = momentum(model, state)
    assert sum(count > 1 for count in parts) >= 3
    assert last[0] == pytest.approx(first[0], abs=1e-12 * np.abs(first[0]).max())
    assert last[1] - first[1] == pytest.approx(spent, abs=1e-9 * first[1])


@pytest.mark.parametrize(("stepping", "restitution"), [
    ("moreau", 0.5), ("semi_implicit", 0.0), pytest.param("moreau", 0.0, marks=pytest.mark.slow(hours=True)),
    pytest.param("semi_implicit", 0.5, marks=pytest.mark.slow(hours=True)),
])  # fmt: skip
def test_ledger_closes_over_substeps(restitution, stepping):
    """Energy before - energy after = work of friction, impacts and stabilisation; the last gives nearly nothing."""
    steps = simulate(cards_on_a_row(restitution), SimulationOptions(time=0.3, stepper=stepping)).steps
    assert np.count_nonzero(steps["substeps"] > 1) >= 3
    energy = steps["kinetic"] + steps["potential"]
    work = np.cumsum(steps["friction_work"] + steps["impact_loss"] + steps["stabilisation_work"])
    accurate = 1e-9 if stepping == "moreau" else 0.02
    assert energy - energy[0] == pytest.approx(work - work[0], abs=accurate * energy[0])
    assert steps["stabilisation_work"].max() < 1e-3 * energy[0]


def test_same_bits_for_any_number_of_threads():
    options = SimulationOptions(time=0.1)
    one, two = (simulate(cards_on_a_row(0.0), replace(options, threads=n)) for n in (1, 2))
    assert np.any(one.steps["substeps"] > 1)
    assert np.array_equal(one.center_of_mass, two.center_of_mass)
    assert np.array_equal(one.orientations, two.orientations)


def test_a_component_is_never_stepped_in_pieces(monkeypatch):
    """All that touches or comes near what needs halves makes them, too; a stack beside it does not."""
    halved = []
    made = substeps._halves

    def seen(step, group, *rest):
        halved.append(set(np.array(group.model.names)[group.moving]))
        return made(step, group, *rest)

    monkeypatch.setattr(substeps, "_halves", seen)
    beside = [Body(f"beside{i}", Box((0.5, 0.5, 0.5)), position=(-9.0, 0.0, 0.25 + 0.5 * i)) for i in range(3)]
    bodies = [FLOOR, *row_of_boxes(12), spinning_card(0.2), *beside]
    simulate(scene(bodies, (0.0, 0.0, -9.81)), SimulationOptions(time=0.2))
    together = {"card", *(f"box{i}" for i in range(12))}
    assert together in halved
    for names in halved:
        assert names in (together, {"card"}) or names == together - {"card"}


def test_a_starved_step_of_two_components_names_a_body():
    """The first in halves, the second in one step, both ended by a limit of work: a row of numbers stays in bounds."""
    beside = [Body(f"beside{i}", Box((0.5, 0.5, 0.5)), position=(-9.0, 0.0, 0.25 + 0.5 * i)) for i in range(12)]
    late = replace(spinning_card(0.2), position=(0.2, 0.1, 0.7))
    whole = scene([FLOOR, *row_of_boxes(3), late, *beside], (0.0, 0.0, -9.81))
    steps = simulate(whole, SimulationOptions(time=0.03, max_iterations=1, acceptable=1e-12)).steps
    assert np.any((steps["substeps"] > 1) & (steps["worst_body"] >= 0))
    assert steps["worst_body"].max() < len(whole.bodies)


@pytest.mark.parametrize("count", [6, 18, 19, 24])
def test_a_component_with_a_body_that_turns_is_searched_for_less_far_ahead_whatever_its_size(count):
    """To the end of its last part, not to the middle of the next whole step: what turns may meet others on its way."""
    model, state = compile_scene(scene([FLOOR, *row_of_boxes(count), spinning_card(0.2)], (0.0, 0.0, -9.81)))
    options = SimulationOptions()
    advance, settings = stepper(options), step_settings(options, model, state)
    for _ in range(60):
        state, report, _ = advance(model, state, settings)
        if report.substeps > 1 and state.horizon[1] > 0.0:
            break
    assert report.substeps > 1
    assert state.horizon[-1] < 0.3 * options.time_step
    assert state.horizon[1] == state.horizon[-1]
