"""Keys that switch a body's Animated off or its Dynamic on: how things are thrown, dropped and let go in Blender."""

from typing import NamedTuple

import numpy as np

from ..base.clock import given_range
from ..base.switches import keyed_frames, switch_values

ANIMATED, DYNAMIC, OWN_ANIMATED = "rigid_body.kinematic", "rigid_body.enabled", "stiction.kinematic"


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
    source, start = ob.rigid_body, given_range(scene)[0]
    frames = keyed_frames(ob, (ANIMATED, DYNAMIC), start)
    animated = switch_values(ob, ANIMATED, source.kinematic, frames)
    held = animated | ~switch_values(ob, DYNAMIC, source.enabled, frames)
    if source.type == "PASSIVE":
        return Switching(bool(animated.any()), None, False, [])
    return _switching(held, frames, animated)


def own_switching_of(ob, scene):
    """The Switching of an Active body whose own Animated has keys."""
    frames = keyed_frames(ob, (OWN_ANIMATED,), given_range(scene)[0])
    held = switch_values(ob, OWN_ANIMATED, ob.stiction.kinematic, frames)
    return _switching(held, frames, held)


def _switching(held, frames, animated):
    """The Switching of a body that is held (F,) at frames (F,), where it is `animated` (F,) and elsewhere."""
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
