"""A problem partitioned between islands: those that fit the fast form together, and each of the others alone.

A block that joins more than two bodies, or a body of more than six unknowns, keeps its island from the form of
compact.py. The others have it nevertheless.
"""

import numpy as np

from ...base.late import late
from ...options import changed
from ...problem import BlockRows

csgraph = late("scipy.sparse.csgraph")
sparse = late("scipy.sparse")

# What a Compact takes: unknowns of a body, rows and bodies of a block.
UNKNOWNS, ROWS, BODIES = 6, 12, 2


def groups(problem):
    """Lists of blocks (numbers, ascending) that share no body that moves: those that fit, then each other island;
    None where there is nothing to gain: W is not known, or one of the kinds is missing."""
    mass = problem.inverse_mass
    if mass is None or not problem.symmetric:
        return None
    misfit, node, block = _misfits(problem)
    count, blocks = len(mass.start) - 1, problem.block_count
    pairs = sparse.coo_matrix((np.ones(len(node)), (block, blocks + node)), shape=(blocks + count,) * 2)
    _, label = csgraph.connected_components(pairs, directed=False)
    bad = np.unique(label[:blocks][misfit])
    fitting = ~np.isin(label[:blocks], bad)
    if not fitting.any() or fitting.all():
        return None
    return [np.flatnonzero(fitting)] + [np.flatnonzero(label[:blocks] == island) for island in bad]


def _misfits(problem):
    """(which blocks (B,) a Compact cannot hold, body and block of each coupling of a block with a body that moves)."""
    mass, J, size = problem.inverse_mass, problem.J, np.diff(problem.inverse_mass.start)
    segment_block = np.repeat(np.arange(problem.block_count), np.diff(J.indptr))
    body = np.searchsorted(mass.start, J.start, side="right") - 1
    largest = np.maximum.reduceat(np.abs(mass.data), mass.offset[: len(size)]) if len(size) else np.zeros(0)
    moves = largest[body] > 0
    whole = (mass.start[body] == J.start) & (size[body] == J.size)
    misfit = np.diff(problem.row_start) > ROWS
    misfit |= np.bincount(segment_block[moves], minlength=problem.block_count) > BODIES
    misfit[segment_block[~whole | (moves & (size[body] > UNKNOWNS))]] = True
    return misfit, body[moves], segment_block[moves]


def part(problem, blocks):
    """(the problem of some blocks on the same bodies, their rows (K',) in the whole)."""
    size = np.diff(problem.row_start)[blocks]
    rows = _ranges(problem.row_start[blocks], size)
    other = changed(
        problem, kind=problem.kind[blocks], row_start=np.concatenate(([0], np.cumsum(size))),
        J=_rows_of(problem.J, blocks), G=_rows_of(problem.G, blocks), b=problem.b[rows], law=problem.law[blocks],
        mu=problem.mu[blocks], bounds=problem.bounds[blocks],
        compliance_offset=problem.compliance_offset[blocks], forms=None,
    )  # fmt: skip
    for name in ("arrays", "diagonal", "contact_count", "_forms_of_copies"):
        other.__dict__.pop(name, None)
    return other, rows


def _rows_of(rows, blocks):
    """BlockRows of some blocks; their numbers stay where they are."""
    count = np.diff(rows.indptr)[blocks]
    segments = _ranges(rows.indptr[blocks], count)
    return BlockRows(np.concatenate(([0], np.cumsum(count))), rows.start[segments], rows.size[segments],
                     rows.offset[segments], rows.data)  # fmt: skip


def _ranges(first, count):
    """The numbers first[k] to first[k] + count[k], one stretch after the other."""
    return np.repeat(first - np.concatenate(([0], np.cumsum(count)[:-1])), count) + np.arange(count.sum())
