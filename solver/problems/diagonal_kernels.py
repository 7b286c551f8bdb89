"""The diagonal blocks of a problem, laid out and filled in one call."""

import numpy as np

from ..jit import kernel
from .problem_kernels import diagonal_blocks


@kernel
def diagonal_of(p):
    """(offsets (B+1,), numbers) of the diagonal blocks A_kk, m x m a block, row by row [1/kg]."""
    offset = np.empty(p.kind.size + 1, np.int64)
    offset[0] = 0
    for k in range(p.kind.size):
        m = p.row_start[k + 1] - p.row_start[k]
        offset[k + 1] = offset[k] + m * m
    data = np.empty(offset[p.kind.size])
    diagonal_blocks(p, offset, data)
    return offset, data
