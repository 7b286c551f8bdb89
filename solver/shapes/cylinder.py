"""A solid cylinder."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..meshes.mass_properties import MassProperties
from .checks import positive_length
from .revolution import revolve


@dataclass(frozen=True)
class Cylinder:
    """Cylinder of `radius` and full `length` along z, centred on the shape frame [m]."""

    radius: float
    length: float
    type: ClassVar[str] = "cylinder"

    def check(self, who):
        """Raise SceneError for sizes no solid can have."""
        positive_length(who, "cylinder radius", self.radius)
        positive_length(who, "cylinder length", self.length)

    def mass_properties(self):
        """Exact volume, centre and inertia at density 1."""
        r, length = float(self.radius), float(self.length)
        volume = math.pi * r * r * length
        across = volume * (3.0 * r * r + length * length) / 12.0
        return MassProperties(volume, np.zeros(3), np.diag([across, across, 0.5 * volume * r * r]))

    def surface(self):
        """Vertices and triangles with 32 sides."""
        radii = np.array([0.0, self.radius, self.radius, 0.0])
        half = 0.5 * self.length
        return revolve(radii, np.array([-half, -half, half, half]), 32)
