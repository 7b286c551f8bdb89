"""The whole path: settings, worker process, bake; and what happens when it does not go well."""

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest

from stiction.blender_addon.baking.signature import signature
from stiction.blender_addon.base.transforms import pose_matrix
from stiction.blender_addon.exporting.reader import read_scene
from stiction.blender_addon.running import job as jobs
from stiction.blender_addon.running import run as runs
from stiction.solver.methods import METHODS
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.simulation import method_options_for

ROOT = Path(__file__).resolve().parents[2]


def test_operator_bakes_and_clears(drop):
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    cube = drop.objects["cube"]
    drop.frame_set(10)
    assert cube.matrix_world.translation.z == pytest.approx(0.5, abs=1e-3), "it lies on the slab"
    drop.frame_set(2)
    # One frame of free fall in four steps of the midpoint scheme is exact.
    assert cube.matrix_world.translation.z == pytest.approx(0.6 - 0.5 * 9.81 / 24**2, abs=1e-6)
    assert "contacts" in drop.stiction.summary
    assert bpy.ops.stiction.clear() == {"FINISHED"}
    assert tuple(cube.location) == pytest.approx((0, 0, 0.6))
    assert len(bpy.data.actions) == 0


def test_baked_matrices_are_the_trajectory_on_disk(drop):
    from stiction.blender_addon.running.loaded_bake import simulate_and_bake

    drop.objects["cube"].stiction.angular_velocity = (3, 2, 1)
    trajectory, _ = simulate_and_bake(drop)
    i = trajectory.names.index("cube")
    for row in range(10):
        drop.frame_set(1 + row)
        shown = np.array(drop.objects["cube"].matrix_world)
        wanted = pose_matrix(trajectory.positions[row, i], trajectory.orientations[row, i])
        assert np.abs(shown - wanted).max() < 2e-6


def test_refusal_reaches_the_user_and_leaves_the_bake(drop):
    bpy.ops.stiction.bake()
    action = drop.objects["cube"].animation_data.action
    drop.objects["cube"].stiction.density = -1
    with pytest.raises(RuntimeError, match="object 'cube': density is -1.0 kg/m"):
        bpy.ops.stiction.bake()
    assert drop.objects["cube"].animation_data.action == action


def test_settings_that_change_the_result_change_the_signature(drop):
    cube = drop.objects["cube"]
    before = signature(drop)
    drop.frame_set(5)
    assert signature(drop) == before, "looking at another frame changes nothing"
    changes = [
        (cube.stiction, "friction", 0.4), (cube.stiction, "shape", "MESH"), (cube.location, "z", 0.7),
        (cube.scale, "x", 2.0), (cube.data.vertices[0].co, "x", -0.6), (drop, "frame_end", 11),
        (drop.stiction, "steps_per_frame", 8), (drop.stiction, "method", "PGS"),
        (drop.stiction.simulation, "stepper", "SEMI_IMPLICIT"),
    ]  # fmt: skip
    for owner, name, value in changes:
        old = getattr(owner, name)
        setattr(owner, name, value)
        assert signature(drop) != before, name
        setattr(owner, name, old)
        assert signature(drop) == before, name


def test_bake_itself_does_not_put_the_signature_out_of_date(drop):
    before = signature(drop)
    bpy.ops.stiction.bake()
    drop.frame_set(7)
    assert signature(drop) == before == drop.stiction.signature
    drop.objects["cube"].stiction.friction = 0.1
    assert signature(drop) != drop.stiction.signature


def test_cancel_kills_the_worker_at_once(drop):
    drop.frame_end = 5000
    run = runs.begin(drop)
    assert jobs.running()
    start = time.monotonic()
    run.job.cancel()
    assert time.monotonic() - start < 1.0
    assert run.job.state == jobs.JobState.CANCELLED
    assert not jobs.running()
    assert not drop.objects["cube"].animation_data


def test_crash_of_the_worker_is_told_with_its_last_words(drop, monkeypatch):
    words = "import sys; sys.stderr.write('illegal instruction near here\\n'); sys.exit(77)"
    jobs.stop_all()
    monkeypatch.setattr(jobs, "worker_command", lambda: [jobs.python_executable(), "-c", words])
    run = runs.begin(drop)
    assert run.job.wait() == jobs.JobState.FAILED
    with pytest.raises(runs.JobFailed, match="code 77: illegal instruction near here"):
        runs.finish(run)


def test_refusal_by_the_worker_is_one_sentence(tmp_path):
    (tmp_path / "run").mkdir()
    job = jobs.Job(tmp_path / "run")
    assert job.wait() == jobs.JobState.FAILED
    assert job.refused
    assert "holds no simulation any more; bake again" in job.error
    assert "\n" not in job.error


def test_a_frame_rate_that_makes_no_steps(drop):
    drop.render.fps, drop.render.fps_base = 1, 60
    with pytest.raises(RuntimeError, match="4 steps a frame at 0.0167 frames a second are of 15 s; set the frame rate"):
        bpy.ops.stiction.bake()


def test_cache_folder_that_cannot_be_made(drop, tmp_path):
    blocker = tmp_path / "file"
    blocker.touch()
    drop.stiction.cache = str(blocker)
    with pytest.raises(RuntimeError, match="cache folder .* choose another"):
        bpy.ops.stiction.bake()


def test_worker_ends_with_blender(drop, tmp_path):
    drop.frame_end = 100000
    run = runs.begin(drop)
    worker = run.job._worker.process
    worker.stdin.close()
    assert worker.wait(timeout=20) == 3
    assert run.job.wait() == jobs.JobState.FAILED


def test_registering_loads_no_compiler_and_can_be_repeated():
    code = (
        "import sys; sys.path.insert(0, 'tests'); import conftest, bpy, stiction\n"
        "for _ in range(3):\n"
        "    stiction.register(); assert bpy.context.scene.stiction.method == 'DEFAULT'; stiction.unregister()\n"
        "assert not hasattr(bpy.types.Object, 'stiction')\n"
        "print([name for name in ('numba', 'scipy') if name in sys.modules], flush=True)\n"
        # The bpy module of 4.2 crashes on its way out after any property with an update callback.
        "import os; os._exit(0)"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip().endswith("[]")


def test_add_and_remove_operators(scene, add):
    from bpy import context

    add("a", kind="NONE").select_set(True)
    add("b", kind="NONE").select_set(True)
    assert bpy.ops.stiction.add_active() == {"FINISHED"}
    assert [ob.stiction.type for ob in context.selected_objects] == ["ACTIVE", "ACTIVE"]
    bpy.ops.stiction.add_passive()
    assert {ob.stiction.type for ob in context.selected_objects} == {"PASSIVE"}
    bpy.ops.stiction.remove()
    assert {ob.stiction.type for ob in context.selected_objects} == {"NONE"}


def test_rigid_body_settings_are_taken_over(scene, add):
    ob = add("a", kind="NONE")
    bpy.context.view_layer.objects.active = ob
    ob.select_set(True)
    bpy.ops.rigidbody.object_add()
    ob.rigid_body.mass, ob.rigid_body.friction, ob.rigid_body.collision_shape = 3, 0.25, "BOX"
    bpy.ops.stiction.import_rigid_body()
    settings = ob.stiction
    assert (settings.type, settings.shape, settings.mass, settings.friction) == ("ACTIVE", "BOX", 3, 0.25)
    assert settings.use_mass
    assert scene.stiction.combine == "PRODUCT"
    assert not scene.rigidbody_world.enabled


@pytest.mark.parametrize("method", ["prox", "pgs", "accurate"])
def test_options_of_every_method_reach_the_solver(drop, method):
    drop.stiction.method = method.upper()
    export = runs.export_with_options(drop)
    assert export.scene.settings["method"] == method
    assert export.scene.settings["time_step"] == pytest.approx(1 / 96)
    assert export.scene.settings["time"] == pytest.approx(9 / 24)
    from stiction.solver.simulation import options_for

    options_for(export.scene)


@pytest.mark.parametrize("method", METHODS)
def test_options_untouched_in_the_panel_are_those_of_the_command_line(drop, method):
    drop.stiction.method = method.upper()
    panel = runs.simulation_options(drop, read_scene(drop))
    given = {name: getattr(panel, name) for name in ("time", "time_step", "steps_per_frame")}
    command_line = SimulationOptions(method=method, **given)
    assert replace(panel, method_options={}) == command_line
    gravity = (0.0, 0.0, -9.81)
    assert method_options_for(panel, gravity, 0.0) == method_options_for(command_line, gravity, 0.0)


def test_threads_and_effort_of_the_panel_reach_the_method(drop):
    drop.stiction.simulation.threads, drop.stiction.simulation.effort = 3, 1234
    given = method_options_for(runs.simulation_options(drop, read_scene(drop)), (0.0, 0.0, -9.81), 0.0)
    assert (given.threads, given.effort) == (3, 1234)
    assert not hasattr(drop.stiction.options_accelerated, "effort"), "one option, in one place"
