"""DelassusRows: contacts given by the 3x3 blocks of their Delassus matrix, in the form sweeps take."""

from typing import NamedTuple

import numpy as np

from ...base.late import late
from ..assembly import delassus_matrix
from ..compact.columns import PACKED
from . import delassus_kernels as kernels
from . import product_kernels

sparse = late("scipy.sparse")


class DelassusRows(NamedTuple):
    """Block rows of D A D (n contacts, s blocks).

    indptr (n+1,), indices (s,), A (s,9) blocks row by row, sorted by column; scale (3n,) the diagonal of D; pack
    (n,PACKED) as that of compact/columns.py.
    """

    indptr: np.ndarray
    indices: np.ndarray
    A: np.ndarray
    scale: np.ndarray
    pack: np.ndarray


def delassus_rows(problem):
    """Return DelassusRows of `problem`, or None where not all blocks are contacts of three rows with the disk law."""
    p, count = problem.arrays, problem.block_count
    form = kernels.form(p, problem.dof_count)
    if form == kernels.OTHER:
        return None
    if form == kernels.OWN_ROWS:
        indptr, indices, A = _transposed(p.G, count)
    else:
        indptr, indices, A = _product(problem)
    scale, pack = np.empty(3 * count), np.zeros((count, PACKED))
    kernels.fill(p.b, p.mu, indptr, indices, A, pack, scale)
    return DelassusRows(indptr, indices, A, scale, pack)


def paired(d):
    """DelassusRows with contacts that meet the same others side by side.

    Returns (rows, order (n,): the contact at each place, first (m+1,): the first contact of each of m nodes).
    """
    count = len(d.indptr) - 1
    order, first = np.empty(count, dtype=np.int64), np.empty(count + 1, dtype=np.int64)
    nodes = kernels.pair_contacts(d, order, first)
    new = DelassusRows(*(np.empty_like(array) for array in d))
    kernels.reorder(d, order, new)
    return new, order, first[: nodes + 1].copy()


def _transposed(G, count):
    """(indptr, indices, blocks) of A, where G holds A^T."""
    indptr, indices = np.zeros(count + 1, dtype=np.int64), np.empty(len(G.start), dtype=np.int64)
    A = np.empty((len(G.start), 9))
    kernels.gather_blocks(G, indptr, indices, A)
    return indptr, indices, A


def _product(problem):
    """(indptr, indices, blocks) of A = J W J^T."""
    p, count = problem.arrays, problem.block_count
    order = np.argsort(p.G.start, kind="stable")
    first = np.empty(len(order) + 1, dtype=np.int64)
    room, bodies = product_kernels.product_size(p.J, p.G, order, first)
    if room < 0:
        blocks = sparse.bsr_matrix(delassus_matrix(problem), blocksize=(3, 3))
        blocks.sort_indices()
        return blocks.indptr.astype(np.int64), blocks.indices.astype(np.int64), blocks.data.reshape(-1, 9).copy()
    indptr, indices, A = np.empty(count + 1, dtype=np.int64), np.empty(room, dtype=np.int64), np.empty((room, 9))
    used = product_kernels.block_product(p.J, p.G, order, first, bodies, indptr, indices, A)
    return indptr, indices[:used], A[:used]
