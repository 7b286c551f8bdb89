"""Writing whole F-curves at once, for Blender 4.2 (one action an object) and 4.4 on (one action, a slot an object)."""

from functools import cache

import bpy
import numpy as np

from .renewed import refer
from .steps import chunks

LAYERED = bpy.app.version >= (4, 4, 0)
GROUP = "Stiction"
# Slots made at a time: a few milliseconds.
RESERVED = 250


@cache
def linear_code():
    """Number of the linear interpolation in this Blender."""
    return bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items["LINEAR"].value


def varies(curve):
    """Whether the keys of an F-curve have different values."""
    return len({round(point.co[1], 6) for point in curve.keyframe_points}) > 1


def keyed_under(owner, path):
    """{name: F-curve} of an object's or scene's settings below a data path (with its dot) that keys change."""
    curves = (curve for curve in curves_of(owner.animation_data) if curve.data_path.startswith(path) and varies(curve))
    return {curve.data_path[len(path) :]: curve for curve in curves}


def set_otherwise(owner):
    """Paths (set) of an object's or scene's settings that drivers set, or strips of its NLA."""
    data = owner.animation_data
    if data is None:
        return set()
    strips = [strip for track in data.nla_tracks if not track.mute for strip in track.strips if not strip.mute]
    return {one.data_path for one in (*data.drivers, *(curve for strip in strips for curve in _curves_of_strip(strip)))}


def _curves_of_strip(strip):
    if strip.action is None:
        return []
    if not LAYERED:
        return strip.action.fcurves
    parts = [part for layer in strip.action.layers for part in layer.strips]
    bags = [part.channelbag(strip.action_slot) for part in parts] if strip.action_slot is not None else []
    return [curve for bag in bags if bag for curve in bag.fcurves]


def animated_under(owner, path):
    """Names of an object's or scene's settings below a data path that keys change, or drivers or strips set."""
    others = {name[len(path) :] for name in set_otherwise(owner) if name.startswith(path)}
    return set(keyed_under(owner, path)) | others


def kept_keys(values):
    """Which keys of each curve (...,F) linear interpolation needs, (...,F): the inside of constant runs is dropped,
    exactly."""
    same = values[..., 1:] == values[..., :-1]
    keep = np.ones(values.shape, dtype=bool)
    keep[..., 1:-1] = ~(same[..., :-1] & same[..., 1:])
    return keep


@cache
def _linear(count):
    """Interpolation of `count` keys; unsigned bytes are what Blender stores, and copies at once."""
    return np.full(count, linear_code(), dtype=np.uint8)


def fill(curve, places):
    """Give an empty F-curve linear keys at places (K,2): frame, value; contiguous single precision."""
    # Linear keys have no handles to smooth, and that would be half of a bake's time; once there are keys, the setting
    # itself works all handles out.
    curve.auto_smoothing = "NONE"
    points = curve.keyframe_points
    points.add(len(places))
    # A contiguous single-precision array takes Blender's fast path.
    points.foreach_set("co", places.reshape(-1))
    points.foreach_set("interpolation", _linear(len(places)))
    curve.update()


class ActionWriter:
    """Makes the actions of one bake, whose keys lie at the frames (F,)."""

    def __init__(self, name, frames):
        self.name, self.frames = name, np.asarray(frames, dtype=np.float32)
        self.shared, self._slots = bpy.data.actions.new(name) if LAYERED else None, {}

    def reserve(self, objects):
        """Make the slots of many objects first: with curves between them they would cost ten times as much. A generator
        that yields often."""
        if LAYERED:
            for some in chunks(objects, RESERVED):
                for ob in some:
                    self._slots[ob.name] = self._slot(ob)
                yield len(self._slots)

    def write(self, ob, paths, values, others=()):
        """Key the curves `paths` [(data path, index)] of an object with values (C,F) and assign them; `others`: curves
        to take along."""
        (keys,) = self.keys(np.asarray(values)[None])
        assign(ob, *self.make(ob, paths, keys, others))

    def keys(self, values):
        """Places (K,2) of the keys of each curve, C of them for each of N objects, for values (N,C,F)."""
        values = np.asarray(values, dtype=np.float32)
        places = np.empty((*values.shape, 2), dtype=np.float32)
        places[..., 0], places[..., 1] = self.frames, values
        keep = kept_keys(values)
        whole = keep.all(axis=(1, 2))
        return [own if all_kept else [row[some] for row, some in zip(own, kept, strict=True)]
                for own, kept, all_kept in zip(places, keep, whole, strict=True)]  # fmt: skip

    def make(self, ob, paths, keys, others=()):
        """Curves of an object, keys (K,2) of each path, not yet assigned: with slots that costs less once all are made.
        Returns (action, slot)."""
        action = self.shared or bpy.data.actions.new(f"{self.name} {ob.name}")
        slot, new = self._target(action, ob)
        for (path, index), places in zip(paths, keys, strict=True):
            fill(new(path, index), places)
        for curve in others:
            copy_curve(curve, new(curve.data_path, curve.array_index))
        return action, slot

    def _slot(self, ob):
        return self.shared.slots.new(id_type="OBJECT", name=ob.name)

    def _target(self, action, ob):
        """(slot, function that makes an F-curve) for an object."""
        if not LAYERED:
            return None, lambda path, index: action.fcurves.new(path, index=index, action_group=GROUP)
        layer = action.layers[0] if action.layers else action.layers.new("Layer")
        strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
        slot = self._slots.get(ob.name) or self._slot(ob)
        curves = strip.channelbag(slot, ensure=True).fcurves
        grouped = {"group_name": GROUP} if bpy.app.version >= (5, 0, 0) else {}
        return slot, lambda path, index: curves.new(path, index=index, **grouped)


def add_held(ob, path, places):
    """Add a curve to the action that an object moves by, with places (K,2) of keys whose values hold to the next."""
    data = ob.animation_data
    curves = data.action.fcurves if not LAYERED else next(
        bag.fcurves for layer in data.action.layers for strip in layer.strips
        if (bag := strip.channelbag(data.action_slot)) is not None
    )  # fmt: skip
    curve = curves.new(path)
    curve.keyframe_points.add(len(places))
    curve.keyframe_points.foreach_set("co", np.asarray(places, dtype=np.float32).reshape(-1))
    for point in curve.keyframe_points:
        point.interpolation = "CONSTANT"
    curve.update()


def assign(ob, action, slot):
    """Let an object move by the curves of an action's slot. On 4.4 an action must have its curves by then, or it would
    get a slot of its own."""
    data = ob.animation_data_create()
    data.action = action
    if LAYERED:
        data.action_slot = slot
    refer(ob, action)


def curves_of(data):
    """F-curves of the action and slot an object's animation data uses."""
    if data is None or data.action is None:
        return []
    if not LAYERED:
        return list(data.action.fcurves)
    if data.action_slot is None:
        return []
    bags = [strip.channelbag(data.action_slot) for layer in data.action.layers for strip in layer.strips]
    return [curve for bag in bags if bag for curve in bag.fcurves]


def copy_curve(source, target):
    """Copy keys, handles and interpolation of an F-curve."""
    count = len(source.keyframe_points)
    target.keyframe_points.add(count)
    for name, width, kind in (
        ("co", 2, np.float32), ("handle_left", 2, np.float32), ("handle_right", 2, np.float32),
        ("interpolation", 1, np.int32), ("easing", 1, np.int32),
        ("handle_left_type", 1, np.int32), ("handle_right_type", 1, np.int32),
        ("amplitude", 1, np.float32), ("back", 1, np.float32), ("period", 1, np.float32),
    ):  # fmt: skip
        values = np.empty(width * count, dtype=kind)
        source.keyframe_points.foreach_get(name, values)
        target.keyframe_points.foreach_set(name, values)
    target.extrapolation = source.extrapolation
    target.update()
