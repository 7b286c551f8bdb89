"""Compiling the searches for contacts in processes of their own."""

import subprocess

import pytest

from stiction.solver import compile_ahead, jit
from stiction.solver.collision.narrow_kernels import narrow_chunk
from stiction.solver.model import compile_scene
from stiction.solver.other_process import command_of
from stiction.solver.scenes import SCENES

MESHES, BOXES = "hanging_chain", "stack10"


@pytest.fixture
def started(monkeypatch):
    """The kinds that would be started, on a machine of many cores."""
    kinds = []

    class Process:
        def wait(self):
            kinds.append("waited")

    monkeypatch.setattr(compile_ahead, "_started", lambda kind: kinds.append(kind) or Process())
    monkeypatch.setattr(compile_ahead.os, "cpu_count", lambda: 8)
    return kinds


def model(name):
    return compile_scene(SCENES[name].build())[0]


def test_what_was_compiled_before_is_not_compiled_again(started, monkeypatch):
    monkeypatch.setattr(compile_ahead, "is_compiled", lambda kernel: True)
    compile_ahead._searches_aside(model(MESHES))()
    assert started == []


def test_each_search_that_a_scene_needs_is_compiled_once(started, monkeypatch):
    monkeypatch.setattr(compile_ahead, "is_compiled", lambda kernel: False)
    compile_ahead._searches_aside(model(BOXES))()
    assert started == ["convex", "waited"]
    started.clear()
    compile_ahead._searches_aside(model(MESHES))()
    assert started == ["convex", "mesh", "waited", "waited"]


def test_one_core_compiles_by_itself(started, monkeypatch):
    monkeypatch.setattr(compile_ahead, "is_compiled", lambda kernel: False)
    monkeypatch.setattr(compile_ahead.os, "cpu_count", lambda: 1)
    compile_ahead._searches_aside(model(MESHES))()
    assert started == []


def test_a_kernel_counts_as_compiled_once_its_code_lies_in_the_cache(tmp_path, monkeypatch):
    folder = jit.cache_folder(narrow_chunk.py_func)
    monkeypatch.setattr(jit, "cache_folder", lambda function: tmp_path)
    assert not jit.is_compiled(narrow_chunk)
    (tmp_path / folder.name).mkdir()
    (tmp_path / folder.name / "narrow_kernels.narrow_chunk-189.py311.nbi").touch()
    assert jit.is_compiled(narrow_chunk)


@pytest.mark.parametrize("kind", ["convex", "mesh"])
def test_the_other_process_runs(kind):
    """It finds the code compiled here, and this process what it compiles: no file of the cache is added."""
    find_contacts_of(kind)
    before = code_files()
    done = subprocess.run(command_of("solver.compile_ahead", kind), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert code_files() == before


def find_contacts_of(kind):
    assert compile_ahead.main(kind) == 0


def code_files():
    return sorted(jit.cache_root().rglob("*_chunk-*.nb?"))
