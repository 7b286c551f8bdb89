"""Poses taken onto the joints: held rows and passed limits are closed by displacements dq = W J^T mu alone.

Each group of bodies that joints couple is closed for itself, until it is; nothing is decided from another. No velocity
is changed, so that no kinetic energy comes of it.
"""

import numpy as np

from ...methods.second_order.direct_rows import HOW
from .closing_kernels import closed
from .rows import live_blocks

# What is left open [parts of the joint's length], rounds at most, and how much less a round must leave for the next to
# keep its derivatives.
CLOSED, ROUNDS, GOOD = 1e-12, 8, 1e-3


def closed_poses(model, joints, position, orientation):
    """Poses (R,3), (R,4) with the joints of a JointState closed, and the values (F,) of its functions there."""
    tables = joints.tables
    if tables.count == 0:
        return position, orientation, joints.value
    value = np.empty_like(joints.value)
    blocks = tables.limits, _closable(model, joints), CLOSED * tables.block_length
    poses = closed(tables.functions, tables.rows, tables.blocks, model.bodies, blocks, model.joint_groups, position,
                   orientation, joints.value, value, ROUNDS, GOOD, HOW)  # fmt: skip
    return *poses, value


def _closable(model, joints):
    """Blocks (B,) that are closed: held ones without compliance, and limits."""
    return live_blocks(model, joints) & joints.tables.closable


def group_of_bodies(model, tables):
    """Number (R,) of the group of moving bodies, coupled by joints, of each body: its lowest."""
    label = np.arange(len(model.inverse_mass))
    moving = model.inverse_mass > 0
    a, b = tables.coupled.T
    inner = moving[a] & moving[b]
    a, b = a[inner], b[inner]
    while True:
        low = np.minimum(label[a], label[b])
        if np.array_equal(label[a], low) and np.array_equal(label[b], low):
            break
        np.minimum.at(label, a, low)
        np.minimum.at(label, b, low)
    return label


def group_of_blocks(model, tables):
    """Number (B,) of the group of bodies, coupled by joints, that each block belongs to."""
    label, moving = np.append(group_of_bodies(model, tables), 0), model.inverse_mass > 0
    blocks = tables.blocks
    bodies = np.where(moving[blocks.body], label[blocks.body], len(moving))
    return np.minimum.reduceat(bodies, blocks.body_start[:-1])
