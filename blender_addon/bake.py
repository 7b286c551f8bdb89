"""Trajectory -> keyframes, and back: Clear restores what the bake replaced."""

from contextlib import contextmanager

import bpy
import numpy as np
from mathutils import Quaternion

from . import transforms
from .curves import LAYERED, ActionWriter, curves_of

ROTATION_PATHS = ("rotation_quaternion", "rotation_euler", "rotation_axis_angle")
# What the keyframes replace; other curves of the user's action are taken along.
WRITTEN_PATHS = ("location", *ROTATION_PATHS)
# Shear that a rotation under a non-uniformly scaled parent may leave before the user is told.
SHEAR_WARNING = 1e-3


def find_object(link, scene):
    """The object of a link, by its session number, else by name; None if the user removed it."""
    by_name = scene.objects.get(link.name)
    if by_name is not None and by_name.session_uid == link.session_uid:
        return by_name
    by_number = (ob for ob in scene.objects if ob.session_uid == link.session_uid)
    return next(by_number, by_name)


def bake(scene, export, trajectory, name="Stiction Bake"):
    """Key every Active body's object with a trajectory. An earlier bake is cleared first.

    Returns sentences to show: objects that are gone, motion that their parents' scale cannot express.
    """
    clear(scene)
    frames = export.frame_start + trajectory.times * export.fps
    # Times are sums of steps: what is a whole frame up to rounding shall be one.
    frames = np.where(np.abs(frames - np.round(frames)) < 1e-6, np.round(frames), frames)
    motions = {link.name: Motion(link, trajectory, export.unit) for link in export.links if link.active}
    writer, warnings = ActionWriter(name), []
    for link in (link for link in export.links if link.active):
        ob = find_object(link, scene)
        if ob is None:
            warnings.append(f"object {link.name!r} is gone; its motion was left out")
            continue
        before = parent_matrices(ob, export, motions, frames)
        location, quaternion, shear = own_transform(ob, motions[link.name], before)
        if shear > SHEAR_WARNING:
            warnings.append(
                f"object {ob.name!r}: its parent's non-uniform scale would shear it by {shear:.2g}, which keyframes "
                "cannot show; clear the parent (Alt+P, Keep Transformation) and bake again"
            )
        remember(ob)
        others = [curve for curve in curves_of(ob.animation_data) if curve.data_path not in WRITTEN_PATHS]
        writer.write(ob, frames, {"location": location, **rotation_channel(ob, quaternion)}, others)
        _full_influence(ob.animation_data)
    return warnings


class Motion:
    """Where a trajectory takes one object, in Blender units."""

    def __init__(self, link, trajectory, unit):
        i = trajectory.names.index(link.name)
        self.offset = link.offset
        self.position, self.orientation = trajectory.positions[:, i] / unit, trajectory.orientations[:, i]

    def matrices(self):
        """World matrices of the object (F,4,4)."""
        return transforms.pose_matrix(self.position, self.orientation) @ self.offset

    def origin(self):
        """World places of the object's origin (F,3)."""
        return self.position + transforms.matrix_of_quaternion(self.orientation) @ self.offset[:3, 3]


def parent_matrices(ob, export, motions, frames):
    """(F,4,4) of what stands before the object's own transform at the trajectory's frames; None without a parent."""
    sampled = export.samples.parent.get(ob.name)
    if sampled is None:
        return None
    at = np.clip(np.round(frames - export.frame_start).astype(int), 0, len(sampled) - 1)
    before, ancestor = sampled[at], ob.parent
    while ancestor is not None and ancestor.name not in motions:
        ancestor = ancestor.parent
    if ancestor is not None:
        # The parent is a body itself: what was sampled hangs on its pose before the simulation.
        unmoved = export.samples.world[ancestor.name][at]
        before = motions[ancestor.name].matrices() @ transforms.affine_inverse(unmoved) @ before
    return before


def own_transform(ob, motion, before):
    """Location (F,3), quaternion (F,4) without deltas, and the shear that no rotation can express."""
    signs = np.sign(np.array(ob.scale) * np.array(ob.delta_scale))
    if before is None:
        rotation, _, shear = transforms.split_scale(motion.offset[:3, :3], signs)
        quaternion = transforms.multiply(motion.orientation, transforms.quaternion_of_matrix(rotation))
        place = motion.origin()
    else:
        basis = transforms.affine_inverse(before) @ motion.matrices()
        rotation, _, shear = transforms.split_scale(basis[:, :3, :3], signs)
        quaternion, place = transforms.quaternion_of_matrix(rotation), basis[:, :3, 3]
    quaternion = transforms.multiply(transforms.conjugate(_delta_rotation(ob)), quaternion)
    return place - np.array(ob.delta_location), transforms.continuous(quaternion), float(np.max(shear))


def _delta_rotation(ob):
    """Quaternion of the delta rotation; with axis and angle Blender has none that can be set."""
    if ob.rotation_mode == "QUATERNION":
        return np.array(ob.delta_rotation_quaternion)
    if ob.rotation_mode == "AXIS_ANGLE":
        return np.array([1.0, 0.0, 0.0, 0.0])
    return np.array(ob.delta_rotation_euler.to_quaternion())


def rotation_channel(ob, quaternion):
    """{data path: values} for the object's rotation mode; Euler angles stay close to their neighbours."""
    if ob.rotation_mode == "QUATERNION":
        return {"rotation_quaternion": quaternion}
    if ob.rotation_mode == "AXIS_ANGLE":
        return {"rotation_axis_angle": transforms.axis_angle(quaternion)}
    angles = np.empty((len(quaternion), 3))
    euler = ob.rotation_euler.copy()
    for row, q in enumerate(quaternion):
        euler = Quaternion(q).to_euler(ob.rotation_mode, euler)
        angles[row] = euler
    return {"rotation_euler": angles}


def remember(ob):
    """Write down what the bake is about to replace."""
    record, data = ob.stiction.record, ob.animation_data
    record.baked = True
    record.had_animation_data = data is not None
    record.location, record.rotation_mode = ob.location, ob.rotation_mode
    record.rotation = _rotation_values(ob)
    record.action, record.slot = None, ""
    if data is not None:
        record.action = data.action
        if LAYERED and data.action_slot is not None:
            record.slot = data.action_slot.identifier
        record.blend_type, record.extrapolation = data.action_blend_type, data.action_extrapolation
        record.influence = data.action_influence


def _rotation_values(ob):
    if ob.rotation_mode == "QUATERNION":
        return ob.rotation_quaternion
    if ob.rotation_mode == "AXIS_ANGLE":
        return ob.rotation_axis_angle
    return (*ob.rotation_euler, 0.0)


def _full_influence(data):
    data.action_blend_type, data.action_extrapolation, data.action_influence = "REPLACE", "HOLD", 1.0


def _assign(data, action, slot):
    """Assign an action and, where there are slots, the one with this identifier."""
    data.action = action
    if LAYERED and action is not None:
        data.action_slot = action.slots.get(slot) if slot else None


def restore(ob):
    """Put back the object's own action and pose; returns the baked action."""
    record, data = ob.stiction.record, ob.animation_data
    baked = data.action if data is not None else None
    if data is not None:
        _assign(data, record.action, record.slot)
        if record.had_animation_data:
            data.action_blend_type, data.action_extrapolation = record.blend_type, record.extrapolation
            data.action_influence = record.influence
        elif not data.nla_tracks and not data.drivers:
            ob.animation_data_clear()
    ob.location = record.location
    if record.rotation_mode == ob.rotation_mode:
        _set_rotation(ob, record.rotation)
    return baked


def _set_rotation(ob, values):
    if ob.rotation_mode == "QUATERNION":
        ob.rotation_quaternion = values
    elif ob.rotation_mode == "AXIS_ANGLE":
        ob.rotation_axis_angle = values
    else:
        ob.rotation_euler = values[:3]


def baked_objects(scene):
    """Objects of the scene that carry a bake."""
    return [ob for ob in scene.objects if ob.stiction.record.baked]


def clear(scene):
    """Remove the bake from all objects of a scene: their own actions and poses come back. Returns their number."""
    objects = baked_objects(scene)
    spent = set()
    for ob in objects:
        spent.add(restore(ob))
        ob.stiction.record.baked = False
        ob.stiction.record.action = None
    for action in spent - {None}:
        if action.users == 0:
            bpy.data.actions.remove(action)
    scene.stiction.signature = scene.stiction.summary = scene.stiction.verdict = ""
    return len(objects)


@contextmanager
def lifted(scene):
    """The scene as it is without its bake; the bake is back afterwards."""
    baked = []
    for ob in baked_objects(scene):
        data = ob.animation_data
        slot = data.action_slot.identifier if data and LAYERED and data.action_slot else ""
        pose = (ob.location.copy(), tuple(_rotation_values(ob)))
        baked.append((ob, data.action if data else None, slot, pose))
        restore(ob)
    try:
        yield
    finally:
        for ob, action, slot, (location, rotation) in baked:
            if action is not None:
                _assign(ob.animation_data_create(), action, slot)
                _full_influence(ob.animation_data)
            ob.location = location
            _set_rotation(ob, rotation)
