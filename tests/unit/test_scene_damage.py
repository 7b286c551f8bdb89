"""A scene file with one wrong value is refused in a sentence: never a traceback, never a silent guess."""

import copy
import json
import math
import os
import subprocess
import sys

import fastjsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stiction.solver.base.refusal import SceneError
from stiction.solver.cli import main
from stiction.solver.model import compile_scene
from stiction.solver.options import OptionError
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.scene_io.mesh_file import read_mesh
from stiction.solver.scene_io.scene_file import load_scene, scene_from_json
from stiction.solver.scene_io.scene_schema import published_schema
from stiction.solver.simulation import options_for

POSE = {"position": [0, 0, 0], "orientation": [1, 0, 0, 0]}
GOOD = {
    "stiction_scene": 1, "name": "all", "description": "every key", "gravity": [0, 0, -9.81], "combine": "geometric",
    "materials": {
        "stone": {"density": 2600, "friction": 0.6, "friction_t": 0.5, "torsional_friction": 0.01, "restitution": 0.1,
                  "tangential_restitution": 0.1, "law": "ellipsoid"},
        "steel": {"density": 7800},
    },
    "pairs": [{"materials": ["stone", "steel"], "friction": 0.4, "restitution": 0.2}],
    "bodies": [
        {"name": "b1", "motion": "dynamic", "material": "stone", "shape": {"type": "box", "size": [1, 1, 1]}, **POSE,
         "velocity": [0, 0, 0], "angular_velocity": [0, 0, 0], "mass": 3.0, "inertia": [1, 1, 1], "layers": [1],
         "collides_with": None},
        {"name": "b2", "shape": {"type": "sphere", "radius": 0.5}, "position": [5, 0, 0]},
        {"name": "b3", "shape": {"type": "capsule", "radius": 0.5, "length": 1}, "position": [10, 0, 0]},
        {"name": "b4", "shape": {"type": "cylinder", "radius": 0.5, "length": 1}, "position": [15, 0, 0]},
        {"name": "b5", "position": [20, 0, 0],
         "shape": {"type": "convex_hull", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}},
        {"name": "b6", "position": [25, 0, 0],
         "shape": {"type": "compound", "parts": [{"shape": {"type": "sphere", "radius": 0.2}, **POSE}]}},
        {"name": "b7", "motion": "kinematic", "shape": {"type": "box", "size": [1, 1, 1]}, "position": [30, 0, 0],
         "keys": {"times": [0, 1], "positions": [[30, 0, 0], [31, 0, 0]], "orientations": [[1, 0, 0, 0]] * 2}},
    ],
    "joints": [], "excluded_pairs": [["b1", "b2"]], "notes": [],
    "settings": {"time_step": 0.01, "time": 0.02, "method": "default", "sleeping": False, "threads": 1},
}  # fmt: skip
WRONG = [None, True, "text", "", "2", [], {}, [1], -1, 0, 7, 1e-200, 1e300, 0.5, [[]], {"a": 1}, [0, 0, "z"]]
SMALL = {"stiction_scene": 1, "bodies": [{"name": "b", "shape": {"type": "box", "size": [1, 1, 1]}}]}


def places(value, path=()):
    """Paths of all values in nested dicts and lists."""
    yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield from places(entry, (*path, key))


NESTED = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=4)
)
PLACES = [path for path in places(GOOD) if path]


def with_change(path, value=None, drop=False):
    data = copy.deepcopy(GOOD)
    at = data
    for key in path[:-1]:
        at = at[key]
    if drop:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return data


def compiles_or_refuses(data):
    try:
        scene = scene_from_json(data)
        options_for(scene)
        compile_scene(scene)
    except (SceneError, OptionError) as refusal:
        assert "\n" not in str(refusal) and len(str(refusal)) < 1000


def test_the_good_scene_is_good():
    compile_scene(scene_from_json(GOOD))


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(path=st.sampled_from(PLACES), value=st.sampled_from([*WRONG, "drop"]))
def test_one_wrong_value_never_crashes(path, value):
    compiles_or_refuses(with_change(path, value, value == "drop"))


@pytest.mark.slow(hours=True)
@settings(max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(path=st.sampled_from(PLACES), value=st.sampled_from(WRONG) | NESTED)
def test_one_wrong_value_never_crashes_in_ten_thousand(path, value):
    compiles_or_refuses(with_change(path, value))


def body(**changes):
    return {**SMALL, "bodies": [SMALL["bodies"][0] | changes]}


def run_settings(**values):
    return {**SMALL, "settings": values}


def kinematic(**changes):
    keys = {"times": [0, 1], "positions": [[0, 0, 0]] * 2, "orientations": [[1, 0, 0, 0]] * 2} | changes
    return body(motion="kinematic", keys=keys)


TWICE = [{"materials": ["a", "b"], "friction": 0.1}, {"materials": ["b", "a"], "friction": 0.2}]
REFUSED = [
    (run_settings(time_step="fast"), ["time_step", "fast", "a number"]),
    (run_settings(steps_per_frame="2"), ["steps_per_frame", "'2'", "whole number"]),
    (run_settings(time=None), ["time", "None"]),
    (run_settings(time=1e300), ["time", "1e+300", "steps"]),
    (run_settings(sleeping="no"), ["sleeping", "'no'", "true or false"]),
    (run_settings(threads=True), ["threads", "True"]),
    (run_settings(colour=1), ["colour", "unknown setting"]),
    (run_settings(method="prox", effort=100), ["effort", "prox"]),
    (run_settings(method="prox", acceptable=0.1), ["acceptable", "prox"]),
    (run_settings(tolerance=1e-3, effort=100), ["effort", "tolerance"]),
    (kinematic(times=[0, 1, 2]), ["3 times", "2 positions"]),
    (kinematic(times=[1, 0]), ["times[1]", "sort"]),
    (kinematic(times=[], positions=[], orientations=[]), ["0 times"]),
    (kinematic(orientations=[[1, 0, 0, 0], [0, 0, 0, 0]]), ["orientations[1]", "unit quaternion"]),
    (body(keys={"times": [0], "positions": [[0, 0, 0]], "orientations": [[1, 0, 0, 0]]}), ["dynamic", "keyed poses"]),
    (body(motion="static", mass=3.0), ["static", "mass"]),
    (body(motion="static", velocity=[1, 0, 0]), ["static", "velocity"]),
    (body(shape={"type": "box", "size": [1e-200, 1, 1]}), ["size x", "1e-200"]),
    (body(velocity=[1e300, 0, 0]), ["velocity", "1e+300"]),
    (body(mass=1e300), ["mass", "1e+300"]),
    (body(name=""), ["name", "''"]),
    (body(shape={"type": "mesh", "file": "m.ply", "scale": "2"}), ["scale", "'2'", "a number or three"]),
    ({**SMALL, "materials": {"": {}}}, ["materials", "empty name"]),
    ({**SMALL, "materials": {"a": {}, "b": {}}, "pairs": TWICE}, ["pair", "given twice"]),
]


@pytest.mark.parametrize(("data", "words"), REFUSED, ids=range(len(REFUSED)))
def test_what_once_passed_is_refused_by_the_command_line(data, words, tmp_path, capsys):
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(data))
    assert main(["simulate", str(path)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    for word in words:
        assert word in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"stiction_scene": 1, "stiction_scene": 1, "bodies": []}', "given twice"),
        ("{", "not JSON"),
        ('{"stiction_scene": 1, "bodies": [{"name": "a\\ud800"}]}', "half a character"),
    ],
)
def test_text_that_is_no_scene(text, words, tmp_path):
    (tmp_path / "scene.json").write_text(text)
    with pytest.raises(SceneError, match=words):
        load_scene(tmp_path / "scene.json")


@pytest.mark.parametrize("bad", ["NaN", "Infinity"])
@pytest.mark.parametrize(
    ("key", "entry", "words"),
    [
        ("bodies", '[{"name": "stone", "shape": {"type": "box", "size": [1, 1, 1]}, "position": [0, 0, @]}]',
         "body 'stone': position is"),
        ("joints", '[{"name": "pin", "type": "hinge", "bodies": ["world", "b"], "position": [0, 0, 0], '
                   '"friction": @}]', "joint 'pin': friction is"),
        ("counters", '[{"name": "outlet", "point": [0, 0, @]}]', "counter 'outlet': point is"),
        ("counters", '[{"name": "outlet", "point": [0, 0, 0], "normal": [0, @, 1]}]', "counter 'outlet': normal is"),
        ("settings", '{"time_step": @}', "option time_step is"),
    ],
)  # fmt: skip
def test_what_is_no_finite_number_is_named(bad, key, entry, words, tmp_path, capsys):
    data = {**SMALL, key: json.loads(entry.replace("@", bad))}
    (tmp_path / "scene.json").write_text(json.dumps(data))
    assert main(["simulate", str(tmp_path / "scene.json")]) == 2
    assert words in capsys.readouterr().err


def test_limits_that_are_no_numbers_are_not_said_to_be_exchanged(tmp_path, capsys):
    hinge = {"name": "pin", "type": "hinge", "bodies": ["world", SMALL["bodies"][0]["name"]],
             "position": [0, 0, 0], "limits": [0.0, math.nan]}
    (tmp_path / "scene.json").write_text(json.dumps({**body(), "joints": [hinge]}))
    assert main(["simulate", str(tmp_path / "scene.json")]) == 2
    assert "joint 'pin': limits are 0.0 to nan; give numbers" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["obj", "ply", "stl"])
def test_a_folder_is_no_mesh_file(kind, tmp_path, capsys):
    (tmp_path / f"stone.{kind}").mkdir()
    (tmp_path / "scene.json").write_text(json.dumps(body(shape={"type": "mesh", "file": f"stone.{kind}"})))
    assert main(["simulate", str(tmp_path / "scene.json")]) == 2
    assert "is a folder" in capsys.readouterr().err


CORNERS = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"


@pytest.mark.parametrize("text", [CORNERS.replace("v 1 0 0", "v 1 0"), "v 0 0\nv 1 0\nv 0 1\nv 1 1\nv 2 2\nv 3 3\n",
                                  CORNERS + "f 1 2 99999999999999999999\n"])  # fmt: skip
def test_corners_of_two_numbers_and_endless_ones_are_refused(text, tmp_path):
    (tmp_path / "stone.obj").write_text(text)
    with pytest.raises(SceneError, match="not readable as .obj"):
        read_mesh(tmp_path / "stone.obj")


def test_remarks_of_a_mesh_may_be_in_any_coding(tmp_path):
    (tmp_path / "stone.obj").write_bytes(b"# W\xfcrfel\n" + CORNERS.encode() + b"f 1 3 2\n")
    vertices, triangles = read_mesh(tmp_path / "stone.obj")
    assert len(vertices) == 4 and triangles.tolist() == [[0, 2, 1]]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_names_are_utf_8_whatever_the_system_writes(mark, tmp_path):
    """With and without the mark that some editors begin such a file with."""
    file = tmp_path / "scene.json"
    file.write_bytes(mark + json.dumps(body(name="Würfel ☃"), ensure_ascii=False).encode())
    code = "from stiction.solver.scene_io.scene_file import load_scene\n"
    code += f"print(ascii(load_scene({str(file)!r}).bodies[0].name))"
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    told = subprocess.run([sys.executable, "-c", code], env=plain, cwd=tmp_path, capture_output=True, text=True)
    assert told.stdout.strip() == ascii("Würfel ☃"), told.stderr


def nested(depth):
    shape = {"type": "sphere", "radius": 0.5}
    for _ in range(depth):
        shape = {"type": "compound", "parts": [{"shape": shape}]}
    return body(shape=shape)


def test_shapes_nested_too_deeply_are_refused():
    with pytest.raises(SceneError, match="nested"):
        compile_scene(scene_from_json(nested(5000)))


@pytest.mark.parametrize("time", ["inf", "1e300", "nan", "-1", "soon"])
def test_no_run_lasts_for_ever(time, tmp_path, capsys):
    (tmp_path / "scene.json").write_text(json.dumps(SMALL))
    assert main(["simulate", str(tmp_path / "scene.json"), "--time", time]) == 2
    assert "time" in capsys.readouterr().err


def test_a_stated_tolerance_is_compared_as_a_number(tmp_path):
    (tmp_path / "scene.json").write_text(json.dumps(run_settings(time=0.02)))
    assert main(["simulate", str(tmp_path / "scene.json"), "--tolerance", "1e-3"]) == 0


def test_contacts_need_a_folder(tmp_path, capsys):
    (tmp_path / "scene.json").write_text(json.dumps(run_settings(time=0.02)))
    assert main(["simulate", str(tmp_path / "scene.json"), "--contacts"]) == 2
    assert "--output" in capsys.readouterr().err


def test_the_published_schema_is_the_one_that_is_used(request):
    published = request.config.rootpath / "docs" / "scene.schema.json"
    assert json.loads(published.read_text()) == json.loads(json.dumps(published_schema(SimulationOptions))), (
        "write it anew: python tools/write_schema.py"
    )
    fastjsonschema.compile(json.loads(published.read_text()))


def test_a_binary_stl_that_was_cut_off_is_refused_in_its_own_words(tmp_path):
    (tmp_path / "part.stl").write_bytes(bytes(80) + (12).to_bytes(4, "little") + b"\xff" * 100)
    with pytest.raises(SceneError, match="binary STL of 12 triangles has 684 bytes, this file 184.*export it again"):
        read_mesh(tmp_path / "part.stl")


def test_a_method_named_twice_is_refused(capsys, tmp_path):
    assert main(["compare", str(tmp_path / "p.npz"), "--methods", "pgs,nncg,pgs", "--output", str(tmp_path)]) == 2
    assert "names pgs twice; name each method once" in capsys.readouterr().err
