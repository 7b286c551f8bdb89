"""DelassusRows: contacts given by the 3x3 blocks of their Delassus matrix, in the form sweeps take."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from ..friction import FrictionLaw
from ..problem import Block
from . import delassus_kernels as kernels


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


def row_scale(problem):
    """Return the scaling D of all rows (K,): friction rows of contacts carry lambda_F = D y."""
    scale = np.ones(problem.row_count)
    size = np.diff(problem.row_start)
    for i in range(1, 4):
        contact = (problem.kind == Block.CONTACT) & (size > i)
        scale[problem.row_start[:-1][contact] + i] = problem.mu[contact, i - 1]
    return scale


def delassus_matrix(problem):
    """Return A = J W J^T (K, K), without compliance, as scipy CSR."""
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
    scale = row_scale(problem)
    if _has_own_rows(problem):
        indptr, indices, A, diagonal = _transposed(problem, scale)
    else:
        D = sparse.diags(scale)
        blocks = sparse.bsr_matrix(D @ delassus_matrix(problem) @ D, blocksize=(3, 3))
        blocks.sort_indices()
        indptr, indices = blocks.indptr.astype(np.int64), blocks.indices.astype(np.int64)
        A, diagonal = blocks.data.reshape(-1, 9).copy(), np.ascontiguousarray(_diagonal_blocks(blocks)).ravel()
    r = np.zeros((problem.block_count, 7))
    kernels.step_lengths(diagonal, problem.mu, r)
    return DelassusRows(indptr, indices, A, scale * problem.b, problem.mu[:, 0].copy(), r)


def _has_own_rows(problem):
    """True where J is the identity: the problem was given by its Delassus matrix."""
    J, count = problem.J, problem.block_count
    return (
        len(J.start) == count and problem.dof_count == 3 * count and np.array_equal(J.start, problem.row_start[:-1])
        and len(J.data) == 9 * count and bool(np.all(J.data.reshape(count, 9) == np.eye(3).ravel()))
        and bool(np.all(problem.G.size == 3) and np.all(problem.G.start % 3 == 0))
    )  # fmt: skip


def _transposed(problem, scale):
    """(indptr, indices, blocks, diagonal) of D A D where G holds A^T."""
    count, blocks = problem.block_count, len(problem.G.start)
    indptr, indices = np.empty(count + 1, dtype=np.int64), np.empty(blocks, dtype=np.int64)
    A, diagonal = np.empty((blocks, 9)), np.zeros(9 * count)
    kernels.count_blocks(problem.G, indptr)
    kernels.gather_blocks(problem.G, scale, indptr, np.zeros(count, dtype=np.int64), indices, A, diagonal)
    return indptr, indices, A, diagonal


def _diagonal_blocks(blocks):
    row = np.repeat(np.arange(len(blocks.indptr) - 1), np.diff(blocks.indptr))
    out = np.zeros((len(blocks.indptr) - 1, 3, 3))
    on = blocks.indices == row
    out[row[on]] = blocks.data[on]
    return out
