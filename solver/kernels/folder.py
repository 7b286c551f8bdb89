"""Where compiled kernels are kept on a person's machine."""

import functools
import os
import sys
import tempfile
from pathlib import Path

VARIABLE = "STICTION_CACHE_DIR"


@functools.cache
def cache_root():
    """Return a writable folder for compiled kernels.

    The variable STICTION_CACHE_DIR wins (Blender hands over the extension's own user folder); else the
    user's cache folder; else, where neither can be written, a folder in the system's temporary directory.
    """
    candidates = []
    if os.environ.get(VARIABLE):
        candidates.append(Path(os.environ[VARIABLE]))
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
    raise OSError(f"no folder for compiled kernels can be written; set {VARIABLE}")
