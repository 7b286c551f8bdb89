"""Pack a wheel anew: the same files at LZMA's rate, without the libraries' own tests. Half of scipy and llvmlite goes.

Every module stays: Blender keeps one copy of a library for all extensions, and others may need what this one does not.
"""

import csv
import io
import re
import zipfile

TESTS = re.compile(r"(^|/)tests?/(?!__init__\.py)")


def slim(source, target):
    """Write the wheel `source` to `target`, smaller."""
    unfinished = target.with_suffix(".part")
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(unfinished, "w", zipfile.ZIP_LZMA) as new:
        kept = [entry for entry in old.infolist() if not entry.is_dir() and not left_out(entry.filename)]
        for entry in kept:
            content = old.read(entry)
            if entry.filename.endswith(".dist-info/RECORD"):
                content = _record(content.decode(), {entry.filename for entry in kept})
            packed = zipfile.ZipInfo(entry.filename, entry.date_time)
            packed.external_attr, packed.compress_type = entry.external_attr, zipfile.ZIP_LZMA
            new.writestr(packed, content)
    unfinished.replace(target)


def left_out(name):
    """True for the tests of scipy and numba; numba.testing and what programs import stays."""
    return bool(TESTS.search(name)) and name.split("/")[0] in ("scipy", "numba", "llvmlite")


def _record(text, kept):
    """The list of a wheel's files without those that were left out."""
    output = io.StringIO()
    csv.writer(output, lineterminator="\n").writerows(row for row in csv.reader(text.splitlines()) if row[0] in kept)
    return output.getvalue().encode()
