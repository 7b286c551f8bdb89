"""Ball: one point is common. Limits: swing (angle between the axes, from 0) and twist about the axis."""

from .base import ANGLES, POINT, Feature, Held, JointType, Part

COORDINATES = {"swing": Feature(Part.SWING), "twist": Feature(Part.TWIST)}
BALL = JointType(
    "ball", "Ball", "Turns about a point; limits of swing and twist", lambda joint: Held(POINT, COORDINATES),
    keys=("axis",), resist=ANGLES, coordinates=tuple(COORDINATES),
)  # fmt: skip
