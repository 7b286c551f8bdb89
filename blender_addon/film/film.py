"""The film of a run: pictures by a process a core, handed out in pieces as the run's frames come."""

import shutil
import time
from pathlib import Path

from ...solver.base.processes import command_of
from ...solver.base.threads import core_count
from ..base.heard import HeardProcess
from .encode import encode

# Pictures that a process is given at a time: for each piece it bakes anew what there is by then. Once the run is whole
# it bakes but once, and small pieces let all processes end together.
PIECE, LAST_PIECE = 8, 2
# Seconds between two looks at the processes.
LOOK = 0.05


class Painter(HeardProcess):
    """A process that makes pictures, and the rows that it still has to make."""

    def __init__(self, command):
        super().__init__(command)
        self.left = []

    def paint(self, first, last):
        """Order the pictures of rows first to last."""
        self.left = list(range(first, last + 1))
        self.order(f"{first} {last}")

    def finished(self):
        """Rows whose pictures are new."""
        rows = [int(line) for line in self.said.lines()]
        self.left = [row for row in self.left if row not in rows]
        return rows

    def ended(self):
        """Why it ended, "" while it runs."""
        if self.alive:
            return ""
        said = self.errors.last_lines(1)
        return said[0] if said else f"a process ended with code {self.process.returncode}"


class Film:
    """Pictures of the run of a demo. `grown(count)` tells how many frames the run has; `done` how many pictures there
    are; `wait()` waits for the last one, `write()` makes the film of them."""

    def __init__(self, blend, name, total, height, newest):
        """blend: the demo's scene before its run; total: frames; height [pixels]; newest: file (.png) that always shows
        the last picture made."""
        self.blend, self.name, self.total, self.height = Path(blend).resolve(), name, total, height
        self.newest, self.folder = Path(newest), Path(newest).resolve().with_name(f".{name}_pictures")
        self.done, self._count, self._next, self._highest = 0, 0, 0, -1
        self._painters, self._broken = [], ""

    def begin(self, run_folder):
        """Start the processes for the run in a folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        command = command_of("blender_addon.film.worker", self.blend, self.name, Path(run_folder).resolve(),
                             self.folder, self.height)  # fmt: skip
        self._painters = [Painter(command) for _ in range(core_count())]

    def grown(self, count):
        """Tell that the run has so many frames, and look at the processes."""
        self._count = count
        for painter in self._painters:
            # In this order: what a process that has ended had to say is there.
            ended = painter.ended()
            for row in painter.finished():
                self._made(row)
            if ended:
                self._broken = self._broken or ended
            elif not painter.left and (piece := self._piece()) is not None:
                painter.paint(*piece)

    def write(self, path, frame_rate):
        """Write the pictures as a film to `path` (.mp4)."""
        encode(self.pictures(), path, frame_rate)

    def wait(self, progress=None):
        """Wait for the last picture of a run that has all its frames; RuntimeError where one cannot be made."""
        self.grown(self.total)
        while self.done < self.total and not self._broken:
            if progress is not None:
                progress(self.done, self.total)
            time.sleep(LOOK)
            self.grown(self.total)
        if self.done < self.total:
            raise RuntimeError(f"the film has {self.done} of {self.total} pictures: {self._broken}")
        if progress is not None:
            progress(self.done, self.total)

    def pictures(self):
        """Files of all pictures in their order."""
        return [self.folder / f"{row:04d}.png" for row in range(self.total)]

    def close(self):
        """End the processes and remove the pictures."""
        for painter in self._painters:
            painter.kill()
            painter.close()
        self._painters = []
        shutil.rmtree(self.folder, ignore_errors=True)

    def _piece(self):
        """The next rows (first, last) to render; None where the run does not have them yet, or there are no more."""
        first = self._next
        size = PIECE if self._count < self.total else LAST_PIECE
        last = min(first + size, self.total) - 1
        if first >= self.total or last >= self._count:
            return None
        self._next = last + 1
        return first, last

    def _made(self, row):
        self.done += 1
        if row > self._highest:
            self._highest = row
            shutil.copyfile(self.folder / f"{row:04d}.png", self.newest)
