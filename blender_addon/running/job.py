"""One simulation in a process of its own. Plain Python: survives undo and file loading, and is never saved."""

import json
import os
import sys
import time
from enum import Enum
from pathlib import Path

from ...solver.base.processes import command_of
from ...solver.base.progress import TimeLeft, clock
from ...solver.base.refusal import SceneError
from ..base.heard import HeardProcess

STDERR_LINES = 12
# What the worker says of compiling: functions so far, of at most how many, seconds that all of them take.
COMPILING = ("compiled", "of", "seconds")
# Seconds that Cancel leaves the worker to finish the step in work; after that it is killed.
GRACE = 0.2


class JobState(Enum):
    """How a job stands."""

    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Worker(HeardProcess):
    """A process that simulates one run after another."""

    def __init__(self):
        super().__init__(worker_command(), worker_environment())
        self.job = None
        self.phase = "starting the solver"

    def listen(self):
        """Take in what the worker has said since; never waits."""
        for line in self.said.lines():
            if line.startswith("{"):
                answer = json.loads(line)
                self.phase = answer.get("at", self.phase)
                if self.job is not None:
                    self.job.hear(answer)


class Job:
    """A run in work and what the worker has said of it so far."""

    def __init__(self, folder, resume=False):
        self.state = JobState.RUNNING
        self.error = ""
        self.refused = self.paused = False
        self.folder = Path(folder)
        self.left = TimeLeft()
        self.phase = ""
        self.compiled = self.to_compile = self.compile_seconds = self.done = self.total = self.contact_count = 0
        self.overlap_now = self.residual = self.residual_now = 0.0
        self._end = None
        self._worker = _free_worker()
        self._worker.job = self
        self._order(simulate=str(folder), resume=resume)

    @property
    def fraction(self):
        """Part done, 0 to 1."""
        return self.done / self.total if self.total else 0.0

    def _order(self, **message):
        self._worker.order(json.dumps(message))

    def hear(self, answer):
        """Take in what the worker says."""
        self.phase = answer.get("at", self.phase)
        if "compiled" in answer:
            self.compiled, self.to_compile, self.compile_seconds = (answer[key] for key in COMPILING)
        if "done" in answer:
            self.contact_count, self.residual_now = answer["contacts"], answer["residual"]
            self.overlap_now, self.residual = answer["overlap"], max(self.residual, self.residual_now)
            self.total, self.done = answer["total"], answer["done"]
            self.left.finished(self.done)
        if "end" in answer:
            self._end = answer

    def status(self):
        """What the user reads about the job now: nothing about time or parts before there is something to tell."""
        if self.state != JobState.RUNNING:
            return self.error or self.state.value.title()
        if self.paused:
            return f"Paused at {self.fraction:.0%}"
        if not self.done:
            phase = self.phase or self._worker.phase
            if self.compiling:
                return f"Compiling: {self.compiled} of {max(self.compiled, self.to_compile)}"
            return phase[:1].upper() + phase[1:]
        left = self.left.seconds(self.done, self.total)
        return f"{self.fraction:.0%}" + (f", {clock(left)} left" if left is not None else "")

    @property
    def compiling(self):
        """True while the solver is compiled, before the first step."""
        return self.compiled > 0 and not self.done and self.phase == "preparing"

    def advice(self):
        """What a person may want to know beside the status; "" for nothing."""
        if self.state != JobState.RUNNING or not self.compiling:
            return ""
        most = clock(self.compile_seconds)
        return f"The solver is compiled once on this computer: {most} at most, less where a part of it will do"

    def poll(self):
        """Look whether the run has ended; never waits. Returns the state."""
        if self.state == JobState.RUNNING:
            # In this order: what a worker that has ended had to say is there.
            ended = not self._worker.alive
            self._worker.listen()
            if self._end is not None:
                self._settle(**self._end)
            elif ended:
                self._settle_dead(self._worker.process.returncode)
        return self.state

    def wait(self, progress=None, interval=0.02):
        """Poll until the end; progress(job) is called on the way. Returns the state."""
        while self.poll() == JobState.RUNNING:
            if progress is not None:
                progress(self)
            time.sleep(interval)
        if progress is not None and self.state == JobState.DONE:
            progress(self)
        return self.state

    def pause(self, paused=True):
        """Hold the run after the step in work, or let it go on."""
        if self.state == JobState.RUNNING and paused != self.paused:
            self.paused = paused
            self._order(pause=paused)
            # A pause is no measure of speed.
            self.left = TimeLeft()

    def cancel(self):
        """Stop the run now; frames already written stay on disk. The worker is kept if it answers at once."""
        if self.state != JobState.RUNNING:
            return
        self.state = JobState.CANCELLED
        self._order(stop=True)
        deadline = time.monotonic() + GRACE
        while self._end is None and self._worker.alive and time.monotonic() < deadline:
            time.sleep(0.005)
            self._worker.listen()
        if self._end is None:
            self._worker.kill()

    def _settle(self, end, error=""):
        if end == "done":
            self.state = JobState.DONE
            return
        self.state, self.refused = JobState.FAILED, end == "refused"
        if end == "crashed":
            print(error, file=sys.stderr)
            self.error = f"the solver has a defect: {error.strip().splitlines()[-1]} (the console shows where)"
        else:
            self.error = error or "the run was stopped"

    def _settle_dead(self, code):
        self.state = JobState.FAILED
        lines = self._worker.errors.last_lines(STDERR_LINES)
        if code in (-9, 137):
            self.error = "the solver process was killed: perhaps the computer was out of memory; close other programs"
        else:
            self.error = f"the solver process ended with code {code}: " + ("\n".join(lines) or "it said nothing")
        if self.done:
            self.error += f". {self.done} of {self.total} steps are kept: press Go On"


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


def worker_command():
    """How the worker is started; always under one name, so that compiled kernels are found again."""
    return command_of("blender_addon.running.worker", python=python_executable(), name="stiction")


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
    package = __package__.rsplit(".", 2)[0]  # above blender_addon/running
    if not package.startswith("bl_ext."):
        return None
    import bpy

    return bpy.utils.extension_path_user(package, path="kernels", create=True)


_current: Job | None = None
_worker: Worker | None = None


def _free_worker():
    """A worker without a run: the last one if it is still there, else a new one."""
    global _worker
    busy = _worker is not None and _worker.job is not None and _worker.job.state == JobState.RUNNING
    if _worker is not None and not busy and not _worker.alive:
        _worker.close()
        _worker = None
    if _worker is None or busy:
        _worker = Worker()
    return _worker


def warm_up():
    """Start a worker, if there is none, so that it loads the solver while Blender does something else."""
    _free_worker()


def current():
    """The job that runs or ran last in this Blender; None if there was none."""
    return _current


def running():
    """True while a job runs."""
    return _current is not None and _current.poll() == JobState.RUNNING


def start(folder, resume=False):
    """Start a job on the reading in a run's folder; there is one at a time."""
    global _current
    if running():
        raise SceneError("a simulation is running; wait for it or press Cancel")
    _current = Job(folder, resume)
    return _current


def stop_all():
    """Stop the running job, if any, and the worker."""
    global _worker
    if _current is not None:
        _current.cancel()
    if _worker is not None:
        _worker.kill()
        _worker.close()
        _worker = None
