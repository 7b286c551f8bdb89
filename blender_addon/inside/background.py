"""Work on a finished run in a process of its own: plots, comparisons. It ends with Blender, and never holds it up."""

import subprocess
import tempfile
from pathlib import Path

from ...solver.base.processes import command_of, no_console
from ..running.job import python_executable, worker_environment

_alive = set()


class Background:
    """main(*arguments) of a module of this package, running; `said` is what it printed to stderr, `folder` the
    first folder of its arguments, None without one."""

    def __init__(self, module, *arguments):
        # A file, not a pipe: nobody has to read it for the process to go on.
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        command = command_of(
            "solver.base.processes", f"blender_addon.inside.{module}", *arguments, python=python_executable(),
            name="stiction",
        )  # fmt: skip
        # The helper ends with the pipe to its stdin, which Blender holds.
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._errors, env=worker_environment(),
            **no_console(),
        )  # fmt: skip
        self.folder = next((one for one in arguments if isinstance(one, Path) and one.is_dir()), None)
        # What the button is called that started it.
        self.label = ""
        _alive.add(self)

    def poll(self):
        """Exit code, None while it runs."""
        code = self._process.poll()
        if code is not None:
            self._end()
        return code

    def wait(self):
        """Exit code, at the end."""
        self._process.wait()
        return self.poll()

    def cancel(self):
        """End it at once."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._end()

    @property
    def said(self):
        """The last lines of what it had to say."""
        self._errors.seek(0)
        lines = [line.rstrip() for line in self._errors if line.strip()]
        return lines[-1] if lines else "it said nothing"

    def _end(self):
        self._process.stdin.close()
        _alive.discard(self)


def at_work():
    """What works now, as its buttons are called."""
    return sorted(process.label for process in _alive if process.label)


def stop_all():
    """End all that run."""
    for process in list(_alive):
        process.cancel()
