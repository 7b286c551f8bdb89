"""Concave bodies in contact: a tower of glasses, a chain of rings, gears that turn each other."""

from math import cos, pi, sqrt

import numpy as np

from ..scene import Body, KeyedPoses, Motion, Scene
from ..shapes import Cylinder, Mesh
from ..shapes.generators import gear, torus, wine_glass
from .base import SceneEntry, axis_angle, floor, multiply, one_material, quadruple, triple
from .checks import stands

GLASS_HEIGHT = 0.2


def triangle_layer(count, spacing):
    """Places (count (count+1)/2, 2) [m] of a triangular layer with `count` a side about its centre."""
    places = [(j - 0.5 * i, -0.5 * sqrt(3) * i) for i in range(count) for j in range(i + 1)]
    places = spacing * np.array(places)
    return places - places.mean(axis=0)


def glass_tower(levels=3, friction=0.4, segments=24, density=2500.0, gap=0.002):
    """Wine glasses in a pyramid: each stands with its foot on the rims of three; `gap` [m] between rims."""
    shape = Mesh(*wine_glass(GLASS_HEIGHT, wall=0.02, segments=segments))
    spacing = 2 * 0.31 * GLASS_HEIGHT + gap
    glasses = []
    for level in range(levels):
        z = GLASS_HEIGHT * (level + 0.5)
        for k, (x, y) in enumerate(triangle_layer(levels - level, spacing)):
            glasses.append(Body(f"glass{level}_{k}", shape, position=triple((x, y, z))))
    return Scene((floor(4.0), *glasses), one_material(friction, density), name="glass_tower")


LINK = dict(major=0.1, minor=0.02, major_segments=24, minor_segments=8)


def link_pitch():
    """Distance [m] of two taut links' centres: they meet at the middles of an edge of each inner equator."""
    return 2 * (LINK["major"] - LINK["minor"]) * cos(pi / LINK["major_segments"])


def link(name, position, along, turn, **more):
    """A ring whose diameter points along the direction `along` (in the xz plane), its plane turned by `turn` [rad]."""
    lean = axis_angle((0, 1, 0), np.arctan2(along[0], along[2]))
    # The ring about z is stood up, its diameter along z; then turned about z, then leant.
    orientation = multiply(lean, multiply(axis_angle((0, 0, 1), turn), axis_angle((1, 0, 0), pi / 2)))
    shape = Mesh(*torus(**LINK, phase=pi / 2 + pi / LINK["major_segments"]))
    return Body(name, shape, position=triple(position), orientation=quadruple(orientation), **more)


def hanging_chain(count=6, friction=0.3, density=7800.0, slack=0.0):
    """`count` rings hang from a fixed one, every second one turned by a quarter; `slack` [m] of air at each joint."""
    pitch = link_pitch() - slack
    links = [
        link(f"link{k}", (0.0, 0.0, -k * pitch), (0.0, 0.0, 1.0), 0.5 * pi * (k % 2),
             motion=Motion.STATIC if k == 0 else Motion.DYNAMIC)
        for k in range(count + 1)
    ]  # fmt: skip
    return Scene(tuple(links), one_material(friction, density), name="hanging_chain")


def catenary(length, span):
    """(parameter a, sag) [m] of a chain of this length between two points `span` apart at one height."""
    from scipy.optimize import brentq

    half = 0.5 * span
    a = brentq(lambda a: 2 * a * np.sinh(half / a) - length, half / 20, 1e3 * half)
    return a, a * (np.cosh(half / a) - 1)


def chain_bridge(count=20, share=0.8, friction=0.3, density=7800.0, slack=0.01):
    """A chain of `count` free rings between two fixed ones whose distance is `share` of its length.

    It starts on a catenary with every link drawn in by the part `slack` of its pitch, for rings lean on one
    another where the curve bends, and settles from there.
    """
    length = (count + 1) * link_pitch() * (1 - slack)
    a, sag = catenary(length, share * length / (1 - slack))
    arcs = np.linspace(-0.5 * length, 0.5 * length, count + 2)
    points = np.column_stack((a * np.arcsinh(arcs / a), 0 * arcs, np.sqrt(a * a + arcs**2) - a - sag))
    slope = np.column_stack((np.ones_like(arcs), 0 * arcs, arcs / a))
    links = [
        link(f"link{k}", point, along, 0.5 * pi * (k % 2),
             motion=Motion.STATIC if k in (0, count + 1) else Motion.DYNAMIC)
        for k, (point, along) in enumerate(zip(points, slope, strict=True))
    ]  # fmt: skip
    return Scene(tuple(links), one_material(friction, density), name="chain_bridge")


PITCH_RADIUS, TOOTH = 0.425, 0.075  # of a wheel with twelve teeth; half a tooth's height [m]


def wheel(teeth, height=0.2, bore=0.12):
    """A gear of one tooth size for every number of teeth."""
    radius = PITCH_RADIUS * teeth / 12
    return Mesh(*gear(teeth, radius - TOOTH, radius + TOOTH, height, bore))


def gear_train(teeth=(12, 18), rate=2 * pi, turns=3.0, friction=0.1, clearance=0.005, depth=0.03, density=2000.0):
    """Wheels side by side on the floor round fixed pins; the first is turned at `rate` [rad/s] and drives the rest.

    clearance [m] of a wheel on its pin, depth [m] by which teeth stay short of full engagement.
    """
    bodies, x, height, bore = [floor(20.0)], 0.0, 0.2, 0.12
    for k, count in enumerate(teeth):
        if k:
            x += PITCH_RADIUS * (teeth[k - 1] + count) / 12 + depth
        # The tooth of a wheel faces the gap of the one before it; a tooth's middle is at half a pitch.
        start = pi + (pi / count if k % 2 == 0 else 0.0)
        position = (x, 0.0, 0.5 * height)
        if k == 0:
            keys = turning(position, start - pi, rate, turns)
            bodies.append(Body("driver", wheel(count), motion=Motion.KINEMATIC, position=position,
                               orientation=quadruple(keys.orientations[0]), keys=keys))  # fmt: skip
            continue
        turn = quadruple(axis_angle((0, 0, 1), start))
        bodies.append(Body(f"wheel{k}", wheel(count), position=position, orientation=turn))
        bodies.append(Body(f"pin{k}", Cylinder(bore * cos(pi / (5 * count)) - clearance, 2 * height),
                           motion=Motion.STATIC, position=(x, 0.0, height)))  # fmt: skip
    return Scene(tuple(bodies), one_material(friction, density), name="gear_train")


def turning(position, start, rate, turns, keys_a_turn=16):
    """KeyedPoses of a turn about z at `rate` [rad/s] from the angle `start` [rad]."""
    angles = np.linspace(0.0, 2 * pi * turns, int(round(keys_a_turn * turns)) + 1) * np.sign(rate)
    orientations = [axis_angle((0, 0, 1), start + angle) for angle in angles]
    times = np.abs(angles / rate)
    return KeyedPoses(times, np.tile(position, (len(times), 1)).astype(float), np.array(orientations))


ENTRIES = (
    SceneEntry(
        "glass_tower",
        "Tower of wine glasses",
        "ten thin-walled glasses, each with its foot on three rims",
        glass_tower,
        4.0,
        check=stands(0.2),
    ),
    SceneEntry(
        "hanging_chain", "Hanging chain", "rings hang in rings, at their exact pitch", hanging_chain, 2.0,
        check=stands(0.2),
    ),
    SceneEntry(
        "chain_bridge", "Chain between two walls", "a chain of rings sags like a catenary", chain_bridge, 4.0
    ),
    SceneEntry(
        "gear_train", "Gears", "a driven wheel turns another by its teeth alone", gear_train, 3.0
    ),
)  # fmt: skip
