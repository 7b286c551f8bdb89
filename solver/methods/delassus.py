"""Contacts given by the 3x3 blocks of their Delassus matrix, in the forms that sweeps and Newton methods take."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from ..friction import FrictionLaw
from ..problem import Block
from . import block_lu
from .compact import Rows
from .delassus_kernels import step_lengths


class DelassusRows(NamedTuple):
    """Block rows of D A D (n contacts, s blocks).

    indptr (n+1,), indices (s,), A (s,9) blocks row by row; b (3n,); mu (n,); r (n,7): 1 / A_nn, 1 / lambda_max of the
    friction block, A_nn, what turns |change of y| into the judge's velocity, A_sn, A_tn, lambda_max.
    """

    indptr: np.ndarray
    indices: np.ndarray
    A: np.ndarray
    b: np.ndarray
    mu: np.ndarray
    r: np.ndarray


def delassus_matrix(problem):
    """Return A (K, K) as scipy CSR."""
    J, G = (_scatter(rows, problem) for rows in (problem.J, problem.G))
    return sparse.csr_matrix(J @ G.T)


def _scatter(rows, problem):
    """BlockRows as scipy CSR (K, N)."""
    height = np.diff(problem.row_start)
    block = np.repeat(np.arange(problem.block_count), np.diff(rows.indptr))
    count = height[block] * rows.size
    segment = np.repeat(np.arange(len(rows.size)), count)
    inner = np.arange(count.sum()) - np.repeat(np.concatenate(([0], np.cumsum(count)))[:-1], count)
    row = problem.row_start[block[segment]] + inner // rows.size[segment]
    column = rows.start[segment] + inner % rows.size[segment]
    return sparse.csr_matrix(
        (rows.data[rows.offset[segment] + inner], (row, column)), (problem.row_count, problem.dof_count)
    )


def delassus_rows(problem):
    """Return DelassusRows of `problem`, or None where not all blocks are contacts of three rows with the disk law."""
    fits = (
        np.all(problem.kind == Block.CONTACT) and np.all(np.diff(problem.row_start) == 3)
        and np.all(problem.law == FrictionLaw.ELLIPSOID) and np.all(problem.compliance_offset < 0)
    )  # fmt: skip
    if not fits:
        return None
    scale = np.ones((problem.block_count, 3))
    scale[:, 1:] = problem.mu[:, :2]
    D = sparse.diags(scale.ravel())
    blocks = sparse.bsr_matrix(D @ delassus_matrix(problem) @ D, blocksize=(3, 3))
    blocks.sort_indices()
    diagonal = np.ascontiguousarray(_diagonal_blocks(blocks)).ravel()
    r = np.zeros((problem.block_count, 7))
    step_lengths(diagonal, problem.mu, r)
    indptr, indices = blocks.indptr.astype(np.int64), blocks.indices.astype(np.int64)
    return DelassusRows(indptr, indices, blocks.data.reshape(-1, 9).copy(),
                        scale.ravel() * problem.b, problem.mu[:, 0].copy(), r)  # fmt: skip


def _diagonal_blocks(blocks):
    row = np.repeat(np.arange(len(blocks.indptr) - 1), np.diff(blocks.indptr))
    out = np.zeros((len(blocks.indptr) - 1, 3, 3))
    on = blocks.indices == row
    out[row[on]] = blocks.data[on]
    return out


class Dual(NamedTuple):
    """Contacts without bodies for the Newton methods: "body velocities" are the row velocities A lambda themselves.

    Two contacts make a node of six components; block s of A couples the nodes of its row and column, at `slot` of
    the factorisation's pattern.
    """

    indptr: np.ndarray
    indices: np.ndarray
    A: np.ndarray
    slot: np.ndarray


class OneIsland(NamedTuple):
    """All contacts as one island, see islands.Islands."""

    block_start: np.ndarray
    node_start: np.ndarray

    @property
    def count(self):
        return 1


class LocalBody:
    """What the second-order methods need of a Compact, for contacts without bodies."""

    def __init__(self, local):
        self.local = local
        count = len(local.mu)
        self.node_count = (count + 1) // 2
        self.islands = OneIsland(np.array([0, count]), np.array([0, self.node_count]))
        self.rows = _identity_rows(local, self.node_count)
        self.dual = Dual(local.indptr, local.indices, local.A, np.zeros(0, dtype=np.int64))

    def pattern(self, limit):
        """Fill pattern of the Newton matrix, or None if it holds more than `limit` blocks."""
        local = self.local
        row = np.repeat(np.arange(len(local.mu)), np.diff(local.indptr))
        found = block_lu.analyse(np.column_stack([row // 2, local.indices // 2]), self.node_count, limit)
        if found is not None:
            self.dual = self.dual._replace(slot=found.slot)
        return found


def _identity_rows(local, none):
    """Compact rows whose velocities are components of w: J is a part of the identity."""
    count = len(local.mu)
    contact, row = np.arange(count), 3 * np.arange(count + 1)
    J = np.zeros((3 * count, 12))
    J[np.arange(3 * count), 3 * np.repeat(contact % 2, 3) + np.tile(np.arange(3), count)] = 1.0
    r = np.column_stack([local.r[:, 0], local.r[:, 1], local.r[:, 3], local.r[:, 6]])
    diagonal = np.zeros((count, 9))
    own = np.repeat(contact, np.diff(local.indptr)) == local.indices
    diagonal[local.indices[own]] = local.A[own]
    pack = np.zeros((count, 48))
    pack[:, :36] = J.reshape(count, 36)
    pack[:, 36:39] = local.b.reshape(count, 3)
    pack[:, 39:41], pack[:, 41:43], pack[:, 43] = r[:, :2], local.r[:, 4:6], local.r[:, 2]
    pack[:, 44:46] = r[:, 2:]
    zeros = np.zeros(count, dtype=np.int64)
    return Rows(
        kind=zeros, row=row, square=9 * contact, node=np.column_stack([contact // 2, np.full(count, none)]), J=J,
        b=local.b, r=r, diagonal=diagonal.ravel(), compliance=np.zeros(9 * count),
        compliant=np.zeros(count, dtype=np.int8), plain=np.ones(count, dtype=np.int8), pack=pack, law=zeros,
        bounds=np.zeros((count, 2)), sides=0, all_plain=True,
    )  # fmt: skip
