"""Eleven fits with little air: pegs, slides, threads, teeth, races, corks."""

from dataclasses import replace
from math import pi

import numpy as np

from stiction.solver.scene import Body, KeyedPoses, Motion, Scene
from stiction.solver.scenes.base import axis_angle, floor, one_material, scaled
from stiction.solver.scenes.concave import gear_train, turning
from stiction.solver.scenes.mechanisms.bolt import bolt
from stiction.solver.shapes import Compound, Mesh, Part, Sphere
from stiction.solver.shapes.generators import cells, extruded, lathe
from stiction.solver.shapes.threads import threaded

from .base import Case, polygon

CLEARANCE = 1e-5  # of a metre


def made(key, bodies, friction=0.2, **more):
    """(Scene, no centre lines) of these bodies."""
    return Scene(tuple(bodies), one_material(friction, 2700.0, **more), name=key), {}


def bored(inner, outer, height, sides=24, bottom=None):
    """Mesh of a tube along z from z = 0, with a floor of that thickness if `bottom` is given."""
    inside = inner / np.cos(pi / sides)
    if bottom is None:
        return Mesh(*lathe([(inside, 0), (outer, 0), (outer, height), (inside, height)], sides, loop=True))
    return Mesh(*lathe([(0, -bottom), (outer, -bottom), (outer, height), (inside, height), (inside, 0), (0, 0)], sides))


def round_peg():
    """A peg of 24 sides drops into a hole with 10 um of air all round."""
    peg = Mesh(*lathe([(0, 0), (0.1 / np.cos(pi / 24), 0), (0.1 / np.cos(pi / 24), 0.4), (0, 0.4)], 24))
    hole = bored(0.1 + CLEARANCE, 0.25, 0.5, bottom=0.1)
    return made("peg_round", [Body("hole", hole, motion=Motion.STATIC), Body("peg", peg, position=(0, 0, 0.4))], 0.1)


def square_peg():
    """A square peg in a square hole with 10 um of air, pushed askew."""
    a, b = 0.1 + CLEARANCE, 0.25
    filled = np.ones((3, 3, 2), dtype=bool)
    filled[1, 1, 1] = False
    hole = Mesh(*cells((-b, -a, a, b), (-b, -a, a, b), (-0.1, 0.0, 0.5), filled))
    peg = Mesh(*cells((-0.1, 0.1), (-0.1, 0.1), (0.0, 0.4), np.ones((1, 1, 1))))
    return made("peg_square", [Body("hole", hole, motion=Motion.STATIC),
                               Body("peg", peg, position=(0, 0, 0.35), velocity=(0.1, 0.05, -1.0))], 0.1)  # fmt: skip


def dovetail():
    """A slide hangs in a dovetail groove with 10 um of air, and is pushed along it."""
    c, slope = CLEARANCE, 0.05
    left = [(-0.3, 0.0), (-0.1 - c, 0.0), (-0.1 - slope - c, 0.1), (-0.3, 0.1)]
    right = [(-x, z) for x, z in left[::-1]]
    top = [(-0.3, 0.1 + c), (0.3, 0.1 + c), (0.3, 0.2), (-0.3, 0.2)]
    rail = [Body(name, Mesh(*extruded(outline, 2.0)), motion=Motion.STATIC) for name, outline in
            (("left", left), ("right", right), ("top", top))]  # fmt: skip
    slide = Mesh(*extruded([(-0.1, 0.0), (0.1, 0.0), (0.1 + slope, 0.1), (-0.1 - slope, 0.1)], 0.4))
    return made("dovetail", [*rail, Body("slide", slide, position=(0, -0.5, 0), velocity=(0.0, 1.0, 0.0))], 0.1)


def screw():
    """A nut on a thread by contact, see scenes/mechanisms/bolt.py, in the size of a metre."""
    small = bolt(friction=0.02)
    # Its bearing is a joint, which does not scale here: the nut's feet hold it by themselves.
    return replace(scaled(replace(small, joints=()), 40.0, 40.0**0.5, 40.0**3), name="screw_nut"), {}


def threads():
    """A screw turns down through a nut by its own weight, sharp ridges in sharp grooves."""
    nut = Mesh(*threaded(0.28, 0.23, 0.12, 2, outer=0.4))
    screw = Mesh(*threaded(0.2, 0.25, 0.12, 5))
    return made("threads", [Body("nut", nut, motion=Motion.STATIC), Body("screw", screw)], 0.01)


def gears():
    """A driven wheel turns another by its teeth alone."""
    return replace(gear_train(), name="gears"), {}


def bearing(count=8):
    """Balls run between two grooved rings, the inner one driven."""
    ball, pitch, groove = 0.06, 0.3, 0.062
    angle = np.linspace(-0.35 * pi, 0.35 * pi, 7)
    inner = [(pitch - groove * np.cos(a), groove * np.sin(a)) for a in angle]
    inner = [(0.15, -0.08), (inner[0][0], -0.08), *inner, (inner[-1][0], 0.08), (0.15, 0.08)]
    outer = [(pitch + groove * np.cos(a), groove * np.sin(a)) for a in angle[::-1]]
    outer = [(0.45, 0.08), (outer[0][0], 0.08), *outer, (outer[-1][0], -0.08), (0.45, -0.08)]
    rings = [Mesh(*lathe(profile, 48, loop=True)) for profile in (inner, outer)]
    keys = turning((0.0, 0.0, 0.0), 0.0, 2 * pi, 3.0)
    bodies = [
        Body("inner", rings[0], motion=Motion.KINEMATIC, keys=keys),
        Body("outer", rings[1], motion=Motion.STATIC),
    ]
    for k in range(count):
        a = 2 * pi * (k + 0.5) / count
        bodies.append(Body(f"ball{k}", Sphere(ball), position=(pitch * np.cos(a), pitch * np.sin(a), 0.0)))
    return made("ball_bearing", bodies, 0.3)


def cork():
    """A cork of 4 degrees falls into a bottle's neck and jams."""
    r, h = 0.1, 0.3
    top = r + 0.5 * h * np.tan(np.radians(4))
    low = r - 0.5 * h * np.tan(np.radians(4))
    plug = Mesh(*lathe([(0, 0), (low, 0), (top, h), (0, h)], 24))
    neck = bored(r * np.cos(pi / 24), 0.2, 0.5)
    return made("cork", [Body("neck", neck, motion=Motion.STATIC), Body("cork", plug, position=(0, 0, 0.42),
                                                                        velocity=(0, 0, -3.0))], 0.4)  # fmt: skip


def lid():
    """A lid with a rim drops over a jar with 1 mm of air."""
    jar = bored(0.2, 0.25, 0.4, bottom=0.02)
    inside = 0.251 / np.cos(pi / 24)
    cover = Mesh(*lathe([(0, 0.1), (inside, 0.1), (inside, 0), (0.3, 0), (0.3, 0.14), (0, 0.14)], 24))
    return made("lid", [floor(4.0), Body("jar", jar, position=(0, 0, 0.02)),
                        Body("lid", cover, position=(0.0, 0, 0.5))])  # fmt: skip


def piston():
    """A heavy piston, pressed askew by a keyed ram, slides down a cylinder with 10 um of air."""
    sides = 16
    bore = bored(0.15 + CLEARANCE, 0.3, 0.8, sides, bottom=0.1)
    block = Mesh(*lathe([(0, 0), (0.15 / np.cos(pi / sides), 0), (0.15 / np.cos(pi / sides), 0.2), (0, 0.2)], sides))
    keys = KeyedPoses(
        np.array([0.0, 1.0]), np.array([[0.05, 0, 0.75], [0.05, 0, 0.35]]), np.tile((1.0, 0, 0, 0), (2, 1))
    )
    ram = Body("ram", Sphere(0.05), motion=Motion.KINEMATIC, position=(0.05, 0, 0.75), keys=keys)
    return made(
        "piston", [Body("bore", bore, motion=Motion.STATIC), Body("piston", block, position=(0, 0, 0.5)), ram], 0.1
    )


def hex_key():
    """A hexagonal key turns a hexagonal socket with 10 um of air."""
    outline = polygon(0.1, 6)
    key = Mesh(*extruded(outline, 0.6))
    inner, outer = polygon(0.1 + CLEARANCE, 6), polygon(0.2, 6)
    parts = []
    for k in range(6):
        n = (k + 1) % 6
        # Counterclockwise: along the outer side, back along the inner one.
        parts.append(Part(Mesh(*extruded([inner[k], outer[k], outer[n], inner[n]], 0.2)), (0.0, 0.0, 0.0)))
    keys = turning((0.0, 0.0, 0.0), 0.0, pi, 1.0)
    about_y = replace(keys, orientations=np.array([axis_angle((0, 1, 0), t * pi) for t in keys.times]))
    return made("hex_key", [Body("key", key, motion=Motion.KINEMATIC, keys=about_y),
                            Body("socket", Compound(tuple(parts)))], 0.2)  # fmt: skip


CASES = (
    Case("peg_round", round_peg),
    Case("peg_square", square_peg),
    Case("dovetail", dovetail),
    Case("screw_nut", screw, 0.5),
    Case("threads", threads),
    Case("gears", gears),
    Case("ball_bearing", bearing, 0.5),
    Case("cork", cork),
    Case("lid", lid),
    Case("piston", piston),
    Case("hex_key", hex_key),
)
