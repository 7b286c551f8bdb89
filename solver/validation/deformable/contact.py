"""Friction and contact of deformable bodies: press fit, a rope round a post, a tall block that tips, Mindlin's slip."""

from math import cos, radians, sin

import numpy as np

from ...meshes.tet_grids import box_grid
from ...scene import Body, Elastic, KeyedPoses, Motion, Scene
from ...scenes import build
from ...scenes.base import floor, one_material
from ...scenes.deformable import friction as made
from ...shapes import Box, Sphere, Tetrahedra
from ..elastic import CHAPTER, stepped
from ..lines import Case, below, close, within


def press_fit():
    """A ring, b = 2 a, on a shaft 1 mm thicker than its hole: Lame's pressure in plane stress; drawn with 0.95 of what
    friction bears it stays on the shaft, with 1.05 it slips by half the excess times time squared. 48 x 8 cells."""
    lines, each = [], round(made.OPENS / 0.01)
    for load in (0.95, 1.05):
        _, states, _ = stepped(build("soft_press_fit", load=load), made.OPENS + made.PULLED)
        if load < 1.0:
            force = states[each - 1].impulses[:, 0].sum() / 0.01
            pressure = force / (2 * np.pi * made.INNER * made.LENGTH)
            lines.append(close("pressure [Pa]", made.press_fit_pressure(), pressure, 0.05, "Pa", relative=True))
        slip = [state.position[0, 2] - state.position[1, 2] for state in states]
        slip = slip[-1] - slip[each]
        if load < 1.0:
            lines.append(below("drawn with 0.95 of the load: slip [m]", slip, 2e-4, "m"))
        else:
            lines.append(within("drawn with 1.05 of it: slip [m]", 2e-3, 2e-2, slip, "m"))
    return lines


def capstan():
    """A rope over half a post: weights of ratio e^(mu pi) = 2.566 are on the verge; of 2.4 they hang, of 2.75 they go.
    Quadratic elements, 16 round the post, whose polygon slips at 2.575."""
    lines = []
    for ratio in (2.4, 2.75):
        _, states, _ = stepped(build("soft_capstan", ratio=ratio), 0.6)
        gone = states[-1].position[2:, 2] - states[40].position[2:, 2]
        moved = 0.5 * (gone[0] - gone[1])
        if ratio < 2.566:
            lines.append(below(f"ratio {ratio}: way in the last 0.2 s [m]", abs(moved), 2e-3, "m"))
        else:
            lines.append(within(f"ratio {ratio}: way in the last 0.2 s [m]", 5e-3, 0.1, moved, "m"))
    return lines


def tipping():
    """A block 0.1 x 0.1 x 0.3 m of E = 1e9 on a slope of 25 degrees, mu = 1, tips as a rigid one does.
    Elements of 25 mm: nodes that carry all of their mass add 0.6 % to the moment of inertia."""
    speed, size = [], (0.1, 0.1, 0.3)
    angle = radians(25.0)
    gravity = (9.81 * sin(angle), 0.0, -9.81 * cos(angle))
    for shape, elastic in ((Box(size), None), (Tetrahedra(*box_grid((4, 4, 12), size)), Elastic(young=1e9))):
        block = Body("block", shape, position=(0.0, 0.0, 0.15), elastic=elastic)
        _, states, _ = stepped(Scene((floor(4.0), block), one_material(1.0), gravity), 0.2, 0.002)
        speed.append(states[-1].twist[1])
    return [close("velocity of the centre of mass [m/s]", np.linalg.norm(speed[0][:3]), np.linalg.norm(speed[1][:3]),
                  0.01, "m/s", relative=True),
            close("angular velocity [rad/s]", speed[0][4], speed[1][4], 0.01, "rad/s", relative=True)]  # fmt: skip


# Mindlin: radius of the sphere, wanted radius of the contact [m], stiffness [Pa], ratio, coefficient.
RADIUS, CONTACT, YOUNG, POISSON, MU = 0.1, 0.01, 1e6, 0.3, 0.5


def _graded(cells, fine, half):
    """Ticks from -half to half: `cells` even ones within +- fine, then ever longer ones."""
    step, outside = 2.0 * fine / cells, []
    at = fine
    while at < half:
        step *= 1.6
        at += step
        outside.append(at)
    outside = fine + (np.array(outside) - fine) * (half - fine) / (outside[-1] - fine)
    return np.concatenate([-outside[::-1], np.linspace(-fine, fine, cells + 1), outside])


def mindlin():
    """A sphere is pressed on a block, then moved sideways (Cattaneo, Mindlin): Q/(mu P) = 1 - (1 - s)^1.5 at a part s
    of the way 3 mu P (2 - nu)/(16 a G) at which all of it slips. Elements a/4, block 16 a wide."""
    ticks = _graded(10, 1.25 * CONTACT, 8 * CONTACT)
    deep = _graded(10, 1.25 * CONTACT, 8 * CONTACT)
    deep = deep[deep <= 1e-12]
    counts = len(ticks) - 1, len(ticks) - 1, len(deep) - 1
    vertices, tets = box_grid(counts, counts, low=(0, 0, 0))
    index = np.rint(vertices).astype(int)
    vertices = np.column_stack([ticks[index[:, 0]], ticks[index[:, 1]], deep[::-1][counts[2] - index[:, 2]]])
    depth, shear = CONTACT**2 / RADIUS, YOUNG / (2 * (1 + POISSON))
    load = 4 / 3 * YOUNG / (1 - POISSON**2) * np.sqrt(RADIUS) * depth**1.5
    way = 3 * MU * load * (2 - POISSON) / (16 * CONTACT * shear)
    far = 7.999 * CONTACT
    pins = (((-1, -1, -1), (1, 1, -far)), ((-1, -1, -1), (-far, 1, 1)), ((far, -1, -1), (1, 1, 1)),
            ((-1, -1, -1), (1, -far, 1)), ((-1, far, -1), (1, 1, 1)))  # fmt: skip
    block = Body("block", Tetrahedra(vertices, tets), elastic=Elastic(law="linear", young=YOUNG, poisson=POISSON,
                                                                     pins=pins))  # fmt: skip
    shares = np.array([0.25, 0.5, 0.75, 1.0])
    # Steps of a second: inertia has no say. Down in two, two at rest, then sideways in steps of a quarter.
    times = np.arange(9.0)
    x = np.concatenate([np.zeros(5), way * shares])
    z = RADIUS - np.array([0.0, 0.5, 1, 1, 1, 1, 1, 1, 1]) * depth
    keys = KeyedPoses(times, np.column_stack([x, 0 * x, z]), np.tile([1.0, 0, 0, 0], (9, 1)))
    ball = Body("ball", Sphere(RADIUS), motion=Motion.KINEMATIC, position=(0, 0, RADIUS), keys=keys)
    _, states, _ = stepped(Scene((block, ball), one_material(MU), (0.0, 0.0, 0.0)), 8.0, 1.0, soft_stepper="euler")
    pressed = states[4].impulses[:, 0].sum()
    lines = [close("normal force over Hertz's", 1.0, pressed / load, 0.3)]
    for share, state in zip(shares, states[5:], strict=True):
        normal, drag = state.impulses[:, 0].sum(), abs(state.impulses[:, 1].sum())
        lines.append(close(f"s = {share}: Q/(mu P)", 1 - (1 - share) ** 1.5, drag / (MU * normal), 0.02))
    return lines


CASES = tuple(Case(one.__name__, CHAPTER, one) for one in (press_fit, capstan, tipping, mindlin))
