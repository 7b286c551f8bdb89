"""What a person does between a run and its bake, and after it: renaming, Save As, undo, another session."""

from dataclasses import replace

import bpy
import numpy as np
import pytest
from conftest import shown_poses, shown_vertices
from test_go_on import stopped

from stiction.blender_addon.baking.signature import out_of_date
from stiction.blender_addon.exporting import reading as readings
from stiction.blender_addon.running import run as runs
from stiction.solver.base.refusal import SceneError


@pytest.fixture
def soft(drop):
    """The drop's cube, made of rubber."""
    cube = drop.objects["cube"]
    cube.stiction.elastic.use, cube.stiction.elastic.young, cube.stiction.elastic.element_size = True, 1e5, 0.5
    return cube


def finished(scene):
    """A run of a scene that has ended and is not baked yet."""
    run = runs.begin(scene)
    run.job.wait()
    return run


def motion(ob):
    """World matrices (3,4,4) of an object at three frames."""
    return shown_poses(bpy.context.scene, ob, (1, 5, 10))


def test_renamed_bodies_and_parents_keep_their_motion(drop, add):
    """A body alone, a child of a body, and one of an empty."""
    cube, rig = drop.objects["cube"], bpy.data.objects.new("rig", None)
    drop.collection.objects.link(rig)
    rig.location = (1, 2, 0.2)
    rider, led = add("rider", location=(0, 0, 1.1)), add("led", location=(2, 0, 0.6))
    rider.parent, led.parent = cube, rig
    bpy.context.view_layer.update()
    bpy.ops.stiction.bake()
    wanted = [motion(ob) for ob in (cube, rider, led)]
    bpy.ops.stiction.clear()
    run = finished(drop)
    for ob in (cube, rider, led, rig):
        ob.name = f"new {ob.name}"
    drop.stiction.bake_selected = True
    for ob in (cube, rider, led):
        ob.select_set(True)
    runs.finish(run)
    for ob, places in zip((cube, rider, led), wanted, strict=True):
        assert motion(ob) == pytest.approx(places, abs=1e-6), ob.name


def test_a_renamed_deformable_body_plays(drop, soft):
    run = finished(drop)
    soft.name = "renamed"
    runs.finish(run)
    drop.frame_set(10)
    assert shown_vertices(soft)[:, 2].min() < 0.05


@pytest.mark.parametrize("since", ["the start", "the end"])
def test_a_deformable_body_that_is_being_edited_is_read_and_baked(drop, soft, since):
    """In Edit Mode a mesh has none of the attributes that it is read by."""
    soft.vertex_groups.new(name="held").add([0], 1.0, "REPLACE")
    soft.stiction.elastic.pin_group = "held"
    bpy.context.view_layer.objects.active = soft
    if since == "the start":
        bpy.ops.object.mode_set(mode="EDIT")
    run = finished(drop)
    if since == "the end":
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.subdivide()
    runs.finish(run)
    bpy.ops.object.mode_set(mode="OBJECT")
    drop.frame_set(10)
    assert shown_vertices(soft)[:, 2].min() < 0.05 and len(shown_vertices(soft)) == (8 if since == "the start" else 26)
    assert out_of_date(drop) == (since == "the end"), "what was changed meanwhile is not in the bake"


def test_a_mesh_that_is_being_edited_gets_no_shape_keys(drop, soft):
    """Blender would fill them with the mesh as it is when Edit Mode ends."""
    soft.stiction.elastic.plays_as = "KEYS"
    bpy.context.view_layer.objects.active = soft
    bpy.ops.object.mode_set(mode="EDIT")
    _, warnings = runs.finish(finished(drop))
    assert any("is being edited" in sentence for sentence in warnings) and soft.data.shape_keys is None
    bpy.ops.object.mode_set(mode="OBJECT")


def test_a_run_of_another_session_knows_objects_by_their_names(drop, add, monkeypatch):
    """Blender numbers objects anew in each: another one has the number now."""
    first, second = drop.objects["cube"], add("second", location=(3, 0, 2))
    run = finished(drop)
    numbers = {"cube": second.session_uid, "second": first.session_uid}
    bodies = [replace(one, session_uid=numbers.get(one.name, 0)) for one in run.reading.bodies]
    readings.save(replace(run.reading, bodies=tuple(bodies)), run.folder)
    assert readings.load(run.folder).by_name["cube"].session_uid == second.session_uid, "in this one they count"
    monkeypatch.setattr(readings, "SESSION", "another")
    runs.bake_run(replace(run, reading=readings.load(run.folder)))
    drop.frame_set(10)
    assert first.matrix_world.translation.x == pytest.approx(0, abs=1e-4)
    assert second.matrix_world.translation.x == pytest.approx(3, abs=1e-4)


@pytest.mark.parametrize("at", [3, 200, -5])
def test_a_reading_that_a_disk_has_damaged_is_not_simulated(drop, at):
    """A byte of the length, of the text and of the arrays; and every end that a full disk may leave."""
    folder = finished(drop).folder
    data = (folder / readings.FILE).read_bytes()
    damaged = bytearray(data)
    damaged[at] ^= 0x55
    for content in (bytes(damaged), data[:at], b""):
        (folder / readings.FILE).write_bytes(content)
        with pytest.raises(SceneError, match="damaged .*; bake again"):
            readings.load(folder)


def test_a_stopped_run_is_still_there_after_save_as(drop, tmp_path):
    drop.stiction.cache, drop.frame_end = "", 3000
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "first.blend"))
    scene = bpy.context.scene
    run = stopped(scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "second.blend"))
    runs.forget_unfinished()
    assert runs.unfinished(scene).run.folder == run.folder
    assert bpy.ops.stiction.bake_partial() == {"FINISHED"}
    assert scene.objects["cube"].animation_data.action


def test_a_deformable_bake_survives_save_as_in_another_folder(drop, soft, tmp_path):
    drop.stiction.cache = ""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a" / "first.blend"))
    run = finished(bpy.context.scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "b" / "second.blend"))
    _, warnings = runs.finish(run)
    assert not [sentence for sentence in warnings if "temporary folder" in sentence]
    bpy.context.scene.frame_set(10)
    wanted = shown_vertices(soft)
    assert wanted[:, 2].min() < 0.05
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "b" / "second.blend"))
    scene = bpy.context.scene
    scene.frame_set(10)
    assert np.array_equal(shown_vertices(scene.objects["cube"]), wanted) and not out_of_date(scene)


@pytest.mark.parametrize("kind", ["deformable", "instances"])
def test_a_file_played_from_the_temporary_folder_is_told_of(drop, kind):
    """It goes with Blender, and the bake of a file saved later with it."""
    drop.stiction.cache = ""
    if kind == "instances":
        drop.stiction.bake_to = "INSTANCES"
    else:
        cube = drop.objects["cube"]
        cube.stiction.elastic.use, cube.stiction.elastic.element_size = True, 0.5
    _, warnings = runs.finish(finished(drop))
    assert any("temporary folder, which goes when Blender is closed: save this file" in one for one in warnings)


def test_undo_and_redo_of_deformable_bakes(drop, soft):
    bpy.ops.ed.undo_push(message="begin")
    shown = []
    for young in (1e5, 2e4):
        scene = bpy.context.scene
        scene.objects["cube"].stiction.elastic.young = young
        bpy.ops.stiction.bake()
        bpy.ops.ed.undo_push(message="bake")
        scene.frame_set(10)
        shown.append(shown_vertices(scene.objects["cube"]))
    assert not np.array_equal(*shown)

    def after(move):
        move()
        scene = bpy.context.scene
        scene.frame_set(10)
        assert not out_of_date(scene)
        return scene.objects["cube"], shown_vertices(scene.objects["cube"])

    assert np.array_equal(after(bpy.ops.ed.undo)[1], shown[0]), "the first bake's file is still there"
    cube, places = after(bpy.ops.ed.undo)
    assert len(cube.modifiers) == 0 and places[:, 2].min() > 0.09
    assert np.array_equal(after(bpy.ops.ed.redo)[1], shown[0])
    assert np.array_equal(after(bpy.ops.ed.redo)[1], shown[1])
    assert bpy.ops.stiction.clear() == {"FINISHED"} and len(bpy.context.scene.objects["cube"].modifiers) == 0


def test_undo_and_redo_of_instances(drop, add):
    add("other", location=(3, 0, 1))
    drop.stiction.bake_to = "INSTANCES"
    before = len(bpy.data.objects)
    bpy.ops.ed.undo_push(message="begin")
    bpy.ops.stiction.bake()
    bpy.ops.ed.undo_push(message="bake")
    baked = len(bpy.data.objects)
    bpy.ops.ed.undo()
    assert len(bpy.data.objects) == before and not any(ob.hide_viewport for ob in bpy.data.objects)
    bpy.ops.ed.redo()
    assert len(bpy.data.objects) == baked > before and not out_of_date(bpy.context.scene)
    assert bpy.ops.stiction.clear() == {"FINISHED"} and len(bpy.data.objects) == before


def test_a_mesh_whose_vertices_changed_is_said(drop, soft):
    """Its pins followed those that it had: the cache of these would not play, with nothing but a line in a console."""
    soft.vertex_groups.new(name="held").add([0], 1.0, "REPLACE")
    soft.stiction.elastic.pin_group, soft.stiction.kinematic = "held", True
    run = finished(drop)
    soft.data.clear_geometry()
    soft.data.from_pydata([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0)], [], [(0, 1, 2)])
    _, said = runs.finish(run)
    assert any("'cube': its mesh has 3 vertices and had 8 when the run began" in one for one in said)
    assert not any(one.type == "MESH_CACHE" for one in soft.modifiers)


def test_keys_of_settings_that_are_not_used_are_said(drop):
    """Friction keyed from ice to rubber baked as ice, without a word."""
    body = next(ob for ob in drop.objects if ob.stiction.type == "ACTIVE")
    owners = (body.stiction, "friction", 0.1, 0.9), (drop.stiction, "time_scale", 1.0, 0.2)
    for owner, name, *values in owners:
        for frame, value in zip((1, 5), values, strict=True):
            setattr(owner, name, value)
            owner.keyframe_insert(name, frame=frame)
    body.stiction.driver_add("restitution").driver.expression = "frame / 20"
    _, notes = runs.finish(finished(drop))
    said = [note for note in notes if "which are not used: the value of frame 1 holds throughout" in note]
    assert [note.partition(" keys or drivers")[0] for note in said] == [
        f"scene {drop.name!r}: Speed has", f"object {body.name!r}: Bounciness, Friction have"]  # fmt: skip
    assert drop.stiction.verdict.startswith("Result is usable")


def test_keys_of_gravity_that_are_not_used_are_said(drop):
    """A scene that began without gravity and got it by keys baked as one that has none, without a word."""
    for frame, z in ((1, -9.81), (5, 0.0)):
        drop.gravity = (0, 0, z)
        drop.keyframe_insert("gravity", frame=frame)
    _, notes = runs.finish(finished(drop))
    assert [note for note in notes if "gravity has keys or drivers" in note and "frame 1 acts throughout" in note]
    drop.gravity = (0, 0, 0)
    drop.keyframe_insert("gravity", frame=1)
    _, notes = runs.finish(finished(drop))
    assert not [note for note in notes if "gravity has keys or drivers" in note]


def test_a_driver_on_gravity_is_no_good_result(drop):
    driver = drop.driver_add("gravity", 2).driver
    driver.type, driver.expression = "SCRIPTED", "-9.81 if frame < 10 else 9.81"
    _, notes = runs.finish(finished(drop))
    assert [note for note in notes if "gravity has keys or drivers" in note]
    assert drop.stiction.worth == "usable"
