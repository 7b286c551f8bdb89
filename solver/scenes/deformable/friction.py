"""Deformable bodies held by friction: a ring on a shaft, a rope round a post."""

from math import exp, pi

import numpy as np

from ...meshes.tet_grids import box_grid, ring_grid
from ...scene import Attachment, Body, Elastic, KeyedPoses, Motion, Scene
from ...shapes import Box, Capsule, Tetrahedra
from ..base import SceneEntry, one_material
from ..results import below, close

# Press fit: radii, length and interference of the ring [m], its stiffness [Pa] and ratio.
INNER, OUTER, LENGTH, INTERFERENCE, YOUNG, POISSON = 0.05, 0.1, 0.02, 0.001, 1e6, 0.3
# Rope: radius of the post, thickness and width of the rope, length of its free ends [m].
POST, THICK, WIDE, FREE = 0.1, 0.003, 0.02, 0.15


def press_fit_pressure():
    """Pressure [Pa] between shaft and ring: Lame's thick ring in plane stress."""
    ratio = (OUTER**2 + INNER**2) / (OUTER**2 - INNER**2)
    return YOUNG * INTERFERENCE / (INNER * (ratio + POISSON))


def press_fit_load(friction):
    """Acceleration [m/s^2] along the axis that friction just bears."""
    mass = 1000.0 * pi * (OUTER**2 - INNER**2) * LENGTH
    return friction * press_fit_pressure() * 2.0 * pi * INNER * LENGTH / mass


def press_fit_torque(friction):
    """Torque [N m] about the axis that friction just bears."""
    return friction * press_fit_pressure() * 2.0 * pi * INNER**2 * LENGTH


def press_fit_spin(friction):
    """Angular acceleration [rad/s^2] about the axis that friction just bears."""
    return press_fit_torque(friction) / (500.0 * pi * (OUTER**4 - INNER**4) * LENGTH)


# The ring opens on the shaft for this time, then the shaft moves off for that one [s].
OPENS, PULLED = 0.25, 0.1


def soft_press_fit(friction=0.3, load=0.95, cells=(48, 8, 1), turned=False):
    """A soft ring sits on a shaft 1 mm thicker than its hole, where it opens from the overlap of the start. Then the
    shaft is drawn along its axis, or `turned` about it, with `load` times the acceleration that friction can give the
    ring."""
    times = np.concatenate([[0.0], OPENS + np.linspace(0.0, PULLED, 41 if turned else 11)])
    path, turns = np.zeros((len(times), 3)), np.tile([1.0, 0.0, 0.0, 0.0], (len(times), 1))
    way = 0.5 * load * np.maximum(times - OPENS, 0.0) ** 2
    if turned:
        half = 0.5 * way * press_fit_spin(friction)
        turns[:, 0], turns[:, 3] = np.cos(half), np.sin(half)
    else:
        path[:, 2] = way * press_fit_load(friction)
    keys = KeyedPoses(times, path, turns)
    shaft = Body("shaft", Capsule(INNER + INTERFERENCE, 1.0), motion=Motion.KINEMATIC, keys=keys)
    ring = Body("ring", Tetrahedra(*ring_grid(INNER, OUTER, LENGTH, cells)),
                elastic=Elastic(young=YOUNG, poisson=POISSON, damping=(30.0, 5e-3)))  # fmt: skip
    # Euler's velocity is that over the step, as the keys' is: BDF2 would begin half a step of acceleration behind.
    return Scene((shaft, ring), one_material(friction), (0.0, 0.0, 0.0), name="soft_press_fit",
                 settings={"soft_stepper": "euler"})  # fmt: skip


def _check_press_fit(trajectory):
    """The ring goes with the shaft: what it shears before it sticks is a third of a millimetre."""
    moved = trajectory.center_of_mass[-1, :, 2] - trajectory.center_of_mass[0, :, 2]
    return [below("how far it slipped on the shaft [m]", abs(moved[1] - moved[0]), 5e-4, "m")]


def _rope_grid(around, free):
    """Vertices and tetrahedra of a strip over the upper half of a post about y, its ends hanging down."""
    count = around + 2 * free
    vertices, tets = box_grid((count, 1, 1), (count, WIDE, THICK), low=(0.0, -0.5 * WIDE, 0.0))
    s, y, depth = vertices.T
    angle = np.clip((s - free) / around, 0.0, 1.0) * pi
    # The strip's inner polygon touches the post.
    radius = POST / np.cos(0.5 * pi / around) + depth
    below = FREE * (np.maximum(free - s, 0.0) + np.maximum(s - free - around, 0.0)) / free
    return np.column_stack([-radius * np.cos(angle), y, radius * np.sin(angle) - below]), tets


def soft_capstan(friction=0.3, ratio=2.4, around=16, free=2, young=1e7, mass=1.0, element="t10"):
    """A rope over a post carries a weight at each end, one `ratio` times the other: it slips beyond e^(mu pi). It
    weighs 2 g: its own weight would count 1 % of the lighter load."""
    post = Body("post", Capsule(POST, 1.0), motion=Motion.STATIC, orientation=(0.5**0.5, 0.5**0.5, 0.0, 0.0))
    rope = Body("rope", Tetrahedra(*_rope_grid(around, free)),
                mass=2e-3, elastic=Elastic(young=young, poisson=0.3, element=element, damping=(5.0, 0.0)))  # fmt: skip
    # Narrow, so that neither touches the post as it rises.
    size, bodies, held = 0.04, [post, rope], []
    for name, side, share in (("light", 1.0, 1.0), ("heavy", -1.0, ratio)):
        x = side * (POST + 0.5 * THICK)
        bodies.append(Body(name, Box((size, size, size)), position=(x, 0.0, -FREE - 0.5 * size), mass=share * mass))
        box = ((x - THICK, -WIDE, -FREE - 1e-4), (x + THICK, WIDE, -FREE + 1e-4))
        held.append(Attachment(("rope", name), box))
    return Scene(tuple(bodies), one_material(friction), name="soft_capstan", attachments=tuple(held),
                 settings={"time_step": 0.01})  # fmt: skip


def capstan_ratio(friction):
    """Ratio of loads at which a rope over half a post begins to slip: Euler's and Eytelwein's e^(mu pi)."""
    return exp(friction * pi)


def _check_capstan(trajectory):
    """The rope sticks: the weights hang still."""
    speed = np.abs(trajectory.velocities[-1, 2:, 2]).max()
    return [close("ratio at which it slips", 2.5663, capstan_ratio(0.3), 1e-4),
            below("speed of the weights at the end [m/s]", speed, 2e-3, "m/s")]  # fmt: skip


ENTRIES = (
    SceneEntry("soft_press_fit", "Press fit", "a ring on a shaft too thick for it: friction holds it", soft_press_fit,
               OPENS + PULLED, _check_press_fit),
    SceneEntry("soft_capstan", "Rope round a post", "weights of ratio 2.4 hang still: e^(mu pi) is 2.57", soft_capstan,
               1.0, _check_capstan),
)  # fmt: skip
