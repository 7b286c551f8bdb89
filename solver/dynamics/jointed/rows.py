"""The rows of the joints in one step, as blocks of its problem."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...methods.second_order.tied_kernels import softened
from ...options import changed
from ...problem import BlockRows
from .. import rotation
from ..joints.base import Part
from . import function_kernels as kernels
from . import row_kernels
from .after_kernels import turn_of_rows
from .row_kernels import Moments, Tables
from .tension import PINS


class Linearised(NamedTuple):
    """The joints at some poses: value (F,), J (F,2,6), g (K,) of all rows."""

    value: np.ndarray
    J: np.ndarray
    g: np.ndarray


class Place(NamedTuple):
    """Where joints push in a step: poses (R,3), (R,4), see projection.place_of_joints."""

    position: np.ndarray
    orientation: np.ndarray


class JointStep(NamedTuple):
    """The joints of one step: tables, Linearised where they push, and what of `found`, their JointRows, is asked for
    most: `blocks` (n,) and `rows` (k,) of the tables that are in the problem, behind all contacts; bodies (n,): one
    that moves of each; stiff (k,): rows held without compliance; driven (n,): velocity that the impulses of the last
    step gave along rows of motors, servos and springs [m/s]. turned (k,): what b holds of the turning of the rows until
    the end of the step [m/s]."""

    tables: object
    linear: Linearised
    found: row_kernels.JointRows
    turned: np.ndarray

    @property
    def blocks(self):
        """See above."""
        return self.found.blocks

    @property
    def rows(self):
        """See above."""
        return self.found.rows

    @property
    def bodies(self):
        """See above."""
        return self.found.bodies

    @property
    def stiff(self):
        """See above."""
        return self.found.stiff

    @property
    def driven(self):
        """See above."""
        return self.found.driven

    @property
    def orientation(self):
        """Rotation matrices (R,3,3) where they push."""
        return self.found.orientation


def rows_of_step(step):
    """The JointRows of a ContactStep with joints, as they are where it was linearised last."""
    joined = step.joints
    return joined.found._replace(value=joined.linear.value, derivative=joined.linear.J, g=joined.linear.g)


def kernel_tables(model):
    """The row_kernels.Tables of a Model."""
    t, p = model.joints, model.joints.per_joint
    pins = np.array([kind in PINS for kind in t.types], dtype=bool)
    return Tables(t.functions, t.rows, t.blocks, t.block_length, model.moving_blocks, model.joint_groups,
                  model.jointed_bodies, model.driven_groups, t.closable, p.ends, p.anchor, p.breaking, p.length,
                  p.static_ratio, pins, t.coupled, p.value, t.turns)  # fmt: skip


def linearised_at(tables, before, position, orientation):
    """Linearised at poses (R,3), (R,4); before (F,): values a moment ago."""
    f, r = tables.functions, tables.rows
    linear = Linearised(np.empty(len(f.part)), np.empty((len(f.part), 2, 6)), np.empty(len(r.role)))
    kernels.evaluate(f, position, rotation.matrix(orientation), before, linear.value, linear.J)
    kernels.row_values(r, linear.value, linear.g)
    return linear


def counted_ahead(joints, known, twist, time):
    """The JointState whose angles are what they come to in a time [s] with twists (R,6) from those of a Linearised,
    known(): near to them their turns are counted. As it is where nothing turns so fast that this matters."""
    f = joints.tables.functions
    if joints.tables.count == 0 or not kernels.outruns(f.part, f.body, twist, time):
        return joints
    linear, moving = known(), np.vstack((twist, np.zeros(6)))
    ahead = linear.value + time * (linear.J * moving[f.body]).sum(axis=(1, 2))
    return replace(joints, value=np.where(f.part == Part.ANGLE, ahead, joints.value))


def rates(tables, linear, twist):
    """Rates (K,) [m/s] of all rows for twists (R,6)."""
    rate = np.empty(len(tables.rows.role))
    kernels.row_rates(tables.rows, tables.functions, linear.J, np.ascontiguousarray(twist), rate)
    return rate


def live_blocks(model, joints):
    """Blocks (B,) bool of joints that hold and have a body that moves freely."""
    return model.moving_blocks & ~joints.broken[joints.tables.blocks.joint]


def moving_blocks(model, tables):
    """Blocks (B,) bool of joints with a body that moves freely."""
    blocks = tables.blocks
    moving = np.zeros(len(blocks.joint), dtype=bool)
    owner = np.repeat(np.arange(len(blocks.joint)), np.diff(blocks.body_start))
    moving[owner[model.inverse_mass[blocks.body] > 0]] = True
    return moving


def with_joints(model, joints, poses, step, h):
    """The ContactStep with the joints' blocks in its problem; as it is where there are none.

    joints: JointState; poses: impulses.Poses; h: length of the step [s].
    """
    if joints.tables.count == 0:
        return step
    joints = _aimed(joints, poses, h)
    place, implicit = poses if poses.place is None else poses.place, poses.newton_steps > 0
    pace = np.zeros(len(joints.impulse)) if joints.pace is None else joints.pace
    found = row_kernels.joint_rows(
        model.joint_tables._replace(rows=joints.tables.rows), model.bodies,
        (joints.value, joints.impulse, joints.broken, pace), (place.position, place.orientation), poses.orientation,
        poses.free, poses.before, Moments(h, poses.horizon, implicit),
    )  # fmt: skip
    if len(found.blocks) == 0:
        return step
    joined = JointStep(joints.tables, Linearised(found.value, found.derivative, found.g), found,
                       np.zeros(len(found.rows)))  # fmt: skip
    problem = appended(step.problem, found, found.b, (found.compliance_offset, found.compliance), found.bounds)
    problem = _softened(problem, step.contacts, joints.tables, found.blocks)
    step = changed(step, problem=problem, joints=joined)
    return step if implicit else turned_with(model, poses, step, poses.before)


def at_end(model, poses, step, there, ends, motion, free, h):
    """The ContactStep `there`, whose contacts are those where `motion` (R,6) ends, with the joints of `step` as they
    are there, in the poses `ends` (R,3), (R,4): one Newton step on (47) and (58) of the paper of 2019.

    With the error c and the rows J of the end, reached with the velocities u, and the compliance E, the next velocities
    u' and impulses obey c + h J (u' - u) + E lambda = 0. free (R,6): velocities without impulses.
    """
    joined = step.joints
    if joined is None:
        return there
    tables, rows, blocks = joined.tables, joined.rows, joined.blocks
    linear = linearised_at(tables, joined.linear.value, *ends)
    linear = linear._replace(g=linear.g - h * rates(tables, linear, motion))
    known = model.joint_tables._replace(rows=tables.rows)
    row_start, J, G = row_kernels.segments(known, blocks, model.bodies, ends[1], linear.J)
    b, *soft = row_kernels.end_laws(known, blocks, rows, linear.g, rates(tables, linear, free), Moments(h, h, True),
                                    row_start)  # fmt: skip
    parts = Parts(step.problem.kind[-len(blocks) :], row_start, J, G)
    problem = appended(there.problem, parts, b, soft, step.problem.bounds[-len(blocks) :])
    problem = _softened(problem, there.contacts, tables, blocks)
    return changed(there, problem=problem, joints=joined._replace(linear=linear))


def turned_with(model, poses, step, twist):
    """The step whose held rows demand no velocity along the rows as they are at its end, if bodies move with `twist`.

    The rows turn until then: demanding it of the rows in the middle of the step alone loses the velocity that the turn
    makes, an energy of first order.
    """
    joined = step.joints
    turned = turn_of_rows(
        model.joint_tables._replace(rows=joined.tables.rows), model.bodies, model.symmetry,
        (joined.linear.value, joined.linear.J, joined.rows, joined.stiff), (poses.position, poses.orientation), twist,
        poses.remaining,
    )  # fmt: skip
    b = step.problem.b.copy()
    b[len(b) - len(turned) :] -= turned - joined.turned
    return changed(step, problem=step.problem.with_b(b), joints=joined._replace(turned=turned))


def _aimed(joints, poses, h):
    """The JointState with the targets of servos where their force is taken: at the end of an implicit step, else where
    contacts are searched for. They are those of the middle of the step until then."""
    ahead = 0.5 * h if poses.newton_steps > 0 else 0.5 * h - poses.remaining
    if joints.pace is None or not joints.pace.any() or ahead == 0.0:
        return joints
    rows = joints.tables.rows
    return replace(joints, tables=replace(joints.tables, rows=rows._replace(target=rows.target + ahead * joints.pace)))


def strengths(tables, impulse, h):
    """Largest impulses (K,) [N s] of the rows in a step of h seconds, those of bearings by the impulses (K,) that press
    on them."""
    most = np.empty(len(tables.rows.role))
    row_kernels.strengths(tables.rows, impulse, h, most)
    return most


class Parts(NamedTuple):
    """Blocks of a problem: kind (n,), row_start (n+1,), J and G BlockRows."""

    kind: np.ndarray
    row_start: np.ndarray
    J: BlockRows
    G: BlockRows


def appended(problem, parts, b, soft, bounds):
    """The problem with more blocks behind its own: Parts, b (k,), soft: (compliance_offset (n,), compliance), bounds
    (n,2)."""
    offset, compliance = soft
    blocks, none = len(parts.kind), np.zeros((len(parts.kind), 3))
    other = changed(
        problem, kind=np.concatenate([problem.kind, parts.kind]),
        row_start=np.concatenate([problem.row_start, problem.row_start[-1] + parts.row_start[1:]]),
        J=_joined(problem.J, parts.J), G=_joined(problem.G, parts.G), b=np.concatenate([problem.b, b]),
        law=np.concatenate([problem.law, np.zeros(blocks, dtype=np.int64)]), mu=np.concatenate([problem.mu, none]),
        bounds=np.concatenate([problem.bounds, bounds]),
        compliance_offset=np.concatenate([problem.compliance_offset,
                                          np.where(offset >= 0, offset + len(problem.compliance), -1)]),
        compliance=np.concatenate([problem.compliance, compliance]), name="step",
    )  # fmt: skip
    for name in ("arrays", "contact_count", "diagonal", "_forms_of_copies"):
        other.__dict__.pop(name, None)
    return other


def _softened(problem, contacts, tables, blocks):
    """The problem of contacts and of blocks (n,) of joints behind them, with contacts that a joint of both bodies holds
    as soft as these are without it."""
    ends = tables.per_joint.ends[tables.blocks.joint[blocks]]
    offset, compliance, b = softened(problem.arrays, contacts.body_a, contacts.body_b, ends)
    if len(compliance) == len(problem.compliance):
        return problem if np.array_equal(b, problem.b) else problem.with_b(b)
    return problem.derive(compliance_offset=offset, compliance=compliance, b=b)


def _joined(first, second):
    return BlockRows(
        np.concatenate([first.indptr, first.indptr[-1] + second.indptr[1:]]),
        np.concatenate([first.start, second.start]), np.concatenate([first.size, second.size]),
        np.concatenate([first.offset, len(first.data) + second.offset]), np.concatenate([first.data, second.data]),
    )  # fmt: skip
