"""Beasts of blocks in the place of the dinosaurs and bunnies of Staggered Projections (2008), whose meshes are not
ours: bodies that bend far, by modal derivatives and the law of St. Venant and Kirchhoff."""

import numpy as np

from ...meshes.tet_grids import hollow_grid, outward
from ...scene import Body, Elastic, Reduction, Scene
from ...shapes import Tetrahedra
from ..base import SceneEntry, axis_angle, floor, one_material, quadruple, triple

# Side of a block [m].
BLOCK = 0.05
# Boxes of blocks, lowest and highest along x, y and z: four legs, belly, neck, head and tail.
PARTS = (((2, 0, 0), (2, 0, 1)), ((2, 2, 0), (2, 2, 1)), ((5, 0, 0), (5, 0, 1)), ((5, 2, 0), (5, 2, 1)),
         ((2, 0, 2), (5, 2, 3)), ((5, 1, 4), (5, 1, 5)), ((5, 1, 6), (7, 1, 6)), ((0, 1, 3), (1, 1, 3)))  # fmt: skip


def beast_grid():
    """(vertices (n,3) [m] about the middle of its belly, tets (T,4)) of a beast that looks along x."""
    filled = np.zeros((8, 3, 7), dtype=bool)
    for low, high in PARTS:
        filled[tuple(slice(a, b + 1) for a, b in zip(low, high, strict=True))] = True
    vertices, tets = hollow_grid([BLOCK * np.arange(count + 1.0) for count in filled.shape], filled)
    vertices -= BLOCK * np.array([4.0, 1.5, 3.0])
    return vertices, outward(vertices, tets)


def beasts(count=4, young=2e7, friction=0.5, modes=6, derivatives=8, speed=1.0):
    """Beasts thrown at each other over a floor, from all sides."""
    elastic = Elastic(young=young, law="stvk", damping=(0.0, 5e-3), reduction=Reduction(modes, derivatives))
    shape, bodies = Tetrahedra(*beast_grid()), [floor(6.0)]
    for number in range(count):
        angle = 2.0 * np.pi * number / count
        way = np.array([np.cos(angle), np.sin(angle)])
        place = (*(-0.5 * way), 0.35 + 0.1 * (number % 2))
        bodies.append(Body(f"beast{number}", shape, position=triple(place), elastic=elastic,
                           orientation=quadruple(axis_angle((0, 0, 1), angle)), velocity=triple((*(speed * way), 0.5)),
                           angular_velocity=(0.0, 1.0, float((-1) ** number))))  # fmt: skip
    return Scene(tuple(bodies), one_material(friction), name="beasts", settings={"time_step": 5e-3})


ENTRIES = (
    SceneEntry("beasts", "Beasts of blocks", "soft beasts thrown together end in a pile", beasts, 3.0,
               source="Staggered Projections 2008, Fig. 1"),
)  # fmt: skip
