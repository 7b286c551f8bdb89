"""Animated matrices frame by frame, read in one pass over the frame range."""

import numpy as np

from ..base.transforms import affine_inverse
from ..deformable.goals import held as goals_hold
from ..deformable.posed import posed_vertices
from ..deformable.settings import PINNED, goal_weights, weights_in
from ..settings.motion import follows, is_dynamic
from .meshes import mesh_of
from .reading import FrameSamples


def sample_steps(scene, graph, objects, frames):
    """Generator that reads the matrices of Animated bodies and of the parents of Active ones at every frame, and where
    their pins and goals are, yielding (frames read, in all); its return value is the FrameSamples.

    Leaves the scene at another frame. Without such bodies nothing is evaluated.
    """
    bodies = set(objects)
    parents = {ancestor for ob in objects for ancestor in _ancestors(ob)} & bodies
    animated = [ob for ob in objects if ob.stiction.kinematic or ob in parents]
    children = [ob for ob in objects if is_dynamic(ob.stiction) and ob.parent]
    frames = list(frames)
    world = {ob.name: np.empty((len(frames), 4, 4)) for ob in animated}
    parent = {ob.name: np.empty((len(frames), 4, 4)) for ob in children}
    held = {ob: pinned for ob in objects if follows(ob.stiction) and (pinned := _pinned(ob)) is not None}
    goals = {ob.name: np.empty((len(frames), len(ob.data.vertices), 3)) for ob in held if ob.stiction.elastic.use_goal}
    pins = {ob.name: np.empty((len(frames), len(pinned), 3)) for ob, pinned in held.items()}
    if world or parent:
        for row, frame in enumerate(frames):
            scene.frame_set(frame)
            depsgraph = graph.now()
            for ob in animated:
                world[ob.name][row] = ob.evaluated_get(depsgraph).matrix_world
            for ob in children:
                parent[ob.name][row] = _before_own(ob.evaluated_get(depsgraph))
            for ob, pinned in held.items():
                matrix = world[ob.name][row]
                places = posed_vertices(ob, mesh_of(ob.evaluated_get(depsgraph))) @ matrix[:3, :3].T + matrix[:3, 3]
                pins[ob.name][row] = places[pinned]
                if ob.name in goals:
                    goals[ob.name][row] = places
            yield row, len(frames)
    return FrameSamples(np.array(frames, dtype=float), world, parent, pins, goals)


def _pinned(ob):
    """Numbers of the vertices that hold a deformable body, None if there is no such group."""
    mesh = mesh_of(ob)
    if ob.stiction.elastic.use_goal:
        weights = goal_weights(ob, mesh)
        return None if weights is None else np.flatnonzero(goals_hold(weights, ob.stiction.elastic))
    weights = weights_in(ob, mesh, ob.stiction.elastic.pin_group)
    return None if weights is None else np.flatnonzero(weights > PINNED)


def _ancestors(ob):
    while ob.parent is not None:
        ob = ob.parent
        yield ob


def _before_own(evaluated):
    """World matrix without the object's own location, rotation, scale and deltas: right for every kind of parent."""
    own = np.array(evaluated.matrix_basis, dtype=float)
    return np.array(evaluated.matrix_world, dtype=float) @ affine_inverse(own)
