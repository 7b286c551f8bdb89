"""A solid cylinder."""

import math
from typing import ClassVar

import numpy as np

from ..base.records import record
from ..meshes.mass_properties import MassProperties
from .checks import positive_length
from .form import Form
from .revolution import revolve

SIDES = 32


@record
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

    def identity(self):
        """Equal for shapes of the same form."""
        return self.type, float(self.radius), float(self.length)

    def form(self):
        """Closed forms where there are any, else the circumscribed prism of SIDES sides, 0.5 % larger."""
        r, rise = float(self.radius), 0.5 * float(self.length)
        angle = (np.arange(SIDES) + 0.5) * (2.0 * np.pi / SIDES)
        corner = r / np.cos(np.pi / SIDES)
        ring = corner * np.stack([np.cos(angle), np.sin(angle), np.zeros(SIDES)], axis=1)
        prism = np.concatenate([ring - [0.0, 0.0, rise], ring + [0.0, 0.0, rise]])
        half = np.array([r, r, rise])
        extent = float(np.linalg.norm(half))
        return Form("cylinder", prism, np.zeros(3), half, extent, r, rise)
