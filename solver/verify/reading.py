"""The files of a recorded run as arrays."""

import hashlib
import json
from pathlib import Path

import numpy as np

# What is checked and how, see docs/verify.md.
STEPPERS = ("moreau", "semi_implicit")


class NotVerifiable(ValueError):
    """The folder holds no run that can be checked; one sentence that says why and what to do."""


class Instant:
    """Bodies of all substeps at one instant: position (N,3), orientation (N,4), velocity (N,3), spin (N,3)."""

    def __init__(self, columns):
        self.position, self.orientation = columns[:, :3], columns[:, 3:7]
        self.velocity, self.spin = columns[:, 7:10], columns[:, 10:13]


class Run:
    """A recorded run of S substeps.

    header, constants: what the files say; steps: {field: (T,)} that the run reports of each step; frames (F,1+13R).
    step, time, length, elapsed, horizon (S,): of each substep. Its bodies (N rows in all): body (N,), moves (N,), of
    (N,) their substep; start, push, end: Instants. Its contacts (C rows): contact_of (C,) substep, a and b (C,) rows of
    bodies, point, normal, tangent (C,3), gap (C,), impulse, held, asked (C,4). Its joints (E rows): joint_of (E,)
    substep, joint (E,), at (E,) row of a body, wrench (E,6).
    """

    def __init__(self, folder):
        folder = Path(folder)
        self.folder, self.header, self.constants = folder, *(_json(folder, name) for name in _JSON)
        options, columns = self.header["options"], self.constants["columns"]
        if options["stepper"] not in STEPPERS:
            raise NotVerifiable(f"{folder}: stepper {options['stepper']!r} cannot be verified; choose {STEPPERS[0]}")
        self.reached = self.header["reached"]
        fields = self.header["step_fields"]
        steps = self._numbers("steps.bin").reshape(-1, len(fields))
        self.steps = dict(zip(fields, steps.T, strict=True))
        self.body_count = len(self.constants["names"])
        self.frames = self._numbers("frames.bin").reshape(-1, 1 + 13 * self.body_count)
        joints = len(self.header["joints"])
        self.readings = self._numbers("joints.bin").reshape(-1, joints, 11) if joints else np.zeros((0, 0, 11))
        self._read_substeps(columns)

    def _numbers(self, name):
        data = np.fromfile(self.folder / name, dtype=np.float64, count=self.reached[name] // 8)
        if 8 * len(data) < self.reached[name]:
            raise NotVerifiable(f"{self.folder / name}: is shorter than the run says; simulate again")
        return data

    def _read_substeps(self, columns):
        data, at, heads, parts = self._numbers("substeps.bin"), 0, [], ([], [], [])
        while at < len(data):
            head = data[at : at + columns["head"]]
            heads.append(head[:5])
            at += columns["head"]
            for part, count, name in zip(parts, head[5:], ("body", "contact", "joint"), strict=True):
                size = int(count) * columns[name]
                part.append(data[at : at + size].reshape(-1, columns[name]))
                at += size
        if at != len(data) or not heads:
            raise NotVerifiable(f"{self.folder / 'substeps.bin'}: holds no whole substeps; simulate with --contacts")
        step, self.time, self.length, self.elapsed, self.horizon = np.array(heads).T
        self.step = step.astype(int)
        owners = (np.repeat(np.arange(len(part)), list(map(len, part))) for part in parts)
        self.of, self.contact_of, self.joint_of = owners
        bodies, contacts, joints = (np.concatenate(part) for part in parts)
        self.body, self.moves = bodies[:, 0].astype(int), bodies[:, 1] > 0
        self.start, self.push, self.end = (Instant(bodies[:, 2 + 13 * i : 15 + 13 * i]) for i in range(3))
        self._row = {key: row for row, key in enumerate(zip(self.of.tolist(), self.body.tolist(), strict=True))}
        self.a, self.b = (self.rows(self.contact_of, contacts[:, side]) for side in range(2))
        self.point, self.normal, self.tangent = contacts[:, 2:5], contacts[:, 5:8], contacts[:, 8:11]
        self.gap = contacts[:, 11]
        self.impulse, self.held, self.asked = contacts[:, 12:16], contacts[:, 16:20], contacts[:, 20:24]
        self.joint, self.at = joints[:, 0].astype(int), self.rows(self.joint_of, joints[:, 1])
        self.wrench = joints[:, 2:]

    def rows(self, substeps, bodies):
        """Rows (n,) of bodies (n,) in substeps (n,)."""
        keys = zip(substeps.tolist(), bodies.astype(int).tolist(), strict=True)
        return np.array([self._row[key] for key in keys], dtype=int)

    def constant(self, name):
        """A constant of the bodies, one a row (N, ...)."""
        return np.array(self.constants[name], dtype=float)[self.body]

    def digests(self):
        """SHA-256 of every file that was read."""
        names = (*_JSON, "steps.bin", "frames.bin", "joints.bin", "substeps.bin")
        return {name: hashlib.sha256((self.folder / name).read_bytes()).hexdigest() for name in names}


_JSON = ("header.json", "recording.json")


def _json(folder, name):
    try:
        return json.loads((folder / name).read_text())
    except FileNotFoundError:
        known = (folder / "header.json").exists()
        remedy = "simulate it again with --contacts" if known else "name the folder of a run"
        raise NotVerifiable(f"{folder}: has no {name}; {remedy}") from None
    except ValueError:
        raise NotVerifiable(f"{folder / name}: is damaged; simulate again") from None
