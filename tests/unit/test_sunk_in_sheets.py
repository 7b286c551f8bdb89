"""What begins in an open surface is brought out on the side that most of it is on, however deep it is."""

import numpy as np
import pytest

from stiction.solver.collision.pipeline import find_contacts, prepare
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.shapes import Box, Capsule, ConvexHull, Cylinder, Mesh, Sphere
from stiction.solver.simulation import options_for, simulate

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
AROUND = 48


def grid(cells, height, hole=False):
    """A sheet of 10 m by 10 m over which height(x, y) [m] stands; hole: without one of its corners."""
    places = np.linspace(-5.0, 5.0, cells + 1)
    vertices = np.array([(x, y, height(x, y)) for x in places for y in places])
    first = np.array([i * (cells + 1) + j for i in range(cells) for j in range(cells)])
    squares = first[:-1] if hole else first
    halves = (np.stack((squares, squares + cells + 1, squares + cells + 2), axis=1),
              np.stack((squares, squares + cells + 2, squares + 1), axis=1))  # fmt: skip
    return Mesh(vertices, np.concatenate(halves))


def drum():
    """A cylinder of many narrow faces along X."""
    angle = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False)
    ring = 0.5 * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    vertices = np.concatenate([np.insert(ring, 0, x, axis=1) for x in (-0.5, 0.5)])
    k, after = np.arange(AROUND), (np.arange(AROUND) + 1) % AROUND
    fan = np.arange(1, AROUND - 1)
    return vertices, np.concatenate((
        np.stack((k, after, AROUND + after), axis=1), np.stack((k, AROUND + after, AROUND + k), axis=1),
        np.stack((0 * fan, fan + 1, fan), axis=1), AROUND + np.stack((0 * fan, fan, fan + 1), axis=1),
    ))  # fmt: skip


GROUNDS = {
    "plate": grid(1, lambda x, y: 0.0),
    "hole": grid(20, lambda x, y: 0.0, hole=True),
    "terrain": grid(20, lambda x, y: 0.005 * (x * x + y * y)),
    "coarse": grid(4, lambda x, y: 0.005 * (x * x + y * y)),
}
BODIES = {
    "box": Box((1.0, 1.0, 1.0)), "hull": ConvexHull(drum()[0]), "sphere": Sphere(0.5), "capsule": Capsule(0.2, 0.6),
    "cylinder": Cylinder(0.5, 1.0), "mesh box": Mesh(*Box((1.0, 1.0, 1.0)).surface()), "mesh drum": Mesh(*drum()),
}  # fmt: skip


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("ground", GROUNDS)
def test_contacts_point_out_of_the_sheet(ground, body, side):
    """All bodies are 1 m high; what a contact says of the overlap is at least half of it; sheets rise by 2 cm at most
    below them."""
    model = prepare((GROUNDS[ground], BODIES[body]), np.zeros((2, 3)), np.array([False, True]))
    for depth in (0.02, 0.06, 0.2, 0.45):
        position = np.array([(0.0, 0.0, 0.0), (0.03, 0.02, side * (0.5 - depth))])
        found = find_contacts(model, position, np.array([UPRIGHT, UPRIGHT]), np.zeros((2, 6)), 0.01)
        assert found.count, depth
        deepest = int(found.gap.argmin())
        assert -depth - 0.02 < found.gap[deepest] < -0.5 * depth, depth
        assert side * found.normal[deepest, 2] > 0.9, depth


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("ground", ["hole", "terrain"])
def test_a_body_sunk_by_half_comes_to_rest_on_the_ground(ground, body):
    rng = np.random.default_rng(3)
    turn = rng.normal(size=4)
    sunk = Body("sunk", BODIES[body], position=(0.4, -0.3, 0.12), orientation=tuple(turn / np.linalg.norm(turn)))
    scene = Scene(name="sunk", bodies=(Body("ground", GROUNDS[ground], motion=Motion.STATIC), sunk))
    run = simulate(scene, options_for(scene, time=1.0, time_step=0.01))
    assert run.positions[-1, 1, 2] > 0.15
    assert run.steps["kinetic"].max() < 9.81 * 0.2 * run.header["mass"][1], "not faster than it falls over its edge"


def test_a_capsule_over_a_hollow_sheet_meets_no_edge_from_its_back():
    """A long one that lies 0.144 m above sheets which rise all round: contacts push it up, or not at all."""
    model = prepare((GROUNDS["terrain"], BODIES["capsule"]), np.zeros((2, 3)), np.array([False, True]))
    lying = np.array([0.67, -0.71, 0.12, -0.18])
    orientation = np.array([UPRIGHT, lying / np.linalg.norm(lying)])
    position = np.array([(0.0, 0.0, 0.0), (0.398, -0.304, 0.144)])
    found = find_contacts(model, position, orientation, np.zeros((2, 6)), 0.01)
    assert found.count >= 2
    assert (found.normal[:, 2] > 0.9).all()
    assert found.gap.min() > -0.1
