"""DelassusRows: contacts given by the 3x3 blocks of their Delassus matrix, in the form sweeps take."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from ..friction import FrictionLaw
from ..problem import Block
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
