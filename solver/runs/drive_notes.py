"""Springs and servos that swing faster than a run's time step shows."""

import numpy as np

from ..base.wording import listed
from ..dynamics.jointed.drives import RESOLVED, coefficients, mobilities
from ..dynamics.jointed.row_kernels import segments
from ..dynamics.jointed.rows import linearised_at, live_blocks
from ..dynamics.jointed.state import joints_of
from ..dynamics.jointed.tables import Role, gathered


def drive_notes(model, state, h):
    """Sentences about springs and servos that turn more than RESOLVED in a step of h s, with the masses at the start:
    their swinging is damped away."""
    joints = joints_of(state)
    tables = joints.tables
    if not ((tables.rows.role == Role.SERVO) | (tables.rows.role == Role.SPRING)).any():
        return []
    blocks = np.flatnonzero(live_blocks(model, joints))
    rows = gathered(tables.blocks.row_start, blocks)
    linear = linearised_at(tables, joints.value, state.position, state.orientation)
    own = mobilities(tables, blocks, segments(model.joint_tables, blocks, model.bodies, state.orientation, linear.J))
    turn = np.where(own > 0, coefficients(tables.rows.stiffness[rows], tables.rows.damping[rows], own, h).turn, 0.0)
    fast = turn > RESOLVED
    if not fast.any():
        return []
    order = np.argsort(-turn[fast], kind="stable")
    names = list(dict.fromkeys(tables.names[j] for j in tables.rows.joint[rows[fast][order]]))
    worst = float(turn.max())
    noun = "the spring or servo of joint" if len(names) == 1 else f"the springs or servos of {len(names)} joints:"
    return [
        f"{noun} {listed(names)}: swings at up to {worst / h:.3g} rad/s, which is "
        f"{worst:.3g} rad in a time step of {1e3 * h:.3g} ms; what turns by more than {RESOLVED:g} rad in a step is "
        f"damped away, and only its rest is right. To see it swing, take a time step of at most "
        f"{1e3 * h * RESOLVED / worst:.3g} ms"
    ]
