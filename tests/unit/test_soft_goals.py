"""Springs of nodes to moving places: how Blender's Soft Body lets a mesh follow its animation."""

import json
from dataclasses import replace

import numpy as np
import pytest
from soft_scenes import FLOOR, cube, run, scene
from test_deformable_mechanics import unexplained

from stiction.solver.base.refusal import SceneError
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.scene import KeyedPoints
from stiction.solver.scene_io.scene_file import load_scene, save_scene
from stiction.solver.simulation import simulate

CORNERS = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (0.0, 0.2)]

# Three times as dense above as below.
HEAVY = ((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.2, 3.0))

ONE = ((0.0, 0.0, 0.1, 1.0, 0.0),)


def pulled(stiffness, damping=0.0, paths=None, times=None, **elastic):
    """A cube of 0.2 m, all of it pulled to its corners, which may move."""
    keys = None if paths is None else KeyedPoints(np.asarray(times), np.asarray(paths))
    goals = tuple((*corner, stiffness, damping) for corner in CORNERS)
    return cube(cells=1, goals=goals, goal_keys=keys, **elastic)


def middles(made, time, step=0.01):
    return simulate(made, SimulationOptions(time=time, time_step=step))


def test_what_springs_hold_comes_to_rest_in_whole_steps():
    """What steps made and could not take, a millionth of a millionth of a joule, is not owed for ever."""
    _, states, reports = run(scene(pulled(100.0, damping=20.0, young=1e6)), 40, time_step=1 / 24)
    assert abs(states[-1].position[0, 2] - 0.1 + 9.81 / 100.0) < 1e-5
    assert all(report.converged for report in reports) and reports[-1].substeps == 1


@pytest.mark.slow
def test_it_sags_and_swings_as_a_mass_on_a_spring():
    """All nodes have the same rates, so the body moves as a point would: about g / k, with sqrt(k)."""
    rate = 400.0
    made = simulate(scene(pulled(rate, young=1e6)), SimulationOptions(time=0.4, time_step=2e-3))
    height = made.center_of_mass[:, 0, 2] - made.center_of_mass[0, 0, 2]
    exact = -9.81 / rate * (1.0 - np.cos(np.sqrt(rate) * made.times))
    assert np.abs(height - exact).max() < 0.01 * np.ptp(exact)


def test_a_damped_one_comes_to_rest_where_spring_and_weight_agree():
    made = middles(scene(pulled(900.0, 60.0, young=1e5)), 0.5)
    assert made.center_of_mass[-1, 0, 2] - made.center_of_mass[0, 0, 2] == pytest.approx(-9.81 / 900, rel=1e-3)


def test_it_follows_moving_places_late_and_turns_with_them():
    """An even move: after the start it lags by nothing, as damping is against the goals' motion."""
    times = np.linspace(0.0, 1.0, 41)
    paths = np.array(CORNERS)[None] + np.array([0.5, 0, 0]) * times[:, None, None]
    made = replace(scene(pulled(400.0, 40.0, paths, times, young=1e5)), gravity=(0.0, 0.0, 0.0))
    found = middles(made, 1.0)
    way = found.center_of_mass[:, 0, 0]
    half = np.searchsorted(found.times, 0.05)
    assert 0.0 < way[half] < 0.5 * found.times[half], "it begins late"
    assert way[-1] == pytest.approx(0.5, abs=1e-3)


def test_energy_that_the_goals_put_in_is_accounted_for():
    times = np.linspace(0.0, 1.0, 21)
    paths = np.array(CORNERS)[None] + 0.2 * np.sin(6 * times)[:, None, None] * np.array([1.0, 0, 0.5])
    reports = run(scene(pulled(2e3, 5.0, paths, times, young=1e4)), 60)[2]
    assert unexplained(reports) < 1e-8


def test_where_the_rows_are_zero_nothing_pulls():
    goals = tuple((*corner, 400.0 if corner[2] == 0 else 0.0, 0.0) for corner in CORNERS)
    made = middles(scene(cube(goals=goals, young=1e6)), 0.2)
    assert made.center_of_mass[-1, 0, 2] < made.center_of_mass[0, 0, 2]


@pytest.mark.parametrize(
    ("elastic", "words"),
    [
        ({"goals": ((0.0, 0.0),)}, "rows of a place, a stiffness and a damping"),
        ({"goals": ((0.0, 0.0, 0.1, -1.0, 0.0),)}, "at least 0"),
        ({"goal_keys": KeyedPoints([0.0], np.zeros((1, 1, 3)))}, "no goals"),
        ({"goals": ONE, "goal_keys": KeyedPoints([0.0], np.zeros((1, 2, 3)))}, "times 1 points"),
    ],
)
def test_what_cannot_be_is_refused(elastic, words):
    with pytest.raises(SceneError, match=words):
        run(scene(cube(**elastic)), 0)


def test_other_schemes_refuse_goals():
    with pytest.raises(SceneError, match="has goals, which soft_stepper 'bdf2' does not know"):
        simulate(scene(pulled(100.0)), SimulationOptions(time=0.01, soft_stepper="bdf2"))


def test_scene_files_keep_goals_and_mass(tmp_path):
    times = np.array([0.0, 1.0])
    body = pulled(100.0, 2.0, np.array([CORNERS, CORNERS]), times, mass_points=HEAVY)
    save_scene(tmp_path / "scene.json", scene(body))
    again = load_scene(tmp_path / "scene.json").bodies[0].elastic
    assert again.goals == body.elastic.goals and again.mass_points == body.elastic.mass_points
    assert np.array_equal(again.goal_keys.points, body.elastic.goal_keys.points)
    assert "goals" in json.loads((tmp_path / "scene.json").read_text())["bodies"][0]["elastic"]


def test_mass_by_points_keeps_the_mass_and_moves_its_centre():
    plain, heavy = (simulate(scene(cube(**more)), SimulationOptions(time=0.001)) for more in
                    ({}, {"mass_points": HEAVY}))  # fmt: skip
    assert heavy.center_of_mass[0, 0, 2] > plain.center_of_mass[0, 0, 2] + 0.02
    assert heavy.steps["potential"][0] > plain.steps["potential"][0]


def test_what_goals_pull_lands_as_one_body():
    """Where contacts keep their velocities the filter takes nothing from the rest of a stiff body that comes along."""
    goals = ((0.0, 0.0, 0.1, 10.8, 0.29),)
    made_of = {"young": 1.4e10, "poisson": 0.4999, "element": "t10", "damping": (0.0, 2e-3)}
    stiff = cube(cells=1, position=(0.0, 0.0, 0.15), goals=goals, **made_of)
    made = simulate(scene(FLOOR, stiff), SimulationOptions(time=0.2))
    assert made.steps["contact_count"].any()
    assert made.steps["elastic"].max() < 0.1 * made.steps["kinetic"].max()
