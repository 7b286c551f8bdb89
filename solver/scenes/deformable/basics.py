"""Deformable bodies alone and with rigid ones: cubes that drop, stack and slide, a ball, a beam, a pile, a gripper."""

from math import cos, pi, sin

import numpy as np

from ...meshes.tet_grids import ball_grid, box_grid, ring_grid
from ...scene import Body, Elastic, KeyedPoses, Motion, Scene
from ...shapes import Box, Cylinder, Tetrahedra
from ..base import SceneEntry, floor, one_material, quadruple
from ..granular import ORIFICE_HEIGHT, funnel_walls, jack_mass, jack_shape
from ..results import below, close

SIDE = 0.2


def soft_cube(name, position, cells=4, side=SIDE, young=1e6, poisson=0.3, **other):
    """A cube of tetrahedra; other: fields of Elastic or of Body."""
    elastic = {key: other.pop(key) for key in tuple(other) if key in Elastic.__dataclass_fields__}
    shape = Tetrahedra(*box_grid((cells,) * 3, (side,) * 3))
    return Body(name, shape, position=position, elastic=Elastic(young=young, poisson=poisson, **elastic), **other)


def soft_drop(young=1e6, poisson=0.3, cells=4, friction=0.5, element="t4", speed=1.0, damping=1e-3):
    """A cube drops on the floor at `speed` [m/s], moving sideways."""
    cube = soft_cube("cube", (0.0, 0.0, 0.5 * SIDE + 0.003), cells, young=young, poisson=poisson, element=element,
                     damping=(0.0, damping), velocity=(0.3, 0.0, -speed))  # fmt: skip
    return Scene((floor(4.0), cube), one_material(friction), name="soft_drop")


def soft_stack(count=5, young=1e6, cells=3, friction=0.5, damping=1e-3):
    """Cubes on one another, each a bit beside the one below."""
    cubes = [
        soft_cube(f"cube{i}", (0.02 * (i % 2), 0.01 * (i % 3), (0.5 + i) * SIDE), cells, young=young,
                  damping=(0.0, damping))
        for i in range(count)
    ]  # fmt: skip
    return Scene((floor(4.0), *cubes), one_material(friction), name="soft_stack")


def soft_block(young=1e7, ratio=100.0, cells=4, friction=0.5, poisson=0.3, damping=1e-3, element="t4"):
    """A rigid block of `ratio` times its mass stands on a cube."""
    cube = soft_cube("cube", (0.0, 0.0, 0.5 * SIDE), cells, young=young, poisson=poisson, element=element,
                     damping=(0.0, damping))  # fmt: skip
    shape, mass = Box((1.2 * SIDE, 1.2 * SIDE, SIDE)), ratio * 1000.0 * SIDE**3
    block = Body("block", shape, position=(0.0, 0.0, 1.5 * SIDE), mass=mass)
    return Scene((floor(4.0), cube, block), one_material(friction), name="soft_block")


def soft_ball(young=2e5, cells=6, speed=1.0, radius=0.1, friction=0.5):
    """A ball falls on the floor at `speed` [m/s]; nothing but elasticity throws it back."""
    shape = Tetrahedra(*ball_grid(radius, cells))
    ball = Body("ball", shape, position=(0.0, 0.0, radius + 0.02), velocity=(0.0, 0.0, -speed),
                elastic=Elastic(young=young))  # fmt: skip
    return Scene((floor(4.0), ball), one_material(friction), name="soft_ball")


def soft_incline(angle=30.0, friction=0.55, young=1e6, cells=4, element="t4"):
    """A cube slides on a slope of `angle` [degrees] or sticks to it; the slope is the floor, gravity leans."""
    theta = angle * pi / 180
    cube = soft_cube("cube", (0.0, 0.0, 0.5 * SIDE), cells, young=young, element=element)
    gravity = (9.81 * sin(theta), 0.0, -9.81 * cos(theta))
    return Scene((floor(20.0), cube), one_material(friction), gravity, name="soft_incline")


def _check_incline(trajectory):
    """The acceleration over the second half, against g (sin - mu cos)."""
    half = len(trajectory.times) // 2
    speed = trajectory.velocities[:, 1, 0]
    found = (speed[-1] - speed[half]) / (trajectory.times[-1] - trajectory.times[half])
    wanted = 9.81 * (sin(pi / 6) - 0.55 * cos(pi / 6))
    return [close("acceleration down the slope [m/s^2]", wanted, found, 1e-3 * 9.81, "m/s^2")]


def soft_beam(young=1e6, length=1.0, width=0.1, cells=(10, 1, 1), element="t10", damping=0.02):
    """A beam is held at one end and sags under its own weight."""
    shape = Tetrahedra(*box_grid(cells, (length, width, width)))
    pins = (((-1e-6, -width, -width), (1e-6, width, width)),)
    beam = Body("beam", shape, position=(0.5 * length, 0.0, 0.0),
                elastic=Elastic(young=young, element=element, pins=pins, damping=(0.0, damping)))  # fmt: skip
    return Scene((beam,), one_material(0.5), name="soft_beam")


def soft_pile(count=12, young=2e5, friction=0.5, seed=0):
    """Soft balls and cubes and rigid boxes and cylinders fall into a box, all in one solve."""
    rng, bodies = np.random.default_rng(seed), []
    wall, height = 0.02, 0.6
    for k, (x, y) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
        size = (wall, 0.64, height) if x else (0.64, wall, height)
        bodies.append(Body(f"wall{k}", Box(size), motion=Motion.STATIC, position=(0.31 * x, 0.31 * y, 0.5 * height)))
    for i in range(count):
        place = (0.14 * (i % 3 - 1) + rng.uniform(-0.01, 0.01), 0.14 * (i // 3 % 3 - 1) + rng.uniform(-0.01, 0.01),
                 0.1 + 0.16 * (i // 9 + 0.3 * (i % 2)))  # fmt: skip
        kind, elastic = i % 4, Elastic(young=young, poisson=0.4, damping=(0.0, 2e-3))
        if kind == 0:
            bodies.append(Body(f"ball{i}", Tetrahedra(*ball_grid(0.06, 4)), position=place, elastic=elastic))
        elif kind == 1:
            bodies.append(Body(f"box{i}", Box((0.1, 0.08, 0.09)), position=place))
        elif kind == 2:
            shape = Tetrahedra(*box_grid((3, 3, 3), (0.1,) * 3))
            bodies.append(Body(f"cube{i}", shape, position=place, elastic=elastic))
        else:
            bodies.append(Body(f"can{i}", Cylinder(0.05, 0.09), position=place))
    return Scene((floor(2.0), *bodies), one_material(friction), name="soft_pile", settings={"time_step": 0.005})


def soft_funnel(count=4, young=1.5e5, friction=0.3, seed=3):
    """Rubber rings and balls over a square funnel whose outlet is narrower than a ring, rigid jacks above them: all
    in one solve, three `count` bodies. Units of the funnel of 500 jacks: its outlet is 1.2 m wide."""
    rng, bodies = np.random.default_rng(seed), []
    elastic = Elastic(young=young, poisson=0.45, damping=(0.0, 4e-3))
    ring, ball = Tetrahedra(*ring_grid(0.3, 0.66, 0.3, (16, 2, 2))), Tetrahedra(*ball_grid(0.35, 4))
    jack, (mass, inertia) = jack_shape(0.3, 0.06), jack_mass(0.3, 0.06)
    z = ORIFICE_HEIGHT + 0.5
    for i in range(3 * count):
        z += 0.5 if i < 2 * count else 0.7
        place = (*rng.uniform(-0.05, 0.05, 2), z)
        if i < 2 * count:
            bodies.append(Body(f"{'ball' if i % 2 else 'ring'}{i}", ball if i % 2 else ring, position=place,
                               elastic=elastic))  # fmt: skip
            z += 0.35 if i % 2 else 0.0
        else:
            turn = rng.normal(size=4)
            bodies.append(Body(f"jack{i}", jack, position=place, mass=mass, inertia=inertia,
                               orientation=quadruple(turn / np.linalg.norm(turn))))  # fmt: skip
    walls = funnel_walls(2.6, 2.2, 0.6)
    return Scene((floor(), *walls, *bodies), one_material(friction), name="soft_funnel", settings={"time_step": 0.005})


def soft_gripper(young=1e5, poisson=0.45, friction=0.75, cells=5, squeeze=0.02, lift=0.3):
    """Two rigid fingers squeeze a soft ball ("tomato" of the 2019 paper: its E, nu and friction) and lift it."""
    radius = 0.05
    ball = Body("tomato", Tetrahedra(*ball_grid(radius, cells)), position=(0.0, 0.0, radius),
                elastic=Elastic(young=young, poisson=poisson, damping=(0.0, 2e-3)))  # fmt: skip
    times, still = np.array([0.0, 0.4, 0.6, 1.6]), np.tile([1.0, 0.0, 0.0, 0.0], (4, 1))
    fingers = []
    for side in (-1.0, 1.0):
        x = side * (radius + 0.015 + np.array([0.01, -squeeze / 2, -squeeze / 2, -squeeze / 2]))
        z = radius + np.array([0.0, 0.0, 0.0, lift])
        path = KeyedPoses(times, np.stack([x, np.zeros(4), z], axis=1), still)
        fingers.append(Body(f"finger{int(side)}", Box((0.02, 0.06, 0.06)), motion=Motion.KINEMATIC,
                            position=tuple(path.positions[0]), keys=path))  # fmt: skip
    bodies = (floor(2.0), ball, *fingers)
    return Scene(bodies, one_material(friction), name="soft_gripper", settings={"time_step": 0.005})


def _check_lifted(trajectory):
    """The tomato ends where the fingers lifted it to."""
    rise = trajectory.center_of_mass[-1, 1, 2] - trajectory.center_of_mass[0, 1, 2]
    return [close("how far it was lifted [m]", 0.3, rise, 0.01, "m")]


def _check_block(trajectory):
    """It carries the block: nothing slides, and it is pressed as its stiffness says."""
    sideways = np.abs(trajectory.center_of_mass[-1, 2, :2]).max()
    return [below("the block's movement sideways [m]", sideways, 1e-3, "m")]


ENTRIES = (
    SceneEntry("soft_drop", "Soft cube", "a cube of 320 tetrahedra hits the floor and rests", soft_drop, 1.0),
    SceneEntry("soft_stack", "Soft stack", "five soft cubes on one another", soft_stack, 2.0),
    SceneEntry("soft_block", "Heavy block on a soft cube", "a mass ratio of 100", soft_block, 2.0, _check_block),
    SceneEntry("soft_ball", "Soft ball", "bounces by its own elasticity", soft_ball, 1.0),
    SceneEntry("soft_incline", "Soft cube on a slope", "slides at g (sin - mu cos)", soft_incline, 0.6, _check_incline),
    SceneEntry("soft_beam", "Soft beam", "one quadratic element across bends rightly", soft_beam, 4.0),
    SceneEntry("soft_pile", "Soft and rigid pile", "balls, cubes, boxes and cans in one solve", soft_pile, 2.0),
    SceneEntry("soft_funnel", "Rubber and jacks in a funnel", "rings fold through an outlet that is narrower than they",
               soft_funnel, 3.0),
    SceneEntry("soft_gripper", "Tomato in a gripper", "friction holds what two fingers squeeze", soft_gripper, 1.6,
               _check_lifted, "2019 paper, table 2"),
)  # fmt: skip
