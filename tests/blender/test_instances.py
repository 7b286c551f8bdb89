"""Baking to instances: what Blender shows is the trajectory, and Clear leaves no trace."""

import time

import bpy
import numpy as np
import pytest
from deforming_bodies import with_instances

from stiction.blender_addon.bakers import instances
from stiction.blender_addon.baking import bake as baking
from stiction.blender_addon.baking.signature import out_of_date
from stiction.blender_addon.exporting.export import export_scene

DATA = ("objects", "meshes", "node_groups", "collections", "actions")


def counts():
    return {name: len(getattr(bpy.data, name)) for name in DATA}


def shown_matrices():
    """World matrices of the instances of carriers, as evaluated now, by place along x."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found = [np.array(each.matrix_world) for each in depsgraph.object_instances if each.is_instance]
    return sorted(found, key=lambda matrix: matrix[0, 3])


def bake(scene, fake_trajectory, folder, **changes):
    scene.stiction.bake_to = "INSTANCES"
    with baking.lifted(scene):
        export = export_scene(scene)
    trajectory = fake_trajectory(export)
    trajectory.folder = folder
    # Spread along x, so that instances can be told apart.
    order = np.arange(len(trajectory.names))
    trajectory.positions += 100.0 * order[None, :, None] * [1.0, 0, 0]
    return export, trajectory, baking.bake(scene, export, trajectory)


@pytest.fixture
def various(scene, add):
    """Bodies of two meshes with uneven, negative and turned scales."""
    mesh = add("a", scale=(1, 2, 0.3), rotation_euler=(0.3, 0.2, 0.1)).data
    add("b", mesh=mesh, scale=(-1, 2, 0.3), location=(3, 0, 0))
    add("c", mesh=mesh, location=(6, 0, 0), rotation_mode="QUATERNION")
    add("d", vertices=[(x + 0.2, y, 2 * z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], location=(9, 0, 0))
    add("slab", kind="PASSIVE", location=(0, 0, -5))
    return scene


def test_instances_are_where_the_trajectory_says(various, fake_trajectory, tmp_path):
    export, trajectory, warnings = bake(various, fake_trajectory, tmp_path)
    assert not warnings
    links = [link for link in export.links if link.active]
    for row in (0, 1, 7, 19):
        various.frame_set(export.frame_start + row)
        wanted = [baking.Motion(link, trajectory, 1.0).matrices()[row] for link in links]
        for got, want in zip(shown_matrices(), sorted(wanted, key=lambda m: m[0, 3]), strict=True):
            # Single precision of coordinates of some hundred units.
            assert np.abs(got - want).max() < 1e-4
    assert [ob.hide_viewport for ob in various.objects if ob.name in "abcd"] == [True] * 4
    assert not various.objects["slab"].hide_viewport


def test_clear_leaves_no_trace(various, fake_trajectory, tmp_path):
    various.objects["b"].hide_render = True
    before = counts()
    bake(various, fake_trajectory, tmp_path)
    bake(various, fake_trajectory, tmp_path)
    assert baking.clear(various)[0] == 4
    assert counts() == before
    assert [(ob.hide_viewport, ob.hide_render) for ob in map(various.objects.get, "abcd")] == [
        (False, False), (False, True), (False, False), (False, False)]  # fmt: skip


def test_baked_again_from_what_the_bodies_are(various, fake_trajectory, tmp_path):
    first, _, _ = bake(various, fake_trajectory, tmp_path)
    with baking.lifted(various):
        second = export_scene(various)
    assert [body.position for body in first.scene.bodies] == [body.position for body in second.scene.bodies]
    assert various.objects["a"].hide_viewport, "hidden again afterwards"


def test_the_button_bakes_instances(scene, add, tmp_path):
    add("slab", kind="PASSIVE", scale=(10, 10, 1), location=(0, 0, -0.5))
    add("cube", location=(0, 0, 0.6))
    scene.frame_end, scene.stiction.cache, scene.stiction.bake_to = 6, str(tmp_path), "INSTANCES"
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(2)
    (matrix,) = shown_matrices()
    assert matrix[2, 3] == pytest.approx(0.6 - 0.5 * 9.81 / 24**2, abs=1e-6)
    assert not out_of_date(scene)
    scene.frame_set(5)
    assert not out_of_date(scene), "looking at another frame changes nothing"
    scene.objects["cube"].stiction.friction = 0.1
    assert out_of_date(scene)
    assert bpy.ops.stiction.bake() == {"FINISHED"}, "once more"
    scene.stiction.bake_to = "KEYFRAMES"
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    assert not instances.carried_objects(scene)
    assert scene.objects["cube"].animation_data


def test_selected_only(scene, add, fake_trajectory):
    first, second = add("a"), add("b", location=(3, 0, 0))
    bpy.context.view_layer.update()
    first.select_set(True)
    second.select_set(False)
    scene.stiction.bake_selected = True
    export = export_scene(scene)
    baking.bake(scene, export, fake_trajectory(export))
    assert first.animation_data
    assert not second.animation_data
    first.select_set(False)
    from stiction.solver.base.refusal import SceneError

    with pytest.raises(SceneError, match="no Active body is selected"):
        baking.bake(scene, export, fake_trajectory(export))


@pytest.mark.slow
def test_2000_bodies_and_250_frames_take_under_a_second(scene, add, fake_trajectory, tmp_path):
    mesh = add("b0").data
    for i in range(1, 2000):
        add(f"b{i:04d}", mesh=mesh, location=(i % 50 * 2, i // 50 * 2, 0))
    scene.frame_end, scene.stiction.bake_to = 250, "INSTANCES"
    export = export_scene(scene)
    trajectory = fake_trajectory(export)
    trajectory.folder = tmp_path
    start = time.process_time()
    baking.bake(scene, export, trajectory)
    took = time.process_time() - start
    print(f"{took:.2f} CPU s")
    assert took < 2.0, "the goal is 1 s on a free machine"
    assert len(shown_matrices()) == 2000


def test_panel_tells_of_instances_where_bodies_are_many(scene, add, monkeypatch):
    from panel_layout import draw_all

    from stiction import ui

    add("a")
    add("b", location=(3, 0, 0))
    said = "Instances play faster for so many"
    assert said not in draw_all(bpy.context).labels
    monkeypatch.setattr(ui.bake_panel, "MANY", 1)
    assert said in draw_all(bpy.context).labels
    scene.stiction.bake_to = "INSTANCES"
    assert said not in draw_all(bpy.context).labels


def test_a_scene_without_a_body_to_show_bakes_without_instances(drop):
    """All its Active bodies are deformable."""
    drop.objects["cube"].stiction.elastic.use = True
    drop.stiction.bake_to = "INSTANCES"
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    assert drop.stiction.summary and not instances.carriers(drop)


@pytest.mark.parametrize("lost", ["group", "node", "collection"])
def test_clear_removes_what_a_person_has_left_of_the_instances(drop, lost):
    drop.stiction.bake_to = "INSTANCES"
    before = counts()
    bpy.ops.stiction.bake()
    (carrier,) = instances.carriers(drop)
    group = next(modifier.node_group for modifier in carrier.modifiers if modifier.type == "NODES")
    node = group.nodes["Shapes"]
    if lost == "group":
        bpy.data.node_groups.remove(group)
    elif lost == "node":
        group.nodes.remove(node)
    else:
        bpy.data.collections.remove(node.inputs["Collection"].default_value)
    assert bpy.ops.stiction.clear() == {"FINISHED"}
    assert not instances.carriers(drop) and drop.objects["cube"].visible_get()
    assert counts()["node_groups"] == before["node_groups"]


@pytest.mark.parametrize("keep_mesh", [True, False])
def test_instances_of_geometry_nodes_collide_after_one_click(scene, add, keep_mesh, tmp_path):
    """A ball falls on the peg at a corner; the board's nodes keep its mesh, or make pegs alone of it."""
    with_instances(scene, add, keep_mesh)
    ball = add("ball", kind="ACTIVE", scale=(0.2, 0.2, 0.2), location=(0.5, 0.5, 0.9))
    bpy.ops.stiction.check()
    (found,) = bpy.context.window_manager.stiction_findings.found
    assert (found.check, found.weight) == ("unrealized", "WARNING" if keep_mesh else "REFUSED")
    assert bpy.ops.stiction.repair(check="UNREALIZED") == {"FINISHED"}
    scene.stiction.cache = str(tmp_path)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(20)
    assert ball.matrix_world.translation.z == pytest.approx(0.7, abs=1e-3)
