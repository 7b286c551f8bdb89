"""Poses taken onto the joints: held rows and passed limits are closed by displacements dq = W J^T mu alone.

Each group of bodies that joints couple is closed for itself, until it is; nothing is decided from another. No velocity
is changed, so that no kinetic energy comes of it.
"""

import numpy as np

from ...methods.second_order.direct_rows import DirectRows
from ...problem import assemble
from ..rigid import moved_poses
from .rows import _segments, live_blocks, look_at
from .tables import Role

# What is left open [parts of the joint's length], and rounds at most: each squares what is left.
CLOSED, ROUNDS = 1e-12, 6


def closed_poses(model, joints, position, orientation):
    """Poses (R,3), (R,4) with the joints of a JointState closed, and the values (F,) of its functions there."""
    tables = joints.tables
    if tables.count == 0:
        return position, orientation, joints.value
    allowed = _closable(model, joints)
    group = group_of_blocks(model, tables)
    limit = CLOSED * tables.per_joint.length[tables.blocks.joint]
    for _ in range(ROUNDS):
        look = look_at(tables, joints.value, position, orientation)
        off = _open(tables, look, limit) & allowed
        if not off.any():
            break
        bad = np.zeros(len(model.inverse_mass) + 1, dtype=bool)
        bad[group[off]] = True
        passed = (tables.rows.role[tables.blocks.row_start[:-1]] != Role.LIMIT) | off
        use = np.flatnonzero(allowed & bad[group] & passed)
        shift = _displacement(model, tables, look, use, group[use], orientation)
        position, orientation = moved_poses(position, orientation, shift, 1.0)
    else:
        look = look_at(tables, joints.value, position, orientation)
    return position, orientation, look.value


def _closable(model, joints):
    """Blocks (B,) that are closed: held ones without compliance, and limits."""
    tables = joints.tables
    first = tables.blocks.row_start[:-1]
    role = tables.rows.role[first]
    held = (role == Role.HOLD) & (tables.rows.compliance[first] == 0)
    return live_blocks(model, joints) & (held | (role == Role.LIMIT))


def _open(tables, look, limit):
    """Blocks (B,) that are open by more than `limit` (B,), limits that are passed by more."""
    worst = np.maximum.reduceat(np.abs(look.g), tables.blocks.row_start[:-1])
    first = tables.blocks.row_start[:-1]
    return np.where(tables.rows.role[first] == Role.LIMIT, -look.g[first], worst) > limit


def group_of_blocks(model, tables):
    """Number (B,) of the group of bodies, coupled by joints, that each block belongs to."""
    label = np.arange(len(model.inverse_mass) + 1)
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
    blocks = tables.blocks
    bodies = np.where(moving[blocks.body], label[blocks.body], len(moving))
    return np.minimum.reduceat(bodies, blocks.body_start[:-1])


def _displacement(model, tables, look, use, group, orientation):
    """Displacements (R,6) [m, rad] that close the blocks `use` (n,) of groups (n,)."""
    row_start, J, G = _segments(model, tables, look, use, orientation)
    rows = np.concatenate([np.arange(tables.blocks.row_start[k], tables.blocks.row_start[k + 1]) for k in use])
    dofs = 6 * int(np.count_nonzero(model.inverse_mass > 0))
    problem = assemble(np.ones(len(use)), row_start, J, G, look.g[rows], np.zeros((len(use), 3)), dofs)
    impulse = np.zeros(problem.row_count)
    for one in np.unique(group):
        blocks = np.flatnonzero(group == one)
        direct = DirectRows(problem, blocks)
        impulse[direct.rows] = direct.solve(-problem.b[direct.rows])
    shift = np.zeros((len(model.inverse_mass), 6))
    shift[model.inverse_mass > 0] = problem.velocity_change(impulse).reshape(-1, 6)
    return shift
