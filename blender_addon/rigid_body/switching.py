"""Keys that switch a body's Animated or its Dynamic: how things are thrown, dropped, taken and let go in Blender."""

from typing import NamedTuple

from ..base.curves import curves_of, set_otherwise, varies
from ..base.switches import keyed_frames, switch_values

POSE = ("location", "rotation", "delta_location", "delta_rotation", "scale", "delta_scale")
ANIMATED, DYNAMIC, OWN_ANIMATED = "rigid_body.kinematic", "rigid_body.enabled", "stiction.kinematic"


class Switching(NamedTuple):
    """held: its animation holds the body while it is not free; frames: the last ones of times at which it is held,
    free, and so on; begun free it is let go at the first frame; off: Dynamic is off from the first frame to the last;
    stops: frames at which Dynamic is switched off though an animation would hold it."""

    held: bool
    frames: tuple = ()
    off: bool = False
    stops: tuple = ()

    def give(self, settings):
        """Set Animated, Release and its frames of a body's settings."""
        settings.kinematic, settings.release = self.held, bool(self.frames)
        if self.frames:
            settings.release_frame = self.frames[0]
            settings.held_again = ", ".join(map(str, self.frames[1:]))

    @property
    def said(self):
        """What its frames mean, in words."""
        again = ", ".join(map(str, self.frames[1:]))
        return (f"Active, {'Animated' if self.held else 'standing'} until frame {self.frames[0]}, then released"
                + (f"; held again and released at frames {again} in turn" if again else ""))  # fmt: skip


def moves(ob):
    """True if keyframes, strips or drivers of the object or an ancestor move it."""
    while ob is not None:
        if not ob.stiction.record.baked:
            keyed = {curve.data_path for curve in curves_of(ob.animation_data) if varies(curve)}
            if any(path.startswith(POSE) for path in keyed | set_otherwise(ob)):
                return True
        ob = ob.parent
    return False


def switching_of(ob, scene, moves):
    """The Switching of an object with Rigid Body settings; moves: whether anything else than the simulation moves it.

    Blender gives a body that is let go the velocity of the last step in which it was held: the frame at which a key
    switches Animated off is the first of its free flight, and the one before is the last of its animation. Where a key
    switches it on again, it is shown where its animation has it. Dynamic off stops it where it is.
    """
    source, frames = ob.rigid_body, keyed_frames(ob, (ANIMATED, DYNAMIC), scene)
    animated = switch_values(ob, ANIMATED, source.kinematic, frames, scene)
    held = animated | ~switch_values(ob, DYNAMIC, source.enabled, frames, scene)
    if source.type == "PASSIVE" or held.all():
        return Switching(bool(animated.any()), off=source.type == "ACTIVE" and not animated.any())
    follows = bool((moves and held.any()) or animated.any())
    stops = frames[1:][~held[:-1] & held[1:] & ~animated[1:]] if follows else ()
    return Switching(follows, _last_frames(held, frames), stops=tuple(stops))


def own_switching_of(ob, scene):
    """The Switching of an Active body whose own Animated has keys."""
    frames = keyed_frames(ob, (OWN_ANIMATED,), scene)
    held = switch_values(ob, OWN_ANIMATED, ob.stiction.kinematic, frames, scene)
    return Switching(bool(held.any()), _last_frames(held, frames))


def _last_frames(held, frames):
    """See Switching.frames, for frames (F,) at which a body is held (F,) or not."""
    last = frames[:-1][held[:-1] != held[1:]].tolist()
    return tuple(last if held[0] or not last else [int(frames[0]), *last])
