"""Poses taken onto the joints: held rows and passed limits are closed by displacements dq = W J^T mu alone.

Each group of bodies that joints couple is closed for itself, until it is; nothing is decided from another. No velocity
is changed, so that no kinetic energy comes of it.
"""

import numpy as np

from ...methods.second_order.direct_rows import Profile
from ..rigid import moved_poses
from . import function_kernels as kernels
from .indices import gathered
from .rows import _segments, linearised_at, live_blocks

# What is left open [parts of the joint's length], rounds at most, and how much less a round must leave for the next to
# keep its derivatives.
CLOSED, ROUNDS, GOOD = 1e-12, 8, 1e-3


def closed_poses(model, joints, position, orientation):
    """Poses (R,3), (R,4) with the joints of a JointState closed, and the values (F,) of its functions there."""
    tables = joints.tables
    if tables.count == 0:
        return position, orientation, joints.value
    allowed = _closable(model, joints)
    group = model.joint_groups
    limit = CLOSED * tables.block_length
    held, before = None, np.inf
    linear = linearised_at(tables, joints.value, position, orientation)
    for _ in range(ROUNDS):
        open_by = _open(tables, linear)
        off = (open_by > limit) & allowed
        if not off.any():
            break
        bad = np.zeros(len(model.inverse_mass) + 1, dtype=bool)
        bad[group[off]] = True
        passed = ~tables.limits | off
        use = np.flatnonzero(allowed & bad[group] & passed)
        left = open_by[off].max()
        if held is None or left > GOOD * before or not np.array_equal(use, held.use):
            held = _Closing(model, tables, linear, use, orientation)
        before = left
        position, orientation = moved_poses(position, orientation, held.displacement(linear), 1.0)
        linear = linearised_at(tables, joints.value, position, orientation)
    return position, orientation, linear.value


def _closable(model, joints):
    """Blocks (B,) that are closed: held ones without compliance, and limits."""
    return live_blocks(model, joints) & joints.tables.closable


def _open(tables, linear):
    """How far (B,) [m] blocks are open, limits are passed."""
    first = tables.blocks.row_start[:-1]
    return np.where(tables.limits, -linear.g[first], np.maximum.reduceat(np.abs(linear.g), first))


class _Closing:
    """Displacements that close the blocks `use` (n,), with the derivatives of one Linearised; groups share none, so one
    factorisation is that of each."""

    def __init__(self, model, tables, linear, use, orientation):
        self.use, self.model = use, model
        row_start, J, G = _segments(model, tables, linear, use, orientation)
        self.rows = gathered(tables.blocks.row_start, use)
        none = np.full(len(use), -1, dtype=np.int64), np.zeros(0)
        self.G = G
        self.profile = Profile(row_start, J, G, none, np.arange(len(use))).factorise()

    def displacement(self, linear):
        """Displacements (R,6) [m, rad] dq = W J^T mu with J dq = -g."""
        profile, model = self.profile, self.model
        mu = profile.solve(-linear.g[self.rows[profile.rows]])
        change = np.zeros(6 * int(np.count_nonzero(model.inverse_mass > 0)))
        kernels.add_displacement(self.G, profile.blocks, profile.place, mu, change)
        shift = np.zeros((len(model.inverse_mass), 6))
        shift[model.inverse_mass > 0] = change.reshape(-1, 6)
        return shift


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
