"""A problem partitioned between islands: those that fit the fast form together, and each of the others alone.

A block that joins more than two bodies, or a body of more than six unknowns, keeps its island from the form of
compact.py. The others have it nevertheless.
"""

import numpy as np

from ...base.late import late

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
    return problem.restrict(blocks)
