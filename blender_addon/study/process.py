"""The process that runs a study, and what it has said so far. There is one at a time; it is never saved."""

import json
import re
import subprocess
import threading

from ...solver.base.processes import command_of, no_console
from ..running.job import python_executable, worker_environment

PROGRESS = re.compile(r"(\d+)/(\d+)(?:, ([\d:]+ ?s?) left)?")


class StudyProcess:
    """The command `stiction study` in work: done and total of what it counts, left (text), and at its end summary
    (dict) or error. counts: "runs" of a study, "steps" of one run that is made again."""

    def __init__(self, study, folder, arguments, counts="runs"):
        self.folder, self.counts, self.done, self.total, self.left = folder, counts, 0, 0, ""
        self.summary, self.error, self.cancelled = None, "", False
        arguments = ["study", str(study), "--output", str(folder), "--json", *arguments]
        self.process = subprocess.Popen(
            command_of("blender_addon.study.worker", *arguments, python=python_executable(), name="stiction"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.PIPE, text=True, errors="replace",
            env=worker_environment(), **no_console(),
        )  # fmt: skip
        self._said = []
        self._readers = [threading.Thread(target=one, daemon=True) for one in (self._hear, self._take)]
        for reader in self._readers:
            reader.start()

    def _hear(self):
        """Progress comes on the error stream, parts of a line at a time."""
        text = ""
        while chunk := self.process.stderr.read(1):
            if chunk not in "\r\n":
                text += chunk
                continue
            if found := PROGRESS.search(text):
                self.done, self.total, self.left = int(found[1]), int(found[2]), found[3] or ""
            elif text.strip():
                self._said.append(text.strip())
            text = ""

    def _take(self):
        text = self.process.stdout.read()
        if text.strip().startswith("{"):
            self.summary = json.loads(text)

    @property
    def running(self):
        """True while the process runs; at its end the summary or the error is there."""
        if self.process.poll() is None:
            return True
        for reader in self._readers:
            reader.join(timeout=5.0)
        if self.summary is None and not self.cancelled:
            self.error = "\n".join(self._said[-3:]) or f"the study ended with code {self.process.returncode}"
        return False

    @property
    def fraction(self):
        """Part done, 0 to 1."""
        return self.done / self.total if self.total else 0.0

    def status(self):
        """What the user reads now."""
        if not self.total:
            return "Starting"
        return f"{self.done} of {self.total} {self.counts}" + (f", {self.left} left" if self.left else "")

    def cancel(self):
        """End it now; finished runs stay."""
        self.cancelled = True
        self.process.kill()
        self.process.wait()


_current: StudyProcess | None = None


def current():
    """The study that runs or ran last; None if there was none."""
    return _current


def running():
    """True while a study runs."""
    return _current is not None and _current.running


def start(study, folder, resume=False):
    """Start a study; it is current() from then on."""
    global _current
    _current = StudyProcess(study, folder, ["--resume"] if resume else [])
    return _current


def start_replay(study, folder, row, fps):
    """Start to make the run of a row of a study's table again, with its frames; it is current() from then on."""
    global _current
    _current = StudyProcess(study, folder, ["--frames", str(row), "--fps", f"{fps:.6g}"], "steps")
    return _current


def stop():
    """End the study that runs, if any."""
    if running():
        _current.cancel()
