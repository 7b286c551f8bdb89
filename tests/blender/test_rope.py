"""A curve, or a mesh of edges, is a rope: it hangs where it is tied, what is seen follows, and all of it goes away."""

import bpy
import numpy as np
import pytest

from stiction.blender_addon.deformable.soft_body import take_over_soft
from stiction.blender_addon.inside.contacts import record_of
from stiction.blender_addon.joints import rope
from stiction.solver.shapes import Capsule


def points_of(ob):
    """Points (P,3) of an object as it is seen, in the world."""
    posed = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = posed.to_mesh()
    places = np.array([ob.matrix_world @ vertex.co for vertex in mesh.vertices])
    posed.to_mesh_clear()
    return places


@pytest.fixture
def line(scene, tmp_path):
    """A mesh of 10 edges of 0.1 m along X, in an object that is moved, turned and scaled; nothing else in the scene."""
    scene.stiction.cache, scene.frame_end = str(tmp_path), 16
    mesh = bpy.data.meshes.new("line")
    mesh.from_pydata([(0.05 * k, 0.0, 0.0) for k in range(11)], [(k, k + 1) for k in range(10)], [])
    ob = bpy.data.objects.new("line", mesh)
    scene.collection.objects.link(ob)
    ob.location, ob.scale, ob.rotation_euler = (0.3, 0.2, 1.0), (2.0, 2.0, 2.0), (0.0, 0.0, 0.5)
    bpy.context.view_layer.objects.active = ob
    bpy.context.view_layer.update()
    return scene, ob


def test_a_mesh_of_edges_hangs_by_its_start_and_follows(line):
    scene, ob = line
    before = points_of(ob)
    assert bpy.ops.stiction.rope(thickness=0.02, tied="START") == {"FINISHED"}
    assert bpy.ops.stiction.rope() == {"CANCELLED"}, "once is enough"
    assert points_of(ob) == pytest.approx(before, abs=1e-6), "as drawn"
    parts = [part for part in rope.parts_of(scene, ob) if part.type == "MESH"]
    assert len(parts) == 10
    assert len(rope.parts_of(scene, ob)) == 20
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    assert record_of(scene).frames.joints[:, :, 2:4].max() < 1e-8
    scene.frame_set(scene.frame_end)
    places = points_of(ob)
    assert places[0] == pytest.approx(before[0], abs=1e-5), "tied"
    assert places[-1, 2] < before[-1, 2] - 0.5, "it falls"
    assert np.linalg.norm(np.diff(places, axis=0), axis=1) == pytest.approx(0.1, abs=1e-5), "it does not stretch"
    middles = [np.array(part.matrix_world.translation) for part in parts]
    assert np.array(middles) == pytest.approx(0.5 * (places[1:] + places[:-1]), abs=1e-5), "where its bodies are"
    assert bpy.ops.stiction.remove_parts() == {"FINISHED"}
    assert not rope.parts_of(scene, ob)
    assert not ob.modifiers
    assert points_of(ob) == pytest.approx(before, abs=1e-6)


def test_its_parts_are_capsules_of_the_thickness(line):
    from stiction.blender_addon.exporting.export import export_scene

    scene, ob = line
    rope.make_rope(scene, ob, 0.02, tied="BOTH")
    made = export_scene(scene).scene
    assert all(isinstance(body.shape, Capsule) for body in made.bodies)
    assert {round(body.shape.radius, 6) for body in made.bodies} == {0.01}
    assert {round(body.shape.length, 6) for body in made.bodies} == {0.1}
    assert sorted(len(set(joint.bodies) - {"world"}) for joint in made.joints) == [1] * 2 + [2] * 9


def test_a_stiff_rope_bends_less(line):
    scene, ob = line
    drops = []
    for bending in (0.0, 50.0):
        assert bpy.ops.stiction.rope(thickness=0.02, tied="START", bending=bending) == {"FINISHED"}
        assert bpy.ops.stiction.bake() == {"FINISHED"}
        scene.frame_set(6)
        places = points_of(ob)
        chord = np.linalg.norm(places[-1] - places[0])
        drops.append(1.0 - chord)
        scene.frame_set(1)
        assert bpy.ops.stiction.remove_parts() == {"FINISHED"}
    assert 0.0 <= drops[1] < 0.2 * drops[0]


def test_a_bezier_curve_with_a_bevel_is_cut_and_has_its_form_again(scene, tmp_path):
    scene.stiction.cache, scene.frame_end = str(tmp_path), 8
    bpy.ops.curve.primitive_bezier_curve_add(location=(0, 0, 2))
    ob = bpy.context.object
    ob.data.bevel_depth, drawn = 0.03, ob.data
    bpy.context.view_layer.update()
    assert bpy.ops.stiction.rope(tied="BOTH") == {"FINISHED"}
    assert ob.data.bevel_depth == pytest.approx(0.03)
    assert ob.data.splines[0].type == "POLY"
    ends = [np.array(ob.matrix_world @ ob.data.splines[0].points[k].co.to_3d()) for k in (0, -1)]
    assert ends == pytest.approx(np.array([(-1, 0, 2), (1, 0, 2)]), abs=1e-5)
    sizes = {round(part.dimensions[0], 5) for part in rope.parts_of(scene, ob) if part.type == "MESH"}
    assert sizes == {0.06}
    before = points_of(ob)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(8)
    assert points_of(ob)[:, 2].min() < before[:, 2].min() - 0.1, "it sags"
    scene.frame_set(1)
    assert bpy.ops.stiction.remove_parts() == {"FINISHED"}
    assert ob.data == drawn
    assert not drawn.use_fake_user


def test_what_has_no_edges_is_refused(scene):
    mesh = bpy.data.meshes.new("points")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0)], [], [])
    ob = bpy.data.objects.new("points", mesh)
    scene.collection.objects.link(ob)
    bpy.context.view_layer.objects.active = ob
    assert bpy.ops.stiction.rope() == {"CANCELLED"}
    assert not ob.modifiers


def test_a_soft_body_of_edges_is_taken_over_as_a_rope(line):
    """Held by the vertices of weight 1 of its goal group, as heavy as its vertices were said to be."""
    scene, ob = line
    modifier = ob.modifiers.new("Softbody", "SOFT_BODY")
    group = ob.vertex_groups.new(name="pinned")
    group.add([0, 5], 1.0, "REPLACE")
    group.add([9], 0.5, "REPLACE")
    modifier.settings.vertex_group_goal, modifier.settings.mass = "pinned", 0.2
    entries = take_over_soft(scene)
    assert "a rope of 10 edges, 2.2 kg" in entries[0].taken[0]
    assert any("2 points" in line for line in entries[0].taken)
    assert not modifier.show_viewport
    bodies = [part for part in rope.parts_of(scene, ob) if part.type == "MESH"]
    assert sum(body.stiction.mass for body in bodies) == pytest.approx(2.2)
    before, scene.frame_end = points_of(ob), 9
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(9)
    places = points_of(ob)
    assert places[[0, 5]] == pytest.approx(before[[0, 5]], abs=0.005), "held, and taut between"
    assert places[-1, 2] < before[-1, 2] - 0.3, "loose"


def soft_rope(ob, **settings):
    """Give an object Blender's Soft Body, changed by settings."""
    modifier = ob.modifiers.new("Softbody", "SOFT_BODY")
    for key, value in settings.items():
        setattr(modifier.settings, key, value)
    return modifier.settings


def test_goals_below_one_pull_a_rope_as_hard_as_blenders(line):
    """Blender's own defaults: every vertex of 1 kg on a spring of 1 / (1 - 0.7^4 / 2) - 1 a frame squared."""
    scene, ob = line
    soft_rope(ob, goal_friction=50.0, mass=1.0)
    (entry,) = take_over_soft(scene)
    assert any("11 points pulled by springs" in said for said in entry.taken)
    before, scene.frame_end = points_of(ob), 60
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(60)
    stiffness = (1.0 / (1.0 - 0.5 * 0.7**4) - 1.0) * 24**2
    assert (before - points_of(ob))[:, 2].mean() == pytest.approx(9.81 / stiffness, rel=0.01)
    scene.frame_set(1)
    assert bpy.ops.stiction.remove_parts() == {"FINISHED"}
    assert len(scene.objects) == 1


def test_goals_of_a_curve_lie_between_those_of_its_points(scene, tmp_path):
    bpy.ops.curve.primitive_nurbs_path_add(location=(0, 0, 2))
    ob = bpy.context.object
    points = ob.data.splines[0].points
    for point, weight in zip(points, (1.0, 0.8, 0.8, 0.0, 0.0), strict=True):
        point.weight_softbody = weight
    places = [ob.matrix_world @ point.co.to_3d() for point in points]
    soft_rope(ob, mass=0.3)
    (entry,) = take_over_soft(scene)
    assert "1.5 kg in all" in entry.taken[0]
    made = [part for part in rope.parts_of(scene, ob) if part.type == "EMPTY" and "Goal" in part.name]
    assert made
    stiffness = {round(part.location.x, 4): part.stiction_joint.x.stiffness for part in made}
    bodies = sum(part.type == "MESH" for part in rope.parts_of(scene, ob))
    full = (1.0 / (1.0 - 0.5 * 0.8**4) - 1.0) * 24**2 * 5 / (bodies + 1)
    between = [value for x, value in stiffness.items() if places[1].x < x < places[2].x]
    assert between and between == pytest.approx([full] * len(between), rel=1e-4)
    assert not [x for x in stiffness if x > places[3].x + 1e-3], "nothing pulls where the weight is 0"
    assert all(value < full for x, value in stiffness.items() if places[2].x + 1e-3 < x)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda own, ob: setattr(own, "plastic", 20), "plasticity 20: a limp rope"),
        (lambda own, ob: setattr(own, "spring_length", 80), "spring length 80: "),
        (lambda own, ob: own.keyframe_insert("pull", frame=1), "keys of pull"),
        (lambda own, ob: ob.keyframe_insert("location", frame=1), "its own motion: what is held or pulled stays"),
        (lambda own, ob: setattr(own, "vertex_group_mass", ob.vertex_groups.new(name="heavy").name), "mass by the"),
        (lambda own, ob: setattr(own.effector_weights, "gravity", 0.5), "gravity 0.5: that of the scene"),
    ],
)
def test_what_a_rope_lacks_is_said(line, change, words):
    scene, ob = line
    change(soft_rope(ob), ob)
    (entry,) = take_over_soft(scene)
    (said,) = entry.left_out
    assert said.startswith(words) or words in said
