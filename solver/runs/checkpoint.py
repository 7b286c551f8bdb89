"""The State of the last whole frame on disk, in two files written in turn: a kill spoils at most the newer one."""

import struct
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np

from ..base.late import late
from ..base.refusal import TrajectoryError
from ..collision.contacts import ContactSet
from ..dynamics.jointed.state import EMPTY, joints_of
from ..state import State
from .journal import NAME as JOURNAL
from .journal import WholeFrames

soft = late("..dynamics.elastic.nodes", __package__)

FILES = ("checkpoint_0.bin", "checkpoint_1.bin")
STREAMS = ("frames.bin", "steps.bin", "contacts.bin", "nodes.bin", "joints.bin", "substeps.bin", "events.bin")
_HEAD = struct.Struct("<QQQQQQd")  # frames so far, bodies, contacts, nodes, attachments, numbers of joints, time
_LENGTHS = struct.Struct(f"<{len(STREAMS)}Q")  # bytes of the streams
_CHECKSUM = struct.Struct("<I")  # of all that follows it


class CheckpointWriter:
    """Writes checkpoints in turn into two files that stay open: opening one costs more than writing it."""

    def __init__(self, folder, resume):
        self._paths = [Path(folder) / name for name in FILES]
        self._files = [path.open("r+b" if resume and path.exists() else "wb") for path in self._paths]

    def write(self, number, state, reached):
        """Write checkpoint `number`: the state, and how many bytes of each stream belong to it."""
        c = state.contacts
        arrays = (state.position, state.orientation, state.twist, state.impulses, c.position, c.normal, c.gap,
                  c.body_a, c.body_b, c.key,
                  *(_per_body(column, len(state.position)) for column in (state.rest, state.horizon, state.since)),
                  _present(state), *_of_nodes(state.nodes), joints := joints_of(state).packed())  # fmt: skip
        body = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)
        head = _HEAD.pack(number, len(state.position), c.count, *_node_counts(state.nodes), len(joints), state.time)
        data = head + _LENGTHS.pack(*(reached[name] for name in STREAMS)) + body
        handle = self._files[number % 2]
        try:
            handle.seek(0)
            handle.write(_CHECKSUM.pack(zlib.crc32(data)) + data)
            handle.flush()
        except OSError as error:
            raise TrajectoryError(
                f"{self._paths[number % 2]}: cannot be written ({error.strerror}); make room, then go on with --resume"
            ) from None

    def close(self):
        """Close both files."""
        for handle in self._files:
            # What a full disk did not take stays in the buffer, and is asked for again here.
            with suppress(OSError):
                handle.close()


def _per_body(column, count):
    """A column of the State with one number a body, zeros where it is empty."""
    return column if len(column) else np.zeros(count, dtype=column.dtype)


def _node_counts(nodes):
    return (0, 0) if nodes is None else (len(nodes.position), len(nodes.held))


def _of_nodes(nodes):
    """The arrays of Nodes, none without them."""
    if nodes is None:
        return ()
    return (nodes.position, nodes.velocity, nodes.before, nodes.velocity_before, nodes.remembers,
            nodes.held, nodes.credit)  # fmt: skip


def _present(state):
    """State.present (R,2), as of bodies that stay where it is empty."""
    return state.present if len(state.present) else np.array([[0.0, np.inf]]).repeat(len(state.position), axis=0)


def read_checkpoint(folder, joints=EMPTY):
    """Return (State, {stream: bytes}) of the newest checkpoint whose frames are whole in every file.

    joints: the JointState at the start of the run, which knows what the numbers of the joints are. Raises
    TrajectoryError where there is none: the message names the file that is damaged.
    """
    found = [whole for name in FILES if (whole := _read(Path(folder) / name)) is not None]
    if not found:
        raise TrajectoryError(f"{folder}: neither {FILES[0]} nor {FILES[1]} is whole; start the run anew")
    frames = WholeFrames(folder, STREAMS)
    usable = [entry for entry in found if 0 < entry[0] <= frames.count and entry[2] == frames.lengths(entry[0])]
    if not usable:
        raise TrajectoryError(f"{frames.fault or folder}; there is no checkpoint before it, start the run anew")
    _, (state, numbers), reached = max(usable, key=lambda entry: entry[0])
    state.joints = joints.unpacked(numbers)
    return state, reached


def never_began(folder):
    """Whether a folder is not there or has only what a run leaves that was killed before its first checkpoint."""
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        return False
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()} if folder.is_dir() else {}
    ours = {*FILES, *STREAMS, JOURNAL, "header.json", "recording.json", "deformables.npz"}
    # Two are written in turn: while one was never written, a kill may have spoiled the first of all.
    never = any(not sizes.get(name) for name in FILES) and all(_read(folder / name) is None for name in FILES)
    return never and all(name in ours or name.startswith(".") for name in sizes)


def _read(path):
    """(number, State, reached) of one file, None if it is missing or not whole."""
    data = path.read_bytes() if path.exists() else b""
    begin = _CHECKSUM.size + _HEAD.size + _LENGTHS.size
    if len(data) < begin:
        return None
    number, bodies, contacts, nodes, held, joints, time = _HEAD.unpack_from(data, _CHECKSUM.size)
    lengths = _LENGTHS.unpack_from(data, _CHECKSUM.size + _HEAD.size)
    # A file may be longer than its newest checkpoint: an older one had more contacts.
    end = begin + 8 * (18 * bodies + 15 * contacts + (12 * nodes + 2 * bodies + 3 * held if nodes else 0) + joints)
    if zlib.crc32(data[_CHECKSUM.size : end]) != _CHECKSUM.unpack_from(data)[0]:
        return None
    body = data[begin:end]
    shapes = [(bodies, 3), (bodies, 4), (bodies, 6), (contacts, 5), (contacts, 3), (contacts, 3), (contacts,)]
    columns = [((contacts,), np.int64)] * 3
    columns += [((bodies,), np.int64), *[((bodies,), np.float64)] * 2, ((bodies, 2), np.float64)]
    if nodes:
        columns += [*[((nodes, 3), np.float64)] * 4, ((bodies,), np.int64), ((held, 3), np.float64)]
        columns += [((bodies,), np.float64)]
    columns += [((joints,), np.float64)]
    arrays, at = [], 0
    for shape, kind in [(s, np.float64) for s in shapes] + columns:
        count = int(np.prod(shape))
        arrays.append(np.frombuffer(body, kind, count, at).reshape(shape).copy())
        at += 8 * count
    position, orientation, twist, impulses, point, normal, gap, body_a, body_b, key, rest, *others = arrays
    horizon, since, present, *of_nodes, of_joints = others
    contacts = ContactSet(body_a, body_b, point, normal, gap, key)
    state = State(time, position, orientation, twist, contacts, impulses, rest, horizon, since, present)
    if of_nodes:
        state.nodes = soft.Nodes(*of_nodes)
    return number, (state, of_joints), dict(zip(STREAMS, lengths, strict=True))
