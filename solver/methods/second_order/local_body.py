"""LocalBody: blocks without bodies in the form the second-order methods take.

The "body velocities" w are the row velocities A lambda themselves, in nodes of six: two plain contacts, or one
block of any kind. J is then a part of the identity, and the Newton matrix is I + A K. The compliance of contacts is
a part of A, that of other blocks of their laws.
"""

from typing import NamedTuple

import numpy as np

from ...base.late import late
from ...laws.friction_laws import FrictionLaw
from ...problem import Block
from ..assembly import compliance_matrix, delassus_matrix, friction_scale
from ..compact.columns import PACKED, Rows
from ..compact.compact_build_kernels import fill_steps, pack_plain
from ..compact.compact_kernels import OTHER, PLAIN
from ..delassus import delassus_kernels as kernels
from .block_lu_kernels import analyse
from .elimination import OF_TWO_BODIES

sparse = late("scipy.sparse")


class Dual(NamedTuple):
    """The scaled Delassus matrix in 6x6 blocks between n nodes (s blocks).

    indptr (n+1,), indices (s,), A (s,36); slot (s,) of the factorisation's pattern; first_row and first_block
    (n+1,) of each node.
    """

    indptr: np.ndarray
    indices: np.ndarray
    A: np.ndarray
    slot: np.ndarray
    first_row: np.ndarray
    first_block: np.ndarray


class OneIsland(NamedTuple):
    """All blocks as one island, see islands.Islands."""

    block_start: np.ndarray
    node_start: np.ndarray


class LocalBody:
    """What the second-order methods need of a Compact, for a problem without bodies."""

    def __init__(self, rows, dual, sweep=1.0):
        self.rows, self.dual, self.sweep = rows, dual, sweep
        self.node_count = len(dual.first_block) - 1
        self.islands = OneIsland(np.array([0, len(rows.kind)]), np.array([0, self.node_count]))

    def pattern(self, limit):
        """Fill pattern of the Newton matrix, or None if it holds more than `limit` blocks."""
        row = np.repeat(np.arange(self.node_count), np.diff(self.dual.indptr))
        fits, found = analyse(np.column_stack([row, self.dual.indices]), self.node_count, limit)
        if fits:
            self.dual = self.dual._replace(slot=found.slot)
        return found if fits else None


def contact_body(problem, d, first):
    """Return the LocalBody of plain contacts from their DelassusRows; node k holds those at first[k]:first[k+1]."""
    count, nodes = problem.block_count, len(first) - 1
    node, indptr = np.empty(count, dtype=np.int64), np.empty(nodes + 1, dtype=np.int64)
    kernels.count_nodes(d, first, node, indptr)
    indices, A = np.empty(indptr[-1], dtype=np.int64), np.zeros((indptr[-1], 36))
    kernels.fill_nodes(d, first, node, indptr, indices, A)
    dual = Dual(indptr, indices, A, np.zeros(0, dtype=np.int64), 3 * first, first)
    # All contacts are of one kind and law: these arrays need no reordering.
    rows = Rows(
        kind=problem.kind, row=problem.row_start, square=9 * np.arange(count),
        node=np.empty((count, 2), dtype=np.int64), J=np.zeros((3 * count, 12)), b=np.empty(3 * count),
        r=np.zeros((count, 4)), diagonal=np.empty(9 * count), inverse=np.zeros(0), compliance=np.zeros(9 * count),
        compliant=np.zeros(count, dtype=np.int8), form=np.full(count, PLAIN, dtype=np.int8),
        pack=np.zeros((count, PACKED)), law=problem.law, bounds=problem.bounds, sides=problem.sides, all_plain=True,
    )  # fmt: skip
    kernels.fill_contacts(d, first, node, nodes, rows)
    return LocalBody(rows, dual)


def local_body(problem):
    """Return the LocalBody of blocks of every kind, one block a node."""
    size, count = np.diff(problem.row_start), problem.block_count
    plain = (problem.kind == Block.CONTACT) & (size == 3) & (problem.law == FrictionLaw.ELLIPSOID)
    node_of_row = np.repeat(np.arange(count), size)
    place = np.arange(problem.row_count) - problem.row_start[node_of_row]
    rows = _rows(problem, size, plain, node_of_row, place, count)
    dual = _dual(problem, 6 * node_of_row + place, problem.row_start, np.arange(count + 1))
    return LocalBody(rows, dual, (len(problem.J.data) + len(problem.G.data)) / problem.row_count / OF_TWO_BODIES)


def fits(problem):
    """True where every block has at most six rows."""
    return bool(np.diff(problem.row_start).max(initial=0) <= 6)


def _dual(problem, component, first_row, first_block):
    """Dual of a problem whose row i is `component`[i] of the nodes' components."""
    scale = sparse.diags(friction_scale(problem))
    contact = sparse.diags(np.repeat((problem.kind == Block.CONTACT) * 1.0, np.diff(problem.row_start)))
    matrix = delassus_matrix(problem, compliance=False) + contact @ compliance_matrix(problem)
    matrix = sparse.coo_matrix(scale @ matrix @ scale)
    height = 6 * (len(first_row) - 1)
    blocks = sparse.coo_matrix((matrix.data, (component[matrix.row], component[matrix.col])), (height, height))
    blocks = blocks.tobsr((6, 6))
    blocks.sort_indices()
    return Dual(blocks.indptr.astype(np.int64), blocks.indices.astype(np.int64), blocks.data.reshape(-1, 36).copy(),
                np.zeros(0, dtype=np.int64), first_row, first_block)  # fmt: skip


def _rows(problem, size, plain, node_of_row, place, none):
    """Compact rows whose velocities are components of w."""
    count, rows = len(size), problem.row_count
    scale = friction_scale(problem)
    J = np.zeros((rows, 12))
    J[np.arange(rows), place] = 1.0
    offset, diagonal = problem.diagonal
    soft = problem.compliance_offset >= 0
    out = Rows(
        kind=problem.kind, row=problem.row_start, square=offset[:-1],
        node=np.column_stack([node_of_row[problem.row_start[:-1]], np.full(count, none)]), J=J, b=scale * problem.b,
        r=np.zeros((count, 4)), diagonal=diagonal.copy(), inverse=np.zeros(0), compliance=np.zeros(len(diagonal)),
        compliant=(soft & (problem.kind != Block.CONTACT)).astype(np.int8),
        form=np.where(plain, PLAIN, OTHER).astype(np.int8), pack=np.zeros((count, PACKED)), law=problem.law,
        bounds=problem.bounds, sides=problem.sides, all_plain=bool(plain.all()),
    )  # fmt: skip
    for k in range(count):
        part, factor = slice(offset[k], offset[k + 1]), scale[problem.row_start[k] : problem.row_start[k + 1]]
        weight = np.outer(factor, factor).ravel()
        out.diagonal[part] *= weight
        if out.compliant[k]:
            first = problem.compliance_offset[k]
            out.compliance[part] = weight * problem.compliance[first : first + size[k] ** 2]
    fill_steps(problem.mu, np.arange(count), out, 0, count)
    pack_plain(out, 0, count)
    return out
