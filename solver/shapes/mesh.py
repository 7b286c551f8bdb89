"""Triangle mesh: any solid (closed surface), or a bare surface for bodies that do not move freely."""

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..base.refusal import SceneError
from ..meshes.integrals import triangle_areas
from ..meshes.mesh_prep import PreparedMesh, prepare_mesh
from ..meshes.repairs import CHOOSE, MeshRepair, solid_mass
from ..meshes.solid_field import MOST_CROSSINGS, SolidField
from .checks import point_cloud
from .form import form_of_points
from .plate import plate_corners

OPEN_REMEDY = f"close it, or choose winding, voxel_remesh, solidify or convex_hull {CHOOSE}, or make the body passive"
MOST_INSIDE_OUT = 0.01  # of the volume of a mesh that goes through itself
REMEMBERED = 3_000_000  # triangles of prepared meshes kept, equal meshes once


@dataclass(frozen=True, eq=False)
class Mesh:
    """Surface of triangles (T,3), indices into vertices (V,3) [m], in the shape frame.

    A body that moves needs a solid: a closed surface. Doubled vertices and turned faces are repaired on the
    way (`prepared`); holes are not, but `repair` names what to do about them. Static and kinematic bodies may be open
    sheets. Equal meshes are prepared once.
    """

    vertices: Any
    triangles: Any
    repair: MeshRepair | None = None
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
        used = np.zeros(len(vertices), dtype=bool)
        used[triangles] = True
        least = 0.5e-12 * np.ptp(vertices[used], axis=0).max() ** 2
        # Nearly always one of the first has an area.
        if not any(triangle_areas(vertices, some).max() > least for some in (triangles[:99], triangles)):
            raise SceneError(f"{who}: the triangles of the mesh have zero area; give it a surface")
        if self.repair is not None:
            self.repair.check(who)
            try:
                self.notes()
            except SceneError as error:
                raise SceneError(f"{who}: {error}") from None

    @cached_property
    def content(self):
        """Key that is equal for equal meshes with equal repairs."""
        digest = hashlib.sha256(np.ascontiguousarray(self.vertices, dtype=float).data)
        digest.update(np.ascontiguousarray(self.triangles, dtype=np.int64).data)
        return digest.hexdigest(), self.repair

    @cached_property
    def given(self) -> PreparedMesh:
        """The mesh itself, welded and oriented outward, with the report of what was repaired and what is wrong."""
        return _memory.get((self.content[0], "given"), lambda: prepare_mesh(self.vertices, self.triangles))

    @cached_property
    def solid(self):
        """What the repair makes of it (a Solid with its mass and a sentence), None without one."""
        if self.repair is None:
            return None
        return _memory.get(self.content, lambda: self.repair.take(self.given))

    @property
    def prepared(self) -> PreparedMesh:
        """The mesh that touches others: as given, repaired, or what its repair made of it."""
        return self.given if self.solid is None else self.solid.prepared

    @cached_property
    def self_intersections(self):
        """Pairs of triangles of the given mesh that go through each other, at most MOST_CROSSINGS."""
        field = SolidField(self.given.vertices, self.given.triangles)
        return _memory.get((self.content[0], "crossings"), lambda: field.crossings)

    def findings(self):
        """Everything worth saying about the given mesh, one plain phrase each: defects, then what was repaired."""
        found = self.given.report.defects()
        if self.self_intersections:
            more = " or more" if self.self_intersections == MOST_CROSSINGS else ""
            found.append(f"self-intersections ({self.self_intersections}{more} pairs of triangles)")
        if self.given.report.slivers:
            found.append(f"{self.given.report.slivers} slivers")
        return found + self.given.report.repairs()

    def notes(self):
        """Sentences for the run's report: what a repair did, or that the mesh goes through itself."""
        if self.solid is not None:
            return [self.solid.says]
        if self.given.report.closed and self.self_intersections:
            pairs = f"{self.self_intersections} pairs of triangles"
            return [f"goes through itself ({pairs}); its mass is that of the union"]
        return []

    def mass_properties(self):
        """Volume, centre of mass and inertia at density 1; SceneError for a mesh that is no solid.

        Exact, but for parts that overlap one another and surfaces that go through themselves: their union is meant,
        and the overlap is sampled.
        """
        if self.solid is not None:
            return self.solid.mass
        return _memory.get((self.content[0], "mass"), self._own_mass)

    def _own_mass(self):
        prepared = self.given
        defects = prepared.report.defects()
        if defects:
            raise SceneError(f"{self._described()} is no solid, it has {' and '.join(defects)}; {OPEN_REMEDY}")
        field = SolidField(prepared.vertices, prepared.triangles)
        tangled = field.crossings > 0 or field.winds_wrong()
        if tangled and field.inside_out > MOST_INSIDE_OUT:
            raise SceneError(
                f"{self._described()} is no solid, it has self-intersections ({field.crossings} pairs of triangles) "
                f"that turn {100 * field.inside_out:.0f} % of it inside out; untangle it, or choose voxel_remesh or "
                f"convex_hull {CHOOSE}"
            )
        return solid_mass(prepared, field)

    def _described(self):
        """The mesh by what it was given as: it has no name of its own."""
        return f"the mesh of {len(self.vertices)} vertices and {len(self.triangles)} triangles"

    def surface(self):
        """Vertices (V,3) [m] and triangles (T,3) as prepared: welded, outward oriented."""
        return self.prepared.vertices, self.prepared.triangles

    def identity(self):
        """Equal for shapes of the same form."""
        return self.type, *self.content

    def form(self):
        """The surface itself; the corners of a sheet that is one flat convex polygon."""
        vertices, triangles = self.surface()
        corners = None if self.prepared.report.closed else plate_corners(vertices, triangles)
        return form_of_points("mesh", vertices) if corners is None else form_of_points("plate", corners)


class _Memory:
    """Values made for keys, each once, with up to REMEMBERED triangles in all; what was not asked for longest goes."""

    def __init__(self):
        self.clear()

    def clear(self):
        """Forget all."""
        self._values, self._held = OrderedDict(), 0

    def get(self, key, make):
        """The value of a key, made if it is not there."""
        if key not in self._values:
            self._values[key] = made = make()
            self._held += _triangles_in(made)
            while self._held > REMEMBERED and len(self._values) > 1:
                self._held -= _triangles_in(self._values.popitem(last=False)[1])
        self._values.move_to_end(key)
        return self._values[key]


_memory = _Memory()


def _triangles_in(value):
    """How many triangles a value of the memory holds."""
    prepared = value if isinstance(value, PreparedMesh) else getattr(value, "prepared", None)
    return 0 if prepared is None else len(prepared.triangles)


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
