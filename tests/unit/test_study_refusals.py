"""Bad studies are refused in one sentence before any run begins: each of these was accepted, or ended in an error."""

import dataclasses
import math
from types import SimpleNamespace

import pytest
from studies_cases import SMALL, small_study

from stiction.solver.base.refusal import SceneError, StudyError
from stiction.solver.cli import main
from stiction.solver.scene_io.scene_file import save_scene
from stiction.solver.scenes import build
from stiction.solver.studies.adaptive import next_batch
from stiction.solver.studies.coordinator import run_study
from stiction.solver.studies.paths import with_value
from stiction.solver.studies.plan import task_at, tasks_of
from stiction.solver.studies.statistics import wilson
from stiction.solver.studies.study import load_study
from stiction.solver.studies.task import EFFORT, scene_of

HOPPER = SMALL["scene"]["parameters"]
ADAPTIVE = {"parameters": {}, "repeats": {}, "adaptive": {"parameter": "outlet", "low": 2.0, "high": 6.0}}


class Unused:
    """A pool that no run may reach."""

    def submit(self, tasks):
        raise AssertionError(f"a run began: {tasks[0].values}")

    def close(self):
        pass


def refusal_of(folder, changes):
    """The sentence by which a study is refused."""
    with pytest.raises((StudyError, SceneError)) as refused:
        run_study(small_study(**changes), folder, Unused())
    assert "\n" not in str(refused.value) and len(list(folder.iterdir())) == 0
    return str(refused.value)


def scene(**parameters):
    """The study's scene with other arguments."""
    return {"scene": {"name": "slot_hopper", "parameters": {**HOPPER, **parameters}}}


def varied(path, *values):
    """A study of one parameter by its path."""
    return {"parameters": {"tried": {"path": path, "values": list(values)}}}


def adaptive(**changes):
    """An adaptive study with other keys."""
    return {**ADAPTIVE, "adaptive": {**ADAPTIVE["adaptive"], **changes}}


def around(change=0.2, **values):
    """A study with a sensitivity around values."""
    return {"parameters": {}, "sensitivity": {"change": change, "around": values}}


NAN = float("nan")
REFUSED = {
    # Numbers that are none, texts for numbers, wrong types: found by the worker, or never.
    "nan friction": (scene(friction=NAN), "study.scene.parameters.friction: is nan; give a finite number"),
    "text friction": (scene(friction="x"), "slot_hopper's friction is 'x'; give a number"),
    "list friction": (scene(friction=[1.0]), "slot_hopper's friction is [1.0]; give a number"),
    "negative friction": (scene(wall_friction=-1.0), "friction is -1.0"),
    "flag for a number": (scene(half_angle=True), "slot_hopper's half_angle is True; give a number"),
    "text open_time": (scene(open_time="x"), "slot_hopper's open_time is 'x'; give a number"),
    "half a grain": (scene(count=6.5), "slot_hopper's count is 6.5; give a whole number"),
    "varied text": (varied("friction", 0.5, "x"), "study at tried x: slot_hopper's friction is 'x'; give a number"),
    "text for an optional one": (scene(wall_friction="x"), "study at outlet 1: scene.materials.wall.friction: is 'x'"),
    "varied nan": (varied("friction", NAN), "study.parameters.tried.values[0]: is nan; give a finite number"),
    "nan quiet": ({"stop": {"quiet": NAN}}, "study.stop.quiet: is nan; give a finite number"),
    "infinite bound": ({"quality": {"overlap": math.inf}}, "study.quality.overlap: is inf; give a finite number"),
    "share above 1": ({"quality": {"accepted": 2.0}}, "study.quality.accepted: is 2.0; give a value in [0, 1]"),
    "no time": ({"settings": {"time": 0.0}, "stop": {}}, "study.settings.time: is 0.0 s; give a time above 0"),
    "null in a file": ({"scene": {"file": "a\0b"}}, "study.scene.file: is 'a\\x00b', which holds a null character"),
    # Methods and their options: every run would have said so by itself.
    "unknown method": ({"settings": {"time": 1.5, "method": "nope"}}, "nope"),
    "number for a method": ({"settings": {"time": 1.5, "method": 3}}, "option method is 3; give a text"),
    "one method of two": (
        varied("settings.method", "pgs", "accurte") | {"settings": {"time": 1.5}}, "study at tried accurte"),
    "option of no method": ({"settings": {"time": 1.5, "method_options": {"nope": 1}}}, "has no option 'nope'"),
    "number for a flag": (varied("settings.sleeping", 1.0), "option sleeping is 1.0; give true or false"),
    "sleeping in a flow": (varied("settings.sleeping", True), "the scene has gates, emitters or sinks; leave it off"),
    "wrong only together": (
        {"settings": {"time": 1.5}, "parameters": {
            "a": {"path": "settings.tolerance", "values": [0.0, 1e-6]},
            "b": {"path": "settings.effort", "values": [1000000, 10]},
        }}, "study at a 1e-06, b 10: option effort is 10 but a stated tolerance"),
    "finer than there is": (
        {"settings": {"time": 1.5, "accuracy": 1e-12}, "quality": {"repeats": 2}},
        "with five times the iterations: option accuracy is 2e-13"),
    # Paths.
    "whole table": (varied("materials.grain", 1.0), "path 'materials.grain': ends at a whole Material"),
    "all materials": (varied("materials", 1.0), "path 'materials': ends at a whole MaterialTable"),
    "number for a vector": (varied("gravity", 1.0), "path 'gravity': is 1.0; give a list of 3 numbers"),
    "short vector": (varied("gravity", [1.0]), "path 'gravity': is [1.0]; give a list of 3 numbers"),
    "text in a vector": (varied("gravity.2", "x"), "path 'gravity.2': is 'x'; give a number"),
    "unknown motion": (varied("bodies.grain*.motion", "fly"), "give one of dynamic, static, kinematic"),
    "no counters": (varied("counters", 1.0), "path 'counters': ends at a whole tuple"),
    "name of the scene": (varied("name", "a", "b"), "path 'name': changes no run"),
    "settings as a whole": (varied("settings", 1.0), "give settings.NAME as the whole path"),
    "negative radius": (varied("bodies.grain0.shape.radius", -1.0), "radius"),
    # What something else leaves without effect.
    "same value twice": (varied("outlet", 3, 3.0), "study.parameters.tried.values: has 3 twice"),
    "same point twice": (
        {"sampling": {"kind": "list", "points": [{"outlet": 1.0}, {"outlet": 1}]}}, "points: has outlet 1 twice"),
    "same path twice": (
        {"parameters": {name: {"path": "outlet", "values": [1.0]} for name in "ab"}},
        "study.parameters.b: sets 'outlet', which parameter 'a' sets, too"),
    "set and varied": (scene(outlet=9.0), "study.scene.parameters.outlet: has no effect, since"),
    "setting and varied": (varied("settings.method", "pgs"), "study.settings.method: has no effect"),
    "seed varied": (varied("seed", 1, 2), "sets 'seed', to which repeats.path"),
    "seed given": (scene(seed=3), "study.scene.parameters.seed: has no effect, since every run has its own seed"),
    "column": ({"parameters": {"status": {"path": "outlet", "values": [1.0]}}}, "is a column of results.csv already"),
    "count of a grid": ({"sampling": {"kind": "grid", "count": 3}}, "study.sampling.count: has no effect with a grid"),
    "cells of no runs": (
        {"quality": {"cells": 2, "repeats": 0}}, "study.quality.cells: has no effect, since quality.repeats is 0"),
    "runs of no cells": (
        {"quality": {"cells": 0, "repeats": 2}}, "study.quality.repeats: has no effect, since quality.cells is 0"),
    "more cells than a tornado has points": (
        {"parameters": {}, "sensitivity": {"change": 0.2, "around": {"outlet": 1.0}}, "quality": {"cells": 9}},
        "study.quality.cells: is 9, of 4 points; give at most as many"),
    "parameters of a file": ({"scene": {"file": "x.json", "parameters": {}}}, "arguments of a canonical scene"),
    "frames": ({"settings": {"time": 1.5, "steps_per_frame": 5}}, "a study keeps no frames"),
    "seed of friction": ({"repeats": {"path": "friction"}}, "study.repeats.path: is 'friction', which takes no seed"),
    "quiet too long": ({"stop": {"quiet": 9.0}}, "is 9 s of a run of 1.5 s, so that none could end as jammed"),
    "more than there are": ({"stop": {"count": 7}}, "study.stop.count: is 7, of 6 moving bodies"),
    "curve and axis": ({"report": {"curve": "outlet", "over": "outlet"}}, "which is on the axis (over); leave one out"),
    "too many": ({"repeats": {"count": 10**12}}, "give fewer values or repeats, up to 1000000 runs"),
    # Adaptive studies, whose later values no one looked at.
    "adaptive end": (adaptive(high=99.0), "outlet is 99.0; give a value above 0, at most 16"),
    "adaptive word": (adaptive(parameter="settings.method") | {"settings": {"time": 1.5}}, "option method is 2.0"),
    "adaptive text": (adaptive(parameter="materials.grain.law", low=2, high=6), "is 2; give a text"),
    "adaptive repeats": ({**ADAPTIVE, "repeats": {"count": 3}}, "study.repeats.count: has no effect"),
    "adaptive sampling": ({**ADAPTIVE, "sampling": {"kind": "grid"}}, "study.sampling: has no effect"),
    "adaptive few": (adaptive(most_runs=1), "the first look takes 12"),
    # The tornado.
    "part of a word": (around(outlet="x"), "study.sensitivity.around.outlet: is x, of which no part can be taken"),
    "part of a flag": (around(outlet=True), "study.sensitivity.around.outlet: is true, of which no part"),
    "part of nothing": (around(outlet=0.0), "study.sensitivity.around.outlet: is 0, of which no part can be taken"),
    "around nothing": (around(), "study.sensitivity.around: is empty"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_is_refused_before_any_run(tmp_path, case):
    changes, words = REFUSED[case]
    assert words in refusal_of(tmp_path, changes)


def test_what_is_good_is_not_refused(tmp_path):
    """The same checks let pass what is meant: the pool is reached."""
    good = [
        {}, varied("gravity", [0.0, 0.0, -1.6]), varied("gates.gate.speed", 1), varied("outlet", 2, 3.5), ADAPTIVE,
        varied("bodies.grain0.motion", "static"), around(friction=0.5), {"fill": {"shared": []}},
        {"quality": {"repeats": 1, "cells": 1}}, {"stop": {"count": 6, "quiet": 0.4}}, {"repeats": {"path": "jitter"}},
        varied("settings.method", "pgs", "accurate") | {"settings": {"time": 1.5}},
        {"settings": {"time": 1.5, "tolerance": 1e-6}, "quality": {"repeats": 2}},
    ]  # fmt: skip
    for number, changes in enumerate(good):
        with pytest.raises(AssertionError, match="a run began"):
            run_study(small_study(**changes), tmp_path / str(number), Unused())


def test_a_stated_tolerance_can_be_tried_five_times_finer():
    """Its runs with five times the iterations were all refused: an effort beside a tolerance is a contradiction."""
    task = tasks_of(small_study(settings={"time": 1.5, "tolerance": 1e-6}))[0]
    _, options = scene_of(dataclasses.replace(task, variant=EFFORT))
    options.check()
    assert options.tolerance == pytest.approx(2e-7)


def test_whole_numbers_may_be_written_with_a_point():
    study = small_study(repeats={"count": 3.0}, quality={"cells": 2.0, "repeats": 4.0})
    assert len(tasks_of(study)) == 6
    assert list(range(study.quality.cells)) == [0, 1]


def test_a_narrow_width_costs_no_time():
    """What a grid would need was counted run by run, 4e18 of them here."""
    counts = {}
    for width in (1e-9, 0.3):
        study = small_study(**adaptive(width=width))
        rows = [(task_at(study, {"outlet": outlet}, k), {"jammed": int(outlet < 3.5)}, {})
                for outlet in (2.0, 3.0, 4.0, 6.0) for k in range(8)]  # fmt: skip
        tasks = [task for task, _, _ in rows]
        known = next_batch(SimpleNamespace(study=study, tasks=tasks, rows=lambda tasks, rows=rows: rows), tasks)[1]
        counts[width] = known["grid_runs"]
    each = next(n for n in range(1, 100) if wilson(n / 2, n)[1] - wilson(n / 2, n)[0] <= 0.3)
    assert counts[0.3] % each == 0 and counts[1e-9] > 1e18


def test_repeats_that_would_be_one_run_are_refused(tmp_path):
    """Emitters with seeds of their own and no body to shift: `jitter` has nothing to act on."""
    hopper = build("slot_hopper", count=2)
    fixed = with_value(hopper, "bodies.grain*.motion", "static")
    save_scene(tmp_path / "scene.json", fixed)
    repeats = {"count": 2, "path": "jitter"}
    changes = {"scene": {"file": str(tmp_path / "scene.json")}, "parameters": {}, "repeats": repeats}
    (tmp_path / "out").mkdir()
    assert "seeds 1000 and 1001 make the same scene" in refusal_of(tmp_path / "out", changes)


def test_files_that_are_no_toml(tmp_path):
    path = tmp_path / "study.toml"
    for content in (b"\xff\xfe\x00", b"a = " + b"[" * 100_000, b"stiction_study = 1\nd = 1979-05-27\n"):
        path.write_bytes(content)
        with pytest.raises(StudyError):
            load_study(path)


@pytest.mark.parametrize(
    ("text", "flags", "words"),
    [
        ('name = "../evil"\n', [], "study.name: is '../evil', which is no name of a folder; give --output"),
        ("[parameters.when]\npath = 'outlet'\nvalues = [1979-05-27]\n", [], "a date or a time"),
        ("[parameters.friction]\nvalues = [0.1, 'x']\n", [], "slot_hopper's friction is 'x'; give a number"),
        ("[adaptive]\nparameter = 'outlet'\nlow = 1.0\nhigh = 3.0\n", ["--repeats", "3"], "--repeats has no effect"),
    ],
)
def test_the_command_ends_with_2_and_one_line(tmp_path, capsys, monkeypatch, text, flags, words):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "study.toml"
    path.write_text("stiction_study = 1\n" + ("" if text.startswith("[") else text) + '[scene]\nname = "slot_hopper"\n'
                    + (text if text.startswith("[") else ""))  # fmt: skip
    assert main(["study", str(path), *flags]) == 2
    said = capsys.readouterr().err
    assert words in said and len(said.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()
