"""Ten scenes of tips and cracks: spikes, wedges, edges, sheets, hollow bodies in an open pot."""

from math import pi

import numpy as np

from stiction.solver.meshes.repairs import MeshRepair
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scenes.base import axis_angle, floor, one_material, quadruple
from stiction.solver.shapes import Box, ConvexHull, Mesh
from stiction.solver.shapes.generators import cells, extruded, head, jack, lathe

from .base import Case


def made(key, bodies, friction=0.3):
    """(Scene, no centre lines) of these bodies."""
    return Scene(tuple(bodies), one_material(friction, 2700.0), name=key), {}


def spike(length=1.0, radius=0.08, sides=12):
    """Mesh of a spike whose tip is at the origin and points down."""
    return Mesh(*lathe([(0, 0), (radius, length), (0, length)], sides))


def in_crack():
    """A spike falls with its tip into a crack of 20 degrees."""
    left = extruded([(-1.0, 0.0), (-0.02, 0.0), (-0.12, 0.6), (-1.0, 0.6)], 1.0)
    right = extruded([(0.02, 0.0), (1.0, 0.0), (1.0, 0.6), (0.12, 0.6)], 1.0)
    walls = [Body(name, Mesh(*wall), motion=Motion.STATIC) for name, wall in (("left", left), ("right", right))]
    return made("spike_crack", [*walls, Body("spike", spike(), position=(0.0, 0.0, 0.5), velocity=(0.3, 0, -3.0))])


def in_hole():
    """A spike falls into a round hole that is narrower than it."""
    plate = Mesh(*lathe([(0.05, -0.3), (0.6, -0.3), (0.6, 0.0), (0.05, 0.0)], 16, loop=True))
    falls = Body("spike", spike(), position=(0.01, 0, 0.1), velocity=(0, 0, -3.0))
    return made("spike_hole", [Body("plate", plate, motion=Motion.STATIC), falls])


def on_floor():
    """A spike falls on its tip on a mesh floor, and over."""
    ground = Mesh(*cells((-2, -0.3, 0.4, 2), (-2, 0.1, 2), (-0.3, 0.0), np.ones((3, 2, 1))))
    lean = quadruple(axis_angle((0, 1, 0), 0.05))
    return made("spike_floor", [Body("floor", ground, motion=Motion.STATIC),
                                Body("spike", spike(), position=(0, 0, 0.3), orientation=lean)])  # fmt: skip


def on_spike():
    """A spike falls on another that points up."""
    up = quadruple(axis_angle((1, 0, 0), pi))
    stands = Body("low", spike(), motion=Motion.STATIC, position=(0.01, 0, 1.0), orientation=up)
    falls = Body("high", spike(), position=(0.0, 0.0, 1.1), velocity=(0, 0, -2.0))
    return made("spike_spike", [stands, falls, floor(8.0)])


def wedge():
    """A wedge of 15 degrees falls between two blocks and drives them apart."""
    shape = Mesh(*extruded([(0.0, 0.0), (0.13, 0.5), (-0.13, 0.5)], 0.4))
    blocks = [
        Body(name, Box((0.5, 0.5, 0.5)), position=(x, 0.0, 0.25)) for name, x in (("left", -0.26), ("right", 0.26))
    ]
    return made(
        "wedge", [floor(8.0), *blocks, Body("wedge", shape, position=(0.0, 0.0, 0.5), velocity=(0, 0, -3.0))], 0.1
    )


def points():
    """Eight tetrahedra fall in a heap."""
    corners = 0.2 * np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1.0)])
    rng = np.random.default_rng(5)
    bodies = [floor(8.0)]
    for k in range(8):
        turn = rng.normal(size=4)
        place = (0.1 * (k % 2), 0.1 * (k // 2 % 2), 0.5 + 0.75 * k)
        bodies.append(Body(f"tetrahedron{k}", ConvexHull(corners), position=place,
                           orientation=quadruple(turn / np.linalg.norm(turn))))  # fmt: skip
    return made("tetrahedra", bodies)


def blades():
    """A blade falls across the edge of another."""
    shape = Mesh(*extruded([(0.0, 0.0), (0.05, 0.3), (-0.05, 0.3)], 0.8))
    up = quadruple(axis_angle((0, 1, 0), pi))
    across = quadruple(axis_angle((0, 0, 1), pi / 2))
    stands = Body("low", shape, motion=Motion.STATIC, position=(0, 0, 0.3), orientation=up)
    falls = Body("high", shape, position=(0.02, 0.01, 0.35), orientation=across, velocity=(0, 0, -3.0))
    return made("blades", [stands, falls])


def card():
    """A card of 2 mm drops on edge into a crack of 6 mm."""
    blocks = [Body(name, Box((0.5, 1.0, 0.5)), motion=Motion.STATIC, position=(x, 0, 0.25)) for name, x in
              (("left", -0.253), ("right", 0.253))]  # fmt: skip
    slip = quadruple(axis_angle((0, 1, 0), 0.1))
    return made(
        "card_crack",
        [*blocks, floor(4.0), Body("card", Box((0.002, 0.4, 0.4)), position=(0.0, 0, 0.75), orientation=slip)],
    )


def jacks():
    """Six jacks with sharp corners fall on each other."""
    bodies, rng = [floor(8.0)], np.random.default_rng(2)
    for k in range(6):
        turn = rng.normal(size=4)
        place = (0.05 * (k % 2), 0.0, 0.5 + 0.55 * k)
        bodies.append(Body(f"jack{k}", Mesh(*jack(0.5, 0.1)), position=place, angular_velocity=(3.0, 2.0, 1.0),
                           orientation=quadruple(turn / np.linalg.norm(turn))))  # fmt: skip
    return made("jacks", bodies)


def pot():
    """Ten heads, open at the eyes and closed by winding, fall into an open pot, a thin sheet of faces."""
    vertices, triangles = head(0.12, 20, 12)
    holes = np.ones(len(triangles), dtype=bool)
    holes[[150, 151, 190, 191]] = False
    shape = Mesh(vertices, triangles[holes], repair=MeshRepair("winding"))
    wall = lathe([(0.0, 0.0), (0.3, 0.0), (0.4, 0.5)], 16)
    # The outline above closes nothing: the last ring is a rim.
    bodies = [Body("pot", Mesh(*wall), motion=Motion.STATIC)]
    for k in range(10):
        place = (0.14 * np.cos(2.4 * k), 0.14 * np.sin(2.4 * k), 0.2 + 0.16 * k)
        bodies.append(Body(f"head{k}", shape, position=tuple(map(float, place)),
                           orientation=quadruple(axis_angle((1, 1, 0), 0.7 * k))))  # fmt: skip
    return made("heads_pot", bodies)


CASES = (
    Case("spike_crack", in_crack),
    Case("spike_hole", in_hole),
    Case("spike_floor", on_floor),
    Case("spike_spike", on_spike),
    Case("wedge", wedge),
    Case("tetrahedra", points),
    Case("blades", blades),
    Case("card_crack", card),
    Case("jacks", jacks),
    Case("heads_pot", pot),
)
