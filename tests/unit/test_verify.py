"""`stiction verify` passes honest runs of ten kinds and finds wrong recordings."""

import ast
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import verified_scenes
from flying_scenes import drawn
from marks import few

from stiction.solver import simulation
from stiction.solver.cli import main
from stiction.solver.recording.columns import JOINT_COLUMNS, NODE_COLUMNS
from stiction.solver.recording.substep_log import substeps_of
from stiction.solver.scene import Body, Joint, Motor, Scene
from stiction.solver.scenes.lookup import find_scene
from stiction.solver.shapes import Mesh
from stiction.solver.shapes.generators import lathe
from stiction.solver.verify import NotVerifiable, verify

BOX = verified_scenes.BOX
VERIFY = Path(__file__).resolve().parents[2] / "solver" / "verify"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder of recorded runs, made once each."""
    folder, known = tmp_path_factory.mktemp("runs"), {}

    def run(kind):
        if kind not in known:
            known[kind] = folder / kind
            verified_scenes.recorded(verified_scenes.KINDS[kind](), known[kind])
        return known[kind]

    return run


def failed(folder):
    """Names of the checks that did not pass."""
    return [check["name"] for check in verify(folder)["checks"] if not check["passed"]]


@pytest.mark.parametrize("kind", few(verified_scenes.KINDS, *verified_scenes.KINDS.keys() - {"hopper"}))
def test_a_run_of_each_kind_passes(runs, kind):
    assert failed(runs(kind)) == []


@pytest.mark.parametrize("kind", ["throw", "chain"])
def test_a_run_of_the_semi_implicit_stepper_passes(kind, tmp_path):
    """Gravity works along the way that velocities before and after go in the mean, which is not the way of the body."""
    verified_scenes.recorded(verified_scenes.KINDS[kind](), tmp_path / "run", time=0.2, stepper="semi_implicit")
    assert failed(tmp_path / "run") == []


def test_gears_that_lie_on_gears_pass(tmp_path):
    """Nothing bears between their teeth: the inner ring of their patch would."""
    verified_scenes.recorded(find_scene("nncg_gears6"), tmp_path / "run", time=0.02)
    assert failed(tmp_path / "run") == []


def test_wheels_on_axles_of_the_world_pass(tmp_path):
    """Of what their gear gives them the world takes a part."""
    wheels = [Body(name, BOX((0.3, 0.3, 0.1)), position=(0.5 * k, 0, 2), angular_velocity=(0, 0, 3.0 + 3.0 * k))
              for k, name in enumerate("ab")]  # fmt: skip
    axles = [Joint(f"axle {name}", "hinge", ("world", name), (0.5 * k, 0, 2)) for k, name in enumerate("ab")]
    gear = Joint("gear", "gear", joints=("axle a", "axle b"), ratio=2.0)
    driven = replace(axles[0], motor=Motor(1.0, 2.0))
    verified_scenes.recorded(Scene(tuple(wheels), joints=(driven, axles[1], gear)), tmp_path / "run", time=0.05)
    assert failed(tmp_path / "run") == []


def test_a_peg_that_leaves_its_hole_passes(tmp_path):
    """Edges beyond their ends may meet where no surface is; nothing comes of it."""
    sides, height = 7, 0.4
    peg, hole = 0.1 / np.cos(np.pi / sides), 0.10056 / np.cos(np.pi / sides)
    profile = [(0, -0.1), (0.25, -0.1), (0.25, 0.5), (hole, 0.5), (hole, 0), (0, 0)]
    bodies = [
        Body("hole", Mesh(*lathe(profile, sides)), motion=verified_scenes.STATIC),
        Body("peg", Mesh(*lathe([(0, 0), (peg, 0), (peg, height), (0, height)], sides)), position=(0, 0, 0.3),
             velocity=(-0.075, 0.06, 0.2), angular_velocity=(0.076, -0.367, -0.054)),
    ]  # fmt: skip
    verified_scenes.recorded(Scene(tuple(bodies), name="peg"), tmp_path / "run", time=0.02)
    assert failed(tmp_path / "run") == []


@pytest.mark.parametrize("held", ["breaks", "is slack"])
def test_what_a_joint_no_longer_holds_passes(held, tmp_path):
    """Until the end of the step in which it breaks a joint holds; a slack rope holds nothing."""
    one = Body("one", BOX((0.3, 0.2, 0.1)), position=(0, 0, 2), angular_velocity=(1.0, 3.0, 2.0))
    two = Body("two", BOX((0.4, 0.1, 0.2)), position=(0.5, 0, 2), angular_velocity=(-2.0, 1.0, 4.0))
    pin = Joint("pin", "ball", ("one", "two"), (0.25, 0, 2))
    if held == "breaks":
        holds = Joint("holds", "ball", ("world", "one"), (-0.2, 0, 2), breaking=20.0)
    else:
        holds = Joint("holds", "rope", ("world", "one"), positions=((0, 0, 3), (0, 0, 2)), length=1.5)
    verified_scenes.recorded(Scene((one, two), joints=(holds, pin)), tmp_path / "run", time=0.2)
    assert failed(tmp_path / "run") == []


def test_what_joints_turn_takes_its_spin_along(tmp_path):
    """A long body that closing turns under its spin: how much angular momentum changes goes by its moments."""
    arms = [Body(f"arm{k}", BOX((0.9, 0.02, 0.05)), position=(0.5 + k, 0, 0)) for k in range(3)]
    joints = [Joint(f"pin{k}", "ball", ("world" if k == 0 else f"arm{k - 1}", f"arm{k}"), (float(k), 0, 0))
              for k in range(3)]  # fmt: skip
    spun = replace(arms[2], angular_velocity=(30.0, 1.0, 2.0))
    verified_scenes.recorded(Scene((*arms[:2], spun), joints=tuple(joints)), tmp_path / "run", time=0.4)
    assert failed(tmp_path / "run") == []


def test_contacts_that_are_foreseen_in_a_bore_pass(tmp_path):
    """Wheels turn on pins: contacts slide over facets, and off a face's rim, before impulses act."""
    verified_scenes.recorded(find_scene("gear_train"), tmp_path / "run", time=0.15)
    assert failed(tmp_path / "run") == []


@pytest.mark.parametrize("seed", few((*range(18), 69, 129, 310, 314, 418, 628), 69, 129, 314, 418))
def test_bodies_thrown_at_each_other_pass(seed, tmp_path):
    """69: what bounces displaces a body onto the floor, without an impulse there: neither floats with the other.
    314: bodies beside what is displaced move otherwise than by their velocities by round-off; 310: by 3e-13 m.
    418, 628: a displacement rubs, within its tolerance, where nothing presses.
    129: what closes overlap at the end pushes a body off the floor, which it was above in the middle."""
    verified_scenes.recorded(drawn(seed), tmp_path / "run", time=0.4)
    assert failed(tmp_path / "run") == []


def test_a_recorded_run_is_the_run_that_is_not_recorded(runs, tmp_path):
    """The quick way of quiet steps is not taken where substeps are recorded, and has the same bits."""
    made = verified_scenes.pile()
    simulation.simulate(made, simulation.options_for(made, time=0.4, threads=1), tmp_path / "plain")
    assert (tmp_path / "plain" / "frames.bin").read_bytes() == (runs("pile") / "frames.bin").read_bytes()


def test_it_imports_nothing_of_the_solver():
    others = "copy", "io", "pathlib", "scipy.optimize"
    for path in VERIFY.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert node.level <= 1 and (node.level == 1 or node.module in others), path
            elif isinstance(node, ast.Import):
                assert {alias.name for alias in node.names} <= {"numpy", "json", "hashlib", "zipfile", "zlib"}, path


# Columns of substeps.bin.
POSE, SPIN = 2, 10
PUSH, END = 2 + 13, 2 + 26
GAP, IMPULSE, ASKED = 11, 12, 20


class Recording:
    """substeps.bin of a copy of a run, to be changed in place."""

    def __init__(self, run, folder):
        shutil.copytree(run, folder)
        self.path = folder / "substeps.bin"
        self.data = np.fromfile(self.path)
        parts = [parts for _, parts in substeps_of(self.data)]
        self.bodies, self.contacts, self.joints, self.nodes, _ = map(list, zip(*parts, strict=True))

    def loaded(self):
        """(substep, contact) with the largest normal impulse."""
        best = max((rows[:, IMPULSE].max(), s) for s, rows in enumerate(self.contacts) if len(rows))
        return best[1], int(np.argmax(self.contacts[best[1]][:, IMPULSE]))

    def save(self):
        self.data.tofile(self.path)


def scaled_force(rec):
    s, c = rec.loaded()
    rec.contacts[s][c, IMPULSE] *= 1 + 1e-6


def dropped_contact(rec):
    s, c = rec.loaded()
    rec.contacts[s][c, IMPULSE : IMPULSE + 4] = 0.0


def turned_friction(rec):
    for rows in rec.contacts:
        s, t = rows[:, IMPULSE + 1].copy(), rows[:, IMPULSE + 2].copy()
        a = np.radians(10.0)
        rows[:, IMPULSE + 1], rows[:, IMPULSE + 2] = np.cos(a) * s - np.sin(a) * t, np.sin(a) * s + np.cos(a) * t


def no_friction(rec):
    for rows in rec.contacts:
        rows[:, IMPULSE + 1 : IMPULSE + 3] = 0.0


def other_body(rec):
    s, c = rec.loaded()
    rec.contacts[s][c, :2] = rec.contacts[s][c, 1::-1].copy()


def moved_contact(rec):
    s, c = rec.loaded()
    rec.contacts[s][c, 2:5] += (1e-6, -1e-6, 0.0)


def leaning_normal(rec):
    s, c = rec.loaded()
    rec.contacts[s][c, 5:8] = rec.contacts[s][c, 5:8] + 1e-4 * rec.contacts[s][c, 8:11]


def pulling(rec):
    s, c = rec.loaded()
    rec.contacts[s][c, IMPULSE] *= -1.0


def asked_to_part(rec):
    s, c = rec.loaded()
    rec.contacts[s][c, ASKED] -= 0.5


def asked_to_slide(rec):
    s, c = rec.loaded()
    rec.contacts[s][c, ASKED + 1] += 0.5


def shifted_end(rec):
    rec.bodies[5][-1, END] += 1e-9


def shifted_start(rec):
    rec.bodies[5][-1, POSE] += 1e-9


def faster(rec):
    rec.bodies[5][-1, PUSH + 7] += 1e-6


def spinning(rec):
    rec.bodies[5][-1, PUSH + 10] += 1e-6


def left_out(rec):
    """A substep of a body that flies is missing."""
    moving = rec.bodies[3][:, 1] > 0
    rec.bodies[3][moving, 1] = 0.0


RECORDINGS = (
    scaled_force, dropped_contact, turned_friction, no_friction, other_body, moved_contact, leaning_normal, pulling,
    asked_to_part, asked_to_slide, shifted_end, shifted_start, faster, spinning, left_out,
)  # fmt: skip


@pytest.mark.parametrize("change", RECORDINGS, ids=lambda change: change.__name__)
@pytest.mark.parametrize("kind", ["pile", "throw"])
def test_a_wrong_recording_is_found(runs, tmp_path, kind, change):
    rec = Recording(runs(kind), tmp_path / "run")
    change(rec)
    rec.save()
    assert failed(tmp_path / "run")


def edited(run, folder, edit):
    """A copy of a run whose recording.json is edited by a function."""
    shutil.copytree(run, folder)
    verified_scenes.edit_recording(folder, edit)
    return folder


def test_contacts_beside_the_surface_are_found(runs, tmp_path):
    def shifted(said):
        said["shapes"][said["names"].index("v3")][0]["position"][0] += 1e-3

    assert "contacts lie on the surfaces" in " ".join(failed(edited(runs("arch"), tmp_path / "run", shifted)))


def test_contacts_that_the_search_has_missed_are_found(tmp_path):
    """Two boxes that pass through each other, as if they never collided: every balance holds."""
    bodies = [Body(f"box{k}", verified_scenes.BOX((0.2, 0.2, 0.2)), position=(0.3 * k, 0, 2), velocity=(1 - k, 0, 0),
                   collides_with=()) for k in range(2)]  # fmt: skip
    verified_scenes.recorded(verified_scenes.scene("passing", bodies), tmp_path / "run", time=0.2)
    assert failed(tmp_path / "run") == []

    def colliding(said):
        said["collides_with"] = [-1] * len(said["names"])

    assert failed(edited(tmp_path / "run", tmp_path / "other", colliding)) == [
        "overlap of shapes, against what is reported"
    ]


# Eight vectors: one component of each, and all of them where tests may take longer.
@pytest.mark.parametrize("column", few(range(1, NODE_COLUMNS), 1, 5, 9, 10, 14, 18, 19, 23))
def test_a_wrong_number_of_a_node_is_found(runs, tmp_path, column):
    rec = Recording(runs("soft"), tmp_path / "run")
    last = max(s for s, rows in enumerate(rec.nodes) if len(rows))
    rec.nodes[last][3, column] += 1e-6
    rec.save()
    assert failed(tmp_path / "run")


def test_frames_that_are_not_where_the_nodes_are_are_found(runs, tmp_path):
    shutil.copytree(runs("soft"), tmp_path / "run")
    frames = np.fromfile(tmp_path / "run" / "nodes.bin")
    frames[-7] += 1e-9
    frames.tofile(tmp_path / "run" / "nodes.bin")
    assert failed(tmp_path / "run") == ["the frames are where the nodes are"]


@pytest.mark.parametrize("column", range(2, JOINT_COLUMNS))
def test_a_wrong_impulse_of_a_joint_is_found(runs, tmp_path, column):
    rec = Recording(runs("chain"), tmp_path / "run")
    rec.joints[20][3, column] += 1e-6
    rec.save()
    assert "momentum" in " ".join(failed(tmp_path / "run"))


@pytest.mark.parametrize("column", [7, 10], ids=["velocity", "spin"])
def test_what_floats_on_joints_and_is_turned_one_by_one_is_found(runs, tmp_path, column):
    rec = Recording(runs("floating"), tmp_path / "run")
    rec.bodies[5][-1, END + column] += 1e-6
    rec.save()
    assert "floats" in " ".join(failed(tmp_path / "run"))


@pytest.mark.parametrize(("field", "off"), [("kinetic", 1e-3), ("potential", 1e-3), ("friction_work", -1e-3),
                                            ("impact_loss", 1e-3), ("stabilisation_work", 1e-3),
                                            ("residual", None)])  # fmt: skip
def test_a_claim_that_is_better_than_what_is_found(runs, tmp_path, field, off):
    shutil.copytree(runs("pile"), tmp_path / "run")
    path = tmp_path / "run" / "steps.bin"
    header = json.loads((tmp_path / "run" / "header.json").read_text())
    steps = np.fromfile(path).reshape(-1, len(header["step_fields"]))
    column = steps[:, header["step_fields"].index(field)]
    if off is None:
        column[:] *= 0.5
    else:
        column[20] += off
    steps.tofile(path)
    assert failed(tmp_path / "run")


def test_the_command_says_what_it_found_and_exits_1_where_a_run_is_wrong(runs, tmp_path, capsys):
    assert main(["verify", str(runs("pile")), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["passed"] and found["versions"]["numpy"] and len(found["digests"]["substeps.bin"]) == 64
    rec = Recording(runs("pile"), tmp_path / "run")
    scaled_force(rec)
    rec.save()
    assert main(["verify", str(tmp_path / "run")]) == 1
    said = capsys.readouterr().out
    assert "FAIL momentum of every body" in said and "NOT passed" in said


@pytest.mark.parametrize("name", ["header.json", "recording.json"])
@pytest.mark.parametrize("text", ["{}", "[]", "null", ""])
def test_json_without_its_entries_is_damaged(name, text, tmp_path):
    verified_scenes.recorded(verified_scenes.pile(), tmp_path, time=0.02)
    (tmp_path / name).write_text(text)
    with pytest.raises(NotVerifiable, match=f"{name}: is damaged"):
        verify(tmp_path)


def test_what_cannot_be_verified_is_refused(tmp_path, capsys):
    assert main(["verify", str(tmp_path)]) == 2
    assert "name the folder of a run" in capsys.readouterr().err
    made = verified_scenes.pile()
    verified_scenes.recorded(made, tmp_path / "run", time=0.02)
    (tmp_path / "run" / "recording.json").unlink()
    assert main(["verify", str(tmp_path / "run")]) == 2
    assert "--contacts" in capsys.readouterr().err
    (tmp_path / "scene.json").write_text("{}")
    assert main(["verify", str(tmp_path / "scene.json")]) == 2
    assert "name the folder of a run" in capsys.readouterr().err
    verified_scenes.recorded(made, tmp_path / "other", time=0.02, stepper="position_level")
    with pytest.raises(NotVerifiable, match="position_level"):
        verify(tmp_path / "other")
