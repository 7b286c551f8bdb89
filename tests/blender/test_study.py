"""A study from the panel: its files, its run, what is refused."""

import tomllib
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from hands import Hands
from panel_layout import draw_all

from stiction.blender_addon.study import pictures, process
from stiction.blender_addon.study.writing import toml_of, values_of, write_study
from stiction.solver.base.refusal import StudyError
from stiction.solver.scene_io.scene_file import load_scene
from stiction.solver.studies.coordinator import FINER
from stiction.solver.studies.study import load_study

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


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


def test_what_a_parameter_sets_is_not_set_beside_it(funnel, tmp_path):
    """A study refuses what has no effect, which the panel wrote; runs of poured bodies alone were all the same."""
    funnel.stiction_study.parameters[0].path = "settings.accuracy"
    assert load_study(write_study(funnel, tmp_path / "study")).settings == {"time": 1.0}
    for poured, path in ((False, "jitter"), (True, "seed")):
        assert tomllib.loads(toml_of(funnel, poured))["repeats"]["path"] == path


def test_what_is_missing_is_said(funnel, tmp_path):
    funnel.stiction_study.counter = None
    with pytest.raises(RuntimeError, match="the study has no counter; choose an object"):
        bpy.ops.stiction.study_run()
    funnel.stiction_study.parameters.clear()
    with pytest.raises(StudyError, match="no parameter"):
        toml_of(funnel)


def test_set_up_adds_what_is_missing(funnel):
    study = funnel.stiction_study
    study.parameters.clear()
    study.counter, study.gate = None, None
    bpy.data.objects.remove(bpy.data.objects["counter"])
    assert bpy.ops.stiction.study_set_up() == {"FINISHED"}
    # All bodies have the same settings, and their material the name of the first.
    assert [(one.path, one.values) for one in study.parameters] == [("materials.cube0.friction", "0.1, 0.5")]
    # The lid is the gate, and what holds the cubes then is the slab, 1 m thick.
    assert funnel.objects["lid"].stiction_flow.gate
    assert funnel.objects["Outlet Counter"].location.z == pytest.approx(-1.15)


def test_counter_of_a_hopper_lies_between_its_outlet_and_the_floor(scene, add):
    from stiction.blender_addon.study.setup import outlet_below

    add("floor", kind="PASSIVE", scale=(10, 10, 1), location=(0, 0, -0.5))
    for side in (-1, 1):
        add(f"wall{side}", kind="PASSIVE", scale=(0.1, 1, 1), location=(side, 0, 2.0))
    add("cube", scale=(0.2, 0.2, 0.2), location=(0, 0, 2.0))
    bpy.context.view_layer.update()
    x, y, z = outlet_below(scene)
    assert (x, y) == (0.0, 0.0) and 1.5 - 0.2 < z < 1.5
    bpy.data.objects["floor"].location.z = 0.9
    bpy.context.view_layer.update()
    with pytest.raises(StudyError, match="cannot tell where bodies leave"):
        outlet_below(scene)


@pytest.mark.slow
def test_study_runs_and_goes_on_and_a_run_is_loaded(funnel):
    """The run that a row names becomes a bake: the cubes lie where its last frame has them, and the lid is gone."""
    assert bpy.ops.stiction.study_run() == {"FINISHED"}
    assert funnel.stiction_study.result.startswith("2 runs, 0 failed.")
    rows = (Path(funnel.stiction_study.folder) / "results.csv").read_text().splitlines()
    assert len(rows) == 3 and ",emptied,0,2," in rows[1]
    funnel.stiction_study.repeats = 2
    assert bpy.ops.stiction.study_run() == {"FINISHED"}
    assert funnel.stiction_study.result.startswith("4 runs")
    assert funnel.stiction_study.shares.splitlines()[0].startswith("friction 0.1: 0.00 jam [0.00, 0.66]")
    funnel.stiction_study.row = 3
    assert bpy.ops.stiction.study_load() == {"FINISHED"}
    assert funnel.stiction.summary.startswith("run 3: friction 0.5, seed 1000: emptied after 2 out")
    assert funnel.frame_end >= 12
    cube = funnel.objects["cube0"]
    funnel.frame_set(1)
    # Shifted at random by up to 3 % of its size, and nowhere else.
    assert 0.0 < np.abs(np.array(cube.matrix_world.translation) - (0, 0, 1.16)).max() < 0.01
    assert not funnel.objects["lid"].hide_render
    funnel.frame_set(funnel.frame_end)
    assert cube.matrix_world.translation.z < 0.7 and funnel.objects["lid"].hide_render
    assert bpy.ops.stiction.clear() == {"FINISHED"}
    assert not funnel.objects["lid"].hide_render and cube.animation_data is None
    funnel.stiction_study.row = 9
    with pytest.raises(RuntimeError, match="--frames is 9; results.csv has rows 1 to 4"):
        bpy.ops.stiction.study_load()
    with pytest.raises(RuntimeError, match="has no camera"):
        bpy.ops.stiction.study_render()


def test_the_example_blend_is_what_its_study_says(scene, tmp_path):
    """Its bodies, gate and counter become a scene file in which every value of the study has its place."""
    from dataclasses import replace

    from stiction.blender_addon.running.study_scene import scene_of_file
    from stiction.solver.studies.checks.points import check_points
    from stiction.solver.studies.plan import tasks_of

    study = load_study(EXAMPLES / "hopper_blend.toml")
    file = scene_of_file(EXAMPLES / study.scene["blend"], tmp_path / "scene.json")
    check_points(tasks_of(replace(study, scene={"file": str(file)})))
    made = load_scene(file)
    assert [gate.body for gate in made.gates] == ["Gate"] and len(made.counters) == 1
    assert sum(body.motion == "dynamic" for body in made.bodies) == 40


def test_plot_without_matplotlib(scene, tmp_path):
    cells = [{"values": {"friction": 0.1 * k}, "jams": k, "runs": 4, "low": 0.2 * k, "high": 0.2 * k + 0.2}
             for k in range(5)]  # fmt: skip
    image = bpy.data.images.load(str(pictures.draw_plot(tmp_path, cells)))
    assert tuple(image.size) == (900, 520)
    pixels = np.array(image.pixels[:]).reshape(520, 900, 4)
    # A bar for each point, each in a colour of its own.
    assert [(pixels[:, 150 + 160 * k, :3].min(axis=1) < 0.7).sum() > 60 for k in range(5)] == [True] * 5


def test_panel_shows_fields_verdict_and_plot(funnel):
    funnel.stiction_study.result = "2 runs, 0 failed. Quality: every check holds."
    drawn = draw_all(bpy.context)
    for name in ("counter", "gate", "gate_time", "repeats", "quiet", "time"):
        assert name in drawn.fields
    assert {"stiction.study_run", "stiction.study_show", "stiction.study_parameter_add"} <= set(drawn.operators)
    assert "Quality: every check holds" in " ".join(drawn.labels)
    funnel.stiction_study.gate = None
    assert "gate_time" not in draw_all(bpy.context).fields


class Ended:
    """A study whose process has ended well."""

    running = cancelled = False
    summary = {"runs": 2, "failed": 0, "quality": "Quality: every check holds.", "quality_ok": True, "cells": []}

    def __init__(self, folder):
        self.folder, self.process = folder, SimpleNamespace(wait=lambda: None)


def test_the_result_of_a_study_goes_to_its_own_scene(funnel, tmp_path, monkeypatch):
    """Whichever scene the window shows by then; where it is gone, that is said."""
    from stiction.operators.studies import study, waiting

    hands = Hands(monkeypatch, waiting)
    monkeypatch.setattr(process, "start", lambda study, folder, resume: monkeypatch.setattr(process, "_current",
                                                                                           Ended(folder)))  # fmt: skip
    other = bpy.data.scenes.new("Other")
    assert hands.press(study.STICTION_OT_study_run) == {"RUNNING_MODAL"}
    bpy.context.window.scene = other
    assert hands.event() == {"FINISHED"}
    assert funnel.stiction_study.result.startswith("2 runs") and not other.stiction_study.result
    assert hands.press(study.STICTION_OT_study_run) == {"CANCELLED"}, "the other has no study"
    bpy.context.window.scene = funnel
    assert hands.press(study.STICTION_OT_study_run) == {"RUNNING_MODAL"}
    bpy.data.scenes.remove(funnel)
    assert hands.event() == {"CANCELLED"} and not hands.manager.timers
    assert "deleted meanwhile; what was made is in" in hands.said[-1][1]


def test_a_study_whose_scene_is_deleted_ends_and_one_undone_goes_on(funnel, monkeypatch):
    """It went on for hours, and was told deleted where undo had taken its folder back."""
    from stiction.operators.studies import study, waiting

    class AtWork(Ended):
        running = True

        def cancel(self):
            self.running = False

    def start(study, folder, resume):
        monkeypatch.setattr(process, "_current", AtWork(folder))

    hands = Hands(monkeypatch, waiting)
    monkeypatch.setattr(process, "start", start)
    bpy.data.scenes.new("Other")
    assert hands.press(study.STICTION_OT_study_run) == {"RUNNING_MODAL"}
    folder, funnel.stiction_study.folder = funnel.stiction_study.folder, ""
    assert "PASS_THROUGH" in hands.event()
    process.current().running = False
    assert hands.event() == {"FINISHED"}
    assert funnel.stiction_study.folder == folder and funnel.stiction_study.result.startswith("2 runs")
    assert hands.press(study.STICTION_OT_study_run) == {"RUNNING_MODAL"}
    bpy.data.scenes.remove(funnel)
    assert hands.event() == {"CANCELLED"} and not hands.manager.timers
    assert not process.current().running and "deleted meanwhile" in hands.said[-1][1]


def test_the_bar_of_a_study_is_true_to_its_end():
    """The words of the command as they come: six runs, then four at finer settings, of which none is done at first."""
    lines = ["stiction: something", "100 %  5/6, 1 s left", "100 %  6/6, 0 s left"]
    work = process.StudyProcess.__new__(process.StudyProcess)
    work.stage, work.counts, work.done, work.total, work.left = "", "runs", 0, 0, ""
    said = []
    work.errors = SimpleNamespace(lines=lambda: [lines.pop(0)])
    for _ in range(3):
        work.listen()
        said.append(work.status())
    assert said == ["Starting", "5 of 6 runs, 1 s left", "6 of 6 runs, writing the results"]
    lines += [f"stiction: {FINER}: 4 runs", " 25 %  1/4, 12 s left"]
    work.listen()
    assert work.status() == "Checking the answer at finer settings: 0 of 4 runs" and work.fraction == 0.0
    work.listen()
    assert work.status() == "Checking the answer at finer settings: 1 of 4 runs, 12 s left"
