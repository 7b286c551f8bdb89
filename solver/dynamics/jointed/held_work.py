"""Work of held rows in a step: none is due, so what there is is the step's own error of energy.

Where a chain cracks its pull is ten times that of the step before, and no look ahead at the loads knows it. Components
whose held rows do more than a part of their energy make the step again in halves.
"""

import numpy as np

from .after_kernels import erring
from .rows import rows_of_step


def erring_bodies(model, before, solution, part=1.0):
    """Moving bodies (R,) of groups whose held rows did too much work between the twists `before` (R,6) and those of a
    StepSolution: more than `part` of what they may do in a whole step, and than what the solve was allowed to leave of
    velocities along them, which finer steps would not lessen."""
    joints = solution.step.joints
    if joints is None:
        return np.zeros(len(model.inverse_mass), dtype=bool)
    own = solution.impulse[len(solution.impulse) - len(joints.rows) :]
    tolerance = solution.tolerance[len(solution.tolerance) - len(joints.blocks) :]
    return erring(model.joint_tables, model.bodies, rows_of_step(solution.step), own, tolerance, before, solution.twist,
                  part)  # fmt: skip
