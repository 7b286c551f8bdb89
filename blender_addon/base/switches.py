"""Settings that keys, strips of the NLA or drivers change, frame by frame."""

from math import ceil

import bpy
import numpy as np

from .clock import given_range
from .curves import curves_of, set_otherwise

# Blender takes a curve's value for true from here on.
TRUE = 1.0 - 1e-6


def keyed_frames(ob, paths, scene):
    """Frames (F,) from the first to the last key of an object's settings: the frame range may grow afterwards. To the
    end of the range where drivers or strips set one of them."""
    start, end = given_range(scene)
    keys = [point.co[0] for path in paths for point in _points(ob, path)]
    keys += [end] if set_otherwise(ob) & set(paths) else []
    return np.arange(start, max(start, ceil(max(keys, default=start))) + 1)


def setting_values(ob, path, frames, scene):
    """Values (F,) of a setting at frames, None where nothing changes it."""
    if path in set_otherwise(ob):
        return _shown(ob, path, frames, scene)
    curve = _curve(ob, path)
    if curve is None or not len(curve.keyframe_points):
        return None
    return np.array([curve.evaluate(frame) for frame in frames])


def switch_values(ob, path, value, frames, scene):
    """Whether a setting is on (F,) at frames (F,); value: what it is where nothing changes it."""
    found = setting_values(ob, path, frames, scene)
    return np.full(len(frames), bool(value)) if found is None else found >= TRUE


def _shown(ob, path, frames, scene):
    """Values (F,) of a setting at frames as the scene shows it."""
    before, values = (scene.frame_current, scene.frame_subframe), np.empty(len(frames))
    layer = bpy.context.view_layer if bpy.context.scene == scene else scene.view_layers[0]
    for k, frame in enumerate(frames):
        scene.frame_set(int(frame))
        values[k] = ob.evaluated_get(layer.depsgraph).path_resolve(path)
    scene.frame_set(before[0], subframe=before[1])
    return values


def _curve(ob, path):
    return next((curve for curve in curves_of(ob.animation_data) if curve.data_path == path), None)


def _points(ob, path):
    curve = _curve(ob, path)
    return [] if curve is None else curve.keyframe_points
