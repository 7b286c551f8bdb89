"""Stress and stretch at the nodes of a run's deformable bodies, in a process of its own.

Exit code 0: written; 2: refused, the reason on stderr.
"""

import sys
from pathlib import Path

import numpy as np


def main(folder, target):
    """Write von Mises' stress [Pa] and the largest stretch, (F,N) float32 over all nodes, of the run in `folder`."""
    from ...solver.base.refusal import TrajectoryError
    from ...solver.results.stress import at_nodes, element_stress
    from ...solver.trajectory import Trajectory

    try:
        run = Trajectory.load(Path(folder))
        if run.deformables is None:
            raise TrajectoryError("the run has no deformable bodies")
        start = run.deformables["node_start"]
        stress, stretch = (np.zeros((len(run.times), int(start[-1])), np.float32) for _ in range(2))
        for body in np.flatnonzero(np.diff(start)):
            span = slice(int(start[body]), int(start[body + 1]))
            found = element_stress(run.deformables, run.node_positions, body)
            stress[:, span], stretch[:, span] = (at_nodes(run.deformables, body, values) for values in found)
        np.savez(target, stress=stress, stretch=stretch)
    except (TrajectoryError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0
