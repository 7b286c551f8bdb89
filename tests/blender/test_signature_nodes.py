"""The fingerprint of a mesh that something animates: what its modifiers' trees of nodes, textures and targets hold."""

import bpy
import pytest
from conftest import new_object

from stiction.blender_addon.baking.signature import signature
from stiction.blender_addon.exporting.export import export_scene
from stiction.solver.scene_io.scene_file import scene_digest

# Nodes of the outer tree: what they are called here, and what they are.
KINDS = {
    "In": "NodeGroupInput", "Out": "NodeGroupOutput", "Offset": "ShaderNodeCombineXYZ", "Math": "ShaderNodeMath",
    "Move": "GeometryNodeTransform", "Join": "GeometryNodeJoinGeometry", "Object": "GeometryNodeObjectInfo",
    "Group": "GeometryNodeGroup", "Curve": "ShaderNodeFloatCurve", "Guest": "GeometryNodeObjectInfo",
}  # fmt: skip


def ob(name):
    return bpy.data.objects[name]


def tree(name):
    return bpy.data.node_groups[name]


def node(name):
    return tree("Shaping").nodes[name]


def given(name):
    """(what the path is from, path) of the value that the modifier gives to an input of the outer tree."""
    modifier = ob("body").modifiers["Nodes"]
    key = next(item.identifier for item in tree("Shaping").interface.items_tree if item.name == name)
    if hasattr(modifier, "properties"):
        return getattr(modifier.properties.inputs, key), "value"
    return modifier, f'["{key}"]'


def give(name, value):
    owner, path = given(name)
    if path == "value":
        owner.value = value
    else:
        owner[path[2:-2]] = value
    ob("body").update_tag()


def exported(scene):
    return scene_digest(export_scene(scene).scene)


def _interface(group, sockets):
    for name, way, kind in sockets:
        group.interface.new_socket(name, in_out=way, socket_type=kind)


def _inner():
    """A group that scales geometry by a number."""
    group = bpy.data.node_groups.new("Inner", "GeometryNodeTree")
    _interface(group, [("Mesh", "INPUT", "NodeSocketGeometry"), ("Mesh", "OUTPUT", "NodeSocketGeometry")])
    start, end = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    turn = group.nodes.new("GeometryNodeTransform")
    turn.name = "Transform"
    turn.inputs["Scale"].default_value = (1.0, 1.0, 1.2)
    group.links.new(start.outputs[0], turn.inputs["Geometry"])
    group.links.new(turn.outputs[0], end.inputs[0])
    return group


def _shaping():
    """A tree with a number given by the modifier, a moved copy of another object, and a group."""
    group = bpy.data.node_groups.new("Shaping", "GeometryNodeTree")
    _interface(group, [("Mesh", "INPUT", "NodeSocketGeometry"), ("Lift", "INPUT", "NodeSocketFloat"),
                       ("Size", "INPUT", "NodeSocketVector"), ("Guest", "INPUT", "NodeSocketObject"),
                       ("Mesh", "OUTPUT", "NodeSocketGeometry")])  # fmt: skip
    made = {}
    for name, kind in KINDS.items():
        made[name] = group.nodes.new(kind)
        made[name].name = name
    made["Group"].node_tree = _inner()
    made["Math"].inputs[1].default_value = 0.25
    made["Curve"].inputs["Value"].default_value = 0.3
    made["Object"].inputs["Object"].default_value = ob("part")
    made["Object"].transform_space = "RELATIVE"
    link = group.links.new
    link(made["In"].outputs["Lift"], made["Math"].inputs[0])
    link(made["Math"].outputs[0], made["Offset"].inputs["Z"])
    link(made["Curve"].outputs[0], made["Offset"].inputs["X"])
    link(made["In"].outputs["Mesh"], made["Group"].inputs[0])
    link(made["Group"].outputs[0], made["Move"].inputs["Geometry"])
    link(made["Offset"].outputs[0], made["Move"].inputs["Translation"])
    link(made["In"].outputs["Size"], made["Move"].inputs["Scale"])
    link(made["In"].outputs["Guest"], made["Guest"].inputs["Object"])
    link(made["Guest"].outputs["Geometry"], made["Join"].inputs[0])
    link(made["Move"].outputs[0], made["Join"].inputs[0])
    link(made["Object"].outputs["Geometry"], made["Join"].inputs[0])
    link(made["Join"].outputs[0], made["Out"].inputs[0])
    return group


@pytest.fixture
def shaped(scene):
    """Meshes made by geometry nodes with an animated input, by a displacement, a lattice and a curve that are
    animated."""
    new_object("ball", location=(0, 0, 9))
    new_object("part", kind="NONE", location=(0, 0, 3))
    body = new_object("body", kind="PASSIVE")
    body.stiction.shape = "MESH"
    modifier = body.modifiers.new("Nodes", "NODES")
    modifier.node_group = _shaping()
    give("Size", (1.0, 1.0, 1.0))
    owner, path = given("Lift")
    for frame, value in ((1, 0.5), (20, 2.0)):
        give("Lift", value)
        owner.keyframe_insert(path, frame=frame)
    _displaced()
    for name, kind, make in (("lattice", "LATTICE", bpy.data.lattices.new),
                             ("curve", "CURVE", lambda name: bpy.data.curves.new(name, "CURVE"))):  # fmt: skip
        _deformed(scene, name, kind, make(name))
    scene.frame_set(1)
    bpy.context.view_layer.update()
    return scene


def _displaced():
    body = new_object("rough", kind="PASSIVE", location=(5, 0, 0))
    body.stiction.shape = "MESH"
    modifier = body.modifiers.new("Displace", "DISPLACE")
    modifier.texture = bpy.data.textures.new("clouds", "CLOUDS")
    modifier.keyframe_insert("strength", frame=1)


def _deformed(scene, name, kind, data):
    """A mesh that follows an object which moves."""
    if kind == "CURVE":
        data.dimensions = "3D"
        data.splines.new("POLY").points.add(2)
        for k, point in enumerate(data.splines[0].points):
            point.co = (k, 0.1 * k, 0, 1)
    guide = bpy.data.objects.new(name, data)
    scene.collection.objects.link(guide)
    guide.location = (0, 5, 0)
    guide.keyframe_insert("location", frame=1)
    body = new_object(f"by {name}", kind="PASSIVE", location=(0, 5, 0))
    body.stiction.shape = "MESH"
    body.modifiers.new("Follow", kind).object = guide


def unlink():
    socket = node("Offset").inputs["Z"]
    tree("Shaping").links.remove(socket.links[0])


def bend_point():
    ob("lattice").data.points[0].co_deform.x -= 0.4


CHANGES = {
    "number given": lambda: give("Size", (1.0, 1.0, 1.5)),
    "object given": lambda: give("Guest", ob("ball")),
    "number in a node": lambda: setattr(node("Math").inputs[1], "default_value", 0.5),
    "operation of a node": lambda: setattr(node("Math"), "operation", "SUBTRACT"),
    "node muted": lambda: setattr(node("Move"), "mute", True),
    "link removed": unlink,
    "number in a group": lambda: setattr(tree("Inner").nodes["Transform"].inputs["Scale"], "default_value", (1, 2, 1)),
    "curve in a node": lambda: (setattr(node("Curve").mapping.curves[0].points[0], "location", (0.0, 0.5)),
                                node("Curve").mapping.update(), tree("Shaping").update_tag()),
    "another object": lambda: setattr(node("Object").inputs["Object"], "default_value", ob("rough")),
    "place of the object": lambda: setattr(ob("part"), "location", (1, 0, 3)),
    "mesh of the object": lambda: setattr(ob("part").data.vertices[0].co, "x", -0.7),
    "texture": lambda: setattr(bpy.data.textures["clouds"], "noise_scale", 0.8),
    "point of a lattice": bend_point,
    "point of a curve": lambda: setattr(ob("curve").data.splines[0].points[1].co, "z", 0.6),
}  # fmt: skip
SAME = {
    "node moved about": lambda: setattr(node("Math"), "location", (300, 200)),
    "node renamed": lambda: setattr(node("Math"), "name", "Zzz"),
    "node selected": lambda: setattr(node("Math"), "select", not node("Math").select),
    "group renamed": lambda: setattr(tree("Inner"), "name", "Aaa"),
    "object renamed": lambda: setattr(ob("part"), "name", "piece"),
    "texture renamed": lambda: setattr(bpy.data.textures["clouds"], "name", "fog"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_what_changes_the_export_changes_the_fingerprint(shaped, case):
    before, was = signature(shaped), exported(shaped)
    CHANGES[case]()
    for data in (ob("part").data, ob("lattice").data, ob("curve").data):
        data.update_tag()
    bpy.context.view_layer.update()
    assert exported(shaped) != was, "the case means nothing"
    assert signature(shaped) != before


@pytest.mark.parametrize("case", SAME)
def test_nothing_else_does(shaped, case):
    before = signature(shaped)
    SAME[case]()
    bpy.context.view_layer.update()
    assert signature(shaped) == before


def test_other_frames_leave_it(shaped):
    """Also where a tree's own numbers are animated, or it reads the time."""
    math = node("Math")
    for frame, value in ((1, 0.1), (20, 0.9)):
        math.inputs[1].default_value = value
        math.inputs[1].keyframe_insert("default_value", frame=frame)
    time = tree("Inner").nodes.new("GeometryNodeInputSceneTime")
    tree("Inner").links.new(time.outputs["Seconds"], tree("Inner").nodes["Transform"].inputs["Translation"])
    shaped.frame_set(1)
    before = signature(shaped)
    shaped.frame_set(13)
    assert signature(shaped) == before
    math.inputs[1].keyframe_insert("default_value", frame=10)
    assert signature(shaped) != before
