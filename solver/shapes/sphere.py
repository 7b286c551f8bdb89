"""A solid sphere."""

import math
from typing import ClassVar

import numpy as np

from ..base.records import record
from ..meshes.mass_properties import MassProperties
from .checks import positive_length
from .form import Form
from .revolution import revolve


@record
class Sphere:
    """Sphere of `radius` [m] about the origin of the shape frame."""

    radius: float
    type: ClassVar[str] = "sphere"

    def check(self, who):
        """Raise SceneError for a radius no solid can have."""
        positive_length(who, "sphere radius", self.radius)

    def mass_properties(self):
        """Exact volume, centre and inertia at density 1."""
        volume = 4.0 / 3.0 * math.pi * self.radius**3
        return MassProperties(volume, np.zeros(3), 0.4 * volume * self.radius**2 * np.eye(3))

    def surface(self):
        """Vertices (V,3) and triangles (T,3) of a globe with 32 meridians."""
        angle = np.linspace(0.0, np.pi, 17)
        return revolve(self.radius * np.sin(angle), -self.radius * np.cos(angle), 32)

    def identity(self):
        """Equal for shapes of the same form."""
        return self.type, float(self.radius)

    def form(self):
        """A point swollen by the radius."""
        r = float(self.radius)
        return Form("sphere", np.zeros((1, 3)), np.zeros(3), np.full(3, r), r, r, surface=False)
