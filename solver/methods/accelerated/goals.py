"""What is asked of each island of a solve, and when it has had enough of it."""

import numpy as np

# Sweeps between two decisions about an island.
GROUP = 50
# Sweeps that every island gets, whatever the effort; fewer will do where friction is given.
LEAST, LEAST_GIVEN = 50, 25


class IslandGoals:
    """The goals of I islands: tolerance and acceptable (I,) [m/s], patience and most (I,) sweeps, lasting (I,) bool,
    exact (I,) bool: nothing but the tolerance will do.

    size (I,): blocks of each island; first_block (I,): one block of each, by which `goals` (Goals, or None for what the
    options say of all) are read. Nothing about an island depends on another.
    """

    def __init__(self, problem, options, size, first_block, goals=None):
        size = np.maximum(size, 1)
        least = LEAST_GIVEN if problem.friction_given else LEAST
        self.tolerance, self.acceptable, patience, effort = (
            np.full(len(size), given) if goals is None or own is None else np.asarray(own)[first_block]
            for given, own in zip(
                (options.tolerance, options.acceptable, options.patience, options.effort), goals or (None,) * 4,
                strict=True,
            )
        )  # fmt: skip
        # Where nothing is acceptable, or more patience is asked for than usual, the answer is wanted to the end.
        self.lasting = (patience > options.patience) | (self.acceptable <= self.tolerance)
        self.patience = np.maximum(GROUP, patience // size)
        limited = np.minimum(options.max_iterations, np.maximum(least, effort // size))
        self.most = np.where(effort > 0, limited, options.max_iterations).astype(np.int64)
        if options.siconos_tolerance > 0:
            # One measure for all islands: what is acceptable means nothing to it.
            self.acceptable = np.zeros(len(size))
        self.exact = self.acceptable <= self.tolerance
        self.impatient = np.zeros(len(size), dtype=bool)

    @property
    def now(self):
        """Residual (I,) [m/s] that ends the work on each island."""
        return np.where(self.impatient, self.acceptable, self.tolerance)

    def limit(self):
        """Sweeps (I,) until the next change of what ends the work on each island."""
        waits = ~self.exact & ~self.impatient
        return np.where(waits, np.minimum(self.patience, self.most), self.most)

    def lose_patience(self, used, at_an_end=False):
        """Note which islands have used up their patience, or all they may, or are at_an_end (I,); used (I,) sweeps."""
        spent = (used >= np.minimum(self.patience, self.most)) | at_an_end
        self.impatient = spent & ~self.exact
