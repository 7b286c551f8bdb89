"""Find the library that was made of these very sources, for this processor; no other is ever called."""

import functools
import hashlib
import importlib.machinery
import importlib.util
import json
from pathlib import Path
from typing import NamedTuple

from .folder import cache_root
from .sources import PACKAGE_ROOT

# Files of a library's folder; the form of the manifest, which this file and link.py agree on.
MANIFEST, ABI = "kernels.json", 1
# What the manifest of a library for any run says that it is for.
ALL = "all"
# A wheel that holds a library.
WHEEL = "stiction_kernels"


class LibraryError(RuntimeError):
    """No library fits; the text says why."""


class Library(NamedTuple):
    """folder of the files; manifest: what kernels.json says (see link.py); module: what caller.c defines."""

    folder: Path
    manifest: dict
    module: object


def need():
    """The Library of this process; raises LibraryError."""
    library = find()
    if library is None:
        raise LibraryError(f"no library of kernels fits ({'; '.join(refusals()) or 'there is none'}); make one with "
                           "stiction compile --library, or unset STICTION_KERNELS")  # fmt: skip
    return library


def find():
    """The Library of this process, or None."""
    return _looked()[0]


def holds(use):
    """Whether the Library of this process has all kernels that a use needs."""
    return need().manifest["use"] in (ALL, use)


def refusals():
    """Why the libraries that were found are not used, a clause each."""
    return _looked()[1]


def place_of_own():
    """Folder in which `stiction compile --library` puts the library of this checkout or installation."""
    return cache_root() / f"library-{hashlib.sha256(str(PACKAGE_ROOT).encode()).hexdigest()[:12]}"


def digest_of(files):
    """Digest of files of this package, names relative to it."""
    digest = hashlib.sha256()
    for name in files:
        path = PACKAGE_ROOT / name
        digest.update(name.encode() + b"\0" + (path.read_bytes() if path.is_file() else b"") + b"\0")
    return digest.hexdigest()


def digest_of_code(path):
    """Digest of a library's file: what is cut off would end the process that loads it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@functools.cache
def _looked():
    reasons = []
    for folder in _folders():
        try:
            return _opened(folder), reasons
        except LibraryError as error:
            reasons.append(f"{folder}: {error}")
    return None, reasons


def _folders():
    """Folders that hold a library, the best first."""
    places = [*sorted((PACKAGE_ROOT / "compiled").glob("library*")), place_of_own()]
    wheel = importlib.util.find_spec(WHEEL)
    if wheel is not None and wheel.submodule_search_locations:
        places[-1:-1] = sorted(Path(wheel.submodule_search_locations[0]).glob("library*"))
    return [place for place in places if (place / MANIFEST).is_file()]


def _opened(folder):
    """The Library in a folder; raises LibraryError."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if manifest["abi"] != ABI or manifest["digest"] != digest_of(manifest["files"]):
            raise LibraryError("it was made of other sources")
        if manifest["code"] != digest_of_code(folder / manifest["library"]):
            raise LibraryError(f"{manifest['library']} is damaged, or does not belong to {MANIFEST}")
        module = imported(folder / manifest["library"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LibraryError(f"it is damaged ({error})") from None
    except ImportError as error:
        raise LibraryError(f"this system cannot load it ({error})") from None
    if not module.has_processor:
        raise LibraryError(f"this processor is older than {manifest['processor']}")
    return Library(folder, manifest, module)


def imported(path):
    """The module that a library is; raises ImportError."""
    loader = importlib.machinery.ExtensionFileLoader("kernels", str(path))
    spec = importlib.util.spec_from_file_location("kernels", path, loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
