"""A run in work is seen in the viewport, and leaves no trace there."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from stiction.blender_addon.baking import bake as baking
from stiction.blender_addon.baking.record import own_pose
from stiction.blender_addon.baking.signature import signature
from stiction.blender_addon.running import live as lives
from stiction.blender_addon.running import run as runs
from stiction.blender_addon.running.run import source_of
from stiction.blender_addon.running.run_view import RunView
from stiction.solver.base.refusal import TrajectoryError


@pytest.fixture
def finished(drop):
    """A scene and a run of it whose frames are all there, shown as if it were in work."""
    scene = drop
    scene.objects["cube"].stiction.angular_velocity = (3, 2, 1)
    parent = bpy.data.objects.new("parent", None)
    scene.collection.objects.link(parent)
    parent.location = (0, 3, 0)
    from conftest import new_object

    new_object("euler", location=(3, 0, 2), rotation_mode="YXZ", scale=(1, 2, 1), delta_location=(0.5, 0, 0))
    new_object("child", location=(0, 0, 1), parent=parent)
    new_object("keyed", location=(6, 0, 1)).keyframe_insert("location", frame=1)
    run = runs.begin(scene)
    run.job.wait()
    yield scene, run
    lives.stop()
    lives.start()


def wanted(run, name, frame):
    """World matrix of an object at a frame of a run."""
    from stiction.blender_addon.running.frames import RunFrames

    frames = RunFrames(run.folder).load()
    link = next(link for link in source_of(run.reading, frames).links if link.name == name)
    return baking.Motion(link, frames, run.reading.unit).matrices()[frame - run.reading.frame_start]


def shown(scene, name):
    return np.array(scene.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)


BODIES = ("cube", "euler", "child", "keyed")


def test_viewport_shows_the_newest_frame_and_any_scrubbed(finished):
    scene, run = finished
    before = {name: (tuple(scene.objects[name].location), shown(scene, name)) for name in BODIES}
    view = lives.LiveView(run)
    view.update(bpy.context)
    assert scene.frame_current == 10, "the newest frame is looked at"
    for frame in (10, 4, 7, 1):
        scene.frame_set(frame)
        for name in BODIES:
            assert np.abs(shown(scene, name) - wanted(run, name, frame)).max() < 3e-6, (name, frame)
    assert all(ob.animation_data is None for ob in (scene.objects["cube"], scene.objects["euler"]))
    scene.frame_set(10)
    view.close()
    assert scene.frame_current == 1, "who followed sees the frame from before"
    for name in BODIES:
        assert tuple(scene.objects[name].location) == before[name][0]
        assert np.array_equal(shown(scene, name), before[name][1]), name
    assert lives._on_frame not in bpy.app.handlers.frame_change_post


@pytest.mark.parametrize(("drawing", "wait"), [(1.0, 5.0), (0.05, 0.0)])
def test_a_window_that_draws_slowly_has_time_for_clicks(finished, monkeypatch, drawing, wait):
    """Drawing was not counted: where it took a second for each frame that was followed, Cancel came seconds late."""
    clock = [100.0]
    monkeypatch.setattr(lives, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    view = lives.LiveView(finished[1])
    view.update(bpy.context)
    clock[0] += drawing
    view.update(bpy.context)
    assert max(0.0, view._next - clock[0]) == pytest.approx(wait)
    view.close()


def test_who_looks_elsewhere_is_not_taken_along(finished):
    scene, run = finished
    view = lives.LiveView(run)
    view.update(bpy.context)
    scene.frame_set(3)
    view.update(bpy.context)
    assert scene.frame_current == 3
    view.close()
    assert scene.frame_current == 3


def test_file_is_saved_with_the_own_poses(finished, tmp_path):
    scene, run = finished
    view = lives.LiveView(run)
    view.update(bpy.context)
    height = scene.objects["cube"].location.z
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"), copy=True)
    assert scene.objects["cube"].location.z == height != pytest.approx(0.6), "and goes on being shown"
    view.close()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    cube = bpy.data.objects["cube"]
    assert cube.location.z == pytest.approx(0.6)
    assert not cube.stiction.record.shown


def test_body_moved_during_the_run_stays_where_it_was_put(finished):
    scene, run = finished
    view = lives.LiveView(run)
    view.update(bpy.context)
    scene.objects["cube"].location = (9, 9, 9)
    assert own_pose(scene.objects["cube"], 10)[0] == (9, 9, 9)
    scene.frame_set(5)
    assert tuple(scene.objects["cube"].location) == (9, 9, 9)
    view.close()
    assert tuple(scene.objects["cube"].location) == (9, 9, 9)


def test_undo_during_the_run_keeps_the_own_poses(finished):
    scene, run = finished
    scene.objects["slab"].location.x = 1
    bpy.ops.ed.undo_push(message="a")
    view = lives.LiveView(run)
    view.update(bpy.context)
    scene.objects["slab"].location.x = 2
    bpy.ops.ed.undo_push(message="b")
    bpy.ops.ed.undo()
    bpy.context.scene.frame_set(6)
    view.close()
    cube = bpy.data.objects["cube"]
    assert cube.location.z == pytest.approx(0.6)
    bpy.ops.ed.redo()
    cube = bpy.data.objects["cube"]
    assert not cube.stiction.record.shown, "that step was made while the run was shown"
    assert cube.location.z == pytest.approx(0.6)


def test_undo_to_a_step_from_before_the_extension_was_switched_off_keeps_the_own_poses(finished, extension):
    """Found by a monkey: a bake, the extension off and on, undo; the poses of the run stayed."""
    scene, run = finished
    view = lives.LiveView(run)
    view.update(bpy.context)
    bpy.ops.ed.undo_push(message="while it is shown")
    extension.unregister()
    extension.register()
    bpy.ops.ed.undo_push(message="on again")
    bpy.ops.ed.undo()
    cube = bpy.data.objects["cube"]
    assert not cube.stiction.record.shown
    assert cube.location.z == pytest.approx(0.6)


def test_showing_changes_no_fingerprint(finished):
    scene, run = finished
    before = signature(scene)
    view = lives.LiveView(run)
    view.update(bpy.context)
    assert signature(scene) == before
    view.close()
    assert signature(scene) == before


def test_second_run_over_a_bake_is_shown_too(finished):
    scene, run = finished
    runs.finish(run)
    again = runs.begin(scene)
    again.job.wait()
    view = lives.LiveView(again)
    view.update(bpy.context)
    scene.frame_set(5)
    assert np.abs(shown(scene, "cube") - wanted(again, "cube", 5)).max() < 3e-6
    view.close()
    baking.clear(scene)
    assert scene.objects["cube"].location.z == pytest.approx(0.6)


def test_object_taken_out_of_the_scene_meanwhile_has_its_own_pose(finished):
    """Something else still uses it: a collection, a joint's pointer."""
    scene, run = finished
    cube = scene.objects["cube"]
    before, kept = tuple(cube.location), bpy.data.collections.new("kept")
    view = lives.LiveView(run)
    view.update(bpy.context)
    assert tuple(cube.location) != before
    kept.objects.link(cube)
    scene.collection.objects.unlink(cube)
    view.close()
    assert tuple(cube.location) == before and not cube.stiction.record.shown


def test_copy_of_the_scene_made_meanwhile_has_the_own_poses(finished):
    scene, run = finished
    before = tuple(scene.objects["cube"].location)
    view = lives.LiveView(run)
    view.update(bpy.context)
    bpy.ops.scene.new(type="FULL_COPY")
    other = bpy.context.scene if bpy.context.scene != scene else bpy.data.scenes[-1]
    copies = [ob for ob in other.objects if ob.name.startswith("cube")]
    assert other != scene and len(copies) == 1 and copies[0].stiction.record.shown
    view.close()
    assert tuple(copies[0].location) == before and not copies[0].stiction.record.shown


def test_what_undo_brings_back_goes_with_a_run_that_showed_nothing_yet(drop):
    """A step of undo from an earlier run, made before the next one had a frame: its modifier stayed for ever."""
    cube, run = drop.objects["cube"], runs.begin(drop)
    run.job.cancel()
    run.job.done = 0
    view = lives.LiveView(run)
    try:
        view.update(bpy.context)
        assert view.soft is None, "it has nothing to show"
        cube.modifiers.new("Stiction Live", "MESH_CACHE")
        lives._after_going_back()
    finally:
        view.close()
        lives.stop()
        lives.start()
    assert not cube.modifiers


def test_a_view_that_was_closed_stays_closed(drop, monkeypatch):
    """Frames that could not be read once, and then again, were shown by a view that nobody ended any more."""
    run = runs.begin(drop)
    run.job.wait()
    view = RunView()

    def unreadable(folder):
        raise TrajectoryError("half of a header")

    with monkeypatch.context() as patch:
        patch.setattr(lives, "RunFrames", unreadable)
        view.show(run, bpy.context)
    try:
        view.show(run, bpy.context)
    finally:
        view.close()
        lives.stop()
        lives.start()
    assert not drop.objects["cube"].stiction.record.shown
