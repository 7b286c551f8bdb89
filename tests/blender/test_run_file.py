"""A run of Python as a .blend file: what Blender shows at a frame is what the run has there."""

import bpy
import numpy as np
import pytest
from conftest import shown_vertices

import stiction as st
from stiction.blender_addon.base.transforms import pose_matrix

FLOOR = st.Body("floor", st.Box((4.0, 4.0, 0.2)), motion=st.Motion.STATIC, position=(0.0, 0.0, -0.1))


def shown(path, times):
    """The scene of a .blend file, and its frames at times (F,) [s]."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    scene = bpy.context.scene
    return scene, 1.0 + np.asarray(times) * scene.render.fps


def at(scene, frame):
    scene.frame_set(int(frame), subframe=float(frame % 1.0))


def test_bodies_move_and_come_and_go_as_in_the_run(tmp_path):
    tilted = st.Body("bär", st.Box((0.2, 0.1, 0.3)), position=(0.0, 0.0, 1.0), orientation=(0.8, 0.6, 0.0, 0.0),
                     angular_velocity=(1.0, 20.0, 3.0))  # fmt: skip
    pour = st.Emitter("pour", (st.Sphere(0.05),), ((-0.3, -0.3, 1.5), (0.3, 0.3, 1.6)), 3, 10.0)
    scene = st.Scene((FLOOR, tilted), emitters=(pour,))
    run = st.simulate(scene, time=0.5, time_step=0.01, steps_per_frame=2, progress=False)
    run.to_blend(tmp_path / "run.blend")
    scene, frames = shown(tmp_path / "run.blend", run.time)
    assert scene.render.fps == 50 and scene.frame_end == int(np.ceil(frames[-1])) and scene.camera is not None
    hidden = 0
    for k, frame in enumerate(frames):
        at(scene, frame)
        for i, name in enumerate(run.names):
            ob = scene.objects[name]
            entered, left = run.trajectory.present[i]
            assert ob.hide_viewport == ob.hide_render == (not entered <= run.time[k] < left)
            hidden += ob.hide_render
            wanted = pose_matrix(run.position[k, i], run.orientation[k, i])
            if not ob.hide_render:
                assert np.array(ob.matrix_world) == pytest.approx(wanted, abs=2e-6)
    assert hidden
    vertices, triangles = tilted.shape.surface()
    mesh = scene.objects["bär"].data
    assert len(mesh.vertices) == len(vertices) and len(mesh.polygons) == len(triangles)


def test_a_deformable_body_bends_as_in_the_run(tmp_path):
    run = st.simulate("soft_drop", time=0.1, progress=False)
    run.to_blend(tmp_path / "soft.blend")
    scene, frames = shown(tmp_path / "soft.blend", run.time)
    ob, nodes = scene.objects["cube"], run["node_position"]
    for k in (0, len(frames) // 2, -1):
        at(scene, frames[k])
        there = shown_vertices(ob)
        assert np.abs(there[:, None] - nodes[k][None]).max(axis=2).min(axis=1).max() < 2e-6
    assert np.abs(nodes[-1] - nodes[0]).max() > 1e-3


@pytest.mark.parametrize(("path", "scene", "words"), [
    ("run.txt", True, "name it run.blend"), ("there.blend", True, "there already"),
    ("none/run.blend", True, "none"), ("run.blend", False, "give its scene"),
])  # fmt: skip
def test_what_cannot_be_written_is_refused(tmp_path, path, scene, words):
    (tmp_path / "there.blend").write_text("mine")
    made = st.simulate(st.Scene((FLOOR,)), time=0.01, progress=False)
    run = made if scene else st.Run(made.trajectory)
    with pytest.raises(ValueError, match=words):
        run.to_blend(tmp_path / path)
    assert (tmp_path / "there.blend").read_text() == "mine"
