"""Reading a mesh while it is edited changes nothing of it: undo of the edits gives the mesh from before them."""

import bpy
import numpy as np
import pytest

from stiction.blender_addon.baking.signature import signature
from stiction.blender_addon.exporting.export import export_scene
from stiction.blender_addon.exporting.reader import read_scene


def subdivided(ob):
    """Edit Mode of an object's mesh, subdivided by a step of undo."""
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="begin")
    bpy.context.view_layer.objects.active = ob
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.ed.undo_push(message="Edit Mode")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide()
    bpy.ops.ed.undo_push(message="Subdivide")


def soft(ob):
    """Make a body deformable, with pins."""
    elastic = ob.stiction.elastic
    elastic.use, elastic.element_size, elastic.pin_group = True, 0.5, "pins"
    ob.vertex_groups.new(name="pins").add([0, 1, 2, 3], 1.0, "REPLACE")


def keyed(ob):
    """Give the mesh shape keys that are animated: its own mesh is read, not the evaluated one."""
    ob.shape_key_add(name="Basis")
    key = ob.shape_key_add(name="up")
    key.data[0].co.z += 1.0
    for frame in (1, 10):
        key.value = 0.1 * frame
        key.keyframe_insert("value", frame=frame)


@pytest.mark.parametrize("make", [lambda ob: None, soft, keyed], ids=["rigid", "soft", "keyed"])
@pytest.mark.parametrize("read", [signature, read_scene, export_scene])
def test_undo_gives_the_mesh_from_before_it_was_read(read, make, drop):
    drop.objects["cube"].stiction.type = "ACTIVE" if make != keyed else "PASSIVE"
    drop.objects["slab"].stiction.type = "PASSIVE" if make != keyed else "ACTIVE"
    make(drop.objects["cube"])
    bpy.context.view_layer.update()
    before = signature(drop)
    subdivided(drop.objects["cube"])
    read(bpy.context.scene)
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    bpy.context.view_layer.update()
    cube = bpy.context.scene.objects["cube"]
    keys = cube.data.shape_keys
    assert cube.mode == "OBJECT" and len(cube.data.vertices) == 8
    assert keys is None or [len(key.data) for key in keys.key_blocks] == [8, 8]
    assert signature(bpy.context.scene) == before


@pytest.mark.parametrize("make", [lambda ob: None, soft], ids=["rigid", "soft"])
def test_it_is_read_as_it_is_being_edited(make, drop):
    make(drop.objects["cube"])
    before = signature(drop)
    subdivided(drop.objects["cube"])
    reading = read_scene(drop)
    one = reading.by_name["cube"]
    assert len(reading.meshes[one.mesh][0]) == 26 and signature(drop) != before
    # Of the 26 those on the pinned side, by weights that subdividing has put between.
    if make == soft:
        assert len(one.settings.elastic.pins) == 9 and np.ptp(np.array(one.settings.elastic.pins), axis=0).min() == 0.0
    bpy.ops.object.mode_set(mode="OBJECT")
    assert len(drop.objects["cube"].data.vertices) == 26
