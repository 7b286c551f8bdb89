"""Poses taken onto the joints: held rows and passed limits are closed by displacements dq = W J^T mu alone.

Each group of bodies that joints couple is closed for itself, until it is; nothing is decided from another. No velocity
is changed, so that no kinetic energy comes of it.
"""

import numpy as np

from ...mechanisms import off
from ...methods.second_order.direct_rows import HOW
from ..rigid import moved_poses
from .closing_kernels import closed
from .rows import Place, linearised_at, live_blocks
from .state import joints_of
from .tables import Role

# What is left open [parts of the joint's length], rounds at most, and how much less a round must leave for the next to
# keep its derivatives. In the middle of a step it needs to be so little only that what says a thing twice does not say
# two things.
CLOSED, ROUNDS, GOOD = 1e-12, 8, 1e-3
CLOSED_IN_THE_MIDDLE = 1e-7


def closed_poses(model, joints, position, orientation, left=CLOSED):
    """Poses (R,3), (R,4) with the joints of a JointState closed to `left` of their lengths, and the values (F,) of its
    functions there."""
    tables = joints.tables
    if tables.count == 0:
        return position, orientation, joints.value
    if off("joint_closing"):
        return position, orientation, linearised_at(tables, joints.value, position, orientation).value
    value = np.empty_like(joints.value)
    blocks = tables.limits, _closable(model, joints), left * tables.block_length
    poses = closed(tables.functions, tables.rows, tables.blocks, model.bodies, blocks, model.joint_groups, position,
                   orientation, joints.value, value, ROUNDS, GOOD, HOW)  # fmt: skip
    return *poses, value


def middle_of_step(model, state, position, orientation, shift):
    """(position (R,3), orientation (R,4), Place) of a step in whose middle its old velocities take bodies to the given
    poses: where impulses act, and where the joints push.

    Groups that only gravity drives are pushed where they are in the mean over the step: in h, h^2/6 times their
    acceleration further than h/2 of the velocities before takes them, of which gravity's part is `shift` (R,6) and the
    closing of the joints makes what they hold; they move on from the poses given. In others more acts than is known
    before the step: they are closed in the middle, and pushed and moved on from there.
    """
    joints = joints_of(state)
    if joints.tables.count == 0:
        return position, orientation, None
    swings = swinging(model, state)[:, None]
    mean = moved_poses(position, orientation, np.where(swings, shift, 0.0), 1.0)
    place = Place(*closed_poses(model, joints, *mean, CLOSED_IN_THE_MIDDLE)[:2])
    return np.where(swings, position, place.position), np.where(swings, orientation, place.orientation), place


def swinging(model, state):
    """Bodies (R,) bool of groups that hold together by joints without a drive, spring or friction, that no limit and no
    contact pressed on in the last step."""
    joints, contacts = joints_of(state), state.contacts
    other = model.driven_groups.copy()
    limited = (joints.tables.rows.role == Role.LIMIT) & (joints.impulse != 0.0)
    if limited.any():
        first = joints.tables.blocks.row_start[:-1]
        other[model.joint_groups[np.logical_or.reduceat(limited, first)]] = True
    pressed = state.impulses[:, 0] != 0.0
    for body in (contacts.body_a[pressed], contacts.body_b[pressed]):
        other[model.jointed_bodies[body]] = True
    return ~other[model.jointed_bodies]


def driven_groups(model, tables):
    """Groups (R+1,) bool, by their number, with a joint that more acts in than what holds it, and limits."""
    rows, groups = tables.rows, np.zeros(model.body_count + 1, dtype=bool)
    gives = (rows.role != Role.LIMIT) & ((rows.role != Role.HOLD) | (rows.compliance > 0.0))
    if gives.any():
        groups[model.joint_groups[np.logical_or.reduceat(gives, tables.blocks.row_start[:-1])]] = True
    return groups


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
