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
from collections import deque

from ..base.processes import command_of, no_console
from ..base.refusal import StudyError
from ..base.threads import core_count
from .measures import TRIES, as_json

# How many workers may end one after another before they have begun.
STILLBORN = 20
# What a worker says when it is ready for its first tasks.
BEGUN = "begun"
# What the package is called in a worker, whatever it is called here.
NAME = "stiction"


class LocalPool:
    """Processes that perform lists of tasks: submit(tasks), then take() -> (tasks, results). limit: CPU seconds that a
    run may take; 0: any."""

    def __init__(self, workers=0, limit=0.0):
        self.size, self.limit = workers or core_count(), limit
        self._answers = queue.Queue()
        # Of the busy: the tasks that each still has.
        self._idle, self._busy, self._waiting, self._tries, self._stillborn = [], {}, deque(), {}, 0

    def submit(self, tasks):
        """Queue tasks that are done one after another by one worker."""
        self._waiting.append(tuple(tasks))
        self._feed()

    def take(self):
        """(tasks, results) of the next ones that are done; results are None if their worker died TRIES times."""
        while self._busy or self._waiting:
            self._feed()
            worker, said = self._answers.get()
            left = self._busy.get(worker)
            if left is None:
                # It died while it had nothing to do: nobody misses it.
                self._idle = [other for other in self._idle if other is not worker]
            elif said is None:
                lost = self._died(worker, self._busy.pop(worker))
                if lost is not None:
                    return (lost,), None
            elif said == BEGUN:
                worker.begun, self._stillborn = True, 0
            else:
                task = left.pop(0)
                if not left:
                    self._busy.pop(worker)
                    self._idle.append(worker)
                    self._feed()
                return (task,), [said]
        raise LookupError("nothing was submitted")

    def _died(self, worker, left):
        """Queue again what a worker had left that died; the task that it died in if that was tried often enough."""
        worker.end()
        if not worker.begun:
            self._stillborn += 1
            if self._stillborn > STILLBORN:
                raise StudyError(f"workers end before they begin a run (exit code {worker.process.returncode}); see "
                                 "what is said above, then go on with --resume")  # fmt: skip
            self._waiting.appendleft(tuple(left))
            return None
        first = left[0]
        tried = self._tries[first.key] = self._tries.get(first.key, 0) + 1
        rest = left if tried < TRIES else left[1:]
        if rest:
            self._waiting.appendleft(tuple(rest))
        return None if tried < TRIES else first

    def _feed(self):
        while self._waiting and len(self._busy) < self.size:
            worker = self._idle.pop() if self._idle else _Worker(self._answers)
            tasks = self._waiting.popleft()
            # A worker that is gone tells so by its end, which take() hears.
            self._busy[worker] = list(tasks)
            worker.send(tasks, self.limit)

    @property
    def workers(self):
        """Process numbers of the workers."""
        return [worker.process.pid for worker in (*self._idle, *self._busy)]

    def close(self):
        """End all workers, whatever they do."""
        for worker in (*self._idle, *self._busy):
            worker.end()
        self._idle, self._busy, self._waiting = [], {}, deque()


class _Worker:
    """A process and the thread that hears it: answers get (worker, BEGUN), then (worker, result) of each task, and
    (worker, None) at its end. begun: whether it was ready for tasks."""

    def __init__(self, answers):
        self.begun = False
        self.process = subprocess.Popen(
            command_of("solver.studies.pool", name=NAME), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            encoding="utf-8", **no_console(),
        )  # fmt: skip
        threading.Thread(target=self._hear, args=(answers,), daemon=True).start()

    def _hear(self, answers):
        for line in self.process.stdout:
            # A worker that is killed while it writes leaves half a line.
            if line.endswith("\n"):
                answers.put((self, json.loads(line)))
        answers.put((self, None))

    def send(self, tasks, limit):
        """Send tasks; a worker that is gone takes none."""
        try:
            self.process.stdin.write(json.dumps([limit, *(vars_of(task) for task in tasks)]) + "\n")
            self.process.stdin.flush()
        except OSError:
            return

    def end(self):
        """Kill the process."""
        self.process.kill()
        self.process.wait()


def main():
    """A worker: perform what comes, answer, until the other end closes. Returns the exit code."""
    from .task import Task, performing

    # Whatever else is printed must not come between the answers.
    answers, sys.stdout = os.fdopen(os.dup(1), "w", encoding="utf-8"), sys.stderr
    lines = queue.Queue()
    threading.Thread(target=_listen, args=(lines,), daemon=True).start()
    _say(answers, BEGUN)
    while True:
        limit, *records = json.loads(lines.get())
        for result in performing([_task(Task, record) for record in records], limit):
            _say(answers, result)


def _say(answers, what):
    try:
        answers.write(json.dumps(what, default=as_json) + "\n")
        answers.flush()
    except BrokenPipeError:
        # The coordinator is gone, as _listen is about to hear.
        os._exit(0)


def _listen(lines):
    """Pass on what comes; a coordinator that is gone leaves no worker behind, not even for the run in work."""
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)


def vars_of(task):
    """The fields of a Task as JSON takes them."""
    return {entry.name: getattr(task, entry.name) for entry in dataclasses.fields(task)}


def _task(kind, record):
    """The Task of its JSON: lists are tuples there."""
    return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in record.items()})
