"""Checks of a trajectory that a scene's entry can carry: does it stand, does it fall."""

import numpy as np

from ..scene import Motion
from .results import Line


def _moved(trajectory):
    """Largest distance [m] of a free body's centre of mass from where it began, over all frames."""
    free = np.array([motion == Motion.DYNAMIC for motion in trajectory.header["motion"]])
    center = trajectory.center_of_mass[:, free]
    return float(np.linalg.norm(center - center[0], axis=2).max())


def stands(size):
    """A check: no body moves by more than 1 % of `size` [m]."""

    def check(trajectory):
        moved = _moved(trajectory)
        return [Line("largest movement of a body [m]", 0.0, moved, f"< {0.01 * size:g} m", moved < 0.01 * size)]

    return check


def falls(size):
    """A check: some body moves by more than 30 % of `size` [m]."""

    def check(trajectory):
        moved = _moved(trajectory)
        return [Line("largest movement of a body [m]", "falls", moved, f"> {0.3 * size:g} m", not moved < 0.3 * size)]

    return check
