"""Numbers of the members of some groups that lie one after another."""

import numpy as np


def gathered(start, groups):
    """Members start[g]:start[g+1] of all `groups` (G,), in their order."""
    counts = np.diff(start)[groups]
    first = np.cumsum(counts) - counts
    return np.repeat(start[groups] - first, counts) + np.arange(int(counts.sum()))
