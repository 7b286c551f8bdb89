"""Compiling in the background begins with the first Active body of a session with a window."""

import sys
import types
from pathlib import Path

import bpy
import pytest

from stiction.blender_addon.running import job as jobs
from stiction.blender_addon.running import kernels_ahead
from stiction.blender_addon.settings import selection
from stiction.solver.kernels import signatures

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from kernel_signatures import recorded

# Compiled beside the run, which goes without it until it is there (tests/unit/test_compile_ahead.py).
BESIDE = "solver.stepping.quiet."


class Process:
    """A compiler that only remembers how it was started and ended."""

    def __init__(self, command, **arguments):
        self.command, self.stdin, self.ended = command, types.SimpleNamespace(close=lambda: None), False

    def kill(self):
        self.ended = True

    def wait(self):
        assert self.ended


@pytest.fixture
def window(monkeypatch):
    """A session with a window; yields the processes started."""
    made = []
    window = types.SimpleNamespace(app=types.SimpleNamespace(background=False))
    monkeypatch.setattr(kernels_ahead, "bpy", window)
    monkeypatch.setattr(kernels_ahead.subprocess, "Popen", lambda *a, **k: made.append(Process(*a, **k)) or made[-1])
    yield made
    kernels_ahead.end()


def make(kind):
    body = types.SimpleNamespace(type="MESH", library=None, stiction=types.SimpleNamespace(type="NONE"))
    assert selection.set_type(types.SimpleNamespace(report=lambda *_: None), [body], kind) == {"FINISHED"}


def test_the_first_active_body_begins_it_and_the_second_does_not(window):
    make("PASSIVE")
    assert not window
    make("ACTIVE")
    make("ACTIVE")
    (process,) = window
    assert process.command[-2:] == ["solver.commands.compile_all", "quietly"]
    kernels_ahead.end()
    assert process.ended


def test_nothing_is_started_without_a_window(monkeypatch):
    monkeypatch.setattr(kernels_ahead.subprocess, "Popen", lambda *_, **__: pytest.fail("started"))
    make("ACTIVE")


def test_a_first_bake_waits_for_a_small_part_of_what_there_is_to_compile(drop, tmp_path, monkeypatch):
    """Frames come before all kernels are compiled: a cube that falls onto a slab asks for a seventh of the work."""
    monkeypatch.setenv("STICTION_KERNELS", "store")
    monkeypatch.setenv("STICTION_RECORD", str(tmp_path / "record"))
    jobs.stop_all()
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    jobs.stop_all()
    cost = {(one.kernel, one.arguments): one.seconds for one in signatures.read()}
    asked = {key for key in recorded(tmp_path / "record") if not key[0].startswith(BESIDE)}
    assert len(asked) > 10 and asked <= set(cost)
    assert sum(cost[key] for key in asked) < 0.25 * sum(cost.values())
