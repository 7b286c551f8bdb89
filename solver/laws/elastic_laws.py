"""Elastic laws and elements by name: what a scene file may say, and the number kernels branch on.

To add a law: write its kernels in solver/dynamics/elastic/laws/, name the file in MODULES of law_kernels.py there, and
add a line here.
"""

from typing import NamedTuple


class Law(NamedTuple):
    """number: its place in MODULES of solver/dynamics/elastic/laws/law_kernels.py; label and description for people;
    most_poisson: the largest Poisson's ratio it is for."""

    number: int
    label: str
    description: str
    most_poisson: float


# Poisson's ratio up to which quadratic elements were measured, and beyond which linear ones lock; foam's function of
# the volume overflows from 0.45 on.
MOST_POISSON, MOST_OF_LINEAR, MOST_OF_FOAM = 0.4999, 0.49, 0.3
LAWS = {
    "ciarlet_geymonat": Law(4, "Ciarlet-Geymonat", "Bears any pressure and keeps its volume: rubber, silicone, flesh",
                            MOST_POISSON),
    "hill_ogden": Law(5, "Foam (Hill-Ogden)", "Soft until it is pressed to half its height, then hard; comes back",
                      MOST_OF_FOAM),
    "neo_hookean": Law(0, "Neo-Hookean (stable)", "Cheap, without a logarithm; gives way where it is pressed below 0.4 "
                       "to 0.7 of its height", MOST_POISSON),
    "corotational": Law(1, "Corotational", "Linear in strain, any turn: cheap, for stiff bodies of little strain",
                        MOST_POISSON),
    "linear": Law(2, "Linear", "Small strain and small turns only: to compare with handbooks", MOST_POISSON),
    "stvk": Law(3, "St. Venant-Kirchhoff", "Green's strain; gives way under compression: to compare with papers",
                MOST_POISSON),
}  # fmt: skip
DEFAULT_LAW = "ciarlet_geymonat"
# Volume in parts of that at rest below which elements are named: no mesh is right there.
THIN = 0.05


class ElementType(NamedTuple):
    """label and description for people; nodes an element has; most_poisson: the largest Poisson's ratio it is for."""

    label: str
    description: str
    nodes: int
    most_poisson: float


ELEMENTS = {
    "t4": ElementType("Fast", "Linear tetrahedra: quick, but too stiff in bending until the mesh is fine", 4,
                      MOST_OF_LINEAR),
    "t10": ElementType("Accurate", "Quadratic tetrahedra: 1 to 6 % off in bending with one element across, at any "
                       "Poisson's ratio", 10, MOST_POISSON),
}  # fmt: skip
