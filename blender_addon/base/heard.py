"""A process whose words are read when Blender has time for them.

It writes into files, not into pipes: a file takes any amount without a reader, and what is new in it is read without
waiting, so that neither side holds the other up and no thread is needed.
"""

import contextlib
import os
import subprocess
import tempfile

from ...solver.base.processes import no_console

# Bytes of a stream that are kept for a sentence on why it ended.
TAIL = 4000


class Stream:
    """What a process has written to one of its streams; `taken` is what was new."""

    def __init__(self):
        number, self.path = tempfile.mkstemp(prefix="stiction-", suffix=".txt")
        self.end, self._file, self._rest = os.fdopen(number, "wb"), open(self.path, "rb"), b""  # noqa: SIM115

    def started(self):
        """Leave the writing to the process that has been started. Where the system allows it, the file loses its name:
        nothing of it is left, however both end."""
        self.end.close()
        with contextlib.suppress(OSError):
            os.unlink(self.path)

    def lines(self):
        """The lines that are new and whole. A carriage return ends one, too: progress at a terminal is written so."""
        text = self._rest + self._file.read()
        *lines, self._rest = text.replace(b"\r", b"\n").split(b"\n")
        return [line.decode(errors="replace") for line in lines if line.strip()]

    def last_lines(self, count):
        """The last lines that are not empty, old ones too."""
        self._file.seek(0, os.SEEK_END)
        self._file.seek(max(0, self._file.tell() - TAIL))
        text = self._file.read().decode(errors="replace").replace("\r", "\n")
        return [line.rstrip() for line in text.split("\n") if line.strip()][-count:]

    def close(self):
        """Read no more."""
        self._file.close()
        with contextlib.suppress(OSError):
            os.unlink(self.path)


class HeardProcess:
    """A process with streams `said` and `errors`, which takes orders by `order` and ends when this one ends."""

    def __init__(self, command, environment=None):
        self.said, self.errors = Stream(), Stream()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=self.said.end, stderr=self.errors.end, env=environment,
            **no_console(),
        )  # fmt: skip
        for stream in (self.said, self.errors):
            stream.started()

    @property
    def alive(self):
        """True while the process runs."""
        return self.process.poll() is None

    def order(self, line):
        """Send a line; a process that is gone takes none."""
        # Two reasons: the process has ended, or its end of the pipe was closed here.
        with contextlib.suppress(OSError, ValueError):
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()

    def kill(self):
        """End the process at once, and with it those that it has started: they wait on its end of a pipe."""
        self.process.kill()
        self.process.wait()

    def close(self):
        """Let go of a process that has ended."""
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        for stream in (self.said, self.errors):
            stream.close()
