"""A run is paused, stopped, gone on with, made longer; its worker stays for the next; two runs never share a folder."""

import os
import signal
import time
from pathlib import Path

import bpy
import numpy as np
import pytest

from stiction.blender_addon.running import job as jobs
from stiction.blender_addon.running import run as runs
from stiction.blender_addon.running.frames import RunFrames
from stiction.blender_addon.running.run_folders import RunLock
from stiction.solver.base.refusal import SceneError


def wait_until(condition, seconds=60.0):
    """Wait for a condition; the test fails if it does not come."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def steps_of(run):
    """Steps that a run has told of by now."""
    run.job.poll()
    return run.job.done


def stopped(scene, steps=8):
    """A run of a scene, stopped after some steps."""
    run = runs.begin(scene)
    wait_until(lambda: run.job.done >= steps or run.job.poll() != jobs.JobState.RUNNING)
    run.job.cancel()
    runs.forget_unfinished()
    return run


def heights(scene, name="cube"):
    """Height of an object at every frame of the scene."""
    found = []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        found.append(scene.objects[name].matrix_world.translation.z)
    return np.array(found)


def test_worker_stays_for_the_next_run(drop):
    bpy.ops.stiction.bake()
    first = jobs.current()._worker.process.pid
    bpy.ops.stiction.bake()
    assert jobs.current()._worker.process.pid == first


def test_pause_holds_the_run_and_continue_ends_it(drop):
    drop.frame_end = 2000
    run = runs.begin(drop)
    wait_until(lambda: steps_of(run))
    bpy.ops.stiction.pause()
    time.sleep(0.1)
    held = steps_of(run)
    time.sleep(0.3)
    assert steps_of(run) == held
    assert run.job.status().startswith("Paused at")
    bpy.ops.stiction.pause()
    wait_until(lambda: steps_of(run) > held)
    run.job.cancel()


def test_cancel_keeps_the_frames_to_be_baked(drop):
    drop.frame_end = 5000
    run = stopped(drop)
    left = runs.unfinished(drop)
    assert left.run.folder == run.folder and left.fits and left.frame_count >= 2
    assert bpy.ops.stiction.bake_partial() == {"FINISHED"}
    assert drop.objects["cube"].animation_data.action
    assert runs.unfinished(drop) is None, "what there is is baked"
    assert runs.to_go_on_with(drop) == run.folder, "and can be gone on with"
    assert runs.baked_end(drop) == left.frame_count


def test_go_on_gives_the_bake_of_an_uninterrupted_run(drop):
    drop.frame_end = 40
    bpy.ops.stiction.bake()
    whole = heights(drop)
    bpy.ops.stiction.clear()
    drop.stiction.run = ""
    drop.frame_end = 4000
    stopped(drop)
    drop.frame_end = 40 if runs.unfinished(drop).frame_count < 40 else 4000
    if drop.frame_end == 4000:
        pytest.skip("the machine was too fast to be stopped in time")
    assert bpy.ops.stiction.go_on() == {"FINISHED"}
    assert np.array_equal(heights(drop), whole)


def test_longer_range_goes_on_from_the_last_frame(drop):
    drop.frame_end = 30
    bpy.ops.stiction.bake()
    whole = heights(drop)
    drop.frame_end = 12
    bpy.ops.stiction.bake()
    short = drop.stiction.run
    drop.frame_end = 30
    assert runs.to_go_on_with(drop) == Path(short)
    assert bpy.ops.stiction.go_on() == {"FINISHED"}
    assert drop.stiction.run == short
    assert runs.to_go_on_with(drop) is None
    assert np.array_equal(heights(drop), whole)


def test_a_changed_scene_is_not_gone_on_with(drop):
    drop.frame_end = 5000
    stopped(drop)
    drop.objects["cube"].stiction.friction = 0.1
    runs.forget_unfinished()
    assert not runs.unfinished(drop).fits
    with pytest.raises(RuntimeError, match="no run of this scene as it is now to go on with; press Bake"):
        bpy.ops.stiction.go_on()


def test_what_panels_know_late_is_shown_as_soon_as_it_is_known(drop, monkeypatch):
    """In a window fingerprints come a moment later: the panel said that the scene had changed, for a while."""
    drop.frame_end = 2000
    run = stopped(drop)
    late = ["of a moment ago-10"]
    monkeypatch.setattr(runs, "signature_lately", lambda scene: late[0])
    assert not runs.unfinished(drop).fits
    late[0] = run.reading.signature
    assert runs.unfinished(drop).fits


def test_every_run_has_its_folder_and_the_old_one_stays_until_the_new_is_whole(drop):
    bpy.ops.stiction.bake()
    first = Path(drop.stiction.run)
    drop.frame_end = 5000
    second = stopped(drop).folder
    assert first.is_dir() and second != first
    assert RunFrames(first).complete
    drop.frame_end = 10
    bpy.ops.stiction.bake()
    third = Path(drop.stiction.run)
    assert third not in (first, second) and third.is_dir()


def test_discard_removes_the_frames_but_no_bake(drop):
    bpy.ops.stiction.bake()
    baked = Path(drop.stiction.run)
    drop.frame_end = 5000
    folder = stopped(drop).folder
    bpy.ops.stiction.discard()
    assert not folder.exists() and baked.is_dir()
    assert runs.unfinished(drop) is None


def test_a_folder_written_into_by_another_blender_is_refused(drop):
    drop.frame_end = 5000
    run = stopped(drop)
    lock = RunLock(run.folder)
    try:
        with pytest.raises(SceneError, match="another Blender simulates into it"):
            RunLock(run.folder)
        again = runs.begin(drop, folder=run.folder)
        assert again.job.wait() == jobs.JobState.FAILED
        assert again.job.refused and "another Blender simulates into it" in again.job.error
    finally:
        lock.release()


def test_killed_worker_is_told_and_its_frames_are_kept(drop):
    drop.frame_end = 5000
    run = runs.begin(drop)
    wait_until(lambda: steps_of(run) >= 8)
    os.kill(run.job._worker.process.pid, signal.SIGKILL)
    wait_until(lambda: run.job.poll() == jobs.JobState.FAILED)
    assert "was killed: perhaps the computer was out of memory" in run.job.error
    assert "are kept: press Go On" in run.job.error
    runs.forget_unfinished()
    assert runs.unfinished(drop).fits


def test_scene_deleted_during_the_run(drop):
    run = runs.begin(drop)
    bpy.data.scenes.new("other")
    bpy.data.scenes.remove(drop)
    run.job.wait()
    with pytest.raises(runs.JobFailed, match="the scene was closed or deleted"):
        runs.finish(run)


def test_frames_that_are_gone_are_told(drop):
    import shutil

    run = runs.begin(drop)
    run.job.wait()
    shutil.rmtree(run.folder)
    with pytest.raises(Exception, match="its frames are gone; bake again"):
        runs.finish(run)


def test_full_disk_names_folder_and_remedy(drop, tmp_path):
    from stiction.blender_addon.running import worker

    (tmp_path / "run").mkdir()

    def full(*_):
        raise OSError(28, "No space left on device")

    kept, worker._simulate = worker._simulate, full
    try:
        end, error = worker.run_order({"simulate": str(tmp_path / "run"), "resume": False}, None)
    finally:
        worker._simulate = kept
    assert end == "refused"
    assert str(tmp_path / "run") in error and "No space left" in error and "free some space" in error


def test_state_says_nothing_of_time_before_the_first_step(drop, monkeypatch):
    drop.frame_end = 3000
    run = runs.begin(drop)
    while not steps_of(run):
        said = run.job.status()
        assert "%" not in said and "left" not in said, said
        time.sleep(0.005)
    run.job.cancel()
