"""Keyframes: the motion of Active bodies as F-curves of location and rotation, one action for all of a bake."""

import bpy
import numpy as np

from ..baking.record import (
    Worn,
    digest_of,
    full_influence,
    keys_changed,
    own_pose,
    remember,
    restore,
    rotation_path,
    seal,
    settle,
)  # fmt: skip
from ..base import transforms
from ..base.curves import ActionWriter, assign, curves_of
from ..base.steps import chunks
from .base import Baker, ObjectFinder
from .deformables import deformable_names
from .own_poses import OwnPoses, delta_rotation, rotation_values

# What the keyframes replace; other curves of the user's action are taken along.
WRITTEN_PATHS = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle")
# Shear that a rotation under a non-uniformly scaled parent may leave before the user is told.
SHEAR_WARNING = 1e-3
# Poses worked out at a time: a few milliseconds.
POSES = 8192
# Actions removed at a time.
REMOVED = 100


def bake(scene, export, trajectory, frames, name):
    """Generator that keys every Active body's object with a trajectory at the frames (F,); returns sentences to
    show."""
    if scene.stiction.bake_to != "KEYFRAMES":
        return []
    soft = deformable_names(export)
    links = [link for link in export.links if link.active and link.name not in soft]
    pairs, warnings = ObjectFinder(scene.objects).pairs(links)
    writer, made = ActionWriter(name, frames), []
    try:
        yield from writer.reserve([ob for _, ob in pairs])
        for some in _channels(pairs, export, trajectory, frames):
            for ob, action, slot, written, shear in _curves(writer, some):
                made.append((ob, action, slot, written))
                if shear > SHEAR_WARNING:
                    warnings.append(_sheared(ob, shear))
                yield ob.name
        for ob, action, slot, written in made:
            remember(ob)
            assign(ob, action, slot)
            full_influence(ob.animation_data)
            seal(ob, float(writer.frames[0]), written)
            yield ob.name
    finally:
        # Where the bake was given up, what nobody uses yet goes.
        unused = {action for _, action, _, _ in made} | {writer.shared} - {None}
        bpy.data.batch_remove([action for action in unused if action.users == 0])
    return warnings


def _sheared(ob, shear):
    return (
        f"object {ob.name!r}: its parent's non-uniform scale would shear it by {shear:.2g}, which keyframes "
        "cannot show; clear the parent (Alt+P, Keep Transformation) and bake again"
    )


def _curves(writer, some):
    """Yield (object, action, slot, what `seal` needs, shear) with the curves of objects made: some as `_channels` has
    them. Objects whose rotations have the same number of values are keyed together."""
    for size in sorted({rotation.shape[1] for _, _, rotation, _ in some}):
        group = [one for one in some if one[2].shape[1] == size]
        values = np.stack([np.concatenate([location, rotation], axis=1).T for _, location, rotation, _ in group])
        for (ob, _, _, shear), keys in zip(group, writer.keys(values), strict=True):
            path, _ = rotation_path(ob.rotation_mode)
            paths = [("location", i) for i in range(3)] + [(path, i) for i in range(size)]
            others = [curve for curve in curves_of(ob.animation_data) if curve.data_path not in WRITTEN_PATHS]
            action, slot = writer.make(ob, paths, keys, others)
            written = None if others else (digest_of(paths, keys), [float(places[0, 1]) for places in keys])
            yield ob, action, slot, written, shear


def _channels(pairs, export, trajectory, frames):
    """Yield lists of (object, location (F,3), rotation in its mode (F,k), shear), those without a parent first."""
    alone = [pair for pair in pairs if pair[0].name not in export.samples.parent]
    column = {name: i for i, name in enumerate(trajectory.names)}
    for some in chunks(alone, POSES // len(frames)):
        rows = [column[link.name] for link, _ in some]
        own = OwnPoses(some, export.unit)
        locations, quaternions = own.at(trajectory.positions[:, rows], trajectory.orientations[:, rows])
        rotations = rotation_values([ob for _, ob in some], transforms.continuous(quaternions))
        yield [(ob, locations[:, i], rotations[i], own.shear[i]) for i, (_, ob) in enumerate(some)]
    motions = Motions(pairs, trajectory, export.unit)
    for link, ob in pairs:
        if link.name in export.samples.parent:
            before = parent_matrices(ob, export, motions, frames)
            location, quaternion, shear = own_transform(ob, motions[ob], before)
            yield [(ob, location, rotation_values([ob], quaternion[:, None])[0], shear)]


def clear(scene):
    """Generator that gives all objects their own action and pose back, yielding (objects done, objects in all); returns
    their number and sentences to show. Closed before all have theirs, every object wears its bake again."""
    objects, worn = baked_objects(scene), []
    frame, notes, edited, spent, kept = scene.frame_current_final, [], [], set(), set()
    try:
        for ob in objects:
            worn.append(Worn(ob))
            if keys_changed(ob):
                edited.append(ob)
                kept.add(ob.animation_data.action)
            pose = own_pose(ob, frame)
            notes.append(settle(ob, frame, pose))
            spent.add(restore(ob, frame, pose))
            yield len(worn), len(objects)
    except (GeneratorExit, ReferenceError):
        for one in worn:
            one.put_on()
        raise
    for ob in objects:
        ob.stiction.record.baked = ob.stiction.record.leaves = False
        ob.stiction.record.action = None
    for action in kept:
        action.use_fake_user = True
        action.name = f"{action.name} (edited)"
        names = ", ".join(repr(ob.name) for ob in edited[:3]) + (" and others" if len(edited) > 3 else "")
        notes.append(f"keys of the bake were edited ({names}); they are kept in the action {action.name!r}")
    yield from _removed([action for action in spent - kept - {None} if action.users == 0])
    return len(objects), [note for note in notes if note]


def _removed(actions):
    """Generator that removes actions; all of them, also when it is closed."""
    # Without slots there is one action an object, and removing one alone looks through all that Blender holds.
    left = chunks(actions, REMOVED)
    try:
        while left:
            bpy.data.batch_remove(left.pop())
            yield
    finally:
        for some in left:
            bpy.data.batch_remove(some)


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


class Motions:
    """The Motion of each object of pairs (link, object), made when it is asked for. Objects may have been renamed since
    they were read: `links` knows the names that they had."""

    def __init__(self, pairs, trajectory, unit):
        self.links = {ob: link for link, ob in pairs}
        self._made, self._trajectory, self._unit = {}, trajectory, unit

    def __contains__(self, ob):
        return ob in self.links

    def __getitem__(self, ob):
        if ob not in self._made:
            self._made[ob] = Motion(self.links[ob], self._trajectory, self._unit)
        return self._made[ob]


def parent_matrices(ob, export, motions, frames):
    """(F,4,4) of what stands before the own transform of an object with a parent at the trajectory's frames."""
    sampled = export.samples.parent[motions.links[ob].name]
    at = np.clip(np.round(frames - export.frame_start).astype(int), 0, len(sampled) - 1)
    before, ancestor = sampled[at], ob.parent
    while ancestor is not None and ancestor not in motions:
        ancestor = ancestor.parent
    if ancestor is not None:
        # The parent is a body itself: what was sampled hangs on its pose before the simulation.
        unmoved = export.samples.world[motions.links[ancestor].name][at]
        before = motions[ancestor].matrices() @ transforms.affine_inverse(unmoved) @ before
    return before


def own_transform(ob, motion, before):
    """Location (F,3), quaternion (F,4) without deltas, and the shear that no rotation can express, behind the matrices
    `before` (F,4,4) of the parents."""
    signs = np.sign(np.array(ob.scale) * np.array(ob.delta_scale))
    basis = transforms.affine_inverse(before) @ motion.matrices()
    rotation, _, shear = transforms.split_scale(basis[:, :3, :3], signs)
    quaternion = transforms.quaternion_of_matrix(rotation)
    quaternion = transforms.multiply(transforms.conjugate(delta_rotation(ob)), quaternion)
    place = basis[:, :3, 3] - np.array(ob.delta_location)
    return place, transforms.continuous(quaternion), float(np.max(shear))
