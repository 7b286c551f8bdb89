"""Data of other files: what may be linked, what is refused, and what is said of what Blender would not keep."""

import bpy
import numpy as np
import pytest
from conftest import CUBE, new_object, shown_vertices

from stiction.blender_addon.checks import runner


@pytest.fixture
def linked(scene, add, tmp_path):
    """linked(table, name, **attributes of the body) -> a datablock of another file, linked into a new scene."""

    def made(table, name, **attributes):
        collection = bpy.data.collections.new("props")
        scene.collection.children.link(collection)
        body = add("body", **attributes)
        collection.objects.link(body)
        scene.collection.objects.unlink(body)
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.context.scene.frame_end, bpy.context.scene.stiction.cache = 10, str(tmp_path / "cache")
        with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, target):
            setattr(target, table, [name])
        return getattr(target, table)[0]

    return made


def findings(key):
    """Findings of one check in the scene."""
    bpy.context.view_layer.update()
    return runner.check_now(bpy.context.scene)[0][key]


def test_a_linked_floor_holds_and_a_linked_mesh_falls(linked):
    floor = linked("objects", "body", kind="PASSIVE", scale=(10, 10, 1), location=(0, 0, -0.5))
    scene = bpy.context.scene
    scene.collection.objects.link(floor)
    falls = new_object("cube", mesh=floor.data, location=(0, 0, 0.55))
    assert falls.data.library is not None and bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(10)
    assert falls.matrix_world.translation.z == pytest.approx(0.5, abs=1e-3)
    assert not findings("linked")


@pytest.mark.parametrize("kind", ["objects", "collections"])
def test_a_linked_body_is_made_local_by_its_button(linked, kind):
    made, scene = linked(kind, "body" if kind == "objects" else "props", location=(0, 0, 2)), bpy.context.scene
    (scene.collection.objects if kind == "objects" else scene.collection.children).link(made)
    assert "is linked from" in findings("linked")[0].text
    with pytest.raises(RuntimeError, match="make it local"):
        bpy.ops.stiction.bake()
    assert bpy.ops.stiction.repair(check="LINKED") == {"FINISHED"}
    assert scene.objects["body"].library is None and bpy.ops.stiction.bake() == {"FINISHED"}


def test_an_override_is_told_of_before_its_bake_is_lost(linked):
    """Saved and read again, its keys are there and what Clear needs is not."""
    body, scene = linked("objects", "body", location=(0, 0, 2)), bpy.context.scene
    scene.collection.objects.link(body)
    body.override_create(remap_local_usages=True)
    assert "neither its settings nor what Clear needs" in findings("linked")[0].text
    assert bpy.ops.stiction.bake() == {"FINISHED"}, "for a film that is made at once"


@pytest.mark.parametrize("verb", ["add_active", "add_passive", "remove"])
def test_objects_of_other_files_get_no_settings_that_are_lost(linked, verb):
    body, scene = linked("objects", "body", kind="PASSIVE" if verb == "remove" else "NONE"), bpy.context.scene
    scene.collection.objects.link(body)
    own = new_object("own", kind="PASSIVE" if verb == "remove" else "NONE")
    before = body.stiction.type
    for ob in (body, own):
        ob.select_set(True)
    assert getattr(bpy.ops.stiction, verb)() == {"FINISHED"}
    assert body.stiction.type == before != own.stiction.type
    own.select_set(False)
    assert getattr(bpy.ops.stiction, verb)() == {"CANCELLED"}


def test_a_linked_mesh_gets_no_shape_keys(linked):
    mesh, scene = linked("meshes", "body"), bpy.context.scene
    ob = new_object("cube", mesh=mesh, location=(0, 0, 0.6))
    new_object("slab", kind="PASSIVE", scale=(10, 10, 1), location=(0, 0, -0.5))
    elastic = ob.stiction.elastic
    elastic.use, elastic.element_size, elastic.plays_as = True, 0.5, "KEYS"
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    assert mesh.shape_keys is None and [one.type for one in ob.modifiers] == ["MESH_CACHE"]
    scene.frame_set(10)
    assert len(shown_vertices(ob)) == len(CUBE) and np.ptp(shown_vertices(ob)[:, 2]) < 1.0
