"""Distance: a massless rod between two points; with a spring, that spring."""

from .base import Feature, Held, JointType, Part

LENGTH = {"d": Feature(Part.DISTANCE)}


def held(joint):
    """The length is held, or free for the spring."""
    return Held((), LENGTH, lengths={} if joint.spring else {"d": joint.length})


DISTANCE = JointType(
    "distance", "Distance", "Keeps two points at a distance, stiffly or by a spring", held,
    keys=("length",), needs=("positions",), coordinates=("d",),
)  # fmt: skip
