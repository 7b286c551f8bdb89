"""Twenty chains and nets: hanging, jerked, whirled, dropped, shot through."""

from math import pi, sqrt

import numpy as np

from stiction.solver.materials import Material, MaterialTable
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scenes.base import axis_angle, floor, multiply, quadruple, triple
from stiction.solver.shapes import Sphere

from .base import Built, Case, oval_line, ring_line, snap_line, tube

RING, WIRE, AIR = 0.1, 0.02, 0.002
UP = axis_angle((0, 1, 0), pi / 2)  # a link's x axis points down, its plane holds the z axis
ACROSS = multiply(axis_angle((0, 0, 1), pi / 2), UP)


def materials(heavy=1.0):
    """Steel, and steel `heavy` times as dense."""
    return MaterialTable((Material("default", 7800.0, 0.3), Material("heavy", 7800.0 * heavy, 0.3)))


def torus_link(facets, sides=8):
    """(Mesh, centre line, pitch [m]) of a ring with so many facets round it."""
    line = ring_line(RING, facets)
    return tube(line, WIRE, sides), line, 2 * (RING * np.cos(pi / facets) - WIRE) - AIR


def cornered_link(facets=12, sides=6):
    """The same of a ring that meets the next one with a corner of its inner rim."""
    line = ring_line(RING, facets, 0.0)
    return tube(line, WIRE, sides), line, 2 * (RING - WIRE) - 2 * AIR


def square_link():
    """The same of a square frame of square bars."""
    line = RING * np.array([(1, -1, 0), (1, 1, 0), (-1, 1, 0), (-1, -1, 0.0)])
    return tube(line, WIRE, 4, start=pi / 4), line, 2 * (RING - WIRE) - AIR


def oval_link():
    """The same of a long link with round ends."""
    line = oval_line(1.4 * RING, 0.7 * RING)
    return tube(line, WIRE, 8), line, 2 * (1.4 * RING - WIRE) - AIR


def carabiner():
    """The same of a link with a wide and a narrow end."""
    line = snap_line(1.4 * RING)
    return tube(line, WIRE, 8), line, 2 * (1.4 * RING - WIRE) - AIR


def chain(link, count, along=(0, 0, -1.0), jerk=(0, 0, 0), spin=0.0, heavy=1.0, fixed=True, height=0.0, pull=0.0):
    """Built: `count` links in a row from the origin towards `along`, every second one turned by a quarter.

    jerk [m/s]: velocity of the last one, `heavy` times as dense; spin [rad/s] of the whole about y; pull: part of the
    pitch by which links begin closer; fixed: the first stays.
    """
    shape, line, pitch = link
    pitch *= 1.0 - pull
    lean = axis_angle((0, 1, 0), 0.0 if along[2] else -pi / 2)
    built = Built()
    for k in range(count):
        place = np.array((0, 0, height)) + k * pitch * np.asarray(along, dtype=float)
        turn = multiply(lean, UP if k % 2 == 0 else ACROSS)
        last = k == count - 1
        still = fixed and k == 0
        swung = np.cross((0.0, spin, 0.0), place)
        built.add(
            Body(
                f"link{k}", shape, "heavy" if last else "default", Motion.STATIC if still else Motion.DYNAMIC,
                triple(place), quadruple(turn),
                (0.0, 0.0, 0.0) if still else triple(swung + (np.asarray(jerk) if last else 0.0)),
                (0.0, 0.0, 0.0) if still else (0.0, float(spin), 0.0),
            ),
            line,
        )  # fmt: skip
    return built


def scene(key, built, heavy=1.0, gravity=True, more=()):
    """(Scene, centre lines) of what was built."""
    given = {} if gravity else {"gravity": (0.0, 0.0, 0.0)}
    return Scene((*built.bodies, *more), materials(heavy), name=key, **given), built.lines


def hanging(key, link, count, **more):
    """A case of a chain that hangs."""
    heavy = more.get("heavy", 1.0)
    return Case(key, lambda: scene(key, chain(link(), count, **more), heavy))


def whirled():
    """A chain of six that whirls about its fixed end without gravity."""
    return scene("whirl", chain(torus_link(16), 6, along=(1.0, 0, 0), spin=15.0), gravity=False)


def dropped():
    """A taut row of eight falls flat on the floor."""
    return scene("drop", chain(torus_link(16), 8, along=(1.0, 0, 0), fixed=False, height=0.6), more=(floor(10.0),))


def swung():
    """A wrecking ball's worth of link at the end of a level chain swings down."""
    return scene("wrecking", chain(torus_link(16), 8, along=(1.0, 0, 0), heavy=20.0), heavy=20.0)


def net(count=3, held="corners", speed=0.0, height=0.0):
    """Built: flat rings on a grid, and between neighbours a ring on edge that holds both."""
    # Rings on edge reach through both flat ones; none begins in another.
    shape, line, _ = torus_link(16)
    spacing, built = 3.1 * RING, Built()
    corners = {0, count - 1}
    for i in range(count):
        for j in range(count):
            on_rim = i in corners or j in corners
            still = (i in corners and j in corners) if held == "corners" else on_rim if held == "rim" else False
            built.add(
                Body(f"flat{i}_{j}", shape, motion=Motion.STATIC if still else Motion.DYNAMIC,
                     position=triple((spacing * i, spacing * j, height))),
                line,
            )  # fmt: skip
            for name, step in (("x", (1, 0)), ("y", (0, 1))):
                if i + step[0] >= count or j + step[1] >= count:
                    continue
                place = spacing * (np.array((i, j)) + 0.5 * np.array(step))
                stand = axis_angle((1, 0, 0), pi / 2)
                turn = stand if step[0] else multiply(axis_angle((0, 0, 1), pi / 2), stand)
                built.add(Body(f"edge{name}{i}_{j}", shape, position=triple((*place, height)),
                               orientation=quadruple(turn)), line)  # fmt: skip
    return built


def middle(count=3):
    """Where a net's middle is [m]."""
    return 1.55 * RING * (count - 1)


def shot_net():
    """A net held at its rim, and a ball of 16 kg at 12 m/s."""
    at = middle()
    ball = Body("ball", Sphere(0.08), position=(at + 0.013, at - 0.02, 0.5), velocity=(0.0, 0.0, -12.0))
    return scene("net_shot", net(held="rim"), more=(ball,))


def dropped_net():
    """A loose net falls over a ball on the floor."""
    at = middle()
    ball = Body("ball", Sphere(0.15), motion=Motion.STATIC, position=(at, at, 0.15))
    return scene("net_drop", net(held="none", height=0.6), more=(ball, floor(10.0)))


def shot_chain():
    """A ball of 17 kg at 15 m/s through a hanging chain."""
    ball = Body("ball", Sphere(0.08), position=(1.0, 0.02, -0.5), velocity=(15.0 * -1.0, 0.0, 0.0))
    return scene("chain_shot", chain(torus_link(16), 8), more=(ball,))


def jerked_aside():
    """The last link of a hanging chain is hit across, and turns."""
    return scene("jerk_aside", chain(torus_link(16), 6, jerk=(8.0, 8.0 / sqrt(2), -4.0)))


CASES = (
    hanging("hang_8", lambda: torus_link(8), 6),
    hanging("hang_12", lambda: torus_link(12, 6), 10),
    hanging("hang_16", lambda: torus_link(16), 6),
    hanging("hang_32", lambda: torus_link(32), 6),
    hanging("hang_64", lambda: torus_link(64), 4),
    hanging("hang_corners", cornered_link, 10),
    hanging("hang_square", square_link, 6),
    hanging("hang_oval", oval_link, 6),
    hanging("hang_carabiner", carabiner, 6),
    hanging("jerk_1", lambda: torus_link(18), 6, jerk=(0, 0, -1.0)),
    hanging("jerk_5", lambda: torus_link(18), 6, jerk=(0, 0, -5.0)),
    hanging("jerk_12", lambda: torus_link(18), 6, jerk=(0, 0, -12.0)),
    hanging("jerk_20", lambda: torus_link(18), 12, jerk=(0, 0, -20.0)),
    hanging("jerk_heavy", lambda: torus_link(12, 6), 12, jerk=(0, 0, -10.0), heavy=20.0),
    hanging("jerk_corners", lambda: cornered_link(18, 8), 12, jerk=(0, 0, -20.0)),
    hanging("jerk_corners_heavy", cornered_link, 12, jerk=(0, 0, -10.0), heavy=20.0),
    hanging("jerk_square", square_link, 6, jerk=(0, 0, -10.0)),
    hanging("jerk_carabiner", carabiner, 6, jerk=(0, 0, -10.0)),
    Case("jerk_aside", jerked_aside),
    Case("whirl", whirled),
    Case("drop", dropped),
    Case("wrecking", swung),
    Case("chain_shot", shot_chain, 0.6),
    Case("net_hang", lambda: scene("net_hang", net()), 0.6),
    Case("net_shot", shot_net, 0.3),
    Case("net_drop", dropped_net, 0.6),
)
