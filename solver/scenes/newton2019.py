"""Scenes of "Non-Smooth Newton Methods for Deformable Multi-Body Dynamics" (2019) that are not elsewhere: the pile of
tables, and weights of 4096:1 on joints. The flexible beam is in jointed/chains.py, the heavy stack in stacks.py."""

import numpy as np

from ..scene import Body, Joint, Scene
from ..shapes import Box
from ..shapes.compound import Compound, Part
from .base import SceneEntry, box, floor, one_material, quadruple, triple

# Sizes [m] of a table of 4.7 kg; the paper gives its mass and friction alone.
TOP, LEG = (0.6, 0.4, 0.03), (0.04, 0.04, 0.4)
TABLE_MASS = 4.7


def table_shape():
    """A top on four legs, its origin in the middle of its bounds."""
    x, y = 0.5 * (TOP[0] - LEG[0]), 0.5 * (TOP[1] - LEG[1])
    legs = [Part(Box(LEG), (sx * x, sy * y, -0.5 * TOP[2])) for sx in (-1, 1) for sy in (-1, 1)]
    return Compound((Part(Box(TOP), (0.0, 0.0, 0.5 * LEG[2])), *legs))


def table_pile(count=53, friction=0.7, seed=1):
    """`count` tables turned at random, dropped in layers of nine onto the floor; with it the 54 bodies of Table 2."""
    rng, shape, pitch = np.random.default_rng(seed), table_shape(), 0.95
    tables = []
    for k in range(count):
        cell = np.array([k % 3 - 1.0, k // 3 % 3 - 1.0, k // 9])
        place = pitch * cell + (0.0, 0.0, 0.8) + rng.uniform(-0.05, 0.05, 3)
        turn = rng.normal(size=4)
        tables.append(Body(f"table{k}", shape, position=triple(place), mass=TABLE_MASS,
                           orientation=quadruple(turn / np.linalg.norm(turn))))  # fmt: skip
    return Scene((floor(20.0), *tables), one_material(friction), name="table_pile")


def weights(angle=0.0, kind="ball", pitch=1.0):
    """Cubes of 8, 64 ... 32768 kg hung one under another, `angle` [degrees] aside: what the heavy stack is to contacts,
    4096 times the mass of the uppermost below it, on joints."""
    a = np.radians(angle)
    down = np.array([np.sin(a), 0.0, -np.cos(a)])
    cubes = [box(f"weight{k}", (0.5,) * 3, triple((k + 0.5) * pitch * down), mass=8.0 * 8**k, collides_with=())
             for k in range(5)]  # fmt: skip
    names = ["world", *(cube.name for cube in cubes)]
    joints = [Joint(f"j{k}", kind, (names[k], names[k + 1]), triple(k * pitch * down), (0.0, 1.0, 0.0))
              for k in range(5)]  # fmt: skip
    return Scene(tuple(cubes), joints=tuple(joints), name="weights")


ENTRIES = (
    SceneEntry("table_pile", "Pile of tables", "53 tables of 4.7 kg fall into a heap, legs between legs", table_pile,
               3.0, source="Macklin et al. 2019, Fig. 14 and section 10.1.5"),
    SceneEntry("weights", "Hung weights", "8 to 32768 kg on ball joints, the heaviest at the end", weights, 2.0,
               source="Macklin et al. 2019, section 10.1.5, with joints in place of contacts"),
)  # fmt: skip
