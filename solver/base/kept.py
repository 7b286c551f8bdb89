"""Results that are dear to find, kept in the folder of compiled kernels under what they were found from."""

import hashlib
from contextlib import suppress

import numpy as np

from ..kernels.folder import cache_root
from .files import read_arrays, replace_file


class UnreadableError(Exception):
    """A file is not there, or no longer whole."""


def place(kind, *given):
    """Path of the result of a kind (a folder's name) for what is `given`: arrays, bytes, and what has a repr."""
    digest = hashlib.sha256()
    for one in given:
        array = isinstance(one, np.ndarray)
        digest.update(repr((one.shape, one.dtype) if array else one).encode() + b"\0")
        if array:
            digest.update(np.ascontiguousarray(one).tobytes())
    return cache_root() / kind / f"{digest.hexdigest()[:24]}.npz"


def found(kind, given, make):
    """What make() gives, {name: array}, or what it gave before for the same `given`."""
    path = place(kind, *given)
    known = read(path)
    if known is None:
        keep(path, **(known := make()))
    return known


def read(path):
    """{name: array} of a kept result, None where there is none or it is damaged."""
    with suppress(UnreadableError):
        return read_arrays(path, UnreadableError, "a kept result")
    return None


def keep(path, **arrays):
    """Keep a result, and the hundred made last of its kind; a folder that cannot be written costs finding it again."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, lambda file: np.savez(file, **arrays))
        for old in sorted(path.parent.glob("*.npz"), key=lambda one: one.stat().st_mtime)[:-100]:
            old.unlink(missing_ok=True)
