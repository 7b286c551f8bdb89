"""A bake that no check went before: what begins partly below an open ground is named all the same."""

import bpy
import pytest

from stiction.blender_addon.checks import runner
from stiction.blender_addon.checks.overlaps import sunk
from stiction.blender_addon.checks.overlaps.sunk import MOST_SAID
from stiction.blender_addon.inside import verdict
from stiction.blender_addon.running.loaded_bake import simulate_and_bake

PLANE = [(x, y, 0) for x in (-10, 10) for y in (-10, 10)], [(0, 1, 3, 2)]


@pytest.fixture
def ground(scene, add, tmp_path):
    """An open ground of single faces, Passive."""
    scene.frame_end, scene.stiction.cache = 3, str(tmp_path)
    return add("ground", *PLANE, kind="PASSIVE")


def said(scene):
    return [line for line in simulate_and_bake(scene)[1] if "; Separate," in line]


@pytest.mark.parametrize("shape", ["BOX", "CONVEX_HULL", "MESH"])
def test_a_bake_from_a_script_names_what_begins_in_the_ground(scene, add, ground, shape):
    add("sunk", location=(0, 0, 0.473)).stiction.shape = shape
    add("level", location=(3, 0, 0.5)).stiction.shape = shape
    found, _ = runner.check_now(scene)
    (finding,) = found["overlapping"]
    (line,) = said(scene)
    assert line.startswith(f"object 'sunk': {finding.text}; Separate")


def test_nothing_is_made_of_what_stands_on_the_ground(scene, add, ground, monkeypatch):
    add("level", location=(0, 0, 0.5))
    add("touching", location=(3, 0, 0.4999))
    monkeypatch.setattr(sunk, "_subject", None)
    assert said(scene) == []


def test_nothing_is_said_of_what_a_solid_ground_pushes_out(scene, add, tmp_path):
    scene.frame_end, scene.stiction.cache = 3, str(tmp_path)
    add("slab", kind="PASSIVE", scale=(10, 10, 1), location=(0, 0, -0.5))
    add("sunk", location=(0, 0, 0.49))
    assert said(scene) == []


def test_many_are_counted(scene, add, ground):
    for number in range(MOST_SAID + 4):
        add(f"sunk {number}", location=(1.2 * (number - 7), 0, 0.4))
    lines = said(scene)
    assert len(lines) == MOST_SAID + 1
    assert lines[-1].startswith("4 more bodies overlap")


def test_the_operator_tells_it(scene, add, ground):
    add("sunk", location=(0, 0, 0.473))
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    assert "'ground' by about 27 mm" in bpy.data.texts[verdict.TEXT].as_string()
