"""What stands behind a pose and a mesh, as bytes: equal at every frame one looks at, other if the export would be.

A pose is hashed by its inputs: the channels that nothing animates, the curves of those that are, the same of parents
and of the targets of constraints and drivers. A mesh is hashed as evaluated, which is what the export reads, unless
something animates it: then what it is made from is, because what is evaluated belongs to the frame one looks at.
"""

import hashlib

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion

from ..base.curves import LAYERED
from ..deformable.posed import DEFORMING
from ..exporting.meshes import mesh_of
from ..settings.motion import follows, is_deformable
from .contents import data_values, is_timed, plain, simple_values, tree_targets, tree_values, trees_in
from .mesh_contents import mesh_bytes, mesh_layers, shape_key_bytes
from .muting import muted_by_bake
from .record import own_pose

# Modifiers whose result depends on the frame by itself.
TIMED = {
    "BUILD", "CLOTH", "COLLISION", "DYNAMIC_PAINT", "EXPLODE", "FLUID", "MESH_CACHE", "MESH_SEQUENCE_CACHE", "OCEAN",
    "PARTICLE_INSTANCE", "PARTICLE_SYSTEM", "SOFT_BODY", "WAVE",
}  # fmt: skip
# Properties of modifiers and constraints that only Blender's panels and selections know.
SHOWN = {
    "rna_type", "name", "show_expanded", "show_in_editmode", "show_on_cage", "show_render", "is_active", "active",
    "execution_time", "persistent_uid", "use_pin_to_last", "is_override_data", "error_location", "error_rotation",
    "is_valid", "mute", "enabled",
}  # fmt: skip
# What every datablock has, and no modifier reads.
IDENTITY = {entry.identifier for entry in bpy.types.ID.bl_rna.properties}
# Poses equal to so many digits are equal: single precision carries seven.
DIGITS = 6


class Fingerprints:
    """Fingerprints of the objects of one scene, made once each."""

    def __init__(self, scene, graph):
        self.frame, self.graph = scene.frame_current_final, graph
        self._poses, self._meshes, self._animated, self._targets = {}, {}, {}, {}

    def pose(self, ob):
        """Bytes that stand for the object's world matrix at every frame, without the bake."""
        key = ob.session_uid
        if key not in self._poses:
            # Found again on a circle of dependencies, which Blender breaks as well.
            self._poses[key] = b"circle"
            self._poses[key] = self._pose(ob)
        return self._poses[key]

    def _pose(self, ob):
        animation = own_animation(ob)
        location, rotation = own_pose(ob, self.frame)
        if animation is None:
            parts = [own_matrix(ob, location, rotation)]
        else:
            channels = {
                "location": location, "rotation": (ob.rotation_mode, *rotation), "scale": tuple(ob.scale),
                "delta_location": tuple(ob.delta_location), "delta_scale": tuple(ob.delta_scale),
                "delta_rotation": (*ob.delta_rotation_euler, *ob.delta_rotation_quaternion),
            }  # fmt: skip
            paths = animation.paths
            still = {name: values for name, values in channels.items()
                     if not any(path.startswith(name) for path in paths)}  # fmt: skip
            parts = [repr(still).encode(), animation.content, *map(self.pose, animation.targets)]
        if ob.parent is not None:
            parts += [self._parent(ob), np.array(ob.matrix_parent_inverse, dtype=np.float32).tobytes()]
        muted, paths = muted_by_bake(ob), () if animation is None else animation.paths
        for constraint in ob.constraints:
            if not constraint.mute or constraint.name in muted:
                parts += self._settings(constraint, paths)
        return _joined(parts)

    def stance(self, ob, turned):
        """As `pose`, wherever the object is, and if `turned` however it is turned."""
        if ob.parent is not None or ob.constraints or own_animation(ob) is not None:
            return self.pose(ob)
        if not turned:
            return own_matrix(ob, [-value for value in ob.delta_location], own_pose(ob, self.frame)[1])
        return _rounded([a * b for a, b in zip(ob.scale, ob.delta_scale, strict=True)])

    def _parent(self, ob):
        kind = (ob.parent_type, ob.parent_bone, tuple(ob.parent_vertices))
        parts = [repr(kind).encode(), self.pose(ob.parent)]
        if ob.parent_type == "BONE":
            parts.append(self._bones(ob.parent))
        elif ob.parent_type.startswith("VERTEX") and ob.parent.type == "MESH":
            parts.append(self.mesh(ob.parent))
        return _joined(parts)

    def _bones(self, armature):
        """The pose of an armature."""
        animation = own_animation(armature)
        parts = [b"" if animation is None else animation.content]
        paths = () if animation is None else animation.paths
        for bone in armature.pose.bones:
            if not any(f'"{bone.name}"' in path for path in paths):
                parts.append(_rounded([value for row in bone.matrix_basis for value in row]))
            for constraint in bone.constraints:
                parts += self._settings(constraint, ())
        return _joined(parts)

    def mesh(self, ob):
        """Bytes that stand for the object's mesh at the first frame; empty for what is no mesh."""
        if ob.type != "MESH":
            return b""
        if follows(ob.stiction):
            # What makes vertices comes after the motion.
            return self._mesh_inputs(ob, [one for one in ob.modifiers if one.type in DEFORMING - {"MESH_CACHE"}])
        if is_deformable(ob.stiction):
            # Its modifiers come after the motion.
            return self._content(mesh_of(ob))
        if self._mesh_animated(ob):
            return self._mesh_inputs(ob)
        evaluated = ob.evaluated_get(self.graph.now())
        mesh = mesh_of(evaluated) if evaluated.is_evaluated else ob.data
        return self._content(mesh)

    def _content(self, mesh):
        key = mesh.as_pointer()
        if key not in self._meshes:
            self._meshes[key] = mesh_bytes(mesh)
        return self._meshes[key]

    def _mesh_animated(self, ob):
        """True if the mesh differs from frame to frame, as far as can be told without looking at them."""
        data = ob.data
        keys = data.shape_keys
        if not ob.modifiers and keys is None and data.animation_data is None:
            return False
        if any(own_animation(part) is not None for part in (data, keys) if part is not None):
            return True
        animation = own_animation(ob)
        if animation is not None and any(path.startswith("modifiers") for path in animation.paths):
            return True
        return any(self._moves(modifier, ob) for modifier in ob.modifiers if modifier.show_viewport)

    def _moves(self, modifier, ob):
        if modifier.type in TIMED:
            return True
        # What another object does to the mesh moves with that object, or with this one against it.
        others = [target for target in targets_of(modifier) if target != ob]
        return any(self._moving(target) for target in others) or (bool(others) and self._moving(ob))

    def _moving(self, target):
        """True if an object or a parent of it is animated, or baked; or a tree of nodes is."""
        key = target.session_uid
        if key not in self._animated:
            self._animated[key] = False
            moving = own_animation(target) is not None
            if isinstance(target, bpy.types.Object):
                moving = moving or target.stiction.record.baked or bool(target.constraints)
                moving = moving or target.parent is not None and self._moving(target.parent)
                moving = moving or target.type == "ARMATURE"
            elif isinstance(target, bpy.types.NodeTree):
                moving = moving or is_timed(target) or any(map(self._moving, _objects(tree_targets(target))))
                moving = moving or any(own_animation(tree) is not None for tree in trees_in(target))
            self._animated[key] = moving
        return self._animated[key]

    def _mesh_inputs(self, ob, modifiers=None):
        """What an animated mesh is made from; modifiers: those that count, None for all."""
        mesh, keys = mesh_of(ob), ob.data.shape_keys
        parts = [mesh_bytes(mesh), *mesh_layers(ob, mesh)]
        for part in (ob, ob.data, keys):
            animation = own_animation(part) if part is not None else None
            if animation is not None:
                parts += [animation.content, *map(self.pose, animation.targets)]
        if keys is not None:
            parts += shape_key_bytes(keys)
        for modifier in ob.modifiers if modifiers is None else modifiers:
            if modifier.show_viewport:
                animation = own_animation(ob)
                parts += self._settings(modifier, () if animation is None else animation.paths)
        return _joined(parts)

    def _settings(self, group, animated_paths):
        """Values of a modifier or constraint, and the poses of the objects it looks at."""
        owned = f'["{group.name}"]'
        animated = {path.partition(owned)[2] for path in animated_paths if owned in path}
        values = {}
        for entry in group.bl_rna.properties:
            name = entry.identifier
            if name in SHOWN or f".{name}" in animated or entry.type in ("POINTER", "COLLECTION"):
                continue
            value = getattr(group, name)
            values[name] = tuple(np.ravel(np.array(value)).tolist()) if getattr(entry, "is_array", False) else value
        inputs = {path: plain(value) for path, value in _inputs(group).items() if path not in animated}
        return [repr((values, inputs)).encode(), *sorted(map(self._behind, targets_of(group)))]

    def _behind(self, target):
        """Bytes that stand for a datablock that a modifier or constraint points at."""
        key = target.session_uid
        if key not in self._targets:
            # Found again on a circle.
            self._targets[key] = b"circle"
            self._targets[key] = _joined(self._target_parts(target))
        return self._targets[key]

    def _target_parts(self, target):
        if isinstance(target, bpy.types.Object):
            yield self.pose(target)
            yield self.mesh(target)
            if target.type == "ARMATURE":
                yield self._bones(target)
            elif target.data is not None:
                yield repr(data_values(target.data)).encode()
            return
        owners = [target]
        if isinstance(target, bpy.types.NodeTree):
            owners = trees_in(target)
            yield repr(tree_values(target, _animated_paths)).encode()
            yield from sorted(map(self._behind, _objects(tree_targets(target))))
        elif isinstance(target, bpy.types.Texture):
            yield repr(simple_values(target, IDENTITY, "", _animated_paths(target))).encode()
        for owner in owners:
            animation = own_animation(owner)
            if animation is not None:
                yield animation.content
                yield from map(self.pose, animation.targets)


class Animation:
    """Curves, drivers and strips of a datablock: the paths they set, their content, the objects drivers look at."""

    def __init__(self, curves, drivers, tracks):
        self.paths = {curve.data_path for curve in (*curves, *drivers)}
        self.targets = [variable.id for driver in drivers for entry in driver.driver.variables
                        for variable in entry.targets if isinstance(variable.id, bpy.types.Object)]  # fmt: skip
        content = hashlib.blake2b(digest_size=16)
        for curve in sorted(curves, key=lambda curve: (curve.data_path, curve.array_index)):
            content.update(_curve_bytes(curve))
        for driver in drivers:
            content.update(repr((driver.data_path, driver.array_index, driver.driver.expression)).encode())
        for track in tracks:
            for strip in track.strips:
                content.update(repr((track.mute, strip.frame_start, strip.frame_end, strip.scale, strip.repeat,
                                     strip.influence, strip.blend_type, strip.mute)).encode())  # fmt: skip
                for curve in _curves(strip.action, getattr(strip, "action_slot", None)):
                    self.paths.add(curve.data_path)
                    content.update(_curve_bytes(curve))
        self.content = content.digest()


def own_animation(owner):
    """The Animation of a datablock without a bake; None where nothing moves it."""
    data = owner.animation_data
    record = owner.stiction.record if isinstance(owner, bpy.types.Object) else None
    if record is not None and record.baked:
        action = record.action
        slot = action.slots.get(record.slot) if LAYERED and action is not None and record.slot else None
    elif data is None:
        return None
    else:
        action, slot = data.action, getattr(data, "action_slot", None)
    curves = _curves(action, slot)
    drivers = list(data.drivers) if data is not None else []
    tracks = list(data.nla_tracks) if data is not None else []
    return Animation(curves, drivers, tracks) if curves or drivers or tracks else None


def _curves(action, slot):
    if action is None:
        return []
    if not LAYERED:
        return list(action.fcurves)
    if slot is None:
        return []
    bags = [strip.channelbag(slot) for layer in action.layers for strip in layer.strips]
    return [curve for bag in bags if bag for curve in bag.fcurves]


def _curve_bytes(curve):
    points, parts = curve.keyframe_points, [f"{curve.data_path}{curve.array_index}{curve.mute}{curve.extrapolation}"]
    content = b""
    for name in ("co", "handle_left", "handle_right"):
        values = np.empty(2 * len(points), dtype=np.float32)
        points.foreach_get(name, values)
        content += values.tobytes()
    kinds = np.empty(len(points), dtype=np.int32)
    points.foreach_get("interpolation", kinds)
    parts += [modifier.type for modifier in curve.modifiers]
    return repr(parts).encode() + content + kinds.tobytes()


def targets_of(group):
    """Datablocks that a modifier or constraint points at: objects, also those of collections, and trees of nodes."""
    found = []
    for entry in group.bl_rna.properties:
        if entry.type == "POINTER" and entry.identifier != "rna_type":
            _add_target(found, getattr(group, entry.identifier))
    for value in _inputs(group).values():
        _add_target(found, value)
    for target in getattr(group, "targets", ()):
        _add_target(found, getattr(target, "target", None))
    return found


def _add_target(found, value):
    if isinstance(value, bpy.types.Collection):
        found.extend(value.all_objects)
    elif isinstance(value, bpy.types.ID):
        found.append(value)


def _objects(values):
    """Objects, those of collections among them."""
    found = []
    for value in values:
        _add_target(found, value)
    return found


def _animated_paths(owner):
    """Paths of a datablock that curves and drivers set."""
    animation = own_animation(owner)
    return () if animation is None else animation.paths


def _inputs(group):
    """{path: value} of what a modifier of geometry nodes was given, by the end of the path that animates it: custom
    properties up to Blender 5.1, and from 5.2 on structures of their own."""
    structure = getattr(getattr(group, "properties", None), "inputs", None)
    if structure is None:
        return {f'["{key}"]': group[key] for key in _own_keys(group)}
    found = {}
    for entry in structure.bl_rna.properties:
        socket = getattr(structure, entry.identifier) if entry.type == "POINTER" else None
        for name in ("value", "type", "attribute_name"):
            if hasattr(socket, name):
                found[f".properties.inputs.{entry.identifier}.{name}"] = getattr(socket, name)
    return found


def _own_keys(group):
    """Keys of its custom properties."""
    try:
        return list(group.keys())
    except TypeError:
        return []


def own_matrix(ob, location, rotation):
    """Bytes of the object's own matrix, deltas included, rounded: however its rotation is written."""
    mode = ob.rotation_mode
    if mode == "QUATERNION":
        turn = Quaternion(rotation).to_matrix()
        delta = ob.delta_rotation_quaternion.to_matrix()
    elif mode == "AXIS_ANGLE":
        turn, delta = Matrix.Rotation(rotation[0], 3, rotation[1:4]), Matrix.Identity(3)
    else:
        turn, delta = Euler(rotation, mode).to_matrix(), ob.delta_rotation_euler.to_matrix()
    scale = [a * b for a, b in zip(ob.scale, ob.delta_scale, strict=True)]
    rows = delta @ turn
    place = [a + b for a, b in zip(location, ob.delta_location, strict=True)]
    return _rounded((*rows[0], *rows[1], *rows[2])) + _rounded((*place, *scale))


def _rounded(values):
    """Bytes of a few numbers, to so many digits of the largest. In plain Python: for so few numpy takes longer."""
    size = max(1.0, *map(abs, values))
    # Adding zero makes one of the two zeros.
    return repr([round(value / size, DIGITS) + 0.0 for value in values] + [round(size, DIGITS)]).encode()


def _joined(parts):
    content = hashlib.blake2b(digest_size=16)
    for part in parts:
        content.update(part)
        content.update(b"|")
    return content.digest()
