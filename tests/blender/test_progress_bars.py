"""Progress bars in panels."""

from types import SimpleNamespace

import bpy
from panel_layout import Layout, draw, panels

from stiction.blender_addon.running import job as jobs
from stiction.blender_addon.study import process


def test_no_label_follows_a_progress_bar_into_its_panel(drop, monkeypatch):
    """Blender would draw it as that bar while the mouse rests where the bar was."""
    study = drop.stiction_study
    study.result, study.shares = "jams in 3 of 10 runs", "0.5: 30 %"
    bpy.ops.stiction.bake()
    work = SimpleNamespace(fraction=0.4, done=4, total=10, contact_count=3, overlap_now=1e-4, residual=1e-7,
                           residual_now=1e-8, paused=False, status=lambda: "40%", advice=str,
                           state=jobs.JobState.DONE)  # fmt: skip
    bars = {}
    for module in (jobs, process):
        with monkeypatch.context() as patch:
            patch.setattr(module, "running", lambda: True)
            patch.setattr(module, "current", lambda: work)
            bars |= {cls: drawn.bars for cls, drawn in each() if drawn.bars}
    assert len(bars) == 2
    later = dict(each())
    assert any("contacts" in label for drawn in later.values() for label in drawn.labels)
    assert "0.5: 30 %" in [label for drawn in later.values() for label in drawn.labels]
    assert not [label for cls in bars if cls in later for label in later[cls].labels]


def each():
    """(class, what it draws) of the panels that show."""
    for cls in panels(bpy.context):
        layout = Layout()
        draw(cls, bpy.context, layout)
        yield cls, layout


def test_beside_the_bar_stand_contacts_overlap_and_residual(drop, monkeypatch):
    work = SimpleNamespace(fraction=0.4, done=4, contact_count=3, overlap_now=1e-4, residual=2e-7, residual_now=1e-8,
                           paused=False, status=lambda: "40%, 3 s left",
                           advice=str)  # fmt: skip
    monkeypatch.setattr(jobs, "running", lambda: True)
    monkeypatch.setattr(jobs, "current", lambda: work)
    drawn = next(drawn for _, drawn in each() if drawn.bars)
    assert drawn.bars == ["40%, 3 s left"]
    assert drawn.labels[:2] == ["3 contacts, overlap 0.1 mm", "residual 1.0e-08 m/s, at worst 2.0e-07"]
