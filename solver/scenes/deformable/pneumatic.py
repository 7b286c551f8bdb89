"""Soft actuators that gas drives: the gripper of three fingers of the 2019 paper."""

from math import cos, pi, sin

import numpy as np

from ...meshes.tet_grids import hollow_grid
from ...scene import Body, Elastic, KeyedPoses, Scene
from ...shapes import Sphere, Tetrahedra
from ..base import SceneEntry, floor, one_material
from ..results import close

# Silicone and ball of the 2019 paper, 10.1.4.
YOUNG, POISSON, DENSITY, BALL_MASS, FRICTION = 1e7, 0.47, 1200.0, 0.32, 0.7
BALL = 0.04
# A finger [m]: its foot, a chamber with its wall, the gap between two chambers; its sole and roof; its half width.
CHAMBERS, FOOT, WALL, ROOM, GAP, SOLE, ROOF, HEIGHT, HALF = 5, 0.006, 0.002, 0.011, 0.0015, 0.006, 0.0015, 0.012, 0.01
LENGTH = FOOT + CHAMBERS * (2 * WALL + ROOM) + (CHAMBERS - 1) * GAP


def finger_grid():
    """(vertices, tets) of a finger along x from its foot at 0, its sole below at z = 0: closed chambers that stand on
    the sole one by one, as those of a pneumatic network."""
    steps, kind = [FOOT], ["foot"]
    for i in range(CHAMBERS):
        steps += [WALL, ROOM, WALL] + [GAP] * (i < CHAMBERS - 1)
        kind += ["wall", "room", "wall"] + ["gap"] * (i < CHAMBERS - 1)
    x = np.concatenate([[0.0], np.cumsum(steps)])
    y = np.array([-HALF, -HALF + WALL, HALF - WALL, HALF])
    z = np.array([0.0, SOLE, SOLE + HEIGHT, SOLE + HEIGHT + ROOF])
    filled = np.ones((len(kind), 3, 3), dtype=bool)
    filled[np.array(kind) == "gap", :, 1:] = False
    filled[np.array(kind) == "room", 1, 1] = False
    return hollow_grid((x, y, z), filled)


# Way of the soles to the ball before they bend, and of the tips to the floor [m]; the gas is let in until FULL, the
# fingers rise from CLOSED to LIFTED [s].
CLEAR, ABOVE, FULL, CLOSED, LIFTED = 0.002, 0.006, 0.3, 0.4, 1.0


def soft_pneunet(pressure=1e6, friction=FRICTION, element="t10", lift=0.1):
    """Three fingers of silicone hang round a ball; gas bends them until they hold it, and they lift it."""
    vertices, tets = finger_grid()
    along, aside, out = vertices.T
    top, fingers = LENGTH + ABOVE, []
    # They start and stop gently, at 0.14 g.
    share = np.linspace(0.0, 1.0, 61)
    times = np.concatenate([[0.0], CLOSED + (LIFTED - CLOSED) * share])
    path = np.zeros((len(times), 3))
    path[1:, 2] = 0.5 * lift * (1.0 - np.cos(pi * share))
    keys = KeyedPoses(times, path, np.tile([1.0, 0.0, 0.0, 0.0], (len(times), 1)))
    elastic = Elastic(young=YOUNG, poisson=POISSON, element=element, damping=(0.0, 1e-3),
                      pressure=((0.0, 0.0), (FULL, float(pressure))),
                      pins=(((-1.0, -1.0, top - 1e-6), (1.0, 1.0, top + 1e-6)),))  # fmt: skip
    for i in range(3):
        angle = 2.0 * pi * i / 3
        radius = BALL + CLEAR + out
        placed = np.column_stack([radius * cos(angle) - aside * sin(angle), radius * sin(angle) + aside * cos(angle),
                                  top - along])  # fmt: skip
        fingers.append(Body(f"finger{i}", Tetrahedra(placed, tets), elastic=elastic, keys=keys))
    ball = Body("ball", Sphere(BALL), position=(0.0, 0.0, BALL), mass=BALL_MASS)
    return Scene((floor(1.0), ball, *fingers), one_material(friction, DENSITY), name="soft_pneunet",
                 settings={"time_step": 1.0 / 120.0})  # fmt: skip


def _check_pneunet(trajectory):
    """The ball is lifted as far as the fingers are."""
    rise = trajectory.center_of_mass[-1, 1, 2] - trajectory.center_of_mass[0, 1, 2]
    return [close("how far the ball was lifted [m]", 0.1, rise, 0.003, "m")]


ENTRIES = (
    SceneEntry("soft_pneunet", "PneuNet gripper", "gas bends three silicone fingers, which lift a ball", soft_pneunet,
               1.2, _check_pneunet, "2019 paper, figure 2 and table 2"),
)  # fmt: skip
