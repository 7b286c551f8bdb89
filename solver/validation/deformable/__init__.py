"""Cases of deformable bodies beside those of elastic.py: large strain with pressure, buckling, friction, actuators."""

from . import actuators, contact, elements, statics

CASES = (*statics.CASES, *contact.CASES, *actuators.CASES, *elements.CASES)
