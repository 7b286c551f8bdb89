"""Funnels and piles: many spheres, jacks or concave bodies."""

from math import pi, sqrt

import numpy as np

from ..scene import Body, Motion, Scene
from ..shapes import Box, Compound, Mesh, Part, Sphere, generators
from .base import (
    SceneEntry,
    axis_angle,
    box_inertia,
    floor,
    multiply,
    one_material,
    preset,
    quadruple,
    rotation_matrix,
    triple,
)

ORIFICE_HEIGHT = 1.5
HALF_ORIFICE = 0.6


def jack_shape(half_length=0.15, half_thickness=0.03):
    """Three crossed bars as a compound of three boxes."""
    a, b = 2 * half_length, 2 * half_thickness
    return Compound((Part(Box((a, b, b))), Part(Box((b, a, b))), Part(Box((b, b, a)))))


def jack_mass(half_length=0.15, half_thickness=0.03, density=1000.0):
    """Mass [kg] and principal moments [kg m^2] of the union of the three bars: the common cube counts once."""
    a, b = 2 * half_length, 2 * half_thickness
    cube = b**3 * density
    bar = a * b * b * density
    moments = sum(np.array(box_inertia(size, bar)) for size in ((a, b, b), (b, a, b), (b, b, a)))
    return 3 * bar - 2 * cube, tuple(moments - 2 * np.array(box_inertia((b, b, b), cube)))


def funnel_walls(slope_length, bin_half_width, bin_height):
    """Four 45 degree slabs round a square opening, over a bin without lid."""
    half, thick = HALF_ORIFICE, 0.3
    bodies = []
    for k in range(4):
        yaw = k * pi / 2
        around = axis_angle((0, 0, 1), yaw)
        turn = multiply(around, axis_angle((0, 1, 0), -pi / 4))
        matrix, spin = rotation_matrix(turn), rotation_matrix(around)
        foot = spin @ [half, 0.0, ORIFICE_HEIGHT]
        center = foot + matrix[:, 0] * slope_length / 2 - matrix[:, 2] * thick
        bodies.append(
            Body(
                f"slab{k}",
                Box((slope_length, 2 * (half + slope_length), 2 * thick)),
                motion=Motion.STATIC,
                position=triple(center),
                orientation=quadruple(turn),
            )
        )
        side = spin @ [bin_half_width + 0.2, 0.0, bin_height / 2]
        bodies.append(
            Body(
                f"bin{k}",
                Box((0.4, 2 * (bin_half_width + 0.4), bin_height)),
                motion=Motion.STATIC,
                position=triple(side),
                orientation=quadruple(around),
            )
        )
    return bodies


def funnel(count=500, kind="s", friction=0.75, seed=1):
    """`count` spheres (kind "s", radius 0.1 m) or jacks (kind "j") above a square funnel with a 1.2 m opening."""
    rng = np.random.default_rng(seed)
    slope_length = 2.6 if count <= 500 else 4.2
    walls = funnel_walls(slope_length, *((2.2, 0.6) if count <= 500 else (3.2, 0.8)))
    pitch = 0.24 if kind == "s" else 0.34
    mass, inertia = jack_mass()
    shape = Sphere(0.1) if kind == "s" else jack_shape()
    bodies, z = [], ORIFICE_HEIGHT + 0.9
    while len(bodies) < count:
        half = min(HALF_ORIFICE + (z - ORIFICE_HEIGHT) - 0.45, HALF_ORIFICE + slope_length / sqrt(2) - 0.5)
        line = np.arange(-np.floor(half / pitch), np.floor(half / pitch) + 1) * pitch
        for x, y in [(x, y) for x in line for y in line][: count - len(bodies)]:
            position = triple(np.array([x, y, z]) + rng.uniform(-0.01, 0.01, 3))
            more = {}
            if kind == "j":
                turn = rng.normal(size=4)
                more = dict(orientation=quadruple(turn / np.linalg.norm(turn)), mass=mass, inertia=inertia)
            bodies.append(Body(f"{kind}{len(bodies)}", shape, position=position, **more))
        z += pitch
    return Scene((floor(), *walls, *bodies), one_material(friction), name=f"funnel{count}{kind}")


def concave_shapes():
    """Five concave meshes of 480 to 1152 triangles, about a metre in size."""
    meshes = (
        generators.gear(), generators.chalice(segments=48), generators.torus(), generators.jack(pieces=(3, 6)),
        generators.head(),
    )  # fmt: skip
    return tuple(Mesh(*mesh) for mesh in meshes)


def concave_pile(count=200, friction=0.5, seed=0):
    """`count` concave bodies, turned at random and apart, dropped into an open box in ten layers."""
    rng = np.random.default_rng(seed)
    shapes, pitch = concave_shapes(), 1.2
    side = max(2, round(sqrt(count / 10)))
    width, height = side * pitch, 2.0 * pitch * (count // side**2 + 1)
    bodies = [floor(width + 4.0)]
    for k in range(4):
        spin = rotation_matrix(axis_angle((0, 0, 1), k * pi / 2))
        size = np.abs(spin @ [1.0, width + 2.0, height])
        position = spin @ [0.5 * width + 0.5, 0.0, 0.5 * height]
        bodies.append(Body(f"wall{k}", Box(triple(size)), motion=Motion.STATIC, position=triple(position)))
    for i in range(count):
        cell = np.array([i % side, i // side % side, i // side**2])
        position = (cell - [0.5 * (side - 1), 0.5 * (side - 1), -0.6]) * pitch
        turn = rng.normal(size=4)
        bodies.append(
            Body(
                f"body{i}",
                shapes[i % len(shapes)],
                position=triple(position),
                orientation=quadruple(turn / np.linalg.norm(turn)),
            )
        )
    return Scene(tuple(bodies), one_material(friction), name=f"concave{count}")


ENTRIES = (
    SceneEntry(
        "funnel500s",
        "Funnel, 500 spheres",
        "spheres through a square funnel",
        preset("funnel500s", funnel, count=500, kind="s"),
        5.0,
    ),
    SceneEntry(
        "funnel500j",
        "Funnel, 500 jacks",
        "non-convex jacks that interlock",
        preset("funnel500j", funnel, count=500, kind="j"),
        5.0,
    ),
    SceneEntry(
        "funnel2000s",
        "Funnel, 2000 spheres",
        "spheres through a square funnel",
        preset("funnel2000s", funnel, count=2000, kind="s"),
        3.0,
    ),
    SceneEntry(
        "funnel2000j",
        "Funnel, 2000 jacks",
        "non-convex jacks that interlock",
        preset("funnel2000j", funnel, count=2000, kind="j"),
        3.0,
    ),
    SceneEntry(
        "concave200",
        "200 concave bodies",
        "gears, chalices, rings, jacks and heads dropped into a box",
        preset("concave200", concave_pile, count=200),
        4.0,
    ),
    SceneEntry(
        "concave2000",
        "2000 concave bodies",
        "gears, chalices, rings, jacks and heads dropped into a box",
        preset("concave2000", concave_pile, count=2000),
        5.0,
    ),
)
