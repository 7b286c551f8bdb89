"""The bodies of a scene as the solver would get them, read one by one so that the window need not wait."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from mathutils.bvhtree import BVHTree

from ...solver.base.refusal import SceneError
from ..base.geometry import bounds_of
from ..base.steps import Ahead
from ..base.transforms import matrix_of_quaternion
from ..exporting.assembly import axes_of, checked_matrix
from ..exporting.export import Exporter, bodies_of, unit_length
from ..exporting.layers import ignored_pairs
from ..exporting.reader import gravity_of, own_scale_of, parts_of
from ..joints.apart import NOBODY, beside, joined_apart
from ..settings.motion import is_dynamic
from .overlaps.convex import axes_of_surface

# Surfaces with more triangles are not searched for crossings, nor welded for a check: the window would stand still.
MOST_TRIANGLES = 50_000
# Larger meshes are not asked whether they are convex: products of a vertex and a face.
MOST_PRODUCTS = 4_000_000
# Part of its size by which a convex mesh may be bent inward.
ROUGH = 1e-5
CONVEX = ("box", "sphere", "capsule", "cylinder", "convex_hull")


class ShapeFacts:
    """What is worth knowing of a shape, found once for all bodies that share it."""

    def __init__(self, shape):
        self.shape = shape

    @cached_property
    def surface(self):
        """Vertices (V,3) [m] and triangles (T,3) of what collides, in the shape's frame. A repair is not taken: it
        is compiled code, and belongs to the worker. A large one is as the object has it."""
        if self.large:
            return _used(np.asarray(self.shape.vertices, dtype=float), np.asarray(self.shape.triangles))
        mesh = getattr(self.shape, "given", None)
        return (mesh.vertices, mesh.triangles) if mesh is not None else self.shape.surface()

    @property
    def large(self):
        """True for a mesh whose triangles are not looked at one by one."""
        return self.shape.type == "mesh" and len(self.shape.triangles) > MOST_TRIANGLES

    @cached_property
    def extents(self):
        """Lengths (3,) [m] of the surface along its principal axes, largest first."""
        points = self.surface[0] - self.surface[0].mean(axis=0)
        _, axes = np.linalg.eigh(points.T @ points)
        return np.sort(np.ptp(points @ axes, axis=0))[::-1]

    @property
    def thickness(self):
        """Smallest length [m]: what a sheet is made thick, else the least extent."""
        repair = getattr(self.shape, "repair", None)
        if repair is not None and repair.kind == "solidify":
            return float(repair.amount)
        return float(self.extents[-1])

    @cached_property
    def open(self):
        """True for a surface that is touched from both sides: it has a rim, or is the skin of what is hollow."""
        return any(_is_open(shape) for shape in self._parts)

    @property
    def _parts(self):
        """The shapes that the shape is made of."""
        return [part.shape for part in self.shape.parts] if self.shape.type == "compound" else [self.shape]

    @cached_property
    def convex(self):
        """True if the surface is that of a convex body, as far as single precision tells."""
        if len(self._parts) == 1 and self._parts[0].type in CONVEX:
            return True
        vertices, triangles = self.surface
        report = getattr(getattr(self.shape, "given", None), "report", None)
        if report is None or self.open or not report.closed or len(vertices) * len(triangles) > MOST_PRODUCTS:
            return False
        corners = vertices[triangles]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        length = np.linalg.norm(normals, axis=1)
        told = length > 0
        normals, places = normals[told] / length[told, None], corners[told, 0]
        beyond = vertices @ normals.T - np.einsum("ij,ij->i", places, normals)
        return bool(beyond.max() <= ROUGH * report.size)

    @cached_property
    def axes(self):
        """Directions of the faces and of the edges, see overlaps/convex.py, in the shape's frame."""
        return axes_of_surface(*self.surface)

    @cached_property
    def solid(self):
        """MassProperties at density 1; None where there are none, or a repair has still to make the solid."""
        if getattr(self.shape, "repair", None) is not None:
            return None
        try:
            return self.shape.mass_properties()
        except SceneError:
            return None


def _used(vertices, triangles):
    """(vertices, triangles) without the vertices of no triangle."""
    used = np.zeros(len(vertices), dtype=bool)
    used[triangles] = True
    return vertices[used], (np.cumsum(used) - 1)[triangles]


def _is_open(shape):
    mesh = getattr(shape, "given", None)
    if mesh is None:
        return False
    return not mesh.report.closed if shape.repair is None else shape.repair.kind == "solidify"


@dataclass
class Subject:
    """One body: `body` is the solver's, None where the export refused it, with the sentence in `refusal`;
    parts: Subjects of the parts of a compound that was refused; apart: names of those it never touches; instances: its
    geometry nodes make some, which are no part of its mesh."""

    name: str
    dynamic: bool
    body: object = None
    link: object = None
    facts: ShapeFacts = None
    refusal: str = ""
    geometry: object = None
    shear: float = 0.0
    parts: tuple = ()
    apart: frozenset = NOBODY
    instances: bool = False

    @property
    def surface(self):
        """Surface of the shape, as ShapeFacts has it."""
        return self.facts.surface

    @cached_property
    def turn(self):
        """Rotation matrix (3,3) from the shape's frame to the world."""
        return matrix_of_quaternion(np.array(self.body.orientation))

    @cached_property
    def axes(self):
        """Directions of faces and edges, as ShapeFacts has them, in the world."""
        return tuple(axes @ self.turn.T for axes in self.facts.axes)

    @cached_property
    def world(self):
        """Vertices (V,3) [m] of what collides, in the world."""
        return self.surface[0] @ self.turn.T + np.array(self.body.position)

    @cached_property
    def bounds(self):
        """Low and high corner (2,3) [m] in the world."""
        return bounds_of(self.world)

    @cached_property
    def tree(self):
        """BVHTree of what collides, in the world [m]."""
        return BVHTree.FromPolygons(self.world.tolist(), self.surface[1].tolist(), epsilon=0.0)

    @property
    def extents(self):
        """Extents of the shape, as ShapeFacts has them."""
        return self.facts.extents

    @property
    def thickness(self):
        """Smallest length [m] of the shape, as ShapeFacts has it."""
        return self.facts.thickness

    @property
    def solid(self):
        """MassProperties at density 1 of a body that has a mass; None otherwise."""
        return self.facts.solid if self.dynamic and self.facts is not None else None

    @property
    def mass(self):
        """Mass [kg]; None where it is not known yet."""
        if self.solid is None:
            return None
        return self.body.mass if self.body.mass is not None else self.density * self.solid.volume

    density: float = 0.0


@dataclass
class Scan:
    """All bodies of a scene: subjects by name. at_start: the poses are those of the first frame."""

    scene: object
    unit: float
    gravity: float
    step: float
    at_start: bool
    subjects: dict = field(default_factory=dict)

    def accepted(self):
        """Subjects that the export took."""
        return [subject for subject in self.subjects.values() if subject.body is not None]

    def large(self):
        """Names of accepted bodies whose surfaces are not looked at."""
        return [subject.name for subject in self.accepted() if subject.facts.large]

    def objects(self):
        """(Blender object, subject) of every body that is still there."""
        found = ((self.scene.objects.get(name), subject) for name, subject in self.subjects.items())
        return [(ob, subject) for ob, subject in found if ob is not None]

    def with_parts(self):
        """(Blender object, subject) of every body, and of the parts of compounds that were refused."""
        parts = [(self.scene.objects.get(one.name), one) for _, subject in self.objects() for one in subject.parts]
        return self.objects() + [(ob, one) for ob, one in parts if ob is not None]


def scanning(scene, graph, at_start):
    """Yield after every body, and before a large one what it is; returns the Scan."""
    unit = unit_length(scene)
    exporter = Exporter(scene, graph)
    gravity = float(np.linalg.norm(gravity_of(scene))) * unit
    step = 1.0 / (exporter.fps * scene.stiction.steps_per_frame)
    scan = Scan(scene, unit, gravity, step, at_start)
    known = {}
    for name in [ob.name for ob in bodies_of(scene)]:
        ob = scene.objects.get(name)
        if ob is None:
            continue
        if is_large(ob, graph):
            yield Ahead(f"and the large mesh of {name}")
        subject = scan.subjects[name] = _subject_of(ob, exporter, graph)
        if subject.body is not None:
            # Shapes are kept alive by their facts, so that no other can have the number.
            subject.facts = known.setdefault(id(subject.body.shape), ShapeFacts(subject.body.shape))
        yield None
    bodies = [scene.objects[name] for name in scan.subjects if name in scene.objects]
    making = _instancing(bodies, graph)
    never = beside(joined_apart(scene, bodies) | set(ignored_pairs(bodies)))
    for name, subject in scan.subjects.items():
        subject.apart = never.get(name, NOBODY)
        subject.instances = name in making
    return scan


def is_large(ob, graph):
    """True if to look at the mesh of an object holds the window up."""
    return ob.type == "MESH" and len(ob.evaluated_get(graph.now()).data.polygons) > MOST_TRIANGLES


def _instancing(bodies, graph):
    """Names of those bodies whose geometry nodes make instances that are not realized."""
    nodes = {ob.name for ob in bodies if any(one.type == "NODES" and one.show_viewport for one in ob.modifiers)}
    if not nodes:
        return nodes
    made = (one.parent.name for one in graph.now().object_instances
            if one.is_instance and one.parent is not None and one.particle_system is None)  # fmt: skip
    return nodes.intersection(made)


def _subject_of(ob, exporter, graph):
    subject = Subject(ob.name, is_dynamic(ob.stiction), density=float(ob.stiction.density))
    try:
        subject.body, subject.link = exporter.body(ob)
    except SceneError as error:
        subject.refusal = str(error)
    if subject.refusal and ob.stiction.shape == "COMPOUND":
        parts = [(part, Subject(part.name, subject.dynamic, refusal=subject.refusal)) for part in parts_of(ob)]
        subject.parts = tuple(_read(part, one, exporter, graph) for part, one in parts)
    return _read(ob, subject, exporter, graph)


def _read(ob, subject, exporter, graph):
    """The Subject of an object with its mesh and shear."""
    evaluated = ob.evaluated_get(graph.now())
    if evaluated.is_evaluated and evaluated.type == "MESH":
        subject.shear = _shear(evaluated) if subject.refusal else 0.0
        try:
            geometry = exporter.geometry(evaluated, ob.name)
            subject.geometry = None if geometry.is_wire else geometry
        except SceneError:
            subject.geometry = None
    return subject


def _shear(evaluated):
    """1 if the export would refuse the object for its shear, else 0."""
    try:
        axes_of(checked_matrix(np.array(evaluated.matrix_world, dtype=float), ""), own_scale_of(evaluated)[0], "")
    except SceneError as error:
        return float("shear" in str(error))
    return 0.0
