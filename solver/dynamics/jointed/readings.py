"""What a frame tells of the joints: values, rates, errors and loads."""

import numpy as np

from .after_kernels import Read, readings
from .state import joints_of

# Numbers a joint and frame.
READ = ("value", "rate", "gap", "angle", *("force",) * 3, *("torque",) * 3, "power")
WIDTH = len(READ)


def joint_readings(state, time_step):
    """(J, WIDTH) of a State: value [m or rad] and rate of the coordinate, the driven one of several, else the first,
    0 for none; gap [m] and angle [rad] by which it is open; force [N] and torque about the joint [N m] on the second
    body in the last step of time_step s, world; power [W] of its motors and servos: their force in that step at the
    speed at its end."""
    joints = joints_of(state)
    out = np.zeros((joints.tables.count, WIDTH))
    given = joints.value, joints.impulse, joints.load, joints.broken
    readings(read_of(joints.tables), given, state.position, state.orientation, state.twist, float(time_step), out)
    return out


def read_of(tables):
    """The after_kernels.Read of JointTables."""
    p = tables.per_joint
    return Read(tables.functions, tables.rows, p.length, p.value, tables.turns)
