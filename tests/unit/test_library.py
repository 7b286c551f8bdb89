"""One library of kernels: the bits of the store, without numba, and never one that does not fit."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from marks import few

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler")

KERNELS = '''
from typing import NamedTuple

import numpy as np

from .jit import kernel


class Pair(NamedTuple):
    x: float
    values: np.ndarray


@kernel
def made(n):
    return np.arange(n) * 0.1


@kernel
def same(a):
    return a


@kernel
def part(a):
    return a[1:, 1]


@kernel
def maybe(x):
    return None if x < 0.0 else x * 3.0


@kernel
def many(pair, small, flag, k):
    return Pair(pair.x + small[0] * small[1], pair.values * 2.0), not flag, k + 1, (k, pair.values.sum())


@kernel
def change(a, by):
    a[0] += by


@kernel
def careful(x, least=0.5):
    if x < least:
        raise ValueError("x is too small", 7)
    return x

'''
LOAD = """
import importlib, importlib.util, json, sys
import numpy as np
root, name = sys.argv[1:3]
spec = importlib.util.spec_from_file_location(name, root + "/__init__.py", submodule_search_locations=[root])
sys.modules[name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules[name])
things = importlib.import_module(name + ".solver.things")
ways = importlib.import_module(name + ".solver.kernels.ways")
"""
LINK = LOAD + """
from numba import types
from pathlib import Path
signatures = importlib.import_module(name + ".solver.kernels.signatures")
link = importlib.import_module(name + ".solver.kernels.library.link")
load = importlib.import_module(name + ".solver.kernels.load")
jit = importlib.import_module(name + ".solver.jit")
number, whole, flag = types.float64, types.int64, types.boolean
vector, matrix = types.Array(number, 1, "C"), types.Array(number, 2, "C")
pair = types.NamedTuple((number, vector), things.Pair)
forms = {"made": (whole,), "same": (matrix,), "part": (matrix,), "maybe": (number,), "change": (vector, number),
         "many": (pair, types.UniTuple(number, 2), flag, whole), "careful": (number, number)}
uses = {"made": ("demo",), "many": ("demo",)}
signatures.write([signatures.Entry(f"solver.things:{key}", form, 0.1, uses.get(key, ()))
                  for key, form in forms.items()])
link.link(jit.KEEPER, load.place_of_own(), "x86-64", *sys.argv[3:])
"""
USE = LOAD + """
def text(value):
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.tolist(), value.strides]
    if isinstance(value, tuple):
        return [type(value).__name__, [text(one) for one in value]]
    return [type(value).__name__, value]

def tried(function, *given, **named):
    try:
        return text(function(*given, **named))
    except Exception as error:
        return [type(error).__name__, [str(one) for one in error.args]]

values, matrix = np.array([0.1, 0.2, 0.7]), np.arange(6.0).reshape(3, 2)
pair = things.Pair(0.1, values)
things.change(values, np.float64(0.3))
found = [text(things.made(4)), text(things.made(np.int64(0))), things.same(matrix) is matrix,
         text(things.part(matrix)), np.shares_memory(things.part(matrix), matrix), text(things.maybe(0.1)),
         text(things.maybe(-1.0)), text(things.many(pair, (0.1, 0.7), True, 3)),
         text(values), tried(things.careful, 0.1), tried(things.careful, 0.7), tried(things.careful, x=0.7),
         tried(things.careful, least=0.1, x=0.2)]
more = [tried(things.same, values), tried(things.change, np.arange(3), 2), tried(things.made, True)]
frozen = np.arange(3.0)
frozen.flags.writeable = False
refused = tried(things.change, frozen, 1.0)[0]
print(json.dumps({"found": found, "more": more, "refused": refused, "frozen": frozen.tolist(),
                  "way": ways.way(), "described": ways.described(), "numba": "numba" in sys.modules}))
"""
# Makes numpy say that its ABI is another: the tables of all versions begin with the function that says it.
OTHER_NUMPY = """
import ctypes, importlib, sys
import numpy
places = [sys.modules[name] for name in ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath")
          if name in sys.modules or importlib.util.find_spec(name) and importlib.import_module(name)]
pointer, new = ctypes.pythonapi.PyCapsule_GetPointer, ctypes.pythonapi.PyCapsule_New
pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
table = (ctypes.c_void_p * 300)()
ctypes.memmove(table, pointer(places[0]._ARRAY_API, None), ctypes.sizeof(table))
abi = ctypes.CFUNCTYPE(ctypes.c_uint)(lambda: MAJOR << 24)
table[0] = ctypes.cast(abi, ctypes.c_void_p)
for place in places:
    place._ARRAY_API = new(ctypes.addressof(table), None, None)
"""


def call(code, package, *given, **environment):
    """Run code on a package in a process of its own."""
    command = sys.executable, "-c", code, str(package), "stiction", *given
    return subprocess.run(command, text=True, capture_output=True,
                          env={**os.environ, "STICTION_KERNELS": "", **environment})  # fmt: skip


def use(package, **environment):
    """What USE found."""
    done = call(USE, package, **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def linked(tmp_path_factory):
    """(package with kernels in a library, folder of the cache)."""
    folder = tmp_path_factory.mktemp("library")
    solver = folder / "package" / "solver"
    shutil.copytree(ROOT / "solver" / "kernels", solver / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "solver" / "jit.py", solver / "jit.py")
    for path in (folder / "package", solver):
        (path / "__init__.py").write_text("")
    (solver / "things.py").write_text(KERNELS)
    done = call(LINK, folder / "package", STICTION_KERNELS="store", STICTION_CACHE_DIR=str(folder / "cache"))
    assert done.returncode == 0, done.stderr
    return folder / "package", str(folder / "cache")


@pytest.mark.slow
def test_the_library_returns_what_the_store_does_without_numba(linked):
    package, cache = linked
    ours = use(package, STICTION_CACHE_DIR=cache, STICTION_NO_COMPILE="1")
    theirs = use(package, STICTION_CACHE_DIR=cache, STICTION_KERNELS="store")
    assert ours["way"] == "library" and not ours["numba"] and "one library for x86-64" in ours["described"]
    assert theirs["way"] == "store" and theirs["numba"]
    assert ours["found"] == theirs["found"]
    assert ours["found"][9] == ["ValueError", ["x is too small", "7"]]


def test_a_library_of_what_one_use_needs_serves_that_use_alone(linked, tmp_path):
    """What others need would be compiled without a word; who takes it by name gets the rest from the compiler."""
    package, cache = linked
    own = str(shutil.copytree(cache, tmp_path / "cache"))
    done = call(LINK, package, "demo", STICTION_KERNELS="store", STICTION_CACHE_DIR=own)
    assert done.returncode == 0, done.stderr
    others = use(package, STICTION_CACHE_DIR=own)
    assert others["way"] == "store" and "besides one library for x86-64 with what the demo" in others["described"]
    taken = call(LOAD + "ways.take_library_for('demo'); print(ways.way())", package, STICTION_CACHE_DIR=own)
    assert taken.stdout.split() == ["library"], taken.stderr
    found = use(package, STICTION_CACHE_DIR=own, STICTION_KERNELS="library")
    assert found["way"] == "library" and "x86-64 with what the demo needs" in found["described"]
    assert found["numba"] and found["found"] == use(package, STICTION_CACHE_DIR=cache)["found"]


@pytest.mark.parametrize("abi", (1, 2))
def test_a_library_runs_with_either_numpy_whichever_it_was_built_with(linked, abi):
    package, cache = linked
    there = {"STICTION_CACHE_DIR": cache, "STICTION_NO_COMPILE": "1"}
    done = call(OTHER_NUMPY.replace("MAJOR", str(abi)) + USE, package, STICTION_KERNELS="library", **there)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["found"] == use(package, **there)["found"]


def test_a_library_refuses_a_numpy_that_it_does_not_know(linked):
    package, cache = linked
    done = call(OTHER_NUMPY.replace("MAJOR", "3") + USE, package, STICTION_KERNELS="library", STICTION_CACHE_DIR=cache)
    assert "numpy's ABI is 3" in done.stderr.splitlines()[-1]


@pytest.mark.slow
def test_what_the_library_has_not_is_refused_or_compiled(linked):
    package, cache = linked
    refused = use(package, STICTION_CACHE_DIR=cache, STICTION_NO_COMPILE="1")
    assert [one[0] for one in refused["more"]] == ["MissingKernelError"] * 3
    assert "no kernel solver.things:same for (float64[1,C])" in refused["more"][0][1][0]
    compiled = use(package, STICTION_CACHE_DIR=cache)
    assert compiled["numba"] and compiled["found"] == refused["found"]
    assert compiled["more"] == use(package, STICTION_CACHE_DIR=cache, STICTION_KERNELS="store")["more"]


def test_what_may_not_be_written_is_not(linked):
    package, cache = linked
    found = use(package, STICTION_CACHE_DIR=cache)
    assert found["refused"] == "TypingError" and found["frozen"] == [0.0, 1.0, 2.0]


@pytest.fixture
def copied(linked, tmp_path):
    """(package, folder of a library that belongs to it), to be damaged."""
    package = shutil.copytree(linked[0], tmp_path / "package")
    shutil.copytree(next(Path(linked[1]).glob("library-*")), package / "solver" / "compiled" / "library")
    return package, package / "solver" / "compiled" / "library"


def test_a_library_that_was_shipped_is_found(copied, tmp_path):
    found = use(copied[0], STICTION_CACHE_DIR=str(tmp_path / "cache"), STICTION_NO_COMPILE="1")
    assert found["way"] == "library" and not list((tmp_path / "cache").glob("*.sqlite"))


def edit_sources(package, library):
    path = package / "solver" / "things.py"
    path.write_text(path.read_text().replace("* 3.0", "* 4.0"))


def edit_manifest(package, library):
    path = library / "kernels.json"
    path.write_text(path.read_text().replace('"abi":1', '"abi":0'))


def cut_manifest(package, library):
    path = library / "kernels.json"
    path.write_text(path.read_text()[:99])


def cut_code(package, library):
    path = next(library.glob("kernels.*[do]"))
    path.write_bytes(path.read_bytes()[:999])


def change_code(package, library):
    path = next(library.glob("kernels.*[do]"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


CUT = (cut_code, "is damaged, or does not")


@pytest.mark.parametrize(("harm", "why"), few([
    (edit_sources, "it was made of other sources"), (edit_manifest, "it was made of other sources"),
    (cut_manifest, "it is damaged"), CUT, (change_code, "is damaged, or does not"),
], CUT))  # fmt: skip
def test_a_library_that_does_not_fit_is_not_called(copied, linked, harm, why):
    package, library = copied
    harm(package, library)
    found = use(package, STICTION_CACHE_DIR=linked[1])
    assert found["way"] == "store" and why in found["described"]
    assert found["found"][5] == ["float", 0.4 if harm is edit_sources else 0.1 * 3.0]
    refused = call(USE, package, STICTION_CACHE_DIR=linked[1], STICTION_KERNELS="library")
    assert why in refused.stderr.splitlines()[-1] and "stiction compile --library" in refused.stderr.splitlines()[-1]
