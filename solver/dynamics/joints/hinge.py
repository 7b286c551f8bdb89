"""Hinge: turns about one axis."""

from .base import ALIGNED, ANGLE, POINT, Held, JointType

HINGE = JointType(
    "hinge", "Hinge", "Turns about an axis", lambda joint: Held((*POINT, *ALIGNED), {"rz": ANGLE}),
    keys=("axis", "bearing"), coordinates=("rz",),
)  # fmt: skip
