"""Headless: the bake of a file, the film, and the demo on a few frames."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from stiction.blender_addon.base import render as rendering
from stiction.blender_addon.demos import funnel, jam
from stiction.blender_addon.demos.showing import record_of_run
from stiction.blender_addon.exporting.export import export_scene
from stiction.blender_addon.film import film as filming
from stiction.blender_addon.running import demo, headless_bake
from stiction.blender_addon.running import job as jobs
from stiction.solver.base.progress import Progress
from stiction.solver.base.refusal import SceneError
from stiction.solver.kernels import signatures
from stiction.solver.scene import Motion
from stiction.solver.shapes import Mesh

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from kernel_signatures import waited_for


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


def called_and_not_compiled_for_it(folder):
    """Kernels that a recorded demo called and `stiction compile --use demo` leaves out; that of quiet steps is called
    only where it is on disk."""
    called = set(waited_for(folder))
    assert len(called) > 30
    return called - {(one.kernel, one.arguments) for one in signatures.read() if "demo" in one.uses}


@pytest.fixture
def record(monkeypatch, tmp_path_factory):
    """Folder in which the worker of a run leaves which kernels it calls."""
    folder = tmp_path_factory.mktemp("record")
    monkeypatch.setenv("STICTION_KERNELS", "store")
    monkeypatch.setenv("STICTION_RECORD", str(folder))
    jobs.stop_all()
    yield folder
    jobs.stop_all()


def test_demo_writes_what_it_promises(extension, record, tmp_path):
    pytest.importorskip("matplotlib", reason="the demo draws plots with matplotlib")
    told = io.StringIO()
    result = demo.run("funnel", tmp_path, frames=3, render=False, progress=Progress(told))
    scene = bpy.context.scene
    emitters = [ob.stiction_flow for ob in scene.objects if ob.stiction_flow.kind == "EMITTER"]
    assert sum(flow.count for flow in emitters) == funnel.BODY_COUNT
    made = export_scene(scene).scene
    # The recognised shape of what is poured is its mesh: gears and jacks are concave.
    assert {type(shape) for emitter in made.emitters for shape in emitter.shapes} == {Mesh}
    assert {round(flow.pours.objects[0].stiction.friction, 6) for flow in emitters} == {funnel.FRICTION}
    assert [body.name for body in made.bodies if body.motion == Motion.KINEMATIC] == ["Hand"]
    assert [joint.bodies for joint in made.joints] == [("Hand", "Rod")]
    summary = json.loads((tmp_path / "funnel.json").read_text())
    assert summary["steps"] == 8
    assert {"scene", "method", "steps", "time", "wall_s", "contacts_max", "overlap_max", "residual_max", "energy",
            "bodies"} <= set(summary)  # fmt: skip
    assert (tmp_path / "funnel.blend").exists()
    assert (tmp_path / "funnel_plot.png").stat().st_size > 10_000
    assert result["files"]["blend"] == str(tmp_path / "funnel.blend")
    text = "\n".join(result["lines"])
    for word in ("300 gears and jacks", "8 steps", "Result is good", str(tmp_path / "funnel.blend"), "make film"):
        assert word in text, word
    assert "stiction: 300 gears and jacks" in told.getvalue() and "100 %  0.1 of 0.0833333 s" in told.getvalue()
    run = next(tmp_path.glob("cache_funnel/*/*/contacts.bin")).parent
    assert not (run / "recording.json").exists(), "nothing but contacts of frames is kept"
    assert not called_and_not_compiled_for_it(record)


@pytest.mark.slow
def test_demo_jams_and_waits_for_no_kernel_then(extension, record, tmp_path):
    demo.run("funnel", tmp_path, frames=int(funnel.COMES * 24), render=False)
    assert not called_and_not_compiled_for_it(record)
    passed, above = jam.passages(record_of_run(next(tmp_path.glob("cache_funnel/*/run_*"))), funnel.LOW)
    assert above[-1] > 50 and passed[-25] > 30, "they run out, and most hang on their arch"
    assert passed[-1] - passed[-25] <= 2, "for a second until the rod comes, but for one that may slip"


@pytest.mark.slow
def test_demo_renders_while_it_simulates(extension, tmp_path, monkeypatch):
    """A film of three pictures, made by another process than this one; then once more, larger."""
    rendering.refuse_without_graphics()
    monkeypatch.setattr(filming, "core_count", lambda: 1)
    result = demo.run("funnel", tmp_path, frames=3, height=90)
    assert (tmp_path / "funnel.mp4").read_bytes()[4:8] == b"ftyp"
    assert rendering.image_size(tmp_path / "funnel.png") == (160, 90)
    assert {path.name for path in tmp_path.iterdir()} == {
        "funnel.blend", "funnel.json", "funnel.mp4", "funnel.png", "funnel_frames.png", "funnel_plot.png",
        "cache_funnel",
    }  # fmt: skip
    assert result["files"]["film"] == str(tmp_path / "funnel.mp4")
    before = (tmp_path / "funnel.json").stat().st_mtime_ns
    demo.film_again("funnel", tmp_path, height=180)
    assert rendering.image_size(tmp_path / "funnel.png") == (320, 180)
    assert (tmp_path / "funnel.json").stat().st_mtime_ns == before, "nothing is simulated again"


@pytest.mark.slow
def test_a_film_whose_pictures_cannot_be_made_says_why(extension, tmp_path):
    film = filming.Film(tmp_path / "gone.blend", "funnel", 3, 90, tmp_path / "picture.png")
    try:
        film.begin(tmp_path)
        with pytest.raises(RuntimeError, match="0 of 3 pictures: .*gone.blend"):
            film.wait()
    finally:
        film.close()


def test_forces_glow_while_nothing_runs_out():
    """Two bodies at 10 frames a second: one passes in frame 5, the other never."""
    heights = np.full((30, 2), 1.0)
    heights[5:, 0] = -1.0
    frames = SimpleNamespace(positions=np.pad(heights[:, :, None], ((0, 0), (0, 0), (2, 0))),
                             times=0.1 * np.arange(30), header={})  # fmt: skip
    record = SimpleNamespace(names=("a", "b"), motion=("dynamic", "dynamic"), frames=frames, unit=1.0, time_step=0.05,
                             steps_per_frame=2)  # fmt: skip
    levels = jam.glow(record, 0.0)
    assert not levels[:11].any() and levels[17:].tolist() == [1.0] * 13 and 0 < levels[12] < levels[13]
    assert jam.story(record, 0.0, 2.0, tray=1.0) == (
        "They jammed 0.5 s after the first came, with 1 through, and hung on their arch until the rod poked it at "
        "2.0 s; 1 of 2 lie in the tray at the end."
    )
    heights[8:, 1] = -1.0
    frames.positions[:, :, 2] = heights
    assert not jam.glow(record, 0.0)[:14].any(), "what passes puts it off"


def test_the_contact_sheet_shows_the_jam_the_rod_and_what_runs_on():
    """Four bodies at 10 frames a second: one passes in frame 5, two in 24 and 26 behind the rod of 2.0 s, one stays."""
    heights = np.full((40, 4), 1.0)
    for body, row in enumerate((5, 24, 26)):
        heights[row:, body] = -1.0
    frames = SimpleNamespace(positions=np.pad(heights[:, :, None], ((0, 0), (0, 0), (2, 0))),
                             times=0.1 * np.arange(40), header={})  # fmt: skip
    record = SimpleNamespace(names=tuple("abcd"), motion=("dynamic",) * 4, frames=frames, unit=1.0, time_step=0.05,
                             steps_per_frame=2)  # fmt: skip
    glowing = int(jam.glow(record, 0.0)[:21].argmax())
    assert jam.moments(record, 0.0, 2.0, 2.3) == [
        (0, "they are poured in"), (0, "the first run out"), (glowing, "jammed: 3 hang on their arch"),
        (23, "the rod breaks it"), (24, "they run on"), (39, "the end"),
    ]  # fmt: skip
    assert 15 < glowing < 20
    heights[7:, :] = -1.0
    frames.positions[:, :, 2] = heights
    assert not any("jammed" in words for _, words in jam.moments(record, 0.0, 2.0, 2.3))
    assert jam.story(record, 0.0, 2.0, tray=1.0) == (
        "They did not jam before the rod came at 2.0 s; 4 of 4 lie in the tray at the end."
    ), "what has run out whole does not hang on an arch"


def test_demo_refusals(extension, tmp_path):
    with pytest.raises(SceneError, match="no demo 'tunnel'"):
        demo.run("tunnel", tmp_path)
    with pytest.raises(SceneError, match="--frames is 1; give at least 2"):
        demo.run("funnel", tmp_path, frames=1)
    (tmp_path / "file").touch()
    with pytest.raises(SceneError, match="output folder .*file"):
        demo.run("funnel", tmp_path / "file")
