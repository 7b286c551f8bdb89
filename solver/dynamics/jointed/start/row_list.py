"""The rows of joints, gathered one by one while a scene is compiled."""

from typing import NamedTuple

import numpy as np

from ....base.refusal import SceneError
from ....scene import Keyed
from ...joints.base import Part
from ..row_kernels import UNBOUNDED
from ..tables import KeyedTarget, Role, Rows


class _Numbers(NamedTuple):
    """Numbers of a row, see tables.Rows; load: first row and number of rows whose impulses press on a bearing."""

    constant: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0
    most: float = np.inf
    target: float = 0.0
    compliance: float = 0.0
    grip: float = 0.0
    load: tuple = (0, 0)


class RowList:
    """Rows and blocks of all joints; a constant that is nan is set by the poses at the start."""

    def __init__(self):
        self.terms, self.columns, self.block_start, self.block_joint = [], [], [0], []
        self.starts, self.keyed = [0], []

    def tables(self):
        """(Rows, first row of each block and one more)."""
        function = np.array([t[0] for t in self.terms], dtype=np.int64)
        factor = np.array([t[1] for t in self.terms], dtype=float)
        columns = np.array(self.columns, dtype=float).reshape(-1, 11).T
        constant, role, joint, *others, back, span = columns
        rows = Rows(np.array(self.starts, dtype=np.int64), function, factor, constant, role.astype(np.int64),
                    joint.astype(np.int64), *(np.ascontiguousarray(column) for column in others), back.astype(np.int64),
                    span.astype(np.int64))  # fmt: skip
        return rows._replace(constant=np.ascontiguousarray(constant)), self.block_start

    def _row(self, joint, role, terms, *given, **numbers):
        """A row of a joint: terms of (function, factor), and its _Numbers."""
        constant, *others, (first, count) = _Numbers(*given, **numbers)
        self.terms += terms
        self.starts.append(len(self.terms))
        self.columns.append((constant, role, joint, *others, len(self.columns) - first if count else 0, count))

    def _target(self, value, scale):
        """The target of the next row at the start; one that is keyed is noted."""
        if not isinstance(value, Keyed):
            return value * scale
        values = scale * np.array(value.values, dtype=float)
        self.keyed.append(KeyedTarget(len(self.columns), np.array(value.times, dtype=float), values))
        return float(values[0])

    def _block(self, joint):
        if len(self.columns) > self.block_start[-1]:
            self.block_start.append(len(self.columns))
            self.block_joint.append(joint)

    def add_joint(self, index, p, by_name):
        """All rows of one Placed joint."""
        held, joint = p.held, p.joint
        first = len(self.columns)
        for k, feature in enumerate(held.features):
            self._row(index, Role.HOLD, [(p.first + k, p.length if feature.angular else 1.0)],
                      compliance=joint.compliance)  # fmt: skip
        self._block(index)
        for name, value in held.lengths.items():
            function, _ = coordinate(p, name)
            self._row(index, Role.HOLD, [(function, 1.0)], np.nan if value is None else value,
                      compliance=joint.compliance)  # fmt: skip
            self._block(index)
        pressing = first, sum(feature.part == Part.POINT for feature in held.features)
        for combined in held.combined:
            self._combined(index, p, combined, by_name)
        if held.slip is not None:
            self._slip(index, p)
        for name in held.coordinates:
            self._coordinate(index, p, name, pressing)
        if p.kind.resist:
            self._resisting(index, p)

    def _combined(self, index, p, combined, by_name):
        terms = []
        for name, letter, factor in combined.terms:
            other = p if name is None else by_name[name]
            function, angular = coordinate(other, letter)
            terms.append((function, factor, other.length if angular else 1.0))
        # In metres of what moves the least.
        scale = min(length for *_, length in terms)
        constant = np.nan if combined.constant is None else combined.constant * scale
        self._row(index, Role.HOLD, [(function, factor * scale) for function, factor, _ in terms], constant,
                  compliance=p.joint.compliance)  # fmt: skip
        self._block(index)

    def _slip(self, index, p):
        """Friction along what slides where the last combined row presses."""
        slip, mu = p.held.slip, p.joint.bearing.friction
        terms = [(coordinate(p, name)[0], factor) for name, factor in slip.terms]
        scale = min(p.length if coordinate(p, letter)[1] else 1.0 for _, letter, _ in p.held.combined[-1].terms)
        self._row(index, Role.FRICTION, terms, most=0.0, grip=mu * slip.pressure * scale,
                  load=(self.block_start[-2], 1))  # fmt: skip
        self._block(index)

    def _coordinate(self, index, p, name, pressing):
        joint = p.joint
        function, angular = coordinate(p, name)
        scale = p.length if angular else 1.0
        low, high = _limits(joint, p.held, name)
        term = [(function, scale)]
        if low is not None:
            self._row(index, Role.LIMIT, term, low * scale)
            self._block(index)
        if high is not None:
            self._row(index, Role.LIMIT, [(function, -scale)], -high * scale)
            self._block(index)
        first = name == next(iter(p.held.coordinates))
        motor = _of(joint.motor, name, first)
        if motor is not None:
            self._row(index, Role.MOTOR, term, most=min(motor.max / scale, UNBOUNDED),
                      target=self._target(motor.velocity, scale))  # fmt: skip
            self._block(index)
        servo = _of(joint.servo, name, first)
        if servo is not None:
            self._row(index, Role.SERVO, term, 0.0, servo.stiffness / scale**2, servo.damping / scale**2,
                      min(servo.max / scale, UNBOUNDED), self._target(servo.target, scale))  # fmt: skip
            self._block(index)
        if not p.kind.resist:
            self._spring(index, _of(joint.spring, name, first), term, scale, np.nan if name == "d" else None)
            own, grip = _of(joint.friction, name, first), 0.0
            if joint.bearing is not None and p.held.slip is None:
                grip = joint.bearing.friction * (joint.bearing.radius / scale if angular else 1.0)
            if own or grip:
                self._row(index, Role.FRICTION, term, most=(own or 0.0) / scale, grip=grip, load=pressing)
                self._block(index)

    def _spring(self, index, spring, term, scale, rest=None):
        if spring is not None:
            target = spring.rest * scale
            if rest is not None and spring.rest == 0.0:
                # A spring between two points rests at its length at the start where none is given.
                self._row(index, Role.SPRING, term, rest, spring.stiffness, spring.damping)
            else:
                self._row(index, Role.SPRING, term, 0.0, spring.stiffness / scale**2, spring.damping / scale**2,
                          target=target)  # fmt: skip
            self._block(index)

    def _resisting(self, index, p):
        first = p.first + len(p.held.features) + len(p.held.coordinates)
        terms = [[(first + k, p.length)] for k in range(len(p.kind.resist))]
        spring = p.joint.spring
        if isinstance(spring, dict) or isinstance(p.joint.friction, dict):
            raise SceneError(f"joint {p.joint.name!r}: a {p.kind.key} joint has one spring and one friction for all "
                             "turns; give them without names")  # fmt: skip
        for term in terms:
            self._spring(index, spring, term, p.length)
        for term in terms if p.joint.friction else ():
            self._row(index, Role.FRICTION, term, most=p.joint.friction / p.length)
            self._block(index)


def coordinate(p, name):
    """(number of the function, whether it is an angle) of a coordinate of a Placed joint, None for its first."""
    names = list(p.held.coordinates)
    at = 0 if name is None else names.index(name)
    return p.first + len(p.held.features) + at, p.held.coordinates[names[at]].angular


def _of(value, name, first):
    """What a joint's field says of a coordinate."""
    if isinstance(value, dict):
        return value.get(name)
    return value if first else None


def _limits(joint, held, name):
    """(low, high) of a coordinate, None for none."""
    own = _of(joint.limits, name, name == next(iter(held.coordinates)))
    low, high = held.limits.get(name, (None, None))
    if own is not None:
        if not isinstance(own, (list, tuple)):
            own = (None, own)
        low, high = own
    return low, high
