"""The joints of a Model as arrays: elementary functions, rows made of them, blocks of rows."""

from dataclasses import field
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...base.records import record
from ..joints.base import ANGULAR


def gathered(start, groups):
    """Members start[g]:start[g+1] of all `groups` (G,), in their order."""
    counts = np.diff(start)[groups]
    first = np.cumsum(counts) - counts
    return np.repeat(start[groups] - first, counts) + np.arange(int(counts.sum()))


class Role(IntEnum):
    """What a row is for."""

    HOLD = 0
    LIMIT = 1
    MOTOR = 2
    SERVO = 3
    SPRING = 4
    FRICTION = 5


class Functions(NamedTuple):
    """F elementary functions, see ../joints/base.py: part (F,) and axes i, j (F,); body (F,2), -1 for the world; anchor
    (F,2,3) [m] and frame (F,2,3,3), columns s, t, z, in the frames of the bodies' centres of mass. j of an
    angle of several turns: how far on the angle about the first axis of the same joint is."""

    part: np.ndarray
    i: np.ndarray
    j: np.ndarray
    body: np.ndarray
    anchor: np.ndarray
    frame: np.ndarray


class Rows(NamedTuple):
    """K rows: the sum over terms start[k]:start[k+1] of factor times function, less constant; in metres, angles times a
    length of the joint. role (K,) Role; joint (K,).

    stiffness [N/m], damping [N s/m], most [N], target [m/s of motors, m of servos and springs], compliance [m/N]: each
    (K,), angles turned into metres as in the row. Friction of bearings: `grip` times the size of the impulses of
    `span` rows, the first `back` before this one, is added to most; each (K,).
    """

    start: np.ndarray
    function: np.ndarray
    factor: np.ndarray
    constant: np.ndarray
    role: np.ndarray
    joint: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    most: np.ndarray
    target: np.ndarray
    compliance: np.ndarray
    grip: np.ndarray
    back: np.ndarray
    span: np.ndarray


class KeyedTarget(NamedTuple):
    """The target of row `row` at times (F,) [s]: values (F,) in the units of Rows.target."""

    row: int
    times: np.ndarray
    values: np.ndarray


class Blocks(NamedTuple):
    """B blocks of rows row_start[k]:row_start[k+1] of one joint (B,), on the bodies
    body[body_start[k]:body_start[k+1]], ascending, the world left out."""

    row_start: np.ndarray
    joint: np.ndarray
    body_start: np.ndarray
    body: np.ndarray


class PerJoint(NamedTuple):
    """J joints: function_start (J+1,) and block_start (J+1,): its own; value (J,): function of the coordinate that
    frames tell of, -1 for none; angular (J,) whether that is an angle; ends (J,2) bodies, -1 for the world; anchor
    (J,2,3) and frame (J,2,3,3) as in Functions; length (J,) [m] that its angles are multiplied with; breaking (J,) [N],
    inf for never; static_ratio (J,): friction of what sticks over that of what slides."""

    function_start: np.ndarray
    block_start: np.ndarray
    value: np.ndarray
    angular: np.ndarray
    ends: np.ndarray
    anchor: np.ndarray
    frame: np.ndarray
    length: np.ndarray
    breaking: np.ndarray
    static_ratio: np.ndarray


@record
class JointTables:
    """All joints of a Model. coupled (P,2): pairs of bodies that joints couple, the world left out; names, types
    (J,); keyed: KeyedTargets; passing (J,): those that break or are switched, which hold for a while at most; slack:
    numbers of those that were given some, see start/slack.py; swung: bodies that begin in it."""

    functions: Functions
    rows: Rows
    blocks: Blocks
    per_joint: PerJoint
    coupled: np.ndarray
    names: tuple = ()
    types: tuple = field(default=())
    keyed: tuple = ()
    passing: tuple = ()
    slack: tuple = ()
    swung: tuple = ()

    @property
    def count(self):
        """Number of joints."""
        return len(self.names)

    @cached_property
    def motors(self):
        """Names of the joints whose motors want a speed that is not zero, in the coordinate that frames tell of."""
        rows = self.rows
        keyed = {key.row for key in self.keyed if np.any(key.values)}
        wanted = [row for row in np.flatnonzero(rows.role == Role.MOTOR) if rows.target[row] or row in keyed]
        shown = rows.function[rows.start[wanted]] == self.per_joint.value[rows.joint[wanted]]
        joints = sorted({int(joint) for joint in rows.joint[wanted][shown]})
        return [self.names[joint] for joint in joints]

    @cached_property
    def keyed_servos(self):
        """The KeyedTargets of servos and springs."""
        return tuple(key for key in self.keyed if self.rows.role[key.row] != Role.MOTOR)

    @cached_property
    def give(self):
        """Whether a joint may give energy: by a motor, servo or spring, or because it yields."""
        drives = np.isin(self.rows.role, (Role.MOTOR, Role.SERVO, Role.SPRING))
        return bool(np.any(drives | (self.rows.compliance > 0.0)))

    @cached_property
    def keyed_motors(self):
        """Rows (n,) of motors whose speeds are keyed."""
        return np.array([key.row for key in self.keyed if self.rows.role[key.row] == Role.MOTOR], dtype=np.int64)

    def motor_targets(self, times):
        """Targets (S,n) [m/s] of keyed_motors at times (S,) [s]."""
        found = [np.interp(times, key.times, key.values) for key in self.keyed if key.row in self.keyed_motors]
        return np.column_stack(found) if found else np.zeros((len(times), 0))

    @cached_property
    def block_role(self):
        """Role (B,) of the blocks' first rows."""
        return self.rows.role[self.blocks.row_start[:-1]]

    @cached_property
    def limits(self):
        """Blocks (B,) bool that are limits."""
        return self.block_role == Role.LIMIT

    @cached_property
    def closable(self):
        """Blocks (B,) bool that poses are closed by: limits, and what holds without compliance."""
        hard = self.rows.compliance[self.blocks.row_start[:-1]] == 0
        return self.limits | ((self.block_role == Role.HOLD) & hard)

    @cached_property
    def turns(self):
        """Rows (K,) bool that are one angle alone."""
        r = self.rows
        angular = np.isin(self.functions.part[r.function[r.start[:-1]]], [int(part) for part in ANGULAR])
        return angular & (np.diff(r.start) == 1)

    @cached_property
    def block_length(self):
        """Length (B,) [m] that the angles of each block are multiplied with."""
        return self.per_joint.length[self.blocks.joint]

    def part(self, bodies, body_count):
        """(Selection, JointTables) of the joints all of whose bodies are among `bodies` (B,) ascending of `body_count`,
        which the tables number 0..B-1; the same bodies are asked for step after step."""
        key = bodies.tobytes()
        if key not in self._parts:
            if len(self._parts) >= body_count:
                self._parts.clear()
            number = np.full(body_count + 1, -1, dtype=np.int64)
            number[bodies] = np.arange(len(bodies))
            found = self._selection(bodies, body_count)
            self._parts[key] = found, _picked(self, found, number)
        return self._parts[key]

    @cached_property
    def _parts(self):
        """What was asked for with `part`, by the bodies."""
        return {}

    def _selection(self, bodies, body_count):
        inside = np.zeros(body_count + 1, dtype=bool)
        inside[bodies] = inside[-1] = True
        keep = np.ones(self.count, dtype=bool)
        blocks, p = self.blocks, self.per_joint
        block_of = np.repeat(np.arange(len(blocks.joint)), np.diff(blocks.body_start))
        keep[blocks.joint[block_of[~inside[blocks.body]]]] = False
        keep &= inside[p.ends[:, 0]] & inside[p.ends[:, 1]]
        joints = np.flatnonzero(keep)
        of_joints = gathered(p.block_start, joints)
        return Selection(joints, gathered(p.function_start, joints), of_joints,
                         gathered(self.blocks.row_start, of_joints))  # fmt: skip

    def of(self, bodies, body_count):
        """The tables of the joints among `bodies` (B,) ascending, see `part`."""
        return self.part(bodies, body_count)[1] if self.count or len(self.coupled) else self


class Selection(NamedTuple):
    """Some joints of JointTables with their functions, blocks and rows, by number."""

    joints: np.ndarray
    functions: np.ndarray
    blocks: np.ndarray
    rows: np.ndarray


def _starts(start, chosen):
    return np.concatenate(([0], np.cumsum(np.diff(start)[chosen]))).astype(np.int64)


def _picked(t, s, number):
    f, r, b, p = t.functions, t.rows, t.blocks, t.per_joint
    new_function = np.full(len(f.part) + 1, -1, dtype=np.int64)
    new_function[s.functions] = np.arange(len(s.functions))
    new_joint = np.full(t.count, -1, dtype=np.int64)
    new_joint[s.joints] = np.arange(len(s.joints))
    terms = gathered(r.start, s.rows)
    functions = Functions(*(column[s.functions] for column in f))._replace(body=number[f.body[s.functions]])
    rows = Rows(_starts(r.start, s.rows), new_function[r.function[terms]], r.factor[terms],
                *(column[s.rows] for column in r[3:]))._replace(joint=new_joint[r.joint[s.rows]])  # fmt: skip
    blocks = Blocks(_starts(b.row_start, s.blocks), new_joint[b.joint[s.blocks]], _starts(b.body_start, s.blocks),
                    number[b.body[gathered(b.body_start, s.blocks)]])  # fmt: skip
    joints = PerJoint(
        _starts(p.function_start, s.joints), _starts(p.block_start, s.joints), new_function[p.value[s.joints]],
        p.angular[s.joints], number[p.ends[s.joints]], *(column[s.joints] for column in p[5:]),
    )  # fmt: skip
    coupled = number[t.coupled]
    coupled = coupled[(coupled >= 0).all(axis=1)]
    new_row = {int(row): number for number, row in enumerate(s.rows)}
    keyed = tuple(key._replace(row=new_row[key.row]) for key in t.keyed if key.row in new_row)
    return JointTables(functions, rows, blocks, joints, coupled, tuple(t.names[i] for i in s.joints),
                       tuple(t.types[i] for i in s.joints), keyed, tuple(t.passing[i] for i in s.joints))  # fmt: skip


def _none():
    integer, real = np.zeros(0, dtype=np.int64), np.zeros(0)
    first = np.zeros(1, dtype=np.int64)
    functions = Functions(integer, integer, integer, integer.reshape(0, 2), np.zeros((0, 2, 3)), np.zeros((0, 2, 3, 3)))
    rows = Rows(first, integer, real, real, integer, integer, real, real, real, real, real, real, integer,
                integer)
    blocks = Blocks(first, integer, first, integer)
    joints = PerJoint(first, first, integer, np.zeros(0, dtype=bool), integer.reshape(0, 2), np.zeros((0, 2, 3)),
                      np.zeros((0, 2, 3, 3)), real, real, real)  # fmt: skip
    return JointTables(functions, rows, blocks, joints, integer.reshape(0, 2))


NO_JOINTS = _none()
