"""A folder for every run: two bakes never write into one, and an old result stays until the new one is whole."""

import os
import shutil
import tempfile
from pathlib import Path

from ...solver.base.refusal import SceneError
from ...solver.kernels.file_lock import FileLock

PREFIX = "run_"
LOCK = "lock"
# Whole runs that stay: the newest, and the one before it, which an undo may bring back.
KEPT = 2


def usable_folder(folder):
    """The folder, made if it was missing; SceneError if nothing can be written there."""
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"\0" * 4096)
            probe.flush()
    except OSError as error:
        raise SceneError(disk_sentence(error, folder)) from None
    return folder


def remedy(error):
    """What to do about an OSError in the folder of a cache."""
    import errno

    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return "free some space, or choose a folder on another disk under Cache"
    return "choose another under Cache"


def disk_sentence(error, folder):
    """What a person reads about an OSError in the folder of a run."""
    return f"cache folder {folder}: {error.strerror or error}; {remedy(error)}"


def still_there(path, cache):
    """Folder of a run that a file tells of: where it was, or under the same name in `cache`, the scene's cache folder
    now, where the file was moved with it. None if it is gone."""
    if not path:
        return None
    for folder in (Path(path), Path(cache) / Path(path).name):
        if folder.is_dir():
            return folder
    return None


def new_run(folder):
    """A new empty folder for a run in the cache folder of a scene."""
    number = max((_number(path) for path in runs_in(folder)), default=0)
    while True:
        number += 1
        path = folder / f"{PREFIX}{number:04d}"
        try:
            path.mkdir()
            return path
        except FileExistsError:
            # Another Blender took this number in the meantime.
            continue
        except OSError as error:
            raise SceneError(disk_sentence(error, folder)) from None


def runs_in(folder):
    """Folders of runs in the cache folder of a scene, oldest first."""
    try:
        with os.scandir(folder) as entries:
            found = [Path(one.path) for one in entries if one.name.startswith(PREFIX) and _number(one) and one.is_dir()]
    except OSError:
        return []
    return sorted(found, key=_number)


def _number(path):
    digits = path.name[len(PREFIX) :]
    return int(digits) if digits.isdigit() else 0


def tidy(folder, keep):
    """Remove runs that nothing needs: all but `keep`, the newest ones, and what another process writes into."""
    old = [path for path in runs_in(folder) if path != keep]
    for path in old[: len(old) - (KEPT - 1)]:
        if not is_locked(path):
            shutil.rmtree(path, ignore_errors=True)


class RunLock:
    """Held by the process that writes into a run's folder; the system lets go of it with the process."""

    def __init__(self, folder):
        """SceneError if another process holds it."""
        self._lock = FileLock(Path(folder) / LOCK)
        if not self._lock.take():
            raise SceneError(f"{folder}: another Blender simulates into it; wait for that or press Bake for a new run")

    def release(self):
        """Let go."""
        self._lock.release()


def is_locked(folder):
    """True while a process writes into a run's folder."""
    if not (folder / LOCK).exists():
        return False
    lock = FileLock(folder / LOCK)
    free = lock.take()
    lock.release()
    return not free
