"""Poses taken onto the joints: held rows and passed limits are closed by displacements dq = W J^T mu alone.

Each group of bodies that joints couple is closed for itself, until it is; nothing is decided from another. No velocity
is changed for it, so that no kinetic energy comes of it, but by as little as keeps the angular momentum of what
floats freely.
"""

import numpy as np

from ...mechanisms import off
from . import after_kernels as kernels
from .momentum_kernels import keep_momentum, nothing_closed
from .rows import Place, linearised_at
from .state import joints_of
from .tables import Role


def closed_poses(model, joints, position, orientation, left=kernels.CLOSED):
    """Poses (R,3), (R,4) with the joints of a JointState closed to `left` of their lengths, and the values (F,) of its
    functions there."""
    if joints.tables.count == 0:
        return position, orientation, joints.value
    if off("joint_closing"):
        return position, orientation, linearised_at(joints.tables, joints.value, position, orientation).value
    value = np.empty_like(joints.value)
    poses = kernels.closed_poses(model.joint_tables, model.bodies, joints.broken, joints.value, position, orientation,
                                 left, value)  # fmt: skip
    return *poses, value


def with_momentum(model, solution, joints, acts, went, after, moved):
    """Velocities (R,6) instead of those of `after`, with the angular momentum that what floats would have without what
    moved it otherwise than its velocities; see keep_momentum. solution: a StepSolution, or what has its step, twist and
    impulse; moved: velocities (R,6) that moved the bodies, the impulses (K,) that gave them, how closing overlap
    coupled bodies (nothing_closed; None: it did not), for how long [s]."""
    step, impulse = solution.step, solution.impulse
    own = None if off("joint_closing") else step.joints
    if own is None and moved[0] is solution.twist:
        return after[2]
    pushed = np.zeros((0, 2, 6)), np.zeros(0, dtype=np.int64), np.zeros(0)
    if own is not None:
        pushed = own.linear.J, own.rows, impulse[len(impulse) - len(own.rows) :]
    changed, contacts, closed = (*after[:2], after[2].copy()), step.contacts, moved[2]
    if closed is None:
        closed = nothing_closed(model.body_count)[1:]
    pressed = (contacts.body_a, contacts.body_b), step.problem.row_start[: contacts.count + 1], impulse, moved[1]
    displaced = (moved[0], solution.twist, moved[3]), pressed, closed
    keep_momentum(model.joint_tables, model.bodies, joints.broken, acts, pushed, went, changed, displaced)
    return changed[2]


def place_of_joints(model, state, position, orientation, shift):
    """Place where the joints push in a step in whose middle its old velocities take bodies to position (R,3) and
    orientation (R,4), None without joints: there, closed.

    Groups that only gravity drives are pushed where they are in the mean over the step: in h, h^2/6 times their
    acceleration further than h/2 of the velocities before takes them, of which gravity's part is `shift` (R,6) and the
    closing of the joints makes what they hold. In others more acts than is known before the step.
    """
    joints = joints_of(state)
    if joints.tables.count == 0:
        return None
    given = joints.value, joints.impulse, joints.broken
    pressing, poses = (state.contacts, state.impulses), (position, orientation)
    return Place(*kernels.place_of_joints(model.joint_tables, model.bodies, given, pressing, *poses, shift))


def swinging(model, state):
    """Bodies (R,) bool of groups that hold together by joints without a drive, spring or friction, that no limit and no
    contact pressed on in the last step."""
    return kernels.swinging(model.joint_tables, joints_of(state).impulse, state.contacts, state.impulses)


def driven_groups(model, tables):
    """Groups (R+1,) bool, by their number, with a joint that more acts in than what holds it, and limits."""
    rows, groups = tables.rows, np.zeros(model.body_count + 1, dtype=bool)
    gives = (rows.role != Role.LIMIT) & ((rows.role != Role.HOLD) | (rows.compliance > 0.0))
    if gives.any():
        groups[model.joint_groups[np.logical_or.reduceat(gives, tables.blocks.row_start[:-1])]] = True
    return groups


def group_of_blocks(model, tables):
    """Number (B,) of the group of bodies, coupled by joints, that each block belongs to."""
    label, moving = np.append(model.jointed_bodies, 0), model.inverse_mass > 0
    blocks = tables.blocks
    bodies = np.where(moving[blocks.body], label[blocks.body], len(moving))
    return np.minimum.reduceat(bodies, blocks.body_start[:-1])
