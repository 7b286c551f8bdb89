"""A shape that is not in the table: what it says of itself is all that anything needs of it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stiction.solver.base.refusal import SceneError
from stiction.solver.meshes.integrals import solid_properties
from stiction.solver.shapes.form import form_of_points


@dataclass(frozen=True)
class Wedge:
    """Half a cube of edge 2 a, its right angle below; what a shape says of itself, and no more."""

    a: float
    type: ClassVar[str] = "wedge"

    def check(self, who):
        if not self.a > 0.0:
            raise SceneError(f"{who}: wedge size is {self.a}; give a number above 0")

    def mass_properties(self):
        return solid_properties(*self.surface())

    def surface(self):
        a = self.a
        ends = np.array([(x, y, z) for y in (-a, a) for x, z in ((-a, -a), (a, -a), (-a, a))])
        return ends, np.array([(0, 1, 2), (3, 5, 4), (0, 3, 1), (1, 3, 4), (1, 4, 2), (2, 4, 5), (2, 5, 0), (0, 5, 3)])

    def identity(self):
        return self.type, self.a

    def form(self):
        return form_of_points("convex_hull", self.surface()[0])
