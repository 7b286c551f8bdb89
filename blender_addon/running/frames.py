"""The frames of a run as they come, read by numpy alone, so that Blender never waits for the compiler to load."""

import json
from pathlib import Path

import numpy as np

from ...solver.base.refusal import TrajectoryError
from ..base.steps import chunks, exhausted
from ..base.transforms import matrix_of_quaternion

# Records of a run's folder, as solver/trajectory.py writes them.
PER_BODY = 13
# Of a joint: value, rate, gap [m], angle [rad], force (3) and torque (3) on the second body, power of its drives.
PER_JOINT = 11
# Of a mechanism that acted in a step: step, number in the header's `events`, how often, body or -1.
PER_EVENT = 4
# Poses read at a time: a few milliseconds.
POSES = 32768


class RunFrames:
    """Frames of a run's folder that are whole by now; `update()` looks for more. The arrays are those of a Trajectory:
    times (F,), positions (F,R,3) of the shape frames, orientations (F,R,4), steps {field: (S,)},
    event_records (n,PER_EVENT) and joints (F,J,PER_JOINT)."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.header = _header(self.folder)
        self.names, self.joint_names = tuple(self.header["names"]), tuple(self.header.get("joints", ()))
        self._width = 1 + PER_BODY * len(self.names)
        self._offset = np.array(self.header["center_of_mass"], dtype=float).reshape(-1, 3)
        self.count = 0
        self.update()

    def update(self):
        """Look how many frames are whole; returns the number."""
        try:
            self.count = (self.folder / "frames.bin").stat().st_size // (8 * self._width)
        except FileNotFoundError:
            raise TrajectoryError(f"{self.folder}: its frames are gone; bake again") from None
        return self.count

    def _records(self, start, stop):
        count = (stop - start) * self._width
        data = np.fromfile(self.folder / "frames.bin", dtype=np.float64, count=count, offset=8 * self._width * start)
        return data.reshape(-1, self._width)

    def poses(self, start=0, stop=None):
        """(times (F,), positions (F,R,3) of the shape frames [m], orientations (F,R,4)) of frames start to stop."""
        records = self._records(start, self.count if stop is None else min(stop, self.count))
        bodies = records[:, 1:].reshape(len(records), len(self.names), PER_BODY)
        turned = np.einsum("fbij,bj->fbi", matrix_of_quaternion(bodies[:, :, 3:7]), self._offset)
        return records[:, 0], bodies[:, :, :3] - turned, bodies[:, :, 3:7]

    def load(self):
        """Read all in one go; as `load_steps`."""
        return exhausted(self.load_steps())

    def load_steps(self):
        """Generator that reads all frames and steps there are, yielding often; returns self. TrajectoryError if there
        is no frame."""
        self.header = _header(self.folder)
        if self.update() == 0:
            raise TrajectoryError(f"{self.folder}: holds no frame yet; wait for one or bake again")
        wanted = self.header["reached"]["frames.bin"] if self.header["complete"] else 0
        if 8 * self._width * self.count < wanted:
            raise TrajectoryError(f"{self.folder / 'frames.bin'}: truncated; bake again")
        shape = self.count, len(self.names)
        self.times, self.positions = np.empty(self.count), np.empty((*shape, 3))
        self.orientations = np.empty((*shape, 4))
        for rows in chunks(range(len(self.times)), POSES // max(1, len(self.names))):
            some = slice(rows[0], rows[-1] + 1)
            self.times[some], self.positions[some], self.orientations[some] = self.poses(some.start, some.stop)
            yield some.stop
        self.steps = _steps(self.folder, self.header)
        self.event_records = _events(self.folder, self.header, len(self.steps["time"]))
        self.joints = self._joints()
        return self

    def _joints(self):
        """Readings of the joints (F,J,PER_JOINT) of the frames there are."""
        count = len(self.joint_names)
        if count == 0:
            return np.zeros((self.count, 0, PER_JOINT))
        data = np.fromfile(self.folder / "joints.bin", dtype=np.float64)
        whole = len(data) // (count * PER_JOINT)
        if whole < self.count:
            raise TrajectoryError(f"{self.folder / 'joints.bin'}: truncated; bake again")
        return data[: self.count * count * PER_JOINT].reshape(self.count, count, PER_JOINT)

    @property
    def complete(self):
        """False if the run was interrupted."""
        return self.header["complete"]


def _header(folder):
    path = folder / "header.json"
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        raise TrajectoryError(f"{folder}: its frames are gone; bake again") from None
    except ValueError:
        raise TrajectoryError(f"{path}: damaged; bake again") from None


def _events(folder, header, steps):
    """Records (n,PER_EVENT) of what acted in the steps there are; none of a run that did not count it."""
    if not header.get("events"):
        return np.zeros((0, PER_EVENT))
    data = np.fromfile(folder / "events.bin", dtype=np.float64)
    rows = data[: len(data) // PER_EVENT * PER_EVENT].reshape(-1, PER_EVENT)
    return rows[rows[:, 0] <= steps]


def _steps(folder, header):
    fields = header["step_fields"]
    data = np.fromfile(folder / "steps.bin", dtype=np.float64)
    rows = data[: len(data) // len(fields) * len(fields)].reshape(-1, len(fields))
    return {name: rows[:, column].copy() for column, name in enumerate(fields)}
