"""The test configurations of "A Nonsmooth Nonlinear Conjugate Gradient Method for Interactive Contact Force Problems"
(2010), Figure 4, and the falling wall of Figure 7; (g) and (i), which need hinges, are in jointed/snakes.py.

The figure's sizes and coefficients are not in the paper; the numbers of bodies are those of its Table 1, less four
invisible walls where the table's count of eigenvalues (six a moving body) shows that they are among them.
"""

from dataclasses import replace
from math import radians

import numpy as np

from ..materials import Material, MaterialTable
from ..scene import Body, Scene
from ..shapes import Mesh
from ..shapes.generators import gear
from .base import SceneEntry, axis_angle, box, floor, on_ramp, one_material, preset, quadruple, ramp, triple
from .checks import stands
from .stacks import stack, wall

FIGURE = "NNCG 2010, Fig. 4"


def slope_boxes(rows=3, height=3, angle=15.0, size=0.5, friction=0.6):
    """Fig. 4(a): stacks of boxes in a row down a slope of `angle` [degrees], held by friction alone."""
    tilt, boxes = radians(angle), []
    for row in range(rows):
        for level in range(height):
            place, turn = on_ramp((level + 0.5) * size, tilt, along=(row - 0.5 * (rows - 1)) * 1.2 * size)
            boxes.append(box(f"box{row}_{level}", (size,) * 3, place, orientation=turn))
    return Scene((ramp(tilt), *boxes), one_material(friction), name="nncg_slope")


def crib(layers=14, angle=15.0, friction=0.6, log=(1.2, 0.2, 0.2)):
    """Fig. 4(b): pairs of logs crosswise upon each other on a slope, one on top: every joint must hold by friction."""
    tilt, bodies = radians(angle), [ramp(radians(angle))]
    length, width, tall = log
    for layer in range(layers):
        across = layer % 2 == 1
        for side in (-1, 1):
            shift = side * 0.5 * (length - 2 * width)
            along, aside = (0.0, shift) if across else (shift, 0.0)
            place, turn = on_ramp((layer + 0.5) * tall, tilt, along=along, aside=aside)
            size = (length, width, tall) if across else (width, length, tall)
            bodies.append(box(f"log{layer}_{side}", size, place, orientation=turn))
    place, turn = on_ramp((layers + 0.5) * tall, tilt)
    bodies.append(box("top", (length, width, tall) if layers % 2 else (width, length, tall), place, orientation=turn))
    return Scene(tuple(bodies), one_material(friction), name="nncg_crib")


def gear_pyramid(rows=3, friction=0.5, teeth=12, height=0.2, density=2000.0):
    """Fig. 4(d), (e): gears lying flat in a row of `rows`, on them one fewer, and so on: many redundant contacts.

    A mesh of 12 teeth and a bore; the gears of a row do not touch, neighbours below carry those above.
    """
    shape, bodies, spacing = Mesh(*gear(teeth, height=height)), [floor()], 1.02
    for row in range(rows):
        for k in range(rows - row):
            x = (k - 0.5 * (rows - row - 1)) * spacing
            turn = quadruple(axis_angle((0, 0, 1), np.pi / teeth * (k % 2)))
            place = triple((x, 0.0, height * (row + 0.5)))
            bodies.append(Body(f"gear{row}_{k}", shape, position=place, orientation=turn))
    return Scene(tuple(bodies), one_material(friction, density), name="nncg_gears")


def heavy_on_light(ratio=100.0, friction=0.5, size=0.5):
    """Fig. 4(h): a box of `ratio` times the mass on thirteen light ones, laid in courses of five, four and four."""
    boxes = []
    for course, count in enumerate((5, 4, 4)):
        for k in range(count):
            x = (k - 0.5 * (count - 1)) * size
            boxes.append(box(f"box{course}_{k}", (size - 0.002, size, size), (x, 0.0, (course + 0.5) * size), mass=1.0))
    boxes.append(box("heavy", (2 * size, size, size), (0.0, 0.0, 3.5 * size), mass=ratio))
    return Scene((floor(), *boxes), one_material(friction), name="nncg_heavy")


def falling_wall(drop=1.0, restitution=0.2):
    """Fig. 7: a wall of 174 bricks that falls `drop` [m] onto the floor: the shock lifts its upper courses."""
    standing = wall(rows=12, columns=14)
    bricks = [replace(body, position=triple(np.add(body.position, (0.0, 0.0, drop)))) for body in standing.bodies[1:]]
    table = MaterialTable((Material("default", 2000.0, 0.75, restitution=restitution),))
    return Scene((standing.bodies[0], *bricks), table, name="nncg_wall")


ENTRIES = (
    SceneEntry(
        "nncg_wall", "Falling wall", "174 bricks fall onto the floor as a wall", falling_wall, 4.0,
        source="NNCG 2010, Fig. 7: 174 bodies",
    ),
    SceneEntry(
        "nncg_slope", "Boxes on a slope", "nine boxes in three stacks on a slope stand by friction",
        slope_boxes, 4.0, stands(0.5), f"{FIGURE}(a): 14 bodies",
    ),
    SceneEntry(
        "nncg_crib", "Crib on a slope", "29 logs laid crosswise on a slope stand by friction", crib, 4.0, stands(0.2),
        f"{FIGURE}(b): 30 bodies",
    ),
    SceneEntry(
        "nncg_stack9", "Stack of 9", "nine equal boxes stand", preset("nncg_stack9", stack, count=9), 4.0, stands(0.5),
        f"{FIGURE}(c): 14 bodies",
    ),
    SceneEntry(
        "nncg_gears6", "Six gears", "a pyramid of six concave gears stands",
        preset("nncg_gears6", gear_pyramid, rows=3), 4.0, stands(0.2), f"{FIGURE}(d): 11 bodies",
    ),
    SceneEntry(
        "nncg_gears10", "Ten gears", "a pyramid of ten concave gears stands",
        preset("nncg_gears10", gear_pyramid, rows=4), 4.0, stands(0.2), f"{FIGURE}(e): 15 bodies",
    ),
    SceneEntry(
        "nncg_stack4", "Stack of 4", "four equal boxes stand", preset("nncg_stack4", stack, count=4), 4.0, stands(0.5),
        f"{FIGURE}(f): 9 bodies",
    ),
    SceneEntry(
        "nncg_heavy", "100:1 on thirteen", "a heavy box on light ones, mass ratio 100", heavy_on_light, 4.0,
        stands(0.5), f"{FIGURE}(h): 15 bodies",
    ),
)  # fmt: skip
