"""Bodies that are stepped together."""

from functools import cached_property
from typing import Any

import numpy as np

from ..base.records import record
from ..collision.broadphase.geometry import MESH
from .body_form import body_form
from .submodel import model_of

# What a pair may newly overlap in a step: the least of these parts of its thinner and of its smaller body.
OF_THICKNESS = 0.5
OF_SIZE = 0.05
# Groups made of some bodies that are kept.
KEPT = 20


@record
class Group:
    """Bodies that are stepped together: their Model and what of their form matters.

    reach, thickness (R,) [m], axis (R,3): see BodyForm; allowed (R,) [m]: what each body lets a pair overlap.
    """

    model: Any
    reach: np.ndarray
    axis: np.ndarray
    thickness: np.ndarray
    allowed: np.ndarray

    def of(self, bodies):
        """The group of some of its bodies; the same ones are asked for step after step."""
        key = bodies.tobytes()
        if key not in self._some:
            if len(self._some) >= KEPT:
                self._some.clear()
            columns = (self.reach, self.axis, self.thickness, self.allowed)
            self._some[key] = Group(model_of(self.model, bodies), *(column[bodies] for column in columns))
        return self._some[key]

    @cached_property
    def _some(self):
        """Groups made of some of its bodies, by these."""
        return {}

    @cached_property
    def worlds(self):
        """What others keep that is made from the group alone."""
        return {}

    def allows(self, a, b):
        """What pairs of bodies a, b (P,) may overlap [m]."""
        return np.minimum(self.allowed[a], self.allowed[b])

    @cached_property
    def surfaces(self):
        """Which bodies (R,) are triangle meshes, or have some."""
        geometry, found = self.model.collision.geometry, np.zeros(self.model.body_count, dtype=bool)
        found[geometry.body[geometry.kind == MESH]] = True
        return found

    @cached_property
    def moving(self):
        """Which bodies (R,) move freely."""
        return self.model.inverse_mass > 0

    @cached_property
    def least(self):
        """(least that a body lets a pair overlap, thinnest part) [m]: what is below half of it, no pair minds."""
        return float(self.allowed.min(initial=np.inf)), float(self.thickness.min(initial=np.inf))


def whole_group(model):
    """Group of all bodies of a model."""
    form = body_form(model.collision)
    size = np.where(model.inverse_mass > 0, model.size, np.inf)
    allowed = np.minimum(OF_THICKNESS * form.thickness, OF_SIZE * size)
    return Group(model, np.minimum(form.reach, model.size), form.axis, form.thickness, allowed)
