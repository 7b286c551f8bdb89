"""The worker process: readings in, run folders out. Blender's Python, never bpy; it stays for the next run.

Orders come as lines of JSON on stdin: {"simulate": folder, "resume": bool}, {"pause": bool}, {"stop": true}. Answers go
as lines of JSON to stdout: {"at": phase}, {"compiled": count}, {"done", "total", "contacts", "overlap", "residual"} a
frame, and at the end {"end": "done" | "stopped" | "refused" | "crashed", "error": sentence}. The process ends with
its stdin, which is Blender's end of a pipe, or after a while without orders.
"""

import json
import os
import queue
import sys
import threading
import time
import traceback
from pathlib import Path

# Seconds without an order after which the worker gives its memory back.
IDLE = 600.0


class Inbox:
    """What Blender has ordered; a thread of its own reads it, so that pause and stop work during a run."""

    def __init__(self):
        self.runs = queue.Queue()
        self.going, self.stopped = threading.Event(), threading.Event()
        self.going.set()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        rest = b""
        # The bare file: a buffered one would hold a lock while Python shuts down.
        while chunk := os.read(0, 65536):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._take(json.loads(line))
        # Blender is gone.
        os._exit(3)

    def _take(self, order):
        if "simulate" in order:
            self.stopped.clear()
            self.going.set()
            self.runs.put(order)
        elif "pause" in order:
            (self.going.clear if order["pause"] else self.going.set)()
        elif "stop" in order:
            self.stopped.set()
            self.going.set()

    def wait_while_paused(self):
        """Return the seconds that a pause took."""
        if self.going.is_set():
            return 0.0
        start = time.monotonic()
        self.going.wait()
        return time.monotonic() - start


def say(**message):
    """Tell Blender something."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main():
    """Work until there is nothing more to do; returns the exit code."""
    inbox = Inbox()
    say(at="loading")
    # What every run needs is loaded while Blender still reads the scene.
    from ...solver import simulation  # noqa: F401

    listen_to_compiler()
    while True:
        try:
            order = inbox.runs.get(timeout=IDLE)
        except queue.Empty:
            return 0
        end, error = run_order(order, inbox)
        say(end=end, error=error)


def listen_to_compiler():
    """Tell Blender of every function that is compiled, as opposed to loaded."""
    from ...solver.kernels.ways import LIBRARY, way

    if way() == LIBRARY:
        return
    from numba.core import event

    count = 0

    class Listener(event.Listener):
        def on_start(self, event):
            nonlocal count
            count += 1
            say(compiled=count)

        def on_end(self, event):
            pass

    event.register("numba:compile", Listener())


def run_order(order, inbox):
    """Simulate the reading in a folder; returns how it ended and the sentence for the user."""
    from ...solver.base.refusal import SceneError, TrajectoryError
    from ...solver.methods import UnknownMethod
    from ...solver.options import OptionError
    from .run_folders import RunLock, remedy

    folder, lock = Path(order["simulate"]), None
    try:
        lock = RunLock(folder)
        run = _simulate(folder, order["resume"], inbox)
    except (SceneError, OptionError, UnknownMethod, TrajectoryError) as error:
        return "refused", str(error)
    except OSError as error:
        return "refused", f"folder {folder}: {error.strerror or error}; {remedy(error)}, then press Go On"
    except MemoryError:
        return "refused", "the computer's memory is full; close other programs, or simulate fewer bodies"
    except Exception:
        # Told in the console in full, and to the user by its last line.
        return "crashed", traceback.format_exc()
    finally:
        if lock is not None:
            lock.release()
    # A run that a fault has ended is judged by that, with what there is of it.
    return ("done" if run.complete or run.fault else "stopped"), ""


def _simulate(folder, resume, inbox):
    """Assemble and simulate; returns the Trajectory."""
    from ...solver.simulation import options_for, simulate
    from ..exporting import reading
    from ..exporting.assembly import assemble

    say(at="reading the scene")
    scene = assemble(reading.load(folder)).scene
    options = options_for(scene)
    say(at="preparing")

    def progress(done, total, report):
        inbox.wait_while_paused()
        if done % options.steps_per_frame == 0:
            say(done=done, total=total, contacts=int(report.contact_count), overlap=float(report.overlap),
                residual=float(report.residual))  # fmt: skip

    return simulate(
        scene, options, output=folder, progress=progress, resume=resume, cancelled=inbox.stopped.is_set,
        overwrite=True,
    )  # fmt: skip
