"""Python threads for kernels that let go of the interpreter: fixed chunks, so that their number cannot change a bit."""

import contextlib
import functools
import os
from concurrent.futures import Future, ThreadPoolExecutor


def core_count():
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def thread_pool(workers):
    """The pool of that many threads, made once."""
    return ThreadPoolExecutor(workers, thread_name_prefix="stiction")


def in_chunks(function, count, size, workers):
    """Results of function(first, last) over range(count), in order, whatever thread computes them.

    workers: threads, 0 for one a core.
    """
    bounds = [(first, min(first + size, count)) for first in range(0, count, size)]
    if workers != 1 and len(bounds) > 1:
        return list(thread_pool(workers or core_count()).map(lambda bound: function(*bound), bounds))
    return [function(*bound) for bound in bounds]


def concurrently(function, workers):
    """Start function() concurrently with the caller, if there is more than one worker; returns what waits for its
    result."""
    if workers == 1:
        done: list = []

        def result():
            if not done:
                done.append(function())
            return done[0]

        return result
    return thread_pool(workers or core_count()).submit(function).result


@contextlib.contextmanager
def helped(tasks, workers, stop):
    """Run tasks() concurrently with the body of a `with`, which needs none of them; after it stop() makes them end."""
    running = [thread_pool(workers or core_count()).submit(task) for task in tasks]
    try:
        yield
    finally:
        if tasks:
            stop()
        for task in running:
            # Nobody waits: one that has not begun is not needed, one without a core would only hear of it late. What
            # goes wrong in one is written to the error stream.
            if not task.cancel():
                task.add_done_callback(Future.result)
