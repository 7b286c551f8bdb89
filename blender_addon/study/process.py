"""The process that runs a study, and what it has said so far. There is one at a time; it is never saved."""

import json
import re

from ...solver.base.processes import command_of
from ..base.heard import HeardProcess
from ..running.job import python_executable, worker_environment

PROGRESS = re.compile(r"(\d+)/(\d+)(?:, ([\d:]+ ?s?) left)?")
# What is told where a study goes over to other runs, see solver/studies/coordinator.py.
STAGE = re.compile(r"stiction: (.+): (\d+) runs$")
# Lines among which its last words are looked for: progress is told on the same stream.
LAST_LINES = 20


class StudyProcess(HeardProcess):
    """The command `stiction study` in work: done and total of what it counts, left (text), and at its end summary
    (dict) or error. counts: "runs" of a study, "steps" of one run that is made again."""

    def __init__(self, study, folder, arguments, counts="runs"):
        arguments = ["study", str(study), "--output", str(folder), "--json", *arguments]
        command = command_of("blender_addon.study.worker", *arguments, python=python_executable(), name="stiction")
        super().__init__(command, worker_environment())
        self.folder, self.counts, self.done, self.total, self.left = folder, counts, 0, 0, ""
        self.stage = ""
        self.summary, self.error, self.cancelled, self._over = None, "", False, False

    def listen(self):
        """Take in the progress told since; never waits."""
        for line in self.errors.lines():
            if found := PROGRESS.search(line):
                self.done, self.total, self.left = int(found[1]), int(found[2]), found[3] or ""
            elif found := STAGE.match(line):
                # What comes next counts anew.
                self.stage, self.done, self.total, self.left = found[1], 0, int(found[2]), ""

    @property
    def running(self):
        """True while the process runs; at its end the summary or the error is there."""
        if self._over:
            return False
        # In this order: what a process that has ended had to say is there.
        self._over = not self.alive
        self.listen()
        if self._over:
            self._settle()
        return not self._over

    def _settle(self):
        text = "\n".join(self.said.lines())
        if text.startswith("{"):
            self.summary = json.loads(text)
        elif not self.cancelled:
            said = [line for line in self.errors.last_lines(LAST_LINES) if not PROGRESS.search(line)]
            self.error = "\n".join(said[-3:]) or f"the study ended with code {self.process.returncode}"
        self.close()

    @property
    def fraction(self):
        """Part done, 0 to 1."""
        return self.done / self.total if self.total else 0.0

    def status(self):
        """What the user reads now."""
        if not self.total:
            return "Starting"
        words = f"{self.stage.capitalize()}: " if self.stage else ""
        if self.done == self.total:
            return f"{words}{self.done} of {self.total} {self.counts}, writing the results"
        return f"{words}{self.done} of {self.total} {self.counts}" + (f", {self.left} left" if self.left else "")

    def cancel(self):
        """End it now; finished runs stay."""
        self.cancelled = True
        self.kill()


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
