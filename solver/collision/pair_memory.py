"""What one search for contacts leaves to the next. It makes that quicker and never changes what is found."""

import numpy as np


class PairMemory:
    """Pairs with a mesh of the last search of one CollisionModel, and what is remembered of them."""

    def __init__(self):
        self._collision, self._pairs, self._remembered, self._room = None, None, None, None

    def of(self, collision):
        """(pairs (P,2), Remembered) of the last search of this model; empty if that was of another."""
        if self._collision is not collision:
            return np.empty((0, 2), np.int32), _nothing()
        return self._pairs, self._remembered()

    def room(self):
        """Remembered of the search before the last, whose arrays may be written over."""
        return _nothing() if self._room is None else self._room()

    def keep(self, collision, pairs, remembered):
        """Take the place of what was remembered; remembered() -> Remembered may still be in the making."""
        self._room = self._remembered
        self._collision, self._pairs, self._remembered = collision, pairs, remembered


def _nothing():
    """Remembered of no pairs. Scenes without meshes do not load the kernels that its type comes with."""
    from .mesh.mesh_contacts import nothing_remembered

    return nothing_remembered()
