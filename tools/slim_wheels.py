"""Pack a wheel anew, smaller: LZMA at its best, no tests, no symbols for debuggers, of scipy only what a run imports.

Blender keeps one copy of a library for all extensions, of the highest version in a wheel's name. A scipy of which parts
are missing must never be the one that others get: its wheel is named with a version below all there are, so that
anybody's whole scipy is taken in its place.
"""

import base64
import csv
import hashlib
import io
import lzma
import re
import shutil
import struct
import subprocess
import tempfile
import uuid
import zipfile
from pathlib import Path

TESTS = re.compile(r"(^|/)tests?/(?!__init__\.py)")
# Packages of scipy that the extension imports, and those that these import: tests/unit/test_packaging.py.
SCIPY_KEPT = {"_lib", "_external", "constants", "fft", "linalg", "optimize", "sparse", "spatial", "special"}
# Special functions for Cython code outside scipy, what compilers read, modules of its tests.
SCIPY_LEFT_OUT = re.compile(r"^scipy/(special/cython_special\.|.*\.(h|pyx|pxd|pyi)$|.*/_test_\w+\.)")
# Bytes of dictionary: what unpacking takes of memory.
LARGEST_DICTIONARY = 1 << 26


def slim(source, target):
    """Write the wheel `source` to `target`, smaller."""
    unfinished = _unfinished(target)
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(unfinished, "w", zipfile.ZIP_LZMA) as new:
        kept = [entry for entry in old.infolist() if not entry.is_dir() and not left_out(entry.filename)]
        changed = {}
        # Libraries that were moved into a wheel have been rewritten in a way that `strip` makes unloadable.
        rewritten = any(entry.filename.split("/")[0].endswith(".libs") for entry in kept)
        for entry in sorted(kept, key=lambda entry: entry.filename.endswith(".dist-info/RECORD")):
            content = old.read(entry)
            if entry.filename.endswith(".dist-info/RECORD"):
                content = _record(content.decode(), {entry.filename for entry in kept}, changed)
            elif content.startswith(b"\x7fELF") and not rewritten:
                stripped = without_symbols(content)
                if stripped != content:
                    content = changed[entry.filename] = stripped
            _pack(new, entry, content)
    unfinished.replace(target)


def pack_anew(path):
    """Pack a zip at LZMA's rate; what is packed in itself, as wheels are, is stored."""
    unfinished = _unfinished(path)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(unfinished, "w", zipfile.ZIP_LZMA) as new:
        for entry in old.infolist():
            if entry.filename.endswith(".whl"):
                new.writestr(entry.filename, old.read(entry), zipfile.ZIP_STORED)
            elif not entry.is_dir():
                _pack(new, entry, old.read(entry))
    unfinished.replace(path)


def _unfinished(target):
    return target.with_name(f"{target.name}.{uuid.uuid4().hex[:12]}.part")


def slim_name(name):
    """The file name of a wheel made smaller: that of a scipy in parts sorts below every whole one."""
    return re.sub(r"^scipy-(?!0\.)", "scipy-0.", name)


def left_out(name):
    """True for the tests of scipy and numba, and for what nothing here imports of scipy; what programs import of numba
    stays."""
    room, _, rest = name.partition("/")
    unused = room == "scipy" and "/" in rest and rest.partition("/")[0] not in SCIPY_KEPT
    if unused or SCIPY_LEFT_OUT.match(name):
        return True
    return bool(TESTS.search(name)) and room in ("scipy", "numba", "llvmlite")


def without_symbols(content):
    """A shared library for Linux without the symbols that only debuggers read; as it is where there is no `strip`."""
    tool = shutil.which("strip")
    if tool is None:
        return content
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "library.so")
        path.write_bytes(content)
        done = subprocess.run([tool, "--strip-unneeded", str(path)], capture_output=True)
        return path.read_bytes() if done.returncode == 0 else content


def _pack(archive, entry, content):
    packed = zipfile.ZipInfo(entry.filename, entry.date_time)
    packed.external_attr, packed.compress_type = entry.external_attr, zipfile.ZIP_LZMA
    size = len(content)

    class Compressor(zipfile.LZMACompressor):
        """As zipfile's own, at the highest rate."""

        def _init(self):
            dictionary = min(LARGEST_DICTIONARY, max(4096, 1 << size.bit_length()))
            best = {"preset": 9 | lzma.PRESET_EXTREME, "dict_size": dictionary, "lc": 4, "pb": 0}
            one = {"id": lzma.FILTER_LZMA1, **best}
            properties = lzma._encode_filter_properties(one)
            self._comp = lzma.LZMACompressor(lzma.FORMAT_RAW, filters=[one])
            return struct.pack("<BBH", 9, 4, len(properties)) + properties

    own, zipfile.LZMACompressor = zipfile.LZMACompressor, Compressor
    try:
        archive.writestr(packed, content)
    finally:
        zipfile.LZMACompressor = own


def _record(text, kept, changed):
    """The list of a wheel's files without those that were left out; changed: {name: content} of changed ones."""
    rows = [row for row in csv.reader(text.splitlines()) if row[0] in kept]
    for row in rows:
        if row[0] in changed:
            digest = base64.urlsafe_b64encode(hashlib.sha256(changed[row[0]]).digest()).rstrip(b"=").decode()
            row[1:] = [f"sha256={digest}", str(len(changed[row[0]]))]
    output = io.StringIO()
    csv.writer(output, lineterminator="\n").writerows(rows)
    return output.getvalue().encode()
