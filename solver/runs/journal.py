"""The journal of a run: how long each stream was after each frame, with checksums of what the frame added to it.

A stream is a file of records that only grows. The journal tells, whatever happened to the files since, which frames are
whole in all of them: a resume starts after such a frame, and damage is named instead of read.
"""

import os
import struct
import zlib
from pathlib import Path

from ..base.refusal import TrajectoryError

NAME = "journal.bin"


class Stream:
    """A growing file; what is written waits for `flush`, so that a frame reaches the disk in one piece."""

    def __init__(self, path, length=None, at_once=True):
        """length: bytes to keep of a file that is there; None: begin anew. at_once: make the file now, and not when
        there is something to write, which in most runs there is not: to make files takes longer than to write them."""
        self._path, self._waiting, self._file = path, [], None
        self.length, self.checksum = length or 0, 0
        if self.length or at_once:
            self._open("wb" if length is None else "r+b")
        elif os.path.lexists(path):
            self._do(path.unlink)
        if length is not None and self._file is not None:
            self._do(lambda: self._file.truncate(length))
            self._file.seek(length)

    def _open(self, mode):
        self._file = self._do(lambda: self._path.open(mode, buffering=0))

    def write(self, data):
        """Take bytes; they are on their way to the disk after the next `flush`."""
        self._waiting.append(data)

    @property
    def waiting(self):
        """Bytes that wait."""
        return sum(map(len, self._waiting))

    def tell(self):
        """Bytes on their way to the disk, without those that wait."""
        return self.length

    def flush(self):
        """Write what waits; TrajectoryError where the disk does not take it."""
        if self._waiting:
            data, self._waiting = b"".join(self._waiting), []
            self.checksum = zlib.crc32(data, self.checksum)
            self._put(memoryview(data))

    def _put(self, data):
        self.length += len(data)
        if len(data) and self._file is None:
            self._open("wb")
        while len(data):
            data = data[self._do(lambda rest=data: self._file.write(rest)) :]

    def flush_in_parts(self, ends):
        """`flush` of what waits with checksums of its parts, which end at `ends` (n,) bytes: (length after each part,
        checksum of each), n of each; the rest waits on."""
        if not ends[-1]:
            return [(self.length, 0)] * len(ends)
        data = memoryview(b"".join(self._waiting))
        marks = [(self.length + end, zlib.crc32(data[begin:end]))
                 for begin, end in zip((0, *ends[:-1]), ends, strict=True)]  # fmt: skip
        self._put(data[: ends[-1]])
        self._waiting = [data[ends[-1] :]]
        return marks

    def added(self):
        """Checksum of what was flushed since the last call."""
        checksum, self.checksum = self.checksum, 0
        return checksum

    def close(self):
        """Close the file; what still waits belongs to no whole frame."""
        if self._file is not None:
            self._file.close()

    def _do(self, action):
        try:
            return action()
        except OSError as error:
            raise TrajectoryError(
                f"{self._path}: cannot be written ({error.strerror}); make room, then go on with --resume"
            ) from None


class Journal:
    """Writes the journal of a run: one record a frame."""

    def __init__(self, folder, streams, frames=None):
        """streams: {file name: Stream}; frames: number of records to keep of a journal that is there."""
        self._streams = streams
        self._record = _record(len(streams))
        size = self._record.size + 4
        self._stream = Stream(Path(folder) / NAME, None if frames is None else frames * size)
        self.count = frames or 0

    def add_frame(self):
        """Flush all streams, then write down that a frame is whole."""
        for stream in self._streams.values():
            stream.flush()
        lengths = [stream.length for stream in self._streams.values()]
        body = self._record.pack(self.count, *lengths, *(stream.added() for stream in self._streams.values()))
        self._stream.write(body + struct.pack("<I", zlib.crc32(body)))
        self._stream.flush()
        self.count += 1

    def add_frames(self, ends):
        """`add_frame` for several frames at once; ends: {file name: bytes (n,) at which what waits there of each frame
        ends}, of streams with anything waiting."""
        count = len(next(iter(ends.values())))
        marks = [self._streams[name].flush_in_parts(ends.get(name, [0] * count)) for name in self._streams]
        for own in zip(*marks, strict=True):
            lengths, checksums = zip(*own, strict=True)
            body = self._record.pack(self.count, *lengths, *checksums)
            self._stream.write(body + struct.pack("<I", zlib.crc32(body)))
            self.count += 1
        self._stream.flush()

    def close(self):
        """Close the journal."""
        self._stream.close()


class WholeFrames:
    """What the journal of a run says, held against the files.

    count: frames that are whole in every stream; fault: the file that ends or differs first, and how, an empty text if
    the run is whole as far as its journal goes.
    """

    def __init__(self, folder, names):
        folder = Path(folder)
        self._names, (self._rows, torn) = names, _read_records(folder / NAME, len(names))
        self.count, self.fault = len(self._rows), f"{folder / NAME}: ends within a record" if torn else ""
        columns = list(zip(*self._rows, strict=True))[1:] or [()] * 2 * len(names)
        for name, ends, checksums in zip(names, columns[: len(names)], columns[len(names) :], strict=True):
            whole, how = _whole_chunks(folder / name, ends, checksums)
            if whole < self.count:
                self.count, self.fault = whole, f"{folder / name}: {how}"

    def lengths(self, count):
        """{file name: bytes} after so many frames."""
        return dict(zip(self._names, self._rows[count - 1][1:], strict=False))


def _record(streams):
    return struct.Struct(f"<Q{streams}Q{streams}I")


def _read_records(path, streams):
    """(records whose own checksum and number are right, up to the first that is not; whether anything is left)."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TrajectoryError(f"{path}: cannot be read ({error.strerror}); simulate again") from None
    record, rows = _record(streams), []
    size = record.size + 4
    for at in range(0, len(data) - size + 1, size):
        body = data[at : at + record.size]
        row = record.unpack(body)
        if int.from_bytes(data[at + record.size : at + size], "little") != zlib.crc32(body) or row[0] != len(rows):
            break
        rows.append(row)
    return rows, len(rows) * size != len(data)


def _whole_chunks(path, ends, checksums):
    """(number of chunks of a file that are as they were written, what is wrong with the next)."""
    if not any(ends):
        return len(ends), ""
    try:
        handle = path.open("rb")
    except OSError as error:
        return 0, f"cannot be read ({error.strerror})"
    with handle:
        start = 0
        for i, (end, checksum) in enumerate(zip(ends, checksums, strict=True)):
            data = handle.read(end - start)
            if len(data) < end - start:
                return i, f"ends at byte {handle.tell()}, within frame {i}"
            if zlib.crc32(data) != checksum:
                return i, f"damaged between bytes {start} and {end}, in frame {i}"
            start = end
    return len(ends), ""
