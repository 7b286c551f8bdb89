"""WideBody: blocks on bodies of any number of unknowns in the form the second-order methods take.

W = L L^T of each body, whatever its size: a rigid body has six unknowns, one that bends in a few modes has more. Each
body becomes as many nodes of six unknowns of unit mass as it needs, the last with zeros behind; a block meets all nodes
of its bodies. J~ = D J L and everything else is as in compact.py.
"""

import numpy as np

from ..compact.columns import PACKED, Rows
from ..compact.compact_kernels import OTHER
from . import wide_kernels as kernels
from .elimination import OF_TWO_BODIES
from .local_body import OneIsland


class WideBody:
    """What the second-order methods need of a Compact."""

    dual = None

    def __init__(self, problem):
        p, mass = problem.arrays, problem.inverse_mass
        self.sweep = (len(p.J.data) + len(p.G.data)) / problem.row_count / OF_TWO_BODIES
        bodies = kernels.bodies_of(mass.start, mass.offset, mass.data)
        node, self.node_count = kernels.nodes_of_blocks(p.J, bodies)
        size, count = np.diff(p.row_start), problem.block_count
        square = np.concatenate(([0], np.cumsum(size * size)))
        self.rows = Rows(
            kind=p.kind, row=p.row_start, square=square[:-1], node=node,
            J=np.zeros((problem.row_count, 6 * node.shape[1])), b=np.empty(problem.row_count), r=np.zeros((count, 4)),
            diagonal=np.empty(square[-1]), inverse=np.zeros(0), compliance=np.empty(square[-1]),
            compliant=np.zeros(count, dtype=np.int8), form=np.full(count, OTHER, dtype=np.int8),
            pack=np.zeros((count, PACKED)), law=p.law, bounds=p.bounds, sides=p.sides, all_plain=False,
        )  # fmt: skip
        kernels.fill_wide(p, bodies, self.rows)
        self.islands = OneIsland(np.array([0, count]), np.array([0, self.node_count]))


def few_unknowns(problem):
    """Whether the bodies that a problem moves have fewer unknowns than it has rows."""
    mass = problem.inverse_mass
    if mass is None or not problem.symmetric:
        return False
    bodies = kernels.bodies_of(mass.start, mass.offset, mass.data)
    return bool(kernels.unknowns_of(problem.arrays.J, bodies) < problem.row_count)
