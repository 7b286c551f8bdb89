"""Universal: a cross with one axis in each body, square to each other."""

from .base import POINT, Feature, Held, JointType, Part

COORDINATES = {"rx": Feature(Part.EULER, 0), "ry": Feature(Part.EULER, 1)}
UNIVERSAL = JointType(
    "universal", "Universal", "Two axes that cross: `axis` in the first body, `axis2` in the second",
    lambda joint: Held((*POINT, Feature(Part.AXES, 0, 1)), COORDINATES),
    keys=("axis", "axis2"), needs=("axis2",), coordinates=tuple(COORDINATES),
)  # fmt: skip
