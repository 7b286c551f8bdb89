"""The types of joints. To add one: a file here with its JointType, and one line in JOINTS. No kernels here."""

from .ball import BALL
from .base import Feature, Held, JointType, Part
from .cylindrical import CYLINDRICAL
from .distance import DISTANCE
from .fixed import FIXED
from .gear import GEAR
from .generic import GENERIC
from .hinge import HINGE
from .mimic import MIMIC
from .planar import PLANAR
from .rack import RACK
from .rope import ROPE
from .screw import SCREW
from .slider import SLIDER
from .universal import UNIVERSAL

JOINTS = {
    kind.key: kind
    for kind in (
        FIXED, BALL, HINGE, SLIDER, CYLINDRICAL, UNIVERSAL, PLANAR, DISTANCE, ROPE, GENERIC, GEAR, MIMIC, RACK, SCREW,
    )
}  # fmt: skip

__all__ = ["JOINTS", "Feature", "Held", "JointType", "Part"]
