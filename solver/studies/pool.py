"""Workers of a study: processes of this machine, each with one run at a time.

Not concurrent.futures: there one killed worker breaks the whole pool, and workers must be able to import the package by
name, which Blender's extensions are not. Here a dead worker's task goes to a new one, tasks and results travel as lines
of JSON, and a worker ends at once when its coordinator does, however that ends.
"""

import dataclasses
import json
import os
import queue
import subprocess
import sys
import threading

from ..base.processes import command_of, no_console
from ..base.threads import core_count

# How often a task is tried whose worker died.
TRIES = 2
# What the package is called in a worker, whatever it is called here.
NAME = "stiction"


class LocalPool:
    """Processes that perform lists of tasks: submit(tasks), then take() -> (tasks, results)."""

    def __init__(self, workers=0):
        self.size = workers or core_count()
        self._answers = queue.Queue()
        self._idle, self._busy, self._waiting, self._tries = [], {}, [], {}

    def submit(self, tasks):
        """Queue tasks that are done one after another by one worker."""
        self._waiting.append(tuple(tasks))
        self._feed()

    def take(self):
        """(tasks, results) of the next ones that are done; results are None if their worker died twice."""
        while self._busy or self._waiting:
            self._feed()
            worker, results = self._answers.get()
            tasks = self._busy.pop(worker, None)
            if tasks is None:
                # It died while it had nothing to do: nobody misses it.
                self._idle = [other for other in self._idle if other is not worker]
                continue
            if results is None:
                worker.end()
                tried = self._tries[tasks[0].key] = self._tries.get(tasks[0].key, 0) + 1
                if tried < TRIES:
                    self._waiting.insert(0, tasks)
                    continue
                return tasks, None
            self._idle.append(worker)
            self._feed()
            return tasks, results
        raise LookupError("nothing was submitted")

    def _feed(self):
        while self._waiting and len(self._busy) < self.size:
            worker = self._idle.pop() if self._idle else _Worker(self._answers)
            tasks = self._waiting.pop(0)
            # A worker that is gone tells so by its end, which take() hears.
            self._busy[worker] = tasks
            worker.send(tasks)

    @property
    def workers(self):
        """Process numbers of the workers."""
        return [worker.process.pid for worker in (*self._idle, *self._busy)]

    def close(self):
        """End all workers, whatever they do."""
        for worker in (*self._idle, *self._busy):
            worker.end()
        self._idle, self._busy, self._waiting = [], {}, []


class _Worker:
    """A process and the thread that hears it: answers get (worker, results), results None at its end."""

    def __init__(self, answers):
        self.process = subprocess.Popen(
            command_of("solver.studies.pool", name=NAME), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            encoding="utf-8", **no_console(),
        )  # fmt: skip
        threading.Thread(target=self._hear, args=(answers,), daemon=True).start()

    def _hear(self, answers):
        for line in self.process.stdout:
            answers.put((self, json.loads(line)))
        answers.put((self, None))

    def send(self, tasks):
        """Send tasks; a worker that is gone takes none."""
        try:
            self.process.stdin.write(json.dumps([dataclasses.asdict(task) for task in tasks]) + "\n")
            self.process.stdin.flush()
        except OSError:
            return

    def end(self):
        """Kill the process."""
        self.process.kill()
        self.process.wait()


def main():
    """A worker: perform what comes, answer, until the other end closes. Returns the exit code."""
    from .coordinator import plain
    from .task import Task, perform

    # Whatever else is printed must not come between the answers.
    answers, sys.stdout = os.fdopen(os.dup(1), "w", encoding="utf-8"), sys.stderr
    lines = queue.Queue()
    threading.Thread(target=_listen, args=(lines,), daemon=True).start()
    while True:
        tasks = [_task(Task, record) for record in json.loads(lines.get())]
        answers.write(json.dumps([plain(result) for result in perform(tasks)]) + "\n")
        answers.flush()


def _listen(lines):
    """Pass on what comes; a coordinator that is gone leaves no worker behind, not even for the run in work."""
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)


def _task(kind, record):
    """The Task of its JSON: lists are tuples there."""
    return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in record.items()})
