"""The worker process: readings in, run folders out. Blender's Python, never bpy; it stays for the next run.

Orders come as lines of JSON on stdin: {"simulate": folder, "resume": bool}, {"pause": bool}, {"stop": true}. Answers go
as lines of JSON to stdout, a file that Blender reads: {"at": phase}, {"compiled": functions, "of", "seconds": at most},
{"done", "total", "contacts", "overlap", "residual"} after frames, and at the end {"end": "done" | "stopped" |
"refused" | "crashed", "error": sentence}. The process ends with its stdin, which is Blender's end of a pipe, or after
a while without orders.
"""

import gc
import json
import queue
import sys
import time
import traceback
from pathlib import Path

from ...solver.base.lifeline import listen
from ...solver.base.progress import Progress

# Seconds without an order after which the worker gives its memory back.
IDLE = 600.0
# Seconds between two looks whether a pause is over.
LOOK = 0.02


class Inbox:
    """What Blender has ordered; heard at any time, so that pause and stop work during a run."""

    def __init__(self):
        self.runs, self.paused, self.stopped = queue.SimpleQueue(), False, False
        listen(self._take)

    def _take(self, line):
        order = json.loads(line)
        if "simulate" in order:
            self.paused = self.stopped = False
            self.runs.put(order)
        elif "pause" in order:
            self.paused = order["pause"]
        elif "stop" in order:
            self.stopped, self.paused = True, False

    def wait_while_paused(self):
        """Return when there is no pause, or none any more."""
        while self.paused:
            time.sleep(LOOK)


class Told(Progress):
    """Tells Blender of the steps of a run as frames are done, of those made together once; holds the run in a pause."""

    def __init__(self, inbox, each):
        """each: steps of a frame."""
        self._inbox, self._each, self._frames = inbox, each, 0

    def __call__(self, done, total, report=None):
        """Tell that so many steps are done."""
        self._inbox.wait_while_paused()
        if done // self._each > self._frames:
            self._frames = done // self._each
            say(done=done, total=total, contacts=int(report.contact_count), overlap=float(report.overlap),
                residual=float(report.residual))  # fmt: skip


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

    # It stays: the collector need not go through it again and again.
    gc.freeze()
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

    from ...solver.base.threads import core_count
    from ...solver.kernels.signatures import read

    entries, count = read(), 0
    # Others compile on the other cores, see kernels_ahead.py.
    most = {"of": len(entries), "seconds": sum(one.seconds for one in entries) / core_count()}

    class Listener(event.Listener):
        def on_start(self, event):
            nonlocal count
            count += 1
            say(compiled=count, **most)

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

    return simulate(
        scene, options, output=folder, progress=Told(inbox, options.steps_per_frame), resume=resume,
        cancelled=lambda: inbox.stopped, overwrite=True,
    )  # fmt: skip
