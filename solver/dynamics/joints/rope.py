"""Rope: two points come no further apart than its length."""

from math import nan

from .base import Feature, Held, JointType, Part


def held(joint):
    """Nothing but the largest distance."""
    return Held((), {"d": Feature(Part.DISTANCE)}, limits={"d": (None, nan if joint.length is None else joint.length)})


ROPE = JointType(
    "rope", "Rope", "Keeps two points no further apart than its length", held,
    keys=("length",), needs=("positions",), coordinates=("d",),
)  # fmt: skip
