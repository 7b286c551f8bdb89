"""The only place that configures numba.

Compiled kernels are cached on disk. Numba decides whether a cached kernel is stale by looking at the file
of that kernel alone, so an edited callee in another file would be missed, and a cache written under one
package name fails under another. The folder of each kernel is therefore named after the package, the
versions of numba and Python, and a hash of the kernel's source file together with every solver module it
imports, directly or through others.
"""

import ast
import functools
import hashlib
import os
import platform
import sys
import tempfile
from pathlib import Path

import numba

PACKAGE_ROOT = Path(__file__).resolve().parent
CACHE_VARIABLE = "STICTION_CACHE_DIR"
# False where kernels run as plain Python, to be looked into.
COMPILED = not numba.config.DISABLE_JIT


def cache_root():
    """Return a writable folder for compiled kernels.

    The variable STICTION_CACHE_DIR wins (Blender hands over the extension's own user folder); else the
    user's cache folder; else, where neither can be written, a folder in the system's temporary directory.
    """
    candidates = []
    if os.environ.get(CACHE_VARIABLE):
        candidates.append(Path(os.environ[CACHE_VARIABLE]))
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if base:
        candidates.append(Path(base) / "stiction")
    candidates.append(Path(tempfile.gettempdir()) / "stiction")
    for folder in candidates:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    raise OSError("no folder for compiled kernels can be written; set " + CACHE_VARIABLE)


def _imported_files(path):
    """Files of this package that the module at `path` imports by relative import."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or node.level == 0:
            continue
        folder = path.parent
        for _ in range(node.level - 1):
            folder = folder.parent
        base = folder.joinpath(*(node.module.split(".") if node.module else ()))
        names = [base.with_suffix(".py"), base / "__init__.py"]
        names += [base / (alias.name + ".py") for alias in node.names]
        found += [name for name in names if name.is_file() and PACKAGE_ROOT in name.parents]
    return found


@functools.cache
def source_hash(path):
    """Hash of a module's source and of all solver modules it depends on."""
    seen, todo = set(), [Path(path).resolve()]
    while todo:
        current = todo.pop()
        if current not in seen:
            seen.add(current)
            todo += _imported_files(current)
    digest = hashlib.sha256()
    for current in sorted(seen):
        digest.update(current.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder(function):
    """Folder for the compiled code of `function`."""
    package = __name__.rsplit(".", 1)[0]
    version = f"numba{numba.__version__}-py{platform.python_version()}"
    return cache_root() / "kernels" / f"{package}-{version}" / source_hash(function.__code__.co_filename)


def kernel(function):
    """Compile `function` to machine code that runs without the interpreter lock and is cached on disk."""
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder(function))
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = previous


def is_compiled(function):
    """Whether a run before this one left compiled code of a kernel, or there is none to be left."""
    if not COMPILED:
        return True
    plain = function.py_func
    return any(cache_folder(plain).rglob(f"*.{plain.__name__}-*.nbi"))


def inner(function):
    """Compile `function` for calls from kernels only: no entry from Python and no cache file of its own.

    Its code is part of every kernel that uses it, and of that kernel's cache file; without the entry from Python
    it compiles in two thirds of the time.
    """
    return numba.njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
