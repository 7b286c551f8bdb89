"""`resume` of a run that was killed at any moment, before its first checkpoint, too."""

import shutil

import numpy as np
import pytest

from stiction.solver.base.refusal import TrajectoryError
from stiction.solver.runs.checkpoint import FILES
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.shapes import Box, Sphere
from stiction.solver.simulation import options_for, simulate

SCENE = Scene((Body("floor", Box((4.0, 4.0, 1.0)), motion=Motion.STATIC, position=(0, 0, -0.5)),
               Body("ball", Sphere(0.1), position=(0, 0, 0.3))))  # fmt: skip


def made(folder, scene=SCENE, resume=True, **more):
    options = options_for(scene, time=0.1, time_step=0.01, store_contacts=True, **more)
    return simulate(scene, options, folder, resume=resume)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return made(tmp_path_factory.mktemp("whole") / "run", resume=False)


def no_folder(run):
    shutil.rmtree(run)


def empty(run):
    for path in run.iterdir():
        path.unlink()


def no_header(run):
    for name in ("header.json", "recording.json"):
        (run / name).unlink()
    for path in run.iterdir():
        path.write_bytes(b"")
    (run / ".header.json.1234.part").write_bytes(b'{"form')


def no_checkpoint(run):
    for name in (*FILES, "frames.bin", "journal.bin"):
        (run / name).write_bytes(b"")


def torn_checkpoint(run):
    """Frames are there, and the first of all checkpoints was under way."""
    (run / FILES[0]).write_bytes(b"")
    (run / FILES[1]).write_bytes((run / FILES[1]).read_bytes()[:100])


@pytest.mark.parametrize("killed", [no_folder, empty, no_header, no_checkpoint, torn_checkpoint])
def test_a_run_that_had_not_begun_begins(whole, tmp_path, killed):
    made(tmp_path / "run", resume=False)
    killed(tmp_path / "run")
    run = made(tmp_path / "run")
    assert run.complete and np.array_equal(run.positions, whole.positions)
    assert any("held no run, so this one began at 0 s" in note for note in run.header["notes"])
    assert not any("held no run" in note for note in made(tmp_path / "run").header["notes"])


def test_what_is_not_its_own_is_kept(tmp_path):
    """Neither files of others nor frames whose checkpoints are damaged, nor a file, give way to a run that begins."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "thesis.txt").write_text("long")
    made(tmp_path / "run", resume=False)
    for name in FILES:
        (tmp_path / "run" / name).write_bytes((tmp_path / "run" / name).read_bytes()[:100])
    for folder, words in (("notes", "no header.json"), ("notes/thesis.txt", "no header.json"), ("run", "start")):
        with pytest.raises(TrajectoryError, match=words):
            made(tmp_path / folder)
    assert (tmp_path / "notes" / "thesis.txt").read_text() == "long"
    assert (tmp_path / "run" / "frames.bin").stat().st_size > 0


def test_another_scene_or_other_settings_are_refused(tmp_path):
    made(tmp_path / "run", resume=False)
    with pytest.raises(TrajectoryError, match="another scene or other settings"):
        made(tmp_path / "run", Scene(SCENE.bodies, gravity=(0.0, 0.0, -1.0)))
    with pytest.raises(TrajectoryError, match="another scene or other settings"):
        made(tmp_path / "run", accuracy=1e-3)
