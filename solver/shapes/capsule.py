"""A solid capsule."""

import math
from typing import ClassVar

import numpy as np

from ..base.records import record
from ..meshes.mass_properties import MassProperties
from .checks import positive_length
from .form import Form
from .revolution import revolve


@record
class Capsule:
    """All points within `radius` of a segment of `length` along z, centred on the shape frame [m].

    `length` is the distance between the centres of the two caps; the whole is length + 2 radius long.
    """

    radius: float
    length: float
    type: ClassVar[str] = "capsule"

    def check(self, who):
        """Raise SceneError for sizes no solid can have."""
        positive_length(who, "capsule radius", self.radius)
        positive_length(who, "capsule length", self.length)

    def mass_properties(self):
        """Exact volume, centre and inertia at density 1: a cylinder and two hemispheres."""
        r, length = float(self.radius), float(self.length)
        rod, ball = math.pi * r * r * length, 4.0 / 3.0 * math.pi * r**3
        axial = 0.5 * rod * r * r + 0.4 * ball * r * r
        # A hemisphere's centre lies 3/8 r beyond its flat face, and 2/5 r^2 is its moment about any axis in that face.
        across = rod * (r * r / 4.0 + length * length / 12.0)
        across += ball * (0.4 * r * r + length * length / 4.0 + 3.0 / 8.0 * length * r)
        return MassProperties(rod + ball, np.zeros(3), np.diag([across, across, axial]))

    def surface(self):
        """Vertices and triangles with 32 meridians and 8 rings a cap."""
        angle = np.linspace(0.0, 0.5 * np.pi, 9)
        radii, rise = self.radius * np.sin(angle), 0.5 * self.length + self.radius * np.cos(angle)
        return revolve(np.concatenate([radii, radii[::-1]]), np.concatenate([-rise, rise[::-1]]), 32)

    def identity(self):
        """Equal for shapes of the same form."""
        return self.type, float(self.radius), float(self.length)

    def form(self):
        """A segment swollen by the radius."""
        r, rise = float(self.radius), 0.5 * float(self.length)
        ends = np.array([[0.0, 0.0, -rise], [0.0, 0.0, rise]])
        return Form(
            "capsule", ends, np.zeros(3), np.array([r, r, rise + r]), r + rise, r, rise,
            surface=False,
        )  # fmt: skip
