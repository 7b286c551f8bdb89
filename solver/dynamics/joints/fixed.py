"""Fixed: nothing moves."""

from .base import ANGLES, POINT, Held, JointType

FIXED = JointType("fixed", "Fixed", "Holds two bodies together", lambda joint: Held((*POINT, *ANGLES)), drives=False)
