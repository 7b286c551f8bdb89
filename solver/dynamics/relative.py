"""How far two bodies move against each other, and what of that earlier searches for contacts have not covered."""

import numpy as np

from . import step_kernels as kernels


def point_speed(reach, twist):
    """Bound (R,) [m/s] on how fast points of bodies of that reach (R,) [m] are with velocities twist (R,6)."""
    return np.linalg.norm(twist[:, :3], axis=1) + np.linalg.norm(twist[:, 3:], axis=1) * reach


def relative_travel(reach, position, twist, h, a, b):
    """Bound (P,) [m] on how far points of bodies a and b (P,) that meet move against each other in h seconds.

    reach (R,) [m]: of each body from its centre; position (R,3); twist (R,6), or a difference of two. Bodies that move
    as one have none.
    """
    pairs = (np.ascontiguousarray(ends, dtype=np.int64) for ends in (a, b))
    travel = np.empty(len(a))
    kernels.relative_travels(reach, position, np.ascontiguousarray(twist), h, *pairs, travel)
    return travel


def unsearched(size, position, twists, h, margin, a, b):
    """Which pairs of bodies a, b (P,) may touch that no search covers, now that they move with the last of `twists`.

    All pairs were searched with the first of the twists (R,6), and with each later one those for which this function
    was then true. A search sees what moves otherwise by up to `margin`, a part of the smaller body of size (R,) [m].
    """
    reach = margin * np.minimum(size[a], size[b])

    def changed(k):
        return relative_travel(size, position, twists[-1] - twists[k], h, a, b) > reach

    need = changed(0)
    for k in range(1, len(twists) - 1):
        if np.any(need):
            need &= ~unsearched(size, position, twists[: k + 1], h, margin, a, b) | changed(k)
    return need
