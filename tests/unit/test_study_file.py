"""Reading a study: what it says, and what is refused with key, value and remedy."""

import os

import numpy as np
import pytest
from studies_cases import SMALL, small_study

from stiction.solver.base.refusal import SceneError, StudyError
from stiction.solver.scene_io.scene_file import save_scene
from stiction.solver.scenes import build
from stiction.solver.studies.checks.points import check_points
from stiction.solver.studies.paths import with_value
from stiction.solver.studies.plan import tasks_of
from stiction.solver.studies.sampling import points_of
from stiction.solver.studies.study import load_study

REFUSED = [
    ({"repeats": {"count": 0}}, "study.repeats.count: is 0; give a value in [1, inf]"),
    ({"stops": {}}, "study.stops: unknown key"),
    ({"scene": {}}, "study.scene: has no scene; give one of name, file, blend"),
    ({"sampling": {"kind": "random"}}, "study.sampling.kind: is 'random'; choose one of grid"),
    ({"sampling": {"kind": "sobol"}}, "study.sampling: sobol has no 'count'"),
    ({"parameters": {"outlet": {"low": 3.0, "high": 2.0}}}, "study.parameters.outlet: low is 3.0, high is 2.0"),
    ({"parameters": {"outlet": {}}}, "study.parameters.outlet: has no values"),
    ({"report": {"curve": "mu"}}, "study.report.curve: is 'mu'; choose one of outlet"),
    ({"adaptive": {"parameter": "friction", "low": 1.0, "high": 2.0}, "repeats": {}},
     "an adaptive study varies adaptive.parameter"),
    ({"stop": {"quiet": "long"}}, "study.stop.quiet: is 'long'; give a number above 0"),
]  # fmt: skip
REFUSED_POINTS = [
    ({"parameters": {"outlet": {"values": [-1.0]}}}, "outlet is -1.0"),
    ({"parameters": {"width": {"values": [1.0]}}}, "path 'width': no 'width' there"),
    ({"parameters": {"mu": {"path": "materials.steel.friction", "values": [1.0]}}}, "no 'steel' there; there is grain"),
    ({"settings": {"timestep": 1.0}}, "study.settings.timestep: unknown"),
    ({"stop": {"counter": "drain"}}, "study.stop.counter: is 'drain'; choose one of outlet"),
    ({"scene": {"name": "slot_hoper"}}, "study.scene.name: is 'slot_hoper'"),
    ({"scene": {"name": "slot_hopper", "parameters": {"angle": 3}}}, "it takes diameter, outlet"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "words"), REFUSED, ids=[words[:40] for _, words in REFUSED])
def test_refuses(changes, words):
    with pytest.raises(StudyError) as refusal:
        small_study(**changes)
    assert words in str(refusal.value)


@pytest.mark.parametrize(("changes", "words"), REFUSED_POINTS, ids=[words[:40] for _, words in REFUSED_POINTS])
def test_refuses_before_any_run(changes, words):
    with pytest.raises(StudyError) as refusal:
        check_points(tasks_of(small_study(**changes)))
    assert words in str(refusal.value)


def test_reads_a_file(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text('stiction_study = 1\n[scene]\nname = "slot_hopper"\n[parameters.friction]\nvalues = [0.1, 0.5]\n')
    study = load_study(path)
    assert (study.name, study.parameters[0].values) == ("tiny", (0.1, 0.5))
    path.write_text("stiction_study = ")
    with pytest.raises(StudyError, match="not TOML"):
        load_study(path)


def test_samplings_fill_their_ranges():
    ranges = {"outlet": {"low": 2.0, "high": 6.0}, "friction": {"low": 0.1, "high": 1.0, "logarithmic": True}}
    for kind in ("latin_hypercube", "sobol"):
        study = small_study(parameters=ranges, sampling={"kind": kind, "count": 32, "seed": 7})
        points = points_of(study.parameters, study.sampling)
        outlet = np.array([point["outlet"] for point in points])
        friction = np.log([point["friction"] for point in points])
        # One point in each of 32 bins: what both promise for a power of two.
        assert len(points) == 32 and set(np.floor((outlet - 2.0) * 8)) == set(range(32))
        assert abs(friction.mean() - 0.5 * np.log(0.1)) < 0.05
        assert points == points_of(study.parameters, study.sampling)


def test_sobol_numbers_are_those_of_joe_and_kuo():
    from scipy.stats import qmc

    from stiction.solver.studies import sampling

    directions = sampling.direction_numbers(sampling.MOST_DIMENSIONS)
    # Two to one from the second point on: in Gray code the differences are the direction numbers themselves.
    points = qmc.Sobol(sampling.MOST_DIMENSIONS, scramble=False, bits=sampling.BITS).random(256)
    ours = (points * (1 << sampling.BITS)).astype(np.int64)
    for k in range(8):
        assert (ours[(1 << k)] ^ ours[(1 << k) - 1] == directions[:, k]).all()


def test_scrambled_points_stay_a_net():
    """Every dyadic box of each pair of the first dimensions holds its share, for any seed."""
    from stiction.solver.studies import sampling

    directions = sampling.direction_numbers(2)
    for seed in range(5):
        points = sampling.scrambled(directions, 6, np.random.default_rng(seed))
        for a in range(7):
            cells = {(int(x * 2**a), int(y * 2 ** (6 - a))) for x, y in points}
            assert len(cells) == 64


def test_sobol_with_too_many_parameters_is_refused(monkeypatch):
    from stiction.solver.studies import study as studies

    monkeypatch.setattr(studies, "MOST_DIMENSIONS", 1)
    ranges = {name: {"low": 0.1, "high": 0.5} for name in ("outlet", "friction")}
    with pytest.raises(StudyError, match="sobol is for up to 1 parameters, there are 2; take latin_hypercube"):
        small_study(parameters=ranges, sampling={"kind": "sobol", "count": 4})


def test_grid_and_list():
    study = small_study(parameters={"outlet": {"values": [1.0, 2.0]}, "friction": {"values": [0.1, 0.2, 0.3]}})
    assert len(points_of(study.parameters, study.sampling)) == 6
    points = [{"outlet": 1.0}, {"outlet": 5.0}]
    for parameter in ({}, {"values": [1.0, 3.0, 5]}, {"low": 1.0, "high": 5.0}):
        study = small_study(parameters={"outlet": parameter}, sampling={"kind": "list", "points": points})
        assert points_of(study.parameters, study.sampling) == points


def test_values_of_a_list_are_those_it_may_have():
    points = [{"outlet": 1.0}, {"outlet": 5.0}]
    for parameter, words in (({"values": [1.0, 3.0]}, "which is not among the parameter's values 1, 3"),
                             ({"low": 1.0, "high": 4.0}, "outside of the parameter's range 1 to 4")):  # fmt: skip
        with pytest.raises(StudyError, match=rf"study.sampling.points\[1\].outlet: is 5, {words}"):
            small_study(parameters={"outlet": parameter}, sampling={"kind": "list", "points": points})


def test_no_more_points_at_finer_settings_than_there_are():
    assert small_study(quality={"cells": 2}).quality.cells == 2
    with pytest.raises(StudyError, match="study.quality.cells: is 9, of 2 points; give at most as many"):
        small_study(quality={"cells": 9})


def test_paths_reach_every_property():
    scene = build("slot_hopper", count=3)
    assert with_value(scene, "materials.grain.friction", 0.25).materials.materials[0].friction == 0.25
    assert with_value(scene, "materials.pairs.grain/wall.friction", 0.1).materials.pairs[0].friction == 0.1
    assert with_value(scene, "bodies.slope_*.position.1", 2.0).bodies[0].position[1] == 2.0
    grains = [body for body in with_value(scene, "bodies.grain*.mass", 3.0).bodies if body.name.startswith("grain")]
    assert [body.mass for body in grains] == [3.0] * 3
    assert with_value(scene, "gravity.2", -1.6).gravity == (0.0, 0.0, -1.6)
    assert with_value(scene, "gates.gate.time", 1.0).gates[0].time == 1.0


def test_names_of_runs_depend_on_what_their_result_depends_on():
    first = [task.key for task in tasks_of(small_study())]
    assert len(set(first)) == 4
    assert first == [task.key for task in tasks_of(small_study(keep=["state"]))]
    assert not set(first) & {task.key for task in tasks_of(small_study(stop={"quiet": 0.5}))}
    # More repeats or values keep the runs there were.
    assert set(first) < {task.key for task in tasks_of(small_study(repeats={"count": 3}))}
    assert SMALL["repeats"]["count"] == 2


def test_runs_of_an_edited_scene_file_are_others(tmp_path):
    path = tmp_path / "scene.json"
    keys = []
    for count in (3, 4, 3):
        save_scene(path, build("slot_hopper", count=count))
        os.utime(path, ns=(len(keys), len(keys)))
        study = small_study(scene={"file": str(path)}, parameters={"materials.grain.friction": {"values": [0.1]}})
        keys.append(tasks_of(study)[0].key)
    assert keys[0] == keys[2] != keys[1]


def test_a_missing_scene_file_is_named(tmp_path):
    with pytest.raises(SceneError, match="nowhere.json: no such file"):
        tasks_of(small_study(scene={"file": "nowhere.json"}))
