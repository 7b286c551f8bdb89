"""Materials by name, presets of the user, and what a beginner has to look at."""

from pathlib import Path

import bpy
import pytest
from panel_layout import draw_all

from stiction.blender_addon.materials import known
from stiction.solver.materials import Material

# The list.
WANTED = {"Steel", "Stone", "Wood", "Rubber", "Ice", "Plastic", "Glass", "Concrete", "Grain"}


def select(*objects):
    bpy.context.view_layer.update()
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob in objects)
    bpy.context.view_layer.objects.active = objects[0]


def test_every_material_can_be_used_and_says_its_source():
    assert set(known.MATERIALS) == WANTED
    for label, entry in known.MATERIALS.items():
        Material(label, entry.density, entry.friction, restitution=entry.restitution).check()
        assert len(entry.source) > 20


# Public tables, dry and clean, on itself (rubber: concrete to itself), sliding where they have it:
# engineeringtoolbox.com "Friction - Friction Coefficients", mech.subwiki.org "Table of friction coefficients".
# Ice, sliding and at rest: howwhy.nfshost.com "Coefficients of Friction"; grain: soybean on soybean, Boac et al. 2010
# (krex.k-state.edu/handle/2097/18889), abstract.
TABLES = {"Steel": (0.42, 0.62), "Wood": (0.25, 0.5), "Rubber": (0.6, 1.16), "Glass": (0.4, 0.4), "Ice": (0.03, 0.1),
          "Grain": (0.45, 0.45)}  # fmt: skip


@pytest.mark.parametrize("label", TABLES)
def test_friction_of_materials_is_that_of_public_tables(label):
    low, high = TABLES[label]
    assert low <= known.MATERIALS[label].friction <= high


def test_grain_bounces_as_boac_found():
    assert known.MATERIALS["Grain"].restitution == 0.6


def test_material_goes_to_all_selected_bodies_and_no_other(scene, add):
    first, second, other, light = add("a"), add("b"), add("c"), add("d", kind="NONE")
    second.stiction.torsional_friction = 0.3
    select(first, second, light)
    assert bpy.ops.stiction.set_material(material="STEEL") == {"FINISHED"}
    for ob in (first, second):
        assert (ob.stiction.density, ob.stiction.material) == (7850, "Steel")
        assert ob.stiction.friction == pytest.approx(0.57)
        assert ob.stiction.torsional_friction == 0
    assert other.stiction.material == light.stiction.material == ""


def test_copy_from_active(scene, add):
    first, second = add("a"), add("b")
    first.stiction.friction, first.stiction.law, first.stiction.material = 0.123, "BOX", "Felt"
    select(first, second)
    assert bpy.ops.stiction.copy_material() == {"FINISHED"}
    assert second.stiction.friction == first.stiction.friction
    assert (second.stiction.law, second.stiction.material) == ("BOX", "Felt")


def test_users_own_preset_is_kept_and_used(scene, add, tmp_path, monkeypatch):
    monkeypatch.setattr(bpy.utils, "user_resource", lambda kind, path="", create=False: _folder(tmp_path / path))
    first, second = add("a"), add("b")
    first.stiction.friction, first.stiction.density, first.stiction.use_friction_t = 0.77, 55.0, True
    select(first)
    assert bpy.ops.stiction.material_preset(name="Felt") == {"FINISHED"}
    assert first.stiction.material == "Felt"
    file = next(tmp_path.rglob("*.py"))
    select(second)
    bpy.ops.script.execute_preset(filepath=str(file), menu_idname="STICTION_MT_materials")
    assert second.stiction.friction == pytest.approx(0.77)
    assert second.stiction.material == "Felt"
    assert (second.stiction.density, second.stiction.use_friction_t) == (55.0, True)


def _folder(path):
    Path(path).mkdir(parents=True, exist_ok=True)
    return str(path)


def test_beginner_sees_fewer_than_15_fields_and_a_developer_all(scene, add):
    select(add("a"))
    few = draw_all(bpy.context, closed=False).fields
    assert len(few) < 15, few
    scene.stiction.developer = True
    many = draw_all(bpy.context).fields
    assert len(many) > 30
    assert set(few) < set(many)


def test_what_is_set_is_seen_without_the_switch(scene, add):
    ob = add("a")
    select(ob)
    assert "torsional_friction" not in draw_all(bpy.context).fields
    ob.stiction.torsional_friction = 0.01
    assert "torsional_friction" in draw_all(bpy.context).fields
    scene.stiction.method = "PGS"
    assert "method" in draw_all(bpy.context).fields


def test_pair_in_the_table_counts_for_bodies_of_these_materials(scene, add):
    from stiction.blender_addon.exporting.export import export_scene

    names = [("a", "Steel"), ("b", "Ice"), ("c", "Steel"), ("d", "Wood")]
    for x, (name, label) in enumerate(names):
        known.apply(add(name, location=(2 * x, 0, 0)).stiction, label)
    scene.objects["c"].stiction.friction = 0.3
    line = scene.stiction.pairs.add()
    line.first, line.second, line.friction, line.use_restitution, line.restitution = "Steel", "Ice", 0.02, True, 0.4
    table = export_scene(scene).scene.materials
    mu, restitution, _ = table.tables()
    number = {name: table.index(name) for name, _ in names}
    for steel in ("a", "c"):
        assert mu[number[steel], number["b"], 0] == pytest.approx(0.02)
        assert restitution[number["b"], number[steel], 0] == pytest.approx(0.4)
    assert mu[number["a"], number["d"], 0] == pytest.approx((0.57 * 0.48) ** 0.5)


def test_pairs_that_say_nothing_are_refused(scene, add):
    from stiction.blender_addon.exporting.export import export_scene
    from stiction.solver.base.refusal import SceneError

    select(add("a"))
    assert bpy.ops.stiction.add_pair() == {"FINISHED"}
    with pytest.raises(SceneError, match="material pair 1: lacks a name"):
        export_scene(scene)
    line = scene.stiction.pairs[0]
    line.first, line.second = "Steel", "Ice"
    bpy.ops.stiction.add_pair()
    second = scene.stiction.pairs[1]
    second.first, second.second = "Ice", "Steel"
    with pytest.raises(SceneError, match="'Ice' and 'Steel': is given twice"):
        export_scene(scene)
    bpy.ops.stiction.remove_pair()
    export_scene(scene)


def test_pairs_change_the_fingerprint_and_survive_the_way_to_the_worker(scene, add, tmp_path):
    from stiction.blender_addon.baking.signature import signature
    from stiction.blender_addon.exporting import reading
    from stiction.blender_addon.exporting.reader import read_scene

    known.apply(add("a").stiction, "Steel")
    line = scene.stiction.pairs.add()
    line.first = line.second = "Steel"
    before = signature(scene)
    line.friction = 0.31
    assert signature(scene) != before
    read = read_scene(scene)
    reading.save(read, tmp_path)
    assert reading.load(tmp_path).pairs == read.pairs == (("Steel", "Steel", 0.31, None),)
