"""Headless: the bake of a file, the film, and the demo on a few frames."""

import json
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from stiction.blender_addon.base import render as rendering
from stiction.blender_addon.demos import funnel, stage
from stiction.blender_addon.exporting.export import export_scene
from stiction.blender_addon.running import demo, headless_bake
from stiction.solver.base.refusal import SceneError
from stiction.solver.shapes import Mesh


@pytest.fixture
def blend(scene, add, tmp_path):
    """A saved file with a falling cube."""
    add("cube", location=(0, 0, 5))
    scene.frame_end = 6
    path = tmp_path / "fall.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def test_file_is_baked_into_another(blend, tmp_path):
    before = blend.read_bytes()
    target, told = tmp_path / "baked.blend", []
    headless_bake.bake_file(blend, target, progress=lambda done, total, report: told.append((done, total)))
    assert blend.read_bytes() == before
    assert told[-1] == (20, 20)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "baked.blend"))
    scene = bpy.context.scene
    scene.frame_set(6)
    fallen = 5 - scene.objects["cube"].matrix_world.translation.z
    assert fallen == pytest.approx(0.5 * 9.81 * (5 / 24) ** 2, abs=1e-6)
    assert (tmp_path / "cache_fall" / "Scene" / "run_0001" / "header.json").exists(), "the frames lie beside the file"


def test_refused_file_is_left_alone(blend, tmp_path):
    bpy.context.scene.objects["cube"].stiction.density = 0
    bpy.ops.wm.save_mainfile()
    before = blend.read_bytes()
    with pytest.raises(SceneError, match="object 'cube': density is 0.0"):
        headless_bake.bake_file(blend, tmp_path / "baked.blend")
    assert blend.read_bytes() == before
    assert not (tmp_path / "baked.blend").exists()


def test_file_that_is_no_blend(extension, tmp_path):
    path = tmp_path / "letter.blend"
    path.write_text("Dear reader")
    with pytest.raises(SceneError, match="letter.blend: Blender cannot open it"):
        headless_bake.bake_file(path)


def test_film_has_the_name_asked_for(scene, add, tmp_path):
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    scene.camera, scene.frame_end = camera, 2
    rendering.use_workbench(scene, (64, 36))
    counted = []
    rendering.render_movie(scene, tmp_path / "film.mp4", lambda done, total: counted.append((done, total)))
    assert [path.name for path in tmp_path.iterdir()] == ["film.mp4"]
    assert (tmp_path / "film.mp4").read_bytes()[4:8] == b"ftyp"
    assert counted == [(1, 2), (2, 2)]


def test_film_that_was_stopped_leaves_the_earlier_one(scene, add, tmp_path, monkeypatch):
    """What Blender leaves of it is a file of 48 bytes that no player opens."""
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    scene.camera, scene.frame_end = camera, 2
    film = tmp_path / "film.mp4"
    film.write_bytes(b"an earlier film")

    def stopped(**_given):
        Path(scene.render.filepath).write_bytes(bytes(48))

    render = SimpleNamespace(render=SimpleNamespace(render=stopped))
    monkeypatch.setattr(rendering, "bpy", SimpleNamespace(app=bpy.app, ops=render))
    with pytest.raises(RuntimeError, match="0 of 2 frames"):
        rendering.render_movie(scene, film)
    assert film.read_bytes() == b"an earlier film" and [path.name for path in tmp_path.iterdir()] == ["film.mp4"]


def test_scene_without_camera_is_refused_before_the_simulation(blend, tmp_path):
    with pytest.raises(SceneError, match="has no camera"):
        headless_bake.bake_file(blend, tmp_path / "baked.blend", render=tmp_path / "film.mp4")
    assert not (tmp_path / "baked.blend").exists()


def test_missing_graphics_library_is_named(monkeypatch):
    def fail(name):
        raise OSError(name)

    monkeypatch.setattr(rendering.ctypes, "CDLL", fail)
    monkeypatch.setattr(rendering.sys, "platform", "linux")
    with pytest.raises(SceneError, match="libEGL.so.1; run: apt-get install libegl1"):
        rendering.refuse_without_graphics()


def test_demo_writes_what_it_promises(extension, tmp_path):
    pytest.importorskip("matplotlib", reason="the demo draws plots with matplotlib")
    result = demo.run("funnel", tmp_path, frames=3, render=False)
    scene = bpy.context.scene
    bodies = [ob for ob in scene.objects if ob.stiction.type == "ACTIVE"]
    assert len(bodies) == funnel.BODY_COUNT
    assert sorted({ob.data.name for ob in bodies}) == ["Chalice", "Jack"]
    assert {round(ob.stiction.friction, 6) for ob in bodies} == {stage.FRICTION}
    # The recognised shape of hopper, jacks and chalices is their mesh: they are concave.
    shapes = {body.name: body.shape for body in export_scene(scene).scene.bodies}
    assert {type(shapes[name]) for name in ("Hopper", *(ob.name for ob in bodies))} == {Mesh}
    summary = json.loads((tmp_path / "funnel.json").read_text())
    assert summary["steps"] == 8
    assert {"scene", "method", "steps", "time", "wall_s", "contacts_max", "overlap_max", "residual_max", "energy",
            "bodies"} <= set(summary)  # fmt: skip
    assert summary["overlap_max"] == 0, "no two bodies touch at the start"
    fallen = [summary["bodies"][ob.name]["drift"] for ob in bodies]
    assert np.median(fallen) == pytest.approx(0.5 * 9.81 * 0.08**2, rel=1e-4)
    assert (tmp_path / "funnel.blend").exists()
    assert (tmp_path / "funnel_plot.png").stat().st_size > 10_000
    assert result["files"]["blend"] == str(tmp_path / "funnel.blend")


def test_demo_refusals(extension, tmp_path):
    with pytest.raises(SceneError, match="no demo 'tunnel'"):
        demo.run("tunnel", tmp_path)
    with pytest.raises(SceneError, match="--frames is 1; give at least 2"):
        demo.run("funnel", tmp_path, frames=1)
    (tmp_path / "file").touch()
    with pytest.raises(SceneError, match="output folder .*file"):
        demo.run("funnel", tmp_path / "file")
