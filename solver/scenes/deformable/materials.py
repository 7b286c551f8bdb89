"""Materials stretched far: the extension test of the 2019 paper."""

import numpy as np

from ...meshes.tet_grids import box_grid
from ...scene import Attachment, Body, Elastic, KeyedPoses, Motion, Scene
from ...shapes import Box, Tetrahedra
from ..base import SceneEntry, one_material

# Stiffness [Pa] and ratio of the 2019 paper, 10.1.6; the bars' length and side [m]; how long they are drawn [s].
YOUNG, POISSON, LENGTH, SIDE, DRAWN = 1e5, 0.45, 0.4, 0.1, 1.0
LAWS = ("neo_hookean", "corotational")


def soft_extension(stretch=2.2, cells=(12, 3, 3), element="t4"):
    """Two bars, one stable Neo-Hookean, one corotational, are drawn to `stretch` times their length by plates to which
    one end of each is attached; the other is held."""
    bodies, held = [], []
    times = np.array([0.0, DRAWN, 2 * DRAWN])
    for i, law in enumerate(LAWS):
        middle = np.array([0.0, (1.5 * i - 0.75) * SIDE, 0.0])
        low, high = (middle + sign * np.array([0.5 * LENGTH, 0.5 * SIDE, 0.5 * SIDE]) for sign in (-1.0, 1.0))
        near = 1e-6 * LENGTH
        pins = ((tuple(low - near), (low[0] + near, *(high[1:] + near))),)
        bars = Tetrahedra(*box_grid(cells, (LENGTH, SIDE, SIDE)))
        bodies.append(Body(law, bars, position=tuple(middle), elastic=Elastic(
            law=law, young=YOUNG, poisson=POISSON, element=element, damping=(5.0, 0.02), pins=pins)))  # fmt: skip
        path = np.tile([high[0] + 0.01, middle[1], 0.0], (3, 1))
        path[1:, 0] += (stretch - 1.0) * LENGTH
        keys = KeyedPoses(times, path, np.tile([1.0, 0.0, 0.0, 0.0], (3, 1)))
        bodies.append(Body(f"plate{i}", Box((0.02, SIDE, SIDE)), motion=Motion.KINEMATIC, position=tuple(path[0]),
                           keys=keys))  # fmt: skip
        held.append(Attachment((law, f"plate{i}"), ((high[0] - near, *(low[1:] - near)), tuple(high + near))))
    return Scene(tuple(bodies), one_material(0.5), (0.0, 0.0, 0.0), name="soft_extension", attachments=tuple(held))


ENTRIES = (
    SceneEntry("soft_extension", "Material extension", "two bars drawn out: one keeps its volume, one loses half",
               soft_extension, DRAWN, None, "2019 paper, figure 13"),
)  # fmt: skip
