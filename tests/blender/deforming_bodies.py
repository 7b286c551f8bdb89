"""Bodies whose mesh an animation deforms."""

import bpy


def sculpted(scene, add):
    """A shape key draws the top aside."""
    ob = add("body")
    ob.shape_key_add(name="Basis")
    key = ob.shape_key_add(name="Aside")
    for place in key.data:
        place.co.x += 0.5 * (place.co.z > 0)
    for frame, value in ((1, 0.0), (20, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)


def posed(scene, add):
    """A leg on the bone of an armature."""
    data = bpy.data.armatures.new("bones")
    rig = bpy.data.objects.new("rig", data)
    scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = data.edit_bones.new("leg")
    bone.head, bone.tail = (0, 0, -2), (0, 0, 2)
    bpy.ops.object.mode_set(mode="OBJECT")
    ob = add("body", scale=(1, 1, 4))
    ob.vertex_groups.new(name="leg").add(range(8), 1.0, "REPLACE")
    ob.modifiers.new("Armature", "ARMATURE").object = rig
    pose = rig.pose.bones["leg"]
    pose.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (20, 0.5)):
        pose.rotation_euler.x = angle
        pose.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(1)


def limp(scene, add):
    """1000 kg/m^3 of 1 m press 9.8 kPa on the lowest part."""
    elastic = add("body").stiction.elastic
    elastic.use, elastic.young = True, 9e3
