"""Keys on settings that are on or off, frame by frame."""

from math import ceil

import numpy as np

from .curves import curves_of

# Blender takes a curve's value for true from here on.
TRUE = 1.0 - 1e-6


def keyed_frames(ob, paths, start):
    """Frames (F,) from `start` to the last key of an object's settings: the frame range may grow afterwards."""
    keys = [point.co[0] for path in paths for point in _points(ob, path)]
    return np.arange(start, max(start, ceil(max(keys, default=start))) + 1)


def switch_values(ob, path, value, frames):
    """Whether a setting is on (F,) at frames (F,); value: what it is where no keys say."""
    if not len(_points(ob, path)):
        return np.full(len(frames), bool(value))
    curve = _curve(ob, path)
    return np.array([curve.evaluate(frame) >= TRUE for frame in frames])


def _curve(ob, path):
    return next((curve for curve in curves_of(ob.animation_data) if curve.data_path == path), None)


def _points(ob, path):
    curve = _curve(ob, path)
    return [] if curve is None else curve.keyframe_points
