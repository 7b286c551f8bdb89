"""A cylinder is round beside meshes, too: it rolls on triangles as on a plane, and touches edges and corners."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from stiction.solver.collision.pipeline import find_contacts
from stiction.solver.meshes.solid_field import SolidField
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scenes.base import GRAVITY, axis_angle, multiply, one_material, quadruple, rotation_matrix
from stiction.solver.shapes import Cylinder, Mesh
from stiction.solver.shapes.generators import cells, extruded, plate
from stiction.solver.simulation import compiled, options_for
from stiction.solver.validation.run import run

ALONG_Y = axis_angle((1, 0, 0), np.pi / 2)
FLOOR = Mesh(*cells(np.linspace(-4, 4, 8), (-1, 0.1, 1), (-0.5, 0), np.ones((7, 2, 1))))


@pytest.mark.parametrize("turned", [0.0, 0.37])
def test_it_rolls_down_a_slope_of_triangles(turned):
    """With two thirds of what slides without friction, and keeps its energy."""
    radius, slope, time = 0.15, 0.1, 1.0
    still = quadruple(multiply(axis_angle((0, 1, 0), turned), ALONG_Y))
    drum = Body("drum", Cylinder(radius, 0.4), position=(-2, 0, radius), orientation=still, velocity=(1.0, 0.0, 0.0),
                angular_velocity=(0.0, 1.0 / radius, 0.0))  # fmt: skip
    gravity = (float(GRAVITY * np.sin(slope)), 0.0, float(-GRAVITY * np.cos(slope)))
    ground = Body("ground", FLOOR, motion=Motion.STATIC)
    done = run(Scene((ground, drum), one_material(0.5), gravity=gravity), time, 0.01)
    went = done.position[-1, 1] - done.position[0, 1]
    assert went[0] == pytest.approx(time + gravity[0] / 3.0 * time**2, rel=1e-8)
    assert np.abs(went[1:]).max() < 1e-8
    energy = np.array([report.kinetic + report.potential for report in done.reports])
    assert np.ptp(energy) < 1e-8 * energy.max()


def test_a_coin_lies_on_triangles_with_its_rim():
    coin = Body("coin", Cylinder(0.1, 0.01), position=(0.03, 0.04, 0.0051))
    done = run(Scene((Body("ground", FLOOR, motion=Motion.STATIC), coin), one_material(0.5)), 0.2, 0.01)
    assert np.abs(done.twist[-1]).max() < 1e-8
    assert done.position[-1, 1, 2] == pytest.approx(0.005, abs=1e-6)


def distance(turn, place, half, length):
    """(least distance of a box at the origin from the axis of a cylinder, where along the axis), lengths in metres."""

    def away(t):
        p = turn.T @ (place[0] + t * place[1])
        return np.linalg.norm(np.maximum(np.abs(p) - half, 0.0))

    found = minimize_scalar(away, bounds=(-0.5 * length, 0.5 * length), method="bounded", options={"xatol": 1e-12})
    return found.fun, found.x


def test_its_side_is_as_far_from_edges_and_corners_as_the_circle():
    rng, radius, length = np.random.default_rng(3), 0.2, 1.0
    half, met = np.array((0.15, 0.1, 0.12)), 0
    box = Mesh(*plate(tuple(2 * half), (2, 3)))
    for _ in range(60):
        stand = rng.normal(size=(2, 4))
        stand /= np.linalg.norm(stand, axis=1)[:, None]
        turn, axis = rotation_matrix(stand[0]), rotation_matrix(stand[1])[:, 2]
        way = np.cross(axis, rng.normal(size=3))
        place = way / np.linalg.norm(way) + 0.2 * rng.normal() * axis
        # Nearer until the box touches the side but for a little.
        low, high = 0.0, 2.0
        while high - low > 1e-12:
            middle = 0.5 * (low + high)
            near, at = distance(turn, (middle * place, axis), half, length)
            low, high = (low, middle) if near > radius + 5e-4 else (middle, high)
        if abs(at) > 0.45 * length:
            continue
        bodies = (Body("box", box, motion=Motion.STATIC, orientation=quadruple(stand[0])),
                  Body("drum", Cylinder(radius, length), position=tuple(map(float, low * place)),
                       orientation=quadruple(stand[1])))  # fmt: skip
        scene = Scene(bodies)
        model, state = compiled(scene, options_for(scene))
        found = find_contacts(model.collision, state.position, state.orientation, np.zeros_like(state.twist), 0.0)
        assert found.gap.min() == pytest.approx(5e-4, abs=1e-7)
        met += 1
    assert met > 30


def test_its_contacts_lie_on_a_roof_and_not_beyond_the_ridge():
    """Where the corner of the prism is over one side, the lowest point of the rim may be over the other."""
    rng, roof = np.random.default_rng(4), Mesh(*extruded([(-1.0, -0.5), (1.0, -0.5), (0.0, 0.0)], 4.0))
    field, met = SolidField(*roof.surface()), 0
    for _ in range(40):
        lean = axis_angle((0, 1, 0), rng.uniform(1.0, 1.5))
        stand = multiply(axis_angle((0, 0, 1), rng.uniform(0.0, 2.0 * np.pi)), lean)
        axis = rotation_matrix(stand)[:, 2]
        sine = np.sqrt(1.0 - axis[2] ** 2)
        # The lower end of the drum's lowest line is on the ridge, but for a hundredth of a metre.
        low = 0.2 * axis * np.sign(axis[2]) - 0.1 * (axis * axis[2] - (0.0, 0.0, 1.0)) / -sine
        place = low + (rng.uniform(-0.01, 0.01), 0.0, 0.0)
        bodies = (Body("roof", roof, motion=Motion.STATIC),
                  Body("drum", Cylinder(0.1, 0.4), position=tuple(map(float, place)),
                       orientation=quadruple(stand)))  # fmt: skip
        scene = Scene(bodies)
        model, state = compiled(scene, options_for(scene))
        found = find_contacts(model.collision, state.position, state.orientation, np.zeros_like(state.twist), 0.0)
        assert field.distance(found.position - 0.5 * found.gap[:, None] * found.normal + model.center_of_mass[0]
                              - state.position[0]) == pytest.approx(0.0, abs=1e-6)  # fmt: skip
        met += found.count > 0
    assert met > 20
