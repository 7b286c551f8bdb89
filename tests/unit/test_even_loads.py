"""Loads that the laws leave open are split as equal stiffness would: least norm, whatever the order or the hand."""

from dataclasses import replace

import numpy as np
import pytest

from stiction.solver import methods
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.methods.even import spread
from stiction.solver.methods.method_options import AcceleratedOptions
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scenes import build
from stiction.solver.shapes import Box, Sphere
from stiction.solver.simulation import compiled, options_for, step_settings, stepper

TABLE = MaterialTable((Material("m", 1000.0, 0.5),))


def first_problem(scene, **options):
    """The velocity problem of the first step of a scene, and its contacts."""
    options = options_for(scene, time=0.01, time_step=0.01, **options)
    model, state = compiled(scene, options)
    kept = []
    settings = step_settings(options, model, state)
    after, _, _ = stepper(options)(model, state, replace(settings, record=kept.append))
    return kept[0], after, model


def normals(problem, method, **options):
    impulse = np.zeros(problem.row_count)
    entry = methods.get_method(method)
    report = methods.solve(problem, impulse, method, entry.options(tolerance=1e-10, **options))
    assert report.residual <= 1e-10
    return impulse[problem.row_start[:-1]]


def table(order=1):
    """A plate whose weight is off the middle of four balls."""
    balls = [Body(f"{x}{y}", Sphere(0.1), "m", Motion.STATIC, position=(0.4 * x, 0.4 * y, -0.1))
             for x in (-1, 1) for y in (-1, 1)]  # fmt: skip
    plate = Body("plate", Box((1.2, 1.2, 0.1)), "m", position=(0.05, 0.1, 0.05))
    return Scene((*balls, plate)[::order], TABLE)


@pytest.mark.parametrize("method", ["default", "accurate"])
@pytest.mark.parametrize("order", [1, -1])
def test_a_table_on_four_legs(method, order):
    """N = W/4 (1 + x dx/a^2 + y dy/a^2): the plane of least norm through three equations for four loads."""
    problem, after, _ = first_problem(table(order))
    found = normals(problem, method)
    x, y = after.contacts.position[:, 0], after.contacts.position[:, 1]
    exact = 144.0 * 9.81 * 0.01 / 4 * (1 + (x * 0.05 + y * 0.1) / 0.16)
    assert found == pytest.approx(exact, rel=1e-7)
    assert normals(problem, method, even_loads=0) != pytest.approx(exact, rel=1e-3), "the sweep's own split is another"


@pytest.mark.parametrize("method", ["default", "accurate"])
def test_a_table_beside_a_tower_that_is_not_solved_stands_on_even_loads(method):
    """What the sweeps leave open elsewhere takes nobody's even loads away."""
    floor = Body("floor", Box((3.0, 3.0, 1.0)), "m", Motion.STATIC, position=(8.0, 0.0, -0.5))
    tower = [Body(f"box{k}", Box((1.0, 1.0, 1.0)), "m", position=(8.0, 0.1 * (k % 2), 0.5 + k)) for k in range(30)]
    problem, after, _ = first_problem(Scene((*table().bodies, floor, *tower), TABLE))
    impulse, options = np.zeros(problem.row_count), methods.get_method(method).options
    report = methods.solve(problem, impulse, method, options(tolerance=1e-10, max_iterations=90))
    assert report.residual > 1e-6, "the tower is not solved"
    x, y = (own := after.contacts.position[:, 0] < 4.0) * after.contacts.position[:, :2].T
    exact = 144.0 * 9.81 * 0.01 / 4 * (1 + (x * 0.05 + y * 0.1) / 0.16)
    assert impulse[problem.row_start[:-1]][own] == pytest.approx(exact[own], rel=1e-7)


def test_no_leg_of_a_table_pulls():
    """The weight is so far off that the plane through the loads is below zero at one leg; without friction."""
    plate = Body("plate", Box((2.0, 2.0, 0.1)), "m", position=(0.3, 0.3, 0.05))
    balls = table().bodies[:4]
    problem, after, _ = first_problem(Scene((*balls, plate), MaterialTable((Material("m", 1000.0, 0.0),))))
    found, x, y = normals(problem, "default"), *after.contacts.position[:, :2].T
    weight = 400.0 * 9.81 * 0.01
    exact = np.select([(x < 0) & (y < 0), (x > 0) & (y > 0)], [0.0, 0.75], 0.125) * weight
    assert found == pytest.approx(exact, abs=1e-6 * weight)
    evened = np.zeros(problem.row_count)
    evened[problem.row_start[:-1]] = exact + 0.1 * weight * np.sign(x * y)
    spread(problem, evened, np.zeros_like(evened), np.full(4, 1e-9), np.ones(4), 200)
    assert evened.min() >= -1e-9 * weight, "spreading does not make a leg pull"


@pytest.mark.parametrize("order", [1, -1])
def test_a_plank_on_rollers_loads_both_ends_alike(order):
    scene = build("rollers")
    _, after, model = first_problem(Scene(scene.bodies[::order], scene.materials))
    side = after.contacts.position[:, 1] > 0
    load, where = after.impulses[:, 0], np.round(after.contacts.position[:, 0], 3)
    for roller in (-0.25, 0.25):
        mine = where == roller
        assert load[mine & side] == pytest.approx(load[mine & ~side], rel=1e-8)
    assert np.abs(after.twist[model.names.index("plank"), 5]) < 1e-8, "it does not yaw"


def test_redundant_walls_share_the_load():
    walls = [Body(f"wall{i}", Box((1.0, 1.0, 1.0)), "m", Motion.STATIC, position=(0.0, 0.0, -0.5)) for i in range(3)]
    problem, _, _ = first_problem(Scene((*walls, Body("ball", Sphere(0.1), "m", position=(0.0, 0.0, 0.1))), TABLE))
    found = normals(problem, "default")
    assert found == pytest.approx(found.sum() / 3, rel=1e-7)


def heap(mirror=1.0, order=1):
    """A plate on five balls of unequal places, two boxes on it, one of them off the middle."""
    places = [(-0.4, -0.3), (0.35, -0.42), (0.45, 0.3), (-0.3, 0.44), (0.1, 0.05)]
    bodies = [Body(f"ball{i}", Sphere(0.1), "m", Motion.STATIC, position=(mirror * x, y, -0.1))
              for i, (x, y) in enumerate(places)]  # fmt: skip
    bodies += [Body("plate", Box((1.2, 1.2, 0.1)), "m", position=(0.0, 0.0, 0.05)),
               Body("low", Box((0.3, 0.4, 0.2)), "m", position=(mirror * 0.2, 0.1, 0.2)),
               Body("high", Box((0.5, 0.2, 0.1)), "m", position=(mirror * 0.15, 0.05, 0.35))]  # fmt: skip
    return Scene(tuple(bodies[::order]), TABLE)


def loads(scene, mirror):
    """{place of a contact: impulse of `high`, `low` or the plate's support}, in the frame of the scene unmirrored."""
    problem, after, _ = first_problem(scene)
    impulse = np.zeros(problem.row_count)
    methods.solve(problem, impulse, "default", AcceleratedOptions(tolerance=1e-10))
    places = np.round(after.contacts.position * (mirror, 1, 1), 2) + 0.0
    return dict(zip(map(tuple, places), impulse[problem.row_start[:-1]], strict=True))


@pytest.mark.parametrize(("mirror", "order"), [(1.0, -1), (-1.0, 1), (-1.0, -1)])
def test_mirrored_and_permuted_scenes_have_mirrored_and_permuted_loads(mirror, order):
    expected, found = loads(heap(), 1.0), loads(heap(mirror, order), mirror)
    assert expected.keys() == found.keys() and len(found) >= 13
    # Contacts lie on the face of the body listed first, which fell half a step: other places by 1e-4 of a body.
    error = 1e-6 if order > 0 else 1e-4
    for place, load in expected.items():
        assert found[place] == pytest.approx(load, rel=error, abs=1e-6)


def test_spreading_moves_no_body_and_no_load_that_is_determined():
    problem, _, _ = first_problem(heap())
    impulse = np.zeros(problem.row_count)
    methods.solve(problem, impulse, "default", AcceleratedOptions(tolerance=1e-10, even_loads=0))
    before, share = impulse.copy(), np.ones(problem.block_count)
    evened = spread(problem, impulse, np.zeros_like(impulse), np.full(problem.block_count, 1e-10), share, 200)
    assert evened.all() and np.linalg.norm(impulse) < np.linalg.norm(before)
    assert np.abs(problem.velocity(impulse) - problem.velocity(before)).max() < 1e-10
    three, _, _ = first_problem(build("four_spheres"))
    found = np.zeros(three.row_count)
    methods.solve(three, found, "default", AcceleratedOptions(tolerance=1e-12, even_loads=0))
    again = found.copy()
    spread(three, again, np.zeros_like(found), np.full(three.block_count, 1e-12), np.ones(three.block_count), 200)
    first = three.row_start[:-1]
    assert again[first] == pytest.approx(found[first], rel=1e-6), "an isostatic pile has one answer"


def test_islands_above_the_limit_stay_as_they_were_found():
    problem, _, _ = first_problem(table())
    assert normals(problem, "default", even_loads=3) == pytest.approx(normals(problem, "default", even_loads=0))
