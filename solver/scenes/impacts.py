"""Several bodies that hit each other: cradle, symmetric break, dominoes, a fast cube on a thin plate."""

from math import cos, pi, sin

import numpy as np

from ..materials import Material, MaterialPair, MaterialTable
from ..scene import Body, Motion, Scene
from ..shapes import Box, Compound, Part, Sphere
from .base import SceneEntry, axis_angle, box, floor, one_material, quadruple, rotation_matrix, triple


def cradle(count=5, moving=1, gap=0.0, restitution=1.0, speed=1.0, radius=0.1):
    """Equal frictionless balls in a line, without gravity; the first `moving` ones hit the others.

    With gap 0 all touch when the impact comes; with `gap` [m] between them the impacts come one after another.
    """
    balls = []
    for i in range(count):
        shift = gap * i
        velocity = (speed, 0.0, 0.0) if i < moving else (0.0, 0.0, 0.0)
        balls.append(Body(f"ball{i}", Sphere(radius), position=(2 * radius * i + shift, 0.0, 0.0), velocity=velocity))
    return Scene(tuple(balls), one_material(0.0, restitution=restitution), (0.0, 0.0, 0.0), name="cradle")


def symmetric_break(restitution=1.0, speed=1.0, radius=0.1, approach=0.0):
    """A ball hits two touching balls at once, each at 30 degrees to its path, after `approach` [m]."""
    x, y = 2 * radius * cos(pi / 6), 2 * radius * sin(pi / 6)
    bodies = (
        Body("cue", Sphere(radius), position=(-approach, 0.0, 0.0), velocity=(speed, 0.0, 0.0)),
        Body("left", Sphere(radius), position=(x, y, 0.0)),
        Body("right", Sphere(radius), position=(x, -y, 0.0)),
    )
    return Scene(bodies, one_material(0.0, restitution=restitution), (0.0, 0.0, 0.0), name="symmetric_break")


def dominoes(count=60, gap=0.5, friction=0.001, height=0.048, thickness=0.179, push=6.0):
    """A row of dominoes; `gap` and `thickness` in heights; the first is pushed over at `push` [rad/s]."""
    depth, width = thickness * height, 0.5 * height
    pitch = depth + gap * height
    bodies = []
    for i in range(count):
        more = {}
        if i == 0:
            more = dict(angular_velocity=(0.0, push, 0.0), velocity=(push * height / 2, 0.0, push * -depth / -2))
        bodies.append(
            box(f"domino{i}", (depth, width, height), (i * pitch, 0.0, height / 2), material="domino", **more)
        )
    table = MaterialTable(
        (Material("default"), Material("domino")),
        (MaterialPair(("domino", "domino"), friction=friction), MaterialPair(("domino", "default"), friction=3.0)),
    )
    return Scene((floor(10.0), *bodies), table, name="dominoes")


def tunnelling(speed=50.0, size=0.1, plate=0.02, turned_by=0.0):
    """A cube shot at a thin plate; `turned_by` [rad] about a diagonal axis makes it hit with a corner."""
    turn = axis_angle((1.0, 0.3, 0.2), turned_by)
    cube = box("cube", (size,) * 3, (0.0, 0.0, 1.0), velocity=(0.0, 0.0, -speed), orientation=quadruple(turn))
    base = Body("plate", Box((2.0, 2.0, plate)), motion=Motion.STATIC, position=(0.0, 0.0, -plate / 2))
    return Scene((base, cube), one_material(0.5), name="tunnelling")


def kane_rod(friction=0.5, angle=40.0, length=2.0, height=0.01):
    """A thin rod whose tip hits the floor with restitution 1: Newton's law with friction would make energy here."""
    theta = angle * pi / 180
    width = 1e-3
    mass, moment = 1.0, length**2 / 12
    turn = axis_angle((0, 1, 0), -theta)
    matrix = rotation_matrix(turn)
    # A capsule would shift the tip; two end balls on the axis carry the contact exactly below the end.
    shape = Compound(tuple(Part(Sphere(width), (0.0, 0.0, s * length / 2)) for s in (-1.0, 1.0)))
    tip = matrix @ [0.0, 0.0, -length / 2]
    center = np.array([0.0, 0.0, width + height]) - tip
    body = Body(
        "rod",
        shape,
        position=triple(center),
        orientation=quadruple(turn),
        velocity=(-0.5, 0.0, -1.0),
        mass=mass,
        inertia=(moment, moment, 1e-6),
    )
    return Scene((floor(), body), one_material(friction, restitution=1.0), (0.0, 0.0, 0.0), name="kane_rod")


ENTRIES = (
    SceneEntry("cradle", "Newton's cradle", "touching: simultaneous impact; apart: one after another", cradle, 0.5),
    SceneEntry("symmetric_break", "Symmetric break", "one ball hits two at once", symmetric_break, 0.5),
    SceneEntry("dominoes", "Dominoes", "a wave of known speed", dominoes, 2.0),
    SceneEntry("tunnelling", "Fast cube, thin plate", "50 m/s is stopped by 2 cm", tunnelling, 0.2),
    SceneEntry("kane_rod", "Kane's rod", "Newton's law with friction would give it energy", kane_rod, 0.1),
)
