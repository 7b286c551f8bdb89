"""What a frame tells of the joints: values, rates, errors and loads."""

import numpy as np

from ..joints.base import ANGULAR
from .rows import linearised_at, rates
from .state import joints_of
from .tables import Role

# Numbers a joint and frame: value, rate, gap, angle, force and torque, power of its motors and servos.
WIDTH = 11


def joint_readings(state, time_step):
    """(J, WIDTH) of a State: value [m or rad] and rate of the coordinate, 0 for none; gap [m] and angle [rad] by
    which it is open; force [N] and torque about the joint [N m] on the second body in the last step of time_step s,
    world; power [W] of its motors and servos: their force in that step at the speed at its end."""
    joints = joints_of(state)
    tables, p = joints.tables, joints.tables.per_joint
    out = np.zeros((tables.count, WIDTH))
    linear = linearised_at(tables, joints.value, state.position, state.orientation)
    has = p.value >= 0
    out[has, 0] = linear.value[p.value[has]]
    out[:, 1] = _rates(tables, linear, state.twist)
    gap, angle = _errors(tables, linear)
    out[:, 2], out[:, 3] = gap, angle
    out[:, 4:10] = joints.load / time_step
    driven = np.flatnonzero(np.isin(tables.rows.role, (Role.MOTOR, Role.SERVO)))
    power = joints.impulse[driven] * rates(tables, linear, state.twist)[driven] / time_step
    np.add.at(out[:, 10], tables.rows.joint[driven], power)
    out[joints.broken, 2:] = 0.0
    return out


def _rates(tables, linear, twist):
    p, f = tables.per_joint, tables.functions
    found = np.zeros(tables.count)
    for j in np.flatnonzero(p.value >= 0):
        k = p.value[j]
        for side in range(2):
            if f.body[k, side] >= 0:
                found[j] += linear.J[k, side] @ twist[f.body[k, side]]
    return found


def _errors(tables, linear):
    """Gap (J,) [m] and misalignment (J,) [rad] of the held rows."""
    r, f = tables.rows, tables.functions
    held = np.flatnonzero((r.role == Role.HOLD) & (r.compliance == 0))
    angular = np.isin(f.part[r.function[r.start[held]]], [int(part) for part in ANGULAR])
    single = np.diff(r.start)[held] == 1
    turns = angular & single
    square = np.zeros((2, tables.count))
    np.add.at(square[0], r.joint[held[~turns]], linear.g[held[~turns]] ** 2)
    owner = r.joint[held[turns]]
    np.add.at(square[1], owner, (linear.g[held[turns]] / tables.per_joint.length[owner]) ** 2)
    return np.sqrt(square)



