"""Compiled kernels on disk: right after an edit in another file, found from other places, shared by processes."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stiction.solver.kernels.compiler import on_disk, separate
from stiction.solver.kernels.file_lock import FileLock
from stiction.solver.kernels.store import Store

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


def written(folder):
    """A package in a folder, with the project's own jit.py and two kernels in two files."""
    solver = folder / "package" / "solver"
    shutil.copytree(ROOT / "solver" / "kernels", solver / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "package" / "__init__.py").write_text("")
    (solver / "__init__.py").write_text("")
    shutil.copy(ROOT / "solver" / "jit.py", solver / "jit.py")
    (solver / "callee.py").write_text(CALLEE)
    (solver / "caller.py").write_text(CALLER)
    return folder / "package"


@pytest.fixture
def package(tmp_path):
    """A package that nothing was compiled of."""
    return written(tmp_path)


@pytest.fixture(scope="module")
def first_cache(tmp_path_factory):
    """What the first process of such a package leaves; where a package lies is not part of it."""
    folder = tmp_path_factory.mktemp("first")
    assert run(written(folder), "stiction", folder / "cache") == 21.0
    return folder / "cache"


@pytest.fixture
def cache(first_cache, tmp_path):
    """A copy of that, a test's own."""
    return shutil.copytree(first_cache, tmp_path / "cache")


def start(package, name, cache, **environment):
    environment = {**os.environ, "STICTION_KERNELS": "", "STICTION_CACHE_DIR": str(cache), **environment}
    return subprocess.Popen([sys.executable, "-c", RUN, str(package), name], env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip


def run(package, name, cache, **environment):
    process = start(package, name, cache, **environment)
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    return float(output)


def entries(folder):
    """Entries of the stores in a folder, with the times they were made; a store just begun has no table yet."""
    found = {}
    for path in folder.glob("*.sqlite"):
        with contextlib.closing(sqlite3.connect(path, timeout=10.0)) as database:
            if database.execute("select 1 from sqlite_master where name = 'entry'").fetchall():
                found |= dict(database.execute("select name, made from entry").fetchall())
    return found


@pytest.mark.slow
def test_nothing_is_compiled_again_under_another_name_in_another_place(package, cache, tmp_path):
    moved = package.rename(tmp_path / "moved")
    os.utime(moved / "solver" / "callee.py", (0, 0))
    assert run(moved, "bl_ext_stiction", cache, STICTION_NO_COMPILE="1") == 21.0


def ship(package, cache):
    """Put what lies in a cache into the package; the cache is empty then."""
    cache.rename(package / "solver" / "compiled")


def test_compiled_kernels_can_be_shipped(package, cache):
    ship(package, cache)
    assert run(package, "stiction", cache, STICTION_NO_COMPILE="1") == 21.0
    assert entries(cache) == {}


def test_a_new_caller_of_what_was_shipped(package, cache):
    ship(package, cache)
    edit(package / "solver" / "caller.py", "+ pair.y", "- pair.y")
    assert run(package, "stiction", cache) == 19.0
    assert 0 < len(entries(cache)) < len(entries(package / "solver" / "compiled"))


# Three GiB of addresses (0x4000: without a claim on memory) go before each piece of machine code is loaded: more than a
# call of the processor spans.
FAR_APART = """
import mmap
from stiction.solver.kernels.compiler import separate

taken, plain = [], separate.emit


def emit(library):
    taken.append(mmap.mmap(-1, 3 << 30, prot=mmap.PROT_READ, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000))
    plain(library)


separate.emit = emit
from stiction.solver.cli import main

main(["simulate", "stack10", "--time", "0.01"])
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux hands out addresses without memory")
def test_machine_code_may_lie_anywhere_in_memory():
    done = subprocess.run([sys.executable, "-c", FAR_APART], env={**os.environ, "STICTION_KERNELS": "store"}, text=True,
                          capture_output=True)  # fmt: skip
    assert done.returncode == 0, done.stderr


def edit(path, old, new):
    path.write_text(path.read_text().replace(old, new))


def test_edited_callee(package, cache):
    callee = package / "solver" / "callee.py"
    callee.write_text(callee.read_text().replace("10.0", "100.0"))
    assert run(package, "stiction", cache) == 201.0


@pytest.mark.slow
def test_an_edit_while_a_process_runs_is_not_mistaken_for_what_it_compiles(package, tmp_path):
    """The process compiles what it imported; what the file says by then is compiled by the next one."""
    callee = package / "solver" / "callee.py"
    edit = f"p = __import__('pathlib').Path({str(callee)!r}); p.write_text(p.read_text().replace('10.0', '100.0'))\n"
    code = RUN.replace("print(", edit + "print(")
    environment = {**os.environ, "STICTION_KERNELS": "", "STICTION_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, "-c", code, str(package), "stiction"], env=environment, text=True,
                          capture_output=True)  # fmt: skip
    assert float(done.stdout) == 21.0
    assert run(package, "stiction", tmp_path / "cache") == 201.0


def test_a_new_caller_of_what_was_compiled_before(package, cache):
    before = entries(cache)
    edit(package / "solver" / "caller.py", "+ pair.y", "- pair.y")
    assert run(package, "stiction", cache) == 19.0
    # The callee was not compiled again: the caller adds what it added when it was first compiled, its mark included.
    added = entries(cache).keys() - before.keys()
    assert len(added) == 4 and before.items() <= entries(cache).items()


@pytest.mark.parametrize("damage", [
    lambda old: old[:-1] + b"x", pytest.param(lambda old: old[:7], marks=pytest.mark.slow),
    pytest.param(lambda old: b"", marks=pytest.mark.slow),
])  # fmt: skip
def test_a_damaged_entry_is_compiled_again(package, cache, damage):
    path = next(cache.glob("*.sqlite"))
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        for name, content in database.execute("select name, content from entry").fetchall():
            database.execute("update entry set content = ? where name = ?", (damage(content), name))
    assert run(package, "stiction", cache) == 21.0
    assert run(package, "stiction", cache, STICTION_NO_COMPILE="1") == 21.0


@pytest.mark.slow
def test_one_damaged_piece_is_compiled_again(package, cache):
    """Whichever it is: machine code, the entry from Python, the description."""
    path = next(cache.glob("*.sqlite"))
    for name in entries(cache):
        with contextlib.closing(sqlite3.connect(path)) as database, database:
            database.execute("update entry set content = x'00' where name = ?", (name,))
        assert run(package, "stiction", cache) == 21.0


def test_constants_of_an_entry_read_after_another_form_of_its_kernel_are_known():
    """Machine code takes constants by their number, from one list for all forms: one that ends too soon is a crash."""
    first = on_disk._environment("here", ["a", "b"], "known by two forms")
    on_disk._environment("here", ["a", "b", "c", "d"], "known by two forms")
    assert first.consts == ["a", "b", "c", "d"]
    on_disk._environment("here", ["a", "b"], "known by two forms")
    assert first.consts == ["a", "b", "c", "d"]


def test_what_names_a_type_that_has_moved_counts_as_missing():
    with pytest.raises(separate.MissingError, match="solver.jit.TypeThatMoved"):
        on_disk._Unpickler(b"cstiction.solver.jit\nTypeThatMoved\n.", "stiction").load()


@pytest.mark.parametrize("content", [b"no database at all", pytest.param(b"", marks=pytest.mark.slow)])
def test_a_damaged_store_is_begun_again(package, cache, content):
    next(cache.glob("*.sqlite")).write_bytes(content)
    assert run(package, "stiction", cache) == 21.0
    assert run(package, "stiction", cache, STICTION_NO_COMPILE="1") == 21.0


def test_an_edit_of_what_keeps_kernels_compiles_nothing(package, cache):
    for name in ("jit.py", "kernels/store.py", "kernels/keeper.py", "kernels/compiler/separate.py"):
        path = package / "solver" / name
        path.write_text(path.read_text() + "# edited\n")
    assert run(package, "stiction", cache, STICTION_NO_COMPILE="1") == 21.0


def test_an_edit_of_how_kernels_are_compiled_compiles_them_again(package, cache):
    edit(package / "solver" / "kernels" / "compiler" / "separate.py", "LIMIT = 100", "LIMIT = 200")
    _, errors = start(package, "stiction", cache, STICTION_NO_COMPILE="1").communicate()
    assert "NotCompiledError" in errors


def test_numbas_own_way_gives_the_same_bits(package, tmp_path):
    """Where its version is not known, numba compiles as it does by itself, into a folder of these sources."""
    assert run(package, "stiction", tmp_path / "cache", STICTION_KERNELS="numba") == 21.0
    assert entries(tmp_path / "cache") == {} and list((tmp_path / "cache").rglob("*.nbc"))
    edit(package / "solver" / "callee.py", "10.0", "100.0")
    assert run(package, "stiction", tmp_path / "cache", STICTION_KERNELS="numba") == 201.0


def test_another_version_of_numba_is_said_once_and_compiles_its_own_way(package, tmp_path):
    edit(package / "solver" / "kernels" / "compiler" / "__init__.py", 'KNOWN = "0.68."', 'KNOWN = "0.1."')
    output, errors = start(package, "stiction", tmp_path / "cache").communicate()
    assert float(output) == 21.0 and errors.count("compiles kernels its own way") == 1


def test_a_way_that_does_not_exist_is_refused(package, tmp_path):
    _, errors = start(package, "stiction", tmp_path / "cache", STICTION_KERNELS="magic").communicate()
    assert "STICTION_KERNELS is 'magic'; it is one of library, store, numba" in errors.splitlines()[-1]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders that cannot be written are made otherwise there")
def test_a_store_that_cannot_be_written_is_said_once_and_computes(package, cache):
    path = next(cache.glob("*.sqlite"))
    path.unlink()
    path.mkdir()
    output, errors = start(package, "stiction", cache).communicate()
    assert float(output) == 21.0
    assert errors.count("compiled kernels cannot be kept in") == 1 and str(path) in errors


def test_a_missing_kernel_is_named_where_compiling_is_forbidden(package, tmp_path):
    _, errors = start(package, "stiction", tmp_path / "cache", STICTION_NO_COMPILE="1").communicate()
    assert "NotCompiledError: caller.call(Pair(float64 x 2),) is not compiled" in errors.splitlines()[-1]


def test_another_processor_has_entries_of_its_own(package, cache):
    before = entries(cache)
    assert run(package, "stiction", cache, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="") == 21.0
    after = entries(cache)
    assert len(after) == 2 * len(before) and before.items() <= after.items()


def test_kernels_are_kept_in_the_given_folder(package, tmp_path):
    run(package, "stiction", tmp_path / "cache")
    assert entries(tmp_path / "cache")
    assert not list(package.rglob("*.nbc")) and not list(package.rglob("*.sqlite"))


def test_processes_that_start_together_compile_each_kernel_once(package, tmp_path):
    """An entry is written by one process alone; the other one's would replace it."""
    both = [start(package, "stiction", tmp_path / "cache") for _ in range(2)]
    written = {}
    while any(process.poll() is None for process in both):
        for name, when in entries(tmp_path / "cache").items():
            assert written.setdefault(name, when) == when
        time.sleep(0.01)
    assert [float(process.communicate()[0]) for process in both] == [21.0, 21.0]
    assert entries(tmp_path / "cache").items() >= written.items()
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".sqlite"]


def test_who_waits_for_a_process_that_is_killed_takes_its_place(tmp_path):
    code = (f"import sys; sys.path.insert(0, {str(ROOT / 'tests')!r}); import conftest; from pathlib import Path; "
            f"from stiction.solver.kernels.store import Store; store = Store(Path({str(tmp_path / 'a.sqlite')!r})); "
            "print(store.read_or_claim('kernel'), flush=True); sys.stdin.read()")  # fmt: skip
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "None\n"
    store = Store(tmp_path / "a.sqlite")
    assert store.is_claimed("kernel")
    process.kill()
    process.wait()
    assert not store.is_claimed("kernel")
    assert store.read_or_claim("kernel") is None
    store.write("kernel", b"code")
    assert store.read_or_claim("kernel") == b"code"


def test_a_store_that_has_grown_too_large_loses_what_was_made_first(tmp_path, monkeypatch):
    store = Store(tmp_path / "a.sqlite")
    for number in range(10):
        store.write(f"kernel{number}", bytes(1000))
    store.trim()
    assert len(store.names()) == 10
    monkeypatch.setattr("stiction.solver.kernels.store.LARGEST", 1000)
    store.trim()
    assert store.names() and "kernel0" not in store.names() and "kernel9" in store.names()


def test_what_killed_processes_leave_beside_the_store_goes(tmp_path):
    """An empty file each, in the user's cache folder for ever."""
    store = Store(tmp_path / "a.sqlite")
    assert store.read_or_claim("kernel") is None
    own = list(tmp_path.glob("*.alive"))
    (tmp_path / "a.sqlite.99-killed.alive").touch()
    store.trim()
    assert len(own) == 1 and list(tmp_path.glob("*.alive")) == own


def test_a_lock_ends_with_the_process_that_holds_it(tmp_path):
    code = (f"import sys; sys.path.insert(0, {str(ROOT / 'solver' / 'kernels')!r}); from pathlib import Path; "
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
    """Callees from numba.np would import it, and with it scipy.linalg: a third of a warm start. So would the search for
    connected pieces of a deformable body."""
    code = ("import sys; sys.path.insert(0, 'tests'); import conftest; from stiction.solver.scenes import SCENES; "
            "from stiction.solver.simulation import options_for, simulate; "
            "scenes = [SCENES[name].build() for name in ('stack10', 'soft_drop')]; "
            "[simulate(scene, options_for(scene, time=0.02)) for scene in scenes]; "
            "print('scipy.linalg' in sys.modules)")  # fmt: skip

    def loads_it():
        return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    # Compiling loads it too: the first run may have to.
    assert loads_it() == "False\n" or loads_it() == "False\n"
