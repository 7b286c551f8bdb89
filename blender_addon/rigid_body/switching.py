"""Keys that switch a body's Animated off or its Dynamic on: how things are thrown, dropped and let go in Blender."""

from math import ceil
from typing import NamedTuple

import numpy as np

from ..base.curves import curves_of
from ..exporting.reader import given_range

ANIMATED, DYNAMIC = "rigid_body.kinematic", "rigid_body.enabled"
# Blender takes a curve's value for true from here on.
TRUE = 1.0 - 1e-6


class Switching(NamedTuple):
    """held: the body begins Animated; last: last frame at which its animation holds it, None if it never lets go;
    off: Dynamic is off from the first frame to the last; said: sentences on keys that have no counterpart."""

    held: bool
    last: int | None
    off: bool
    said: list


def switching_of(ob, scene):
    """The Switching of an object with Rigid Body settings.

    Blender gives a body that is let go the velocity of the last step in which it was held: the frame at which a key
    switches Animated off is the first of its free flight, and the one before is the last of its animation.
    """
    source, (start, _) = ob.rigid_body, given_range(scene)
    # To the last key: the range may grow after an import.
    keys = [point.co[0] for path in (ANIMATED, DYNAMIC) for point in _points(ob, path)]
    frames = np.arange(start, max(start, ceil(max(keys, default=start))) + 1)
    animated = _values(ob, ANIMATED, source.kinematic, frames)
    held = animated | ~_values(ob, DYNAMIC, source.enabled, frames)
    if source.type == "PASSIVE":
        return Switching(bool(animated.any()), None, False, [])
    free = np.flatnonzero(~held)
    if not held[0]:
        return Switching(False, None, False, _again(held, frames, 0))
    if not len(free):
        return Switching(bool(animated[0]), None, not animated[0], [])
    return Switching(True, int(frames[free[0] - 1]), False, _again(held, frames, free[0]))


def _again(held, frames, first):
    """A sentence on the frame at which a free body is held again, after the first one at which it is free."""
    later = np.flatnonzero(held[first:])
    if not len(later):
        return []
    return [f"keys hold it again at frame {frames[first + later[0]]}: a body is let go once, and stays free"]


def _curve(ob, path):
    return next((curve for curve in curves_of(ob.animation_data) if curve.data_path == path), None)


def _points(ob, path):
    curve = _curve(ob, path)
    return [] if curve is None else curve.keyframe_points


def _values(ob, path, value, frames):
    """Whether a setting is on (F,) at frames (F,); value: what it is where no keys say."""
    if not len(_points(ob, path)):
        return np.full(len(frames), bool(value))
    curve = _curve(ob, path)
    return np.array([curve.evaluate(frame) >= TRUE for frame in frames])
