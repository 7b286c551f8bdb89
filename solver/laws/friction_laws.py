"""The friction laws by name: what the user chooses from. Free of compiled code; the projections are in friction.py."""

from enum import IntEnum
from typing import NamedTuple


class FrictionLaw(IntEnum):
    """Integer code of a friction law, as kernels see it."""

    ELLIPSOID = 0
    BOX = 1
    POLYGON = 2


class LawInfo(NamedTuple):
    """What the user reads about a law."""

    key: str
    label: str
    description: str


FRICTION_LAWS = {
    FrictionLaw.ELLIPSOID: LawInfo(
        "ellipsoid",
        "Coulomb ellipsoid",
        "Isotropic or anisotropic Coulomb friction with optional torsion (Coulomb-Contensou): disk, ellipse, ellipsoid",
    ),
    FrictionLaw.BOX: LawInfo(
        "box",
        "Box",
        "Each direction limited on its own, as in projected Gauss-Seidel; up to 41 % too strong on the diagonal",
    ),
    FrictionLaw.POLYGON: LawInfo(
        "polygon",
        "Polygon",
        "Inscribed regular polygon, as in staggered projections; up to 8 % too weak with 8 sides",
    ),
}
LAW_OF_KEY = {info.key: law for law, info in FRICTION_LAWS.items()}
