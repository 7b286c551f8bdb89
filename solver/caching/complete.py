"""Whether all kernels of these sources are on disk, remembered in a file beside them."""

import functools
import hashlib
import shutil
from pathlib import Path

from .kernel_cache import PACKAGE_ROOT, SHIPPED, VERSION, cache_root, loaded
from .shipped import SUFFIX, pack


@functools.cache
def package_hash():
    """Hash of all sources of the solver."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE_ROOT.rglob("*.py")):
        digest.update(path.relative_to(PACKAGE_ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _name(processor):
    return f"complete-{package_hash()}-{processor}"


def is_complete(processor):
    """True once everything was compiled from these sources, for this processor (its name)."""
    name = _name(processor)
    return name in SHIPPED.names() or (cache_root() / "kernels" / VERSION / name).is_file()


def remember_complete(processor, root=None):
    """Say that everything was compiled; root: the folder of the kernels, if not the user's cache."""
    path = Path(root or cache_root() / "kernels") / VERSION / _name(processor)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


def copy_loaded(root):
    """Copy the files that this process has loaded code from to another folder of kernels."""
    for path in loaded:
        target = Path(root) / VERSION / path.parent.name / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def ship_folder(root, target):
    """Pack what was copied to a folder of kernels into the file that a package brings, in the folder `target`."""
    pack(Path(root) / VERSION, Path(target) / (VERSION + SUFFIX))
