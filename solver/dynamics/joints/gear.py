"""Gear: the coordinate of a second joint follows that of a first by a ratio; the teeth mesh as they do at the start."""

from .base import Combined, Held, JointType


def held(joint):
    """second - ratio first = what it is at the start, or the offset."""
    first, second = joint.joints
    return Held(combined=(Combined(((first, None, -joint.ratio), (second, None, 1.0)), joint.offset),))


GEAR = JointType(
    "gear", "Gear", "The second joint moves by `ratio` times the first; negative for wheels that mesh outside", held,
    keys=("joints", "ratio", "offset"), needs=("joints",), bodies=False, drives=False,
)  # fmt: skip
