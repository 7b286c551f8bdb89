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


def test_material_goes_to_all_selected_bodies_and_no_other(scene, add):
    first, second, other, light = add("a"), add("b"), add("c"), add("d", kind="NONE")
    second.stiction.torsional_friction = 0.3
    select(first, second, light)
    assert bpy.ops.stiction.set_material(material="Steel") == {"FINISHED"}
    for ob in (first, second):
        assert (ob.stiction.density, ob.stiction.material) == (7850, "Steel")
        assert ob.stiction.friction == pytest.approx(0.57)
        assert ob.stiction.torsional_friction == 0
    assert other.stiction.material == light.stiction.material == ""


def test_copy_from_active(scene, add):
    first, second = add("a"), add("b")
    first.stiction.friction, first.stiction.law, first.stiction.material = 0.123, "box", "Felt"
    select(first, second)
    assert bpy.ops.stiction.copy_material() == {"FINISHED"}
    assert second.stiction.friction == first.stiction.friction
    assert (second.stiction.law, second.stiction.material) == ("box", "Felt")


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
    few = draw_all(bpy.context).fields
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
    scene.stiction.method = "pgs"
    assert "method" in draw_all(bpy.context).fields
