"""Hinge: turns about one axis."""

from .base import ALIGNED, ANGLE, POINT, Held, JointType

HINGE = JointType(
    "hinge", "Hinge", "Turns about an axis", lambda joint: Held((*POINT, *ALIGNED), {"rz": ANGLE}),
    keys=("axis",), coordinates=("rz",),
)  # fmt: skip
