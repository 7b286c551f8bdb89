"""Compiling in the background begins with the first Active body of a session with a window."""

import types

import pytest

from stiction.blender_addon.running import kernels_ahead
from stiction.blender_addon.settings import selection


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
