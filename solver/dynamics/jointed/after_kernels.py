"""Kernels of the joints around the solve of a step: where they push, and what they carried after it."""

from math import expm1, hypot, sqrt
from typing import NamedTuple

import numpy as np

from ...jit import inner, kernel
from ..rigid import drift
from ..step_kernels import move, rotation_matrices
from .closing_kernels import closed
from .drive_kernels import FRICTION, HOLD, LIMIT, MOTOR, SERVO
from .function_kernels import add_loads, evaluate, row_rates, row_values
from .row_kernels import live, strengths
from .tables import Functions, Rows

# What is left open at the end of a step [parts of the joint's length].
CLOSED = 1e-12
# A breaking load is measured over this time [s], whatever the time step.
FILTER = 0.005
# Friction that uses all but this part of what there is slides.
AT_BOUND = 1e-6
# Work of held rows in a whole step, as a part of the energy of the bodies that they hold together.
WORK = 3e-4


@kernel
def closed_poses(t, bodies, broken, before, position, orientation, left, value):
    """(position (R,3), orientation (R,4)) with the joints closed to `left` of their lengths; fills value (F,) there.

    t: row_kernels.Tables; broken (J,); before (F,): values a moment ago.
    """
    count = t.moves.size
    limits, allowed, limit = np.empty(count, np.bool_), np.empty(count, np.bool_), np.empty(count)
    for q in range(count):
        limits[q] = t.rows.role[t.blocks.row_start[q]] == LIMIT
        allowed[q], limit[q] = t.closable[q] and live(t, broken, q), left * t.length[q]
    return closed(t, bodies, (limits, allowed, limit), position, orientation, before, value)


@kernel
def swinging(t, impulse, contacts, impulses):
    """Bodies (R,) bool of groups that hold together by joints without a drive, spring or friction, that no limit and no
    contact pressed on in the last step; impulse (K,) of the joints' rows, impulses (C,5) of contacts."""
    other = t.driven.copy()
    for q in range(t.moves.size):
        for k in range(t.blocks.row_start[q], t.blocks.row_start[q + 1]):
            if t.rows.role[k] == LIMIT and impulse[k] != 0.0:
                other[t.group[q]] = True
    for k in range(contacts.gap.size):
        if impulses[k, 0] != 0.0:
            other[t.group_of_body[contacts.body_a[k]]] = True
            other[t.group_of_body[contacts.body_b[k]]] = True
    swings = np.empty(t.group_of_body.size, np.bool_)
    for i in range(swings.size):
        swings[i] = not other[t.group_of_body[i]]
    return swings


@kernel
def place_of_joints(t, bodies, joints, pressing, position, orientation, shift):
    """Poses (R,3), (R,4) where joints push, see projection.place_of_joints; joints: value (F,), impulse (K,), broken
    (J,); pressing: contacts and their impulses (C,5) of the last step."""
    value, impulse, broken = joints
    swings = swinging(t, impulse, pressing[0], pressing[1])
    moved, spare = np.zeros_like(shift), np.empty_like(value)
    for i in range(swings.size):
        if swings[i]:
            moved[i] = shift[i]
    mean, turned = np.empty_like(position), np.empty_like(orientation)
    move(position, orientation, moved, 1.0, mean, turned)
    # So little open only that what says a thing twice does not say two things.
    return closed_poses(t, bodies, broken, value, mean, turned, 1e-7, spare)


@kernel
def turn_of_rows(t, bodies, symmetry, there, poses, twist, time):
    """Rates (k,) [m/s] of `rows` (k,) of the tables for `twist` (R,6) as they are at poses (R,3), (R,4), less those
    where the bodies are after `time` [s]; 0 where not `stiff` (k,). there: value (F,) and derivative (F,2,6) at these
    poses, rows and stiff."""
    (before, derivative, rows, stiff), (position, orientation), turned = there, poses, np.empty(there[2].size)
    f, r = t.functions, t.rows
    new_position, new_orientation, later = drift(bodies, symmetry, position, orientation, twist, time)
    R, value = np.empty((position.shape[0], 3, 3)), np.empty(f.part.size)
    J, now, then = np.empty((f.part.size, 2, 6)), np.empty(r.role.size), np.empty(r.role.size)
    rotation_matrices(new_orientation, R)
    evaluate(f, new_position, R, before, value, J)
    row_rates(r, f, derivative, twist, now)
    row_rates(r, f, J, later, then)
    for k in range(rows.size):
        turned[k] = now[rows[k]] - then[rows[k]] if stiff[k] else 0.0
    return turned


@kernel
def carried(t, there, own, h, impulse, load, strain, broken):
    """Fill impulse (K,) of all rows from those `own` (k,) of `rows` (k,), load (J,6) on the second bodies about the
    joints; update strain (J,) and broken (J,) after a step of h seconds. there: derivative (F,2,6), orientation (R,3,3)
    where they pushed, and rows."""
    derivative, orientation, rows = there
    impulse[:], load[:] = 0.0, 0.0
    for i in range(rows.size):
        impulse[rows[i]] = own[i]
    add_loads(t.rows, t.functions, derivative, impulse, load)
    # A mean over some time, so that a blow breaks the same joint whatever the time step.
    share = -expm1(-h / FILTER)
    arm = np.zeros(3)
    for j in range(load.shape[0]):
        body = t.ends[j, 1]
        for i in range(3):
            arm[i] = 0.0
            for c in range(3):
                if body >= 0:
                    arm[i] += orientation[body, i, c] * t.anchor[j, 1, c]
        for i in range(3):
            m, n = (i + 1) % 3, (i + 2) % 3
            load[j, 3 + i] -= arm[m] * load[j, n] - arm[n] * load[j, m]
        if np.isfinite(t.breaking[j]):
            force = sqrt(load[j, 0] ** 2 + load[j, 1] ** 2 + load[j, 2] ** 2)
            torque = sqrt(load[j, 3] ** 2 + load[j, 4] ** 2 + load[j, 5] ** 2) / t.joint_length[j]
            strain[j] += share * (hypot(force, torque) / h / t.breaking[j] - strain[j])
        broken[j] = broken[j] or strain[j] >= 1.0


def snapped(before, after, strain):
    """Joints (J,) that held before (J,) a step and have broken (J,) in it under twice what they bear, or more: in a
    blow, of which they pass on no more than that. They let go at its start; else a wall would fly off whole with the
    stone that is struck out of it."""
    return after & ~before & (strain >= 2.0)


# For kernels.
snaps = inner(snapped)


@kernel
def sticking(t, sticks, impulse, h):
    """Rows (K,) of friction that hold with less than there was for them in a step of h seconds; sticks (K,): before."""
    most, found = np.empty(sticks.size), np.empty(sticks.size, np.bool_)
    strengths(t.rows, impulse, h, most)
    for k in range(sticks.size):
        held = t.ratio[t.rows.joint[k]] if sticks[k] else 1.0
        found[k] = t.rows.role[k] == FRICTION and (
            t.ratio[t.rows.joint[k]] <= 1.0 or abs(impulse[k]) < (1.0 - AT_BOUND) * held * most[k]
        )
    return found


@inner
def group_energy(t, bodies, orientation, twist):
    """Energy (R,) [J] of each group: kinetic, and the weight of its bodies times their size, so that it is not none at
    rest; orientation (R,3,3)."""
    energy, spin = np.zeros(bodies.mass.size), np.empty(3)
    weight = sqrt(bodies.gravity[0] ** 2 + bodies.gravity[1] ** 2 + bodies.gravity[2] ** 2)
    for i in range(bodies.mass.size):
        if bodies.inverse_mass[i] == 0.0:
            continue
        own = 0.5 * (twist[i, 0] ** 2 + twist[i, 1] ** 2 + twist[i, 2] ** 2) + weight * bodies.size[i]
        own *= bodies.mass[i]
        for j in range(3):
            spin[j] = 0.0
            for c in range(3):
                spin[j] += orientation[i, c, j] * twist[i, 3 + c]
        for j in range(3):
            for c in range(3):
                own += 0.5 * spin[j] * bodies.inertia[i, j, c] * spin[c]
        energy[t.group_of_body[i]] += own
    return energy


@kernel
def erring(t, bodies, joined, own, tolerance, twists, part):
    """Moving bodies (R,) bool of groups whose held rows did too much work, see solution.erring_bodies; joined: the
    JointRows of the step; own (k,): their impulses; tolerance (n,) [m/s] of their blocks; twists (R,6): before, at the
    end of the step before, and of the solution."""
    count, (before, former, twist) = bodies.mass.size, twists
    rate, both = np.empty(t.rows.role.size), before + twist
    for i in range(count):
        # What keys jump by is work that they do, however fine the steps.
        if bodies.inverse_mass[i] == 0.0:
            both[i] = former[i] + twist[i]
    row_rates(t.rows, t.functions, joined.derivative, both, rate)
    allowed = group_energy(t, bodies, joined.orientation, twist)
    work = np.zeros(count)
    for i in range(count):
        allowed[i] *= part * WORK
    for x in range(joined.blocks.size):
        group = t.group_of_body[joined.bodies[x]]
        for i in range(joined.row_start[x], joined.row_start[x + 1]):
            if joined.stiff[i]:
                work[group] += 0.5 * own[i] * rate[joined.rows[i]]
                allowed[group] += tolerance[x] * abs(own[i])
    found = np.empty(count, np.bool_)
    for i in range(count):
        group = t.group_of_body[i]
        found[i] = bodies.inverse_mass[i] > 0.0 and abs(work[group]) > allowed[group]
    return found


@kernel
def work_of_joints(t, bodies, joined, own, kept, free, twist, h):
    """Work [J] of the joints of the bodies `kept` (R,) in a step of h seconds, as that of contacts: impulses own (k,)
    against the mean of the velocities before without gravity and after with them; free, twist (R,6)."""
    speed, total = free + twist, 0.0
    for i in range(speed.shape[0]):
        if bodies.inverse_mass[i] > 0.0:
            for j in range(3):
                speed[i, j] -= h * bodies.gravity[j]
    rate = np.empty(t.rows.role.size)
    row_rates(t.rows, t.functions, joined.derivative, speed, rate)
    for x in range(joined.blocks.size):
        if kept[joined.bodies[x]]:
            for i in range(joined.row_start[x], joined.row_start[x + 1]):
                total += own[i] * rate[joined.rows[i]]
    return 0.5 * total


class Read(NamedTuple):
    """What `readings` take of JointTables: functions and rows; length (J,) [m], coordinate (J,) and turns (K,), see
    row_kernels.Tables."""

    functions: Functions
    rows: Rows
    joint_length: np.ndarray
    coordinate: np.ndarray
    turns: np.ndarray


@kernel
def readings(t, joints, position, orientation, twist, h, out):
    """Fill out (J,11), see readings.joint_readings; t: Read; joints: value (F,), impulse (K,), load (J,6), broken (J,)
    after a step of h seconds."""
    before, impulse, load, broken = joints
    R, rate, g = np.empty((orientation.shape[0], 3, 3)), np.empty(t.rows.role.size), np.empty(t.rows.role.size)
    value, J = np.empty(before.size), np.empty((before.size, 2, 6))
    rotation_matrices(orientation, R)
    evaluate(t.functions, position, R, before, value, J)
    row_values(t.rows, value, g)
    row_rates(t.rows, t.functions, J, twist, rate)
    out[:] = 0.0
    for k in range(rate.size):
        j, role = t.rows.joint[k], t.rows.role[k]
        if role == HOLD and t.rows.compliance[k] == 0.0:
            if t.turns[k]:
                out[j, 3] += (g[k] / t.joint_length[j]) ** 2
            else:
                out[j, 2] += g[k] ** 2
        elif role in (MOTOR, SERVO):
            out[j, 10] += impulse[k] * rate[k] / h
    for j in range(out.shape[0]):
        k = t.coordinate[j]
        if k >= 0:
            out[j, 0] = value[k]
            for side in range(2):
                body = t.functions.body[k, side]
                for c in range(6):
                    if body >= 0:
                        out[j, 1] += J[k, side, c] * twist[body, c]
        out[j, 2], out[j, 3] = sqrt(out[j, 2]), sqrt(out[j, 3])
        for i in range(6):
            out[j, 4 + i] = load[j, i] / h
        if broken[j]:
            for i in range(2, 11):
                out[j, i] = 0.0
