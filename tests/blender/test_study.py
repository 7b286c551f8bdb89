"""A study from the panel: its files, its run, what is refused."""

import tomllib
from pathlib import Path

import bpy
import pytest
from panel_layout import draw_all

from stiction.blender_addon.study.writing import toml_of, values_of, write_study
from stiction.solver.base.refusal import StudyError
from stiction.solver.studies.study import load_study


@pytest.fixture
def funnel(scene, add, tmp_path):
    """A lid with two small cubes on it, 1 m above a slab, and an empty between them as the counter."""
    add("slab", kind="PASSIVE", scale=(10, 10, 1), location=(0, 0, -0.5))
    lid = add("lid", kind="PASSIVE", scale=(2, 2, 0.1), location=(0, 0, 1.0))
    for k in range(2):
        add(f"cube{k}", scale=(0.2, 0.2, 0.2), location=(0.5 * k, 0, 1.16))
    counter = bpy.data.objects.new("counter", None)
    scene.collection.objects.link(counter)
    counter.location = (0, 0, 0.7)
    scene.stiction.cache = str(tmp_path)
    study = scene.stiction_study
    study.gate, study.counter, study.gate_time, study.time, study.repeats, study.quiet = lid, counter, 0.3, 1.0, 1, 0.3
    bpy.context.view_layer.update()
    bpy.ops.stiction.study_parameter_add()
    return scene


def test_values():
    assert values_of("0.1, 0.5", "mu") == [0.1, 0.5]
    assert values_of("0.1..0.5:3", "mu") == [0.1, 0.3, 0.5]
    assert values_of("default, pgs", "method") == ["default", "pgs"]
    for text, words in (("", "has no values"), ("1..x:3", "give from..to:count"), ("1..2:1", "at least 2")):
        with pytest.raises(StudyError, match=words):
            values_of(text, "mu")


def test_panel_writes_what_the_command_line_reads(funnel, tmp_path):
    study = load_study(write_study(funnel, tmp_path / "study"))
    assert study.parameters[0].path == "materials.*.friction" and study.parameters[0].values == (0.1, 0.5)
    assert tomllib.loads(toml_of(funnel))["stop"]["quiet"] == pytest.approx(0.3)


def test_what_is_missing_is_said(funnel, tmp_path):
    funnel.stiction_study.counter = None
    with pytest.raises(RuntimeError, match="the study has no counter; choose an object"):
        bpy.ops.stiction.study_run()
    funnel.stiction_study.parameters.clear()
    with pytest.raises(StudyError, match="no parameter"):
        toml_of(funnel)


def test_study_runs_and_goes_on(funnel):
    assert bpy.ops.stiction.study_run() == {"FINISHED"}
    assert funnel.stiction_study.result.startswith("2 runs, 0 failed.")
    rows = (Path(funnel.stiction_study.folder) / "results.csv").read_text().splitlines()
    assert len(rows) == 3 and ",emptied,0,2," in rows[1]
    funnel.stiction_study.repeats = 2
    assert bpy.ops.stiction.study_run() == {"FINISHED"}
    assert funnel.stiction_study.result.startswith("4 runs")


def test_panel_shows_fields_verdict_and_plot(funnel):
    funnel.stiction_study.result = "2 runs, 0 failed. Quality: every check holds."
    drawn = draw_all(bpy.context)
    for name in ("counter", "gate", "gate_time", "repeats", "quiet", "time"):
        assert name in drawn.fields
    assert {"stiction.study_run", "stiction.study_show", "stiction.study_parameter_add"} <= set(drawn.operators)
    assert "Quality: every check holds" in " ".join(drawn.labels)
    funnel.stiction_study.gate = None
    assert "gate_time" not in draw_all(bpy.context).fields
