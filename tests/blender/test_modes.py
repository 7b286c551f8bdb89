"""Deformable bodies that move in a few modes: from the panel to a mesh that plays."""

import re

import bpy
import numpy as np
import pytest
from conftest import shown_vertices
from panel_layout import draw_all

from stiction.blender_addon.baking.signature import signature
from stiction.blender_addon.running.run import export_with_options
from stiction.solver.scene import Reduction


@pytest.fixture
def plank(drop):
    """The drop's cube as a plank of wood, tilted, that moves in modes."""
    ob = drop.objects["cube"]
    ob.scale, ob.rotation_quaternion = (1.0, 0.2, 0.1), (1.0, 0.0, 0.1, 0.0)
    ob.location.z = 0.3
    elastic = ob.stiction.elastic
    elastic.use, elastic.motion, elastic.element, elastic.young = True, "MODES", "T10", 1e8
    elastic.element_size, elastic.modes = 0.1, 6
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
