"""Verify Run: the check of a bake without the solver, its result in the panel and in a Text block."""

import json

import bpy
import numpy as np
import pytest
from hands import Hands
from panel_layout import draw_all

from stiction.blender_addon.inside.contacts import record_of
from stiction.operators import in_background
from stiction.operators.look_inside import STICTION_OT_verify


@pytest.fixture
def recorded(drop):
    """A cube that falls onto a slab, baked with its contacts."""
    drop.stiction.simulation.store_contacts = True
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    return drop


def said(scene):
    """What the panel says of it."""
    assert scene.stiction.verified in " ".join(draw_all(bpy.context).labels)
    return scene.stiction.verified


def test_a_bake_is_verified_until_it_is_another(recorded):
    assert "stiction.verify" in draw_all(bpy.context).operators
    assert bpy.ops.stiction.verify() == {"FINISHED"}
    assert said(recorded).startswith("Verified: ")
    table = bpy.data.texts["Stiction Verification"].as_string()
    assert "ok   momentum" in table and "passed" in table
    bpy.ops.stiction.clear()
    assert recorded.stiction.verified == ""


def test_a_run_that_claims_what_is_not_so_is_not_verified(recorded):
    """The kinetic energy that a step reports, in the run's own file."""
    folder = record_of(recorded).folder
    fields = json.loads((folder / "header.json").read_text())["step_fields"]
    steps = np.fromfile(folder / "steps.bin").reshape(-1, len(fields))
    steps[4, fields.index("kinetic")] += 1.0
    steps.tofile(folder / "steps.bin")
    assert bpy.ops.stiction.verify() == {"FINISHED"}
    assert said(recorded).startswith("Not verified: kinetic energy as reported, 1 J where ")
    assert "step 5" in said(recorded)


def test_a_run_without_contacts_is_refused_with_the_remedy(drop):
    bpy.ops.stiction.bake()
    with pytest.raises(RuntimeError, match="kept no contacts.*Keep Contacts"):
        bpy.ops.stiction.verify()


def test_the_result_goes_to_the_scene_of_the_bake(recorded, extension, monkeypatch):
    """Whichever scene the window shows by then."""
    hands = Hands(monkeypatch, in_background)
    assert hands.press(STICTION_OT_verify) == {"RUNNING_MODAL"}
    bpy.context.window.scene = bpy.data.scenes.new("Other")
    assert hands.wait() == {"FINISHED"}
    assert recorded.stiction.verified.startswith("Verified: ")
    assert not bpy.context.scene.stiction.verified
