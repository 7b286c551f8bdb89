"""What changes of joints in a run."""

from dataclasses import replace

import numpy as np

from ...base.records import record
from .tables import NO_JOINTS, JointTables, Role

# What is known of what, in the order of the fields of JointState: its numbers, and what these are of in a Selection.
NUMBERS = {"value": "functions", "impulse": "rows", "load": "joints", "strain": "joints", "broken": "joints",
           "sticks": "rows"}  # fmt: skip


@record
class JointState:
    """tables: the joints it is of; value (F,): functions when last evaluated, which counts turns; impulse (K,) of the
    rows in the last step [N s, angles as in the row]; load (J,6): impulse and moment about the joint that the second
    body got in the last step, world [N s, N m s]; strain (J,): part of its breaking load, filtered; broken (J,)
    bool; sticks (K,) bool: rows of friction that did not slide in the last step; pace (K,): how fast the targets of
    keyed servos change in the step ahead [m/s], None for none."""

    tables: JointTables
    value: np.ndarray
    impulse: np.ndarray
    load: np.ndarray
    strain: np.ndarray
    broken: np.ndarray
    sticks: np.ndarray
    pace: np.ndarray | None = None

    def at(self, time, h):
        """The state whose keyed drives want what they do in the step of h s that begins at `time` [s]: a motor its
        speed at the end, a servo its place in the middle. What stuck in the last step is held by static friction."""
        if self.tables.count == 0:
            return self
        rows = self.tables.rows
        held = self.sticking()
        if (held > 1.0).any():
            rows = rows._replace(most=held * rows.most, grip=held * rows.grip)
        elif not self.tables.keyed:
            return self
        target, pace = rows.target.copy(), np.zeros(len(rows.target))
        target[self.tables.keyed_motors] = self.tables.motor_targets(np.array([time + h]))[0]
        for key in self.tables.keyed_servos:
            here, then = np.interp([time + 0.5 * h, time + 1.5 * h], key.times, key.values)
            target[key.row], pace[key.row] = here, (then - here) / h
        return replace(self, tables=replace(self.tables, rows=rows._replace(target=target)), pace=pace)

    def sticking(self):
        """How many times (K,) as much as what slides the friction of each row may hold in the next step."""
        ratio = self.tables.per_joint.static_ratio
        return np.where(self.sticks, ratio[self.tables.rows.joint], 1.0) if len(ratio) else np.ones(0)

    def of(self, bodies, body_count):
        """The state of the joints among `bodies` (B,) ascending."""
        if self.tables.count == 0:
            return self
        found, tables = self.tables.part(bodies, body_count)
        return JointState(tables, **{name: getattr(self, name)[getattr(found, part)] for name, part in NUMBERS.items()})

    def scaled(self, factor):
        """The state whose impulses are those of a step `factor` times as long."""
        if self.tables.count == 0:
            return self
        return replace(self, impulse=factor * self.impulse, load=factor * self.load)

    def with_parts(self, parts):
        """The state with what parts (JointState, bodies (B,)) say of theirs."""
        if self.tables.count == 0:
            return self
        whole = self.copy()
        for state, bodies, body_count in parts:
            found, _ = self.tables.part(bodies, body_count)
            for name, part in NUMBERS.items():
                getattr(whole, name)[getattr(found, part)] = getattr(state, name)
        return whole

    def packed(self):
        """All numbers in one array, for a checkpoint."""
        return np.concatenate([getattr(self, name).ravel() for name in NUMBERS], dtype=float)

    def unpacked(self, numbers):
        """The state of the same joints with the numbers of `packed`."""
        own = [getattr(self, name) for name in NUMBERS]
        parts = np.split(numbers, np.cumsum([one.size for one in own])[:-1])
        return JointState(self.tables, *(part.reshape(one.shape).astype(one.dtype)
                                         for part, one in zip(parts, own, strict=True)))  # fmt: skip

    def copy(self):
        """An independent copy."""
        return JointState(self.tables, *(getattr(self, name).copy() for name in NUMBERS))


def first_state(tables):
    """JointState at the start."""
    count = tables.count
    return JointState(tables, np.zeros(len(tables.functions.part)), np.zeros(len(tables.rows.role)),
                      np.zeros((count, 6)), np.zeros(count), np.zeros(count, dtype=bool),
                      tables.rows.role == Role.FRICTION)  # fmt: skip


EMPTY = first_state(NO_JOINTS)


def joints_of(state):
    """JointState of a State."""
    return EMPTY if state.joints is None else state.joints
