"""What joints leave to move at the start: bodies that they hold fast, motors that cannot turn, places that no pose
fits.

Bodies are held fast if no velocity is left to them by the rows among themselves alone: rigid to first order, and
therefore rigid. A crank at its dead point is not: its slider has no velocity, but only as long as the crank stands.
"""

from typing import NamedTuple

import numpy as np

from ....base.refusal import SceneError
from ....base.wording import listed
from ... import rotation
from ...joints.base import ANGULAR, Part
from ..closing_kernels import displacement_of
from ..projection import closed_poses
from ..rows import linearised_at, live_blocks, rates
from ..state import joints_of
from ..tables import Role
from .slack import SWING

# What is left of a velocity of a body that is held fast, as a part of it; of a wanted rate that may be missed.
STILL, MISSED = 1e-5, 1e-3
# What an assembly may leave open, as a part of the joint's length; a motor stronger than this [N] yields to nothing.
LEFT, STRONG = 1e-6, 1e29


class Held(NamedTuple):
    """fast (R,) bool: bodies held fast by joints; blocks (B,) bool: the blocks of rows that hold them."""

    fast: np.ndarray
    blocks: np.ndarray


def held_fast(model, state):
    """Held of a Model at a State's poses."""
    joints = joints_of(state)
    tables, moving = joints.tables, model.inverse_mass > 0
    fast, blocks = moving.copy(), _lasting(model, joints)
    linear = linearised_at(tables, joints.value, state.position, state.orientation)
    rng = np.random.default_rng(0)
    probe = rng.normal(size=(len(moving), 6))
    probe[:, 3:] /= np.where(model.size > 0, model.size, 1.0)[:, None]
    while fast.any() and blocks.any():
        u = np.where(fast[:, None], probe, 0.0)
        left = u + _shift(model, tables, linear, np.flatnonzero(blocks), state.orientation, rates(tables, linear, u))
        still = fast & (_speed(model, left) < STILL * _speed(model, u))
        if np.array_equal(still, fast):
            return Held(fast, blocks)
        fast = still
        # The rows of blocks all of whose moving bodies are held still: others need what moves.
        blocks &= _all(tables.blocks, fast | ~moving)
    return Held(np.zeros_like(fast), np.zeros_like(blocks))


def check_motion(model, state):
    """Refuse joints that no pose closes and motors that joints hold fast, by their names and those of what holds."""
    joints = joints_of(state)
    tables = joints.tables
    if tables.count == 0:
        return
    _check_assembly(model, joints, state)
    driven = _driven(tables)
    if not driven.any():
        return
    held = held_fast(model, state)
    still = _all(tables.blocks, held.fast | (model.inverse_mass == 0))
    for block in np.flatnonzero(driven & still & live_blocks(model, joints)):
        own, what = tables.blocks.joint[block], _wish(tables, block)
        holding = [k for k in dict.fromkeys(tables.blocks.joint[held.blocks]) if k != own]
        # Those next to it first.
        ends = set(tables.per_joint.ends[own]) - {-1}
        holding.sort(key=lambda k: not ends & set(tables.per_joint.ends[k]))
        raise SceneError(
            f"joint {tables.names[own]!r}: its {what}, but {_named(tables, holding)} it fast; remove one of "
            "them, or the drive"
        )
    _check_motors(model, joints, state)


def notes_of_motion(model, state):
    """Sentences about slack that joints were given, about joints that begin outside their limits, and about bodies that
    joints hold fast without any of them being fixed: nothing is wrong with a truss."""
    if model.joints.count == 0:
        return []
    return _notes_of_slack(model.joints) + _notes_of_limits(model, state) + _notes_of_held(model, state)


def _notes_of_slack(tables):
    if not tables.slack:
        return []
    return [
        f"{_titled(tables, tables.slack)} hold bodies straight and taut, where no pull bears a weight: they have slack "
        f"for a sag by {SWING:g} rad, in which the run begins; for another sag, place bodies and joints in it"
    ]


def _notes_of_limits(model, state):
    joints = joints_of(state)
    tables = joints.tables
    passed = _open(tables, linearised_at(tables, joints.value, state.position, state.orientation))
    passed /= tables.per_joint.length[tables.blocks.joint]
    # What is off at the start is not told here from what breaks or lets go later.
    passing = np.array(tables.passing, dtype=bool)[tables.blocks.joint]
    passed[passing | ~(tables.limits & live_blocks(model, joints))] = 0.0
    outside = np.unique(tables.blocks.joint[passed > LEFT])
    if not len(outside):
        return []
    worst = int(np.argmax(passed))
    way = passed[worst] * (1.0 if _angular(tables, worst) else tables.per_joint.length[tables.blocks.joint[worst]])
    return [
        f"{_titled(tables, outside)}: outside the limits at the start, by up to {way:.3g} "
        f"{'rad' if _angular(tables, worst) else 'm'}, and moved into them at once; limits count from the start"
    ]


def _notes_of_held(model, state):
    tables, held = model.joints, held_fast(model, state)
    fixed = np.array([kind == "fixed" for kind in tables.types])
    blocks = held.blocks & ~fixed[tables.blocks.joint]
    b = tables.blocks
    owner = np.repeat(np.arange(len(b.joint)), np.diff(b.body_start))
    bodies = sorted({int(body) for body in b.body[blocks[owner]] if held.fast[body]})
    if not bodies:
        return []
    names = listed([model.names[body] for body in bodies])
    joints = list(dict.fromkeys(b.joint[blocks]))
    return [f"{len(bodies)} of the jointed bodies cannot move, {_named(tables, joints)} them fast: {names}"]


def _check_assembly(model, joints, state):
    """Joints that are to be assembled, and that no pose closes."""
    tables = joints.tables
    linear = linearised_at(tables, joints.value, state.position, state.orientation)
    limit, holding = LEFT * tables.per_joint.length[tables.blocks.joint], _holding(model, joints)
    if not (holding & (_open(tables, linear) > limit)).any():
        return
    position, orientation, value = closed_poses(model, joints, state.position, state.orientation)
    off = _open(tables, linearised_at(tables, value, position, orientation))
    wrong = np.flatnonzero(holding & ~(off <= limit))
    if len(wrong):
        apart = np.nan_to_num(off[wrong], nan=np.inf)
        # The first of those that are as far apart, by round-off.
        worst = wrong[np.argmax(apart >= (1.0 - 1e-6) * apart.max())]
        own = tables.blocks.joint[worst]
        others = [k for k in dict.fromkeys(tables.blocks.joint[wrong]) if k != own]
        raise SceneError(
            f"{_titled(tables, [own, *others])}: no pose of the bodies closes what is joined, {1e3 * off[worst]:.4g} "
            "mm stay open; correct positions or lengths, or remove a joint"
        )


def _open(tables, linear):
    """How far (B,) [m] blocks are open, limits are passed."""
    first = tables.blocks.row_start[:-1]
    return np.where(tables.limits, -linear.g[first], np.maximum.reduceat(np.abs(linear.g), first))


def _check_motors(model, joints, state):
    """Motors that yield to nothing, and want what cannot be at once."""
    tables = joints.tables
    first = tables.blocks.row_start[:-1]
    strong = (tables.rows.role[first] == Role.MOTOR) & (tables.rows.most[first] >= STRONG) & live_blocks(model, joints)
    if not strong.any():
        return
    linear = linearised_at(tables, joints.value, state.position, state.orientation)
    wanted = np.zeros(len(tables.rows.role))
    wanted[first[strong]] = tables.rows.target[first[strong]]
    use = np.flatnonzero(_lasting(model, joints) | strong)
    u = _shift(model, tables, linear, use, state.orientation, -wanted)
    missed = np.where(strong, np.abs(rates(tables, linear, u) - wanted)[first], 0.0)
    if missed.max() > MISSED * np.abs(wanted).max():
        off = np.flatnonzero(missed > MISSED * np.abs(wanted).max())
        own = tables.blocks.joint[off[0]]
        others = [k for k in dict.fromkeys(tables.blocks.joint[strong]) if k != own]
        also = f" and the motor of {_list(tables, others)}" if others else ""
        raise SceneError(
            f"joint {tables.names[own]!r}: its {_wish(tables, off[0])}, which the joints{also} do not "
            "allow, and no motor has a max to yield at; give one a max, or remove it"
        )


def _holding(model, joints):
    """Blocks (B,) that hold without compliance."""
    tables = joints.tables
    first = tables.blocks.row_start[:-1]
    held = (tables.rows.role[first] == Role.HOLD) & (tables.rows.compliance[first] == 0)
    return held & live_blocks(model, joints)


def _lasting(model, joints):
    """Blocks (B,) that hold without compliance for good."""
    return _holding(model, joints) & ~np.array(joints.tables.passing, dtype=bool)[joints.tables.blocks.joint]


def _driven(tables):
    """Blocks (B,) of motors and servos that want to move, at the start or by their keys."""
    first = tables.blocks.row_start[:-1]
    wanted = tables.rows.target != 0
    for key in tables.keyed:
        wanted[key.row] = np.any(key.values != 0)
    return ((tables.rows.role[first] == Role.MOTOR) | (tables.rows.role[first] == Role.SERVO)) & wanted[first]


def _shift(model, tables, linear, use, orientation, rate):
    """Velocities (R,6) along W J^T of the blocks `use` with the rates -rate (K,)."""
    return displacement_of(model.joint_tables._replace(rows=tables.rows), model.bodies, use, linear.J,
                           rotation.matrix(orientation), rate)  # fmt: skip


def _speed(model, u):
    """Largest speed (R,) [m/s] of a body's points."""
    return np.linalg.norm(u[:, :3], axis=1) + model.size * np.linalg.norm(u[:, 3:], axis=1)


def _all(blocks, bodies):
    """Blocks (B,) all of whose bodies are among `bodies` (R,) bool."""
    return np.logical_and.reduceat(bodies[blocks.body], blocks.body_start[:-1])


def _angular(tables, block):
    """Whether a block is of an angle."""
    row = tables.blocks.row_start[block]
    return Part(int(tables.functions.part[tables.rows.function[tables.rows.start[row]]])) in ANGULAR


def _wish(tables, block):
    """What the drive of a block wants, in words."""
    row = tables.blocks.row_start[block]
    motor, angular = tables.rows.role[row] == Role.MOTOR, _angular(tables, block)
    target = tables.rows.target[row] / (tables.per_joint.length[tables.blocks.joint[block]] if angular else 1.0)
    name = "motor" if motor else "servo"
    if any(key.row == row for key in tables.keyed):
        return f"{name} is to follow its keys"
    return f"{name} wants {target:g} {'rad' if angular else 'm'}{'/s' if motor else ''}"


def _list(tables, joints):
    return listed([tables.names[k] for k in joints])


def _titled(tables, joints):
    return f"{'joint' if len(joints) == 1 else 'joints'} {_list(tables, joints)}"


def _named(tables, joints):
    """The joints that hold, with their verb."""
    return f"{_titled(tables, joints)} {'holds' if len(joints) == 1 else 'hold'}"
