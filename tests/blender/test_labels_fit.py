"""Labels of the panels are read whole in a sidebar as wide as Blender opens it."""

from types import SimpleNamespace

import blf
import bpy
import pytest
from panel_layout import draw_all

from stiction.blender_addon.running import job as jobs
from stiction.blender_addon.running import run as runs

# Pixels of a label without an icon there, of an icon, and the size of the letters: measured in pictures of 4.3 and 5.2.
ROOM, ICON, SIZE = 222.0, 20.0, 11.0
# What a box takes of that.
BOX = 20.0


def too_long(drawn, boxed=()):
    """Labels that are cut off; boxed: those that stand in a box."""
    blf.size(0, SIZE)
    return [text for text in drawn.labels
            if blf.dimensions(0, text)[0] > ROOM - ICON * (text in drawn.iconed) - BOX * (text in boxed)]  # fmt: skip


def test_a_label_that_was_cut_off_is_noticed():
    text = "Esc with the mouse over this tab cancels, too"
    assert too_long(SimpleNamespace(labels=[text], iconed=[]))


@pytest.mark.parametrize("first", ["cube", "slab"])
def test_before_and_after_a_bake(drop, first):
    bpy.context.view_layer.objects.active = drop.objects[first]
    drop.objects["cube"].stiction.elastic.use = first == "cube"
    assert not too_long(draw_all(bpy.context))
    drop.objects["cube"].stiction.elastic.use = False
    drop.stiction.simulation.store_contacts = first == "cube"
    bpy.ops.stiction.check()
    bpy.ops.stiction.bake()
    drawn = draw_all(bpy.context)
    assert any("contacts" in text for text in drawn.labels)
    assert not too_long(drawn)


@pytest.mark.parametrize("fits", [True, False])
def test_where_a_run_was_stopped(drop, monkeypatch, fits):
    run = SimpleNamespace(reading=SimpleNamespace(frame_count=40000))
    left = SimpleNamespace(frame_count=23557, fits=fits, run=run)
    monkeypatch.setattr(runs, "unfinished", lambda scene: left)
    drawn = draw_all(bpy.context)
    stopped = [text for text in drawn.labels if "23557" in text]
    assert stopped and not too_long(drawn, boxed=stopped)
    cut_off = ["Stopped with 23557 of 40000 frames"]
    assert too_long(SimpleNamespace(labels=cut_off, iconed=cut_off), boxed=cut_off)


@pytest.mark.parametrize("advice", ["", "The solver is compiled once on this computer: 2:05 at most, less for a part"])
def test_during_a_run(drop, monkeypatch, advice):
    work = SimpleNamespace(fraction=0.4, done=4, contact_count=123456, overlap_now=1.23e-7, residual=2.3e-7,
                           residual_now=1.8e-8, paused=False, status=lambda: "40%, 3:02 left",
                           advice=lambda: advice)  # fmt: skip
    monkeypatch.setattr(jobs, "running", lambda: True)
    monkeypatch.setattr(jobs, "current", lambda: work)
    drawn = draw_all(bpy.context)
    assert any("Esc" in text for text in drawn.labels)
    assert not [text for text in too_long(drawn) if text not in advice]
