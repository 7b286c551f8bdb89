"""The bake leaves Blender by its own Alembic and USD exporters: read back, bodies are where they were."""

from functools import partial

import bpy
import numpy as np
import pytest
from conftest import shown_vertices

from stiction.blender_addon.baking import bake as baking
from stiction.blender_addon.exporting.export import export_scene

FRAMES = (1, 5, 20)


def bounds_now():
    """Sorted low corners of everything evaluated now, instances included, rounded."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    corners = []
    for each in depsgraph.object_instances:
        if each.object.type == "MESH" and len(each.object.data.polygons):
            points = np.array([vertex.co for vertex in each.object.data.vertices])
            matrix = np.array(each.matrix_world)
            corners.append(tuple((points @ matrix[:3, :3].T + matrix[:3, 3]).min(axis=0)))
    return np.array(sorted(corners))


def seen(scene):
    found = []
    for frame in FRAMES:
        scene.frame_set(frame)
        found.append(bounds_now())
    return found


@pytest.fixture(params=["KEYFRAMES", "INSTANCES"])
def baked(request, scene, add, fake_trajectory, tmp_path):
    """Three bodies, baked either way; FRAMES hold where they are."""
    mesh = add("a", rotation_mode="QUATERNION").data
    add("b", mesh=mesh, location=(30, 0, 0), scale=(1, 2, 0.5), rotation_mode="QUATERNION")
    add("c", mesh=mesh, location=(60, 0, 0), rotation_mode="QUATERNION")
    scene.stiction.bake_to = request.param
    export = export_scene(scene)
    trajectory = fake_trajectory(export)
    trajectory.folder = tmp_path
    baking.bake(scene, export, trajectory)
    return scene


def read_back(path, load):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 20
    load(filepath=str(path))
    return seen(bpy.context.scene)


def compare(wanted, got):
    for frame, a, b in zip(FRAMES, wanted, got, strict=True):
        assert a.shape == b.shape, f"frame {frame}: {len(b)} of {len(a)} bodies"
        assert np.abs(a - b).max() < 1e-4


@pytest.mark.skipif(not bpy.app.build_options.alembic, reason="this Blender is built without Alembic")
def test_alembic(baked, tmp_path):
    wanted, path = seen(baked), tmp_path / "bodies.abc"
    bpy.ops.wm.alembic_export(filepath=str(path), start=1, end=20, as_background_job=False, evaluation_mode="VIEWPORT")
    compare(wanted, read_back(path, partial(bpy.ops.wm.alembic_import, as_background_job=False)))


@pytest.mark.skipif(not bpy.app.build_options.usd, reason="this Blender is built without USD")
def test_usd(baked, tmp_path):
    wanted, path = seen(baked), tmp_path / "bodies.usdc"
    bpy.ops.wm.usd_export(filepath=str(path), export_animation=True, evaluation_mode="VIEWPORT")
    compare(wanted, read_back(path, bpy.ops.wm.usd_import))


@pytest.mark.skipif(not bpy.app.build_options.alembic, reason="this Blender is built without Alembic")
def test_a_deformable_body_leaves_by_alembic_as_it_bends(drop, tmp_path):
    """Its Mesh Cache is evaluated frame by frame: read back, every vertex is where it was."""
    cube = drop.objects["cube"]
    cube.stiction.elastic.use, cube.stiction.elastic.young, cube.stiction.elastic.element_size = True, 1e5, 0.34
    assert bpy.ops.stiction.bake() == {"FINISHED"}

    def at_frames():
        found = []
        for frame in (1, 10):
            bpy.context.scene.frame_set(frame)
            one = next(ob for ob in bpy.context.scene.objects if ob.name.startswith("cube"))
            found.append(shown_vertices(one))
        return found

    wanted, path = at_frames(), tmp_path / "soft.abc"
    assert np.ptp(wanted[1][:, 2]) < np.ptp(wanted[0][:, 2]) - 0.003, "it is pressed by then"
    bpy.ops.wm.alembic_export(filepath=str(path), start=1, end=10, as_background_job=False, evaluation_mode="VIEWPORT")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.alembic_import(filepath=str(path), as_background_job=False)
    for before, after in zip(wanted, at_frames(), strict=True):
        assert np.abs(before - after).max() < 1e-4
