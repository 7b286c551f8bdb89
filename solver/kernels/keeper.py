"""The Keeper of this process: separate compilation installed, and the file on disk that belongs to these versions."""

import ast
import atexit
import hashlib
import os
import pickle
import sys
from pathlib import Path

import llvmlite
import numba

from . import compiler
from .folder import cache_root
from .sources import PACKAGE_ROOT
from .store import Store

# Where set, a folder in which every process leaves the signatures of the kernels that it calls.
RECORD_VARIABLE = "STICTION_RECORD"


def version():
    """Text of all that the form of compiled code depends on; patch releases of Python do not change its interface."""
    digest = hashlib.sha256()
    for path in sorted(Path(compiler.__file__).parent.glob("*.py")):
        digest.update(_code(path.read_text(encoding="utf-8")).encode())
    return (f"numba{numba.__version__}-llvmlite{llvmlite.__version__}-py{sys.version_info.major}."
            f"{sys.version_info.minor}-{digest.hexdigest()[:8]}")  # fmt: skip


def _code(source):
    """What a source does, as text: other comments, docstrings and line breaks leave it as it is."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            del node.body[0]
    return ast.dump(tree)


def make_keeper(options):
    """A Keeper in the user's folder. options: text of all that code is compiled with."""
    from .compiler.pieces import Keeper

    compiler.install()
    name = f"kernels-{version()}.sqlite"
    store = Store(cache_root() / name, shipped=PACKAGE_ROOT / "compiled" / name)
    keeper = Keeper(store, options)
    atexit.register(store.close)
    if os.environ.get(RECORD_VARIABLE):
        folder = Path(os.environ[RECORD_VARIABLE])
        folder.mkdir(parents=True, exist_ok=True)
        keeper.asked = _Recorded(folder / f"{os.getpid()}.pickle")
    return keeper


class _Recorded(dict):
    """What numba asked for, written at once: processes of Blender are ended without a word."""

    def __init__(self, path):
        super().__init__()
        self._path = path

    def setdefault(self, key, seconds):
        """Add what is new."""
        if key not in self:
            self[key] = seconds
            with open(self._path, "ab") as file:
                pickle.dump((key, seconds), file)
