"""Parts of a ContactProblem that nothing couples, as problems of their own."""

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ..problem import BlockRows
from .assembly import delassus_matrix


def decoupled_blocks(problem):
    """Return a list of block index arrays; blocks of different arrays have no entry of A in common."""
    A = delassus_matrix(problem).tocoo()
    block = np.repeat(np.arange(problem.block_count), np.diff(problem.row_start))
    graph = sp.coo_matrix((np.ones(A.nnz), (block[A.row], block[A.col])), shape=(problem.block_count,) * 2)
    count, label = connected_components(graph.tocsr(), directed=False)
    order = np.argsort(label, kind="stable")
    return np.split(order, np.searchsorted(label[order], np.arange(1, count)))


def rows_of(problem, blocks):
    """Return the row indices of `blocks`, in order."""
    return np.concatenate([np.arange(problem.row_start[k], problem.row_start[k + 1]) for k in blocks])


def part(problem, blocks):
    """Return the ContactProblem of `blocks` alone, on the same velocity components."""
    rows = rows_of(problem, blocks)
    heights = np.diff(problem.row_start)[blocks]
    return replace(
        problem,
        kind=problem.kind[blocks],
        row_start=np.concatenate(([0], np.cumsum(heights))).astype(np.int64),
        J=_pick(problem.J, blocks),
        G=_pick(problem.G, blocks),
        b=problem.b[rows],
        law=problem.law[blocks],
        mu=problem.mu[blocks],
        bounds=problem.bounds[blocks],
        compliance_offset=problem.compliance_offset[blocks],
        inverse_mass=None,
    )


def _pick(rows, blocks):
    """Segments of some blocks; the numbers stay where they are."""
    counts = np.diff(rows.indptr)[blocks]
    indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    take = np.concatenate([np.arange(rows.indptr[k], rows.indptr[k + 1]) for k in blocks]).astype(np.int64)
    return BlockRows(indptr, rows.start[take], rows.size[take], rows.offset[take], rows.data)
