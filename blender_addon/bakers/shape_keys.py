"""Frames as shape keys: one absolute key a frame, and the evaluation time of the mesh's keys animated through them.

They lie in the .blend file and can be sculpted, driven and exported to games; each takes as much room as the mesh.
"""

import bpy
import numpy as np

from ..base.curves import curves_of
from ..base.renewed import forget, refer
from ..settings.motion import follows

# Key of objects whose mesh has a bake's keys.
MARK = "stiction_soft_keys"
# Bytes of keys that a mesh gets at most: every frame stays in the file and in memory.
MOST = 500_000_000
NAME = "Stiction"


def hindrance(ob, frame_count):
    """A sentence on why an object cannot get the keys of so many frames, empty if it can."""
    who = f"{ob.name!r} plays a Mesh Cache instead of shape keys:"
    if follows(ob.stiction):
        return f"{who} its pins follow its animation, which would move the keys too"
    if ob.mode == "EDIT":
        return f"{who} its mesh is being edited, which would undo the keys; leave Edit Mode and bake again"
    if ob.data.shape_keys is not None and not ob.get(MARK):
        return f"{who} its mesh has shape keys of its own"
    if ob.data.library is not None:
        return f"{who} its mesh is linked from {ob.data.library.filepath}, where no key can be kept; make it local"
    if ob.data.users > 1:
        return f"{who} its mesh belongs to {ob.data.users} objects, which would all move; make it single-user"
    size = 12 * len(ob.data.vertices) * frame_count
    return f"{who} {frame_count} frames of its mesh take {size / 1e6:.0f} MB, {MOST / 1e6:.0f} at most" \
        if size > MOST else ""  # fmt: skip


def write(ob, parts, frames):
    """Generator that gives a mesh a key for each of parts (1,V,3) and has them played at frames (F,)."""
    ob.shape_key_add(name="Basis", from_mix=False)
    for number, places in enumerate(parts):
        key = ob.shape_key_add(name=f"{NAME} {number + 1}", from_mix=False)
        key.interpolation = "KEY_LINEAR"
        key.data.foreach_set("co", np.ascontiguousarray(places[0], dtype=np.float32).ravel())
        yield 1
    keys = ob.data.shape_keys
    refer(ob.data, keys)
    keys.use_relative = False
    own = keys.key_blocks[1:]
    for key, frame in ((own[0], frames[0]), (own[-1], frames[len(own) - 1])):
        keys.eval_time = key.frame
        keys.keyframe_insert("eval_time", frame=float(frame))
    for curve in curves_of(keys.animation_data):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    ob[MARK] = True
    # The first one stays the one that is edited.
    ob.active_shape_key_index = 0


def clear(ob):
    """Take the keys away again, with their action."""
    keys = ob.data.shape_keys
    if keys is not None:
        action = keys.animation_data.action if keys.animation_data is not None else None
        ob.shape_key_clear()
        forget(ob.data)
        if action is not None and action.users == 0:
            bpy.data.actions.remove(action)
    ob.show_only_shape_key = False
    del ob[MARK]
