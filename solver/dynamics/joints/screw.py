"""Screw: a cylindrical joint whose travel is its angle times lead / (2 pi)."""

from math import pi

from .base import ACROSS, ALIGNED, ANGLE, TRAVEL, Combined, Held, JointType

COORDINATES = {"rz": ANGLE, "z": TRAVEL}


def held(joint):
    """A cylindrical joint and one row more."""
    turn = Combined(((None, "rz", -joint.lead / (2.0 * pi)), (None, "z", 1.0)), 0.0)
    return Held((*ACROSS, *ALIGNED), COORDINATES, (turn,))


SCREW = JointType(
    "screw", "Screw", "Turns about an axis and travels along it by `lead` a turn", held,
    keys=("axis", "lead"), needs=("lead",), coordinates=tuple(COORDINATES),
)  # fmt: skip
