"""The public namespace: its list, what loads when, what each name says of itself, and what it does."""

import ast
import importlib
import inspect
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import stiction as st

ROOT = Path(__file__).resolve().parents[2]
# Whoever adds or removes a name says so here: names that are public stay.
SCENE = {"Scene", "Body", "Motion", "Elastic", "Joint", "Motor", "Servo", "Spring", "Attachment", "KeyedPoses", "Keyed",
         "Gate", "Emitter", "Counter", "Sink", "Reduction", "Material", "MaterialPair", "MaterialTable"}  # fmt: skip
SHAPES = {"Box", "Sphere", "Capsule", "Cylinder", "ConvexHull", "Mesh", "Compound", "Part", "Tetrahedra"}
VERBS = {"load", "simulate", "solve", "compare", "study", "verify"}
FLOOR = st.Body("floor", st.Box((4, 4, 1)), motion=st.Motion.STATIC, position=(0, 0, -0.5))


def test_the_list_of_public_names():
    assert set(st.__all__) == SCENE | SHAPES | VERBS | {"Run"}
    assert dir(st) == st.__all__


def test_type_checkers_see_the_same_names_at_the_same_places():
    stub = (ROOT / "__init__.pyi").read_text()
    listed = re.search(r"__all__ = \[(.*?)\]", stub, re.S).group(1)
    assert re.findall(r'"(\w+)"', listed) == st.__all__
    for node in ast.parse(stub).body:
        if isinstance(node, ast.ImportFrom):
            module = importlib.import_module(f".{node.module}", "stiction")
            assert all(getattr(module, one.name) is getattr(st, one.name) for one in node.names)
    assert (ROOT / "py.typed").exists()


def test_importing_it_loads_nothing_and_a_scene_needs_no_numba():
    code = ("import sys; sys.path.insert(0, 'tests'); import conftest; import stiction as st; "
            "print([m for m in ('numpy', 'stiction.solver') if m in sys.modules]); st.Scene, st.Box, st.MaterialTable; "
            "print('numba' in sys.modules)")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split("\n")[:2] == ["[]", "False"], done.stderr


def test_an_unknown_name_is_an_error():
    with pytest.raises(AttributeError, match="no attribute 'Simulatr'"):
        _ = st.Simulatr


@pytest.mark.parametrize("name", sorted(VERBS))
def test_verbs_are_annotated_and_show_an_example(name):
    verb = getattr(st, name)
    signature = inspect.signature(verb)
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(one.annotation is not inspect.Parameter.empty for one in signature.parameters.values())
    assert f"st.{name}(" in inspect.getdoc(verb), "an example belongs into the docstring"


def test_a_run_has_what_extract_writes(tmp_path):
    block = st.Body("block", st.Box((0.2, 0.2, 0.2)), position=(0, 0, 0.1), velocity=(3, 0, 0))
    scene = st.Scene((FLOOR, block), st.MaterialTable((st.Material("default", friction=0.3),)))
    run = st.simulate(scene, time=1.5, output=tmp_path / "run", progress=False)
    assert run.position[-1, 1, 0] == pytest.approx(3.0**2 / (2 * 0.3 * 9.81), abs=1e-4)
    again = st.Run(tmp_path / "run")
    assert again.names == ("floor", "block") and set(again) == set(run)
    assert all(np.array_equal(again[name], run[name]) for name in run)
    assert "2 bodies, 1.5 s in 150 steps" in repr(again) and "all steps accepted" in repr(run)
    assert again._repr_png_() is None, "shapes are not in the folder"
    with pytest.raises(KeyError, match="no array 'presure'"):
        run["presure"]


def test_a_run_is_verified_by_its_folder_or_as_it_is(tmp_path):
    block = st.Body("block", st.Box((0.2, 0.2, 0.2)), position=(0, 0, 0.1), velocity=(1, 0, 0))
    scene = st.Scene((FLOOR, block))
    run = st.simulate(scene, time=0.05, output=tmp_path / "run", store_contacts=True, progress=False)
    found = st.verify(run)
    assert found["passed"] and found["steps"] == 5 and found["contacts"] > 0
    assert st.verify(tmp_path / "run")["checks"] == found["checks"]
    with pytest.raises(ValueError, match="in memory alone; simulate with output="):
        st.verify(st.simulate(scene, time=0.01, progress=False))
    with pytest.raises(ValueError, match="no header.json"):
        st.verify(tmp_path)


def test_a_run_draws_itself():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.image

    ball = st.Body("ball", st.Sphere(0.5), position=(0, 0, 2))
    run = st.simulate(st.Scene((FLOOR, ball)), time=0.05, progress=False)
    picture = matplotlib.image.imread(io.BytesIO(run._repr_png_()))[..., :3]
    background = np.all(picture == 1.0, axis=2)
    # A ball that fills 1 / 1.3 of the picture's width.
    share = 1.0 - background.mean()
    assert share == pytest.approx(np.pi / 4 / 1.3**2, abs=0.05)
    height = run.plot_energy().get_lines()[1].get_ydata()[0]
    fallen = -np.cumsum(run["potential"][1:] - run["potential"][:-1])[-1]
    assert height == pytest.approx(fallen)
    assert list(run.plot_contacts().get_lines()[0].get_ydata()) == [0.0] * 5


def test_what_is_not_there_yet_is_not_drawn():
    pour = st.Emitter("pour", (st.Sphere(0.1),), ((-1, -1, 1), (1, 1, 2)), count=3, rate=10.0)
    scene = st.Scene((FLOOR,), emitters=(pour,))
    run = st.simulate(scene, time=0.15, progress=False)
    from stiction.solver.results.picture import surfaces

    assert len(run.names) == 4 and len(surfaces(run.trajectory, scene, 5)) == 2


def test_options_that_there_are_not_are_refused():
    with pytest.raises(ValueError, match="no option 'timestep'; there are .*time_step"):
        st.simulate(st.Scene((FLOOR,)), timestep=0.01)


def scene_of(bodies=(FLOOR,), materials=None, **others):
    """A Scene of whatever is given."""
    return st.Scene(bodies, st.MaterialTable() if materials is None else materials, **others)


@pytest.mark.parametrize(("scene", "words"), [
    ([FLOOR], "what to simulate is a list; give a Scene"),
    (scene_of(FLOOR), r"bodies is a Body; give \[Body\(...\), ...\]"),
    (scene_of(("floor",)), "bodies holds 'floor'"),
    (scene_of(joints=[("floor", "world")]), "joints holds a tuple"),
    (scene_of(materials=[st.Material("wood")]), "materials is a list; give MaterialTable"),
    (scene_of(materials=st.MaterialTable(st.Material("wood"))), r"materials.materials is a Material; give \[Mat"),
    (scene_of([st.Body("a", st.Box((1, 1, 1)), st.Material("oak"))]), "body 'a': material is a Material; .* 'oak'"),
    (scene_of([st.Body(3, st.Box((1, 1, 1)))]), "body 3: name is 3; give a text"),
    (scene_of([st.Body("", st.Box((1, 1, 1)))]), "body '': name is ''; give a text"),
    (scene_of([st.Body("a", st.Sphere(True))]), "body 'a': shape.radius is True; give a number"),
    (scene_of([st.Body("a", st.Sphere(10**400))]), "shape.radius is a huge whole number; give a"),
    (scene_of([st.Body("a", st.Compound((st.Box((1, 1, 1)),)))]), r"parts holds a Box; give \[Part\(...\), ...\]"),
    (scene_of([st.Body("a", st.Compound((st.Part("box"),)))]), "shape.parts.shape is 'box'; give one as Box"),
    (scene_of([st.Body("a", st.Box((1, 1, 1)), mass=[1.0])]), "body 'a': mass is a list; give a number or None"),
    (scene_of([st.Body("a", st.Box((1, 1, 1)), keys="up")]), r"keys is 'up'; give KeyedPoses\(...\) or None"),
    (scene_of([st.Body("a", st.Box((1, 1, 1)), keys=st.KeyedPoses(0.0, 1.0, 2.0))]), "keys.times is 0.0; give a list"),
    (scene_of([st.Body("a", st.Box((1, 1, 1)), switches=0.5)]), "switches is 0.5; give a list of numbers"),
    (scene_of([st.Body("a", st.Box((1, 1, 1)), asleep="no")]), "asleep is 'no'; give True or False"),
    (scene_of([st.Body("a", st.Box((1, 1, 1)), elastic=True)]), r"elastic is True; give Elastic\(...\) or None"),
    (scene_of([st.Body("a", st.Box((1, 1, 1)), elastic=st.Elastic(self_contact="x"))]),
     "body 'a': elastic.self_contact is 'x'; give True or False"),
    (scene_of([st.Body("a", st.Box((1, 1, 1)), elastic=st.Elastic(bent=None))]), "elastic.bent is None; give True or"),
    (scene_of(materials=st.MaterialTable((st.Material("oak", friction="low"),))), "material 'oak': friction is 'low'"),
    (scene_of(materials=st.MaterialTable(pairs=(st.MaterialPair(("oak",)),))), r"has 1 entries; give \[a t"),
    (scene_of(sinks=(1,)), r"sinks holds 1; give \[Sink\(...\), ...\]"),
    (scene_of(emitters=(st.Emitter("e", ("ball",), ((0, 0, 1), (1, 1, 2)), 3, 1.0),)), "'e': shapes is 'ball'"),
    (scene_of(joints=(st.Joint("j", "ball", "ab"),)), "joint 'j': bodies is 'ab'; give"),
    (scene_of(joints=(st.Joint("j", "hinge", ("a", "b"), limits=(1, 2, 3)),)), "'j': limits .*; give a number or"),
    (scene_of(joints=(st.Joint("j", "hinge", ("a", "b"), motor=st.Motor("fast")),)), "motor.velocity is 'fast'"),
    (scene_of([st.Body("a", "box")]), "body 'a': shape is 'box'; give one as Box"),
    (scene_of([st.Body("a", st.Sphere(1), motion="still")]), "motion is 'still'; give one of dynamic, static, kine"),
    (scene_of([st.Body("a", st.Sphere(1), motion=None)]), "body 'a': motion is None; give one of dynamic"),
    (scene_of([st.Body("a", st.Box)]), "body 'a': shape is the class Box"),
])  # fmt: skip
def test_what_is_of_another_kind_is_refused_in_a_sentence(scene, words):
    with pytest.raises(ValueError, match=words):
        st.simulate(scene, time=0.1, progress=False)


@pytest.mark.parametrize(("given", "words"), [
    ({"motor": st.Motor(1e30)}, "joint 'j': motor.velocity is 1e\\+30; give up to 1e\\+12"),
    ({"servo": {"rz": st.Servo(st.Keyed((0, 1), (0, -1e30)), 1.0)}}, "servo.target is 1e\\+30"),
    ({"spring": st.Spring(1.0, rest=-1e30)}, "spring.rest is 1e\\+30"),
])  # fmt: skip
def test_drives_go_for_nothing_that_no_motion_reaches(given, words):
    """With a bound on its moment such a motor was taken for a good one; without, no step was possible."""
    joint = st.Joint("j", "hinge", ("world", "a"), (0, 0, 3), **given)
    with pytest.raises(ValueError, match=words):
        st.simulate(scene_of([st.Body("a", st.Box((1, 1, 1)), position=(0, 0, 3))], joints=(joint,)), progress=False)


@pytest.mark.parametrize(("use", "words"), [
    (lambda: st.simulate(scene_of(), output=3), "output is 3; give a path"),
    (lambda: st.simulate(scene_of(), output=""), "output is ''; give a path"),
    (lambda: st.simulate(scene_of(), output="x" * 300), "output folder .* cannot be read .*; choose another"),
    (lambda: st.simulate(scene_of(), output="null\0"), "output folder .* cannot be read .*; choose another"),
    (lambda: st.simulate(scene_of(), resume=True), "resume is True without an output; give the folder"),
    (lambda: st.simulate(scene_of(), progress="loud"), "progress is 'loud'; give True, False, None, or a function"),
    (lambda: st.load(None), "the scene to load is None; give a path"),
    (lambda: st.Run(3), "the folder of a run is 3; give a path"),
    (lambda: st.Run(st.simulate(scene_of(), time=0.01, progress=False).trajectory, "floor"), "scene is 'floor'"),
    (lambda: st.verify(3), "the run to verify is 3; give a path"),
    (lambda: st.solve(3), "the problem to solve is 3; give a path"),
    (lambda: st.compare("drop10", "pgs"), "names is 'pgs'; give a list of methods"),
    (lambda: st.compare("drop10", []), r"names is \[\]; give a list of methods"),
    (lambda: st.compare(3, ["pgs"]), "what to compare methods on is 3; give a path"),
    (lambda: st.study(3, "out"), "the study file is 3; give a path"),
])  # fmt: skip
def test_what_functions_cannot_use_is_refused_in_a_sentence(use, words):
    with pytest.raises(ValueError, match=words):
        use()


def test_a_list_that_grows_after_a_run_was_made_of_it_changes_no_picture():
    bodies = [FLOOR]
    run = st.simulate(scene_of(bodies), time=0.01, progress=False)
    bodies.append(st.Body("late", st.Sphere(0.1)))
    assert run._repr_png_()[:4] == b"\x89PNG"


def test_a_joint_cannot_mean_the_ground_and_a_body_of_that_name():
    """It was the ground, and the body of the name fell."""
    bodies = [st.Body(name, st.Sphere(0.1), position=(x, 0, 1)) for x, name in enumerate(("world", "a"))]
    joint = st.Joint("j", "ball", ("world", "a"), (0, 0, 1))
    with pytest.raises(ValueError, match="body 'world': moves, and is what joints call the ground; give the body"):
        st.simulate(scene_of(bodies, joints=(joint,)), progress=False)
    assert st.simulate(scene_of(bodies), time=0.01, progress=False).names == ("world", "a")


def test_arrays_are_taken_for_lists():
    """Of numbers anywhere: times of switches and axes were asked whether they are true."""
    bodies = [st.Body("a", st.Box(np.ones(3)), position=np.array([0, 0, 3.0]), switches=np.array([0.01]),
                      mass=np.float32(2)),
              st.Body("b", st.Box(np.ones(3)), position=np.array([2, 0, 3]))]  # fmt: skip
    joint = st.Joint("j", "universal", ("a", "b"), np.array([1.0, 0, 3]), np.array([1, 0, 0]), np.array([0, 1, 0]))
    assert st.simulate(scene_of(bodies, joints=(joint,)), time=0.03, progress=False).summary["verdict"] == "good"


def test_numbers_of_numpy_and_names_of_motions_are_taken():
    bodies = [st.Body("floor", st.Box((9, 9, 1)), motion="static", position=(0, 0, -0.5)),
              st.Body("a", st.Sphere(0.1), motion="dynamic", position=(0, 0, 0.1))]  # fmt: skip
    pour = st.Emitter("e", [st.Sphere(0.05)], np.array([[1, 1, 1], [2, 2, 2]]), np.int64(2), 50, seed=np.int32(1))
    run = st.simulate(scene_of(bodies, emitters=[pour]), time=0.05, progress=False)
    assert run.summary["verdict"] == "good" and len(run.names) == 4
    assert run.position[-1, 1] == pytest.approx([0.0, 0.0, 0.1], abs=1e-6)
    assert run.trajectory.present[2:, 0].max() < 0.05


def test_a_run_says_how_to_ask_for_a_body():
    run = st.simulate(scene_of([FLOOR]), time=0.01, progress=False)
    assert "1 body, 0.01 s in 1 step," in repr(run)
    with pytest.raises(KeyError, match=r"'floor' is a body, not an array; its places are run.position\[:, 0\]"):
        run["floor"]


def test_progress_is_a_function_if_wished():
    seen = []
    st.simulate(st.Scene((FLOOR,)), time=0.03, progress=lambda done, total, report: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_progress_suits_its_place(monkeypatch, capsys):
    class Terminal:
        def isatty(self):
            return True

        def write(self, text):
            said.append(text)

        def flush(self):
            pass

    said = []
    st.simulate(st.Scene((FLOOR,)), time=0.03)
    assert capsys.readouterr().err == "", "a log gets nothing"
    monkeypatch.setattr(sys, "stderr", Terminal())
    st.simulate(st.Scene((FLOOR,)), time=0.03)
    assert "100 %  3/3" in "".join(said)


def test_a_problem_is_solved_and_its_start_is_left_as_it_is():
    problem = ROOT / "tests" / "data" / "contact_problems" / "stack10_t0.5.npz"
    impulse, report = st.solve(problem, "accurate", tolerance=1e-8)
    assert report.residual <= 1e-8 and report.status == "converged"
    start = impulse.copy()
    again = st.solve(problem, "accurate", impulse=start, tolerance=1e-8)
    assert np.array_equal(start, impulse) and again.report.iterations <= report.iterations


def test_methods_are_compared(tmp_path):
    problem = ROOT / "tests" / "data" / "contact_problems" / "stack10_t0.5.npz"
    curves = st.compare(problem, ["accurate", "prox"], output=tmp_path / "out", max_iterations=50)
    written = json.loads((tmp_path / "out" / "compare.json").read_text())
    assert [curve.method for curve in curves] == ["accurate", "prox"] == [one["method"] for one in written]
    assert curves[0].residual < curves[1].residual


def test_a_study_is_run(tmp_path):
    (tmp_path / "study.toml").write_text(
        'stiction_study = 1\nname = "drops"\n[scene]\nname = "slot_hopper"\n[scene.parameters]\ncount = 3\n'
        '[settings]\ntime = 0.05\n[parameters.friction]\nvalues = [0.2, 0.5]\n'
        '[repeats]\ncount = 1\n[quality]\ncells = 0\n'
    )
    outcome = st.study(tmp_path / "study.toml", tmp_path / "out", workers=1, report=False, progress=False)
    assert outcome.failed == 0 and len(outcome.rows()) == 2 and (tmp_path / "out" / "results.csv").exists()
