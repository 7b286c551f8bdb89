"""Rigid bodies whose mesh deforms while the scene plays: they collide in the shape of the first frame, and are shown in
another."""

import bpy
import numpy as np

from ...solver.base.wording import counted
from ..base.curves import curves_of, varies
from ..deformable.posed import DEFORMING, own_vertices_only
from ..exporting.export import frame_range
from ..joints.ragdoll import body_of_bone
from ..rigid_body.switching import moves
from .base import REFUSED, WARNING, Check, Finding

# What is said of a mesh without a vertex.
NOTHING = "mesh has 0 vertices"
# Modifiers that make another shape at each frame by themselves, and those that Blender simulates.
BY_THEMSELVES = ("WAVE", "OCEAN", "BUILD", "MESH_CACHE", "MESH_SEQUENCE_CACHE")
SIMULATED = ("CLOTH", "SOFT_BODY", "COLLISION", "FLUID", "DYNAMIC_PAINT", "PARTICLE_SYSTEM", "PARTICLE_INSTANCE",
             "EXPLODE")  # fmt: skip
# Least part of its length that the capsule of a bone is thick.
THINNEST = 0.02


def _keyed(owner, start):
    """Whether a curve of an owner of animation varies whose path begins so."""
    return any(curve.data_path.startswith(start) and varies(curve) for curve in curves_of(owner.animation_data))


def _acts(ob, modifier):
    """Whether a modifier makes another shape of an object as the scene plays."""
    if modifier.type in BY_THEMSELVES or _keyed(ob, f'modifiers["{modifier.name}"]'):
        return True
    if modifier.type == "NODES" and modifier.node_group is not None and _plays(modifier.node_group):
        return True
    targets = [getattr(modifier, name, None) for name in ("object", "offset_object", "mirror_object")]
    return any(target is not None and (moves(target) or _keyed(target, "pose.bones")) for target in targets)


def _plays(group):
    """Whether keys, drivers or the time of the scene change what a group of nodes makes."""
    data = group.animation_data
    timed = any(node.bl_idname == "GeometryNodeInputSceneTime" for node in group.nodes)
    return timed or _keyed(group, "") or bool(data is not None and data.drivers)


def deforming(ob):
    """What deforms an object's mesh as the scene plays: modifiers, and None for shape keys."""
    keys = getattr(ob.data, "shape_keys", None)
    found = [None] if keys is not None and _keyed(keys, "") else []
    shown = [one for one in ob.modifiers if one.show_viewport and one.type not in SIMULATED]
    return found + [one for one in shown if _acts(ob, one)]


def _sentence(by):
    """What is said of a rigid body that something deforms, as `deforming` lists it."""
    what = " and ".join("its shape keys" if one is None else f"its modifier {one.name!r}" for one in by)
    deforms = "deforms" if len(by) == 1 and by[0] is not None else "deform"
    return f"{what} {deforms} it, and it collides in the shape of the first frame"


def _rigid(objects):
    """Yield (object, what deforms it) of every rigid body of these that something deforms."""
    for ob in objects:
        by = [] if ob.stiction.elastic.use or ob.stiction.type == "NONE" else deforming(ob)
        if by:
            yield ob, by


def deforming_notes(objects):
    """What a bake says of rigid bodies that something deforms: one made by a script has no check before it."""
    remedies = {True: POSED.repair_label, False: CHECK.repair_label}
    return [f"object {ob.name!r}: {_sentence(by)}; {remedies[_by_bones(by)]}, below Checks in the panel, mends that"
            for ob, by in _rigid(objects)]  # fmt: skip


def _by_bones(by):
    """Whether armatures alone deform a body."""
    return all(one is not None and one.type == "ARMATURE" for one in by)


def _found(scan, posed):
    """Yield a Finding for every rigid body that armatures alone deform, or, not `posed`, that others do."""
    for ob, by in _rigid(ob for ob, _ in scan.objects()):
        if posed == _by_bones(by):
            none = NOTHING in scan.subjects[ob.name].refusal
            text = f"{_sentence(by)}, in which it is nothing" if none else _sentence(by)
            yield Finding((ob.name,), text, REFUSED if none else WARNING)


def find(scan):
    """Yield a Finding for every body that something else than an armature deforms."""
    return _found(scan, False)


def find_posed(scan):
    """Yield a Finding for every body that an armature poses."""
    return _found(scan, True)


def keep_first_shape(scene, objects, _scan):
    """Show objects as they collide: a mesh as it is at the first frame, or their own, where that is nothing; the one
    before stays in the file."""
    now = scene.frame_current_final
    scene.frame_set(frame_range(scene)[0])
    made = [ob for ob in objects if any(one is not None and one.type not in DEFORMING for one in deforming(ob))]
    with own_vertices_only([ob for ob in objects if ob not in made]):
        graph = bpy.context.evaluated_depsgraph_get()
        shapes = [bpy.data.meshes.new_from_object(ob.evaluated_get(graph)) for ob in objects]
    for ob, shape in zip(objects, shapes, strict=True):
        nothing = not len(shape.vertices)
        off = deforming(ob) if nothing else [one for one in ob.modifiers if ob in made or one.type in DEFORMING]
        for one in filter(None, off):
            one.show_viewport = one.show_render = False
        if not nothing:
            ob.data.use_fake_user = True
            shape.name, ob.data = f"{ob.data.name} First Shape", shape
    scene.frame_set(int(now), subframe=now % 1.0)
    return f"{counted(len(objects), 'object')} now shown as at the first frame"


def _thickness(ob, armature, bone):
    """Radius of a bone's capsule as a part of its length: the middle distance of the vertices that it holds most."""
    group = ob.vertex_groups.get(bone.name)
    if group is None:
        return None
    mine = [v.co for v in ob.data.vertices
            if v.groups and max(v.groups, key=lambda entry: entry.weight).group == group.index]  # fmt: skip
    if not mine:
        return None
    rest = armature.matrix_world @ armature.data.bones[bone.name].matrix_local
    places = np.array([rest.inverted() @ ob.matrix_world @ place for place in mine])
    return max(THINNEST, float(np.median(np.hypot(places[:, 0], places[:, 2]))) / bone.bone.length)


def collide_by_bones(scene, objects, _scan):
    """Let Animated capsules on the bones collide instead of a mesh that these pose."""
    made = 0
    for ob in objects:
        for armature in {one.object for one in deforming(ob)}:
            thick = {bone: _thickness(ob, armature, bone) for bone in armature.pose.bones if bone.bone.use_deform}
            for bone in [bone for bone, part in thick.items() if part is not None]:
                body = body_of_bone(scene, armature, bone, thick[bone])
                place = body.matrix_world.copy()
                body.parent, body.parent_type, body.parent_bone = armature, "BONE", bone.name
                body.stiction.type, body.stiction.kinematic = "PASSIVE", True
                bpy.context.view_layer.update()
                body.matrix_world = place
                made += 1
        ob.stiction.type = "NONE"
    return f"{counted(made, 'capsule')} on bones, Animated, collide instead of {counted(len(objects), 'object')}"


CHECK = Check("deforming", "Changing shape", find, "Keep First Shape", keep_first_shape)
POSED = Check("posed", "Posed by bones", find_posed, "Collide by Bones", collide_by_bones)
