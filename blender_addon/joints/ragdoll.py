"""An armature as a ragdoll: a capsule for every bone, joined where the bones are; and its motion back on the bones.

A body's frame is its bone's, so two bone constraints show the simulation on the armature as soon as it is baked.
"""

from math import pi, radians

import bpy
import numpy as np
from mathutils import Matrix

from ..base.curves import ActionWriter, curves_of
from . import made_parts
from .adding import add_joint
from .made_parts import capsule_mesh, remove_parts

MARK, CONSTRAINT, KEPT = "stiction_ragdoll", "Stiction Ragdoll", "stiction_action"
# Property of a bone: its pose, how it turned, and which of its constraints acted, before it was keyed.
BEFORE = "stiction_before_keys"
# Radius of a capsule, and what is left free at either end, as parts of the bone's length; swing and twist [rad] of
# bones without limits.
THICK, CLEAR, SWING, TWIST = 0.12, 0.06, radians(45), radians(30)
# Fine enough to be taken for the exact capsule.
AROUND, RINGS = 48, 13
LETTERS = "xyz"
# Density of a body of flesh and bone [kg/m^3].
FLESH = 1050.0


def make_ragdoll(scene, armature, names=None, thick=THICK):
    """Bodies and joints of the armature's bones called `names`, of all that deform without; as posed now.

    Returns (bodies, joints).
    """
    chosen = [bone for bone in armature.pose.bones if (bone.name in names if names else bone.bone.use_deform)]
    bodies = {bone.name: body_of_bone(scene, armature, bone, thick) for bone in chosen}
    joints = []
    for bone in chosen:
        parent = bone.parent
        while parent is not None and parent.name not in bodies:
            parent = parent.parent
        if parent is not None:
            joints.append(_joint(scene, armature, bone, bodies[parent.name], bodies[bone.name]))
        _follow(bone, bodies[bone.name])
    return list(bodies.values()), joints


def _frame(armature, bone):
    """World matrix of a posed bone without scale, and its length."""
    world = armature.matrix_world @ bone.matrix
    place, turn, scale = world.decompose()
    return Matrix.Translation(place) @ turn.to_matrix().to_4x4(), bone.bone.length * scale.y


def body_of_bone(scene, armature, bone, thick):
    """An Active capsule along a posed bone, its radius `thick` times the bone's length."""
    matrix, length = _frame(armature, bone)
    mesh = bpy.data.meshes.new(f"{bone.name} Body")
    radius = thick * length
    # A little short at both ends.
    ends = CLEAR * length + radius, (1 - CLEAR) * length - radius
    mesh.from_pydata(*capsule_mesh(*ends, radius, AROUND, RINGS))
    ob = bpy.data.objects.new(f"{armature.name} {bone.name}", mesh)
    ob.matrix_world, ob.display_type, ob.hide_render = matrix, "WIRE", True
    ob.rotation_mode, ob[MARK] = "QUATERNION", armature.name
    ob.matrix_world = matrix
    scene.collection.objects.link(ob)
    ob.stiction.type, ob.stiction.density = "ACTIVE", FLESH
    return ob


def limits_of(bone):
    """{x, y, z: (low, high) [rad] or None} that a bone's Limit Rotation or its IK settings give it; None: no limit."""
    found = {}
    rule = next((c for c in bone.constraints if c.type == "LIMIT_ROTATION" and not c.mute), None)
    for letter in LETTERS:
        if rule is not None and getattr(rule, f"use_limit_{letter}"):
            found[letter] = getattr(rule, f"min_{letter}"), getattr(rule, f"max_{letter}")
        elif getattr(bone, f"lock_ik_{letter}"):
            found[letter] = 0.0, 0.0
        elif getattr(bone, f"use_ik_limit_{letter}"):
            found[letter] = getattr(bone, f"ik_min_{letter}"), getattr(bone, f"ik_max_{letter}")
        else:
            found[letter] = None
    return found


def _joint(scene, armature, bone, parent, body):
    """A hinge where the bone's limits leave one axis, else a ball joint; counted from the pose it has now."""
    limits, now = limits_of(bone), bone.matrix_basis.to_euler("XYZ")
    free = [letter for letter in LETTERS if limits[letter] is None or np.ptp(limits[letter]) > 1e-6]
    matrix, _ = _frame(armature, bone)
    axis = free[0] if len(free) == 1 else "y"
    kind = {0: "fixed", 1: "hinge"}.get(len(free), "ball")
    made = add_joint(scene, kind, (parent, body), matrix.translation)
    made.name = f"{armature.name} {bone.name} Joint"
    # Z of the joint is the axis of the hinge, or runs along the bone.
    turn = {"x": Matrix.Rotation(pi / 2, 4, "Y"), "y": Matrix.Rotation(-pi / 2, 4, "X"), "z": Matrix.Identity(4)}[axis]
    made.matrix_world, made[MARK] = matrix @ turn, armature.name
    own = made.stiction_joint
    if kind == "hinge" and limits[axis] is not None:
        start = now[LETTERS.index(axis)]
        own.rz.use_low = own.rz.use_high = True
        own.rz.low, own.rz.high = (end - start for end in limits[axis])
    elif kind == "ball":
        bends = [max(abs(end) for end in limits[letter]) for letter in "xz" if limits[letter] is not None]
        own.swing.use_high, own.swing.high = True, max(bends, default=SWING)
        own.twist.use_low = own.twist.use_high = True
        own.twist.low, own.twist.high = limits["y"] or (-TWIST, TWIST)
    return made


def _follow(bone, body):
    """Constraints that let a bone follow its body."""
    for kind in ("COPY_ROTATION", "COPY_LOCATION"):
        rule = bone.constraints.new(kind)
        rule.name, rule.target = CONSTRAINT, body


def parts_of(scene, armature):
    """Bodies and joints of an armature's ragdoll."""
    return made_parts.parts_of(scene, MARK, armature)


def _rules(armature):
    for bone in armature.pose.bones:
        for rule in [rule for rule in bone.constraints if rule.name.startswith(CONSTRAINT)]:
            yield bone, rule


def to_bones(scene, armature, frames):
    """Key the pose that the baked ragdoll gives the bones at `frames`, and let them follow the bodies no more. Other
    constraints of the bones are muted. All of it, and the armature's own action, comes back by `remove`. Returns the
    number of bones."""
    bones = list(dict.fromkeys(bone for bone, _ in _rules(armature)))
    poses = _sampled(scene, armature, bones, frames)
    keyed = {f'pose.bones["{bone.name}"].' for bone in bones}
    data = armature.animation_data_create()
    before = data.action
    others = [curve for curve in curves_of(data) if not any(curve.data_path.startswith(path) for path in keyed)]
    channels, values = [], []
    for bone in bones:
        _for_keys_alone(bone)
        path = f'pose.bones["{bone.name}"].'
        channels += [(path + "location", i) for i in range(3)] + [(path + "rotation_quaternion", i) for i in range(4)]
        values.append(poses[bone.name].T)
    if before is not None:
        before.use_fake_user = True
        armature[KEPT] = before.name
    if bones:
        writer = ActionWriter("Stiction Ragdoll", np.asarray(frames, dtype=float))
        writer.write(armature, channels, np.concatenate(values), others)
    return len(bones)


def _for_keys_alone(bone):
    """Turn by quaternions, and mute all constraints: a Limit Rotation, say, would act on the keys, as it did not act on
    what follows a body."""
    if BEFORE not in bone:
        acting = [rule.name for rule in bone.constraints if not rule.mute and not rule.name.startswith(CONSTRAINT)]
        pose = [value for row in bone.matrix_basis for value in row]
        bone[BEFORE] = {"mode": bone.rotation_mode, "pose": pose, "acting": acting}
    bone.rotation_mode = "QUATERNION"
    for rule in bone.constraints:
        rule.mute = True


def _as_before_keys(bone):
    if BEFORE not in bone:
        return
    before = bone[BEFORE]
    bone.rotation_mode = before["mode"]
    bone.matrix_basis = np.reshape(before["pose"], (4, 4))
    for rule in bone.constraints:
        rule.mute = rule.mute and rule.name not in before["acting"]
    del bone[BEFORE]


def _sampled(scene, armature, bones, frames):
    """{bone: location and quaternion (F,7) in the bone's own space}, signs continuous."""
    found, current = {bone.name: np.empty((len(frames), 7)) for bone in bones}, scene.frame_current
    for row, frame in enumerate(frames):
        scene.frame_set(int(frame))
        posed = armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        for bone in bones:
            place, turn, _ = _own_space(posed[bone.name]).decompose()
            if row and np.dot(found[bone.name][row - 1, 3:], turn) < 0:
                turn.negate()
            found[bone.name][row] = (*place, *turn)
    scene.frame_set(current)
    return found


def _own_space(bone):
    """What a bone's own channels must be for it to stand as it does."""
    above = {}
    if bone.parent is not None:
        above = {"parent_matrix": bone.parent.matrix, "parent_matrix_local": bone.parent.bone.matrix_local}
    return bone.bone.convert_local_to_pose(bone.matrix, bone.bone.matrix_local, **above, invert=True)


def remove(scene, armature):
    """Take the ragdoll away: bodies, joints, constraints; the armature's own action comes back."""
    for bone, rule in list(_rules(armature)):
        bone.constraints.remove(rule)
    for bone in armature.pose.bones:
        _as_before_keys(bone)
    count = remove_parts(parts_of(scene, armature))
    data = armature.animation_data
    written = data.action if data is not None and data.action is not None else None
    if written is not None and written.name.startswith("Stiction Ragdoll"):
        data.action = bpy.data.actions.get(armature.get(KEPT, ""))
        bpy.data.actions.remove(written)
    if KEPT in armature:
        del armature[KEPT]
    return count
