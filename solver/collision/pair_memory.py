"""What one search for contacts leaves to the next. It makes that quicker and never changes what is found."""

import numpy as np


class PairMemory:
    """Pairs with a mesh of the last search of one CollisionModel, and what is remembered of them."""

    def __init__(self):
        self._collision, self._pairs, self._remembered, self._room = None, None, None, None

    def of(self, collision):
        """(pairs (P,2), Remembered) of the last search of this model; empty if that was of another."""
        if self._collision is not collision:
            from .mesh_contacts import nothing_remembered

            return np.empty((0, 2), np.int32), nothing_remembered()
        return self._pairs, self._remembered

    def room(self):
        """Remembered of the search before the last, whose arrays may be written over."""
        from .mesh_contacts import nothing_remembered

        return nothing_remembered() if self._room is None else self._room

    def keep(self, collision, pairs, remembered):
        """Take the place of what was remembered."""
        self._room = self._remembered
        self._collision, self._pairs, self._remembered = collision, pairs, remembered
