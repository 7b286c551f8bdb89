"""Compiled kernels on disk, found by what their sources say.

Numba finds the compiled code of a function by the place and the time of its file, and does not see an edited callee in
another file. Here the folder of a kernel is named after the hash of its source together with every module of this
package that it imports, directly or through others: all checkouts of one user share one cache, a moved folder or
another package name compiles nothing again, and compiled kernels can be shipped. There is one file for each kernel,
signature and processor and no index, so that processes that write at the same time do not disturb each other; who
misses a kernel that another process is compiling waits for it. Those that come with the package are in one file
(`shipped.py`), without the LLVM form that compiling a caller takes: for a caller they are compiled anew.
"""

import contextlib
import fnmatch
import functools
import hashlib
import os
import re
import sys
import tempfile
import time
from pathlib import Path

import llvmlite
import numba
from numba.core import caching

from .compiled_code import exported, has_form, read_code, rebuilt, write_code
from .file_lock import FileLock
from .shipped import SUFFIX, Shipped

PACKAGE_ROOT = Path(__file__).resolve().parents[1]
CACHE_VARIABLE = "STICTION_CACHE_DIR"
# Where set, a kernel that is not on disk is an error.
NO_COMPILE_VARIABLE = "STICTION_NO_COMPILE"
# Form of the files, and versions that compiled code depends on; patch releases of Python do not change its interface.
FORMAT = 2
VERSION = (f"{FORMAT}-numba{numba.__version__}-llvmlite{llvmlite.__version__}"
           f"-py{sys.version_info.major}.{sys.version_info.minor}")  # fmt: skip
# Compiled kernels that came with the package.
SHIPPED = Shipped(PACKAGE_ROOT / "compiled" / (VERSION + SUFFIX))
# Files that handle kernels and are not part of their code: an edit there compiles nothing again.
NOT_CODE = ("jit.py", "caching/kernel_cache.py", "caching/compiled_code.py", "caching/file_lock.py",
            "caching/shipped.py")  # fmt: skip
# Files that this process has loaded code from.
loaded = []
# How long to wait for another process that compiles the same kernel [s].
LONGEST_WAIT, POLL = 120.0, 0.05

_IMPORT = re.compile(rb"^[ \t]*from[ \t]+(\.+)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+)", re.MULTILINE)
_NAME = re.compile(rb"(\w+)(?:\s+as\s+\w+)?")


class NotCompiledError(RuntimeError):
    """A kernel would have to be compiled where STICTION_NO_COMPILE forbids it."""


@functools.cache
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


@functools.cache
def _read(path):
    """(content, files of this package that it imports) of a source file, names relative to the package."""
    content = (PACKAGE_ROOT / path).read_bytes()
    parts, found = path.split("/")[:-1], []
    for dots, module, names in _IMPORT.findall(content):
        if len(dots) > len(parts) + 1:
            continue
        base = [*parts[: len(parts) - len(dots) + 1], *(module.decode().split(".") if module else [])]
        places = [base, [*base, "__init__"], *([*base, match.decode()] for match in _NAME.findall(names))]
        files = ("/".join(place) + ".py" for place in places)
        found += [name for name in files if name not in NOT_CODE and _is_file(name)]
    return content, tuple(found)


@functools.cache
def _is_file(path):
    return os.path.isfile(os.path.join(PACKAGE_ROOT, path))


@functools.cache
def source_hash(file):
    """Hash of a module's source and of all modules of this package that it depends on."""
    seen, todo = set(), [Path(os.path.realpath(file)).relative_to(PACKAGE_ROOT).as_posix()]
    while todo:
        current = todo.pop()
        if current not in seen:
            seen.add(current)
            todo += _read(current)[1]
    digest = hashlib.sha256()
    for current in sorted(seen):
        digest.update(current.encode() + b"\0" + _read(current)[0] + b"\0")
    return digest.hexdigest()[:16]


def cache_folder(function):
    """Folder for the compiled code of the kernels in the file of `function`."""
    return cache_root() / "kernels" / VERSION / source_hash(function.__code__.co_filename)


def is_kept(function):
    """Whether compiled code of a kernel, given as plain Python function, is on disk for some signature."""
    pattern = f"*.{function.__name__}-*.nbc"
    shipped = source_hash(function.__code__.co_filename) + "/" + pattern
    return any(fnmatch.fnmatchcase(name, shipped) for name in SHIPPED.names()) or any(
        cache_folder(function).glob(pattern)
    )


def keep_on_disk(dispatcher, options):
    """Have numba look for the compiled code of a function here; options: text of all that it is compiled with."""
    cache = dispatcher._cache = _KernelCache(dispatcher.py_func, options)
    dispatcher.get_call_template = functools.partial(_call_template, dispatcher, cache, dispatcher.get_call_template)


def _call_template(dispatcher, cache, template, args, keywords):
    """Numba's `template` for the callers of a kernel, which are compiled against its LLVM form."""
    if cache.without_form:
        cache.kept += cache.without_form
        cache.without_form.clear()
        dispatcher._reset_overloads()
    cache.for_callers = True
    return template(args, keywords)


class _Locator(caching._CacheLocator):
    """The place of a kernel's files, for numba."""

    def __init__(self, function):
        self._function = function

    def get_cache_path(self):
        return ""

    def get_source_stamp(self):
        return ""

    def get_disambiguator(self):
        return str(self._function.__code__.co_firstlineno)

    @classmethod
    def from_function(cls, function, file):
        return cls(function)


class _CacheImplementation(caching.CompileResultCacheImpl):
    _locator_classes = (_Locator,)


class _KernelCache(caching.FunctionCache):
    """Numba's cache of a function, without its index."""

    _impl_class = _CacheImplementation

    def __init__(self, function, options):
        super().__init__(function)
        self._options = options
        self._locks = {}
        # Whether a caller has been compiled; code that does not serve that, and such code which may still be running.
        self.for_callers, self.without_form, self.kept = False, [], []
        # Now, while the file still says what was imported: it may be edited while this process runs.
        source_hash(function.__code__.co_filename)

    def _file_name(self, signature, codegen):
        """Name of the file of a signature on the processor that is compiled for."""
        code, closure = self._index_key(signature, codegen)[2]
        key = repr((str(signature), codegen.magic_tuple(), code, closure, self._options))
        return f"{self._impl.filename_base}.{hashlib.sha256(key.encode()).hexdigest()[:20]}.nbc"

    def load_overload(self, signature, target_context):
        """The compiled function, or None where this process is to compile it."""
        name = self._file_name(signature, target_context.codegen())
        path = cache_folder(self._py_func) / name
        payload = None if self.for_callers else SHIPPED.read(f"{path.parent.name}/{name}")
        if payload is None:
            payload = self._load_or_lock(path, signature)
            if payload is not None:
                loaded.append(path)
        if payload is None:
            # Numba's tables of what it can compile take as long to fill as all kernels of a run to load.
            target_context.refresh()
            return None
        result = rebuilt(target_context, payload)
        if not has_form(payload):
            self.without_form.append(result)
        return result

    def _load_or_lock(self, path, signature):
        """What is in the file, waiting while another process compiles it; else None, and the others will wait."""
        payload = read_code(path)
        if payload is not None:
            return payload
        if os.environ.get(NO_COMPILE_VARIABLE):
            raise NotCompiledError(f"{self._impl.filename_base}{signature} is not compiled, and "
                                   f"{NO_COMPILE_VARIABLE} is set")  # fmt: skip
        lock, end = FileLock(path.with_suffix(".lock")), time.monotonic() + LONGEST_WAIT
        while not lock.take() and time.monotonic() < end:
            time.sleep(POLL)
        payload = read_code(path)
        if payload is None:
            self._locks[path.name] = lock
        else:
            lock.release()
        return payload

    def save_overload(self, signature, data):
        """Write the compiled function; a folder that cannot be written only costs compiling it again."""
        name = self._file_name(signature, data.codegen)
        if self._impl.check_cachable(data):
            with contextlib.suppress(OSError):
                write_code(cache_folder(self._py_func) / name, (exported(data), self._impl.reduce(data)))
        lock = self._locks.pop(name, None)
        if lock:
            lock.release()

    def flush(self):
        """Forget what is on disk for this function."""
        for path in cache_folder(self._py_func).glob(f"{self._impl.filename_base}.*.nbc"):
            path.unlink(missing_ok=True)
