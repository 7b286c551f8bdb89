"""Trajectory -> animation, and back: Clear restores what the bake replaced."""

from contextlib import contextmanager

import numpy as np

from .bakers import BAKERS
from .bakers.keyframes import Motion, baked_objects
from .curves import LAYERED
from .record import assign, full_influence, restore, rotation_of, set_pose, settle

__all__ = ["Motion", "bake", "baked_objects", "clear", "lifted", "settle_all"]


def bake(scene, export, trajectory, name="Stiction Bake"):
    """Bake a trajectory. An earlier bake is cleared first.

    Returns sentences to show: objects that are gone, motion that their parents' scale cannot express.
    """
    _, notes = clear(scene)
    frames = export.frame_start + trajectory.times * export.fps
    # Times are sums of steps: what is a whole frame up to rounding shall be one.
    frames = np.where(np.abs(frames - np.round(frames)) < 1e-6, np.round(frames), frames)
    for baker in BAKERS:
        notes += baker.bake(scene, export, trajectory, frames, name)
    return notes


def clear(scene):
    """Remove the bake from all objects of a scene: their own actions and poses come back, and what a person has set
    since stays. Returns (number of objects, sentences to show)."""
    counts, notes = zip(*(baker.clear(scene) for baker in BAKERS), strict=True)
    scene.stiction.signature = scene.stiction.summary = scene.stiction.run = ""
    return sum(counts), [sentence for some in notes for sentence in some]


def settle_all(scene):
    """Take over what a person has set on baked objects, before anything else moves them. Returns sentences."""
    frame = scene.frame_current_final
    return [note for ob in baked_objects(scene) if (note := settle(ob, frame))]


@contextmanager
def lifted(scene):
    """The scene as it is without its bake; the bake is back afterwards."""
    baked, frame = [], scene.frame_current_final
    for ob in baked_objects(scene):
        data = ob.animation_data
        slot = data.action_slot.identifier if data and LAYERED and data.action_slot else ""
        baked.append((ob, data.action if data else None, slot, (tuple(ob.location), rotation_of(ob))))
        restore(ob, frame)
    try:
        yield
    finally:
        for ob, action, slot, pose in baked:
            if action is not None:
                assign(ob.animation_data_create(), action, slot)
                full_influence(ob.animation_data)
            set_pose(ob, *pose)
