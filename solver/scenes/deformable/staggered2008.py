"""Scenes of Staggered Projections (2008) with bodies that move in a few modes; sizes and materials are ours, as the
paper gives none."""

import numpy as np

from ...meshes.tet_grids import hollow_grid, outward
from ...scene import Body, Elastic, Reduction, Scene
from ...shapes import Tetrahedra
from ..base import GRAVITY, SceneEntry, floor, one_material

# Cells of a chair: of its seat's sides and of its legs [m].
CELL, SEAT, LEG = 0.04, 10, 10


def chair_grid(splay):
    """(vertices (n,3) [m], tets (T,4)) of a chair without a back whose legs lean outward by `splay` [degrees] along x
    and stand on one corner each, at z = 0."""
    ticks = [CELL * np.arange(count + 1.0) for count in (SEAT, SEAT, LEG + 1)]
    filled = np.zeros((SEAT, SEAT, LEG + 1), dtype=bool)
    filled[:, :, LEG] = filled[::SEAT - 1, ::SEAT - 1] = True
    vertices, tets = hollow_grid(ticks, filled)
    vertices[:, :2] -= 0.5 * CELL * SEAT
    half, low = np.abs(vertices[:, :2]).max(), vertices[:, 2] < 1e-9
    stands = low & (np.abs(np.abs(vertices[:, :2]) - half) < 1e-9).all(axis=1)
    vertices[low & ~stands, 2] += 0.1 * CELL
    vertices[:, 0] += np.sign(vertices[:, 0]) * np.tan(np.radians(splay)) * np.maximum(LEG * CELL - vertices[:, 2], 0.0)
    return vertices, outward(vertices, tets)


def stickslip_chair(friction=0.5, slope=30.0, splay=15.0, young=1e9, modes=20, damping_ratio=0.01, speed=0.0):
    """A plastic chair on a slope of `slope` [degrees], whose x runs downwards: gravity leans, and the floor does not.
    The answers to forces on its feet are among its shape vectors. speed [m/s]: how fast it slides at first."""
    vertices, tets = chair_grid(splay)
    feet = vertices[vertices[:, 2] < 1e-9]
    boxes = tuple((tuple(map(float, foot - 1e-3)), tuple(map(float, foot + 1e-3))) for foot in feet)
    elastic = Elastic(young=young, poisson=0.35, law="corotational", element="t10",
                      reduction=Reduction(modes, attachments=boxes, damping_ratio=damping_ratio))  # fmt: skip
    chair = Body("chair", Tetrahedra(vertices, tets), elastic=elastic, velocity=(speed, 0, 0))
    angle = np.radians(slope)
    gravity = (float(GRAVITY * np.sin(angle)), 0.0, float(-GRAVITY * np.cos(angle)))
    return Scene((floor(60.0), chair), one_material(friction, density=900.0), gravity, name="stickslip_chair",
                 settings={"time_step": 1e-3, "steps_per_frame": 10, "spectral_radius": 1.0})  # fmt: skip


ENTRIES = (
    SceneEntry("stickslip_chair", "Stick-slip chair", "a chair slides down a slope, and its legs chatter",
               stickslip_chair, 1.2, source="Staggered Projections 2008, Fig. 5"),
)  # fmt: skip
