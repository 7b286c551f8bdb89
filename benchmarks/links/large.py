"""Scenes of many contacts at once: a roller chain, a press on blocks held by planar joints, arches that close."""

from dataclasses import replace
from math import pi

import numpy as np

from stiction.solver.scene import Body, Joint, Motion, Motor, Scene
from stiction.solver.scenes.arches import arch
from stiction.solver.scenes.base import axis_angle, floor, one_material, triple
from stiction.solver.shapes import Box, Mesh
from stiction.solver.shapes.generators import extruded, lathe

from .base import Case


def along_y(solid, at=0.0):
    """(vertices, faces) of a solid of revolution about z, about y instead, moved along x."""
    x, y, z = np.asarray(solid[0]).T
    return np.column_stack((x + at, -z, y)), np.asarray(solid[1])


def roller(sides):
    """Mesh of a link of a roller chain, 1 from the bush at the origin to its pin, with two plates that keep the next
    link's bush on it; what holds the parts together touches nothing, and is left out."""
    bush = along_y(lathe([(0.16, -0.2), (0.25, -0.2), (0.25, 0.2), (0.16, 0.2)], sides, loop=True))
    pin = along_y(lathe([(0, -0.38), (0.15, -0.38), (0.15, 0.38), (0, 0.38)], sides), at=1.0)
    plate, triangles = extruded([(0.75, -0.25), (1.25, -0.25), (1.25, 0.25), (0.75, 0.25)], 0.08)
    plates = [(plate + (0.0, y, 0.0), triangles) for y in (-0.43, 0.43)]
    vertices, faces = [], []
    for points, triangles in (bush, pin, *plates):
        faces.append(triangles + sum(map(len, vertices)))
        vertices.append(points)
    return Mesh(np.concatenate(vertices), np.concatenate(faces))


def bike_chain(count=160, sides=32):
    """A roller chain of so many links hangs in a half circle and is let go; both ends are held."""
    link, bodies = roller(sides), []
    angle = pi * np.arange(count + 1) / count
    pins = np.column_stack((-np.cos(angle), 0 * angle, -np.sin(angle))) / (2 * np.sin(pi / count / 2))
    for k in range(count):
        way = pins[k + 1] - pins[k]
        turn = axis_angle((0.0, 1.0, 0.0), np.arctan2(-way[2], way[0]))
        motion = Motion.STATIC if k in (0, count - 1) else Motion.DYNAMIC
        bodies.append(Body(f"link{k}", link, motion=motion, position=triple(pins[k]), orientation=turn))
    return Scene(tuple(bodies), one_material(0.2, 2700.0), name="bike_chain"), {}


def press(rows=13, columns=5, side=0.1, force=1e4):
    """A ram comes down on a wall of blocks between two posts, which planar joints keep in their plane."""
    bodies, joints = [floor()], []
    for name, sign in (("left", -1.0), ("right", 1.0)):
        at = (sign * (columns * side / 2 + 0.102), 0.0, 1.5)
        bodies.append(Body(name, Box((0.2, 1.0, 3.0)), motion=Motion.STATIC, position=at))
    for row in range(rows):
        for column in range(columns):
            name, at = f"block {row} {column}", ((column - (columns - 1) / 2) * side, 0.0, side / 2 + 1.01 * row * side)
            bodies.append(Body(name, Box((0.99 * side, side, side)), position=triple(at)))
            joints.append(Joint(f"{name} plane", "planar", ("world", name), triple(at), (0.0, 1.0, 0.0)))
    at = (0.0, 0.0, 1.01 * rows * side + 0.06)
    bodies.append(Body("ram", Box((columns * side - 0.01, side, 0.1)), position=at))
    joints.append(Joint("ram way", "slider", ("world", "ram"), at, (0.0, 0.0, 1.0), motor=Motor(-0.5, force)))
    return Scene(tuple(bodies), one_material(0.3, 2000.0), name="press", joints=tuple(joints)), {}


def closing_arch(count, gap=1e-3):
    """A semicircular arch of stones that are shorter by a part of their length: its joints close as it sinks."""
    made = arch(count=count, ratio=0.2, friction=0.6, radius=0.02 * count)
    bodies = [body if body.motion is Motion.STATIC else replace(body, shape=shorter(body.shape, gap))
              for body in made.bodies]  # fmt: skip
    return replace(made, bodies=tuple(bodies), name=f"closing_arch_{count}"), {}


def shorter(hull, gap):
    """A convex hull smaller by a part of itself in the plane of the arch."""
    return replace(hull, vertices=np.asarray(hull.vertices) * (1.0 - gap, 1.0, 1.0 - gap))


# Joints are not scaled; an arch of any size is the same problem.
CASES = (
    Case("bike_chain", bike_chain),
    Case("press", press, sizes=(1.0,)),
    Case("closing_arch_101", lambda: closing_arch(101), 2.0, sizes=(1.0,)),
    Case("closing_arch_501", lambda: closing_arch(501), 2.0, sizes=(1.0,)),
    Case("closing_arch_951", lambda: closing_arch(951), 2.0, sizes=(1.0,)),
)
