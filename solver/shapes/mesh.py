"""Triangle mesh: any solid (closed surface), or a bare surface for bodies that do not move freely."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..refusal import SceneError
from .checks import point_cloud
from .integrals import solid_properties
from .mesh_prep import PreparedMesh, prepare_mesh
from .mesh_union import union_properties

OPEN_REMEDY = "close it, use its convex hull, or make the body passive"


@dataclass(frozen=True, eq=False)
class Mesh:
    """Surface of triangles (T,3), indices into vertices (V,3) [m], in the shape frame.

    A body that moves needs a solid: a closed surface. Doubled vertices and turned faces are mended on the
    way (`prepared`); holes are not. Static and kinematic bodies may be open sheets.
    """

    vertices: Any
    triangles: Any
    type: ClassVar[str] = "mesh"

    def check(self, who):
        """Raise SceneError naming `who` unless this is a mesh with finite corners, known indices and some area."""
        vertices = point_cloud(who, "mesh vertices", self.vertices)
        triangles = _index_table(who, self.triangles)
        outside = (triangles < 0) | (triangles >= len(vertices))
        if np.any(outside):
            row = int(np.flatnonzero(outside.any(axis=1))[0])
            raise SceneError(
                f"{who}: triangle {row} of the mesh uses vertices {triangles[row].tolist()}; "
                f"the mesh has vertices 0 to {len(vertices) - 1}"
            )
        corners = vertices[triangles]
        longest = np.ptp(vertices[np.unique(triangles)], axis=0).max()
        area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        if not area.max() > 1e-12 * longest**2:
            raise SceneError(f"{who}: the triangles of the mesh have zero area; give it a surface")

    @cached_property
    def prepared(self) -> PreparedMesh:
        """Welded and outward oriented mesh with the report of what was mended and what is wrong."""
        return prepare_mesh(self.vertices, self.triangles)

    def mass_properties(self):
        """Volume, centre of mass and inertia at density 1; SceneError for a mesh that is no solid.

        Exact, but for parts that overlap one another: their union is meant, and the overlap is sampled.
        """
        vertices, triangles, report = self.prepared
        defects = report.defects()
        if defects:
            raise SceneError(f"the mesh is no solid, it has {' and '.join(defects)}; {OPEN_REMEDY}")
        return (union_properties if report.crossing_parts else solid_properties)(vertices, triangles)

    def surface(self):
        """Vertices (V,3) [m] and triangles (T,3) as prepared: welded, outward oriented."""
        return self.prepared.vertices, self.prepared.triangles


def _index_table(who, value):
    """Return triangles as an int64 array (T,3); raise SceneError for anything else."""
    try:
        array = np.asarray(value)
        numbers = array.astype(np.int64)
    except (TypeError, ValueError, OverflowError):
        raise SceneError(f"{who}: mesh triangles are not numbers; give rows of three vertex indices") from None
    if array.size == 0:
        raise SceneError(f"{who}: the mesh has no triangles; give it at least one")
    if array.ndim != 2 or array.shape[1] != 3:
        raise SceneError(f"{who}: mesh triangles have shape {array.shape}; give rows of three vertex indices")
    if not np.array_equal(numbers, array):
        raise SceneError(f"{who}: mesh triangles are not whole numbers; give rows of three vertex indices")
    return numbers
