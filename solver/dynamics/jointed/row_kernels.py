"""The rows of the joints in one step, all in one call: which there are, where they push, what they demand."""

from typing import NamedTuple

import numpy as np

from ...jit import inner, kernel
from ...problem import BlockRows
from ..step_kernels import rotation_matrices
from .drive_kernels import HOLD, LIMIT, MOTOR, SERVO, SPRING, drive_law, is_drive, mobilities_of
from .function_kernels import evaluate, row_rates, row_values, segments_of
from .tables import Blocks, Functions, Rows

# Limits further away than what the bodies' velocities take them to in so many steps, and than this part of the joint's
# length, have no row.
REACH, NEAR = 4.0, 0.05
# A drive without a largest force is as strong as anything in a scene may be.
UNBOUNDED = 1e30
# Kind of the block of each role, see problem.Block: held and springs BILATERAL, limits LIMIT, all others DRIVE.
KINDS = (1, 2, 3, 3, 1, 3)


class Tables(NamedTuple):
    """What kernels read of JointTables and a Model.

    length (B,) [m] that angles of each block are multiplied with; moves (B,): whether a body of a block moves freely;
    group (B,), group_of_body (R,): of bodies coupled by joints; driven (R+1,) bool: groups in which more acts than what
    holds; closable (B,) bool; ends (J,2), anchor (J,2,3), breaking (J,) [N], joint_length (J,) [m], ratio (J,): see
    PerJoint; pins (J,) bool: joints that hold a point; coupled (P,2); coordinate (J,): function of the joint's
    coordinate, -1 for none; turns (K,) bool: rows that are angles alone."""

    functions: Functions
    rows: Rows
    blocks: Blocks
    length: np.ndarray
    moves: np.ndarray
    group: np.ndarray
    group_of_body: np.ndarray
    driven: np.ndarray
    closable: np.ndarray
    ends: np.ndarray
    anchor: np.ndarray
    breaking: np.ndarray
    joint_length: np.ndarray
    ratio: np.ndarray
    pins: np.ndarray
    coupled: np.ndarray
    coordinate: np.ndarray
    turns: np.ndarray


class JointRows(NamedTuple):
    """The joints of one step: functions there, value (F,) and derivatives (F,2,6), and g (K,) of all rows; blocks (n,),
    rows (k,) of the tables that are in the problem; bodies (n,): one that moves of each; their part of the problem:
    kind, row_start, J, G, b, compliance_offset, compliance, bounds; stiff (k,): rows held without compliance;
    driven (n,): velocity that the impulses of the last step gave along rows of motors, servos and springs [m/s];
    orientation (R,3,3): rotation matrices where they push."""

    value: np.ndarray
    derivative: np.ndarray
    g: np.ndarray
    blocks: np.ndarray
    rows: np.ndarray
    bodies: np.ndarray
    kind: np.ndarray
    row_start: np.ndarray
    J: BlockRows
    G: BlockRows
    b: np.ndarray
    compliance_offset: np.ndarray
    compliance: np.ndarray
    bounds: np.ndarray
    stiff: np.ndarray
    driven: np.ndarray
    orientation: np.ndarray


class Moments(NamedTuple):
    """The time of a step: its length h [s], horizon [s] until contacts are searched for again, whether all forces are
    those of its end."""

    h: float
    horizon: float
    implicit: bool


@inner
def live(t, broken, q):
    """Whether block q holds: its joint has not broken, and a body of it moves."""
    return t.moves[q] and not broken[t.blocks.joint[q]]


@inner
def wanted(t, broken, g, free, before, horizon):
    """Blocks (n,) of the step: all that are live but limits that are far."""
    found, count = np.empty(t.moves.size, np.int64), 0
    for q in range(t.moves.size):
        first = t.blocks.row_start[q]
        near = REACH * horizon * max(abs(free[first]), abs(before[first])) + NEAR * t.length[q]
        if live(t, broken, q) and not (t.rows.role[first] == LIMIT and g[first] > near):
            found[count] = q
            count += 1
    return found[:count].copy()


@inner
def motor_rate(t, rows, g, k, horizon):
    """Rate [m/s] that the motor in row k asks for; one without a largest force goes no further than a limit of its
    coordinate among the `rows`, or there would be no answer: both would push without bound."""
    r = t.rows
    rate = r.target[k]
    if r.most[k] < UNBOUNDED:
        return rate
    for i in range(rows.size):
        limit = rows[i]
        if r.role[limit] != LIMIT or r.function[r.start[limit]] != r.function[r.start[k]]:
            continue
        along = r.factor[r.start[limit]] / r.factor[r.start[k]]
        least = -max(g[limit], 0.0) / horizon
        if along * rate < least:
            rate = least / along
    return rate


@inner
def fill_laws(t, rows, g, free, moments, b, compliance):
    """Fill b (k,) [m/s] and compliance (k,) [1/kg] of rows (k,), without those of springs and servos unless implicit:
    then what is held is closed at the end of the step, too. g, free (K,): values and rates of all rows."""
    r, h = t.rows, moments.h
    for i in range(rows.size):
        k = rows[i]
        role = r.role[k]
        b[i], compliance[i] = free[k], 0.0
        if role == HOLD:
            soft = r.compliance[k] > 0.0
            if soft or moments.implicit:
                b[i] += g[k] / h
            if soft:
                compliance[i] = r.compliance[k] / (h * h)
        elif role == LIMIT:
            b[i] += (g[k] if moments.implicit else max(g[k], 0.0)) / moments.horizon
        elif role == MOTOR:
            b[i] -= motor_rate(t, rows, g, k, moments.horizon)
        elif moments.implicit and is_drive(role):
            stiffness = r.damping[k] + h * r.stiffness[k]
            b[i] += r.stiffness[k] * (g[k] - r.target[k]) / stiffness
            compliance[i] = 1.0 / (h * stiffness)


@inner
def add_drives(t, blocks, rows, parts, now, h, b, compliance):
    """Add the laws of springs and servos to b (k,) [m/s] and compliance (k,) [1/kg], see drives.py; now: values g (K,),
    rates before the step (K,), and pace (K,) [m/s]: how fast the targets of keyed servos change."""
    g, before, pace = now
    r, any_drive = t.rows, False
    for i in range(rows.size):
        any_drive = any_drive or is_drive(r.role[rows[i]])
    if not any_drive:
        return
    mobility = np.empty(rows.size)
    mobilities_of(t.blocks, r, blocks, parts, t.ends.shape[0], mobility)
    for i in range(rows.size):
        k = rows[i]
        if is_drive(r.role[k]):
            soft, place, rate, lag, _ = drive_law(r.stiffness[k], r.damping[k], mobility[i], h)
            b[i] += place * (g[k] - r.target[k] - lag * pace[k]) + rate * before[k]
            compliance[i] = soft


@kernel
def strengths(r, impulse, h, most):
    """Fill most (K,) [N s]: largest impulses of the rows in a step of h seconds, those of bearings by the impulses (K,)
    that press on them."""
    for k in range(r.role.size):
        most[k] = r.most[k] * h
        if r.grip[k] != 0.0:
            square, first = 0.0, k - r.back[k]
            for i in range(first, first + r.span[k]):
                square += impulse[i] * impulse[i]
            most[k] += r.grip[k] * np.sqrt(square)


@inner
def fill_bounds(t, blocks, most, bounds):
    """bounds (n,2) of blocks from the largest impulses (K,) of the rows."""
    for x in range(blocks.size):
        largest = most[t.blocks.row_start[blocks[x]]]
        bounds[x, 0], bounds[x, 1] = -largest, largest


@inner
def dense_compliance(row_start, compliance):
    """(offset (n,), numbers) of blocks whose rows have this compliance (k,), as ContactProblem has them."""
    count = row_start.size - 1
    offset, size = np.full(count, -1), 0
    for x in range(count):
        total = 0.0
        for i in range(row_start[x], row_start[x + 1]):
            total += compliance[i]
        if total > 0.0:
            offset[x] = size
            size += (row_start[x + 1] - row_start[x]) ** 2
    numbers = np.zeros(size)
    for x in range(count):
        m = row_start[x + 1] - row_start[x]
        if offset[x] >= 0:
            for i in range(m):
                numbers[offset[x] + i * m + i] = compliance[row_start[x] + i]
    return offset, numbers


@inner
def own_diagonal(row_start, J, G, own):
    """own (k,): entries of J W J^T."""
    own[:] = 0.0
    for x in range(row_start.size - 1):
        for s in range(J.indptr[x], J.indptr[x + 1]):
            for i in range(row_start[x + 1] - row_start[x]):
                total = 0.0
                for e in range(6):
                    total += J.data[J.offset[s] + 6 * i + e] * G.data[G.offset[s] + 6 * i + e]
                own[row_start[x] + i] += total


@inner
def fill_driven(t, blocks, rows, parts, impulse, driven):
    """driven (n,): velocity that the impulses (K,) of the last step gave along the drives of each block [m/s]."""
    row_start, J, G = parts
    own, role = np.empty(rows.size), t.rows.role
    own_diagonal(row_start, J, G, own)
    for x in range(blocks.size):
        driven[x] = 0.0
        for i in range(row_start[x], row_start[x + 1]):
            k = rows[i]
            if role[k] == MOTOR or role[k] == SERVO or role[k] == SPRING:
                driven[x] = max(driven[x], own[i] * abs(impulse[k]))


@inner
def moving_body(t, inverse_mass, q):
    """The last of the bodies of block q that moves."""
    found = -1
    for s in range(t.blocks.body_start[q], t.blocks.body_start[q + 1]):
        if inverse_mass[t.blocks.body[s]] > 0.0:
            found = max(found, t.blocks.body[s])
    return found


@inner
def linearised(t, before, position, R):
    """(value (F,), derivative (F,2,6), g (K,)) at poses position (R,3), R (R,3,3); before (F,): values a moment ago."""
    value, derivative = np.empty(t.functions.part.size), np.empty((t.functions.part.size, 2, 6))
    g = np.empty(t.rows.role.size)
    evaluate(t.functions, position, R, before, value, derivative)
    row_values(t.rows, value, g)
    return value, derivative, g


@kernel
def joint_rows(t, bodies, state, place, orientation, free, before, moments):
    """The JointRows of a step.

    t: Tables; bodies: BodyTables; state: value (F,), impulse (K,), broken (J,), pace (K,) of a JointState; place:
    position (R,3) and orientation (R,4) where they push; orientation (R,4) that inertias have; free, before (R,6):
    velocities without impulses, and before the step; moments: Moments.
    """
    value, impulse, broken, pace = state
    R, rows_in_all = np.empty((orientation.shape[0], 3, 3)), t.rows.role.size
    rotation_matrices(place[1], R)
    value, derivative, g = linearised(t, value, place[0], R)
    free_rate, before_rate = np.empty(rows_in_all), np.empty(rows_in_all)
    row_rates(t.rows, t.functions, derivative, free, free_rate)
    row_rates(t.rows, t.functions, derivative, before, before_rate)
    blocks = wanted(t, broken, g, free_rate, before_rate, moments.horizon)
    turned = np.empty_like(R)
    rotation_matrices(orientation, turned)
    parts = segments_of(t, blocks, bodies, turned, derivative)
    row_start, J, G = parts
    count, size = blocks.size, row_start[blocks.size]
    rows, b, compliance, stiff = np.empty(size, np.int64), np.empty(size), np.empty(size), np.empty(size, np.bool_)
    own, kind = np.empty(count, np.int64), np.empty(count, np.int64)
    driven, bounds = np.empty(count), np.empty((count, 2))
    for x in range(count):
        q = blocks[x]
        own[x], kind[x] = moving_body(t, bodies.inverse_mass, q), KINDS[t.rows.role[t.blocks.row_start[q]]]
        for i in range(row_start[x + 1] - row_start[x]):
            k = t.blocks.row_start[q] + i
            rows[row_start[x] + i] = k
            stiff[row_start[x] + i] = t.rows.role[k] == HOLD and t.rows.compliance[k] == 0.0
    fill_laws(t, rows, g, free_rate, moments, b, compliance)
    if not moments.implicit:
        add_drives(t, blocks, rows, parts, (g, before_rate, pace), moments.h, b, compliance)
    fill_driven(t, blocks, rows, parts, impulse, driven)
    most = np.empty(rows_in_all)
    strengths(t.rows, impulse, moments.h, most)
    fill_bounds(t, blocks, most, bounds)
    offset, numbers = dense_compliance(row_start, compliance)
    return JointRows(value, derivative, g, blocks, rows, own, kind, row_start, J, G, b, offset, numbers, bounds, stiff,
                     driven, R)  # fmt: skip


@kernel
def end_laws(t, blocks, rows, g, free, moments, row_start):
    """(b (k,), compliance_offset (n,), compliance) of rows (k,) of blocks (n,), by fill_laws."""
    b, compliance = np.empty(rows.size), np.empty(rows.size)
    fill_laws(t, rows, g, free, moments, b, compliance)
    offset, numbers = dense_compliance(row_start, compliance)
    return b, offset, numbers


@kernel
def segments(t, blocks, bodies, orientation, derivative):
    """See segments_of; orientation (R,4)."""
    R = np.empty((orientation.shape[0], 3, 3))
    rotation_matrices(orientation, R)
    return segments_of(t, blocks, bodies, R, derivative)
