"""The film of a run: pictures by a process a core, handed out in pieces as the run's frames come."""

import shutil
import subprocess
import threading
import time
from pathlib import Path

from ...solver.base.processes import command_of
from ...solver.base.threads import core_count
from .encode import encode

# Pictures that a process is given at a time: for each piece it bakes anew what there is by then. Once the run is whole
# it bakes but once, and small pieces let all processes end together.
PIECE, LAST_PIECE = 8, 2


class Film:
    """Pictures of the run of a demo. `grown(count)` tells how many frames the run has; `done` how many pictures there
    are; `wait()` waits for the last one, `write()` makes the film of them."""

    def __init__(self, blend, name, total, height, newest):
        """blend: the demo's scene before its run; total: frames; height [pixels]; newest: file (.png) that always shows
        the last picture made."""
        self.blend, self.name, self.total, self.height = Path(blend).resolve(), name, total, height
        self.newest, self.folder = Path(newest), Path(newest).resolve().with_name(f".{name}_pictures")
        self.done, self._count, self._next, self._highest = 0, 0, 0, -1
        self._changed, self._painters, self._broken = threading.Condition(), [], ""

    def begin(self, run_folder):
        """Start the processes for the run in a folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        command = command_of("blender_addon.film.worker", self.blend, self.name, Path(run_folder).resolve(),
                             self.folder, self.height)  # fmt: skip
        for _ in range(core_count()):
            process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)  # fmt: skip
            thread = threading.Thread(target=self._drive, args=(process,), daemon=True)
            thread.start()
            self._painters.append((process, thread))

    def grown(self, count):
        """Tell that the run has so many frames."""
        with self._changed:
            self._count = count
            self._changed.notify_all()

    def write(self, path, frame_rate):
        """Write the pictures as a film to `path` (.mp4)."""
        encode(self.pictures(), path, frame_rate)

    def wait(self, progress=None):
        """Wait for the last picture of a run that has all its frames; RuntimeError where one cannot be made."""
        self.grown(self.total)
        while any(thread.is_alive() for _, thread in self._painters):
            if progress is not None:
                progress(self.done, self.total)
            time.sleep(0.2)
        if self.done < self.total:
            reason = self._broken or "rendering ended"
            raise RuntimeError(f"the film has {self.done} of {self.total} pictures: {reason}")
        if progress is not None:
            progress(self.done, self.total)

    def pictures(self):
        """Files of all pictures in their order."""
        return [self.folder / f"{row:04d}.png" for row in range(self.total)]

    def close(self):
        """End the processes and remove the pictures."""
        for process, _ in self._painters:
            process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _piece(self):
        """The next rows (first, last) to render, once the run has them; None when there are no more."""
        with self._changed:
            while True:
                first = self._next
                size = PIECE if self._count < self.total else LAST_PIECE
                last = min(first + size, self.total) - 1
                if first >= self.total or self._broken:
                    return None
                if last < self._count:
                    self._next = last + 1
                    return first, last
                self._changed.wait()

    def _drive(self, process):
        """Hand out pieces to a process, and count the pictures it makes."""
        while (piece := self._piece()) is not None:
            try:
                process.stdin.write("{} {}\n".format(*piece))
                process.stdin.flush()
                for row in range(piece[0], piece[1] + 1):
                    if process.stdout.readline().strip() != str(row):
                        raise BrokenPipeError
                    self._made(row)
            except OSError:
                process.kill()
                said = process.stderr.read().strip().splitlines()
                with self._changed:
                    self._broken = said[-1] if said else f"a process ended with code {process.wait()}"
                    self._changed.notify_all()
                return
        process.stdin.close()
        process.wait()

    def _made(self, row):
        with self._changed:
            self.done += 1
            if row > self._highest:
                self._highest = row
                shutil.copyfile(self.folder / f"{row:04d}.png", self.newest)
