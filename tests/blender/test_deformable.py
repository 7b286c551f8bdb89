"""Deformable bodies from the panel's settings to a mesh that plays, and back."""

import os

import bpy
import numpy as np
import pytest
from conftest import shown_vertices
from panel_layout import draw_all

from stiction.blender_addon.baking.signature import out_of_date, signature
from stiction.blender_addon.running.run import export_with_options


@pytest.fixture
def soft(drop):
    """The drop's cube, made of rubber."""
    cube = drop.objects["cube"]
    cube.stiction.elastic.use, cube.stiction.elastic.young = True, 1e5
    cube.stiction.elastic.element_size = 0.34
    drop.stiction.steps_per_frame = 2
    return cube


def test_bakes_to_a_cache_and_clears(drop, soft):
    soft.modifiers.new("Smooth", "SUBSURF")
    before = shown_vertices(soft)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    assert [modifier.type for modifier in soft.modifiers] == ["MESH_CACHE", "SUBSURF"]
    assert soft.animation_data is None, "the object itself stays where it is"
    drop.frame_set(1)
    assert np.abs(shown_vertices(soft) - before).max() < 1e-5
    drop.frame_set(10)
    after = shown_vertices(soft)
    assert after[:, 2].min() > -1e-4 and after[:, 2].mean() < before[:, 2].mean() - 0.05
    # It is pressed, so it is lower than it was, and wider.
    assert np.ptp(after[:, 2]) < np.ptp(before[:, 2]) - 0.005
    assert not out_of_date(drop)
    assert drop.stiction.summary.startswith("18 steps, ")
    assert bpy.ops.stiction.clear() == {"FINISHED"}
    assert [modifier.type for modifier in soft.modifiers] == ["SUBSURF"]
    assert np.array_equal(shown_vertices(soft), before)


def test_bakes_again_over_a_bake(drop, soft):
    bpy.ops.stiction.bake()
    drop.frame_set(10)
    first = shown_vertices(soft)
    bpy.ops.stiction.bake()
    drop.frame_set(10)
    assert np.array_equal(shown_vertices(soft), first)
    assert len(soft.modifiers) == 1


def test_a_changed_mesh_marks_the_bake_as_out_of_date(drop, soft):
    bpy.ops.stiction.bake()
    soft.data.vertices[0].co.x += 0.1
    soft.data.update()
    assert out_of_date(drop)


def test_a_missing_cache_file_is_said_with_the_object_and_the_remedy(drop, soft):
    from stiction.blender_addon.bakers.deformables import missing_caches

    bpy.ops.stiction.bake()
    assert missing_caches(drop) == []
    path = bpy.path.abspath(soft.modifiers[0].filepath)
    os.remove(path)
    (sentence,) = missing_caches(drop)
    assert "'cube'" in sentence and os.path.basename(path) in sentence and "bake again" in sentence
    bpy.ops.stiction.bake()
    assert missing_caches(drop) == []


def test_pins_hold_the_vertices_of_a_group(drop, soft):
    group = soft.vertex_groups.new(name="top")
    top = [vertex.index for vertex in soft.data.vertices if vertex.co.z > 0]
    group.add(top, 1.0, "REPLACE")
    soft.stiction.elastic.pin_group = "top"
    soft.location.z = 3.0
    before = shown_vertices(soft)
    bpy.ops.stiction.bake()
    drop.frame_set(10)
    after = shown_vertices(soft)
    assert np.abs(after[top] - before[top]).max() < 0.02
    rest = np.setdiff1d(np.arange(len(after)), top)
    assert (after[rest, 2] < before[rest, 2] - 0.01).all()


def test_a_vertex_group_makes_a_part_stiffer(drop, soft):
    group = soft.vertex_groups.new(name="hard")
    group.add([vertex.index for vertex in soft.data.vertices if vertex.co.z > 0], 1.0, "REPLACE")
    soft.stiction.elastic.stiffness_group, soft.stiction.elastic.stiffness_factor = "hard", 100.0
    made = next(body for body in export_with_options(drop).scene.bodies if body.name == "cube").elastic
    rows = np.array(made.stiffness_points)
    assert len(rows) == len(soft.data.vertices)
    above = rows[:, 2] > soft.location.z
    assert np.allclose(rows[above, 3], 100.0) and np.allclose(rows[~above, 3], 1.0)
    soft.stiction.elastic.stiffness_group = "none"
    with pytest.raises(RuntimeError, match="object 'cube': has no vertex group 'none' to be stiffer by"):
        bpy.ops.stiction.bake()


def test_a_missing_group_is_refused(drop, soft):
    soft.stiction.elastic.pin_group = "nothing"
    with pytest.raises(RuntimeError, match="object 'cube': has no vertex group 'nothing'"):
        bpy.ops.stiction.bake()


@pytest.mark.parametrize(("change", "sentence"), [
    ({"kinematic": True}, "object 'cube': is Animated and Deformable"),
    ({"kinematic": True, "release": True}, "object 'cube': is Animated and Deformable"),
    ({"shape": "COMPOUND"}, "object 'cube': is a Compound Parent and Deformable"),
])  # fmt: skip
def test_what_a_deformable_body_cannot_be_besides_is_refused(drop, soft, add, change, sentence):
    add("block", location=(0.0, 0.0, 1.7), scale=(0.5, 0.5, 0.5))
    for name, value in change.items():
        setattr(soft.stiction, name, value)
    with pytest.raises(RuntimeError, match=sentence):
        bpy.ops.stiction.bake()


def test_a_passive_body_keeps_its_shape_whatever_it_was_before(drop, soft, add):
    add("block", location=(0.0, 0.0, 1.7), scale=(0.5, 0.5, 0.5))
    soft.stiction.type = "PASSIVE"
    body = next(body for body in export_with_options(drop).scene.bodies if body.name == "cube")
    assert body.elastic is None and body.shape.type == "box"


def test_presets_fill_in_the_numbers(drop, soft):
    soft.stiction.elastic.preset = "FOAM"
    body = next(body for body in export_with_options(drop).scene.bodies if body.name == "cube")
    assert (body.elastic.law, body.elastic.young, body.elastic.poisson) == ("hill_ogden", 5e4, 0.0)
    assert soft.stiction.density == 60.0


def test_pressure_and_self_contact_reach_the_solver(drop, soft):
    soft.stiction.elastic.pressure, soft.stiction.elastic.self_contact = 2e4, True
    soft.stiction.elastic.element, soft.stiction.elastic.bent = "T10", True
    made = next(body for body in export_with_options(drop).scene.bodies if body.name == "cube").elastic
    assert (made.pressure, made.self_contact, made.bent) == (2e4, True, True)


def test_rigid_and_deformable_bodies_bake_together(drop, soft, add):
    add("block", location=(0.0, 0.0, 1.7), scale=(0.5, 0.5, 0.5))
    bpy.ops.stiction.bake()
    block = drop.objects["block"]
    assert block.animation_data.action is not None
    drop.frame_set(10)
    assert block.matrix_world.translation.z > 1.0


def test_tetrahedra_are_shown_and_hidden(drop, soft):
    """Beside the body, where it is, with nothing of the person's changed; once more takes them away."""
    soft.location.x, soft.rotation_euler.z = 0.3, 0.5
    bpy.context.view_layer.objects.active = soft
    drop.view_layers[0].update()
    before, names = shown_vertices(soft), {ob.name for ob in drop.objects}
    assert bpy.ops.stiction.tetrahedra() == {"FINISHED"}
    (made,) = (ob for ob in drop.objects if ob.name not in names)
    assert made.name == f"{soft.name} Tetrahedra" and len(made.data.vertices) % 4 == 0 and made.stiction.type == "NONE"
    inside = shown_vertices(made)
    # Each is shrunk about its middle: a part of its size inside the body.
    assert np.all(inside.min(axis=0) >= before.min(axis=0)) and np.all(inside.max(axis=0) <= before.max(axis=0))
    assert np.ptp(inside, axis=0).min() > 0.8 * np.ptp(before, axis=0).min()
    assert np.array_equal(shown_vertices(soft), before)
    assert bpy.ops.stiction.tetrahedra() == {"FINISHED"}
    assert {ob.name for ob in drop.objects} == names


def test_points_in_quadratic_tetrahedra_follow_their_shape_functions():
    from stiction.blender_addon.deformable.embedding import carried, embed
    from stiction.solver.dynamics.elastic.elements import with_middle_nodes
    from stiction.solver.meshes.tet_grids import box_grid

    vertices, tets = box_grid((2, 1, 1), (2.0, 1.0, 1.0))
    nodes, elements = with_middle_nodes(vertices, tets)
    points = np.random.default_rng(0).uniform((-1, -0.5, -0.5), (1, 0.5, 0.5), (50, 3))

    def bent(x):
        height = x[:, 2] + 0.3 * x[:, 0] ** 2 - x[:, 0] * x[:, 1]
        return np.column_stack([x[:, 0] * (1 + 0.1 * x[:, 2]), x[:, 1], height])

    quadratic = embed(points, nodes, elements[:, :4], elements[:, 4:])
    assert np.abs(carried(quadratic, bent(nodes)) - bent(points)).max() < 1e-12
    linear = embed(points, nodes, elements[:, :4], np.full((len(tets), 6), -1))
    assert np.abs(carried(linear, bent(nodes)) - bent(points)).max() > 0.01


def test_stress_is_an_attribute_of_the_frame_shown(drop, soft):
    """Nothing while it falls, most where it is pressed on the floor; Clear takes it away."""
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    soft.name = "renamed"
    assert bpy.ops.stiction.stress() == {"FINISHED"}
    assert not out_of_date(drop)

    def values(name):
        mesh = soft.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        found = np.empty(len(mesh.vertices), np.float32)
        mesh.attributes[name].data.foreach_get("value", found)
        return found, np.array([vertex.co.z for vertex in mesh.vertices])

    drop.frame_set(1)
    assert values("stress")[0].max() < 1.0 and np.abs(values("stretch")[0] - 1).max() < 1e-4
    drop.frame_set(10)
    stress, height = values("stress")
    assert "stiction.stress" in draw_all(bpy.context).operators
    assert stress.max() > 500.0, "a cube of rubber on the floor carries its weight"
    assert stress[height < np.median(height)].mean() > stress[height > np.median(height)].mean()
    assert len(bpy.data.node_groups) == 1
    assert bpy.ops.stiction.clear() == {"FINISHED"}
    assert not soft.modifiers and not bpy.data.node_groups
    assert not [ob for ob in drop.objects if ob.name.endswith("Stress")]


def test_a_run_in_work_is_seen_bending_and_leaves_no_trace(drop, soft, tmp_path):
    from stiction.blender_addon.running import live as lives
    from stiction.blender_addon.running import run as runs

    soft.modifiers.new("Smooth", "SUBSURF")
    before, place = shown_vertices(soft), tuple(soft.location)
    run = runs.begin(drop)
    run.job.wait()
    view = lives.LiveView(run)
    try:
        view.update(bpy.context)
        seen = {}
        for frame in (1, 5, 10):
            drop.frame_set(frame)
            seen[frame] = shown_vertices(soft)
        assert tuple(soft.location) == place, "the object itself stays where it is"
        assert [modifier.type for modifier in soft.modifiers] == ["MESH_CACHE", "SUBSURF"]
        path = tmp_path / "file.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
        assert len(soft.modifiers) == 2, "and goes on being shown"
        with bpy.data.libraries.load(str(path)) as (_, there):
            there.objects = ["cube"]
        assert [modifier.type for modifier in there.objects[0].modifiers] == ["SUBSURF"]
        bpy.data.objects.remove(there.objects[0])
    finally:
        view.close()
        lives.stop()
        lives.start()
    assert [modifier.type for modifier in soft.modifiers] == ["SUBSURF"]
    assert not list(run.folder.glob("live_*.pc2"))
    # A step of undo from while it was shown brings it back.
    soft.modifiers.new("Stiction Live", "MESH_CACHE")
    lives._after_going_back()
    assert [modifier.type for modifier in soft.modifiers] == ["SUBSURF"]
    drop.frame_set(1)
    assert np.array_equal(shown_vertices(soft), before)
    runs.finish(run)
    for frame, places in seen.items():
        drop.frame_set(frame)
        assert np.abs(shown_vertices(soft) - places).max() < 1e-6, frame


def test_a_run_in_work_is_seen_where_the_modifier_of_the_bake_was_removed(drop, soft):
    from stiction.blender_addon.running import live as lives
    from stiction.blender_addon.running import run as runs

    bpy.ops.stiction.bake()
    run = runs.begin(drop)
    run.job.wait()
    soft.modifiers.clear()
    view = lives.LiveView(run)
    try:
        view.update(bpy.context)
        assert [modifier.name for modifier in soft.modifiers] == ["Stiction Live"]
    finally:
        view.close()
        lives.stop()
        lives.start()
    assert not soft.modifiers


def test_a_run_whose_scene_is_gone_leaves_no_trace_in_another(drop, soft):
    from stiction.blender_addon.running import live as lives
    from stiction.blender_addon.running import run as runs

    other = bpy.data.scenes.new("Other")
    other.collection.objects.link(soft)
    run = runs.begin(drop)
    run.job.wait()
    view = lives.LiveView(run)
    try:
        view.update(bpy.context)
        assert [modifier.name for modifier in soft.modifiers] == ["Stiction Live"]
        bpy.data.scenes.remove(drop)
    finally:
        view.close()
        lives.stop()
        lives.start()
    assert not soft.modifiers


def test_frames_become_shape_keys_and_go_again(drop, soft):
    soft.modifiers.new("Smooth", "SUBSURF")
    bpy.ops.stiction.bake()
    cached = {}
    for frame in (1, 4, 10):
        drop.frame_set(frame)
        cached[frame] = shown_vertices(soft)
    before = np.array([vertex.co for vertex in soft.data.vertices])
    soft.stiction.elastic.plays_as = "KEYS"
    assert not out_of_date(drop), "the run itself is the same"
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    assert [modifier.type for modifier in soft.modifiers] == ["SUBSURF"]
    keys = soft.data.shape_keys
    assert soft.data["stiction_refers"] == keys.session_uid
    assert len(keys.key_blocks) == 11 and not keys.use_relative
    for frame, places in cached.items():
        drop.frame_set(frame)
        assert np.abs(shown_vertices(soft) - places).max() < 1e-5, frame
    assert not out_of_date(drop)
    # Again over it, from the mesh at rest.
    drop.frame_set(10)
    bpy.ops.stiction.bake()
    drop.frame_set(10)
    assert np.abs(shown_vertices(soft) - cached[10]).max() < 1e-5 and len(soft.data.shape_keys.key_blocks) == 11
    assert bpy.ops.stiction.clear() == {"FINISHED"}
    assert soft.data.shape_keys is None and not any("Key" in action.name for action in bpy.data.actions)
    assert "stiction_refers" not in soft.data
    assert np.array_equal([vertex.co for vertex in soft.data.vertices], before)


@pytest.mark.parametrize("why", ["shape keys of its own", "belongs to 2 objects"])
def test_a_mesh_that_cannot_have_keys_plays_a_cache_and_says_so(drop, soft, why):
    soft.stiction.elastic.plays_as = "KEYS"
    if "own" in why:
        soft.shape_key_add(name="Basis")
        soft.shape_key_add(name="Mine")
    else:
        drop.collection.objects.link(bpy.data.objects.new("other", soft.data))
    run = export_run(drop)
    assert any("'cube' plays a Mesh Cache instead of shape keys" in said and why in said for said in run)
    assert soft.modifiers[0].type == "MESH_CACHE"
    bpy.ops.stiction.clear()
    assert (soft.data.shape_keys is not None) == ("own" in why)


def export_run(scene):
    """Sentences of a bake."""
    from stiction.blender_addon.running import run as runs

    return runs.simulate_and_bake(scene)[1]


def test_damping_of_a_rigid_body_does_not_count(drop, soft):
    """It was handed on and had no effect; the panel does not show it for a deformable body."""
    soft.stiction.use_damping, soft.stiction.linear_damping = True, 5.0
    scene = export_with_options(drop).scene
    assert next(body for body in scene.bodies if body.elastic is not None).damping is None
    before = signature(drop)
    soft.stiction.linear_damping = 1.0
    assert signature(drop) == before
    soft.stiction.elastic.use = False
    with_one = signature(drop)
    soft.stiction.linear_damping = 2.0
    assert signature(drop) != with_one
