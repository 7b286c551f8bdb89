"""Work of held rows in a step: none is due, so what there is is the step's own error of energy.

Where a chain cracks its pull is ten times that of the step before, and no look ahead at the loads knows it. Components
whose held rows do more than a part of their energy make the step again in halves.
"""

import numpy as np

from .rows import rates

# Work of held rows in a whole step, as a part of the energy of the bodies that they hold together.
WORK = 3e-4


def erring_bodies(model, before, solution, part=1.0):
    """Moving bodies (R,) of groups whose held rows did too much work between the twists `before` (R,6) and those of a
    StepSolution: more than `part` of what they may do in a whole step, and than what the solve was allowed to leave of
    velocities along them, which finer steps would not lessen."""
    erring = np.zeros(len(model.inverse_mass), dtype=bool)
    joints = solution.step.joints
    if joints is None:
        return erring
    count = len(joints.rows)
    speed = rates(joints.tables, joints.linear, before + solution.twist)[joints.rows]
    done = np.where(joints.stiff, 0.5 * solution.impulse[len(solution.impulse) - count :] * speed, 0.0)
    group = model.jointed_bodies
    owner = np.repeat(group[joints.bodies], np.diff(joints.tables.blocks.row_start)[joints.blocks])
    work = np.abs(np.bincount(owner, done, len(erring)))
    left = np.repeat(solution.tolerance[-len(joints.blocks) :], np.diff(joints.tables.blocks.row_start)[joints.blocks])
    left = np.where(joints.stiff, left * np.abs(solution.impulse[len(solution.impulse) - count :]), 0.0)
    allowed = part * WORK * _energy(model, joints.orientation, solution.twist, group)
    allowed += np.bincount(owner, left, len(erring))
    return (work > allowed)[group] & (model.inverse_mass > 0)


def _energy(model, orientation, twist, group):
    """Energy (R,) [J] of each group: kinetic, and the weight of its bodies times their size, so that it is not none at
    rest."""
    moving = model.inverse_mass > 0
    spin = np.einsum("rji,rj->ri", orientation, twist[:, 3:])
    own = 0.5 * np.einsum("ri,ri->r", twist[:, :3], twist[:, :3])
    own += np.sqrt(model.gravity @ model.gravity) * model.size
    own = np.where(moving, model.mass, 0.0) * own
    own += 0.5 * np.einsum("ri,rij,rj->r", spin, np.where(moving[:, None, None], model.inertia, 0.0), spin)
    return np.bincount(group, own, len(group))
