"""Workers of a study: processes of this machine, each with one run at a time.

Not concurrent.futures: there one killed worker breaks the whole pool. Here its task is given to a new one.
"""

import multiprocessing
import os
import threading
from multiprocessing.connection import wait

from ..base.threads import core_count

# How often a task is tried whose worker died.
TRIES = 2


class LocalPool:
    """Processes that perform lists of tasks: submit(tasks), then take() -> (tasks, results)."""

    def __init__(self, workers=0):
        self.size = workers or core_count()
        self._context = multiprocessing.get_context("spawn")
        self._idle, self._busy, self._waiting, self._tries = [], {}, [], {}

    def submit(self, tasks):
        """Queue tasks that are done one after another by one worker."""
        self._waiting.append(tuple(tasks))
        self._feed()

    def take(self):
        """(tasks, results) of the next ones that are done; results are None if their worker died twice."""
        while self._busy or self._waiting:
            self._feed()
            connections = list(self._busy)
            for connection in wait(connections):
                worker, tasks = self._busy.pop(connection)
                try:
                    results = connection.recv()
                except (EOFError, OSError):
                    worker.join()
                    connection.close()
                    self._tries[tasks[0].key] = self._tries.get(tasks[0].key, 0) + 1
                    if self._tries[tasks[0].key] < TRIES:
                        self._waiting.insert(0, tasks)
                        break
                    return tasks, None
                self._idle.append((worker, connection))
                self._feed()
                return tasks, results
        raise LookupError("nothing was submitted")

    def _feed(self):
        while self._waiting and len(self._busy) < self.size:
            worker, connection = self._idle.pop() if self._idle else self._started()
            tasks = self._waiting.pop(0)
            try:
                connection.send(tasks)
            except (BrokenPipeError, OSError):
                # It died while it had nothing to do: nobody misses it.
                self._waiting.insert(0, tasks)
                continue
            self._busy[connection] = (worker, tasks)

    def _started(self):
        ours, theirs = self._context.Pipe()
        worker = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        worker.start()
        theirs.close()
        return worker, ours

    def close(self):
        """End all workers, whatever they do."""
        for worker, connection in [*self._idle, *((entry[0], key) for key, entry in self._busy.items())]:
            connection.close()
            worker.terminate()
            worker.join()
        self._idle, self._busy, self._waiting = [], {}, []


def _serve(connection):
    """A worker: perform what comes until the other end closes, or its process dies."""
    threading.Thread(target=_die_with_parent, daemon=True).start()
    from .task import perform

    while True:
        try:
            tasks = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(perform(tasks))


def _die_with_parent():
    """A coordinator that was killed leaves no worker behind."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
