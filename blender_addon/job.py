"""One simulation in a process of its own. Plain Python: survives undo and file loading, and is never saved."""

import os
import subprocess
import sys
import threading
import time
from collections import deque
from enum import Enum
from pathlib import Path

from ..solver.other_process import command_of, no_console
from ..solver.progress import TimeLeft, clock
from ..solver.refusal import SceneError

STDERR_LINES = 12


class JobState(Enum):
    """How a job stands."""

    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Job:
    """A worker process and what it has said so far."""

    def __init__(self, scene_path, folder):
        self.state = JobState.RUNNING
        self.error = ""
        self.refused = False
        self.folder = Path(folder)
        self.started = time.monotonic()
        self.left = TimeLeft()
        self.done = self.total = self.contact_count = 0
        self.overlap = self.residual = 0.0
        self._errors = deque(maxlen=STDERR_LINES)
        self._process = subprocess.Popen(
            worker_command(scene_path, folder),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
            env=worker_environment(), **no_console(),
        )  # fmt: skip
        self._readers = [
            threading.Thread(target=self._read_progress, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    @property
    def fraction(self):
        """Part done, 0 to 1."""
        return self.done / self.total if self.total else 0.0

    def status(self):
        """What the user reads about the job now."""
        if self.state != JobState.RUNNING:
            return self.error or self.state.value.title()
        if not self.done:
            waited = time.monotonic() - self.started
            return "Preparing" if waited < 3 else f"Preparing: compiling the solver, once ({waited:.0f} s)"
        left = self.left.seconds(self.done, self.total)
        return f"{self.fraction:.0%}" + (f", {clock(left)} left" if left is not None else "")

    def poll(self):
        """Look whether the worker has ended; never waits. Returns the state."""
        if self.state == JobState.RUNNING and self._process.poll() is not None:
            for reader in self._readers:
                reader.join(timeout=2.0)
            self._settle(self._process.returncode)
        return self.state

    def wait(self, progress=None, interval=0.05):
        """Poll until the end; progress(job) is called on the way. Returns the state."""
        while self.poll() == JobState.RUNNING:
            if progress is not None:
                progress(self)
            time.sleep(interval)
        if progress is not None and self.state == JobState.DONE:
            progress(self)
        return self.state

    def cancel(self):
        """Kill the worker at once; frames already written stay on disk."""
        if self.state == JobState.RUNNING:
            self.state = JobState.CANCELLED
            self._process.kill()
            self._process.wait()

    def _settle(self, code):
        if code == 0:
            self.state = JobState.DONE
            return
        self.state = JobState.FAILED
        lines = [line for line in self._errors if line.strip()]
        if code == 2 and lines:
            self.refused, self.error = True, lines[-1]
        else:
            self.error = f"the solver process ended with code {code}: " + ("\n".join(lines) or "it said nothing")

    def _read_progress(self):
        for line in self._process.stdout:
            words = line.split()
            if len(words) == 5 and words[0].isdigit():
                self.total, self.contact_count = int(words[1]), int(words[2])
                self.overlap, self.residual = max(self.overlap, float(words[3])), max(self.residual, float(words[4]))
                self.done = int(words[0])
                self.left.finished(self.done)

    def _read_errors(self):
        for line in self._process.stderr:
            self._errors.append(line.rstrip())


def python_executable():
    """Blender's own Python interpreter."""
    if "python" in os.path.basename(sys.executable).lower() and os.path.isfile(sys.executable):
        return sys.executable
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    name = "bin/python.exe" if os.name == "nt" else f"bin/python{version}"
    path = Path(sys.prefix) / name
    if not path.is_file():
        raise SceneError(f"Blender's Python was not found at {path}; reinstall Blender")
    return str(path)


def worker_command(scene_path, folder):
    """How the worker is started; always under one name, so that compiled kernels are found again."""
    return command_of("blender_addon.worker", scene_path, folder, python=python_executable(), name="stiction")


def worker_environment():
    """Environment of the worker: Blender's libraries, the extension's wheels, and its folder for compiled code."""
    import numpy

    environment = dict(os.environ)
    places = [path for path in sys.path if Path(path).name.endswith("-packages")]
    environment["PYTHONPATH"] = os.pathsep.join([*places, str(Path(numpy.__file__).parents[1])])
    environment["PYTHONNOUSERSITE"] = "1"
    environment["PYTHONUTF8"] = "1"
    if "STICTION_CACHE_DIR" not in environment:
        folder = _extension_folder()
        if folder:
            environment["STICTION_CACHE_DIR"] = folder
    return environment


def _extension_folder():
    """The extension's own user folder; None where the package is not installed as an extension."""
    package = __package__.rpartition(".")[0]
    if not package.startswith("bl_ext."):
        return None
    import bpy

    return bpy.utils.extension_path_user(package, path="kernels", create=True)


_current: Job | None = None


def current():
    """The job that runs or ran last in this Blender; None if there was none."""
    return _current


def running():
    """True while a job runs."""
    return _current is not None and _current.poll() == JobState.RUNNING


def start(scene_path, folder):
    """Start a job; there is one at a time."""
    global _current
    if running():
        raise SceneError("a simulation is running; wait for it or press Cancel")
    _current = Job(scene_path, folder)
    return _current


def stop_all():
    """Kill the running job, if any."""
    if _current is not None:
        _current.cancel()
