"""Cards that lean on each other: card houses and the A-frame."""

from dataclasses import replace
from math import cos, radians, sin, tan

import numpy as np

from ..materials import Material, MaterialPair, MaterialTable
from ..scene import KeyedPoses, Motion, Scene
from .arches import prism
from .base import SceneEntry, axis_angle, box, floor, one_material, preset, quadruple
from .checks import stands
from .nncg2010 import crib


def cardhouse(levels=3, friction=0.8, density=700.0, angle=22.0):
    """A card house of planks 1 x 0.6 x 0.04 m, leaning by `angle` [degrees] from the vertical."""
    length, thickness, width, gap = 1.0, 0.04, 0.6, 0.02
    phi = radians(angle)
    s, c = sin(phi), cos(phi)
    spacing = 2 * (length * s + thickness * c) + gap
    rise = length * c + thickness * s
    bodies, z = [floor()], 0.0
    for level in range(levels):
        count = levels - level
        first = -(count - 1) * spacing / 2
        for k in range(count):
            apex = first + k * spacing
            for side, letter in ((-1, "l"), (1, "r")):
                x = apex + side * (length / 2 * s + thickness / 2 * c)
                turn = axis_angle((0, 1, 0), -side * phi)
                bodies.append(
                    box(
                        f"c{level}_{k}_{letter}",
                        (thickness, width, length),
                        (x, 0.0, z + rise / 2),
                        orientation=quadruple(turn),
                    )
                )
        z += rise
        for k in range(count - 1):
            x = first + (k + 0.5) * spacing
            bodies.append(box(f"d{level}_{k}", (spacing - 0.004, width, thickness), (x, 0.0, z + thickness / 2)))
        z += thickness
    return Scene(tuple(bodies), one_material(friction, density), name=f"cardhouse{levels}")


def bombarded(levels=5, blocks=6, friction=0.8, restitution=0.1, between=1.5, first=1.0, size=0.15):
    """Staggered Projections, Fig. 7: a card house on which small blocks fall one by one, the first after `first` [s],
    each of the others `between` [s] later."""
    house = cardhouse(levels)
    top = max(body.position[2] for body in house.bodies) + 1.0
    falling = []
    for k in range(blocks):
        # Held in the air until its time comes.
        wait = first + k * between
        x = (k - 0.5 * (blocks - 1)) * 0.4
        place = (x, 0.05 * (-1) ** k, top + 0.3)
        keys = KeyedPoses([0.0, wait + 1.0], [place, place], [(1.0, 0.0, 0.0, 0.0)] * 2)
        falling.append(box(f"block{k}", (size,) * 3, place, motion=Motion.KINEMATIC, keys=keys, switches=(wait,)))
    table = MaterialTable((Material("default", 700.0, friction, restitution=restitution),))
    return Scene((*house.bodies, *falling), table, name="cardhouse_blocks")


def log_house(layers=34, friction=0.6):
    """Staggered Projections, Table 2: 69 logs laid crosswise into a house, 414 degrees of freedom."""
    return replace(crib(layers, 0.0, friction, log=(3.0, 0.2, 0.2)), name="log_house")


def log_house_jump(layers=34, speed=9.0, friction=0.6, sliding=0.05):
    """Staggered Projections, section 8.2: a log house that slides at `speed` [m/s], jumps a ramp and hits a block.

    sliding: friction on the floor and the ramp. Ramp and block are ours; the paper shows them in its video only.
    """
    house = log_house(layers)
    logs = [replace(body, velocity=(speed, 0.0, 0.0), material="log") for body in house.bodies[1:]]
    rise, start, length = 0.5, 2.0, 6.0
    wedge = prism("ramp", [(start, 0.0), (start + length, 0.0), (start + length, rise), (start, 1e-3)], 6.0,
                  motion=Motion.STATIC)  # fmt: skip
    stop = box("stop", (2.0, 6.0, 1.0), (start + length + 8.0, 0.0, 0.5), motion=Motion.STATIC)
    table = MaterialTable(
        (Material("default", 1000.0, sliding), Material("log", 1000.0, friction)),
        (MaterialPair(("log", "default"), friction=sliding),),
    )
    return Scene((floor(200.0), wedge, stop, *logs), table, name="log_house_jump")


def card_outline(angle, length, thickness, cut):
    """Outline (5,2) [m] in xz of the left card of an A-frame, its apex cut by a vertical face `cut` [m] high at x = 0.

    The foot's outer corner is on the floor.
    """
    phi = radians(angle)
    along, across = np.array([sin(phi), cos(phi)]), np.array([cos(phi), -sin(phi)])
    # Lower end: inner corner a, outer corner b; b is the foot. Upper end: outer c, inner d (the apex tip).
    b = np.zeros(2)
    a = thickness * across
    c = b + length * along
    d = a + length * along
    # Cutting x <= e keeps a vertical face between the inner long side and the upper end.
    reach = cut / (tan(phi) + 1 / tan(phi))
    e = d[0] - reach
    below = d - along * (reach / along[0])
    above = d - across * (reach / across[0])
    points = np.array([b, a, below, above, c])
    points[:, 0] -= e
    points[:, 1] -= points[:, 1].min()
    return points


def a_frame(friction=0.25, angle=25.0, length=1.0, thickness=0.01, cut=0.002, depth=0.4, load=0.0):
    """Two cards leaning on each other with a vertical joint at the apex, frictionless where there is no load.

    load: weight of a smooth plate laid on the cards' top edges, in weights of a card. Under it the joint has friction,
    or the cards would sway. That leaves the limit alone: of any balance of forces its mirror image is one, and so is
    the mean of both, in which the joint carries no friction.
    """
    outline = card_outline(angle, length, thickness, cut)
    mirrored = outline[::-1] * [-1.0, 1.0]
    cards = (prism("left", outline, depth, material="card"), prism("right", mirrored, depth, material="card"))
    table = MaterialTable(
        (Material("default"), Material("card"), Material("plate", friction=0.0)),
        (
            MaterialPair(("card", "card"), friction=1.0 if load else 0.0),
            MaterialPair(("card", "default"), friction=friction),
        ),
    )
    if load > 0:
        x, z = outline[np.argmax(outline[:, 1])]
        mass = load * 1000.0 * depth * outline_area(outline)
        plate = box("load", (4 * abs(x), depth, thickness), (0.0, 0.0, z + thickness / 2), material="plate", mass=mass)
        cards = (*cards, plate)
    return Scene((floor(), *cards), table, name="a_frame")


def outline_area(points):
    """Area [m^2] of a polygon (n,2)."""
    following = np.roll(points, -1, axis=0)
    return abs(float((points[:, 0] * following[:, 1] - following[:, 0] * points[:, 1]).sum())) / 2


def a_frame_limit(angle=25.0, length=1.0, thickness=0.01, cut=0.002, load=0.0):
    """Least floor friction with which a_frame() stands: moments about the foot, thrust at the joint's upper end.

    Half the load acts on each card's top edge; thin cards: tan(phi) (1 + load)/(2 + load).
    """
    points = card_outline(angle, length, thickness, cut)
    following = np.roll(points, -1, axis=0)
    cross = points[:, 0] * following[:, 1] - following[:, 0] * points[:, 1]
    center = ((points + following) * cross[:, None]).sum(axis=0) / (3 * cross.sum())
    foot = points[np.argmin(points[:, 1])]
    top = points[np.isclose(points[:, 0], 0.0)][:, 1].max()
    edge = points[np.argmax(points[:, 1])]
    moment = (center[0] - foot[0]) + 0.5 * load * (edge[0] - foot[0])
    return float(moment / (top - foot[1]) / (1 + 0.5 * load))


ENTRIES = (
    SceneEntry(
        "cardhouse1",
        "Two cards",
        "the smallest card house",
        preset("cardhouse1", cardhouse, levels=1),
        check=stands(0.6),
    ),
    SceneEntry(
        "cardhouse3",
        "Card house of 3 levels",
        "fifteen planks stand for a minute",
        preset("cardhouse3", cardhouse, levels=3),
        60.0,
        check=stands(0.6),
    ),
    SceneEntry(
        "cardhouse5",
        "Card house of 5 levels",
        "forty planks stand",
        preset("cardhouse5", cardhouse, levels=5),
        check=stands(0.6),
    ),
    SceneEntry(
        "cardhouse_blocks",
        "Card house under fire",
        "blocks fall on a card house one by one; parts of it come down",
        bombarded,
        10.0,
        source="Staggered Projections 2008, Fig. 7",
    ),
    SceneEntry("log_house", "Log house", "69 logs laid crosswise stand", log_house, 4.0, check=stands(0.2),
               source="Staggered Projections 2008, Table 2"),
    SceneEntry("log_house_jump", "Log house in flight", "69 logs slide, jump a ramp and hit a block", log_house_jump,
               4.0, source="Staggered Projections 2008, Table 2"),
    SceneEntry("a_frame", "A-frame", "two cards stand above tan(phi)/2", a_frame, 4.0, check=stands(1.0)),
)
