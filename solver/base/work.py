"""Work of one time step, counted and not clocked, so that it ends in the same place on every machine."""

import math

# What a search for contacts and all else around a solve costs, in contacts relaxed: of a step, and of each contact.
OF_A_SEARCH, OF_A_CONTACT = 5_000, 50
# How many times the speed of keys a lever or a wedge gives on: a wedge of 0.6 degrees, an arm of 1 to 100.
LEVERAGE = 100.0
# How many times the speed that all the energy at hand would give one body: round-off, and what a ledger leaves open.
MORE = 2.0


class Work:
    """Contacts relaxed in a step, over all its substeps, searches and solves; limit: the most, 0 for none. fastest
    [m/s]: a speed beyond which no part of the step goes on, for nothing explains it."""

    def __init__(self, limit=0):
        self.limit, self.used, self.fastest = limit, 0, math.inf

    def begin(self):
        """Begin a step."""
        self.used = 0

    @property
    def left(self):
        """What may still be done, infinite without a limit."""
        return max(0, self.limit - self.used) if self.limit else math.inf

    @property
    def spent(self):
        """Whether the step must come to its end with what it has."""
        return self.left == 0

    def search(self, contact_count):
        """Count a search that found so many contacts."""
        self.used += OF_A_SEARCH + OF_A_CONTACT * contact_count

    def solve(self, relaxed):
        """Count a solve that relaxed so many contacts."""
        self.used += relaxed
