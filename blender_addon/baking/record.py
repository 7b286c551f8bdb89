"""What a bake replaced on an object, what a person has changed since, and how to put it back.

The curves of a bake are the extension's own: what was written is remembered, so that a pose or a key that differs from
it is known to be a person's, and wins.
"""

import hashlib

import bpy
import numpy as np
from mathutils import Euler, Quaternion

from ..base.curves import LAYERED, curves_of
from .muting import acting, mute, muted_by_bake

ROTATION_PATHS = {
    "QUATERNION": ("rotation_quaternion", 4),
    "AXIS_ANGLE": ("rotation_axis_angle", 4),
}
# Marks an action as made by a bake.
MARK = "stiction_bake"
# Difference of two poses that single precision and the evaluation of curves leave, in parts of their size above 1.
SAME = 4e-6


def rotation_path(mode):
    """(data path, number of values) of the rotation of a mode."""
    return ROTATION_PATHS.get(mode, ("rotation_euler", 3))


def rotation_of(ob):
    """The values of the object's rotation mode (3 or 4)."""
    path, _ = rotation_path(ob.rotation_mode)
    return tuple(getattr(ob, path))


def remember(ob):
    """Write down what the bake is about to replace."""
    record, data = ob.stiction.record, ob.animation_data
    record.baked = True
    record.had_animation_data = data is not None
    _remember_pose(ob, ob.location, rotation_of(ob))
    record.action, record.slot = None, ""
    mute(ob, acting(ob))
    if data is not None:
        record.action = data.action
        if LAYERED and data.action_slot is not None:
            record.slot = data.action_slot.identifier
        record.blend_type, record.extrapolation = data.action_blend_type, data.action_extrapolation
        record.influence = data.action_influence


def remember_view(ob):
    """Write down whether the object was in view, before a bake keys that."""
    record = ob.stiction.record
    record.leaves, record.hidden_viewport, record.hidden_render = True, ob.hide_viewport, ob.hide_render


def _remember_pose(ob, location, rotation):
    record = ob.stiction.record
    record.location, record.rotation_mode = location, ob.rotation_mode
    record.rotation = (*rotation, 0.0)[:4]


def seal(ob, frame, written=None):
    """Write down what the bake has written; frame: its first. written: (digest of all keys, values at that frame) where
    these are known: they need not be read again."""
    record = ob.stiction.record
    if written is None:
        curves = curves_of(ob.animation_data)
        written = _digest(curves), _evaluated(_channels(ob, curves), frame)
    record.keys, start = written
    record.frame, record.start = frame, _padded(start)
    ob.animation_data.action[MARK] = True


def is_baked_action(action):
    """True for an action that a bake has made."""
    return action is not None and action.get(MARK) is not None


def baked_curves(ob):
    """The curves of the bake on an object; empty where a person has taken the action off."""
    data = ob.animation_data
    return curves_of(data) if data is not None and is_baked_action(data.action) else []


def keys_changed(ob):
    """True if a person has changed keys of the bake."""
    curves = baked_curves(ob)
    return bool(curves) and _digest(curves) != ob.stiction.record.keys


def own_pose(ob, frame):
    """(location, rotation in the object's mode) that the object has without its bake, where no animation of its own
    sets them; `frame`: the scene's now. What a person has set since the bake wins."""
    record = ob.stiction.record
    if not record.baked and not (record.shown and not moved_while_shown(ob)):
        return tuple(ob.location), rotation_of(ob)
    kept = tuple(record.location), _in_mode(record.rotation, record.rotation_mode, ob.rotation_mode)
    if record.shown and not moved_while_shown(ob):
        return kept
    changed = None if own_channels(record) else _changed_pose(ob, frame)
    if changed is None:
        return kept
    location, rotation, at_start = changed
    if at_start:
        # What was not touched keeps every digit.
        start = np.array(record.start)
        location = kept[0] if _same(location, start[:3]) else location
        rotation = kept[1] if _same(rotation, start[3 : 3 + len(rotation)]) else rotation
    # Not of numpy: its numbers are written differently, and a fingerprint is made of what is written.
    return tuple(map(float, location)), tuple(map(float, rotation))


def settle(ob, frame, pose=None):
    """Take over into the record what a person has set since the bake; pose: `own_pose` where it is known. Returns a
    sentence, '' if there is none."""
    record = ob.stiction.record
    if own_channels(record):
        if _changed_pose(ob, frame) is not None:
            return (
                f"object {ob.name!r}: was moved after the bake, but its own action {record.action.name!r} sets its "
                "place; press Clear and change that"
            )
        return ""
    _remember_pose(ob, *(pose or own_pose(ob, frame)))
    return ""


def show(ob, location, rotation):
    """Let the object stand where a run in work has it, rotation in the object's mode. False, and nothing is changed, if
    a person has moved it since it was last shown: that pose is its own now."""
    record = ob.stiction.record
    if record.shown and not _animated(ob) and moved_while_shown(ob):
        put_back(ob)
        return False
    if not record.shown and not record.baked:
        _remember_pose(ob, ob.location, rotation_of(ob))
        mute(ob, acting(ob))
    set_pose(ob, location, rotation)
    record.shown, record.preview = True, _padded((*ob.location, *rotation_of(ob)))
    return True


def put_back(ob):
    """End showing a run on an object: its own pose comes back, or stays where a person has set it. Where animation sets
    the pose, Blender does so when it next evaluates the frame."""
    record = ob.stiction.record
    if record.shown and not record.baked and not moved_while_shown(ob):
        set_pose(ob, tuple(record.location), _in_mode(record.rotation, record.rotation_mode, ob.rotation_mode))
    if record.shown and not record.baked:
        mute(ob, [])
    record.shown = False


def _animated(ob):
    """True if Blender sets the object's place or turn itself at every frame."""
    data = ob.animation_data
    if data is None:
        return False
    paths = [curve.data_path for curve in curves_of(data)]
    return bool(data.nla_tracks) or any(path == "location" or path.startswith("rotation") for path in paths)


def put_back_all():
    """Give every object of the file on which a run is shown its own pose: one that was taken out of the run's scene, or
    copied into another with it, too."""
    for ob in bpy.data.objects:
        if ob.stiction.record.shown:
            put_back(ob)


def moved_while_shown(ob):
    """True if a person, or animation evaluated since, has moved an object away from where a run was shown."""
    shown = np.array(ob.stiction.record.preview)
    now = np.array((*ob.location, *rotation_of(ob)))
    return not _same(shown[: len(now)], now)


def own_channels(record):
    """True if the object's own action sets its location or rotation: a pose set by hand would not last."""
    if record.action is None:
        return False
    return any(curve.data_path == "location" or curve.data_path.startswith("rotation")
               for curve in _curves_in(record.action, record.slot))  # fmt: skip


def _curves_in(action, identifier):
    """Curves of an action, of its slot with that identifier."""
    return [curve for curves in _collections(action, identifier) for curve in curves]


def _collections(action, identifier):
    """Where an action keeps the curves of its slot with that identifier."""
    if not LAYERED:
        return [action.fcurves]
    slot = action.slots.get(identifier) if identifier else None
    if slot is None:
        return []
    bags = [strip.channelbag(slot) for layer in action.layers for strip in layer.strips]
    return [bag.fcurves for bag in bags if bag]


def remove_own_curve(ob, path, index):
    """Take an F-curve away from an object's own action, also where it wears a bake's."""
    record, data = ob.stiction.record, ob.animation_data
    action, slot = record.action, record.slot
    if not record.baked:
        action, slot = data.action, data.action_slot.identifier if LAYERED else ""
    for curves in _collections(action, slot) if action is not None else ():
        for curve in [one for one in curves if one.data_path == path and one.array_index == index]:
            curves.remove(curve)


def _changed_pose(ob, frame):
    """(location, rotation, True if set at the first frame) that a person gave the object since the bake, or None."""
    record = ob.stiction.record
    channels = _channels(ob, baked_curves(ob))
    if not channels:
        return None
    shown = np.array((*ob.location, *rotation_of(ob)))
    there = _evaluated(channels, frame)
    if not _same(shown, there, ignore_missing=True) and not _on_curves(channels, shown):
        return shown[:3], shown[3:], abs(frame - record.frame) < 1e-4
    start = _evaluated(channels, record.frame)
    # Where the mode has changed since, the bake has no curves of this one.
    written = np.where(np.isnan(start), np.nan, np.array(record.start)[: len(start)])
    if not _same(start, written):
        start = np.where(np.isnan(start), shown, start)
        return start[:3], start[3:], True
    return None


def _channels(ob, curves):
    """The curves of location and rotation in the object's mode, None where there is none; empty without any."""
    path, size = rotation_path(ob.rotation_mode)
    wanted = [("location", i) for i in range(3)] + [(path, i) for i in range(size)]
    found = {(curve.data_path, curve.array_index): curve for curve in curves}
    channels = [found.get(key) for key in wanted]
    return channels if any(curve is not None for curve in channels) else []


def _evaluated(channels, frame):
    """Values (7,) or (6,) of the channels at a frame, nan where there is no curve."""
    return np.array([np.nan if curve is None else curve.evaluate(frame) for curve in channels])


def _on_curves(channels, pose):
    """True if the pose is one of the bake's, of another frame: that of an object that was not evaluated since."""
    curves = [curve for curve in channels if curve is not None]
    first = min(curve.range()[0] for curve in curves)
    last = max(curve.range()[1] for curve in curves)
    frames = np.arange(first, last + 1)
    near = np.ones(len(frames), dtype=bool)
    for value, curve in zip(pose, channels, strict=True):
        if curve is not None and near.any():
            limit = SAME * max(1.0, abs(value))
            near &= [bool(ok) and abs(curve.evaluate(frame) - value) <= limit
                     for ok, frame in zip(near, frames, strict=True)]  # fmt: skip
    return bool(near.any())


def _same(a, b, ignore_missing=False):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    near = np.abs(a - b) <= SAME * np.maximum(1.0, np.abs(a))
    return bool((near | np.isnan(b)).all() if ignore_missing else (near | (np.isnan(a) & np.isnan(b))).all())


def _padded(values):
    return (*values, *[0.0] * (7 - len(values)))


def _digest(curves):
    """Fingerprint of the keys of curves."""
    found = {(curve.data_path, curve.array_index): _places(curve) for curve in curves}
    paths = sorted(found)
    return digest_of(paths, [found[path] for path in paths])


def _places(curve):
    places = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
    curve.keyframe_points.foreach_get("co", places)
    return places


def digest_of(paths, keys):
    """Fingerprint of the keys, places (K,2) in single precision, of sorted paths [(data path, index)]; an array
    (C,K,2) for `keys` is as good as a list and faster."""
    content = hashlib.blake2b(repr([(*path, places.size) for path, places in zip(paths, keys, strict=True)]).encode(),
                              digest_size=12)  # fmt: skip
    for part in (keys,) if isinstance(keys, np.ndarray) else keys:
        content.update(np.ascontiguousarray(part))
    return content.hexdigest()


def _in_mode(values, mode, wanted):
    """Rotation values of a mode in another."""
    if mode == wanted or not mode:
        return tuple(values)[: rotation_path(wanted)[1]]
    if mode == "QUATERNION":
        turn = Quaternion(values)
    elif mode == "AXIS_ANGLE":
        turn = Quaternion(values[1:4], values[0])
    else:
        turn = Euler(values[:3], mode).to_quaternion()
    if wanted == "QUATERNION":
        return tuple(turn)
    if wanted == "AXIS_ANGLE":
        axis, angle = turn.to_axis_angle()
        return (angle, *axis)
    return tuple(turn.to_euler(wanted))


class Worn:
    """What an object wears of its bake, to be put on again: action, pose, visibility."""

    def __init__(self, ob):
        data = ob.animation_data
        self.ob, self.action = ob, data.action if data else None
        self.slot = data.action_slot.identifier if data and LAYERED and data.action_slot else ""
        self.muted = [name for name in muted_by_bake(ob) if name in ob.constraints]
        self.pose, self.hidden = (tuple(ob.location), rotation_of(ob)), (ob.hide_viewport, ob.hide_render)

    def put_on(self):
        """Put it on again; nothing is left to do where the object was removed in the meantime."""
        try:
            if self.action is not None:
                assign(self.ob.animation_data_create(), self.action, self.slot)
                full_influence(self.ob.animation_data)
            mute(self.ob, self.muted)
            set_pose(self.ob, *self.pose)
            self.ob.hide_viewport, self.ob.hide_render = self.hidden
        except ReferenceError:
            return


def restore(ob, frame, pose=None):
    """Put back the object's own action and pose, `own_pose` where that is known; returns the bake's action, None where
    a person has taken it off."""
    record, data = ob.stiction.record, ob.animation_data
    location, rotation = pose or own_pose(ob, frame)
    mute(ob, [])
    baked = data.action if data is not None and is_baked_action(data.action) else None
    if data is not None and data.action is not None and baked is None:
        # A person has given the object another action: that stays, and the earlier one is not lost.
        if record.action is not None:
            record.action.use_fake_user = True
        return None
    if data is not None:
        assign(data, record.action, record.slot)
        if record.had_animation_data:
            data.action_blend_type, data.action_extrapolation = record.blend_type, record.extrapolation
            data.action_influence = record.influence
        elif not data.nla_tracks and not data.drivers:
            ob.animation_data_clear()
    elif record.action is not None:
        assign(ob.animation_data_create(), record.action, record.slot)
    set_pose(ob, location, rotation)
    if record.leaves:
        ob.hide_viewport, ob.hide_render = record.hidden_viewport, record.hidden_render
    return baked


def set_pose(ob, location, rotation):
    """Set location and rotation (in the object's mode)."""
    ob.location = location
    setattr(ob, rotation_path(ob.rotation_mode)[0], rotation)


def assign(data, action, slot):
    """Assign an action and, where there are slots, the one with this identifier."""
    data.action = action
    if LAYERED and action is not None:
        data.action_slot = action.slots.get(slot) if slot else None


def full_influence(data):
    """Let the action of an object alone count."""
    data.action_blend_type, data.action_extrapolation, data.action_influence = "REPLACE", "HOLD", 1.0
