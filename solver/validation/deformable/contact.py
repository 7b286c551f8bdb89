"""Friction and contact of deformable bodies: press fit, a rope round a post, a tall block that tips."""

from math import cos, radians, sin

import numpy as np

from ...meshes.tet_grids import box_grid
from ...scene import Body, Elastic, Scene
from ...scenes import build
from ...scenes.base import floor, one_material
from ...scenes.deformable import friction as made
from ...shapes import Box, Tetrahedra
from ..elastic import CHAPTER, stepped
from ..lines import Case, below, close, within


def press_fit():
    """A ring, b = 2 a, on a shaft 1 mm thicker than its hole: Lame's pressure in plane stress; drawn with 0.95 of what
    friction bears it stays on the shaft, with 1.05 it slips by half the excess times time squared. 48 x 8 cells."""
    lines, each = [], round(made.OPENS / 0.01)
    for load in (0.95, 1.05):
        _, states, _ = stepped(build("soft_press_fit", load=load), made.OPENS + made.PULLED)
        if load < 1.0:
            force = states[each - 1].impulses[:, 0].sum() / 0.01
            pressure = force / (2 * np.pi * made.INNER * made.LENGTH)
            lines.append(close("pressure [Pa]", made.press_fit_pressure(), pressure, 0.05, "Pa", relative=True))
        slip = [state.position[0, 2] - state.position[1, 2] for state in states]
        slip = slip[-1] - slip[each]
        if load < 1.0:
            lines.append(below("drawn with 0.95 of the load: slip [m]", slip, 2e-4, "m"))
        else:
            lines.append(within("drawn with 1.05 of it: slip [m]", 2e-3, 2e-2, slip, "m"))
    return lines


def capstan():
    """A rope over half a post: weights of ratio e^(mu pi) = 2.566 are on the verge; of 2.4 they hang, of 2.75 they go.
    Quadratic elements, 16 round the post, whose polygon slips at 2.575."""
    lines = []
    for ratio in (2.4, 2.75):
        _, states, _ = stepped(build("soft_capstan", ratio=ratio), 0.6)
        gone = states[-1].position[2:, 2] - states[40].position[2:, 2]
        moved = 0.5 * (gone[0] - gone[1])
        if ratio < 2.566:
            lines.append(below(f"ratio {ratio}: way in the last 0.2 s [m]", abs(moved), 2e-3, "m"))
        else:
            lines.append(within(f"ratio {ratio}: way in the last 0.2 s [m]", 5e-3, 0.1, moved, "m"))
    return lines


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


CASES = tuple(Case(one.__name__, CHAPTER, one) for one in (press_fit, capstan, tipping))
