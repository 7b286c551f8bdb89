"""The friction laws by name: what the user chooses from, one file each. Free of compiled code, see friction.py."""

from enum import IntEnum

from . import box, ellipsoid, polygon

# To add a law: write its file, and name its LAW here. Its place is its code in arrays and files: append.
LAWS = (ellipsoid.LAW, box.LAW, polygon.LAW)

FrictionLaw = IntEnum("FrictionLaw", [(law.key.upper(), code) for code, law in enumerate(LAWS)])
FRICTION_LAWS = dict(zip(FrictionLaw, LAWS, strict=True))
LAW_OF_KEY = {law.key: code for code, law in FRICTION_LAWS.items()}


def law_of_pair(first, second):
    """FrictionLaw of a pair of materials with these laws' keys: the one of higher rank."""
    return max((LAW_OF_KEY[first], LAW_OF_KEY[second]), key=lambda code: FRICTION_LAWS[code].rank)
