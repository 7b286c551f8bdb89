"""Deformable bodies that move in a few modes: from the panel to a mesh that plays."""

import re

import bpy
import numpy as np
import pytest
from conftest import shown_vertices
from hands import ESC, Hands
from panel_layout import draw_all

from stiction.blender_addon.baking.signature import signature
from stiction.blender_addon.deformable import modes
from stiction.blender_addon.inside.modes_worker import ringing
from stiction.blender_addon.running.run import export_with_options
from stiction.operators import in_background
from stiction.operators.deformable import modes as verbs
from stiction.solver.scene import Reduction


@pytest.fixture
def plank(drop):
    """The drop's cube as a plank of wood, tilted, that moves in modes."""
    ob = drop.objects["cube"]
    ob.scale, ob.rotation_quaternion = (1.0, 0.2, 0.1), (1.0, 0.0, 0.1, 0.0)
    ob.location.z = 0.3
    elastic = ob.stiction.elastic
    elastic.use, elastic.motion, elastic.element, elastic.young = True, "MODES", "T10", 1e8
    elastic.element_size, elastic.modes, elastic.damping = 0.1, 6, 1e-5
    bpy.context.view_layer.objects.active = ob
    drop.view_layers[0].update()
    return ob


def elastic_of(scene, name="cube"):
    return next(body for body in export_with_options(scene).scene.bodies if body.name == name).elastic


def test_the_panel_s_modes_are_those_of_the_scene(drop, plank):
    elastic = plank.stiction.elastic
    made = elastic_of(drop)
    assert made.reduction == Reduction(6, 0, True, (), 0.02) and made.law == "corotational"
    elastic.bends, elastic.spin, elastic.damping_ratio = 4, False, 0.1
    mark = bpy.data.objects.new("mark", None)
    mark.empty_display_size, mark.location = 0.25, (1.0, 2.0, 3.0)
    elastic.struck = bpy.data.collections.new("marks")
    elastic.struck.objects.link(mark)
    drop.collection.children.link(elastic.struck)
    drop.view_layers[0].update()
    made = elastic_of(drop)
    assert made.law == "stvk"
    assert made.reduction == Reduction(6, 4, False, (((0.75, 1.75, 2.75), (1.25, 2.25, 3.25)),), 0.1)
    elastic.motion = "FULL"
    assert elastic_of(drop).reduction is None and elastic_of(drop).law == "ciarlet_geymonat"


def test_a_bake_plays_the_plank_bending(drop, plank):
    before = shown_vertices(plank)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    drop.frame_set(10)
    after = shown_vertices(plank)
    assert after[:, 2].min() < before[:, 2].min() - 0.05 and after[:, 2].min() > -0.01
    assert bpy.ops.stiction.clear() == {"FINISHED"}
    drop.frame_set(1)
    assert np.array_equal(shown_vertices(plank), before)


def test_only_what_modes_have_marks_a_bake_as_out_of_date(drop, plank):
    elastic = plank.stiction.elastic
    before = signature(drop)
    elastic.law = "STVK"
    assert signature(drop) == before, "modes have a law of their own"
    for name, value in (("modes", 7), ("bends", 3), ("spin", False), ("damping_ratio", 0.5)):
        known = getattr(elastic, name)
        setattr(elastic, name, value)
        assert signature(drop) != before, name
        setattr(elastic, name, known)
    assert signature(drop) == before
    elastic.motion = "FULL"
    full = signature(drop)
    elastic.modes = 30
    assert signature(drop) == full != before


FAULTS = {
    "a reduction \\(Modes\\) and pins": {"pin_group": "all"},
    "and goals": {"use_goal": True},
    "and a pressure": {"pressure": 1e3},
    "and self_contact": {"self_contact": True},
    "without a mesh or an empty": {"struck": None},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_modes_cannot_have_is_said_before_the_bake(drop, plank, fault):
    plank.vertex_groups.new(name="all").add(range(8), 1.0, "REPLACE")
    for name, value in FAULTS[fault].items():
        setattr(plank.stiction.elastic, name, value or bpy.data.collections.new("empty"))
    drawn = draw_all(bpy.context)
    assert set(FAULTS[fault]) <= set(drawn.fields), "what hinders is there to be changed"
    bpy.ops.stiction.check()
    said = [one.text for one in bpy.context.window_manager.stiction_findings.found]
    assert any(re.search(fault, one) for one in said), said
    with pytest.raises(RuntimeError, match=f"object 'cube'.*{fault}"):
        bpy.ops.stiction.bake()


def test_ringing_is_that_of_a_damped_oscillator():
    """A string of 440 Hz with a thousandth of critical damping; one that swings just no more; one without damping."""
    w = 2.0 * np.pi * 440.0
    frequency, decay = ringing(np.full(3, w * w), np.array([2e-3 * w, 2.0 * w, 0.0]))
    assert np.allclose(frequency, [440.0 * np.sqrt(1.0 - 1e-6), 0.0, 440.0], rtol=1e-9, atol=0.0)
    assert abs(decay[0] - 2.499) < 1e-3 and abs(decay[1] - np.log(1e3) / w) < 1e-9 and np.isinf(decay[2])


@pytest.fixture
def hands(monkeypatch, plank):
    found = Hands(monkeypatch, in_background, verbs)
    yield found
    modes.forget()


def test_modes_are_listed_as_a_beam_rings(drop, plank, hands):
    """The lowest of a free beam of 1 x 0.2 x 0.1 m bends it flat: 22.373 / 2 pi L^2 sqrt(EI / rho A) by Euler and
    Bernoulli, a little less with shear."""
    assert hands.press(verbs.STICTION_OT_find_modes) == {"RUNNING_MODAL"}
    assert hands.wait() == {"FINISHED"}, hands.said
    found = modes.found(plank)
    assert len(found.frequency) == 6 and sorted(found.frequency) == found.frequency
    settings = plank.stiction
    thin = 22.373 / (2.0 * np.pi) * np.sqrt(settings.elastic.young * 0.1**2 / 12.0 / settings.density)
    assert 0.93 * thin < found.frequency[0] < thin
    assert modes.sentence(1, found) in hands.said[-1][1]
    assert draw_all(bpy.context).operators.count("stiction.play_mode") == 6
    settings.elastic.young *= 2.0
    assert modes.found(plank) is None and "stiction.play_mode" not in draw_all(bpy.context).operators


def test_a_body_that_changes_meanwhile_has_no_modes_yet(drop, plank, hands):
    hands.press(verbs.STICTION_OT_find_modes)
    plank.stiction.elastic.young *= 2.0
    assert hands.wait() == {"CANCELLED"}
    assert modes.found(plank) is None and "'cube' has changed meanwhile" in hands.said[-1][1]


def test_what_has_no_modes_is_said(drop, plank, hands):
    plank.stiction.elastic.modes = 10_000
    hands.press(verbs.STICTION_OT_find_modes)
    assert hands.wait() == {"CANCELLED"}
    assert "'cube': reduction asks for 10006 shape vectors" in hands.said[-1][1]


def test_a_mode_swings_and_leaves_no_trace(drop, plank, hands, tmp_path):
    plank.modifiers.new("Bevel", "BEVEL").segments = 2
    before = shown_vertices(plank)
    hands.press(verbs.STICTION_OT_find_modes)
    hands.wait()
    assert hands.press(verbs.STICTION_OT_play_mode, mode=1) == {"RUNNING_MODAL"}
    hands.event()
    ends = []
    for factor in (0.0, 0.5, 1.0):
        plank.modifiers[0].eval_frame = factor
        ends.append(shown_vertices(plank))
    assert np.allclose(ends[1], before, atol=1e-5)
    low, high = (end - before for end in (ends[0], ends[2]))
    assert np.allclose(low, -high, atol=1e-3) and 0.05 < np.abs(high).max() < 0.3
    # It bends: the two ends of the plank go one way, its middle the other.
    middle = np.abs(before[:, 0] - before[:, 0].mean()) < 0.1
    assert not middle.any() or high[middle].sum() * high[~middle].sum() < 0.0
    # Another mode goes on in the same operator; Esc ends it.
    assert hands.press(verbs.STICTION_OT_play_mode, mode=3) == {"FINISHED"} and modes.playing(plank) == 3
    assert len(hands.manager.handlers) == len(hands.manager.timers) == 1
    assert hands.event(ESC) == {"CANCELLED"} and not hands.manager.timers
    hands.manager.handlers.clear()
    assert [modifier.name for modifier in plank.modifiers] == ["Bevel"]
    assert np.array_equal(shown_vertices(plank), before)
    # The button of the mode that swings ends it, too.
    hands.press(verbs.STICTION_OT_play_mode, mode=2)
    assert hands.press(verbs.STICTION_OT_play_mode, mode=2) == {"FINISHED"} and not modes.playing()
    assert hands.event() == {"CANCELLED"} and len(plank.modifiers) == 1
    assert hands.press(verbs.STICTION_OT_play_mode, mode=7) == {"CANCELLED"}
    assert "'cube' has 6 modes, and this is number 7" in hands.said[-1][1]


def test_undo_and_files_have_no_mode_that_swings(drop, plank, hands, tmp_path):
    hands.press(verbs.STICTION_OT_find_modes)
    hands.wait()
    bpy.ops.ed.undo_push(message="before")
    hands.press(verbs.STICTION_OT_play_mode, mode=1)
    bpy.data.objects["cube"].stiction.friction = 0.25
    bpy.ops.ed.undo_push(message="while it swings")
    path = tmp_path / "swings.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    with bpy.data.libraries.load(str(path)) as (_, there):
        there.objects = ["cube"]
    assert not there.objects[0].modifiers
    bpy.data.objects.remove(there.objects[0])
    assert hands.event() == {"CANCELLED"} and not modes.playing(), "a file that is saved ends it"
    hands.press(verbs.STICTION_OT_play_mode, mode=1)
    bpy.ops.ed.undo()
    assert not bpy.data.objects["cube"].modifiers and hands.event() == {"CANCELLED"}
    bpy.ops.ed.redo()
    cube = bpy.data.objects["cube"]
    assert not cube.modifiers and abs(cube.stiction.friction - 0.25) < 1e-6


def test_a_bake_reads_the_body_at_rest_while_a_mode_swings(drop, plank, hands):
    before = signature(drop)
    hands.press(verbs.STICTION_OT_find_modes)
    hands.wait()
    hands.press(verbs.STICTION_OT_play_mode, mode=1)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    assert hands.event() == {"CANCELLED"}
    assert drop.stiction.signature.rpartition("-")[0] == before.rpartition("-")[0]
    assert [modifier.type for modifier in plank.modifiers] == ["MESH_CACHE"]
