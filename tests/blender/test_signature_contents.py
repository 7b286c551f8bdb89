"""The fingerprint and what lies behind names: weights of vertex groups, attributes, poured meshes, gates."""

import bpy
import numpy as np
import pytest
from conftest import new_object

from stiction.blender_addon.baking.mesh_contents import mesh_bytes
from stiction.blender_addon.baking.signature import out_of_date, signature
from stiction.blender_addon.exporting.export import export_scene
from stiction.blender_addon.flow.settings import add as add_flow
from stiction.solver.base.refusal import SceneError
from stiction.solver.scene_io.scene_file import scene_digest


def exported(scene):
    try:
        return scene_digest(export_scene(scene).scene)
    except SceneError as refused:
        return str(refused)


def ob(name):
    return bpy.data.objects[name]


def paint(body, group, vertices, weight):
    ob(body).vertex_groups[group].add(vertices, weight, "REPLACE")
    ob(body).data.update()


def turn_bone(armature, angle):
    bone = ob(armature).pose.bones[0]
    bone.rotation_mode = "XYZ"
    bone.rotation_euler.x = angle


@pytest.fixture
def rich(scene):
    """A soft body with pins and stiffer parts, a mesh bent by an armature, a gate, and an emitter."""
    floor = new_object("floor", kind="PASSIVE", scale=(20, 20, 1), location=(0, 0, -0.5))
    floor.stiction_flow.gate = True
    new_object("lid", kind="PASSIVE", location=(0, 9, 0))
    soft = new_object("soft", location=(0, 0, 1))
    soft.stiction.elastic.use = True
    for name in ("pins", "hard", "other"):
        soft.vertex_groups.new(name=name).add([0, 1], 1.0, "REPLACE")
    soft.stiction.elastic.pin_group, soft.stiction.elastic.stiffness_group = "pins", "hard"
    new_object("rigid", location=(3, 0, 1)).vertex_groups.new(name="pins").add([0], 1.0, "REPLACE")
    _bent(scene)
    for name, x in (("grain", 30), ("pebble", 32)):
        grains = bpy.data.collections.new(name)
        grains.objects.link(new_object(name, kind="NONE", location=(x, 0, 0)))
        flow = add_flow(scene, "EMITTER", (9, x, 1)).stiction_flow
        flow.pours, flow.turned = grains, name == "grain"
    scene.frame_set(1)
    bpy.context.view_layer.update()
    return scene


def _bent(scene):
    """A Passive mesh of which an armature bends a part, in a pose that is keyed."""
    armature = bpy.data.objects.new("armature", bpy.data.armatures.new("armature"))
    scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.data.edit_bones.new("bone")
    bone.tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    for frame, angle in ((1, 0.5), (20, 1.0)):
        turn_bone("armature", angle)
        armature.pose.bones[0].keyframe_insert("rotation_euler", frame=frame)
    bent = new_object("bent", kind="PASSIVE", location=(-6, 0, 2))
    bent.stiction.shape = "MESH"
    bent.vertex_groups.new(name="bone").add([1, 3], 1.0, "REPLACE")
    bent.modifiers.new("Armature", "ARMATURE").object = armature


CHANGES = {
    "weight of a pin": lambda: paint("soft", "pins", [1], 0.2),
    "one more pin": lambda: paint("soft", "pins", [2], 1.0),
    "weight of stiffness": lambda: paint("soft", "hard", [1], 0.7),
    "pins of another group": lambda: setattr(ob("soft").stiction.elastic, "pin_group", "other and none"),
    "group gone": lambda: ob("soft").vertex_groups.remove(ob("soft").vertex_groups["pins"]),
    "group renamed": lambda: setattr(ob("soft").vertex_groups["hard"], "name", "harder"),
    "stiffness factor": lambda: setattr(ob("soft").stiction.elastic, "stiffness_factor", 3.0),
    "pressure": lambda: setattr(ob("soft").stiction.elastic, "pressure", 1e3),
    "self contact": lambda: setattr(ob("soft").stiction.elastic, "self_contact", True),
    "weight of a bent mesh": lambda: paint("bent", "bone", [5], 1.0),
    "pours a longer grain": lambda: setattr(ob("grain"), "scale", (1, 1, 2)),
    "pours a turned grain": lambda: setattr(ob("pebble"), "rotation_euler", (0.4, 0, 0)),
    "pours another mesh": lambda: setattr(ob("grain").data.vertices[0].co, "x", -0.8),
    "pours rougher grain": lambda: setattr(ob("grain").stiction, "friction", 0.1),
    "another gate": lambda: (setattr(ob("floor").stiction_flow, "gate", False),
                             setattr(ob("lid").stiction_flow, "gate", True)),
}  # fmt: skip
SAME = {
    "a grain that lies elsewhere": lambda: (setattr(ob("grain"), "location", (0, 50, 0)),
                                            setattr(ob("grain"), "rotation_euler", (0.4, 0, 0))),
    "pin as heavy as needed": lambda: paint("soft", "pins", [1], 0.6),
    "weight of a group nobody reads": lambda: paint("soft", "other", [3], 0.6),
    "weight of a body that is not soft": lambda: paint("rigid", "pins", [3], 0.6),
    "stiffness of a body that is not soft": lambda: setattr(ob("rigid").stiction.elastic, "young", 7e5),
    "both names of a group": lambda: (setattr(ob("soft").vertex_groups["pins"], "name", "nails"),
                                      setattr(ob("soft").stiction.elastic, "pin_group", "nails")),
    "name of a grain, in the same order": lambda: setattr(ob("pebble"), "name", "stone"),
}  # fmt: skip


@pytest.mark.parametrize("case", CHANGES)
def test_what_changes_the_export_changes_the_fingerprint(rich, case):
    before, was = signature(rich), exported(rich)
    CHANGES[case]()
    bpy.context.view_layer.update()
    assert exported(rich) != was, "the case means nothing"
    assert signature(rich) != before


@pytest.mark.parametrize("case", SAME)
def test_nothing_else_does(rich, case):
    before, was = signature(rich), exported(rich)
    SAME[case]()
    bpy.context.view_layer.update()
    assert exported(rich) == was, "the case means nothing"
    assert signature(rich) == before


def test_other_frames_leave_it(rich):
    before = signature(rich)
    for name, frame, x in (("Emitter", 1, 9.0), ("Emitter", 20, 3.0)):
        ob(name).location.x = x
        ob(name).keyframe_insert("location", frame=frame)
    rich.frame_set(1)
    keyed = signature(rich)
    assert keyed != before
    rich.frame_set(13)
    assert signature(rich) == keyed


def test_a_repainted_pin_is_baked_again(drop):
    """As a person does it: bake, paint, bake; the second bake hangs by the other vertices."""
    cube = drop.objects["cube"]
    cube.stiction.elastic.use, cube.stiction.elastic.young, cube.stiction.elastic.element_size = True, 1e5, 0.5
    group, count = cube.vertex_groups.new(name="pins"), len(cube.data.vertices)
    top = [vertex.index for vertex in cube.data.vertices if vertex.co.z > 0]
    group.add(top, 1.0, "REPLACE")
    cube.stiction.elastic.pin_group, cube.location.z, drop.frame_end = "pins", 3.0, 4
    heights = []
    for held in (top, [k for k in range(count) if k not in top]):
        group.add(range(count), 0.0, "REPLACE")
        group.add(held, 1.0, "REPLACE")
        assert bpy.ops.stiction.bake() == {"FINISHED"}
        assert not out_of_date(drop)
        drop.frame_set(4)
        shown = cube.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        heights.append([shown.vertices[k].co.z - cube.data.vertices[k].co.z for k in range(count)])
        assert np.abs(np.array(heights[-1])[held]).max() < 1e-3
        drop.frame_set(1)
    group.add([top[0]], 1.0, "REPLACE")
    assert out_of_date(drop)
    assert not np.allclose(heights[0], heights[1], atol=1e-3)


@pytest.mark.parametrize("name", ["soft", "bent"])
def test_edit_mode_alone_changes_nothing(rich, name):
    """In it a mesh has none of the attributes that are read: neither a deformable one, nor one that is animated."""
    before = signature(rich)
    bpy.context.view_layer.objects.active = ob(name)
    bpy.ops.object.mode_set(mode="EDIT")
    assert signature(rich) == before
    bpy.ops.object.mode_set(mode="OBJECT")
    assert signature(rich) == before


def test_a_mesh_that_is_in_edit_mode_is_read_as_it_was_before(scene):
    """Another object may be in Edit Mode of it."""
    shared = new_object("a")
    before = mesh_bytes(shared.data)
    bpy.context.view_layer.objects.active = shared
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        assert mesh_bytes(shared.data) == before
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
