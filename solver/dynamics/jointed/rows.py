"""The rows of the joints in one step, as blocks of its problem."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...options import changed
from ...problem import Block, BlockRows
from .. import rotation
from ..step_kernels import rotate_tensors
from . import function_kernels as kernels
from .drives import coefficients, mobilities
from .indices import gathered
from .row_list import UNBOUNDED
from .tables import Role
from .turning_kernels import turn_of_rows

# Limits further away than what the bodies' velocities take them to in so many steps, and than this part of the joint's
# length, have no row.
REACH, NEAR = 4.0, 0.05

KIND = {Role.HOLD: Block.BILATERAL, Role.SPRING: Block.BILATERAL, Role.LIMIT: Block.LIMIT, Role.MOTOR: Block.DRIVE,
        Role.SERVO: Block.DRIVE, Role.FRICTION: Block.DRIVE}  # fmt: skip
# Roles as numbers: enumerations are slow to ask.
HOLD, LIMIT, MOTOR, SERVO, SPRING = map(int, (Role.HOLD, Role.LIMIT, Role.MOTOR, Role.SERVO, Role.SPRING))
DRIVES, ELASTIC = (MOTOR, SERVO, SPRING), (SERVO, SPRING)
KINDS = np.array([KIND[role] for role in Role], dtype=np.int64)


class Linearised(NamedTuple):
    """The joints at some poses: value (F,), J (F,2,6), g (K,) of all rows."""

    value: np.ndarray
    J: np.ndarray
    g: np.ndarray


class Place(NamedTuple):
    """Where joints push in a step: poses (R,3), (R,4), see projection.middle_of_step."""

    position: np.ndarray
    orientation: np.ndarray


class JointStep(NamedTuple):
    """The joints of one step: tables, Linearised where they push, `blocks` (n,) and `rows` (k,) of the
    tables that are in the problem, behind all contacts; bodies (n,): one that moves of each; turned (k,): what b
    holds of the turning of the rows until the end of the step [m/s]; stiff (k,): rows held without compliance;
    driven (n,): velocity that the impulses of the last step gave along rows of motors, servos and springs [m/s];
    orientation (R,3,3): rotation matrices there."""

    tables: object
    linear: Linearised
    blocks: np.ndarray
    rows: np.ndarray
    bodies: np.ndarray
    turned: np.ndarray
    stiff: np.ndarray
    driven: np.ndarray
    orientation: np.ndarray


def linearised_at(tables, before, position, orientation):
    """Linearised at poses (R,3), (R,4); before (F,): values a moment ago."""
    f, r = tables.functions, tables.rows
    linear = Linearised(np.empty(len(f.part)), np.empty((len(f.part), 2, 6)), np.empty(len(r.role)))
    kernels.evaluate(f, position, rotation.matrix(orientation), before, linear.value, linear.J)
    kernels.row_values(r, linear.value, linear.g)
    return linear


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
    tables = joints.tables
    if tables.count == 0:
        return step
    joints, tables = _aimed(joints, poses, h)
    place = poses if poses.place is None else poses.place
    linear = linearised_at(tables, joints.value, place.position, place.orientation)
    free, before = rates(tables, linear, poses.free), rates(tables, linear, poses.before)
    blocks = _wanted(model, joints, linear, free, before, poses.horizon)
    if len(blocks) == 0:
        return step
    rows = gathered(tables.blocks.row_start, blocks)
    role = tables.rows.role[rows]
    parts = segments(model, tables, linear, blocks, poses.orientation)
    implicit = poses.newton_steps > 0
    own = _diagonal(parts, len(rows)) if (role >= MOTOR).any() else np.zeros(len(rows))
    driven = np.where(np.isin(role, DRIVES), own * np.abs(joints.impulse[rows]), 0.0)
    b, compliance = _laws(tables, linear, rows, free[rows], poses.horizon, h, implicit)
    if not implicit and np.isin(role, ELASTIC).any():
        _add_drives(joints, linear, blocks, parts, before[rows], h, b, compliance)
    most = strengths(tables, joints.impulse, h)[rows]
    stiff = (role == HOLD) & (tables.rows.compliance[rows] == 0)
    joined = JointStep(tables, linear, blocks, rows, _one_body(model, tables, blocks), np.zeros(len(rows)), stiff,
                       np.maximum.reduceat(driven, parts[0][:-1]), rotation.matrix(place.orientation))  # fmt: skip
    problem = appended(step.problem, parts, KINDS[tables.block_role[blocks]], b, compliance,
                       np.column_stack([-most, most]))  # fmt: skip
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
    parts = segments(model, tables, linear, blocks, ends[1])
    b, compliance = _laws(tables, linear, rows, rates(tables, linear, free)[rows], h, h, True)
    bounds = np.repeat(step.problem.bounds[-len(blocks) :], np.diff(parts[0]), axis=0)
    problem = appended(there.problem, parts, step.problem.kind[-len(blocks) :], b, compliance, bounds)
    return changed(there, problem=problem, joints=joined._replace(linear=linear))


def turned_with(model, poses, step, twist):
    """The step whose held rows demand no velocity along the rows as they are at its end, if bodies move with `twist`.

    The rows turn until then: demanding it of the rows in the middle of the step alone loses the velocity that the turn
    makes, an energy of first order.
    """
    joined = step.joints
    tables, turned = joined.tables, np.empty(len(joined.rows))
    turn_of_rows(tables.functions, tables.rows, model.bodies, model.symmetry, joined.linear, joined.rows, joined.stiff,
                 poses.position, poses.orientation, twist, poses.remaining, turned)  # fmt: skip
    b = step.problem.b.copy()
    b[len(b) - len(turned) :] -= turned - joined.turned
    return changed(step, problem=step.problem.with_b(b), joints=joined._replace(turned=turned))


def _wanted(model, joints, linear, free, before, horizon):
    """Blocks of the step: all that are live but limits that are far."""
    tables = joints.tables
    first = tables.blocks.row_start[:-1]
    near = REACH * horizon * np.maximum(np.abs(free), np.abs(before))[first]
    near = near + NEAR * tables.block_length
    far = tables.limits & (linear.g[first] > near)
    return np.flatnonzero(live_blocks(model, joints) & ~far)


def _one_body(model, tables, blocks):
    """A body (n,) that moves of each block."""
    b = tables.blocks
    bodies = np.where(model.inverse_mass[b.body] > 0, b.body, -1)
    return np.maximum.reduceat(bodies, b.body_start[:-1])[blocks]


def segments(model, tables, linear, blocks, orientation):
    """(row_start, J, G) of blocks: BlockRows."""
    bodies, count = model.bodies, len(blocks)
    inverse_inertia = np.empty((len(orientation), 3, 3))
    rotate_tensors(rotation.matrix(orientation), bodies.inverse_inertia, inverse_inertia)
    row_start, indptr = np.empty(count + 1, dtype=np.int64), np.empty(count + 1, dtype=np.int64)
    length = kernels.count_segments(tables.blocks, blocks, bodies.dof_of_body, row_start, indptr)
    start, size, offset = (np.empty(indptr[-1], dtype=np.int64) for _ in range(3))
    J, G = np.empty(length), np.empty(length)
    kernels.fill_segments(tables.blocks, tables.rows, tables.functions, blocks, linear.J, bodies, inverse_inertia,
                          start, size, offset, J, G)  # fmt: skip
    return row_start, BlockRows(indptr, start, size, offset, J), BlockRows(indptr, start, size, offset, G)


def _laws(tables, linear, rows, free, horizon, h, implicit):
    """(b (k,) [m/s], compliance (k,) [1/kg]) of rows, without those of springs and servos unless `implicit`: then all
    forces are those at the end of the step, and what is held is closed there."""
    r, g, role = tables.rows, linear.g[rows], tables.rows.role[rows]
    k, c = r.stiffness[rows], r.damping[rows]
    off = g - r.target[rows]
    b, compliance = free.copy(), np.zeros(len(rows))
    soft = (role == HOLD) & (r.compliance[rows] > 0)
    closed = (role == HOLD) if implicit else soft
    b[closed] += g[closed] / h
    compliance[soft] = r.compliance[rows][soft] / h**2
    limit, motor = role == LIMIT, role == MOTOR
    b[limit] += (g[limit] if implicit else np.maximum(g[limit], 0.0)) / horizon
    b[motor] -= _motor_rates(r, g, rows, horizon)[motor]
    elastic = (role == SERVO) | (role == SPRING)
    if implicit and elastic.any():
        stiffness = (c + h * k)[elastic]
        b[elastic] += (k * off)[elastic] / stiffness
        compliance[elastic] = 1.0 / (h * stiffness)
    return b, compliance


def _motor_rates(r, g, rows, horizon):
    """Rates (k,) [m/s] that motors among the rows ask for; g (k,) [m]: values of the rows. One without a largest force
    goes no further than a limit of its coordinate, or there would be no answer: both would push without bound."""
    rate, role, function = r.target[rows].copy(), r.role[rows], r.function[r.start[rows]]
    factor = r.factor[r.start[rows]]
    for k in np.flatnonzero((role == MOTOR) & (r.most[rows] >= UNBOUNDED)):
        for limit in np.flatnonzero((role == LIMIT) & (function == function[k])):
            along = factor[limit] / factor[k]
            if along * rate[k] < -max(g[limit], 0.0) / horizon:
                rate[k] = -max(g[limit], 0.0) / horizon / along
    return rate


def _aimed(joints, poses, h):
    """(JointState, its tables) with the targets of servos where their force is taken: at the end of an implicit step,
    else where contacts are searched for. They are those of the middle of the step until then."""
    ahead = 0.5 * h if poses.newton_steps > 0 else 0.5 * h - poses.remaining
    if joints.pace is None or not joints.pace.any() or ahead == 0.0:
        return joints, joints.tables
    rows = joints.tables.rows
    tables = replace(joints.tables, rows=rows._replace(target=rows.target + ahead * joints.pace))
    return replace(joints, tables=tables), tables


def _add_drives(joints, linear, blocks, parts, before, h, b, compliance):
    """Add the laws of springs and servos to b (k,) [m/s] and compliance (k,) [1/kg] of the rows of `blocks` with the
    rates `before` (k,) the step: see drives."""
    tables, rows = joints.tables, gathered(joints.tables.blocks.row_start, blocks)
    r, use = tables.rows, np.isin(tables.rows.role[rows], ELASTIC)
    rows, own = rows[use], mobilities(tables, blocks, parts)[use]
    law = coefficients(r.stiffness[rows], r.damping[rows], own, h)
    off = linear.g[rows] - r.target[rows]
    if joints.pace is not None:
        off -= law.lag * joints.pace[rows]
    b[use] += law.place * off + law.rate * before[use]
    compliance[use] = law.compliance


def strengths(tables, impulse, h):
    """Largest impulses (K,) [N s] of the rows in a step of h seconds, those of bearings by the impulses (K,) that press
    on them."""
    r = tables.rows
    most = r.most * h
    for k in np.flatnonzero(r.grip):
        first = k - r.back[k]
        most[k] += r.grip[k] * np.linalg.norm(impulse[first : first + r.span[k]])
    return most


def _diagonal(parts, count):
    """Entries (k,) of J W J^T."""
    row_start, J, G = parts
    diagonal = np.zeros(count)
    heights = np.repeat(np.diff(row_start), np.diff(J.indptr))
    first = np.repeat(row_start[:-1], np.diff(J.indptr))
    row = np.repeat(first - (np.cumsum(heights) - heights), heights) + np.arange(int(heights.sum()))
    np.add.at(diagonal, row, np.einsum("ij,ij->i", J.data.reshape(-1, 6), G.data.reshape(-1, 6)))
    return diagonal


def appended(problem, parts, kind, b, compliance, bounds):
    """The problem with more blocks behind its own."""
    row_start, J, G = parts
    blocks, heights = len(kind), np.diff(row_start)
    soft = np.add.reduceat(compliance, row_start[:-1]) > 0
    offset = np.full(blocks, -1, dtype=np.int64)
    sizes = np.where(soft, heights**2, 0)
    offset[soft] = (np.cumsum(sizes) - sizes)[soft] + len(problem.compliance)
    dense = [np.diag(compliance[row_start[i] : row_start[i + 1]]).ravel() for i in np.flatnonzero(soft)]
    other = changed(
        problem, kind=np.concatenate([problem.kind, kind]),
        row_start=np.concatenate([problem.row_start, problem.row_start[-1] + row_start[1:]]),
        J=_joined(problem.J, J), G=_joined(problem.G, G), b=np.concatenate([problem.b, b]),
        law=np.concatenate([problem.law, np.zeros(blocks, dtype=np.int64)]),
        mu=np.concatenate([problem.mu, np.zeros((blocks, 3))]),
        bounds=np.concatenate([problem.bounds, bounds[row_start[:-1]]]),
        compliance_offset=np.concatenate([problem.compliance_offset, offset]),
        compliance=np.concatenate([problem.compliance, *dense]), name="step",
    )  # fmt: skip
    for name in ("arrays", "contact_count", "diagonal", "_forms_of_copies"):
        other.__dict__.pop(name, None)
    return other


def _joined(first, second):
    return BlockRows(
        np.concatenate([first.indptr, first.indptr[-1] + second.indptr[1:]]),
        np.concatenate([first.start, second.start]), np.concatenate([first.size, second.size]),
        np.concatenate([first.offset, len(first.data) + second.offset]), np.concatenate([first.data, second.data]),
    )  # fmt: skip
