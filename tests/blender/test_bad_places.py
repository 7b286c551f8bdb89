"""Files that move, folders that cannot be written, an extension switched off in the middle: what a person reads."""

import os
import shutil
from pathlib import Path

import bpy
import pytest

from stiction.blender_addon.inside.contacts import forget, record_of
from stiction.blender_addon.running import job as jobs
from stiction.blender_addon.running import run as runs
from stiction.blender_addon.running.places import cache_path, run_folder
from stiction.solver.base.refusal import SceneError


@pytest.fixture
def saved(drop, tmp_path):
    """A baked scene in a file of its own folder, its cache beside it."""
    drop.stiction.cache = ""
    home = tmp_path / "home"
    home.mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(home / "fall.blend"))
    runs.simulate_and_bake(bpy.context.scene)
    bpy.ops.wm.save_mainfile()
    return home


def test_a_file_moved_with_its_cache_finds_its_run(saved, tmp_path):
    was = run_folder(bpy.context.scene)
    assert was.is_relative_to(saved)
    shutil.move(saved, tmp_path / "away")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "away" / "fall.blend"))
    scene = bpy.context.scene
    forget()
    assert run_folder(scene).is_relative_to(tmp_path / "away")
    assert record_of(scene).frames.count == 10
    scene.frame_end = 14
    assert runs.to_go_on_with(scene) == run_folder(scene), "the earlier frames are gone on with"


def test_a_file_moved_without_its_cache_keeps_its_keyframes(saved, tmp_path):
    shutil.copy(saved / "fall.blend", tmp_path / "alone.blend")
    shutil.rmtree(saved)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "alone.blend"))
    scene = bpy.context.scene
    forget()
    assert run_folder(scene) is None and record_of(scene) is None
    scene.frame_set(10)
    assert scene.objects["cube"].matrix_world.translation.z < 0.55
    with pytest.raises(RuntimeError, match="there is no run to look into; bake first"):
        bpy.ops.stiction.plots()
    assert bpy.ops.stiction.bake() == {"FINISHED"}, "a new run beside the file"
    assert run_folder(scene).is_relative_to(tmp_path)


def test_a_file_moved_between_simulating_and_baking_still_bakes(drop, tmp_path):
    drop.stiction.cache = ""
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "first.blend"))
    scene = bpy.context.scene
    run = runs.begin(scene)
    run.job.wait()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "second.blend"))
    assert cache_path(scene).parent.name == "cache_second"
    line, warnings = runs.finish(run)
    assert "contacts" in line and not [sentence for sentence in warnings if "gone" in sentence]
    assert run_folder(scene) == run.folder


def test_a_folder_that_cannot_be_written_is_named(drop, tmp_path, monkeypatch):
    from stiction.blender_addon.running import run_folders

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # Root may write anywhere: what the system says to others is put in its place.
        monkeypatch.setattr(run_folders.tempfile, "TemporaryFile", refuse)
    else:
        tmp_path.chmod(0o500)
    try:
        with pytest.raises(SceneError, match=r"cache folder .*: Permission denied; choose another under Cache"):
            runs.begin(drop)
    finally:
        tmp_path.chmod(0o700)
    assert not jobs.running()


def test_a_full_disk_while_the_scene_is_written_is_one_sentence(drop, monkeypatch):
    from stiction.blender_addon.exporting import reading

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(reading, "open", full, raising=False)
    with pytest.raises(RuntimeError, match=r"cache folder .*No space left on device; free some space"):
        bpy.ops.stiction.bake()
    assert not list(cache_path(drop).glob("run_*")), "nothing half written is left"


def test_a_full_disk_while_the_bake_is_written_is_one_sentence(drop, monkeypatch):
    from stiction.blender_addon.bakers import instances

    def full(*_, **__):
        raise OSError(28, "No space left on device")
        yield

    drop.stiction.bake_to = "INSTANCES"
    monkeypatch.setattr(instances, "write_pc2_steps", full)
    with pytest.raises(RuntimeError, match=r"cache folder .*No space left on device; free some space"):
        bpy.ops.stiction.bake()


def test_extension_switched_off_during_a_run(extension, drop):
    drop.frame_end = 5000
    run = runs.begin(drop)
    before = tuple(drop.objects["cube"].location)
    worker = run.job._worker
    try:
        extension.unregister()
        assert not worker.alive and run.job.poll() == jobs.JobState.CANCELLED
        assert not any(ob.animation_data for ob in bpy.context.scene.objects)
        assert tuple(bpy.context.scene.objects["cube"].location) == before
    finally:
        extension.register()
    assert Path(run.folder).is_dir(), "frames are kept"


@pytest.mark.parametrize("cache", ["//runs", "runs"])
def test_a_relative_cache_folder_lies_beside_the_file_and_never_where_blender_was_started(
        drop, tmp_path, monkeypatch, cache):
    monkeypatch.chdir(tmp_path)
    scene = bpy.context.scene
    scene.stiction.cache = cache
    assert not cache_path(scene).is_relative_to(tmp_path), "not saved yet"
    (tmp_path / "home").mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "home" / "fall.blend"))
    assert cache_path(scene).parent == tmp_path / "home" / "runs"
