"""blender --command stiction: the handler Blender calls, with what it prints and the codes it returns."""

import bpy
import pytest

from stiction.blender_addon.running import command_line
from stiction.solver.trajectory import read_header


@pytest.fixture
def blend(scene, add, tmp_path):
    """A saved file with a falling cube, loaded."""
    add("cube", location=(0, 0, 5))
    scene.frame_end = 6
    path = tmp_path / "fall.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def test_command_is_registered(extension):
    assert bool(command_line._handles) == hasattr(bpy.utils, "register_cli_command")


def test_bake_saves_what_it_baked(blend, tmp_path):
    before = blend.read_bytes()
    assert command_line.run(["bake", "--output", str(tmp_path / "baked.blend")]) == 0
    assert blend.read_bytes() == before
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "baked.blend"))
    assert bpy.context.scene.objects["cube"].animation_data
    assert command_line.run(["bake"]) == 0
    assert (tmp_path / "baked.blend1").exists() or (tmp_path / "baked.blend").stat().st_size > 0


def test_simulate_leaves_a_run(blend, tmp_path, capsys):
    assert command_line.run(["simulate", "--output", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().out.strip().endswith(str(tmp_path / "run"))
    assert read_header(tmp_path / "run")["names"] == ["cube"]
    assert not bpy.context.scene.objects["cube"].animation_data
    assert command_line.run(["simulate", "--output", str(tmp_path / "run")]) == 2
    assert "is not empty; choose another" in capsys.readouterr().err


def test_refusals_have_code_2_and_one_sentence(blend, tmp_path, capsys):
    bpy.context.scene.objects["cube"].stiction.density = -1
    assert command_line.run(["bake"]) == 2
    said = capsys.readouterr().err
    assert "object 'cube': density is -1.0" in said
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert command_line.run(["bake"]) == 2
    assert "no file is loaded" in capsys.readouterr().err


def test_other_verbs_are_those_of_the_solver(extension, capsys):
    assert command_line.run(["scenes"]) == 0
    assert "slot_hopper" in capsys.readouterr().out
    assert command_line.run(["study", "no_such_study.toml"]) == 2


def test_operators_take_the_same_arguments(blend, tmp_path):
    assert bpy.ops.stiction.simulate(output=str(tmp_path / "run")) == {"FINISHED"}
    assert (tmp_path / "run" / "header.json").exists()
    with pytest.raises(RuntimeError, match="is not empty"):
        bpy.ops.stiction.simulate(output=str(tmp_path / "run"))
    with pytest.raises(RuntimeError, match="the study was refused"):
        bpy.ops.stiction.study(study=str(tmp_path / "none.toml"))
