"""Rack and pinion: the travel of a second joint is the angle of a first times the pinion's radius."""

from .base import Combined, Held, JointType


def held(joint):
    """second - radius first = what it is at the start, or the offset."""
    first, second = joint.joints
    return Held(combined=(Combined(((first, None, -joint.radius), (second, None, 1.0)), joint.offset),))


RACK = JointType(
    "rack", "Rack", "The second joint (a slider) travels by `radius` times the angle of the first (a hinge)", held,
    keys=("joints", "radius", "offset"), needs=("joints", "radius"), bodies=False, drives=False,
)  # fmt: skip
