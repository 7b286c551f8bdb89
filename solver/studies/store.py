"""Results of a study on disk: runs.jsonl, one line a run, appended as they come; and the tables made from it.

A line is the checksum of the rest and a JSON object. Text that is only appended to survives a kill at any instant: at
most its last line is torn, and that is recognised and taken off. Unlike a database it can be joined with what another
machine wrote by `cat`. One process at a time appends; any number reads meanwhile. results.csv is written anew from it.
"""

import csv
import io
import json
import os
import time
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ..base.files import replace_file
from ..base.refusal import StudyError
from ..kernels.file_lock import FileLock
from .measures import COLUMNS, LOST, as_json
from .task import AS_GIVEN

RUNS, RESULTS, VARIANTS_TABLE = "runs.jsonl", "results.csv", "quality.csv"
# The column by which a row's run is found again.
RUN = "run"
# The column of quality.csv that says at which finer setting a run was made.
VARIANT = "variant"
# Held by the process that makes the runs, and given back when it ends, however it does.
LOCK = ".writing"
# Seconds between two times that what was appended is seen on the disk; between two times the tables are written anew,
# and the part of the time that this may take.
SYNC, TABLES, TABLES_SHARE = 1.0, 15.0, 0.005


class Results(Mapping):
    """{key of a run: its result} of a runs.jsonl, read from it when they are asked for: only where they are is kept.

    lost: keys of runs that have no result yet because their worker ended or their time was over; damaged: numbers of
    lines, from 1, that do not fit their checksum."""

    def __init__(self, path):
        self.path, self.lost, self.damaged = Path(path), set(), []
        self._places, self._handle = {}, None

    def note(self, result, place, length):
        """Tell that a result is at byte `place`; one of a run that was lost never stands for a finished one."""
        key, lost = result["run"], result["row"]["status"] == LOST
        if lost and key in self._places and key not in self.lost:
            return
        (self.lost.add if lost else self.lost.discard)(key)
        self._places[key] = place, length

    def finished(self, key):
        """Whether a run needs not be made again."""
        return key in self._places and key not in self.lost

    def __getitem__(self, key):
        place, length = self._places[key]
        if self._handle is None:
            self._handle = open(self.path, "rb")  # noqa: SIM115
        self._handle.seek(place)
        return json.loads(self._handle.read(length).partition(b" ")[2])

    def __contains__(self, key):
        return key in self._places

    def __iter__(self):
        return iter(self._places)

    def __len__(self):
        return len(self._places)


class Store:
    """The folder of a study, to which no other process adds results meanwhile; adds=False: nor does this one, which
    takes what is there. done: Results."""

    def __init__(self, folder, resume=False, adds=True):
        self.folder, self._handle = Path(folder), None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StudyError(f"study folder {folder}: cannot be made ({error.strerror}); choose another") from None
        path, self._lock = self.folder / RUNS, FileLock(self.folder / LOCK)
        if adds and not self._lock.take():
            raise StudyError(f"study folder {folder}: another process makes its runs; wait for its end or choose "
                             "another")  # fmt: skip
        try:
            if path.is_file() and path.stat().st_size and not resume:
                raise StudyError(f"study folder {folder}: holds runs already; give --resume to go on, or another "
                                 "folder")  # fmt: skip
            self.done, self._whole = read_runs(path)
            if adds:
                self._open(path)
        except BaseException:
            self._lock.release()
            raise
        self._synced, self._next_tables = time.monotonic(), 0.0

    def _open(self, path):
        try:
            # Open as long as the study runs; close() ends it. Without a buffer, which would keep what a full disk does
            # not take.
            self._handle = open(path, "ab", buffering=0)  # noqa: SIM115
            # A line that a kill has torn must not spoil the next one.
            self._handle.truncate(self._whole)
        except OSError as error:
            raise StudyError(f"{path}: cannot be written ({error.strerror}); choose another folder") from None

    def add(self, result):
        """Append one result; StudyError where there is no room, with nothing lost. A kill costs none of them, a power
        cut those of the last SYNC seconds."""
        line = _line(result)
        try:
            left = memoryview(line)
            while left:
                # A disk that is nearly full takes a part.
                left = left[self._handle.write(left) :]
            if time.monotonic() - self._synced > SYNC:
                os.fsync(self._handle.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            self._take_back()
            raise StudyError(
                f"study folder {self.folder}: cannot be written ({error.strerror}); {len(self.done)} finished runs are "
                "kept: make room, then go on with --resume"
            ) from None
        self.done.note(result, self._whole, len(line))
        self._whole += len(line)

    def _take_back(self):
        """Leave the file as it was after the last whole line, and close it."""
        # Where that fails, the torn line is taken off when the study goes on.
        with suppress(OSError):
            self._handle.truncate(self._whole)
        self.close()

    def close(self):
        """Close the file."""
        if self._handle is not None and not self._handle.closed:
            # What a disk does not take was said when it was added.
            with suppress(OSError):
                os.fsync(self._handle.fileno())
            self._handle.close()
        self._lock.release()

    def write_tables_now_and_then(self, tasks):
        """Write the tables, if the last ones are TABLES seconds old, and so seldom that it costs TABLES_SHARE of the
        time."""
        began = time.monotonic()
        if began < self._next_tables:
            return
        self.write_tables(tasks)
        now = time.monotonic()
        self._next_tables = now + max(TABLES, (now - began) / TABLES_SHARE)

    def write_tables(self, tasks):
        """Write results.csv and, where there are repeated runs, quality.csv of the finished ones among `tasks`, in
        their order."""
        for name, wanted in ((RESULTS, True), (VARIANTS_TABLE, False)):
            chosen = [task for task in tasks if (task.variant == AS_GIVEN) == wanted and task.key in self.done]
            if not chosen and not wanted:
                continue
            rows = ((task, self.done[task.key]["row"]) for task in chosen)
            names = dict.fromkeys(name for task in chosen for name in task.values)
            _write_table(self.folder / name, rows, names, variants=not wanted)


def _write_table(path, rows, names, variants=False):
    """Write (Task, row) pairs as CSV, one after another: the parameters `names`, COLUMNS, the run's key, and which
    variant where asked for."""

    def write(handle):
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow([*names, *COLUMNS, RUN, *([VARIANT] if variants else [])])
        for task, row in rows:
            values = {"seed": task.seed, **row}
            writer.writerow([*(task.values.get(name, "") for name in names), *(_text(values[key]) for key in COLUMNS),
                             task.key, *([task.variant] if variants else [])])  # fmt: skip

    _replaced(path, write)


def _text(value):
    return f"{value:.10g}" if isinstance(value, float) else value


def write_whole(path, text):
    """Write a file so that a kill leaves the old or the new one."""
    _replaced(path, lambda handle: handle.write(text))


def _replaced(path, write):
    """Put what write(handle) writes in the place of a file, in one go at the end."""

    def encoded(handle):
        text = io.TextIOWrapper(handle, encoding="utf-8", newline="")
        write(text)
        text.detach()

    try:
        replace_file(path, encoded)
    except OSError as error:
        raise StudyError(f"{path}: cannot be written ({error.strerror}); make room, then go on with --resume") from None


def _line(result):
    text = json.dumps(result, separators=(",", ":"), default=as_json)
    return f"{zlib.crc32(text.encode()):08x} {text}\n".encode()


def read_runs(path):
    """(Results, bytes up to the end of the last whole line) of a runs.jsonl. A line in the middle that does not fit its
    checksum is left out: that run is made again."""
    done, whole = Results(path), 0
    try:
        handle = open(path, "rb")  # noqa: SIM115
    except FileNotFoundError:
        return done, 0
    except OSError as error:
        raise StudyError(f"{path}: cannot be read ({error.strerror}); move it away, and --resume makes its runs again"
                         ) from None  # fmt: skip
    with handle:
        for number, line in enumerate(handle, start=1):
            if not line.endswith(b"\n"):
                break
            checksum, _, text = line.rstrip(b"\n").partition(b" ")
            if checksum == b"%08x" % zlib.crc32(text):
                done.note(json.loads(text), whole, len(line))
            else:
                done.damaged.append(number)
            whole += len(line)
    return done, whole
