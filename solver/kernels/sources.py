"""Which sources a kernel is made of: edits are noticed by what files say, wherever and under whatever name they lie."""

import functools
import hashlib
import os
import re
from pathlib import Path

PACKAGE_ROOT = Path(__file__).resolve().parents[1]
PACKAGE = __name__.rsplit(".", 3)[0]
# What handles kernels is not part of their code: an edit there compiles nothing again.
_NOT_CODE = "jit.py", "kernels/"

_IMPORT = re.compile(rb"^[ \t]*from[ \t]+(\.+)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+)", re.MULTILINE)
_NAME = re.compile(rb"(\w+)(?:\s+as\s+\w+)?")


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
        found += [name for name in files if not name.startswith(_NOT_CODE) and _is_file(name)]
    return content, tuple(found)


@functools.cache
def _is_file(path):
    return os.path.isfile(os.path.join(PACKAGE_ROOT, path))


def closure(files):
    """The files of this package that files depend on, themselves too; names relative to the package."""
    seen, todo = set(), list(files)
    while todo:
        current = todo.pop()
        if current not in seen:
            seen.add(current)
            todo += _read(current)[1]
    return seen


@functools.cache
def source_hash(file):
    """Hash of a module's source and of all modules of this package that it depends on; of a file elsewhere (numba's
    own), its place and time."""
    path = Path(os.path.realpath(file))
    if not path.is_relative_to(PACKAGE_ROOT):
        return f"{path}{path.stat().st_mtime_ns}" if path.exists() else str(file)
    digest = hashlib.sha256()
    for current in sorted(closure([path.relative_to(PACKAGE_ROOT).as_posix()])):
        digest.update(current.encode() + b"\0" + _read(current)[0] + b"\0")
    return digest.hexdigest()[:16]


@functools.cache
def package_hash():
    """Hash of all sources of the solver."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE_ROOT.rglob("*.py")):
        digest.update(path.relative_to(PACKAGE_ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
