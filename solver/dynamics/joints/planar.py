"""Planar: moves in the plane across an axis, and turns about it."""

from .base import ACROSS, ALIGNED, ANGLE, POINT, Held, JointType

COORDINATES = {"x": ACROSS[0], "y": ACROSS[1], "rz": ANGLE}
PLANAR = JointType(
    "planar", "Planar", "Moves in a plane and turns in it", lambda joint: Held((POINT[2], *ALIGNED), COORDINATES),
    keys=("axis", "axis2"), coordinates=tuple(COORDINATES),
)  # fmt: skip
