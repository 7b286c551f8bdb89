"""Compiled kernels on disk: right after an edit in another file, found from other places, shared by processes."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from stiction.solver.caching import shipped
from stiction.solver.caching.compiled_code import without_form, write_code
from stiction.solver.caching.file_lock import FileLock
from stiction.solver.dynamics.carry_kernels import reaches
from stiction.solver.jit import OfKnownTypes

ROOT = Path(__file__).resolve().parents[2]
LOAD = """
import importlib, importlib.util, sys
root, name = sys.argv[1], sys.argv[2]
spec = importlib.util.spec_from_file_location(name, root + "/__init__.py", submodule_search_locations=[root])
module = importlib.util.module_from_spec(spec)
sys.modules[name] = module
spec.loader.exec_module(module)
"""
RUN = LOAD + """
caller = importlib.import_module(name + ".solver.caller")
print(caller.call(caller.Pair(2.0, 1.0)))
"""
CACHE_MODULES = ("__init__", "kernel_cache", "compiled_code", "complete", "file_lock", "shipped")
CACHE_FILES = ("jit.py", *(f"caching/{name}.py" for name in CACHE_MODULES))
CALLEE = "from .jit import kernel\n\n\n@kernel\ndef scaled(x):\n    return 10.0 * x\n"
CALLER = """from typing import NamedTuple

from .callee import scaled
from .jit import kernel


class Pair(NamedTuple):
    x: float
    y: float


@kernel
def call(pair):
    return scaled(pair.x) + pair.y
"""


@pytest.fixture
def package(tmp_path):
    """A package with the project's own jit.py and two kernels in two files."""
    solver = tmp_path / "package" / "solver"
    (solver / "caching").mkdir(parents=True)
    (tmp_path / "package" / "__init__.py").write_text("")
    (solver / "__init__.py").write_text("")
    for name in CACHE_FILES:
        shutil.copy(ROOT / "solver" / name, solver / name)
    (solver / "callee.py").write_text(CALLEE)
    (solver / "caller.py").write_text(CALLER)
    return tmp_path / "package"


def start(package, name, cache, **environment):
    environment = dict(os.environ, STICTION_CACHE_DIR=str(cache), **environment)
    return subprocess.Popen([sys.executable, "-c", RUN, str(package), name], env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip


def run(package, name, cache, **environment):
    process = start(package, name, cache, **environment)
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    return float(output)


def compiled(folder):
    """Compiled files below a folder, with the times they were written."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")}


def test_nothing_is_compiled_again_under_another_name_in_another_place(package, tmp_path):
    assert run(package, "stiction", tmp_path / "cache") == 21.0
    moved = package.rename(tmp_path / "moved")
    os.utime(moved / "solver" / "callee.py", (0, 0))
    assert run(moved, "bl_ext_stiction", tmp_path / "cache", STICTION_NO_COMPILE="1") == 21.0


def ship(package, cache):
    """Put what lies in a cache into the package's own file of kernels; the cache is empty then."""
    line = "importlib.import_module(name + '.solver.caching.complete').ship_folder(*sys.argv[3:])"
    folders = (str(cache / "kernels"), str(package / "solver" / "compiled"))
    subprocess.run([sys.executable, "-c", LOAD + line, str(package), "stiction", *folders], check=True)
    shutil.rmtree(cache)


def test_compiled_kernels_can_be_shipped(package, tmp_path):
    run(package, "stiction", tmp_path / "cache")
    ship(package, tmp_path / "cache")
    assert run(package, "stiction", tmp_path / "cache", STICTION_NO_COMPILE="1") == 21.0


def test_a_new_caller_of_what_was_shipped(package, tmp_path):
    """Shipped kernels cannot be compiled into others, also where one is in use: they are compiled anew, once."""
    run(package, "stiction", tmp_path / "cache")
    ship(package, tmp_path / "cache")
    caller = package / "solver" / "caller.py"
    caller.write_text(caller.read_text().replace("+ pair.y", "- pair.y"))
    use = "callee = importlib.import_module(name + '.solver.callee'); callee.scaled(1.0); "
    code = RUN.replace("print(", use + "print(").replace("))\n", "), callee.scaled(3.0))\n")
    environment = dict(os.environ, STICTION_CACHE_DIR=str(tmp_path / "cache"))
    done = subprocess.run([sys.executable, "-c", code, str(package), "stiction"], env=environment, text=True,
                          capture_output=True)  # fmt: skip
    assert done.stdout == "19.0 30.0\n", done.stderr
    assert len(compiled(tmp_path / "cache")) == 2


def test_a_damaged_file_of_shipped_kernels_is_as_none(tmp_path):
    write_code(tmp_path / "folder" / "a.nbc", payload := ("names", (("name", "object", (b"code", b"form")), "rest")))
    shipped.pack(tmp_path, file := tmp_path / "all.kernels")
    assert shipped.Shipped(file).read("folder/a.nbc") == without_form(payload) != payload
    content = file.read_bytes()
    for damaged in (content[:-1] + b"x", content[:-1], content[:20], content[:5], b""):
        file.write_bytes(damaged)
        assert shipped.Shipped(file).read("folder/a.nbc") is None


def test_edited_callee(package, tmp_path):
    assert run(package, "stiction", tmp_path / "cache") == 21.0
    callee = package / "solver" / "callee.py"
    callee.write_text(callee.read_text().replace("10.0", "100.0"))
    assert run(package, "stiction", tmp_path / "cache") == 201.0


def test_an_edit_while_a_process_runs_is_not_mistaken_for_what_it_compiles(package, tmp_path):
    """The process compiles what it imported; what the file says by then is compiled by the next one."""
    callee = package / "solver" / "callee.py"
    edit = f"p = __import__('pathlib').Path({str(callee)!r}); p.write_text(p.read_text().replace('10.0', '100.0'))\n"
    code = RUN.replace("print(", edit + "print(")
    environment = dict(os.environ, STICTION_CACHE_DIR=str(tmp_path / "cache"))
    done = subprocess.run([sys.executable, "-c", code, str(package), "stiction"], env=environment, text=True,
                          capture_output=True)  # fmt: skip
    assert float(done.stdout) == 21.0
    assert run(package, "stiction", tmp_path / "cache") == 201.0


def test_a_new_caller_of_what_was_compiled_before(package, tmp_path):
    assert run(package, "stiction", tmp_path / "cache") == 21.0
    caller = package / "solver" / "caller.py"
    caller.write_text(caller.read_text().replace("+ pair.y", "- pair.y"))
    assert run(package, "stiction", tmp_path / "cache") == 19.0
    # The callee was not compiled again.
    assert len(list((tmp_path / "cache").rglob("callee.*.nbc"))) == 1


def test_a_damaged_file_is_compiled_again(package, tmp_path):
    run(package, "stiction", tmp_path / "cache")
    for path in (tmp_path / "cache").rglob("*.nbc"):
        path.write_bytes(path.read_bytes()[:-1] + b"x")
    assert run(package, "stiction", tmp_path / "cache") == 21.0


def test_an_edit_of_what_keeps_kernels_compiles_nothing(package, tmp_path):
    run(package, "stiction", tmp_path / "cache")
    for name in ("jit.py", "caching/kernel_cache.py"):
        path = package / "solver" / name
        path.write_text(path.read_text() + "# edited\n")
    assert run(package, "stiction", tmp_path / "cache", STICTION_NO_COMPILE="1") == 21.0


def test_a_missing_kernel_is_named_where_compiling_is_forbidden(package, tmp_path):
    _, errors = start(package, "stiction", tmp_path / "cache", STICTION_NO_COMPILE="1").communicate()
    assert "NotCompiledError: caller.call-12" in errors.splitlines()[-1]


def test_another_processor_has_files_of_its_own(package, tmp_path):
    run(package, "stiction", tmp_path / "cache")
    before = compiled(tmp_path / "cache")
    assert run(package, "stiction", tmp_path / "cache", NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="") == 21.0
    after = compiled(tmp_path / "cache")
    assert len(after) == 2 * len(before) and before.items() <= after.items()


def test_kernels_are_cached_in_the_given_folder(package, tmp_path):
    run(package, "stiction", tmp_path / "cache")
    assert list((tmp_path / "cache").rglob("*.nbc"))
    assert not list(package.rglob("*.nbc"))


def test_processes_that_start_together_compile_each_kernel_once(package, tmp_path):
    """The file of a kernel is written by one process alone; the other one's would replace it."""
    both = [start(package, "stiction", tmp_path / "cache") for _ in range(2)]
    written = {}
    while any(process.poll() is None for process in both):
        for path, when in compiled(tmp_path / "cache").items():
            assert written.setdefault(path, when) == when
        time.sleep(0.01)
    assert [float(process.communicate()[0]) for process in both] == [21.0, 21.0]
    assert len(written) == 2
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.suffix in (".lock", ".tmp")]


def test_a_lock_ends_with_the_process_that_holds_it(tmp_path):
    code = (f"import sys; sys.path.insert(0, {str(ROOT / 'solver' / 'caching')!r}); from pathlib import Path; "
            f"from file_lock import FileLock; lock = FileLock(Path({str(tmp_path / 'a.lock')!r})); "
            "print(lock.take(), flush=True); sys.stdin.read()")  # fmt: skip
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "True\n"
    lock = FileLock(tmp_path / "a.lock")
    assert not lock.take()
    process.kill()
    process.wait()
    assert lock.take()
    lock.release()
    assert not (tmp_path / "a.lock").exists()


def test_a_warm_start_leaves_scipy_alone():
    """Callees from numba.np would import it, and with it scipy.linalg: a third of a warm start."""
    code = ("import sys; sys.path.insert(0, 'tests'); import conftest; from stiction.solver.scenes import SCENES; "
            "from stiction.solver.simulation import options_for, simulate; scene = SCENES['stack10'].build(); "
            "simulate(scene, options_for(scene, time=0.02)); print('scipy.linalg' in sys.modules)")  # fmt: skip

    def loads_it():
        return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    # Compiling loads it too: the first run may have to.
    assert loads_it() == "False\n" or loads_it() == "False\n"


def test_a_kernel_of_known_types_asks_again_when_told():
    called, size, known = OfKnownTypes(reaches), np.ones(2), []
    for same, twist in ((False, 1.0), (True, 2.0), (True, 3.0), (False, 4.0), (True, 5.0)):
        given = np.full((2, 6), twist), size, 0.5
        assert called(same, *given).tolist() == reaches(*given).tolist()
        known.append(called._entry is not None)
    assert known == [False, True, True, False, True]
