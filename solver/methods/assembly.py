"""Sparse matrices of a ContactProblem, for methods that factorise or need whole rows of A."""

import numpy as np

from ..base.late import late

sp = late("scipy.sparse")


def rows_matrix(rows, row_start, dof_count):
    """Return BlockRows as a scipy CSR matrix (K, N)."""
    heights = np.repeat(np.diff(row_start), np.diff(rows.indptr))
    blocks = np.repeat(np.arange(len(row_start) - 1), np.diff(rows.indptr))
    counts = heights * rows.size
    segment = np.repeat(np.arange(len(counts)), counts)
    inside = np.arange(len(segment)) - np.repeat(np.cumsum(counts) - counts, counts)
    i = row_start[blocks[segment]] + inside // rows.size[segment]
    j = rows.start[segment] + inside % rows.size[segment]
    data = rows.data[rows.offset[segment] + inside]
    return sp.csr_matrix((data, (i, j)), shape=(int(row_start[-1]), dof_count))


def compliance_matrix(problem):
    """Return the block-diagonal compliance C as a scipy CSR matrix (K, K) [1/kg]."""
    i, j, data = [], [], []
    for k in np.flatnonzero(problem.compliance_offset >= 0):
        first, m = problem.row_start[k], problem.row_start[k + 1] - problem.row_start[k]
        offset = problem.compliance_offset[k]
        grid = np.indices((m, m)).reshape(2, -1) + first
        i.append(grid[0])
        j.append(grid[1])
        data.append(problem.compliance[offset : offset + m * m])
    size = problem.row_count
    if not data:
        return sp.csr_matrix((size, size))
    return sp.csr_matrix((np.concatenate(data), (np.concatenate(i), np.concatenate(j))), shape=(size, size))


def delassus_matrix(problem, compliance=True):
    """Return A = J W J^T + C, or without C, as a scipy CSR matrix (K, K) [1/kg], without stored zeros."""
    J = rows_matrix(problem.J, problem.row_start, problem.dof_count)
    G = rows_matrix(problem.G, problem.row_start, problem.dof_count)
    A = (J @ G.T).tocsr()
    if compliance and np.any(problem.compliance_offset >= 0):
        A = (A + compliance_matrix(problem)).tocsr()
    A.eliminate_zeros()
    A.sort_indices()
    return A


def friction_scale(problem):
    """Return d (K,): mu of each friction row, 1 for every other row; lambda = d y [N s]."""
    d = np.ones(problem.row_count)
    contact = problem.kind == 0
    rows = np.diff(problem.row_start)
    for i in range(3):
        has = contact & (rows > i + 1)
        d[problem.row_start[:-1][has] + i + 1] = problem.mu[has, i]
    return d


def friction_rows(problem):
    """Return the mask (K,) of the friction rows of contacts."""
    mask = np.repeat(problem.kind == 0, np.diff(problem.row_start))
    mask[problem.row_start[:-1]] = False
    return mask
