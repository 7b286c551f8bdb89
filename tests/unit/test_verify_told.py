"""`stiction verify`: honest runs that it once took for wrong ones, and what frames tell besides poses."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import verified_scenes

from stiction.solver.scene import Body, Joint, KeyedPoses, Motion, Scene
from stiction.solver.verify import NotVerifiable, verify

BOX = verified_scenes.BOX


def failed(folder):
    """Names of the checks that did not pass."""
    return [check["name"] for check in verify(folder)["checks"] if not check["passed"]]


def test_a_bounce_without_friction_along_the_surface_passes(tmp_path):
    """Rows along the surface are there for torsion: the bounce asks them to turn the sliding round, to no effect."""
    ball = Body("ball", verified_scenes.SPHERE(0.1), position=(0, 0, 0.3), velocity=(2, 0, -2))
    skin = {"friction": 0.0, "torsional_friction": 0.02, "restitution": 0.5, "tangential_restitution": 0.4}
    verified_scenes.recorded(verified_scenes.scene("slick", [ball], material=skin), tmp_path / "run", time=0.2)
    assert failed(tmp_path / "run") == []


def test_what_hangs_on_a_slack_rope_floats(tmp_path):
    one, two = (Body(name, BOX((0.2, 0.05, 0.05)), position=(x, 0, 1), angular_velocity=spin)
                for name, x, spin in (("one", 0, (0, 0, 0)), ("two", 0.22, (2, 3, 4))))  # fmt: skip
    joints = (Joint("rope", "rope", ("world", "one"), positions=((-0.11, 0, 1), (-0.2, -0.1, 1.05))),
              Joint("pin", "universal", ("one", "two"), (0.11, 0, 1), (1, 1, 1), (1, -1, 0)))  # fmt: skip
    verified_scenes.recorded(Scene((one, two), joints=joints), tmp_path / "run", time=0.05)
    assert failed(tmp_path / "run") == []


def test_what_is_crushed_by_any_impulse_passes(tmp_path):
    """Impulses of what jams have no bound, and their works no digits. Parts of a step that its work did not reach to
    told the energy of those bodies alone that needed no finer one."""
    keys = KeyedPoses([0.0, 0.2], [(0, 0, 0.4), (0, 0, 0.1)], [(1, 0, 0, 0)] * 2)
    bodies = [
        Body("press", BOX((0.4, 0.4, 0.1)), motion=Motion.KINEMATIC, keys=keys, position=(0, 0, 0.4)),
        Body("egg", verified_scenes.CAPSULE(0.05, 0.1), position=(0, 0, 0.1),
             orientation=verified_scenes.turned(0.3, (1, 0, 0))),
    ]  # fmt: skip
    made = verified_scenes.scene("crushed", bodies, material={"friction": 0.9})
    verified_scenes.recorded(made, tmp_path / "run", time=0.15)
    assert failed(tmp_path / "run") == []


@pytest.mark.parametrize("seed", [3, 14, 39])
def test_anchors_that_get_speed_by_turning_pass(seed, tmp_path):
    """Joints push where bodies are in the mean over a step, to which these are turned from rest."""
    rng = np.random.default_rng(seed)
    links = [
        Body(f"link{k}", verified_scenes.CAPSULE(*rng.uniform(0.03, 0.1, 2)), position=(0.22 * k, 0, 1),
             orientation=verified_scenes.turned(rng.uniform(0, 6), rng.normal(size=3)),
             angular_velocity=tuple(rng.uniform(-4, 4, 3)) if k == 3 else (0, 0, 0))
        for k in range(4)
    ]  # fmt: skip
    kinds, joints = ("distance", "universal", "planar", "cylindrical", "ball", "hinge"), []
    for k in range(3):
        axis, kind, place = rng.normal(size=3), str(rng.choice(kinds)), (0.22 * k + 0.11, 0.0, 1.0)
        more = {"axis": tuple(axis), "position": place}
        if kind == "distance":
            more = {"positions": (place, (place[0], 0.05, 1.05))}
        elif kind in ("universal", "planar"):
            more["axis2"] = tuple(np.cross(axis, rng.normal(size=3)))
        joints.append(Joint(f"joint{k}", kind, (f"link{k}", f"link{k + 1}"), **more))
    verified_scenes.recorded(Scene(tuple(links), joints=tuple(joints)), tmp_path / "run", time=0.03)
    assert failed(tmp_path / "run") == []


@pytest.fixture(scope="module")
def driven(tmp_path_factory):
    """A run of a crank that a motor turns."""
    folder = tmp_path_factory.mktemp("motor") / "run"
    verified_scenes.recorded(verified_scenes.KINDS["motor"](), folder)
    return folder


# Columns of a body in a frame, of a joint in a frame; the first of a frame is its time.
@pytest.mark.parametrize(("name", "column", "words"), [
    ("frames.bin", 0, "times of the substeps"), ("frames.bin", 1 + 13 * 3 + 7, "states of the substeps"),
    ("frames.bin", 1 + 13 * 3 + 12, "states of the substeps"), ("joints.bin", 0, "coordinate of joint"),
    ("joints.bin", 1, "rate of joint"),
    ("joints.bin", 4, "forces of joints"),
])  # fmt: skip
def test_what_frames_tell_besides_poses_is_checked(driven, tmp_path, name, column, words):
    shutil.copytree(driven, tmp_path / "run")
    header = json.loads((tmp_path / "run" / "header.json").read_text())
    rows = np.fromfile(tmp_path / "run" / name)
    table = rows.reshape(-1, 11 * len(header["joints"]) if name == "joints.bin" else 1 + 13 * len(header["motion"]))
    table[-1, column] += 1e-6
    rows.tofile(tmp_path / "run" / name)
    assert words in " ".join(failed(tmp_path / "run"))


@pytest.mark.parametrize(("name", "entry", "value"), [
    ("recording.json", "mass", ["x"]), ("recording.json", "layers", None), ("recording.json", "joints", 3.5),
    ("recording.json", "gravity", [0.0]), ("recording.json", "columns", {}), ("recording.json", "material", []),
    ("header.json", "reached", {}), ("header.json", "options", {"stepper": "moreau"}), ("header.json", "size", None),
])  # fmt: skip
def test_entries_that_do_not_fit_are_refused(driven, tmp_path, name, entry, value):
    shutil.copytree(driven, tmp_path / "run")
    path = tmp_path / "run" / name
    path.write_text(json.dumps(json.loads(path.read_text()) | {entry: value}))
    with pytest.raises(NotVerifiable, match="simulate again"):
        verify(tmp_path / "run")


def test_numbers_that_are_none_are_refused(driven, tmp_path):
    shutil.copytree(driven, tmp_path / "run")
    rows = np.fromfile(tmp_path / "run" / "substeps.bin")
    for value in (np.nan, np.inf, 1e300):
        changed = rows.copy()
        changed[len(rows) // 2] = value
        changed.tofile(tmp_path / "run" / "substeps.bin")
        with pytest.raises(NotVerifiable, match="substeps.bin does not fit .*not finite.*simulate again"):
            verify(tmp_path / "run")


@pytest.mark.parametrize("error", [KeyError("x"), TypeError("x"), AttributeError("x"), IndexError("x")])
def test_errors_of_the_program_are_not_taken_for_damage(driven, monkeypatch, error):
    def part(run):
        raise error

    monkeypatch.setattr("stiction.solver.verify.PARTS", (part,))
    with pytest.raises(type(error)):
        verify(driven)


def test_a_run_that_falls_asleep_is_checked_until_then(tmp_path):
    box = Body("box", BOX((0.2, 0.2, 0.2)), position=(0, 0, 0.1))
    made = verified_scenes.scene("sleeper", [box])
    verified_scenes.recorded(made, tmp_path / "run", time=2.0, sleeping=True)
    found = verify(tmp_path / "run")
    assert found["passed"] and found["substeps"] < found["steps"] == 200
    made = verified_scenes.scene("asleep", [replace(box, asleep=True)])
    verified_scenes.recorded(made, tmp_path / "asleep", time=0.1)
    with pytest.raises(NotVerifiable, match="has no step in which a body was awake; there is nothing to check"):
        verify(tmp_path / "asleep")
