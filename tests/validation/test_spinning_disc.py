"""Friction of a flat patch that spins: a disc under even pressure stops after 3 R w0 / (4 mu g).

The ring has moment of inertia m (R^2 + r^2) / 2 and the arm 2 (R^3 - r^3) / (3 (R^2 - r^2)) under even pressure.
"""

import numpy as np
import pytest
from marks import few

from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scenes.base import one_material
from stiction.solver.shapes import Box, ConvexHull, Cylinder, Mesh
from stiction.solver.simulation import options_for, simulate

RADIUS, HEIGHT, FRICTION, SPIN, SIDES, G = 0.1, 0.02, 0.3, 20.0, 64, 9.81


def prism(radius, sides=SIDES):
    """Vertices and triangles of a flat prism about z."""
    angle = 2 * np.pi * np.arange(sides) / sides
    circle = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    vertices = np.vstack([np.column_stack([circle, np.full(sides, z)]) for z in (-HEIGHT / 2, HEIGHT / 2)])
    k = np.arange(sides)
    j = (k + 1) % sides
    low = np.stack([np.zeros(sides - 2, int), k[2:], k[1:-1]], axis=1)
    walls = np.vstack([np.stack([k, j, sides + j], axis=1), np.stack([k, sides + j, sides + k], axis=1)])
    return vertices, np.vstack([low, sides + low[:, ::-1], walls])


def ring(inner, sides=SIDES):
    """Vertices and triangles of a flat ring about z."""
    outside, _ = prism(RADIUS, sides)
    inside, _ = prism(inner, sides)
    k = np.arange(sides)
    j = (k + 1) % sides
    a, b, c, d = 0, sides, 2 * sides, 3 * sides  # outside low, outside high, inside low, inside high
    quads = [(a + k, a + j, b + j, b + k), (c + j, c + k, d + k, d + j), (b + k, b + j, d + j, d + k)]
    quads.append((a + j, a + k, c + k, c + j))
    triangles = [np.stack(corners, axis=1) for p, q, r, s in quads for corners in ((p, q, r), (p, r, s))]
    return np.vstack([outside, inside]), np.vstack(triangles)


def plate(kind):
    """A resting plate with its top at z = 0; the mesh has 800 triangles above."""
    if kind == "box":
        return Body("plate", Box((1.0, 1.0, 0.2)), motion=Motion.STATIC, position=(0.0, 0.0, -0.1))
    line = np.linspace(-0.5, 0.5, 21)
    x, y = np.meshgrid(line, line, indexing="ij")
    corner = (np.arange(20)[:, None] * 21 + np.arange(20)).ravel()
    triangles = np.vstack(
        [np.stack([corner, corner + 21, corner + 22], axis=1), np.stack([corner, corner + 22, corner + 1], axis=1)]
    )
    points = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
    return Body("plate", Mesh(points, triangles), motion=Motion.STATIC)


def angle_turned(shape, ground, time, step=0.002):
    """Angle [rad] by which a body that spins on a plate has turned when it is at rest."""
    body = Body("disc", shape, position=(0.013, 0.007, HEIGHT / 2), angular_velocity=(0.0, 0.0, SPIN))
    scene = Scene((ground, body), one_material(FRICTION), name="spinning_disc")
    run = simulate(scene, options_for(scene, time=time, time_step=step, threads=1))
    turns = run.orientations[:, 1]
    yaw = np.unwrap(4 * np.arctan2(turns[:, 3], turns[:, 0])) / 2
    assert abs(yaw[-1] - yaw[-2]) < 1e-6
    return yaw[-1] - yaw[0]


SHAPES = {
    "cylinder": lambda: Cylinder(RADIUS, HEIGHT),
    "hull": lambda: ConvexHull(prism(RADIUS)[0]),
    "mesh": lambda: Mesh(*prism(RADIUS)),
}


@pytest.mark.parametrize("ground", ["box", "mesh"])
@pytest.mark.parametrize("shape", few(SHAPES, "cylinder", "hull"))
def test_disc_turns_as_far_as_under_even_pressure(shape, ground):
    stop = 3 * RADIUS * SPIN / (4 * FRICTION * G)
    turned = angle_turned(SHAPES[shape](), plate(ground), stop + 0.1)
    assert turned == pytest.approx(0.5 * SPIN * stop, rel=0.01)


@pytest.mark.parametrize("shape", ["cylinder", "hull"])
@pytest.mark.parametrize("step", [0.005, 0.01])
def test_it_turns_as_far_in_long_steps(shape, step):
    """A fifth of a radian a step: its corners are looked for where they will be, too, and bear no more than others."""
    stop = 3 * RADIUS * SPIN / (4 * FRICTION * G)
    turned = angle_turned(SHAPES[shape](), plate("box"), stop + 0.1, step)
    assert turned == pytest.approx(0.5 * SPIN * stop, rel=0.01)


@pytest.mark.parametrize("ground", few(["box", "mesh"], "mesh"))
def test_thin_ring_is_borne_by_its_rim(ground):
    """There is no surface in the middle of it that could bear a third of the load."""
    inner = 0.9 * RADIUS
    arm = 2 * (RADIUS**3 - inner**3) / (3 * (RADIUS**2 - inner**2))
    stop = SPIN * (RADIUS**2 + inner**2) / (2 * arm * FRICTION * G)
    turned = angle_turned(Mesh(*ring(inner)), plate(ground), stop + 0.1)
    # The rims bear all: either arm is off by a twentieth.
    assert turned == pytest.approx(0.5 * SPIN * stop, rel=0.06)
