"""Parts of a ContactProblem that nothing couples, as problems of their own."""

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ...problem import BlockRows
from ..assembly import delassus_matrix


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
    """Return the ContactProblem of `blocks` alone, on the velocity components that they use."""
    rows = rows_of(problem, blocks)
    heights = np.diff(problem.row_start)[blocks]
    J, G, dof_count = _renumbered(_pick(problem.J, blocks), _pick(problem.G, blocks), problem.dof_count)
    return replace(
        problem,
        kind=problem.kind[blocks],
        row_start=np.concatenate(([0], np.cumsum(heights))).astype(np.int64),
        J=J,
        G=G,
        dof_count=dof_count,
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


def _renumbered(J, G, dof_count):
    """J and G on the velocity components that any of their segments covers, and how many those are."""
    edges = np.zeros(dof_count + 1, dtype=np.int64)
    for rows in (J, G):
        np.add.at(edges, rows.start, 1)
        np.add.at(edges, rows.start + rows.size, -1)
    used = np.cumsum(edges)[:-1] > 0
    new = np.cumsum(used) - 1
    return J._replace(start=new[J.start]), G._replace(start=new[G.start]), int(used.sum())
