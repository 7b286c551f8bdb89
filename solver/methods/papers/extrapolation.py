"""Anderson's extrapolation of a sequence x -> g(x) from its last members (Walker and Ni 2011, type II)."""

import numpy as np

# Where no member has been better for so many, the next ones are plain, so many.
PATIENCE, PLAIN = 30, 100


class Extrapolation:
    """Next members of a sequence: x + f - sum of c_i (differences of g), c the least squares of f on differences of f,
    with f = g(x) - x. depth: how many differences are kept; 0 for the plain sequence."""

    def __init__(self, depth):
        self.depth, self.changes, self.images = depth, [], []
        self.least, self.waited = np.inf, 0

    def next(self, x, image, least):
        """Return the next x (K,) after g(x) = `image` (K,); least: the smallest error of all members so far."""
        self.waited = 0 if least < self.least else self.waited + 1
        self.least = least
        if self.depth == 0 or self.waited % (PATIENCE + PLAIN) >= PATIENCE:
            self.changes, self.images = [], []
            return image
        change = image - x
        # Where the change of a member is twice the one before, what came before is forgotten.
        if self.changes and np.linalg.norm(change) > 2.0 * np.linalg.norm(self.changes[-1]):
            self.changes, self.images = [], []
        self.changes, self.images = [*self.changes, change][-self.depth - 1 :], [*self.images, image][-self.depth - 1 :]
        if len(self.changes) == 1:
            return image
        weight = np.linalg.lstsq(np.diff(self.changes, axis=0).T, change, rcond=1e-8)[0]
        return image - weight @ np.diff(self.images, axis=0)
