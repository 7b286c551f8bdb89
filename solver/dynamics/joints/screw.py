"""Screw: a cylindrical joint whose travel is its angle times lead / (2 pi).

Its thread is square: at the mean radius r it rises by a, tan a = lead / (2 pi r). The row of the travel presses with
1 / cos a of its force on the flank, along which z sin a + r angle cos a slides.
"""

from math import atan, cos, pi, sin

from .base import ACROSS, ALIGNED, ANGLE, TRAVEL, Combined, Held, JointType, Slip

COORDINATES = {"rz": ANGLE, "z": TRAVEL}


def held(joint):
    """A cylindrical joint and one row more."""
    turn = Combined(((None, "rz", -joint.lead / (2.0 * pi)), (None, "z", 1.0)), 0.0)
    return Held((*ACROSS, *ALIGNED), COORDINATES, (turn,), slip=_slip(joint))


def _slip(joint):
    if joint.bearing is None or not joint.bearing.radius > 0:
        return None
    rise = atan(joint.lead / (2.0 * pi * joint.bearing.radius))
    return Slip((("rz", joint.bearing.radius * cos(rise)), ("z", sin(rise))), 1.0 / cos(rise))


SCREW = JointType(
    "screw", "Screw", "Turns about an axis and travels along it by `lead` a turn", held,
    keys=("axis", "lead", "bearing"), needs=("lead",), coordinates=tuple(COORDINATES),
)  # fmt: skip
