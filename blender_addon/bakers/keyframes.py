"""Keyframes: the motion of Active bodies as F-curves of location and rotation, one action for all of a bake."""

import bpy
import numpy as np
from mathutils import Quaternion

from ..baking.record import full_influence, keys_changed, remember, restore, seal, settle
from ..base import transforms
from ..base.curves import ActionWriter, curves_of
from .base import Baker, find_object
from .deformables import deformable_names

# What the keyframes replace; other curves of the user's action are taken along.
WRITTEN_PATHS = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle")
# Shear that a rotation under a non-uniformly scaled parent may leave before the user is told.
SHEAR_WARNING = 1e-3


def bake(scene, export, trajectory, frames, name):
    """Key every Active body's object with a trajectory at the frames (F,). Returns sentences to show."""
    if scene.stiction.bake_to != "KEYFRAMES":
        return []
    soft = deformable_names(export)
    links = [link for link in export.links if link.active and link.name not in soft]
    motions = {link.name: Motion(link, trajectory, export.unit) for link in links}
    writer, warnings = ActionWriter(name), []
    for link in links:
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
        full_influence(ob.animation_data)
        seal(ob, float(frames[0]))
    return warnings


def clear(scene):
    """Give all objects their own action and pose back. Returns their number and sentences to show."""
    objects = baked_objects(scene)
    frame, notes = scene.frame_current_final, []
    edited = [ob for ob in objects if keys_changed(ob)]
    spent, kept = set(), {ob.animation_data.action for ob in edited}
    for ob in objects:
        notes.append(settle(ob, frame))
        spent.add(restore(ob, frame))
        ob.stiction.record.baked = False
        ob.stiction.record.action = None
    for action in spent - {None}:
        if action in kept:
            action.use_fake_user = True
            action.name = f"{action.name} (edited)"
            names = ", ".join(repr(ob.name) for ob in edited[:3]) + (" and others" if len(edited) > 3 else "")
            notes.append(f"keys of the bake were edited ({names}); they are kept in the action {action.name!r}")
        elif action.users == 0:
            bpy.data.actions.remove(action)
    return len(objects), [note for note in notes if note]


def baked_objects(scene):
    """Objects of the scene that carry keyframes of a bake."""
    return [ob for ob in scene.objects if ob.stiction.record.baked]


BAKER = Baker("keyframes", bake, clear)


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
    quaternion = transforms.multiply(transforms.conjugate(delta_rotation(ob)), quaternion)
    return place - np.array(ob.delta_location), transforms.continuous(quaternion), float(np.max(shear))


def delta_rotation(ob):
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
