"""Blender's own process runs no thread of the extension's; what other processes say is read from files."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from stiction.blender_addon.base.heard import HeardProcess
from stiction.solver.base.processes import command_of

ROOT = Path(__file__).resolve().parents[2]

# Each thing that a person does in a session; then what of the package Blender has loaded.
SESSION = """
import os, re, sys
sys.path.insert(0, "tests"); sys.path.insert(0, "tests/blender")
import conftest, bpy, stiction
stiction.register()
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
conftest.new_object("slab", kind="PASSIVE", scale=(10, 10, 1), location=(0, 0, -0.5))
conftest.new_object("cube", location=(0, 0, 0.6))
conftest.new_object("other", location=(0, 0, 1.7))
scene.frame_end, scene.stiction.cache = 5, sys.argv[1]
scene.stiction.simulation.store_contacts = True
from panel_layout import draw_all
for verb in ("check", "bake", "plots", "contact_mesh", "clear", "study_set_up"):
    try:
        assert getattr(bpy.ops.stiction, verb)() == {"FINISHED"}, verb
    except RuntimeError as error:
        # Not every scene is one for every verb; what the verb loads is loaded.
        print(verb, error)
    draw_all(bpy.context)
for key, module in sorted(sys.modules.items()):
    path = getattr(module, "__file__", None)
    if key.startswith("stiction") and path:
        text = open(path, encoding="utf-8").read()
        if re.search(r"^\\s*(import|from) (threading|_thread|concurrent|multiprocessing)\\b", text, re.M):
            print("THREADS", key)
import threading
print("RUNNING", threading.active_count(), len(sys._current_frames()), flush=True)
os._exit(0)
"""


@pytest.mark.slow
def test_blender_loads_nothing_with_threads_and_runs_none(tmp_path):
    child = subprocess.run([sys.executable, "-c", SESSION, str(tmp_path)], cwd=ROOT, capture_output=True, text=True)
    assert child.returncode == 0, child.stderr
    assert "THREADS" not in child.stdout, child.stdout
    assert child.stdout.splitlines()[-1] == "RUNNING 1 1"


def process(code):
    """A HeardProcess of some lines of Python."""
    return HeardProcess([sys.executable, "-c", code])


def wait(process):
    deadline = time.monotonic() + 20.0
    while process.alive and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not process.alive


def test_words_come_whole_and_once(tmp_path):
    work = process("import sys\nprint('one\\ntw', end='', flush=True)\nsys.stdin.readline()\nprint('o')")
    deadline = time.monotonic() + 20.0
    heard = []
    while not heard and time.monotonic() < deadline:
        heard += work.said.lines()
    assert heard == ["one"] and work.said.lines() == []
    work.order("go on")
    wait(work)
    assert work.said.lines() == ["two"]
    work.order("it takes none any more")
    work.close()


def test_words_that_nobody_reads_hold_nobody_up():
    work = process("import sys\nprint('x' * 10_000_000)\nsys.stderr.write('a\\rb\\n' * 100_000 + 'the last')")
    wait(work)
    assert work.errors.last_lines(2) == ["b", "the last"]
    work.close()


def test_no_file_is_left(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    work = process("input()")
    work.kill()
    work.close()
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="a file in use keeps its name there, until it is closed")
def test_no_file_is_left_by_a_blender_that_is_killed(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    work = process("input()")
    assert not list(tmp_path.iterdir())
    work.kill()
    work.close()


def test_a_helper_ends_with_its_starter_while_it_computes():
    command = command_of("solver.base.processes", "tests.unit.busy_helper", name="stiction")
    work = HeardProcess(command)
    deadline = time.monotonic() + 20.0
    while not work.said.lines() and time.monotonic() < deadline:
        time.sleep(0.01)
    work.process.stdin.close()
    assert work.process.wait(timeout=2.0) == 3
    work.close()
