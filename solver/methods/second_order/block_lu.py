"""Sparse LU with 6x6 blocks: one ordering and fill pattern for many factorisations.

Nodes are ordered by minimum degree on bit rows, exact and short; that suits the graphs of touching bodies up to
several thousand of them.
"""

import numpy as np

from . import block_lu_kernels as kernels
from .block_lu_kernels import Factors, Pattern


def analyse(pair, count, limit):
    """Return the Pattern of `count` nodes coupled by pair (m,2), or None if it holds more than `limit` blocks."""
    pair = np.ascontiguousarray(pair, dtype=np.int64)
    if count <= kernels.FEW:
        found = kernels.analysed(pair, count)
        return found if len(found.rows) <= limit else None
    bits, degree = np.zeros((count, (count + 63) // 64), dtype=np.uint64), np.zeros(count, dtype=np.int64)
    kernels.adjacency(pair, count, bits, degree)
    order, indptr = np.empty(count, dtype=np.int64), np.empty(count + 1, dtype=np.int64)
    rows, state = np.empty(max(16, 4 * count), dtype=np.int64), np.zeros(2, dtype=np.int64)
    while not kernels.eliminate(bits, degree, order, indptr, rows, state):
        if len(rows) >= limit:
            return None
        rows = np.concatenate((rows, np.empty(len(rows), dtype=np.int64)))
    rows = rows[: state[1]].copy()
    place = np.empty(count, dtype=np.int64)
    place[order] = np.arange(count)
    kernels.sort_columns(indptr, rows, place)
    slot = np.empty(len(pair), dtype=np.int64)
    kernels.find_slots(pair, place, count, indptr, rows, slot)
    return Pattern(place, indptr, rows, slot)


def factors(pattern):
    """Return room for a factorisation of `pattern`."""
    count, fill = len(pattern.place), len(pattern.rows)
    return Factors(
        np.empty((count, 36)), np.empty((fill, 36)), np.empty((fill, 36)), np.zeros((count, 6), dtype=np.int64)
    )


def work(pattern):
    """Block products of one factorisation; about 150 ns each."""
    return int(kernels.factor_work(pattern.indptr))
