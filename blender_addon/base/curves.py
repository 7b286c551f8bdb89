"""Writing whole F-curves at once, for Blender 4.2 (one action an object) and 4.4 on (one action, a slot an object)."""

from functools import cache

import bpy
import numpy as np

LAYERED = bpy.app.version >= (4, 4, 0)
GROUP = "Stiction"


@cache
def linear_code():
    """Number of the linear interpolation in this Blender."""
    return bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items["LINEAR"].value


def kept_keys(values):
    """Which keys of each curve (C,F) linear interpolation needs, (C,F): the inside of constant runs is dropped,
    exactly."""
    same = values[:, 1:] == values[:, :-1]
    keep = np.ones(values.shape, dtype=bool)
    keep[:, 1:-1] = ~(same[:, :-1] & same[:, 1:])
    return keep


def fill(curve, places):
    """Give an empty F-curve linear keys at places (K,2): frame, value; contiguous single precision."""
    points = curve.keyframe_points
    points.add(len(places))
    # A contiguous single-precision array takes Blender's fast path.
    points.foreach_set("co", places.reshape(-1))
    points.foreach_set("interpolation", np.full(len(places), linear_code(), dtype=np.int32))
    curve.update()


class ActionWriter:
    """Makes the actions of one bake, whose keys lie at the frames (F,)."""

    def __init__(self, name, frames):
        self.name, self.frames = name, np.asarray(frames, dtype=np.float32)
        self.shared = bpy.data.actions.new(name) if LAYERED else None

    def write(self, ob, paths, values, others=()):
        """Key the curves `paths` [(data path, index)] of an object with values (C,F) and assign them; `others`: curves
        to take along. Returns the places (K,2) of the keys of each."""
        action = self.shared or bpy.data.actions.new(f"{self.name} {ob.name}")
        slot, new = self._target(action, ob)
        written = self._places(np.asarray(values, dtype=np.float32))
        for (path, index), places in zip(paths, written, strict=True):
            fill(new(path, index), places)
        for curve in others:
            copy_curve(curve, new(curve.data_path, curve.array_index))
        data = ob.animation_data_create()
        # Assigned only now: on 4.4 an empty action would get a slot of its own on assignment.
        data.action = action
        if LAYERED:
            data.action_slot = slot
        return written

    def _places(self, values):
        keep = kept_keys(values)
        places = np.empty((*values.shape, 2), dtype=np.float32)
        places[..., 0], places[..., 1] = self.frames, values
        if keep.all():
            return list(places)
        return [row[some] for row, some in zip(places, keep, strict=True)]

    def _target(self, action, ob):
        """(slot, function that makes an F-curve) for an object."""
        if not LAYERED:
            return None, lambda path, index: action.fcurves.new(path, index=index, action_group=GROUP)
        layer = action.layers[0] if action.layers else action.layers.new("Layer")
        strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
        slot = action.slots.new(id_type="OBJECT", name=ob.name)
        bag = strip.channelbag(slot, ensure=True)
        grouped = {"group_name": GROUP} if bpy.app.version >= (5, 0, 0) else {}
        return slot, lambda path, index: bag.fcurves.new(path, index=index, **grouped)


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
