"""Pins of deformable bodies that follow an animation: keys, an armature, shape keys; and what plays afterwards."""

import bpy
import numpy as np
import pytest
from conftest import shown_vertices

from stiction.blender_addon.baking.signature import out_of_date
from stiction.blender_addon.base.curves import curves_of

END = 10


@pytest.fixture
def held(drop):
    """The drop's cube, made of rubber, high above the floor, held by the corners of its top; it is Animated."""
    cube = drop.objects["cube"]
    cube.location.z += 5.0
    cube.stiction.elastic.use, cube.stiction.elastic.young = True, 1e6
    cube.stiction.elastic.element_size = 0.34
    cube.stiction.kinematic = True
    top = [vertex.index for vertex in cube.data.vertices if vertex.co.z > 0]
    cube.vertex_groups.new(name="top").add(top, 1.0, "REPLACE")
    cube.stiction.elastic.pin_group = "top"
    return cube


def shift_by_keys(ob):
    """Move 0.3 to the side and turn from frame 1 to the last."""
    ob.keyframe_insert("location", frame=1)
    ob.keyframe_insert("rotation_euler", frame=1)
    ob.location.x += 0.3
    ob.rotation_euler.z += 0.5
    ob.keyframe_insert("location", frame=END)
    ob.keyframe_insert("rotation_euler", frame=END)


def shift_by_shape_key(ob):
    """The top is drawn aside by a shape key."""
    ob.shape_key_add(name="Basis")
    key = ob.shape_key_add(name="Aside")
    for place in key.data:
        place.co.x += 0.3 * (place.co.z > 0)
    for value, frame in ((0.0, 1), (1.0, END)):
        key.value = value
        key.keyframe_insert("value", frame=frame)


def shift_by_armature(ob):
    """A bone moves the top."""
    data = bpy.data.armatures.new("bones")
    rig = bpy.data.objects.new("rig", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    rig.location = ob.location
    bpy.ops.object.mode_set(mode="EDIT")
    bone = data.edit_bones.new("top")
    bone.head, bone.tail = (0, 0, 0), (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    ob.modifiers.new("Armature", "ARMATURE").object = rig
    pose = rig.pose.bones["top"]
    # A bone's own axes: its second one is along it.
    for x, frame in ((0.0, 1), (0.3, END)):
        pose.location = (x, 0, 0)
        pose.keyframe_insert("location", frame=frame)


WAYS = {"keys": shift_by_keys, "shape key": shift_by_shape_key, "armature": shift_by_armature}


@pytest.mark.parametrize("way", WAYS)
def test_pins_follow(drop, held, way):
    WAYS[way](held)
    held.modifiers.new("Smooth", "SUBSURF").show_viewport = False
    group = [vertex.index for vertex in held.data.vertices if vertex.co.z > 0]
    rest = [vertex.index for vertex in held.data.vertices if vertex.co.z < 0]
    wanted = {}
    for frame in (1, 5, END):
        drop.frame_set(frame)
        wanted[frame] = shown_vertices(held)
    before = [modifier.type for modifier in held.modifiers]
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    for frame, places in wanted.items():
        drop.frame_set(frame)
        now = shown_vertices(held)
        # A corner of the mesh goes with all tetrahedra round it, of which pins hold some nodes.
        assert now[group] == pytest.approx(places[group], abs=0.004), "pins are where the animation has them"
        if frame > 1:
            assert np.abs(now - places)[rest].max() > 0.01, "what is not pinned swings"
    assert [one.type for one in held.modifiers].index("MESH_CACHE") == len(before) - 1, "behind what deforms"
    assert not out_of_date(drop)
    # The same again over the bake, and gone without a trace.
    after = shown_vertices(held)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    drop.frame_set(END)
    assert np.array_equal(shown_vertices(held), after)
    assert bpy.ops.stiction.clear() == {"FINISHED"}
    assert [modifier.type for modifier in held.modifiers] == before
    for frame, places in wanted.items():
        drop.frame_set(frame)
        assert np.array_equal(shown_vertices(held), places)


@pytest.mark.parametrize("way", WAYS)
def test_a_changed_animation_marks_the_bake_as_out_of_date(drop, held, way):
    WAYS[way](held)
    assert bpy.ops.stiction.bake() == {"FINISHED"} and not out_of_date(drop)
    owner = {"keys": held, "shape key": held.data.shape_keys, "armature": drop.objects.get("rig")}[way]
    curves = curves_of(owner.animation_data)
    curves[0].keyframe_points[1].co.y += 0.1
    curves[0].update()
    bpy.context.view_layer.update()
    assert out_of_date(drop)


def test_modifiers_that_make_vertices_are_left_on_and_come_after_the_motion(drop, held):
    shift_by_armature(held)
    smooth = held.modifiers.new("Smooth", "SUBSURF")
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    assert smooth.show_viewport and [one.type for one in held.modifiers] == ["ARMATURE", "MESH_CACHE", "SUBSURF"]
    drop.frame_set(END)
    assert len(shown_vertices(held)) > len(held.data.vertices)


@pytest.mark.parametrize(("change", "sentence"), [
    ("order", "its modifier 'Smooth' makes vertices and stands before 'Armature'"),
    ("group", "has no Pins that could follow its animation"),
    ("release", "is Deformable with a Release"),
])  # fmt: skip
def test_what_pins_cannot_follow_is_refused(drop, held, change, sentence):
    shift_by_armature(held)
    if change == "order":
        held.modifiers.new("Smooth", "SUBSURF")
        held.modifiers.move(1, 0)
    elif change == "group":
        held.stiction.elastic.pin_group = ""
    else:
        held.stiction.release = True
    with pytest.raises(RuntimeError, match=sentence):
        bpy.ops.stiction.bake()
    assert all(modifier.show_viewport for modifier in held.modifiers)


def test_keys_are_no_way_to_play_it(drop, held):
    shift_by_armature(held)
    held.stiction.elastic.plays_as = "KEYS"
    bpy.ops.stiction.bake()
    assert [one.type for one in held.modifiers] == ["ARMATURE", "MESH_CACHE"] and held.data.shape_keys is None
