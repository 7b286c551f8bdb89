"""A problem partitioned between islands: those that fit the fast form together, and each of the others alone.

A block that joins more than two bodies, or a body of more than six unknowns, keeps its island from the form of
compact.py. The others have it nevertheless.
"""

import numpy as np

from ...problems.island_kernels import islands_of_blocks

# What a Compact takes: unknowns of a body, rows and bodies of a block.
UNKNOWNS, ROWS, BODIES = 6, 12, 2


def groups(problem):
    """Lists of blocks (numbers, ascending) that share no body that moves: those that fit, then each other island;
    None where there is nothing to part, or W is not known."""
    if problem.inverse_mass is None or not problem.symmetric:
        return None
    label = islands_of_blocks(problem.arrays, problem.dof_count)
    bad = np.unique(label[_misfits(problem)])
    fitting = ~np.isin(label, bad)
    parts = [np.flatnonzero(fitting)] + [np.flatnonzero(label == island) for island in bad]
    parts = [blocks for blocks in parts if len(blocks)]
    return parts if len(parts) > 1 else None


def _misfits(problem):
    """Which blocks (B,) a Compact cannot hold."""
    mass, J, size = problem.inverse_mass, problem.J, np.diff(problem.inverse_mass.start)
    segment_block = np.repeat(np.arange(problem.block_count), np.diff(J.indptr))
    body = np.searchsorted(mass.start, J.start, side="right") - 1
    largest = np.maximum.reduceat(np.abs(mass.data), mass.offset[: len(size)]) if len(size) else np.zeros(0)
    moves = largest[body] > 0
    whole = (mass.start[body] == J.start) & (size[body] == J.size)
    misfit = np.diff(problem.row_start) > ROWS
    misfit |= np.bincount(segment_block[moves], minlength=problem.block_count) > BODIES
    misfit[segment_block[~whole | (moves & (size[body] > UNKNOWNS))]] = True
    return misfit
