"""What one search for contacts leaves to the next. It makes that quicker and never changes what is found."""

from dataclasses import replace

import numpy as np

from .broadphase.broad import NearBoxes


class SearchMemory:
    """Boxes that were near each other and pairs with a mesh in the last search of one CollisionModel, and what is
    remembered of them. A run has its own, so that runs in several threads may share a Model."""

    def __init__(self):
        self._geometry, self._near, self._meshes, self._own_meshes, self._own = None, None, None, None, (None, None)
        self._collision, self._pairs, self._remembered, self._room = None, None, None, None

    def of(self, collision):
        """(pairs (P,2), Remembered) of the last search of this model; empty if that was of another."""
        if self._collision is not collision:
            return np.empty((0, 2), np.int32), _nothing()
        return self._pairs, self._remembered()

    def near_boxes(self, collision):
        """NearBoxes of this model's colliders, whichever of its bodies move."""
        movable = collision.allowed.movable
        if self._geometry is not collision.geometry:
            self._geometry, self._near = collision.geometry, NearBoxes(movable)
        elif movable is not self._near.movable and np.any(movable & ~self._near.movable):
            self._near = NearBoxes(movable | self._near.movable)
        return self._near

    def with_own_meshes(self, collision):
        """The model with a copy of its meshes that only this memory's run moves."""
        if self._meshes is not collision.meshes:
            self._meshes = collision.meshes
            self._own_meshes = type(self._meshes)(*(np.copy(column) for column in self._meshes))
        if self._own[0] is not collision:
            self._own = collision, replace(collision, meshes=self._own_meshes)
        return self._own[1]

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
