"""Blender's Soft Body taken over: goals, masses and stiffness by vertex group; what has no counterpart is said."""

import bpy
import numpy as np
import pytest
from conftest import shown_vertices
from deforming_bodies import limp, soft_balls

from stiction.blender_addon.checks import runner
from stiction.blender_addon.deformable.soft_body import take_over_soft
from stiction.blender_addon.exporting.export import export_scene


def soft(add, name="soft", **settings):
    """A cube of 8 vertices with Soft Body and Blender's defaults, changed by settings."""
    ob = add(name, kind="NONE", location=(0, 0, 1))
    modifier = ob.modifiers.new("Softbody", "SOFT_BODY")
    for key, value in settings.items():
        setattr(modifier.settings, key, value)
    ob.stiction.elastic.element_size = 0.5
    return ob


def said(entries, name="soft"):
    return next(entry for entry in entries if entry.name == name)


def grouped(ob, name, weights):
    group = ob.vertex_groups.new(name=name)
    for index, weight in enumerate(weights):
        group.add([index], weight, "REPLACE")


def test_settings_are_taken_and_the_modifier_is_off(scene, add):
    ob = soft(add, mass=0.5, use_goal=True, goal_default=0.6, goal_spring=0.8, goal_friction=2.0)
    entry = said(take_over_soft(scene))
    assert (ob.stiction.type, ob.stiction.elastic.use, ob.stiction.kinematic) == ("ACTIVE", True, True)
    assert ob.stiction.mass == pytest.approx(4.0)
    assert not ob.modifiers[0].show_viewport
    assert any("goal 0.6" in line for line in entry.taken)
    assert not any("raised" in line for line in entry.changed)
    goals = np.array(export_scene(scene).scene.bodies[0].elastic.goals)
    goal = 0.6**4
    wanted = 2.0 * 24**2 * (1 / (1 - 0.8 * goal) - 1), 2.0 * 24 * 0.02
    assert goals[:, 3:] == pytest.approx(np.tile(wanted, (8, 1)), rel=1e-5)


def test_weights_near_one_hold_and_others_pull(scene, add):
    ob = soft(add, use_goal=True)
    grouped(ob, "goal", [1.0] * 4 + [0.5] * 4)
    ob.modifiers[0].settings.vertex_group_goal = "goal"
    take_over_soft(scene)
    elastic = export_scene(scene).scene.bodies[0].elastic
    assert len(elastic.pin_points) == 4 and len(elastic.goals) == 8
    assert np.ptp(np.array(elastic.goals)[4:, 3]) == 0.0 < elastic.goals[4][3] < elastic.goals[0][3]


def test_one_that_its_weight_would_crush_is_made_stiffer(scene, add):
    ob = soft(add, use_goal=False, use_edges=False)
    assert "raised so that it carries its weight" in said(take_over_soft(scene)).changed[0]
    assert ob.stiction.elastic.young == pytest.approx(8 * 9.81 / 0.1, rel=1e-5)


@pytest.mark.parametrize("pull", [0.0, 0.9])
def test_stiffness_is_that_of_the_size_in_metres(scene, add, pull):
    """A spring of Blender's is a force on a mass, whatever the unit of length: a cube of 1 cm is 100 times as stiff a
    material as one of 1 m. Under gravity in units, its weight is a hundredth, on 1e-4 of the area."""
    young = []
    for length in (1.0, 0.01):
        scene.unit_settings.scale_length = length
        ob = soft(add, f"soft {length}", use_goal=False, pull=pull)
        take_over_soft(scene)
        young.append(ob.stiction.elastic.young)
    assert young[1] == pytest.approx(100 * young[0], rel=1e-5)


@pytest.mark.slow
def test_two_balls_of_the_add_menu_are_jelly(scene, tmp_path):
    """Soft Body as it is added, Goal off: they fall 2 m, one on the other, are pressed to about half and come back."""
    balls = soft_balls()
    scene.frame_end, scene.stiction.cache = 60, str(tmp_path)
    bpy.ops.stiction.import_rigid_body()
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    assert scene.stiction.worth != "POOR"
    heights = {ball: [] for ball in balls}
    for frame in range(16, 61):
        scene.frame_set(frame)
        for ball in balls:
            heights[ball].append(np.ptp(shown_vertices(ball)[:, 2]))
    for ball in balls:
        assert 0.8 < min(heights[ball]) < 1.6
        assert heights[ball][-1] > 1.5


def test_mass_and_stiffness_by_vertex_group(scene, add):
    ob = soft(add, use_goal=False, pull=0.9)
    for name in ("mass", "spring"):
        grouped(ob, name, [0.2] * 4 + [1.0] * 4)
        setattr(ob.modifiers[0].settings, f"vertex_group_{name}", name)
    take_over_soft(scene)
    elastic = export_scene(scene).scene.bodies[0].elastic
    assert np.array(elastic.mass_points)[:, 3] == pytest.approx([0.2] * 4 + [1.0] * 4)
    assert elastic.stiffness_points[4][3] > elastic.stiffness_points[0][3]


def test_a_head_follows_its_keys_late_and_settles(scene, add, tmp_path):
    """Secondary motion: it is moved by keys within a few frames, swings on, and comes to rest at its goal."""
    ob = soft(add, use_goal=True, goal_default=0.9, goal_spring=0.5, goal_friction=30.0, pull=0.9)
    for frame, x in ((1, 0.0), (6, 2.0), (40, 2.0)):
        ob.location.x = x
        ob.keyframe_insert("location", frame=frame)
    scene.use_gravity, scene.frame_end, scene.stiction.cache = False, 40, str(tmp_path)
    assert bpy.ops.stiction.import_rigid_body() == {"FINISHED"}
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    middle = {}
    for frame in (1, 4, 40):
        scene.frame_set(frame)
        middle[frame] = shown_vertices(ob)[:, 0].mean()
    assert middle[1] == pytest.approx(0.0, abs=1e-3)
    scene.frame_set(4)
    assert middle[4] < ob.matrix_world.translation.x - 0.05, "late"
    assert middle[40] == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize("change", ["stiff", "held by goals", "no gravity"])
def test_what_stands_is_not_too_soft(scene, add, change):
    limp(scene, add)
    body = scene.objects["body"]
    if change == "stiff":
        body.stiction.elastic.young = 1e4
    if change == "held by goals":
        body.stiction.elastic.use_goal = body.stiction.kinematic = True
    if change == "no gravity":
        scene.use_gravity = False
    bpy.context.view_layer.update()
    assert runner.check_now(scene)[0].get("weak", []) == []


def test_what_it_collides_with_is_passive(scene, add):
    soft(add, use_goal=False)
    ground = add("ground", kind="NONE", location=(0, 0, -1))
    ground.modifiers.new("Collision", "COLLISION")
    entries = take_over_soft(scene)
    assert ground.stiction.type == "PASSIVE"
    assert said(entries, "ground").taken == ["Collision: Passive"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda ob: setattr(ob.modifiers[0].settings, "plastic", 20), "plasticity 20"),
        (lambda ob: setattr(ob.modifiers[0].settings, "speed", 2.0), "speed 2: set Speed"),
        (lambda ob: ob.modifiers[0].settings.keyframe_insert("pull", frame=1), "keys of pull"),
    ],
)
def test_what_has_no_counterpart_is_said(scene, add, change, words):
    ob = soft(add)
    change(ob)
    (line,) = said(take_over_soft(scene)).left_out
    assert words in line


def test_suzanne_is_filled_though_her_eyes_are_holes(scene, tmp_path):
    """She was left out as a sheet, and Bake then found no body."""
    bpy.ops.mesh.primitive_monkey_add()
    ob = bpy.context.object
    ob.modifiers.new("Softbody", "SOFT_BODY").settings.use_goal = False
    entry = said(take_over_soft(scene), "Suzanne")
    assert ob.stiction.shape == "WINDING" and any("Close by Winding fills it" in line for line in entry.changed)
    (body,) = export_scene(scene).scene.bodies
    assert body.shape.repair.kind == "winding"
    scene.frame_end, scene.stiction.cache = 4, str(tmp_path)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
