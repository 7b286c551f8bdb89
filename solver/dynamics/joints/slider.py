"""Slider: moves along one axis."""

from .base import ACROSS, ANGLES, TRAVEL, Held, JointType

SLIDER = JointType(
    "slider", "Slider", "Moves along an axis", lambda joint: Held((*ACROSS, *ANGLES), {"z": TRAVEL}),
    keys=("axis", "bearing"), coordinates=("z",),
)  # fmt: skip
