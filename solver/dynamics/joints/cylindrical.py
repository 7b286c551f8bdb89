"""Cylindrical, Blender's piston: moves along an axis and turns about it."""

from .base import ACROSS, ALIGNED, ANGLE, TRAVEL, Held, JointType

COORDINATES = {"z": TRAVEL, "rz": ANGLE}
CYLINDRICAL = JointType(
    "cylindrical", "Cylindrical", "Moves along an axis and turns about it",
    lambda joint: Held((*ACROSS, *ALIGNED), COORDINATES), keys=("axis",), coordinates=tuple(COORDINATES),
)  # fmt: skip
