"""The contacts a run kept (Keep Contacts), read by numpy alone: where, between whom, how hard."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from ..base.transforms import matrix_of_quaternion
from ..running.frames import RunFrames

# Columns of contacts.bin, as solver/trajectory.py writes them.
FIELDS = 16
STEP, BODIES, POSITION, NORMAL, GAP, IMPULSE = 0, slice(1, 3), slice(3, 6), slice(6, 9), 9, slice(10, 14)


@dataclass
class FrameContacts:
    """Contacts of one frame, Blender units for lengths: body (C,2), position (C,3), normal (C,3) from the first body to
    the second, gap (C,), normal_force (C,) [N], friction (C,3) [N] on the second body, torque (C,) [N m]."""

    body: np.ndarray
    position: np.ndarray
    normal: np.ndarray
    gap: np.ndarray
    normal_force: np.ndarray
    friction: np.ndarray
    torque: np.ndarray

    def __len__(self):
        return len(self.gap)


class Record:
    """A run's frames and contacts as Blender shows them; `unit`: metres in a Blender unit."""

    def __init__(self, folder, unit, frame_start):
        self.frames = RunFrames(folder).load()
        self.folder, self.unit, self.frame_start = Path(folder), unit, frame_start
        header = self.frames.header
        self.names, self.mass = self.frames.names, np.array(header["mass"])
        self.motion, self.size = tuple(header["motion"]), np.array(header["size"]) / unit
        self.time_step, self.steps_per_frame = header["options"]["time_step"], header["options"]["steps_per_frame"]
        self.directed = np.array(header.get("directed", [False] * len(self.names)), dtype=bool)
        self.has_contacts = header["options"]["store_contacts"]
        self._contacts = _read(self.folder) if self.has_contacts else np.zeros((0, FIELDS))
        self._start = np.searchsorted(self._contacts[:, STEP], np.arange(len(self.frames.steps["time"]) + 2))
        self._center = np.array(header["center_of_mass"], dtype=float).reshape(-1, 3)

    @property
    def frame_count(self):
        """Frames there are."""
        return self.frames.count

    def row(self, frame):
        """Row of Blender's frame, the nearest there is."""
        return int(np.clip(round(frame - self.frame_start), 0, self.frame_count - 1))

    def centers(self, row):
        """Centres of mass (R,3), Blender units, at a row."""
        turn = matrix_of_quaternion(self.frames.orientations[row])
        return (self.frames.positions[row] + np.einsum("bij,bj->bi", turn, self._center)) / self.unit

    def velocities(self, row):
        """(velocity (R,3) of the centres of mass [Blender units/s], angular velocity (R,3) [rad/s]) at a row."""
        data = self.frames._records(row, row + 1)[0, 1:].reshape(len(self.names), 13)
        return data[:, 7:10] / self.unit, data[:, 10:13]

    @property
    def joint_names(self):
        """Names of the joints."""
        return self.frames.joint_names

    def joint_gap(self, name):
        """(largest gap [m], largest misalignment [degrees]) of a joint over the run; None if there is no such joint."""
        if name not in self.joint_names:
            return None
        found = self.frames.joints[:, self.joint_names.index(name)]
        return float(found[:, 2].max()), float(np.degrees(found[:, 3].max()))

    def at_rest(self, row):
        """Bodies (R,) that move by the laws of motion and do not move at all: they sleep."""
        velocity, spin = self.velocities(row)
        moving = np.array([motion != "static" for motion in self.motion])
        return moving & ~velocity.any(axis=1) & ~spin.any(axis=1) & (row > 0)

    def contacts(self, row):
        """FrameContacts of the last step before a row; none at the first frame."""
        step = row * self.steps_per_frame
        rows = self._contacts[self._start[step] : self._start[step + 1]] if step else self._contacts[:0]
        force = rows[:, IMPULSE] / self.time_step
        body = rows[:, BODIES].astype(int)
        s, t = self._tangents(rows[:, NORMAL], body, row)
        return FrameContacts(
            body, rows[:, POSITION] / self.unit, rows[:, NORMAL], rows[:, GAP] / self.unit, force[:, 0],
            force[:, 1:2] * s + force[:, 2:3] * t, force[:, 3],
        )  # fmt: skip

    def _tangents(self, normal, body, row):
        """Directions s and t (C,3) of the friction rows, as the solver chose them (dynamics/step_kernels.py)."""
        s, t = tangents(normal)
        owner = np.where(self.directed[body[:, 0]], body[:, 0], body[:, 1])
        turned = np.flatnonzero(self.directed[owner])
        if turned.size:
            axes = matrix_of_quaternion(self.frames.orientations[row])[owner[turned]]
            n = normal[turned]
            along = axes[:, :, 0] - np.einsum("ci,ci->c", axes[:, :, 0], n)[:, None] * n
            second = axes[:, :, 1] - np.einsum("ci,ci->c", axes[:, :, 1], n)[:, None] * n
            along = np.where(np.linalg.norm(along, axis=1, keepdims=True) > 1e-3, along, second)
            s[turned] = along / np.linalg.norm(along, axis=1, keepdims=True)
            t[turned] = np.cross(n, s[turned])
        return s, t

    @cached_property
    def largest_force(self):
        """A force [N] that few contacts of the run exceed: what arrows are measured by."""
        return _nearly_largest(self._contacts[:, 10] / self.time_step)

    @cached_property
    def largest_pair_force(self):
        """A force [N] that few pairs of bodies exceed, over all their contacts: what chains are measured by."""
        rows = self._contacts
        if not len(rows):
            return 0.0
        pair = np.sort(rows[:, BODIES], axis=1)
        key = (rows[:, STEP] * len(self.names) + pair[:, 0]) * len(self.names) + pair[:, 1]
        _, which = np.unique(key, return_inverse=True)
        return _nearly_largest(np.bincount(which.ravel(), rows[:, 10]) / self.time_step)


def _nearly_largest(force):
    force = force[force > 0]
    return float(np.percentile(force, 99)) if force.size else 0.0


def tangents(normal):
    """Tangents s, t (C,3) of normals alone: s is across the axis least along the normal."""
    size = np.abs(normal)
    x_least = (size[:, 0] <= size[:, 1] + 1e-6) & (size[:, 0] <= size[:, 2] + 1e-6)
    y_least = ~x_least & (size[:, 1] <= size[:, 2] + 1e-6)
    nx, ny, nz = normal.T
    zero = np.zeros(len(normal))
    s = np.where(
        x_least[:, None], np.stack([zero, -nz, ny], axis=1),
        np.where(y_least[:, None], np.stack([nz, zero, -nx], axis=1), np.stack([-ny, nx, zero], axis=1)),
    )  # fmt: skip
    s /= np.maximum(np.linalg.norm(s, axis=1, keepdims=True), 1e-300)
    return s, np.cross(normal, s)


def _read(folder):
    path = Path(folder) / "contacts.bin"
    data = np.fromfile(path, dtype=np.float64) if path.exists() else np.zeros(0)
    return data[: len(data) // FIELDS * FIELDS].reshape(-1, FIELDS)


def contacts_of_step(folder, step):
    """Rows (C,16) of contacts.bin of one step, from 1."""
    rows = _read(folder)
    first, last = np.searchsorted(rows[:, STEP], (step, step + 1))
    return rows[first:last]


_open: dict = {}


def record_of(scene):
    """The Record of the run a scene was baked from; None where there is none any more. Read once."""
    from ...solver.base.refusal import SceneError, TrajectoryError
    from ..exporting import reading as readings
    from ..exporting.reader import unit_length
    from ..running.places import run_folder

    folder = run_folder(scene)
    if folder is None:
        return None
    try:
        key = (folder, (folder / "frames.bin").stat().st_mtime_ns)
        if key not in _open:
            _open.clear()
            _open[key] = Record(folder, unit_length(scene), readings.load(folder).frame_start)
    except (OSError, SceneError, TrajectoryError):
        return None
    return _open[key]


def forget():
    """Close the run that was looked into last."""
    _open.clear()
