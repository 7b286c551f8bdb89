"""A solid given by its tetrahedra: what a deformable body is made of, or a rigid one with that surface."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..base.refusal import SceneError
from ..meshes.integrals import solid_properties
from ..meshes.tet_grids import boundary, folded, outward, tet_volumes
from .checks import point_cloud
from .form import form_of_points

# A tetrahedron below this part of the cube of its longest edge has no volume.
FLAT = 1e-9


@dataclass(frozen=True, eq=False)
class Tetrahedra:
    """Solid of tetrahedra (T,4), indices into vertices (V,3) [m], in the shape frame; of either orientation."""

    vertices: Any
    tets: Any
    type: ClassVar[str] = "tetrahedra"

    def check(self, who):
        """Raise SceneError for corners or indices that make no solid."""
        vertices = point_cloud(who, "tetrahedra vertices", self.vertices)
        try:
            tets = np.asarray(self.tets)
            whole = tets.astype(np.int64, casting="same_kind" if tets.dtype.kind == "c" else "unsafe")
        except (TypeError, ValueError, OverflowError):
            raise SceneError(f"{who}: tets are not numbers; give rows of four vertex indices") from None
        if tets.ndim != 2 or tets.shape[1] != 4 or len(tets) == 0 or not np.array_equal(tets, whole):
            raise SceneError(f"{who}: tets have shape {tets.shape}; give at least one row of four vertex indices")
        wrong = np.flatnonzero((whole < 0).any(axis=1) | (whole >= len(vertices)).any(axis=1))
        if len(wrong):
            raise SceneError(
                f"{who}: tetrahedron {wrong[0]} uses vertices {whole[wrong[0]].tolist()}; "
                f"there are vertices 0 to {len(vertices) - 1}"
            )
        corners = vertices[whole]
        longest = np.linalg.norm(corners[:, 1:] - corners[:, :1], axis=2).max(axis=1)
        flat = np.flatnonzero(np.abs(tet_volumes(vertices, whole)) <= FLAT * longest**3)
        if len(flat):
            raise SceneError(f"{who}: tetrahedron {flat[0]} has no volume; remove it or mesh the body anew")
        try:
            boundary(whole)
        except ValueError as error:
            raise SceneError(f"{who}: {error}") from None
        wrong = folded(outward(vertices, whole))
        if wrong is not None:
            raise SceneError(f"{who}: tetrahedra {wrong[0]} and {wrong[1]} lie on the same side of the face that they "
                             "share, one of them inside out; mesh the body anew")  # fmt: skip

    def mass_properties(self):
        """Volume, centre and inertia at density 1."""
        return solid_properties(*self.surface())

    @cached_property
    def _surface(self):
        vertices = np.asarray(self.vertices, dtype=float)
        triangles = boundary(outward(vertices, np.asarray(self.tets, dtype=np.int64)))
        used, number = np.unique(triangles, return_inverse=True)
        return vertices[used], number.reshape(-1, 3)

    def surface(self):
        """Vertices and outward triangles of the boundary."""
        return self._surface

    def identity(self):
        """Equal for shapes of the same form."""
        return self.type, id(self)

    def form(self):
        """Its surface."""
        return form_of_points("mesh", self.surface()[0])
