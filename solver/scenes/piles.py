"""Piles of cylinders and spheres whose forces statics gives."""

from math import pi, sqrt

import numpy as np

from ..materials import Material, MaterialPair, MaterialTable
from ..scene import Body, Motion, Scene
from ..shapes import Cylinder, Sphere
from .base import SceneEntry, axis_angle, floor, one_material, quadruple, triple
from .checks import stands

LYING = quadruple(axis_angle((1, 0, 0), -pi / 2))


def pile_materials(friction, floor_friction):
    """Materials "default" (the floor) and "round", with their own pair coefficients."""
    return MaterialTable(
        (Material("default"), Material("round")),
        (
            MaterialPair(("round", "round"), friction=friction),
            MaterialPair(("round", "default"), friction=floor_friction),
        ),
    )


def three_cylinders(friction=0.3, floor_friction=0.3, radius=0.1, length=0.2, gap=1e-5):
    """Two cylinders on the floor carry a third; `gap` [radii] keeps the lower two from pushing on each other."""
    x = radius * (1 + gap)
    top = radius + sqrt(4 * radius**2 - x**2)
    centers = ((-x, 0.0, radius), (x, 0.0, radius), (0.0, 0.0, top))
    bodies = tuple(
        Body(name, Cylinder(radius, length), "round", position=triple(center), orientation=LYING)
        for name, center in zip(("left", "right", "top"), centers, strict=True)
    )
    return Scene((floor(), *bodies), pile_materials(friction, floor_friction), name="three_cylinders")


def four_spheres(friction=0.35, floor_friction=0.3, radius=0.1, gap=1e-5):
    """Three spheres on the floor carry a fourth."""
    ring = 2 * radius * (1 + gap) / sqrt(3)
    top = radius + sqrt(4 * radius**2 - ring**2)
    angles = pi / 2 + 2 * pi * np.arange(3) / 3
    centers = [(ring * np.cos(a), ring * np.sin(a), radius) for a in angles] + [(0.0, 0.0, top)]
    bodies = tuple(
        Body(name, Sphere(radius), "round", position=triple(center))
        for name, center in zip(("a", "b", "c", "top"), centers, strict=True)
    )
    return Scene((floor(), *bodies), pile_materials(friction, floor_friction), name="four_spheres")


def triangular_pile(rows=4, radius=0.1, spacing=2.02, kind="cylinder"):
    """Frictionless rows of `rows` ... 1 rollers on a fixed row of rows+1: each fixed one carries rows/2 weights."""
    lift = sqrt(4 - (spacing / 2) ** 2) * radius
    shape = Cylinder(radius, 2 * radius) if kind == "cylinder" else Sphere(radius)
    orientation = LYING if kind == "cylinder" else (1.0, 0.0, 0.0, 0.0)
    bodies = []
    for level in range(rows + 1):
        count = rows + 1 - level
        for k in range(count):
            x = (k - (count - 1) / 2) * spacing * radius
            motion = Motion.STATIC if level == 0 else Motion.DYNAMIC
            bodies.append(
                Body(f"r{level}_{k}", shape, motion=motion, position=(x, 0.0, level * lift), orientation=orientation)
            )
    return Scene(tuple(bodies), one_material(0.0), name="triangular_pile")


ENTRIES = (
    SceneEntry(
        "three_cylinders",
        "Three-cylinder pile",
        "stands above tan(15 degrees)",
        three_cylinders,
        4.0,
        check=stands(0.1),
    ),
    SceneEntry(
        "four_spheres", "Four-sphere pile", "stands above a friction of 0.318", four_spheres, 4.0, check=stands(0.1)
    ),
    SceneEntry("triangular_pile", "Triangular pile", "exact loads without a pressure dip", triangular_pile, 1.0),
)
