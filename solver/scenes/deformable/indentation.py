"""A rigid ball pressed into a soft block, then drawn sideways: Hertz's contact, Cattaneo's and Mindlin's friction."""

from math import sqrt

import numpy as np

from ...meshes.tet_grids import box_grid
from ...scene import Body, Elastic, KeyedPoses, Motion, Scene
from ...shapes import Sphere, Tetrahedra
from ..base import SceneEntry, one_material

# Radius of the ball and of the circle of contact [m]; half the width of the block, in parts of that circle; how much
# finer its elements are at the top than at its sides: sinh(GRADE s) / sinh(GRADE). The ball is large beside the circle,
# so that all normals are upright, as theory has them.
RADIUS, CONTACT, HALF, GRADE, YOUNG = 1.0, 0.01, 8.0, 3.0, 1e6
# One step [s], in which waves in the block die; steps of the press, of its rest and of the way sideways.
STEP, PRESS, REST, SLIDE = 0.2, 2, 1, 8


def hertz_force(poisson):
    """Force [N] that presses a rigid ball RADIUS into an elastic half space by CONTACT^2 / RADIUS."""
    depth = CONTACT**2 / RADIUS
    return 4.0 / 3.0 * YOUNG / (1.0 - poisson**2) * sqrt(RADIUS) * depth**1.5


def mindlin_slide(poisson, friction):
    """Way sideways [m] after which all of the circle slips under Hertz's force."""
    shear = YOUNG / (2.0 * (1.0 + poisson))
    return 3.0 * friction * hertz_force(poisson) * (2.0 - poisson) / (16.0 * CONTACT * shear)


def soft_indent(cells=12, element="t4", poisson=0.3, friction=0.3, half=HALF, grade=GRADE):
    """A rigid ball is pressed into a block held at its sides and below, then drawn sideways until all of it slips."""
    vertices, tets = box_grid((cells, cells, cells // 2), (2.0, 2.0, 1.0), low=(-1.0, -1.0, -1.0))
    side = half * CONTACT
    vertices = np.sign(vertices) * side * np.sinh(grade * np.abs(vertices)) / np.sinh(grade)
    near = 1e-6 * side
    pins = tuple(
        (low, high)
        for axis, ends in ((0, (-side, side)), (1, (-side, side)), (2, (-side,)))
        for end in ends
        for low, high in [_slab(axis, end, side + near, near)]
    )
    block = Body("block", Tetrahedra(vertices, tets),
                 elastic=Elastic(young=YOUNG, poisson=poisson, law="linear", element=element, pins=pins))  # fmt: skip
    times = STEP * np.array([0.0, PRESS, PRESS + REST, PRESS + REST + SLIDE])
    depth = CONTACT**2 / RADIUS
    path = np.zeros((4, 3))
    path[:, 2] = RADIUS - depth * np.array([-1e-3, 1.0, 1.0, 1.0])
    path[3, 0] = mindlin_slide(poisson, friction or 1.0)
    keys = KeyedPoses(times, path, np.tile([1.0, 0.0, 0.0, 0.0], (4, 1)))
    ball = Body("ball", Sphere(RADIUS), motion=Motion.KINEMATIC, position=tuple(path[0]), keys=keys)
    return Scene((block, ball), one_material(friction), (0.0, 0.0, 0.0), name="soft_indent",
                 settings={"time_step": STEP, "soft_stepper": "euler"})  # fmt: skip


def _slab(axis, at, reach, thick):
    low, high = [-reach] * 3, [reach] * 3
    low[axis], high[axis] = at - thick, at + thick
    return tuple(low), tuple(high)


ENTRIES = (
    SceneEntry("soft_indent", "Ball on a soft block", "pressed in, then drawn sideways until all slips", soft_indent,
               STEP * (PRESS + REST + SLIDE), None, "Hertz; Cattaneo and Mindlin"),
)  # fmt: skip
