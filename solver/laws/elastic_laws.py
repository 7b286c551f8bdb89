"""Elastic laws and elements by name: what a scene file may say, and the number kernels branch on.

To add a law: write its kernels in solver/dynamics/elastic/laws/, a branch in law_kernels.py there, and a line here.
"""

from typing import NamedTuple


class Law(NamedTuple):
    """number: of its branch in solver/dynamics/elastic/laws/law_kernels.py; label and description for people."""

    number: int
    label: str
    description: str


LAWS = {
    "neo_hookean": Law(0, "Neo-Hookean", "Stable at any strain, keeps its volume: rubber, silicone, flesh"),
    "corotational": Law(1, "Corotational", "Linear in strain, any turn: cheap, for stiff bodies of little strain"),
    "linear": Law(2, "Linear", "Small strain and small turns only: to compare with handbooks"),
    "stvk": Law(3, "St. Venant-Kirchhoff", "Green's strain; gives way under compression: to compare with papers"),
}


class ElementType(NamedTuple):
    """label and description for people; nodes an element has."""

    label: str
    description: str
    nodes: int


ELEMENTS = {
    "t4": ElementType("Fast", "Linear tetrahedra: quick, but too stiff in bending until the mesh is fine", 4),
    "t10": ElementType("Accurate", "Quadratic tetrahedra: bend rightly with one element across", 10),
}
