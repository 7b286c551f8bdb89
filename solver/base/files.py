"""Files that are whole or not there: written beside their place, then put into it; what is there is never lost."""

import json
import os
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np


def replace_file(path, write):
    """Write a file beside `path` with write(handle), then put it in its place.

    A killed process or a full disk leaves the old file or the new one. Raises OSError; half a file is removed.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(temporary, "wb") as handle:
            write(handle)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def checksum(entries):
    """The checksum of an object of JSON, but of its entry of this name."""
    rest = {key: value for key, value in entries.items() if key != "checksum"}
    return zlib.crc32(json.dumps(rest, sort_keys=True).encode())


def write_output(path, write, error, overwrite=False):
    """Write a file that the user asked for with write(handle); `error`: the type to refuse with.

    Refused: a folder, a missing folder, a file that is there already unless `overwrite`, a disk that is full.
    """
    path = Path(path)
    check_output(path, error, overwrite)
    try:
        replace_file(path, write)
    except OSError as reason:
        raise error(f"{path}: cannot be written ({reason.strerror}); choose another file") from None


def read_arrays(path, error, wanted):
    """{name: array} of an .npz file; `error`: the type to refuse any other file with; wanted: what it should hold."""
    try:
        archive = np.load(path, allow_pickle=False)
        if isinstance(archive, np.lib.npyio.NpzFile):
            with archive:
                return {key: archive[key] for key in archive.files}
    except FileNotFoundError:
        raise error(f"{path}: no such file; give the path of {wanted} (.npz)") from None
    except IsADirectoryError:
        raise error(f"{path}: is a folder; give the path of {wanted} (.npz)") from None
    except Exception as reason:
        # A damaged file can fail anywhere in numpy, zipfile and zlib; whatever they say, it cannot be read.
        words = " ".join(str(reason).split()) or type(reason).__name__
        raise error(f"{path}: truncated, damaged or no .npz file ({words}); write it anew") from None
    raise error(f"{path}: holds one array alone; give an .npz file of {wanted}")


def check_output(path, error, overwrite=False):
    """Refuse a path that `write_output` could not write or should not; to be asked before any work is done."""
    path = Path(path)
    if path.is_dir():
        raise error(f"{path}: is a folder; give the name of a file")
    if path.exists() and not overwrite:
        raise error(f"{path}: is there already; choose another file, or --overwrite to replace it")
    if not path.parent.is_dir():
        raise error(f"{path}: the folder {path.parent} does not exist; make it or choose another")


def check_folder(folder, error, overwrite=False):
    """Refuse an output folder that holds anything, unless `overwrite`: files of ours in it will be replaced."""
    folder = Path(folder)
    found = None
    try:
        with os.scandir(folder) as inside:
            found = next(inside, None)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as reason:
        # A name that is too long, or has a character that none can have.
        said = reason.strerror if isinstance(reason, OSError) else str(reason)
        raise error(f"output folder {str(folder)!r:.80}: cannot be read ({said}); choose another") from None
    if folder.exists() and not folder.is_dir():
        raise error(f"{folder}: is a file; choose another folder")
    if not overwrite and found is not None:
        raise error(f"{folder}: is not empty; choose another folder, or --overwrite to replace what is in the way")
