"""Bodies whose mesh an animation deforms."""

import bpy

from stiction.blender_addon.base.nodes import new_group


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


def dropped_in_modes(scene, add):
    """Rubber in a few modes falls more than a metre."""
    add("floor", kind="PASSIVE", scale=(5, 5, 0.1))
    elastic = add("body", location=(0, 0, 3.0)).stiction.elastic
    elastic.use, elastic.motion = True, "MODES"


def limp(scene, add):
    """1000 kg/m^3 of 1 m press 9.8 kPa on the lowest part."""
    elastic = add("body").stiction.elastic
    elastic.use, elastic.young = True, 9e3


def stretched(scene, add):
    """The first half of the frames is played over all of them."""
    add("body")
    scene.render.frame_map_old, scene.render.frame_map_new = 100, 200


def with_instances(scene, add, keep_mesh=True):
    """A board whose geometry nodes put a peg on each of its corners, beside its own mesh or instead of it."""
    board = add("body", kind="PASSIVE")
    group, start, end = new_group("pegs")
    peg, points = (group.nodes.new(f"GeometryNode{name}") for name in ("MeshCube", "InstanceOnPoints"))
    peg.inputs["Size"].default_value = (0.2, 0.2, 0.2)
    group.links.new(start.outputs[0], points.inputs["Points"])
    group.links.new(peg.outputs["Mesh"], points.inputs["Instance"])
    last = points.outputs[0]
    if keep_mesh:
        join = group.nodes.new("GeometryNodeJoinGeometry")
        group.links.new(start.outputs[0], join.inputs[0])
        group.links.new(last, join.inputs[0])
        last = join.outputs[0]
    group.links.new(last, end.inputs[0])
    board.modifiers.new("pegs", "NODES").node_group = group
    return board


def soft(ob, **settings):
    """The object with Soft Body, its goal off."""
    own = ob.modifiers.new("Softbody", "SOFT_BODY").settings
    own.use_goal = False
    for name, value in settings.items():
        setattr(own, name, value)
    return ob


def soft_balls():
    """Two balls of Soft Body as it is added, Goal off, that fall on a ground with Collision, one on the other."""
    bpy.ops.mesh.primitive_plane_add(size=20)
    bpy.context.object.modifiers.new("Collision", "COLLISION")
    balls = []
    for x, z in ((0.0, 3.0), (1.2, 5.5)):
        bpy.ops.mesh.primitive_uv_sphere_add(radius=1, location=(x, 0, z))
        balls.append(bpy.context.object)
        soft(balls[-1])
    return balls
