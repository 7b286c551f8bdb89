"""A solid box."""

from typing import ClassVar

import numpy as np

from ..base.records import record
from ..meshes.mass_properties import MassProperties
from .checks import positive_size
from .form import form_of_points

CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
# One quadrilateral a face, counter-clockwise seen from outside.
QUADS = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
TRIANGLES = np.concatenate([QUADS[:, [0, 1, 2]], QUADS[:, [0, 2, 3]]])


@record
class Box:
    """Box with edges of full lengths `size` (x, y, z) [m] along the axes, centred on the shape frame."""

    size: tuple
    type: ClassVar[str] = "box"

    def check(self, who):
        """Raise SceneError for a size no solid can have."""
        positive_size(who, "box size", self.size)

    def mass_properties(self):
        """Exact volume, centre and inertia at density 1."""
        x, y, z = (float(length) for length in self.size)
        volume = x * y * z
        moments = np.array([y * y + z * z, x * x + z * z, x * x + y * y])
        return MassProperties(volume, np.zeros(3), np.diag(volume / 12.0 * moments))

    def surface(self):
        """The eight corners and twelve triangles."""
        return CORNERS * np.asarray(self.size, dtype=float), TRIANGLES.copy()

    def identity(self):
        """Equal for shapes of the same form."""
        return self.type, *(float(length) for length in self.size)

    def form(self):
        """Its eight corners."""
        return form_of_points("box", self.surface()[0])
