"""Geneva drive: a crank's pin turns a wheel of four slots by a quarter, and a disk on the crank holds it meanwhile.

All parts are convex. The pin and the slots, bars in pairs, lie in one plane; above them the disk, cut out round the
pin, and pegs on the wheel, one on either side of the line of centres while the wheel rests on both.
"""

from math import atan2, cos, degrees, hypot, pi, radians, sin

import numpy as np

from ...scene import Motor, Scene
from ...shapes import Box, Compound, Cylinder, Part
from ..base import GRAVITY, SceneEntry, axis_angle, one_material, quadruple
from ..results import below
from .plane import bearing, polar, prism, turning

CENTRES, THICK = 0.1, 0.008  # [m]
CRANK = CENTRES * sin(pi / 4)  # the pin enters a slot along it
PIN, WALL, PLAY = 0.003, 0.004, 1e-4  # radius of the pin, thickness of a slot's bars, play of pin and pegs [m]
INNER = 0.02  # where slots begin: the pin comes to 0.0293
PEG, PEGS, ASIDE = 0.002, 0.04, radians(20.0)  # radius of a peg, of their circle; their angle from between two slots
LEVEL = 0.01  # of the disk and the pegs
FINE = radians(1.0)  # a facet of the disk
LARGEST_RATE = 1 / (1 / sin(pi / 4) - 1)


def _disk():
    """(radius of the disk [m], half the angle of what is cut out [rad]): it lets a peg go when the pin enters."""
    x, y = CENTRES - PEGS * cos(ASIDE), PEGS * sin(ASIDE)
    return hypot(x, y) - PEG - PLAY, pi / 4 - atan2(y, x) + radians(1.0)


def _sectors(radius, first, last):
    """Convex sectors of a disk between two angles, each of at most half of it."""
    edges = np.linspace(first, last, 1 + int(np.ceil((last - first) / pi)))
    for low, high in zip(edges[:-1], edges[1:], strict=True):
        rim = polar(radius, np.linspace(low, high, 1 + int(np.ceil((high - low) / FINE))))
        yield prism(np.concatenate([[(0.0, 0.0)], rim]), THICK, LEVEL)


def geneva(speed=2 * pi, friction=0.1):
    """Crank about the origin at `speed` [rad/s], its pin behind the wheel at the start, wheel about (0.1, 0); axes
    along z."""
    radius, cut = _disk()
    pin = Part(Cylinder(PIN, THICK), (-CRANK, 0.0, 0.0))
    disk = [Part(sector) for sector in _sectors(radius, pi + cut, 3 * pi - cut)]
    crank = turning("crank", Compound((pin, *disk)), 0.3, 3e-4)
    parts, outer, offset = [], CENTRES * cos(pi / 4), PIN + PLAY + 0.5 * WALL
    for k in range(4):
        angle = pi / 4 + k * pi / 2
        along, across = polar(1.0, angle), polar(1.0, angle + pi / 2)
        for side in (-1, 1):
            middle = 0.5 * (INNER + outer) * along + side * offset * across
            parts.append(Part(Box((outer - INNER, WALL, THICK)), (*middle, 0.0),
                              quadruple(axis_angle((0, 0, 1), angle))))  # fmt: skip
            place = polar(PEGS, k * pi / 2 + side * ASIDE)
            parts.append(Part(Cylinder(PEG, THICK), (*place, LEVEL)))
    wheel = turning("wheel", Compound(tuple(parts)), 0.2, 1e-4, (CENTRES, 0.0, 0.0))
    joints = (bearing("crank", "crank", (0.0, 0.0, 0.0), motor=Motor(speed)),
              bearing("wheel", "wheel", (CENTRES, 0.0, 0.0)))  # fmt: skip
    return Scene((crank, wheel), one_material(friction), (0.0, -GRAVITY, 0.0), joints, name="geneva",
                 settings={"time_step": 0.002})  # fmt: skip


def play():
    """Angle [rad] by which the wheel may turn while it is held, to either side."""
    return PLAY / (CENTRES * sin(atan2(PEGS * sin(ASIDE), CENTRES - PEGS * cos(ASIDE))))


def check(trajectory):
    """A quarter turn backwards for each turn of the crank."""
    angle = [trajectory.joints[-1, trajectory.joint_names.index(name), 0] for name in ("crank", "wheel")]
    quarters = round(angle[0] / (2 * pi))
    return [below("wheel off its quarter [degrees]", abs(degrees(angle[1] + quarters * pi / 2)), 0.5, "degrees")]


ENTRIES = (SceneEntry("geneva", "Geneva drive", "a quarter turn of the wheel for every turn of the crank, by contact",
                      geneva, 2.0, check),)  # fmt: skip
