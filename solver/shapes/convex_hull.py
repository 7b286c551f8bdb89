"""The convex hull of points."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..base.refusal import SceneError
from ..meshes.integrals import solid_properties
from ..meshes.polytope import convex_polytope
from .checks import point_cloud
from .form import form_of_points


@dataclass(frozen=True, eq=False)
class ConvexHull:
    """Solid convex hull of `vertices` (n,3) [m], given in the shape frame; interior points are allowed."""

    vertices: Any
    type: ClassVar[str] = "convex_hull"

    def check(self, who):
        """Raise SceneError for points that are not finite or enclose no volume."""
        points = point_cloud(who, "convex hull vertices", self.vertices)
        try:
            self._polytope  # noqa: B018 - found once, for all that ask
        except ValueError as error:
            found = f"convex hull of {len(points)} vertices has no volume: {error}"
            raise SceneError(f"{who}: {found}; give four or more points of a solid") from None

    @cached_property
    def _polytope(self):
        return convex_polytope(self.vertices)

    def polytope(self):
        """Vertices, polygon faces and edges of the hull."""
        return self._polytope

    def mass_properties(self):
        """Exact volume, centre and inertia at density 1."""
        return solid_properties(*self.surface())

    def surface(self):
        """Hull vertices and outward triangles."""
        polytope = self.polytope()
        return np.array(polytope.vertices), polytope.triangles()

    def identity(self):
        """Equal for shapes of the same form."""
        return self.type, np.asarray(self.vertices, dtype=float).tobytes()

    def form(self):
        """The corners of the hull."""
        return form_of_points("convex_hull", self.surface()[0])
