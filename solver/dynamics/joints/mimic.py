"""Mimic: the coordinate of a second joint is that of a first times a ratio, plus an offset (0 if it is left out)."""

from .base import Combined, Held, JointType


def held(joint):
    """second - ratio first = offset."""
    first, second = joint.joints
    return Held(combined=(Combined(((first, None, -joint.ratio), (second, None, 1.0)), joint.offset or 0.0),))


MIMIC = JointType(
    "mimic", "Mimic", "The second joint copies the first: ratio times its value plus an offset", held,
    keys=("joints", "ratio", "offset"), needs=("joints",), bodies=False, drives=False,
)  # fmt: skip
