"""What is asked of each island of a solve, and when it has had enough of it."""

import numpy as np

from .turn_kernels import Limits, asked_of_islands

# Types of the four Goals, as kernels take them.
_TYPES = np.float64, np.float64, np.int64, np.int64


def goals_of_blocks(count, options, goals=None):
    """The four goals (B,) of `count` blocks: of `goals` (Goals or None) where they are given, of the options else."""
    if goals is not None and all(map(_ready, goals, _TYPES)):
        return tuple(goals)
    given = options.tolerance, options.acceptable, options.patience, options.effort
    return tuple(
        np.full(count, value, kind) if own is None else np.require(own, kind, "CW")
        for value, own, kind in zip(given, goals or (None,) * 4, _TYPES, strict=True)
    )


def _ready(own, kind):
    """Whether kernels take a goal as it is: compiled for arrays that may be written only."""
    return own is not None and own.dtype == kind and own.flags.carray


def limits_of(problem, options):
    """The Limits of a solve."""
    return Limits(options.max_iterations, options.patience, problem.friction_given)


class IslandGoals:
    """The goals of I islands: tolerance and acceptable (I,) [m/s], patience and most (I,) sweeps, lasting (I,) bool,
    exact (I,) bool: nothing but the tolerance will do; size (I,): its blocks.

    size (I,): blocks of each island; first_block (I,): one block of each, by which `goals` (Goals, or None for what the
    options say of all) are read. Nothing about an island depends on another.
    """

    def __init__(self, problem, options, size, first_block, goals=None):
        self.size = size
        of_blocks = goals_of_blocks(max(problem.block_count, 1), options, goals)
        asked = asked_of_islands(size, first_block, of_blocks, limits_of(problem, options))
        self.tolerance, self.acceptable, self.patience, self.most, self.lasting, self.exact = asked
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
