"""Friction and contact of deformable bodies: press fit, a tall block that tips."""

from math import cos, radians, sin

import numpy as np

from ...meshes.tet_grids import box_grid
from ...scene import Body, Elastic, Scene
from ...scenes import build
from ...scenes.base import floor, one_material
from ...scenes.deformable import friction as made
from ...shapes import Box, Tetrahedra
from ..elastic import CHAPTER, stepped
from ..lines import Case, close


def press_fit():
    """A ring, b = 2 a, on a shaft 1 mm thicker than its hole: Lame's pressure in plane stress. 48 x 8 cells."""
    _, states, _ = stepped(build("soft_press_fit"), made.OPENS)
    pressure = states[-1].impulses[:, 0].sum() / 0.01 / (2 * np.pi * made.INNER * made.LENGTH)
    return [close("pressure [Pa]", made.press_fit_pressure(), pressure, 0.05, "Pa", relative=True)]


def tipping():
    """A block 0.1 x 0.1 x 0.3 m of E = 1e9 on a slope of 25 degrees, mu = 1, tips as a rigid one does.
    Elements of 25 mm: nodes that carry all of their mass add 0.6 % to the moment of inertia."""
    speed, size = [], (0.1, 0.1, 0.3)
    angle = radians(25.0)
    gravity = (9.81 * sin(angle), 0.0, -9.81 * cos(angle))
    for shape, elastic in ((Box(size), None), (Tetrahedra(*box_grid((4, 4, 12), size)), Elastic(young=1e9))):
        block = Body("block", shape, position=(0.0, 0.0, 0.15), elastic=elastic)
        _, states, _ = stepped(Scene((floor(4.0), block), one_material(1.0), gravity), 0.2, 0.002)
        speed.append(states[-1].twist[1])
    return [close("velocity of the centre of mass [m/s]", np.linalg.norm(speed[0][:3]), np.linalg.norm(speed[1][:3]),
                  0.01, "m/s", relative=True),
            close("angular velocity [rad/s]", speed[0][4], speed[1][4], 0.01, "rad/s", relative=True)]  # fmt: skip


CASES = tuple(Case(one.__name__, CHAPTER, one) for one in (press_fit, tipping))
