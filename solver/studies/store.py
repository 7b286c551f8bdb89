"""Results of a study on disk: runs.jsonl, one line a run, appended as they come; and the tables made from it.

A line is the checksum of the rest and a JSON object. Text that is only appended to survives a kill at any instant: at
most its last line is torn, and that is recognised and taken off. Unlike a database it can be joined with what another
machine wrote by `cat`, and needs no locks on a file system that a cluster shares. results.csv is written anew from it.
"""

import csv
import io
import json
import os
import zlib
from pathlib import Path

from ..base.refusal import StudyError
from .measures import COLUMNS
from .task import AS_GIVEN

RUNS, RESULTS, VARIANTS_TABLE = "runs.jsonl", "results.csv", "quality.csv"
# The column by which a row's run is found again.
RUN = "run"
# The column of quality.csv that says at which finer setting a run was made.
VARIANT = "variant"


class Store:
    """The folder of a study. done: {key of a run: its result}."""

    def __init__(self, folder, resume=False):
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StudyError(f"study folder {folder}: cannot be made ({error.strerror}); choose another") from None
        path = self.folder / RUNS
        if path.exists() and path.stat().st_size and not resume:
            raise StudyError(f"study folder {folder}: holds runs already; give --resume to go on, or another folder")
        self.done, self._whole = read_runs(path)
        # Open as long as the study runs; close() ends it.
        self._handle = open(path, "ab")  # noqa: SIM115
        # A line that a kill has torn must not spoil the next one.
        self._handle.truncate(self._whole)

    def add(self, result):
        """Append one result and see it on the disk; StudyError where there is no room, with nothing lost."""
        line = _line(result)
        try:
            self._handle.write(line)
            self._handle.flush()
            os.fsync(self._handle.fileno())
        except OSError as error:
            self._take_back()
            raise StudyError(
                f"study folder {self.folder}: cannot be written ({error.strerror}); {len(self.done)} finished runs are "
                "kept: make room, then go on with --resume"
            ) from None
        self._whole += len(line)
        self.done[result["run"]] = result

    def _take_back(self):
        """Leave the file as it was after the last whole line."""
        try:
            self._handle.truncate(self._whole)
            self._handle.close()
        except OSError:
            # The torn line is taken off when the study goes on.
            return

    def close(self):
        """Close the file."""
        if not self._handle.closed:
            self._handle.close()

    def write_tables(self, tasks):
        """Write results.csv and, where there are repeated runs, quality.csv of the finished ones among `tasks`, in
        their order."""
        for name, wanted in ((RESULTS, True), (VARIANTS_TABLE, False)):
            chosen = [task for task in tasks if (task.variant == AS_GIVEN) == wanted and task.key in self.done]
            if not chosen and not wanted:
                continue
            text = table_text([(task, self.done[task.key]["row"]) for task in chosen], variants=not wanted)
            write_whole(self.folder / name, text)


def table_text(rows, variants=False):
    """CSV of [(Task, row)]: the parameters, COLUMNS, the run's key, and which variant where asked for."""
    names = list(dict.fromkeys(name for task, _ in rows for name in task.values))
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*names, *COLUMNS, RUN, *([VARIANT] if variants else [])])
    for task, row in rows:
        values = {"seed": task.seed, **row}
        writer.writerow([*(task.values.get(name, "") for name in names), *(_text(values[key]) for key in COLUMNS),
                         task.key, *([task.variant] if variants else [])])  # fmt: skip
    return stream.getvalue()


def _text(value):
    return f"{value:.10g}" if isinstance(value, float) else value


def write_whole(path, text):
    """Write a file so that a kill leaves the old or the new one."""
    temporary = path.with_name(path.name + ".part")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
    except OSError as error:
        raise StudyError(f"{path}: cannot be written ({error.strerror}); make room, then go on with --resume") from None


def _line(result):
    text = json.dumps(result, separators=(",", ":"), allow_nan=True)
    return f"{zlib.crc32(text.encode()):08x} {text}\n".encode()


def read_runs(path):
    """({key: result}, bytes up to the end of the last whole line) of a runs.jsonl. A line in the middle that does not
    fit its checksum is left out: that run is made again."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        return {}, 0
    done, whole = {}, 0
    for line in data.splitlines(keepends=True):
        if not line.endswith(b"\n"):
            break
        whole += len(line)
        checksum, _, text = line.rstrip(b"\n").partition(b" ")
        if checksum == b"%08x" % zlib.crc32(text):
            result = json.loads(text)
            done[result["run"]] = result
    return done, whole
