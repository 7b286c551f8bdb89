"""The structures of "Rigid Body Contact Problems using Proximal Operators" (SCA 2017), Table 1: what is built.

Numbers of objects and coefficients are the paper's (friction 0.75, torsional friction 0.01 m), and so is the mass of
the Temple's and the Colosseum's stones, 4000 kg; the meshes are our own. The paper's objects hold the ground.
"""

from math import cos, pi, sin

import numpy as np

from ..scene import Body, Scene
from ..shapes import ConvexHull, Mesh
from ..shapes.generators import extruded
from .base import SceneEntry, axis_angle, box, floor, quadruple, triple
from .checks import stands
from .prox2017 import TABLE_1, prox_materials
from .stacks import wall

STONE_MASS = 4000.0  # [kg]


def ring_stone(near, far, outline):
    """A stone of a ring about the z axis, from its outline (n,2) in (angle [rad], z [m]), between two radii [m].

    Returns place(name, angle, lift, **more) -> Body: the stone turned on by `angle` [rad], lifted by `lift` [m]. Its
    frame stands at its middle, x along the ring, y outwards. The outline is seen whole from its first corner; only
    edges of constant angle or height become plane faces.
    """
    outline = np.asarray(outline, dtype=float)
    middle = outline.mean(axis=0)
    vertices, triangles = extruded(outline - middle, 1.0)
    radius, center = np.where(vertices[:, 1] < 0, near, far), 0.5 * (near + far)
    along = vertices[:, 0]
    points = np.column_stack((radius * np.sin(along), radius * np.cos(along) - center, vertices[:, 2]))
    shape = ConvexHull(points) if len(outline) == 4 else Mesh(points, triangles)

    def place(name, angle, lift, **more):
        # At the angle `about` the ring's outward direction is (sin, cos): the frame is turned by -about.
        about = angle + middle[0]
        position = (center * sin(about), center * cos(about), lift + middle[1])
        turn = quadruple(axis_angle((0, 0, 1), -about))
        return Body(name, shape, position=triple(position), orientation=turn, **more)

    return place


def block(low, high, height):
    """Outline (4,2) of a stone from angle `low` to `high` [rad], `height` [m] tall, standing on 0."""
    return [(low, 0.0), (high, 0.0), (high, height), (low, height)]


def tower(courses=6, stones=8, near=1.5, far=2.0, height=0.6, joint=0.002):
    """A round tower in bond: every course is turned by half a stone; `joint` [m] of air between its stones."""
    pitch, gap = 2 * pi / stones, joint / far
    place = ring_stone(near, far, block(0.5 * gap, pitch - 0.5 * gap, height))
    bodies = [
        place(f"stone{k}_{i}", (i + 0.5 * (k % 2)) * pitch, k * height) for k in range(courses) for i in range(stones)
    ]
    return Scene((floor(), *bodies), prox_materials(2000.0), name="prox_tower")


def brick_wall():
    """Eighty boxes in running bond."""
    scene = wall(rows=7, columns=11)
    return Scene(scene.bodies, prox_materials(2000.0), name="prox_wall")


def half_arch(pier, bay, height, steps=6):
    """Outline (n,2) of half a round arch with the pier's share of wall above: seen whole from its upper left corner."""
    radius = 0.5 * (bay - pier)
    angle = np.linspace(0.0, 0.5 * pi, steps + 1)
    curve = np.column_stack((0.5 * bay - radius * np.cos(angle), radius * np.sin(angle)))
    return np.concatenate(([(0.0, height), (0.0, 0.0)], curve, [(0.5 * bay, height)]))


def colosseum(bays=24, storeys=3, radius=10.0, depth=0.7, pier=0.7, course=0.6, crown=0.3, cornice=0.5, joint=0.002):
    """Three storeys of round arches on slender piers, with nothing but their weight to hold the ring together.

    A bay of a storey: a pier of five stones, two half arches (concave), two cornice stones. `depth` [m] of the
    ring: the thrust of the arches has an outward part in a ring, which a thin one cannot carry.
    """
    pitch, near, far = 2 * pi / bays, radius - 0.5 * depth, radius + 0.5 * depth
    bay, half, gap = pitch * radius, 0.5 * pier / radius, 0.5 * joint / radius
    arch = half_arch(pier, bay, 0.5 * (bay - pier) + crown) / [radius, 1.0]
    # Arches touch at the crown and leave the joint open above the pier.
    arch[:2, 0] += gap
    rise = arch[:, 1].max()
    stones = [(f"pier{k}", ring_stone(near, far, block(-half, half, course)), k * course) for k in range(5)]
    stones.append(("right", ring_stone(near, far, arch), 5 * course))
    stones.append(("left", ring_stone(near, far, np.roll(arch[::-1], 1, axis=0) * [-1.0, 1.0]), 5 * course))
    for name, low in (("east", 0.0), ("west", -0.5 * pitch)):
        outline = block(low + gap, low + 0.5 * pitch - gap, cornice)
        stones.append((name, ring_stone(near, far, outline), 5 * course + rise))
    storey = 5 * course + rise + cornice
    bodies = [
        place(f"{name}_{s}_{i}", i * pitch, s * storey + lift, mass=STONE_MASS)
        for s in range(storeys) for i in range(bays) for name, place, lift in stones
    ]  # fmt: skip
    return Scene((floor(80.0), *bodies), prox_materials(), name="prox_colosseum")


def drum(radius, height, sides=10):
    """A column's drum: an upright prism."""
    angle = 2 * pi * (np.arange(sides) + 0.5) / sides
    ring = radius * np.column_stack((np.cos(angle), np.sin(angle)))
    return ConvexHull(np.concatenate([np.column_stack((ring, np.full(sides, z))) for z in (-height / 2, height / 2)]))


def temple(front=6, side=11, bay=2.4, drums=10):
    """A temple: two courses of paving, a ring of columns, two courses of beams, a roof of slabs, stepped gables.

    With six columns in front and eleven along the side: 638 stones of 4000 kg.
    """
    bodies = []

    def stone(name, size, place):
        bodies.append(box(name, size, place, mass=STONE_MASS))

    def at(i, j):
        return bay * (i - 0.5 * (front - 1)), bay * (j - 0.5 * (side - 1))

    z = 0.0
    for course in range(2):
        for i in range(front):
            for j in range(side):
                stone(f"paving{course}_{i}_{j}", (bay - 0.002, bay - 0.002, 0.4), (*at(i, j), z + 0.2))
        z += 0.4
    stone("altar", (1.2, 1.2, 1.2), (0.0, 0.0, z + 0.6))
    ring = [(i, j) for i in range(front) for j in range(side) if i in (0, front - 1) or j in (0, side - 1)]
    shape = drum(0.55, 0.8)
    for i, j in ring:
        x, y = at(i, j)
        stone(f"base{i}_{j}", (1.4, 1.4, 0.3), (x, y, z + 0.15))
        for k in range(drums):
            place = (x, y, z + 0.3 + 0.8 * (k + 0.5))
            bodies.append(Body(f"drum{i}_{j}_{k}", shape, position=triple(place), mass=STONE_MASS))
        stone(f"capital{i}_{j}", (1.5, 1.5, 0.4), (x, y, z + 0.3 + 0.8 * drums + 0.2))
    z += 0.7 + 0.8 * drums
    z = entablature(stone, at, front, side, bay, z)
    roof(stone, at, front, side, bay, z)
    return Scene((floor(80.0), *bodies), prox_materials(), name="prox_temple")


def entablature(stone, at, front, side, bay, z):
    """Two courses of beams from column to column; in the corners the courses take turns. Returns the height above."""
    width, tall = 1.2, 0.8
    for course in range(2):
        # The beams of one direction run through the corners, those of the other end at them.
        long_front = course == 0
        for j in (0, side - 1):
            for i in range(front - 1):
                low, high = at(i, j)[0], at(i + 1, j)[0]
                trim = 0.5 * width if long_front else -0.5 * width
                low -= trim if i == 0 else 0.0
                high += trim if i == front - 2 else 0.0
                place = (0.5 * (low + high), at(0, j)[1], z + 0.5 * tall)
                stone(f"front{course}_{i}_{j}", (high - low - 0.002, width, tall), place)
        for i in (0, front - 1):
            for j in range(side - 1):
                low, high = at(i, j)[1], at(i, j + 1)[1]
                trim = -0.5 * width if long_front else 0.5 * width
                low -= trim if j == 0 else 0.0
                high += trim if j == side - 2 else 0.0
                place = (at(i, 0)[0], 0.5 * (low + high), z + 0.5 * tall)
                stone(f"side{course}_{i}_{j}", (width, high - low - 0.002, tall), place)
        z += tall
    return z


def roof(stone, at, front, side, bay, z):
    """Beams across, slabs from beam to beam, and a gable of three steps over each end."""
    width = 2 * abs(at(0, 0)[0]) + 1.2
    for j in range(side):
        stone(f"across{j}", (width, 0.8, 0.8), (0.0, at(0, j)[1], z + 0.4))
    z += 0.8
    span = width / (front - 1)
    for j in range(side - 1):
        for i in range(front - 1):
            place = (span * (i - 0.5 * (front - 2)), 0.5 * (at(0, j)[1] + at(0, j + 1)[1]), z + 0.15)
            stone(f"slab{i}_{j}", (span - 0.002, bay - 0.002, 0.3), place)
    z += 0.3
    for j, inward in ((0, 1.0), (side - 1, -1.0)):
        y = at(0, j)[1] + inward * 0.4
        for step, count in enumerate((5, 4, 3)):
            for k in range(count):
                place = (span * (k - 0.5 * (count - 1)), y, z + 0.5 * (step + 0.5))
                stone(f"gable{j}_{step}_{k}", (span - 0.002, 0.7, 0.5), place)


ENTRIES = (
    SceneEntry(
        "prox_tower", "Round tower", "48 stones in bond stand", tower, 5.0, stands(0.6),
        f"{TABLE_1}, Tower (49 objects); Fig. 3",
    ),
    SceneEntry(
        "prox_wall", "Brick wall", "80 boxes in running bond stand", brick_wall, 5.0, stands(0.2),
        f"{TABLE_1}, Wall (81 objects); Fig. 3",
    ),
    SceneEntry(
        "prox_temple", "Temple", "638 stones of 4000 kg stand", temple, 3.0, stands(0.8),
        f"{TABLE_1}, Temple (639 objects); Fig. 1, bottom",
    ),
    SceneEntry(
        "prox_colosseum", "Colosseum", "648 stones: three storeys of arches in a ring", colosseum, 3.0, stands(2.0),
        f"{TABLE_1}, Colosseum (649 objects); Fig. 1",
    ),
)  # fmt: skip
