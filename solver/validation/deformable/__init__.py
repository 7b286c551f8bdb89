"""Cases of deformable bodies beside those of elastic.py: large strain with pressure, buckling, and friction."""

from . import contact, statics

CASES = (*statics.CASES, *contact.CASES)
