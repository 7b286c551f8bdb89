"""Blender calls timers after an operator has changed the file and before the dependency graph follows."""

import subprocess
import sys

import bpy
import pytest
from conftest import CUBE, CUBE_FACES

from stiction.blender_addon.baking.signature import signature
from stiction.blender_addon.exporting import meshes
from stiction.blender_addon.exporting.export import export_scene
from stiction.blender_addon.exporting.meshes import mesh_of
from stiction.blender_addon.exporting.reader import read_scene

# In a process of its own: what this is about ends the process it happens in.
STEPS = """
import bpy, bmesh, stiction
from bpy.ops import _BPyOpsSubModOp

stiction.register()
bpy.ops.wm.read_factory_settings(use_empty=True)
from stiction.blender_addon.baking import signature
from stiction.blender_addon.checks import runner
from stiction.blender_addon.settings import recognised

recognised.SHORTEST = signature.SHORTEST = 0.0
bpy.context.preferences.edit.use_global_undo = True
bpy.ops.mesh.primitive_cube_add()
cube = bpy.context.object
cube.stiction.type = "ACTIVE"
other = bpy.data.objects.new("other", cube.data)
bpy.context.collection.objects.link(other)
other.stiction.type = "PASSIVE"
# As in a window: an operator leaves the update of the graph to what follows it.
_BPyOpsSubModOp._view_layer_update = staticmethod(lambda context: None)

def lines():
    recognised._known.clear()
    recognised._wanted[0] = cube.session_uid
    recognised._find()
    return recognised._known[cube.session_uid][0]

def checks():
    runner.soon()
    while runner._tick() is not None:
        pass

def signatures():
    while signature._refresh() is not None:
        pass

for timer in (lines, checks, signatures):
    for _ in range(10):
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.context.view_layer.update()
        bpy.ops.object.mode_set(mode="OBJECT")
        timer()
        bpy.ops.object.mode_set(mode="EDIT")
        timer()
        bpy.ops.mesh.subdivide()
        timer()
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.context.view_layer.update()
        mesh = bmesh.new()
        bmesh.ops.create_cube(mesh, size=2.0)
        mesh.to_mesh(cube.data)
        mesh.free()
bpy.ops.object.mode_set(mode="EDIT")
bpy.context.view_layer.update()
bpy.ops.mesh.select_all(action="SELECT")
bpy.ops.transform.resize(value=(1.5, 1.0, 1.0))
bpy.ops.object.mode_set(mode="OBJECT")
print(lines())
bpy.data.objects.remove(other)
for timer in (checks, signatures):
    timer()
print("alive")
"""


def test_timers_read_what_an_operator_has_just_changed(extension):
    child = subprocess.run([sys.executable, "-X", "faulthandler", "-c", STEPS], capture_output=True, text=True)
    assert child.returncode == 0, child.stderr[-2000:]
    assert child.stdout.splitlines()[-2:] == ["Recognised as box 3 x 2 x 2 m", "alive"]


def test_a_mesh_that_another_object_edits_is_read_as_it_is(scene, add):
    one = add("one")
    two = add("two", mesh=one.data, location=(0, 0, 3))
    before = signature(scene)
    bpy.context.view_layer.objects.active = one
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        assert two.mode == "OBJECT"
        shapes = [body.shape.type for body in export_scene(scene).scene.bodies]
        assert signature(scene) == before
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
    assert shapes == ["box", "box"]


def test_an_old_graph_is_refused_and_not_read(scene, add, monkeypatch):
    ob = add("cube")
    bpy.context.view_layer.objects.active = ob
    bpy.ops.object.mode_set(mode="EDIT")
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    assert len(mesh_of(evaluated).vertices) == len(CUBE) and len(mesh_of(evaluated).polygons) == len(CUBE_FACES)
    monkeypatch.setattr(type(bpy.ops.object.mode_set), "_view_layer_update", staticmethod(lambda context: None))
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(RuntimeError, match="older than the file"):
        mesh_of(evaluated)
    bpy.context.view_layer.update()
    assert len(mesh_of(evaluated).vertices) == len(CUBE)


def test_an_edited_mesh_is_copied_once_for_all_that_its_groups_hold(drop, monkeypatch):
    cube = drop.objects["cube"]
    elastic = cube.stiction.elastic
    elastic.use, elastic.element_size = True, 0.5
    elastic.pin_group, elastic.mass_group, elastic.stiffness_group = names = ("pins", "heavy", "stiff")
    for name in names:
        cube.vertex_groups.new(name=name).add([0, 1], 1.0, "REPLACE")
    bpy.context.view_layer.objects.active = cube
    bpy.ops.object.mode_set(mode="EDIT")
    copies, copied = [], meshes._as_edited
    monkeypatch.setattr(meshes, "_as_edited", lambda ob: copies.append(ob.name) or copied(ob))
    try:
        settings = read_scene(drop).by_name["cube"].settings.elastic
        assert len(settings.pins) == 2 and len(settings.heavier) == len(settings.stiffness) == 8
        # Once for the shape, once for the groups.
        assert copies == ["cube", "cube"]
        copies.clear()
        signature(drop)
        assert copies == ["cube", "cube"]
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("group", ["pins", "heavy", "stiff"])
@pytest.mark.parametrize("goal", [False, True])
def test_weights_of_every_group_count(drop, group, goal):
    cube = drop.objects["cube"]
    elastic = cube.stiction.elastic
    elastic.use, elastic.element_size, elastic.use_goal = True, 0.5, goal
    elastic.pin_group, elastic.mass_group, elastic.stiffness_group = names = ("pins", "heavy", "stiff")
    for name in names:
        cube.vertex_groups.new(name=name).add([0, 1], 0.6, "REPLACE")
    before = signature(drop)
    cube.vertex_groups[group].add([0], 0.7, "REPLACE")
    cube.data.update()
    # A pin is a pin, however much above one half.
    assert (signature(drop) == before) == (group == "pins" and not goal)
