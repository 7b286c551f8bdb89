"""Checks of a trajectory that a scene's entry can carry: does it stand, does it fall."""

import numpy as np

from ..scene import Motion
from .results import Line, below


def _centers(trajectory):
    """Centres of mass (F,B,3) [m] of the free bodies over all frames."""
    free = np.array([motion == Motion.DYNAMIC for motion in trajectory.header["motion"]])
    return trajectory.center_of_mass[:, free]


def _moved(trajectory):
    """Largest distance [m] of a free body's centre of mass from where it began, over all frames."""
    center = _centers(trajectory)
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


def stays_inside(radius_at, square=False):
    """A check: no centre of mass is ever below z = 0, nor farther from the z axis than radius_at(z) [m].

    radius_at takes heights (n,) [m] and gives radii (n,) [m], infinite where nothing holds a body; `square`: the
    larger of |x| and |y| counts in place of the distance.
    """

    def check(trajectory):
        center = _centers(trajectory)
        x, y, z = np.moveaxis(center, 2, 0)
        far = np.maximum(np.abs(x), np.abs(y)) if square else np.hypot(x, y)
        out = (z < 0.0) | (far > radius_at(z.ravel()).reshape(z.shape))
        count = int(np.count_nonzero(out.any(axis=0)))
        return [Line("bodies that left their container", 0, count, f"0 of {center.shape[1]}", count == 0)]

    return check


def stays_held(name):
    """A check: a body does not move once fingers have closed on it."""

    def check(trajectory):
        late = trajectory.center_of_mass[trajectory.times >= 0.5, trajectory.names.index(name)]
        return [below(f"movement of the {name} after 0.5 s [m]", np.linalg.norm(late[-1] - late[0]), 1e-6, "m")]

    return check
