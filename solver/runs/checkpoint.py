"""The State of the last whole frame on disk, in two files written in turn: a kill spoils at most the newer one."""

import struct
import zlib
from pathlib import Path

import numpy as np

from ..base.refusal import TrajectoryError
from ..collision.contacts import ContactSet
from ..dynamics.elastic.nodes import Nodes
from ..state import State

FILES = ("checkpoint_0.bin", "checkpoint_1.bin")
STREAMS = ("frames.bin", "steps.bin", "contacts.bin")
# Number, bodies, contacts, nodes, time, bytes of the three streams, checksum of the rest.
_HEAD = struct.Struct("<QQQQdQQQI")


class CheckpointWriter:
    """Writes checkpoints in turn into two files that stay open: opening one costs more than writing it."""

    def __init__(self, folder, resume):
        mode = "r+b" if resume else "wb"
        self._files = [(Path(folder) / name).open(mode) for name in FILES]

    def write(self, number, state, reached):
        """Write checkpoint `number`: the state, and how many bytes of each stream belong to it."""
        c = state.contacts
        arrays = (state.position, state.orientation, state.twist, state.impulses, c.position, c.normal, c.gap,
                  c.body_a, c.body_b, c.key,
                  *(_per_body(column, len(state.position)) for column in (state.rest, state.seen)),
                  *_of_nodes(state.nodes))  # fmt: skip
        body = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)
        lengths = [reached[name] for name in STREAMS]
        counts = len(state.position), c.count, _node_count(state.nodes)
        head = _HEAD.pack(number, *counts, state.time, *lengths, zlib.crc32(body))
        handle = self._files[number % 2]
        handle.seek(0)
        handle.write(head + body)
        handle.flush()

    def close(self):
        """Close both files."""
        for handle in self._files:
            handle.close()


def _per_body(column, count):
    """A column of the State with one number a body, zeros where it is empty."""
    return column if len(column) else np.zeros(count, dtype=column.dtype)


def _node_count(nodes):
    return 0 if nodes is None else len(nodes.position)


def _of_nodes(nodes):
    """The arrays of Nodes, none without them."""
    if nodes is None:
        return ()
    return nodes.position, nodes.velocity, nodes.before, nodes.velocity_before, nodes.remembers.astype(np.int64)


def read_checkpoint(folder):
    """Return (State, {stream: bytes}) of the newest whole checkpoint; TrajectoryError if there is none."""
    found = [whole for name in FILES if (whole := _read(Path(folder) / name)) is not None]
    if not found:
        raise TrajectoryError(f"{folder}: no whole checkpoint; start the run anew")
    return max(found, key=lambda entry: entry[0])[1:]


def _read(path):
    """(number, State, reached) of one file, None if it is missing or not whole."""
    data = path.read_bytes() if path.exists() else b""
    if len(data) < _HEAD.size:
        return None
    number, bodies, contacts, nodes, time, *lengths, checksum = _HEAD.unpack_from(data)
    # A file may be longer than its newest checkpoint: an older one had more contacts.
    body = data[_HEAD.size : _HEAD.size + 8 * (15 * bodies + 15 * contacts + (12 * nodes + bodies if nodes else 0))]
    if zlib.crc32(body) != checksum:
        return None
    shapes = [(bodies, 3), (bodies, 4), (bodies, 6), (contacts, 5), (contacts, 3), (contacts, 3), (contacts,)]
    columns = [((contacts,), np.int64)] * 3 + [((bodies,), np.int64), ((bodies,), np.float64)]
    columns += [*[((nodes, 3), np.float64)] * 4, ((bodies,), np.int64)] if nodes else []
    arrays, at = [], 0
    for shape, kind in [(s, np.float64) for s in shapes] + columns:
        count = int(np.prod(shape))
        arrays.append(np.frombuffer(body, kind, count, at).reshape(shape).copy())
        at += 8 * count
    position, orientation, twist, impulses, point, normal, gap, body_a, body_b, key, rest, seen, *of_nodes = arrays
    contacts = ContactSet(body_a, body_b, point, normal, gap, key)
    state = State(time, position, orientation, twist, contacts, impulses, rest, seen)
    if of_nodes:
        *parts, remembers = of_nodes
        state.nodes = Nodes(*parts, remembers.astype(bool))
    return number, state, dict(zip(STREAMS, lengths, strict=True))
