"""Animated matrices frame by frame, read in one pass over the frame range."""

from dataclasses import dataclass

import numpy as np

from .transforms import affine_inverse


@dataclass(frozen=True)
class FrameSamples:
    """frames (F,); world: name -> (F,4,4) world matrices of Animated bodies and of bodies that are parents; parent:
    name -> (F,4,4) what stands before the own location, rotation and scale of a body with a parent. Blender units."""

    frames: np.ndarray
    world: dict
    parent: dict


def sample_frames(scene, depsgraph, objects, frames):
    """Read the matrices of Animated bodies and of the parents of Active ones at every frame.

    Leaves the scene at another frame. Without such bodies nothing is evaluated.
    """
    bodies = set(objects)
    parents = {ancestor for ob in objects for ancestor in _ancestors(ob)} & bodies
    animated = [ob for ob in objects if ob.stiction.kinematic or ob in parents]
    children = [ob for ob in objects if ob.stiction.type == "ACTIVE" and not ob.stiction.kinematic and ob.parent]
    frames = list(frames)
    world = {ob.name: np.empty((len(frames), 4, 4)) for ob in animated}
    parent = {ob.name: np.empty((len(frames), 4, 4)) for ob in children}
    if world or parent:
        for row, frame in enumerate(frames):
            scene.frame_set(frame)
            for ob in animated:
                world[ob.name][row] = ob.evaluated_get(depsgraph).matrix_world
            for ob in children:
                parent[ob.name][row] = _before_own(ob.evaluated_get(depsgraph))
    return FrameSamples(np.array(frames, dtype=float), world, parent)


def _ancestors(ob):
    while ob.parent is not None:
        ob = ob.parent
        yield ob


def _before_own(evaluated):
    """World matrix without the object's own location, rotation, scale and deltas: right for every kind of parent."""
    own = np.array(evaluated.matrix_basis, dtype=float)
    return np.array(evaluated.matrix_world, dtype=float) @ affine_inverse(own)
