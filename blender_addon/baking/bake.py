"""Trajectory -> animation, and back: Clear restores what the bake replaced."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from ...solver.base.refusal import SceneError
from ..bakers import BAKERS, deformables, instances
from ..bakers.keyframes import Motion
from ..bakers.keyframes import baked_objects as keyed_objects
from ..base.curves import LAYERED
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
    if scene.stiction.bake_selected:
        export = _selected(scene, export)
    for baker in BAKERS:
        notes += baker.bake(scene, export, trajectory, frames, name)
    return notes


def _selected(scene, export):
    """The export with links of selected bodies alone; SceneError if there is none."""
    chosen = {ob.name for ob in scene.objects if ob.select_get()}
    links = tuple(link for link in export.links if link.name in chosen and link.active)
    if not links:
        raise SceneError("no Active body is selected; select bodies, or switch Selected Only off and bake again")
    return replace(export, links=links)


def clear(scene):
    """Remove the bake from all objects of a scene: their own actions and poses come back, and what a person has set
    since stays. Returns (number of objects, sentences to show)."""
    counts, notes = zip(*(baker.clear(scene) for baker in BAKERS), strict=True)
    scene.stiction.signature = scene.stiction.summary = scene.stiction.run = scene.stiction.verdict = ""
    return sum(counts), [sentence for some in notes for sentence in some]


def baked_objects(scene):
    """Objects of the scene that carry a bake of any kind."""
    return keyed_objects(scene) + instances.carried_objects(scene) + deformables.baked_objects(scene)


def settle_all(scene):
    """Take over what a person has set on baked objects, before anything else moves them. Returns sentences."""
    frame = scene.frame_current_final
    return [note for ob in keyed_objects(scene) if (note := settle(ob, frame))]


@contextmanager
def lifted(scene):
    """The scene as it is without its bake; the bake is back afterwards."""
    baked, frame = [], scene.frame_current_final
    for ob in keyed_objects(scene):
        data = ob.animation_data
        slot = data.action_slot.identifier if data and LAYERED and data.action_slot else ""
        baked.append((ob, data.action if data else None, slot, (tuple(ob.location), rotation_of(ob))))
        restore(ob, frame)
    try:
        with instances.shown(scene), deformables.at_rest(scene):
            yield
    finally:
        for ob, action, slot, pose in baked:
            if action is not None:
                assign(ob.animation_data_create(), action, slot)
                full_influence(ob.animation_data)
            set_pose(ob, *pose)
