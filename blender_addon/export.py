"""Blender scene -> solver scene, in SI units. Says which object, what value and what to do when it cannot."""

import math
from dataclasses import dataclass, field

import bpy
import numpy as np

from ..solver.materials import Material, MaterialTable
from ..solver.refusal import SceneError
from ..solver.scene import Body, KeyedPoses, Motion, Scene
from . import transforms
from .layers import ignored_pairs, on_layers, wanted_layers
from .meshes import GeometryCache
from .sampling import FrameSamples, sample_frames
from .shape_choice import choose
from .transforms import significant

# Largest cosine between two axes of an object that still counts as perpendicular (single precision: 1e-6).
SHEAR_LIMIT = 1e-4


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
    links: tuple[Link, ...]
    frame_start: int
    frame_end: int
    fps: float
    unit: float
    samples: FrameSamples = field(repr=False)

    @property
    def frame_count(self):
        """Frames, the first included."""
        return self.frame_end - self.frame_start + 1

    @property
    def time(self):
        """Simulated time [s]."""
        return (self.frame_count - 1) / self.fps


def unit_length(scene):
    """Metres in a Blender unit."""
    settings = scene.unit_settings
    return 1.0 if settings.system == "NONE" else significant(settings.scale_length)


def frames_per_second(scene):
    """Frames per second of the scene, base included."""
    return scene.render.fps / significant(scene.render.fps_base)


def frame_range(scene):
    """First and last frame of the simulation; SceneError if there is nothing between them."""
    settings = scene.stiction
    if settings.use_scene_range:
        start, end = scene.frame_start, scene.frame_end
    else:
        start, end = settings.frame_start, settings.frame_end
    if end <= start:
        raise SceneError(f"scene {scene.name!r}: frame range {start} to {end} is empty; set End after Start")
    return start, end


def bodies_of(scene):
    """Objects of the scene that take part, in a fixed order (by name)."""
    return sorted((ob for ob in scene.objects if ob.stiction.type != "NONE"), key=lambda ob: ob.name)


def is_dynamic(ob):
    """True if the simulation moves the object."""
    return ob.stiction.type == "ACTIVE" and not ob.stiction.kinematic


def export_scene(scene, view_layer=None):
    """Return the Export of a Blender scene at its first frame.

    The frame is set to read the animation and put back. Raises SceneError for what cannot be simulated.
    """
    start, end = frame_range(scene)
    objects = bodies_of(scene)
    if not any(is_dynamic(ob) for ob in objects):
        raise SceneError(f"scene {scene.name!r}: no Active body; select mesh objects and press Add Active")
    view_layer = view_layer or bpy.context.view_layer
    if view_layer == bpy.context.view_layer:
        # Makes the dependency graph if nothing has asked for it yet.
        bpy.context.evaluated_depsgraph_get()
    current, subframe = scene.frame_current, scene.frame_subframe
    try:
        scene.frame_set(start)
        depsgraph = view_layer.depsgraph
        exporter = _Exporter(scene, depsgraph)
        bodies, links = zip(*(exporter.body(ob) for ob in objects), strict=True)
        samples = sample_frames(scene, depsgraph, objects, range(start, end + 1))
    finally:
        scene.frame_set(current, subframe=subframe)
    bodies = tuple(exporter.keyed(*pair, samples, start) for pair in zip(bodies, links, strict=True))
    table = MaterialTable(tuple(exporter.materials.values()), combine=scene.stiction.combine)
    gravity = significant(np.array(scene.gravity) * exporter.unit) if scene.use_gravity else np.zeros(3)
    exported = Scene(
        bodies, table, tuple(gravity.tolist()), excluded_pairs=ignored_pairs(objects), name=scene.name
    )
    return Export(exported, links, start, end, exporter.fps, exporter.unit, samples)


class _Exporter:
    """Bodies of one scene; shapes, meshes and materials that are equal are made once."""

    def __init__(self, scene, depsgraph):
        self.scene, self.depsgraph = scene, depsgraph
        self.unit = unit_length(scene)
        self.fps = frames_per_second(scene)
        self.materials = {}
        self._shapes = {}
        self._geometry = GeometryCache()

    def body(self, ob):
        """(Body, Link) of one object at the current frame."""
        who, settings = f"object {ob.name!r}", ob.stiction
        evaluated = self._evaluated(ob, who)
        matrix = world_matrix(evaluated, who)
        rotation, position = frame_of(evaluated, matrix, who)
        dynamic = is_dynamic(ob)
        if dynamic:
            refuse_fixed_transform(self.scene, ob, who)
        shape, center = self._shape(ob, evaluated, own_scale(evaluated, rotation, matrix), who, dynamic)
        orientation = significant(transforms.quaternion_of_matrix(rotation))
        orientation /= np.linalg.norm(orientation)
        place = significant((position + rotation @ center / self.unit) * self.unit)
        offset = transforms.affine_inverse(transforms.pose_matrix(place / self.unit, orientation)) @ matrix
        body = Body(
            name=ob.name,
            shape=shape,
            material=self._material(ob, who),
            motion=Motion.DYNAMIC if dynamic else Motion.KINEMATIC if settings.kinematic else Motion.STATIC,
            position=tuple(place.tolist()),
            orientation=tuple(orientation.tolist()),
            velocity=self._velocity(who, "velocity", settings.velocity, self.unit, dynamic),
            angular_velocity=self._velocity(who, "angular velocity", settings.angular_velocity, 1.0, dynamic),
            mass=self._mass(settings, who) if dynamic and settings.use_mass else None,
            layers=on_layers(settings.layers),
            collides_with=wanted_layers(settings.collides_with),
        )
        return body, Link(ob.name, ob.session_uid, dynamic, offset)

    def keyed(self, body, link, samples, start):
        """The body with its keyed poses if it is Animated."""
        if body.motion != Motion.KINEMATIC:
            return body
        matrices = samples.world[body.name] @ transforms.affine_inverse(link.offset)
        rotation, scale, shear = transforms.split_scale(matrices[:, :3, :3])
        worst = max(float(np.abs(scale - 1).max()), float(shear.max()))
        if worst > 1e-3:
            raise SceneError(
                f"object {body.name!r}: its scale changes by a factor {1 + worst:.3g} during the animation; "
                "remove the scale keys (an Animated body may move and turn)"
            )
        poses = KeyedPoses(
            times=(samples.frames - start) / self.fps,
            positions=significant(matrices[:, :3, 3] * self.unit),
            orientations=transforms.continuous(transforms.quaternion_of_matrix(rotation)),
        )
        return Body(**{**body.__dict__, "keys": poses})

    def _evaluated(self, ob, who):
        if ob.mode == "EDIT":
            ob.update_from_editmode()
        evaluated = ob.evaluated_get(self.depsgraph)
        if not evaluated.is_evaluated:
            raise SceneError(f"{who}: is disabled in the viewport or its collection is; enable it or remove the body")
        return evaluated

    def _shape(self, ob, evaluated, linear, who, solid):
        """Shape [m] and the place of its frame (3,) in the object's rotated frame [m]; `linear` is the scale."""
        if ob.stiction.shape == "COMPOUND":
            return self._compound(ob, evaluated, who, solid), np.zeros(3)
        return self._single(ob.stiction.shape, ob.stiction, evaluated, linear, who, solid)

    def _single(self, choice, settings, evaluated, linear, who, solid):
        geometry, digest = self._geometry.read(evaluated, who)
        scale = np.round(linear * self.unit, 6 - math.floor(math.log10(np.abs(linear).max() * self.unit)))
        amount = amount_of(settings, choice, self.unit)
        key = (digest, choice, amount, solid, scale.tobytes())
        if key not in self._shapes:
            self._shapes[key] = choose(choice, geometry.transformed(scale), who, solid, amount)
        return self._shapes[key]

    def _compound(self, ob, evaluated, who, solid):
        from ..solver.shapes import Compound, Part

        children = sorted((child for child in ob.children if child.type == "MESH"), key=lambda child: child.name)
        if not children:
            raise SceneError(f"{who}: Compound Parent with 0 mesh children; parent meshes to it or change the shape")
        outer = world_matrix(evaluated, who)
        rotation, position = frame_of(evaluated, outer, who)
        parts = []
        for child in children:
            inner = self._evaluated(child, f"object {child.name!r}")
            matrix = world_matrix(inner, f"object {child.name!r}")
            turn, place = frame_of(inner, matrix, f"object {child.name!r}")
            choice = "AUTO" if child.stiction.shape == "COMPOUND" else child.stiction.shape
            scale = own_scale(inner, turn, matrix)
            shape, center = self._single(choice, child.stiction, inner, scale, f"object {child.name!r}", solid)
            where = rotation.T @ ((place - position) * self.unit + turn @ center)
            spin = transforms.quaternion_of_matrix(rotation.T @ turn)
            parts.append(Part(shape, tuple(significant(where).tolist()), tuple(spin.tolist())))
        return Compound(tuple(parts))

    def _material(self, ob, who):
        """Name of the material of an object; equal settings share one."""
        settings = ob.stiction
        values = {
            "density": significant(settings.density),
            "friction": significant(settings.friction),
            "friction_t": significant(settings.friction_t) if settings.use_friction_t else None,
            "torsional_friction": significant(settings.torsional_friction * self.unit),
            "restitution": significant(settings.restitution),
            "tangential_restitution": significant(settings.tangential_restitution),
            "law": settings.law,
        }
        key = tuple(values.values())
        if key not in self.materials:
            material = Material(ob.name, **values)
            try:
                material.check()
            except SceneError as error:
                # The user sees objects, not the table of materials they share.
                raise SceneError(str(error).replace(f"material {ob.name!r}", who, 1)) from None
            self.materials[key] = material
        return self.materials[key].name

    def _mass(self, settings, who):
        mass = significant(settings.mass)
        if not math.isfinite(mass) or mass <= 0:
            raise SceneError(f"{who}: mass is {mass} kg; set a value above 0 or switch Set Mass off")
        return mass

    def _velocity(self, who, label, value, unit, dynamic):
        velocity = significant(np.array(value, dtype=float) * unit)
        if not usable(velocity):
            numbers = ", ".join(f"{x:g}" for x in velocity)
            raise SceneError(f"{who}: {label} is ({numbers}); every number must be finite")
        return tuple(velocity.tolist()) if dynamic else (0.0, 0.0, 0.0)


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


def world_matrix(evaluated, who):
    """World matrix (4,4) in double precision; SceneError unless it is finite and invertible."""
    matrix = np.array(evaluated.matrix_world, dtype=float)
    if not usable(matrix):
        raise SceneError(f"{who}: its location, rotation or scale is not finite (nan or inf); clear them (Alt+G, R, S)")
    scale = np.linalg.norm(matrix[:3, :3], axis=0)
    if scale.min() <= 1e-7 * scale.max() or abs(np.linalg.det(matrix[:3, :3] / scale)) < 1e-6:
        values = ", ".join(f"{x:g}" for x in scale)
        raise SceneError(f"{who}: its scale is ({values}), which leaves no volume; set every scale above 0")
    return matrix


def frame_of(evaluated, matrix, who):
    """Rotation (3,3) and origin (3,) of an object's own axes; SceneError for sheared axes."""
    linear = matrix[:3, :3]
    signs = np.sign(np.array(evaluated.scale) * np.array(evaluated.delta_scale))
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


def own_scale(evaluated, rotation, matrix):
    """Scale (3,3) in the object's own axes; exact where it can be, so that equal objects share their shape."""
    if evaluated.parent is None and not evaluated.constraints:
        return np.diag(np.array(evaluated.scale, dtype=float) * np.array(evaluated.delta_scale, dtype=float))
    return rotation.T @ matrix[:3, :3]


def refuse_fixed_transform(scene, ob, who):
    """SceneError for what would move the object in spite of its keyframes."""
    if ob.library is not None:
        raise SceneError(f"{who}: is linked from {ob.library.filepath}; make it local or a library override")
    for constraint in ob.constraints:
        if not constraint.mute and constraint.influence > 0:
            raise SceneError(f"{who}: has the constraint {constraint.name!r}; mute or remove it, or set it to Animated")
    world = scene.rigidbody_world
    if ob.rigid_body and ob.rigid_body.type == "ACTIVE" and not ob.rigid_body.kinematic and world and world.enabled:
        raise SceneError(f"{who}: is Active in Blender's own Rigid Body too; press Import Rigid Body or remove that")
    drivers = ob.animation_data.drivers if ob.animation_data else ()
    for driver in drivers:
        if driver.data_path.startswith(("location", "rotation")):
            raise SceneError(f"{who}: has a driver on {driver.data_path}; remove it, or set it to Animated")
