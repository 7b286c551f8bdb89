"""Packed: contacts without bodies, the numbers of a solve and its changing arrays in one array.

An array handed to a kernel costs 0.2 us, an object made for the answer as much; a few contacts are solved in that time.
"""

import numpy as np

from .packed_kernels import ERROR, GOAL, HEAD, SWEEPS_DONE, parts, solve_packed


class Packed:
    """`memory` and what it holds: rows (DelassusRows), state (1,8), work (5,3n) and merit (count,), views of it.

    goal: the measure at which sweeps end, Siconos' relative error where `relative`, else the judge's residual [m/s];
    count: sweeps at most; every: sweeps between two checks.
    """

    def __init__(self, rows, goal, relative, every, count):
        self.goal = goal
        n, s = len(rows.indptr) - 1, len(rows.indices)
        self.memory = np.zeros(HEAD + n + 1 + 10 * s + 14 * n + 8 + 15 * n + count)
        self.memory[: GOAL + 3] = n, s, count, goal, relative, every
        self.rows, state, self.work, self.merit = parts(self.memory)
        for view, array in zip(self.rows, rows, strict=True):
            view[:] = array
        self.state = state[None]

    def solve(self, impulse):
        """Sweeps from impulses (K,), updated in place if they reach the goal. Returns their number, or -1 if not."""
        return solve_packed(self.memory, impulse)

    @property
    def begun(self):
        """(sweeps done, measure) of the last solve."""
        return int(self.memory[SWEEPS_DONE]), float(self.memory[ERROR])
