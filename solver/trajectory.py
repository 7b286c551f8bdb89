"""Trajectory: frames on disk, the only meeting point of simulating and baking.

A run is a folder:

    header.json      format, scene digest, settings, body names, centres of mass, versions, what the run reached
    journal.bin      how long each file below was after each frame, with checksums, see runs/journal.py
    frames.bin       float64 records: time, then per body position (centre of mass), orientation, twist
    steps.bin        float64 records: the numbers of one StepReport a time step
    events.bin       float64 records, one a mechanism that acted in a step: see EVENT_FIELDS
    recording.json   optional: what a recorded run keeps of its scene, see recording/constants.py
    substeps.bin     optional float64 records of such a run, one a substep, see recording/substep_log.py
    joints.bin       optional records: per joint value, rate, gap, angle, force, torque, power; one record a frame
    contacts.bin     optional float64 records, one a contact of every step
    nodes.bin        optional: nodes of deformable bodies, see runs/node_frames.py
    checkpoint_*.bin the State of the last frame, see checkpoint.py

Frames are appended. A run that was killed loses at most the frame in work.
"""

import json
import os
from pathlib import Path

import numpy as np

from .base.files import checksum, replace_file
from .base.refusal import TrajectoryError
from .dynamics import rotation
from .dynamics.jointed.readings import WIDTH, joint_readings
from .kernels.file_lock import FileLock
from .mechanisms import MECHANISMS
from .runs.checkpoint import STREAMS, CheckpointWriter
from .runs.journal import Journal, Stream, WholeFrames
from .runs.node_frames import read_constants, read_frames, write_constants, write_frame
from .runs.told import AsSimulated
from .stepping.step_report import NUMBERS, StepReport

FORMAT = 3
STEP_FIELDS = NUMBERS
CONTACT_FIELDS = 16  # step, body a, body b, position 3, normal 3, gap, impulse n s t tau in rows, frame index, spare
EVENT_FIELDS = 4  # step, number of the mechanism in the header's `events`, how often it acted, body or -1
PER_BODY = 13


# Files that whoever reads along finds from the start of a run on; the others are there once they hold something.
ALWAYS = "frames.bin", "steps.bin", "events.bin"
# Held by the process that writes a run, and given back when it ends, however it does.
LOCK = ".writing"


class TrajectoryWriter:
    """Appends frames, steps and contacts to a run folder, which no other process writes to meanwhile. `resume` keeps
    what is there up to the checkpoint; told: what is told of bodies and joints, see runs/told.py; model:
    the Model, whose deformable bodies have nodes."""

    def __init__(self, folder, header, resume=False, told=None, model=None):
        self.folder, self._told, self._model = Path(folder), told or AsSimulated(), model
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TrajectoryError(
                f"output folder {self.folder}: cannot be made ({error.strerror}); choose another"
            ) from None
        if not os.access(self.folder, os.W_OK):
            raise TrajectoryError(f"output folder {self.folder}: not writable; choose another")
        self._lock = FileLock(self.folder / LOCK)
        if not self._lock.take():
            raise TrajectoryError(
                f"output folder {self.folder}: another run is being written there; wait for its end or choose another"
            )
        try:
            self._open(header, resume)
        except BaseException:
            self._lock.release()
            raise

    def _open(self, header, resume):
        self.header = header
        header["step_fields"] = list(STEP_FIELDS)
        header["streams"] = list(STREAMS)
        header["events"] = list(MECHANISMS)
        frame_bytes = 8 * (1 + PER_BODY * len(header["names"]))
        reached = header["reached"] if resume else dict.fromkeys(STREAMS)
        self._files = {name: Stream(self.folder / name, reached[name], name in ALWAYS) for name in STREAMS}
        self._journal = Journal(
            self.folder, self._files, reached["frames.bin"] // frame_bytes if resume else None
        )
        self._checkpoint = CheckpointWriter(self.folder, resume)
        self.save_header(complete=False)
        write_constants(self.folder, self._model)

    def save_header(self, complete):
        """Write header.json."""
        self.header["complete"] = complete
        self.header["reached"] = {name: handle.tell() for name, handle in self._files.items()}
        write_header(self.folder, self.header)

    def add_step(self, report):
        """Append one StepReport."""
        self._files["steps.bin"].write(self._told.steps(np.array(report.numbers, dtype=np.float64)).tobytes())

    def add_events(self, step, events):
        """Append the Events of a step."""
        if events:
            self._files["events.bin"].write(event_records(step, self._told.events(events)).tobytes())

    def add_made(self, made, done, each):
        """Append the steps of a Made after `done` ones; frames end every `each` steps."""
        steps, frames = self._files["steps.bin"], self._files["frames.bin"]
        ends, records = frame_records(made, done, each, self._told)
        before, width = steps.waiting, made.reports.shape[1] * 8
        steps.write(np.ascontiguousarray(self._told.steps(made.reports)).tobytes())
        events, each_event = self._files["events.bin"], made_events(made, done)
        known = events.waiting
        events.write(each_event.tobytes())
        if len(ends) == 0:
            return
        frames.write(records.tobytes())
        size = records.shape[1] * 8
        ended = np.searchsorted(each_event[:, 0], done + ends, side="right")
        parts = {
            "steps.bin": [before + int(end) * width for end in ends],
            "events.bin": [known + 8 * EVENT_FIELDS * int(count) for count in ended],
            "frames.bin": [size * (k + 1) for k in range(len(ends))],
        }
        if self.header["joints"]:
            joints = self._told.joints(made.joints[ends - 1])
            self._files["joints.bin"].write(joints.tobytes())
            parts["joints.bin"] = [joints[0].size * 8 * (k + 1) for k in range(len(ends))]
        self._journal.add_frames(parts)
        reached = {name: handle.tell() for name, handle in self._files.items()}
        self._checkpoint.write(self._journal.count, made.frame, reached)

    def add_substeps(self, step, substeps):
        """Append the Substeps of a step."""
        for substep in substeps:
            self._files["substeps.bin"].write(substep.record(step).tobytes())

    def add_contacts(self, step, contacts, rows):
        """Append the contacts of a step: rows (C,4) impulses n, s, t, tau."""
        if contacts.count:
            self._files["contacts.bin"].write(contact_records(step, contacts, rows).tobytes())

    def add_frame(self, state):
        """Append a frame, then checkpoint: from here a killed run goes on."""
        self._files["frames.bin"].write(frame_record(state, self._told).tobytes())
        write_frame(self._files["nodes.bin"], state.nodes, self.header, self._model)
        if self.header["joints"]:
            self._files["joints.bin"].write(_readings(state, self.header, self._told).tobytes())
        self._journal.add_frame()
        reached = {name: handle.tell() for name, handle in self._files.items()}
        self._checkpoint.write(self._journal.count, state, reached)

    def close(self, complete):
        """Finish the run; complete=False marks it as interrupted."""
        try:
            self.save_header(complete)
        finally:
            for handle in (self._checkpoint, self._journal, *self._files.values()):
                handle.close()
            self._lock.release()


class MemoryRecorder:
    """Takes what TrajectoryWriter takes and keeps it in memory; contacts of the last step only, unless all are asked
    for."""

    def __init__(self, header, told=None):
        self.header, self._told = header, told or AsSimulated()
        header["step_fields"] = list(STEP_FIELDS)
        header["events"] = list(MECHANISMS)
        self._events = []
        self._frames, self._steps, self._contacts, self._joints = [], [], [], []

    def save_header(self, complete):
        """Take the header as it is."""
        self.header["complete"] = complete

    def add_step(self, report):
        """Append one StepReport."""
        self._steps.append(self._told.steps(np.array(report.numbers, dtype=np.float64))[None])

    def add_events(self, step, events):
        """Append the Events of a step."""
        if events:
            self._events.append(event_records(step, self._told.events(events)))

    def add_made(self, made, done, each):
        """Append the steps of a Made after `done` ones; frames end every `each` steps."""
        ends, records = frame_records(made, done, each, self._told)
        self._steps.append(self._told.steps(made.reports))
        self._events.append(made_events(made, done))
        self._frames.append(records)
        if self.header["joints"]:
            self._joints.append(self._told.joints(made.joints[ends - 1]))

    def add_contacts(self, step, contacts, rows):
        """Append the contacts of a step: rows (C,4) impulses n, s, t, tau."""
        if contacts.count:
            self._contacts.append(contact_records(step, contacts, rows))

    def add_frame(self, state):
        """Append a frame."""
        self._frames.append(frame_record(state, self._told)[None])
        if self.header["joints"]:
            self._joints.append(_readings(state, self.header, self._told)[None])

    def close(self, complete):
        """Finish the run; complete=False marks it as interrupted."""
        self.header["complete"] = complete

    def trajectory(self):
        """The Trajectory of what was taken."""
        steps = np.concatenate([np.zeros((0, len(STEP_FIELDS))), *self._steps])
        contacts = np.concatenate([np.zeros((0, CONTACT_FIELDS)), *self._contacts])
        joints = np.concatenate(self._joints) if self._joints else None
        events = np.concatenate([np.zeros((0, EVENT_FIELDS)), *self._events])
        return Trajectory(self.header, np.concatenate(self._frames), steps, contacts, joints=joints, events=events)


def frame_record(state, told):
    """The record of a frame: time, then position, orientation and twist of every body."""
    poses = told.poses(np.concatenate([state.position, state.orientation, state.twist], axis=1))
    record = np.empty(1 + poses.size)
    record[0], record[1:] = state.time, poses.ravel()
    return record


def _readings(state, header, told):
    return told.joints(joint_readings(state, header["options"]["time_step"]))


def frame_records(made, done, each, told):
    """(steps (n,) of a Made after which a frame ends, the records of these frames); done: steps before."""
    ends = np.flatnonzero(np.arange(done + 1, done + 1 + len(made.reports)) % each == 0)
    poses = told.poses(made.poses[ends])
    width = poses.shape[1] * poses.shape[2]
    records = np.empty((len(ends), 1 + width))
    records[:, 0] = made.reports[ends, STEP_FIELDS.index("time")]
    records[:, 1:] = poses.reshape(len(ends), width)
    return ends + 1, records


def made_events(made, done):
    """Records (n,EVENT_FIELDS) of the events of the steps of a Made after `done` ones."""
    steps, numbers, counts = made.events()
    return np.column_stack([done + 1.0 + steps, numbers, counts, np.full(len(steps), -1.0)])


def event_records(step, events):
    """Records (n,EVENT_FIELDS) of the Events of a step."""
    number = {name: i for i, name in enumerate(MECHANISMS)}
    return np.array([(step, number[event.name], event.count, event.body) for event in events], dtype=np.float64)


def contact_records(step, contacts, rows):
    """Records (C,CONTACT_FIELDS) of the contacts of a step with their impulses, rows (C,4)."""
    block = np.zeros((contacts.count, CONTACT_FIELDS))
    block[:, 0], block[:, 1], block[:, 2] = step, contacts.body_a, contacts.body_b
    block[:, 3:6], block[:, 6:9], block[:, 9] = contacts.position, contacts.normal, contacts.gap
    block[:, 10:14] = rows
    return block


def read_header(folder):
    """Return header.json of a run folder as a dict; TrajectoryError if there is none or it is damaged."""
    path = Path(folder) / "header.json"
    try:
        header = json.loads(path.read_text())
    except (FileNotFoundError, NotADirectoryError):
        raise TrajectoryError(f"{folder}: no header.json; this is not the folder of a run") from None
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        raise TrajectoryError(f"{path}: damaged; simulate again") from None
    except OSError as error:
        raise TrajectoryError(f"{path}: cannot be read ({error.strerror}); simulate again") from None
    if not isinstance(header, dict):
        raise TrajectoryError(f"{path}: damaged; simulate again")
    if header.get("format") != FORMAT:
        raise TrajectoryError(
            f"{path}: format {header.get('format')}; this version reads format {FORMAT}, simulate again"
        )
    if header.get("checksum") != checksum(header):
        raise TrajectoryError(f"{path}: damaged; simulate again")
    return header


def write_header(folder, header):
    """Write a header, with its checksum, as the header.json of a run's folder."""
    header["checksum"] = checksum(header)
    text, path = json.dumps(header).encode(), Path(folder) / "header.json"
    try:
        replace_file(path, lambda handle: handle.write(text))
    except OSError as error:
        raise TrajectoryError(
            f"{path}: cannot be written ({error.strerror}); make room, then go on with --resume"
        ) from None


def step_fields(header):
    """Names of what the run's steps.bin holds of each step."""
    return header["step_fields"]


def _dense(records, names, steps):
    """{name: (S,) how often} of event records (n,EVENT_FIELDS)."""
    table = np.zeros((len(names), steps), dtype=np.int64)
    step, number, count = records[:, :3].astype(np.int64).T
    np.add.at(table, (number, step - 1), count)
    return dict(zip(names, table, strict=True))


class Trajectory:
    """Frames of a run: times (F,) [s], names (R,), center_of_mass (F,R,3), orientations (F,R,4), velocities (F,R,3) of
    the centres of mass, angular_velocities (F,R,3), positions (F,R,3) of the shape frames; steps: {field: (S,)};
    node_positions, node_velocities (F,N,3) of deformable bodies, None where there are none; deformables: see
    runs/node_frames.py; joint_names (J,); joints (F,J,11): see dynamics/jointed/readings.py; events: {mechanism: (S,)
    how often it acted in each step}, event_records (n,EVENT_FIELDS): the same with bodies, sparse."""

    def __init__(self, header, frames, steps, contacts, nodes=(None, None), deformables=None, joints=None,
                 events=None):  # fmt: skip
        self.header = header
        self.names = tuple(header["names"])
        bodies = frames[:, 1:].reshape(len(frames), len(self.names), PER_BODY)
        self.times = frames[:, 0].copy()
        self.center_of_mass, self.orientations = bodies[:, :, :3].copy(), bodies[:, :, 3:7].copy()
        self.velocities, self.angular_velocities = bodies[:, :, 7:10].copy(), bodies[:, :, 10:13].copy()
        offset = np.array(header["center_of_mass"]).reshape(-1, 3)
        self.positions = self.center_of_mass - np.einsum("fbij,bj->fbi", rotation.matrix(self.orientations), offset)
        own = {field: steps[:, i].copy() for i, field in enumerate(step_fields(header))}
        self.steps = {field: own[field] if field in own else np.full(len(steps), value)
                      for field, value in StepReport._field_defaults.items() if field in NUMBERS} | own  # fmt: skip
        self.event_records = np.zeros((0, EVENT_FIELDS)) if events is None else events
        self.events = _dense(self.event_records, header.get("events", ()), len(steps))
        self.contacts = contacts
        self.node_positions, self.node_velocities = nodes
        self.deformables = deformables
        # The State at the end, where the run was made in this process: another run can start from it.
        self.state = None
        self.joint_names = tuple(header.get("joints", ()))
        count = len(self.joint_names)
        records = np.zeros((len(frames), 0)) if joints is None or count == 0 else joints
        self.joints = records.reshape(len(records), count, WIDTH)

    @property
    def stopped(self):
        """Why the run ended before its time, an empty text if it did not."""
        return self.header.get("stopped", "")

    @property
    def fault(self):
        """What ended the run before its time: keys that nothing follows, or a fault of the program; empty for none."""
        return self.header.get("fault", "")

    @property
    def present(self):
        """Times (R,2) [s] at which each body entered and left the scene, infinite for never."""
        known = self.header.get("present", {})
        rows = [known.get(name, (0.0, None)) for name in self.names]
        return np.array([[np.inf if time is None else time for time in row] for row in rows]).reshape(-1, 2)

    @property
    def complete(self):
        """False if the run was interrupted."""
        return self.header["complete"]

    @classmethod
    def load(cls, folder):
        """Read a run folder; an interrupted run gives its whole frames. A truncated finished one is refused."""
        folder, header = Path(folder), read_header(folder)
        width = {
            "frames.bin": 1 + PER_BODY * len(header["names"]),
            "steps.bin": len(step_fields(header)),
            "contacts.bin": CONTACT_FIELDS,
            "joints.bin": WIDTH * max(1, len(header.get("joints", ()))),
            "events.bin": EVENT_FIELDS,
        }
        whole = WholeFrames(folder, header["streams"])
        reached = whole.lengths(whole.count) if whole.count else {}
        if header["complete"] and reached != header["reached"]:
            raise TrajectoryError(f"{whole.fault or folder}; simulate again")
        if not whole.count:
            raise TrajectoryError(f"{folder / 'frames.bin'}: holds no frame; simulate again")
        arrays = {}
        for name, columns in width.items():
            numbers = reached.get(name, 0) // 8
            data = np.fromfile(folder / name, dtype=np.float64, count=numbers) if numbers else np.zeros(0)
            arrays[name] = data[: len(data) // columns * columns].reshape(-1, columns)
        nodes = read_frames(folder, header, len(arrays["frames.bin"]))
        constants = None if nodes[0] is None else read_constants(folder)
        return cls(header, arrays["frames.bin"], arrays["steps.bin"], arrays["contacts.bin"], nodes, constants,
                   arrays["joints.bin"], arrays["events.bin"])  # fmt: skip
