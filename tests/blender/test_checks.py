"""The check list: each kind of finding is found, mended by its button, and found no more."""

import bpy
import numpy as np
import pytest
from checked_scenes import (
    HOLED,
    HOLED_FACES,
    LIDLESS_FACES,
    SCENES,
    ground_that_falls,
    instanced,
    overlapping,
    sheared,
    windy,
)
from conftest import CUBE, CUBE_FACES, shown_vertices
from panel_layout import draw_all

from stiction.blender_addon.checks import CHECKS, runner
from stiction.blender_addon.checks.store import facts


def keys_of(scene):
    bpy.context.view_layer.update()
    found, _ = runner.check_now(scene)
    return {key: findings for key, findings in found.items() if findings}


def test_every_check_has_a_scene():
    assert set(SCENES) == set(CHECKS)


@pytest.mark.parametrize("key", CHECKS)
def test_found_mended_and_found_no_more(scene, add, key):
    SCENES[key](scene, add)
    before = keys_of(scene)
    assert list(before) == [key]
    assert before[key][0].names[0] == "body"
    assert bpy.ops.stiction.repair(check=key.upper()) == {"FINISHED"}
    assert key not in keys_of(scene)


def test_well_made_scene_has_no_findings(scene, add):
    add("ground", kind="PASSIVE", scale=(10, 10, 1), location=(0, 0, -0.5))
    for level in range(5):
        for i in range(4):
            add(f"brick {level} {i}", location=(i + 0.5 * (level % 2), 0, 0.5 + level))
    assert keys_of(scene) == {}
    assert len(bpy.context.window_manager.stiction_findings.found) == 0


@pytest.mark.parametrize("case", ["held", "no gravity", "as wide", "not below"])
def test_no_ground_is_seen_where_there_is_none(scene, add, case):
    ground_that_falls(scene, add)
    if case == "held":
        add("wall", kind="PASSIVE", location=(20, 0, 0))
    if case == "no gravity":
        scene.use_gravity = False
    if case == "as wide":
        scene.objects["other"].scale = (9, 9, 1)
    if case == "not below":
        scene.objects["other"].location.z = -3
    assert "falling_ground" not in keys_of(scene)


def test_a_field_that_something_else_feels_is_not_warned_of(scene, add):
    windy(scene, add)
    add("sheet", kind="NONE", location=(0, 0, 9)).modifiers.new("Cloth", "CLOTH")
    assert "force_fields" not in keys_of(scene)


def test_repair_is_for_all_such_objects_and_no_others(scene, add):
    open_mesh = add("a", HOLED, HOLED_FACES).data
    for i in range(24):
        add(f"b{i}", mesh=open_mesh, location=(2 * i + 2, 0, 0))
    good = add("good", location=(0, 5, 0))
    assert len(keys_of(scene)["open_mesh"]) == 25
    bpy.ops.stiction.repair(check="OPEN_MESH")
    assert keys_of(scene) == {}
    assert good.stiction.shape == "AUTO"


@pytest.mark.parametrize(
    ("place", "depth"),
    [((0.2, 0.1, 0.9), 0.1), ((0.0, 0.0, 0.75), 0.25), ((0.97, 0.3, 0.4), 0.03)],
)  # fmt: skip
def test_depth_of_overlap_is_stated(scene, add, place, depth):
    add("body", location=place)
    add("other", kind="PASSIVE")
    finding = keys_of(scene)["overlapping"][0]
    assert finding.names == ("body", "other")
    said = float(finding.text.split("about ")[1].split(" mm")[0])
    assert said == pytest.approx(1e3 * depth, rel=1e-3)


def test_crossed_bars_overlap_without_a_corner_in_each_other(scene, add):
    add("body", scale=(10, 1, 1), location=(0, 0, 0.8))
    add("other", scale=(1, 10, 1), kind="PASSIVE")
    assert 0.15 < float(keys_of(scene)["overlapping"][0].text.split("about ")[1].split(" mm")[0]) / 1e3 <= 0.5
    bpy.ops.stiction.repair(check="OVERLAPPING")
    assert keys_of(scene) == {}


def test_shear_repair_keeps_what_one_sees(scene, add):
    sheared(scene, add)
    ob = scene.objects["body"]
    bpy.context.view_layer.update()
    before = np.array([ob.matrix_world @ vertex.co for vertex in ob.data.vertices])
    bpy.ops.stiction.repair(check="SHEAR")
    after = np.array([ob.matrix_world @ vertex.co for vertex in ob.data.vertices])
    assert np.abs(after - before).max() < 1e-6
    assert tuple(ob.scale) == pytest.approx((1, 1, 1))


def test_checking_changes_nothing_and_undoes_nothing(scene, add):
    overlapping(scene, add)
    scene.frame_set(7)
    before = scene.objects["body"].matrix_world.copy()
    bpy.ops.stiction.check()
    assert scene.frame_current == 7
    assert scene.objects["body"].matrix_world == before


def test_a_click_selects_the_objects_and_facts_are_told(scene, add):
    overlapping(scene, add)
    bpy.ops.stiction.check()
    group = bpy.context.window_manager.stiction_findings
    group.active = 0
    assert {ob.name for ob in bpy.context.selected_objects} == {"body", "other"}
    assert bpy.context.view_layer.objects.active.name == "body"
    lines = dict(facts("body"))
    assert lines["Mass"] == "1000 kg"
    assert lines["Volume"] == "1 m³"
    assert lines["Center"] == "(0, 0, 0.9) m"


SQUARE = [(x, y, 0) for x in (-1, 1) for y in (-1, 1)], [(0, 1, 3, 2)]
SHEETS = {
    "square": SQUARE, "box without lid": (CUBE, LIDLESS_FACES),
    "flattened cube": ([(x, y, 0) for x, y, _ in CUBE], CUBE_FACES),
    "three leaves": ([(0, -1, 0), (0, 1, 0), *((x, y, z) for x, z in ((1, 0), (-1, 1), (-1, -1)) for y in (-1, 1))],
                     [(0, 1, 3, 2), (0, 1, 5, 4), (0, 1, 7, 6)]),
    "folded sharply": ([(x, y, z) for x, z in ((0, 0), (1, 0.05), (1, -0.05)) for y in (-1, 1)],
                       [(0, 1, 3, 2), (0, 1, 5, 4)]),
}  # fmt: skip


@pytest.mark.parametrize("shape", ["AUTO", "MESH", "CONVEX_HULL", "WINDING"])
@pytest.mark.parametrize("name", SHEETS)
def test_every_sheet_that_moves_gets_a_thickness_with_one_click(scene, add, name, shape, tmp_path):
    vertices, faces = SHEETS[name]
    if shape in ("CONVEX_HULL", "WINDING") and name not in ("square", "flattened cube"):
        pytest.skip("has a hull, and may enclose something")
    add("ground", [(20 * x, 20 * y, z) for x, y, z in SQUARE[0]], SQUARE[1], kind="PASSIVE")
    ob = add("sheet", vertices, faces, location=(0, 0, 1.2))
    ob.stiction.shape = shape
    assert list(keys_of(scene)) == ["sheet"]
    bpy.ops.stiction.repair(check="SHEET")
    assert not {"sheet", "open_mesh", "refused"} & set(keys_of(scene))
    scene.frame_end, scene.stiction.cache = 40, str(tmp_path)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(40)
    lowest = shown_vertices(ob)[:, 2].min()
    assert -1e-3 < lowest < 0.02


def test_the_thickness_suits_a_small_card(scene, add):
    card = add("body", *SQUARE, scale=(0.03, 0.04, 1.0))
    keys_of(scene)
    bpy.ops.stiction.repair(check="SHEET")
    assert card.stiction.thickness == pytest.approx(0.02 * 0.08)


def test_a_solidified_card_is_as_thin_as_it_says(scene, add):
    """And the steps that it takes are a number: a sheet's own extent is 0."""
    add("ground", kind="PASSIVE", location=(0, 0, -20))
    card = add("body", *SQUARE)
    card.stiction.shape, card.stiction.thickness = "SOLIDIFY", 0.01
    assert "is 10 mm thin" in keys_of(scene)["thin"][0].text
    before = scene.stiction.steps_per_frame
    assert bpy.ops.stiction.repair(check="THIN") == {"FINISHED"}
    assert scene.stiction.steps_per_frame > before


def test_the_mass_that_blender_gives_is_not_unlikely(scene, add):
    for number, mass in enumerate((1.0, 1.001)):
        body = add(f"body {number}", scale=(0.01, 0.01, 0.01), location=(number, 0, 0))
        body.stiction.use_mass, body.stiction.mass = True, mass
    assert [finding.names for finding in keys_of(scene)["mass"]] == [("body 1",)]


def test_suzanne_is_an_open_mesh(scene):
    bpy.ops.mesh.primitive_monkey_add()
    bpy.context.object.stiction.type = "ACTIVE"
    findings = keys_of(scene)
    assert "holes" in findings["open_mesh"][0].text
    bpy.ops.stiction.repair(check="OPEN_MESH")
    assert keys_of(scene) == {}


def test_slices_find_what_one_look_finds(scene, add):
    overlapping(scene, add)
    add("c", HOLED, HOLED_FACES, location=(5, 0, 0))
    bpy.context.view_layer.update()
    runner._work.clear()
    while runner._tick() is not None:
        pass
    keys = {item.check for item in bpy.context.window_manager.stiction_findings.found}
    assert keys == {"overlapping", "open_mesh"}


def test_overlaps_found_at_the_first_frame_stay_listed_at_others(scene, add):
    overlapping(scene, add)
    bpy.ops.stiction.check()
    scene.frame_set(9)
    runner._work.clear()
    while runner._tick() is not None:
        pass
    found = bpy.context.window_manager.stiction_findings.found
    assert [(item.check, item.name, item.other) for item in found] == [("overlapping", "body", "other")]
    scene.objects["other"].stiction.type = "NONE"
    while runner._tick() is not None:
        pass
    assert len(found) == 0


def test_all_is_well_only_where_overlaps_were_looked_for(scene, add):
    """Away from the first frame a check after a change does not see them; it said that all was well."""
    overlapping(scene, add)
    scene.frame_set(9)
    while runner._tick() is not None:
        pass
    assert "2 checked, but not for overlaps" in draw_all(bpy.context).labels
    scene.objects["body"].location.z += 1.0
    bpy.ops.stiction.check()
    assert "2 checked, all well" in draw_all(bpy.context).labels
    while runner._tick() is not None:
        pass
    assert "2 checked, all well" in draw_all(bpy.context).labels


def test_bake_looks_before_it_begins(scene, add):
    overlapping(scene, add)
    runner.soon(at_once=5.0)
    found = bpy.context.window_manager.stiction_findings.found
    assert [item.check for item in found] == ["overlapping"]


@pytest.mark.parametrize("change", ["body", "joint"])
def test_check_begins_anew_when_a_body_or_joint_is_made(scene, add, change):
    ob = add("body")
    runner._work["steps"] = iter(())
    if change == "body":
        ob.stiction.type = "PASSIVE"
    else:
        ob.stiction_joint.type = "HINGE"
    assert not runner._work


def test_instance_made_real_is_simulated(scene, add):
    instanced(scene, add)
    bpy.context.view_layer.update()
    runner.check_now(scene)
    bpy.ops.stiction.repair(check="INSTANCED")
    bodies = [ob for ob in scene.objects if ob.stiction.type == "ACTIVE" and ob.name != "other"]
    assert [tuple(ob.matrix_world.translation) for ob in bodies] == [(0, 0, 4)]
