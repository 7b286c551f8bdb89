"""SceneReading -> solver scene in SI units, without bpy. Refusals say which object, what value and what to do."""

import math
from dataclasses import dataclass, replace

import numpy as np

from ...solver.base.refusal import SceneError
from ...solver.materials import Material, MaterialTable
from ...solver.scene import Body, KeyedPoints, KeyedPoses, Motion, Scene
from ..base import transforms
from ..base.geometry import SINGLE, Geometry
from ..base.transforms import significant
from ..deformable.made import elastic_of, refuse_deformable
from ..flow.made import solver_flow
from ..joints.assembly import solver_joints
from ..materials.pairs import solver_pairs
from ..settings.motion import switch_frames
from .layers import on_layers, wanted_layers
from .reading import SceneReading
from .shape_choice import THICKENED, WAYS, bending_sheet, choose, wire_moves
from .wires import refuse_wire

# Largest cosine between two axes of an object that still counts as perpendicular (single precision: 1e-6).
SHEAR_LIMIT = 1e-4
# Change of an Animated body's scale over its animation that single precision and a parent's product leave.
SCALE_LIMIT = 1e-3
# Part of an object's size that single-precision numbers may jump by.
COARSE = 0.01
# What makes a material.
MATERIAL_FIELDS = (
    "material", "density", "friction", "friction_t", "use_friction_t", "torsional_friction", "restitution",
    "tangential_restitution", "law",
)  # fmt: skip
# Blender turns an infinite property into its largest number, 3.4e38.
INFINITE = 1e30


@dataclass(frozen=True)
class Link:
    """What ties a body to its object: object matrix = body pose @ offset, lengths in Blender units."""

    name: str
    session_uid: int
    active: bool
    offset: np.ndarray


@dataclass(frozen=True)
class Export:
    """A solver scene and what the bake needs to find its way back."""

    scene: Scene
    links: tuple
    reading: SceneReading

    @property
    def frame_start(self):
        """First frame."""
        return self.reading.frame_start

    @property
    def frame_count(self):
        """Frames, the first included."""
        return self.reading.frame_count

    @property
    def fps(self):
        """Frames per second."""
        return self.reading.fps

    @property
    def unit(self):
        """Metres in a Blender unit."""
        return self.reading.unit

    @property
    def samples(self):
        """FrameSamples of the reading."""
        return self.reading.samples


def assemble(reading):
    """The Export of a reading; SceneError for what cannot be simulated."""
    maker = Maker(reading.unit, reading.meshes, reading.fps)
    bodies, links = zip(*(maker.body(one) for one in reading.bodies), strict=True) if reading.bodies else ((), ())
    flow = solver_flow(reading, maker)
    bodies = tuple(_keyed(*pair, reading) for pair in zip(bodies, links, strict=True))
    pairs = solver_pairs(reading.pairs, maker.names_of_label)
    table = MaterialTable(tuple(maker.materials.values()), pairs, reading.combine)
    gravity = significant(np.array(reading.gravity) * reading.unit)
    scene = Scene(
        bodies, table, tuple(gravity.tolist()), excluded_pairs=reading.excluded_pairs, name=reading.name,
        joints=solver_joints(reading.joints, reading.unit),
        settings=reading.settings, **flow,
    )  # fmt: skip
    return Export(scene, links, reading)


def _keyed(body, link, reading):
    """The body with its poses at every frame if it is Animated; a deformable one with the paths of its pins."""
    if body.elastic is not None and body.name in reading.samples.pins:
        return replace(body, elastic=_driven(body, reading))
    if body.motion != Motion.KINEMATIC:
        return _switched(body, reading) if body.motion == Motion.DYNAMIC and body.elastic is None else body
    samples = reading.samples
    matrices = samples.world[body.name] @ transforms.affine_inverse(link.offset)
    rotation, scale, shear = transforms.split_scale(matrices[:, :3, :3])
    worst = max(float(np.abs(scale - 1).max()), float(shear.max()))
    if worst > SCALE_LIMIT:
        raise SceneError(
            f"object {body.name!r}: its scale changes by a factor {1 + worst:.3g} during the animation; "
            "remove the scale keys (an Animated body may move and turn)"
        )
    poses = KeyedPoses(
        times=(samples.frames - reading.frame_start) / reading.fps,
        positions=significant(matrices[:, :3, 3] * reading.unit),
        orientations=transforms.continuous(transforms.quaternion_of_matrix(rotation)),
    )
    return _switched(replace(body, keys=poses), reading) if link.active else replace(body, keys=poses)


def _switched(body, reading):
    """An Active body with the times at which it is let go, held again, and so on."""
    settings = reading.by_name[body.name].settings
    frames = switch_frames(settings)
    if frames is None:
        raise SceneError(
            f"object {body.name!r}: is let go at frame {settings.release_frame} and Held Again at "
            f"{settings.held_again!r}; give rising frames after that one, such as 40, 80"
        )
    times = [(frame - reading.frame_start) / reading.fps for frame in frames]
    switches = tuple(time for time in times if time > 0)
    if not times or (len(times) - len(switches)) % 2:
        return replace(body, motion=Motion.DYNAMIC, switches=switches, keys=body.keys if switches else None)
    none = (0.0, 0.0, 0.0)
    if body.keys is None:
        body = replace(body, motion=Motion.STATIC, velocity=none, angular_velocity=none, asleep=False)
    return replace(body, switches=switches)


def _driven(body, reading):
    """The Elastic of a body whose pins and goals follow what was sampled frame by frame."""
    times = (reading.samples.frames - reading.frame_start) / reading.fps
    points, elastic = significant(reading.samples.pins[body.name] * reading.unit), body.elastic
    if points.shape[1]:
        pins = tuple(map(tuple, points[0].tolist()))
        elastic = replace(elastic, pin_points=pins, pin_keys=KeyedPoints(times, points))
    if elastic.goals:
        points = significant(reading.samples.goals[body.name] * reading.unit)
        rates = np.array(elastic.goals)[:, 3:]
        rows = tuple(map(tuple, np.column_stack([points[0], rates]).tolist()))
        elastic = replace(elastic, goals=rows, goal_keys=KeyedPoints(times, points))
    return elastic


class Maker:
    """Makes the bodies of one scene; shapes and materials that are equal are made once. unit: metres in a Blender unit;
    meshes: key -> (vertices (V,3), triangles (T,3)), which may grow; fps: frames a second."""

    def __init__(self, unit, meshes, fps=24.0):
        self.unit, self.meshes, self.fps = unit, meshes, fps
        self.materials = {}
        self.names_of_label = {}
        # By the settings as they are: rounding them takes longer than all the rest.
        self._material_names = {}
        self._shapes = {}

    def body(self, one):
        """(Body, Link) of one object; an Animated one without its keyed poses."""
        who, settings, dynamic = one.who, one.settings, one.dynamic
        self._refuse_wires(one)
        if one.deformable:
            refuse_deformable(one)
        matrix = checked_matrix(one.matrix, who)
        rotation, position = axes_of(matrix, one.signs, who)
        self._refuse_far(one, matrix)
        shape, center = self._shape(one, own_scale(one.scale, rotation, matrix), dynamic)
        orientation = significant(transforms.quaternion_of_matrix(rotation))
        orientation /= np.linalg.norm(orientation)
        place = significant((position + rotation @ center / self.unit) * self.unit)
        offset = transforms.rigid_inverse(place / self.unit, orientation) @ matrix
        animated = settings.kinematic and not one.follows
        motion = Motion.KINEMATIC if animated else Motion.DYNAMIC if dynamic else Motion.STATIC
        moving = motion == Motion.DYNAMIC and not settings.kinematic
        body = Body(
            name=one.name,
            shape=shape,
            material=self._material(one),
            motion=motion,
            position=tuple(place.tolist()),
            orientation=tuple(orientation.tolist()),
            velocity=self._velocity(who, "velocity", settings.velocity, self.unit, moving),
            angular_velocity=self._velocity(who, "angular velocity", settings.angular_velocity, 1.0, moving),
            mass=self._mass(settings, who) if dynamic and settings.use_mass else None,
            layers=on_layers(settings.layers),
            collides_with=wanted_layers(settings.collides_with),
            damping=_damping(one),
            asleep=moving and settings.asleep,
        )
        elastic = elastic_of(one, matrix, self.unit, self.fps)
        if dynamic and settings.use_mass and settings.use_inertia:
            body = replace(body, **self._inertia(settings, center))
        return replace(body, elastic=elastic), Link(one.name, one.session_uid, dynamic, offset)

    def shape(self, one):
        """Shape [m] of one object, a small part of the work that its Body is."""
        matrix = checked_matrix(one.matrix, one.who)
        rotation, _ = axes_of(matrix, one.signs, one.who)
        return self._shape(one, own_scale(one.scale, rotation, matrix), one.dynamic)[0]

    def _refuse_wires(self, one):
        """SceneError for a mesh without faces of what moves freely and has neither edges nor a hull, bends, or is a
        part of a compound."""
        for whole in (one,) if one.dynamic and one.mesh else one.children:
            vertices, triangles = self.meshes[whole.mesh]
            if triangles.shape[1] != 2:
                continue
            if whole is not one or one.deformable or not wire_moves(one.settings.shape, Geometry(vertices, triangles)):
                refuse_wire(whole.who, len(vertices))

    def _refuse_far(self, one, matrix):
        """SceneError for an object so far away that Blender's numbers are coarser than it is."""
        if not one.mesh:
            return
        size = float((np.ptp(self.meshes[one.mesh][0], axis=0) * np.linalg.norm(matrix[:3, :3], axis=0)).max())
        away = float(np.abs(matrix[:3, 3]).max())
        if away * SINGLE > COARSE * size:
            raise SceneError(
                f"{one.who}: is {away:.3g} units from the origin, where Blender's numbers are {away * SINGLE:.2g} "
                f"apart, and {size:.3g} large; move the scene to the origin"
            )

    def _shape(self, one, linear, solid):
        """Shape [m] and the place of its frame (3,) in the object's rotated frame [m]; `linear` is the scale."""
        if one.deformable:
            # What is filled: the mesh, or what a repair makes of it.
            if one.settings.shape == THICKENED:
                return self._sheet(one, linear)
            return self._single(one.settings.shape if one.settings.shape in WAYS else "MESH", one, linear, solid=False)
        if one.settings.shape == "COMPOUND":
            return self._compound(one, solid), np.zeros(3)
        return self._single(one.settings.shape, one, linear, solid)

    def _single(self, choice, one, linear, solid):
        scale = np.round(linear * self.unit, 6 - math.floor(math.log10(np.abs(linear).max() * self.unit)))
        wire = self.meshes[one.mesh][1].shape[1] == 2
        amount = amount_of(one.settings, "SOLIDIFY" if wire else choice, self.unit)
        key = (one.mesh, choice, amount, solid, scale.tobytes())
        if key not in self._shapes:
            vertices, triangles = self.meshes[one.mesh]
            geometry = Geometry(vertices.astype(float), triangles.astype(np.int64))
            self._shapes[key] = choose(choice, geometry.transformed(scale), one.who, solid, amount)
        return self._shapes[key]

    def _sheet(self, one, linear):
        vertices, triangles = self.meshes[one.mesh]
        geometry = Geometry(vertices.astype(float), triangles.astype(np.int64)).transformed(linear * self.unit)
        return bending_sheet(geometry, one.who, amount_of(one.settings, THICKENED, self.unit))

    def _compound(self, one, solid):
        from ...solver.shapes import Compound, Part

        if not one.children:
            raise SceneError(f"{one.who}: Compound Parent of 0 meshes; parent meshes to it or change the shape")
        rotation, position = axes_of(checked_matrix(one.matrix, one.who), one.signs, one.who)
        parts = []
        for child in one.children:
            matrix = checked_matrix(child.matrix, child.who)
            turn, place = axes_of(matrix, child.signs, child.who)
            choice = "AUTO" if child.settings.shape == "COMPOUND" else child.settings.shape
            shape, center = self._single(choice, child, own_scale(child.scale, turn, matrix), solid)
            where = rotation.T @ ((place - position) * self.unit + turn @ center)
            spin = transforms.quaternion_of_matrix(rotation.T @ turn)
            parts.append(Part(shape, tuple(significant(where).tolist()), tuple(spin.tolist())))
        return Compound(tuple(parts))

    def _material(self, one):
        """Name of the material of an object; equal settings share one."""
        settings = one.settings
        given = tuple(getattr(settings, name) for name in MATERIAL_FIELDS)
        if given not in self._material_names:
            self._material_names[given] = self._new_material(one)
        return self._material_names[given]

    def _new_material(self, one):
        settings = one.settings
        values = {
            "density": significant(settings.density),
            "friction": significant(settings.friction),
            "friction_t": significant(settings.friction_t) if settings.use_friction_t else None,
            "torsional_friction": significant(settings.torsional_friction * self.unit),
            "restitution": significant(settings.restitution),
            "tangential_restitution": significant(settings.tangential_restitution),
            "law": settings.law,
        }
        key = (settings.material, *values.values())
        if key not in self.materials:
            material = Material(one.name, **values)
            try:
                material.check()
            except SceneError as error:
                # The user sees objects, not the table of materials they share.
                raise SceneError(str(error).replace(f"material {one.name!r}", one.who, 1)) from None
            self.materials[key] = material
            if settings.material:
                self.names_of_label.setdefault(settings.material, []).append(material.name)
        return self.materials[key].name

    def _mass(self, settings, who):
        mass = significant(settings.mass)
        if not math.isfinite(mass) or mass <= 0:
            raise SceneError(f"{who}: mass is {mass} kg; set a value above 0 or switch Set Mass off")
        return mass

    def _inertia(self, settings, center):
        """Inertia and centre of mass that were given, in the frame of the shape, which is at `center` (3,) [m]."""
        xx, yy, zz, xy, xz, yz = significant(np.array(settings.inertia, dtype=float))
        place = significant(np.array(settings.center, dtype=float) * self.unit) - center
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return {"inertia": inertia, "center_of_mass": tuple(place.tolist())}

    def _velocity(self, who, label, value, unit, dynamic):
        if not any(value):
            return 0.0, 0.0, 0.0
        velocity = significant(np.array(value, dtype=float) * unit)
        if not usable(velocity):
            numbers = ", ".join(f"{x:g}" for x in velocity)
            raise SceneError(f"{who}: {label} is ({numbers}); every number must be finite")
        return tuple(velocity.tolist()) if dynamic else (0.0, 0.0, 0.0)


def _damping(one):
    """Decay rates (2,) [1/s] of a BodyReading's own, None for those of the run; a deformable body has others."""
    settings = one.settings
    own = one.dynamic and settings.use_damping and not one.deformable
    return (settings.linear_damping, settings.angular_damping) if own else None


def amount_of(settings, choice, unit):
    """The number that a shape choice takes, lengths in metres; None for its own."""
    if choice == "VOXEL_REMESH":
        return significant(settings.voxel_size * unit) or None
    if choice == "SOLIDIFY":
        return significant(settings.thickness * unit)
    return settings.triangle_count if choice == "PROXY" else None


def usable(values):
    """True if all numbers are finite, for Blender too."""
    return bool((np.abs(values) < INFINITE).all())


def checked_matrix(matrix, who):
    """A world matrix (4,4); SceneError unless it is finite and invertible."""
    if not usable(matrix):
        raise SceneError(f"{who}: its location, rotation or scale is not finite (nan or inf); clear them (Alt+G, R, S)")
    scale = np.linalg.norm(matrix[:3, :3], axis=0)
    if scale.min() <= 1e-7 * scale.max() or abs(np.linalg.det(matrix[:3, :3] / scale)) < 1e-6:
        values = ", ".join(f"{x:g}" for x in scale)
        raise SceneError(f"{who}: its scale is ({values}), which leaves no volume; set every scale above 0")
    return matrix


def axes_of(matrix, signs, who):
    """Rotation (3,3) and origin (3,) of an object's own axes, `signs` (3,) of its scale; SceneError if sheared."""
    linear = matrix[:3, :3]
    if np.prod(signs) * np.linalg.det(linear) < 0:
        signs = -signs
    rotation, _, shear = transforms.split_scale(linear, signs)
    if shear > SHEAR_LIMIT:
        angle = math.degrees(math.asin(min(1.0, float(shear))))
        raise SceneError(
            f"{who}: its parents' scale shears it, axes {angle:.2g} degrees off square; "
            "apply the parents' scale (Ctrl+A), or clear the parent and apply the object's own"
        )
    return rotation, matrix[:3, 3]


def own_scale(scale, rotation, matrix):
    """Scale (3,3) in the object's own axes; `scale` (3,) where it is known exactly, so that equal objects share their
    shape; None otherwise."""
    return np.diag(scale) if scale is not None else rotation.T @ matrix[:3, :3]
