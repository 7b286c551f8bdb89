"""Ways to fill a surface with tetrahedra, by name. Each takes (vertices, triangles, size, volume) and gives a Filling.

To add one: write its function in a file of this folder, and a line here.
"""

from collections.abc import Callable
from typing import NamedTuple


class Mesher(NamedTuple):
    """label and description for people; fill(vertices (V,3), triangles (T,3), size [m] or None, volume [m^3] or None)
    -> Filling."""

    label: str
    description: str
    fill: Callable


def _by_lattice(*surface):
    from .lattice_fill import fill

    return fill(*surface)


def _by_ftetwild(*surface):
    from .ftetwild import fill

    return fill(*surface)


MESHERS = {
    "lattice": Mesher("Lattice", "A regular lattice cut at the surface: the same at every run, corners are cut off a "
                      "little", _by_lattice),
    "ftetwild": Mesher("fTetWild", "Follows corners and thin walls; takes seconds to minutes, once for a mesh. Needs "
                       "the Python package pytetwild; without it, the lattice", _by_ftetwild),
}  # fmt: skip
