"""Elastic laws by name: what a scene file may say, and the number kernels branch on.

To add one: write its kernels, a branch in law_kernels.py, and a line here.
"""

from typing import NamedTuple


class Law(NamedTuple):
    """number: of its branch in law_kernels.py; label and description for people."""

    number: int
    label: str
    description: str


LAWS = {
    "neo_hookean": Law(0, "Neo-Hookean", "Stable at any strain, keeps its volume: rubber, silicone, flesh"),
    "corotational": Law(1, "Corotational", "Linear in strain, any turn: cheap, for stiff bodies of little strain"),
    "linear": Law(2, "Linear", "Small strain and small turns only: to compare with handbooks"),
    "stvk": Law(3, "St. Venant-Kirchhoff", "Green's strain; gives way under compression: to compare with papers"),
}
