"""The threads that sweep the parts of one island concurrently, see part_sweep_kernels.py."""

import numpy as np

from ...base.threads import core_count, helped
from ...jit import COMPILED
from .part_sweep_kernels import Team, dismiss, help_out

# A thread that other programs keep from its core delays those who wait for it, by more than a solve takes: this many
# solves go without help after it happened, twice as many if it happens at once again, at most that many.
FEW, MANY = 50, 1600


def new_team(most, size):
    """Team of `size` threads for islands of at most `most` parts."""
    return Team(np.zeros(16, dtype=np.int64), np.zeros(4), np.zeros((most, 3)), np.array([size]))


# For islands that are not divided: nothing of it is written.
ALONE = new_team(1, 1)


class Helpers:
    """Decides how many threads sweep. That is about time only: the answer has the same bits for any number."""

    def __init__(self):
        self._alone, self._next = 0, FEW

    def run(self, sweep, most, workers, arguments):
        """Result of sweep(Team) with islands of at most `most` parts.

        workers: threads, 0 for one a core; arguments(Team): what `help_out` is given.
        """
        if most == 1:
            return sweep(ALONE)
        size = self._size(most, workers)
        team = new_team(most, size)
        tasks = [lambda: help_out(*arguments(team))] * (size - 1)
        with helped(tasks, workers, lambda: dismiss(team)):
            result = sweep(team)
        if size > 1:
            self._note(delayed=team.size[0] == 1)
        return result

    def _size(self, most, workers):
        if self._alone > 0:
            self._alone -= 1
            return 1
        return min(workers or core_count(), core_count(), most - 1) if COMPILED else 1

    def _note(self, delayed):
        if delayed:
            self._alone, self._next = self._next, min(2 * self._next, MANY)
        else:
            self._next = FEW


HELPERS = Helpers()
