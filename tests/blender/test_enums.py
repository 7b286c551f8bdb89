"""Enumerations: upper case in Python; files, presets and bakes from before keep what they say."""

from pathlib import Path

import bpy
import pytest

from stiction import operators
from stiction.blender_addon.baking.signature import signature
from stiction.blender_addon.base.enums import identifier
from stiction.blender_addon.exporting.export import export_scene
from stiction.blender_addon.materials import own_presets
from stiction.solver.dynamics.joints import JOINTS

# Saved when items had the solver's lower-case keys, with the fingerprint of its scene in it.
BEFORE = Path(__file__).parent / "data/lower_case_enums.blend"


def groups(kinds=(bpy.types.Scene, bpy.types.Object, bpy.types.WindowManager)):
    """RNA of all property groups of the extension, nested ones included."""
    found, left = {}, [kind.bl_rna for kind in kinds]
    while left:
        rna = left.pop()
        for entry in rna.properties:
            target = getattr(entry, "fixed_type", None)
            ours = target is not None and target.identifier.lower().startswith("stiction")
            if ours and target.identifier not in found:
                found[target.identifier] = target
                left.append(target)
    return found


def enumerations():
    """(where, property) of all enumerations of property groups and operators."""
    for name, rna in groups().items():
        yield from ((f"{name}.{entry.identifier}", entry) for entry in rna.properties if entry.type == "ENUM")
    for cls in operators._classes():
        if issubclass(cls, bpy.types.Operator):
            rna = getattr(bpy.ops.stiction, cls.bl_idname.partition(".")[2]).get_rna_type()
            yield from ((f"{cls.bl_idname}.{entry.identifier}", entry) for entry in rna.properties
                        if entry.type == "ENUM")  # fmt: skip


def test_every_enumeration_is_upper_case(scene):
    found = dict(enumerations())
    assert len(found) > 30
    wrong = [f"{where}: {item.identifier}" for where, entry in found.items() for item in entry.enum_items
             if item.identifier != identifier(item.identifier)]  # fmt: skip
    assert not wrong


@pytest.mark.skipif(bpy.app.version < (5, 0), reason="the file was saved by Blender 5.0")
def test_a_file_from_before_keeps_every_choice_and_its_bake(scene):
    bpy.ops.wm.open_mainfile(filepath=str(BEFORE))
    scene = bpy.context.scene
    settings, first, second = scene.stiction, scene.objects["a"].stiction, scene.objects["b"].stiction
    assert (settings.method, settings.combine, settings.bake_to) == ("STAGGERED", "MAXIMUM", "INSTANCES")
    options = settings.simulation
    assert (options.stepper, options.soft_stepper, options.overlap) == ("SEMI_IMPLICIT", "BDF2", "PROJECTION")
    assert settings.options_staggered.friction == "POLYGON"
    assert settings.options_nncg.stopping == "JUDGE"
    assert (first.law, first.shape) == ("POLYGON", "CONVEX_HULL")
    elastic = second.elastic
    assert (elastic.preset, elastic.law, elastic.element) == ("RUBBER", "STVK", "T10")
    assert (elastic.mesher, elastic.plays_as) == ("FTETWILD", "KEYS")
    joints = {key: scene.objects[f"joint {key}"].stiction_joint for key in JOINTS}
    assert {key: own.type for key, own in joints.items()} == {key: key.upper() for key in JOINTS}
    assert {own.rz.drive for own in joints.values()} == {"SERVO"}
    assert signature(scene) != scene["fingerprint"], "it was baked with what was the default of an option then"
    options.acceptable = 1e-3
    assert signature(scene) == scene["fingerprint"], "a bake from before is up to date"


def test_the_solver_gets_its_own_keys(scene, add):
    ob = add("a")
    ob.stiction.law, scene.stiction.combine = "BOX", "MAXIMUM"
    ob.stiction.elastic.use, ob.stiction.elastic.element, ob.stiction.elastic.law = True, "T10", "STVK"
    made = export_scene(scene).scene
    assert made.materials.combine == "maximum"
    assert (made.bodies[0].elastic.element, made.bodies[0].elastic.law) == ("t10", "stvk")


def test_presets_from_before_are_renewed(scene, add, tmp_path, monkeypatch):
    path = tmp_path / "felt.py"
    path.write_text("import bpy\nbpy.context.object.stiction.friction = 0.3\nbpy.context.object.stiction.law = 'box'\n")
    monkeypatch.setattr(bpy.utils, "preset_paths", lambda folder: [str(tmp_path)])
    own_presets.renew()
    ob = add("a")
    bpy.context.view_layer.objects.active = ob
    exec(path.read_text(), {})
    assert ob.stiction.law == "BOX" and ob.stiction.friction == pytest.approx(0.3)
    written = path.stat().st_mtime_ns
    own_presets.renew()
    assert path.stat().st_mtime_ns == written, "once"
