"""Compiled kernels that came with the package: one file for all, or a zip could not pack what they have in common.

The file: eight bytes with the length of the index, the index as JSON, {name: [place after the index, length]}, and then
one kernel after another.
"""

import functools
import json
from pathlib import Path

from .compiled_code import from_bytes, read_code, to_bytes, without_form

SUFFIX = ".kernels"
LENGTH_BYTES = 8


class Shipped:
    """The kernels in a file; none where there is no such file."""

    def __init__(self, path):
        self.path = path

    @functools.cached_property
    def _index(self):
        """(where the first kernel begins, {name: [place, length]})."""
        try:
            with open(self.path, "rb") as file:
                length = int.from_bytes(file.read(LENGTH_BYTES), "little")
                return LENGTH_BYTES + length, json.loads(file.read(length))
        except (OSError, ValueError):
            return 0, {}

    def names(self):
        """Names of what is in the file."""
        return self._index[1].keys()

    def read(self, name):
        """A kernel's compiled code; None where it is not in the file, or damaged."""
        begin, index = self._index
        if name not in index:
            return None
        place, length = index[name]
        try:
            with open(self.path, "rb") as file:
                file.seek(begin + place)
                return from_bytes(file.read(length))
        except OSError:
            return None


def pack(folder, path):
    """Write all kernels in a folder, and its empty files that say what is complete, to one file without LLVM forms."""
    index, contents, place = {}, [], 0
    # Kernels of one name after another: what they share is near.
    for source in sorted(Path(folder).rglob("*"), key=lambda source: (source.name, source)):
        if source.is_dir():
            continue
        payload = read_code(source) if source.stat().st_size else None
        content = to_bytes(without_form(payload)) if payload else b""
        index[source.relative_to(folder).as_posix()] = [place, len(content)]
        contents.append(content)
        place += len(content)
    text = json.dumps(index, separators=(",", ":")).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join([len(text).to_bytes(LENGTH_BYTES, "little"), text, *contents]))
