"""The slack of what is built straight and taut, such as a rope bridge whose planks just reach from post to post.

To first order the held rows of such a chain leave its planks free to fall across it, to second order they leave
nothing: no pull, however large, bears a weight there. What rows lack where the chain swings by a little is added to its
anchors' distances. So it hangs in a small sag, as every rope does, and its pull is that of the sag.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ....base.late import late
from ....collision.pipeline import find_contacts
from ... import rotation
from ...joints.base import Part
from ...rigid import moved_poses
from ..after_kernels import CLOSED
from ..closing_kernels import ROUNDS
from ..projection import closed_poses
from ..rows import linearised_at
from ..state import first_state
from ..tables import Role
from .compile import APART

sparse, linalg = late("scipy.sparse"), late("scipy.sparse.linalg")
# The swing [rad] that is made room for.
SWING = 0.05


class Loop(NamedTuple):
    """Bodies that joints couple in loops, through what stands or among themselves: held rows (n,), bodies (m,), scale
    (6 m,) of their displacements, the rows' matrix J (n,6 m) for these, and the inverse of J J^T, made so regular that
    three solves leave round-off of what is in its range."""

    rows: np.ndarray
    bodies: np.ndarray
    scale: np.ndarray
    J: object
    inverse: object

    def lack(self, g):
        """What of g (n,) no displacement of the bodies gives."""
        for _ in range(3):
            g = g - self.J @ (self.J.T @ self.inverse.solve(g))
        return g

    def free(self, u):
        """What rows leave of displacements u (m,6)."""
        u = u.ravel() * self.scale
        for _ in range(3):
            u = u - self.J.T @ self.inverse.solve(self.J @ u)
        return (u * self.scale).reshape(-1, 6)


def with_slack(model, state, stay):
    """(Model, first State) with slack where joints are straight and taut, and what they hold swung into it along
    gravity.

    Loops of joints stay as they were built that hold one of the bodies `stay` (R,) bool, that would swing into what
    they do not overlap, or that no pose closes there.
    """
    if not model.joints.count or not model.gravity.any():
        return model, state
    tables, poses, moving = model.joints, (state.position, state.orientation), model.inverse_mass > 0
    loops = [loop for loop in _loops(model, poses) if not stay[_held_by(tables, loop.rows)].any()]
    if not loops:
        return model, state
    lack, swing = _lack(tables, loops, poses, model.size, np.where(moving[:, None], model.gravity, 0.0))
    if not lack.any():
        return model, state
    there = _moved(poses, swing)
    wrong = _newly_met(model.collision, poses, there, model.size)
    slack = replace(model, joints=_lengthened(tables, poses[1], moving, lack, swing))
    begun, open_still = _closed(slack, state, there)
    wrong |= open_still
    if any(wrong[loop.bodies].any() for loop in loops):
        return with_slack(model, state, stay | wrong)
    return slack, begun


def _closed(model, state, there):
    """(State with the joints of what has swung to poses `there` closed, bodies (R,) bool whose joints stay open)."""
    tables, joints, (swung, open_still) = model.joints, first_state(model.joints), np.zeros((2, model.body_count), bool)
    slack = (tables.rows.role == Role.HOLD) & np.isin(tables.rows.joint, tables.slack)
    limit = np.where(slack, 1e3 * CLOSED * tables.per_joint.length[tables.rows.joint], np.inf)
    for _ in range(ROUNDS):
        *there, _ = closed_poses(model, joints, *there)
        off = ~(np.abs(_linear(tables, there).g) <= limit)
        if not off.any():
            break
    open_still[_held_by(tables, off)] = swung[list(tables.swung)] = True
    position, orientation = _with(swung, (state.position, state.orientation), there)
    return replace(state, position=position, orientation=orientation, joints=joints), open_still


def _held_by(tables, rows):
    """The bodies that the joints of rows hold, those that stand too."""
    ends = tables.per_joint.ends[tables.rows.joint[rows]]
    return ends[ends >= 0]


def _newly_met(collision, poses, there, size):
    """Bodies (R,) bool that overlap in poses `there` by more than APART of the smaller, and less before."""
    found, still = np.zeros((2, len(size)), dtype=bool), np.zeros((len(size), 6))
    for deep, at in zip(found, (poses, there), strict=True):
        contacts = find_contacts(collision, *at, still, 0.0)
        ends = np.stack([contacts.body_a, contacts.body_b])
        deep[ends[:, contacts.gap < -APART * size[ends].min(axis=0)]] = True
    return found[1] & ~found[0]


def _lack(tables, loops, poses, size, pull):
    """(What rows (K,) lack where loops swing along a pull (R,3), how their bodies are displaced (R,6))."""
    at_rest = _linear(tables, poses).g
    # What hangs on a taut line swings further than it, and has no say the second time.
    for _ in range(2):
        swing, lack, taut = _swings(loops, pull, size), np.zeros(len(at_rest)), np.zeros(len(size), dtype=bool)
        there = [_linear(tables, _moved(poses, sign * swing)).g for sign in (1.0, -1.0)]
        second = 0.5 * (there[0] + there[1]) - at_rest
        for loop in loops:
            own = loop.lack(second[loop.rows])
            most = np.abs(own).max()
            # Of what moves as it was built, terms of the fourth order are left.
            if most > SWING**2 * np.abs(second[loop.rows]).max():
                lack[loop.rows] = np.where(np.abs(own) > SWING**2 * most, own, 0.0)
                taut[_held_by(tables, loop.rows[np.abs(own) > SWING * most])] = True
        pull = np.where(taut[:, None], pull, 0.0)
    return lack, swing


def _swings(loops, pull, size):
    """Displacements (R,6) that the rows of loops leave of a pull (R,3), as far as the fastest of the bodies pulled
    turns by SWING; none where they leave next to none.

    In a taut line turns by a angles take a^2/2 times the pull and the length: ways weigh little beside these, so that
    what begins there hangs still.
    """
    swing = np.zeros((len(pull), 6))
    for loop in loops:
        own = pull[loop.bodies]
        if not own.any():
            continue
        u = loop.free(np.column_stack([own / np.linalg.norm(own, axis=1).max(), np.zeros_like(own)]))
        most = np.abs(u[own.any(axis=1), 3:]).max()
        if most * size[loop.bodies].max() > SWING:
            swing[loop.bodies] = u * (SWING / most)
    return swing


def _loops(model, poses):
    """The Loops of joints: where there are none, rows lack nothing."""
    tables, size, J, found = model.joints, model.size, None, []
    held = np.where(tables.closable & ~tables.limits, model.joint_groups, -1)
    held[~model.moving_blocks] = -1
    held_rows = np.repeat(held, np.diff(tables.blocks.row_start))
    for number in np.unique(held[held >= 0]):
        bodies = np.flatnonzero((model.jointed_bodies == number) & (model.inverse_mass > 0))
        if len(np.unique(tables.blocks.joint[held == number])) <= len(bodies):
            continue
        J, rows = _matrix(tables, poses) if J is None else J, np.flatnonzero(held_rows == number)
        scale = np.column_stack([np.full((len(bodies), 3), 30.0), np.repeat(1.0 / size[bodies, None], 3, axis=1)])
        own = J[rows][:, (6 * bodies[:, None] + np.arange(6)).ravel()] @ sparse.diags(scale.ravel())
        A = (own @ own.T).tocsc()
        regular = A + sparse.diags(1e-10 * A.diagonal(), format="csc")
        found.append(Loop(rows, bodies, scale.ravel(), own, linalg.splu(regular)))
    return found


def _matrix(tables, poses):
    """J (K,6 R) of the rows."""
    f, r, J = tables.functions, tables.rows, _linear(tables, poses).J
    row, body = np.repeat(np.arange(len(r.role)), np.diff(r.start)), f.body[r.function]
    values, columns = r.factor[:, None, None] * J[r.function], 6 * body[:, :, None] + np.arange(6)
    use, rows = body >= 0, np.broadcast_to(row[:, None, None], columns.shape)
    entries = values[use].ravel(), (rows[use].ravel(), columns[use].ravel())
    return sparse.csr_matrix(entries, (len(r.role), 6 * len(poses[0])))


def _linear(tables, poses):
    """The joints Linearised at poses (R,3), (R,4), with angles of no whole turns."""
    return linearised_at(tables, np.zeros(len(tables.functions.part)), *poses)


def _moved(poses, displacement):
    """Poses (R,3), (R,4) after displacements (R,6)."""
    return _with(displacement.any(axis=1), poses, moved_poses(*poses, displacement, 1.0))


def _with(bodies, poses, others):
    """Poses with those of `bodies` (R,) bool from others."""
    return tuple(np.where(bodies[:, None], other, own) for own, other in zip(poses, others, strict=True))


def _lengthened(tables, orientation, moving, lack, swing):
    """The tables whose anchors are moved by what rows (K,) lack, half on either body where both move."""
    f, r, p = tables.functions, tables.rows, tables.per_joint
    shift = np.zeros((tables.count, 3))
    for k in np.flatnonzero(lack):
        feature = r.function[r.start[k]]
        if f.part[feature] == Part.POINT:
            shift[r.joint[k], f.i[feature]] += lack[k]
    anchors, R = p.anchor.copy(), rotation.matrix(orientation)
    joints = np.flatnonzero(shift.any(axis=1))
    for j in joints:
        a, b = p.ends[j]
        frame = p.frame[j, 0] if a < 0 else R[a] @ p.frame[j, 0]
        mobile = [body for body in (a, b) if body >= 0 and moving[body]]
        for side, body, sign in ((0, a, 0.5), (1, b, -0.5)):
            if body in mobile:
                anchors[j, side] += sign * (2.0 / len(mobile)) * (R[body].T @ frame @ shift[j])
    owner = np.repeat(np.arange(tables.count), np.diff(p.function_start))
    functions = f._replace(anchor=np.where(shift.any(axis=1)[owner][:, None, None], anchors[owner], f.anchor))
    return replace(tables, functions=functions, per_joint=p._replace(anchor=anchors),
                   slack=tuple(joints.tolist()),
                   swung=tuple(np.flatnonzero(swing.any(axis=1)).tolist()))  # fmt: skip
