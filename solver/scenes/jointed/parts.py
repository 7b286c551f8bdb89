"""What mechanisms are made of: rods, blocks and point masses that collide with nothing, and velocities that fit."""

import numpy as np

from ...scene import Body, Joint, Scene
from ...shapes import Box, Cylinder, Sphere
from ..base import GRAVITY, quadruple, triple

UP = (0.0, 0.0, -GRAVITY)
APART = {"collides_with": ()}


def along(direction):
    """Quaternion (4,) of a turn that takes x to `direction`, the shortest."""
    direction = np.asarray(direction, dtype=float) / np.linalg.norm(direction)
    half = np.array([1.0 + direction[0], *np.cross([1.0, 0.0, 0.0], direction)])
    if half[0] < 1e-9:
        return 0.0, 0.0, 0.0, 1.0
    return quadruple(half / np.linalg.norm(half))


def rod(name, start, end, mass=1.0, thick=0.02, **more):
    """A rod from `start` to `end` along its local x, a box of square section; thin: its moments are those of a line."""
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    length = float(np.linalg.norm(end - start))
    across = mass * length**2 / 12
    more = {"inertia": (1e-4 * across, across, across)} | APART | more
    return Body(name, Box((length, thick, thick)), position=triple((start + end) / 2), orientation=along(end - start),
                mass=mass, **more)  # fmt: skip


def point(name, position, mass=1.0, **more):
    """A small ball that is as good as a point."""
    more = {"inertia": (1e-8 * mass,) * 3} | APART | more
    return Body(name, Sphere(0.02), position=triple(position), mass=mass, **more)


def block(name, position, size=0.1, mass=1.0, **more):
    """A cube that collides with nothing."""
    return Body(name, Box((float(size),) * 3), position=triple(position), mass=mass, **APART | more)


def wheel(name, position, axis=(0, 0, 1), radius=0.1, width=0.02, inertia=0.01, mass=1.0, **more):
    """A disk whose axis is `axis`, with the moment `inertia` [kg m^2] about it and half of that across."""
    turn = quadruple(_turn_to(axis))
    more = {"inertia": (0.5 * inertia, 0.5 * inertia, inertia)} | APART | more
    return Body(name, Cylinder(radius, width), position=triple(position), orientation=turn, mass=mass, **more)


def _turn_to(axis):
    axis = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    half = np.array([1.0 + axis[2], *np.cross([0.0, 0.0, 1.0], axis)])
    return (0.0, 1.0, 0.0, 0.0) if half[0] < 1e-9 else half / np.linalg.norm(half)


def hinge(name, a, b, position, axis=(0.0, 1.0, 0.0), **more):
    """A hinge, about y if nothing is said."""
    return Joint(name, "hinge", (a, b), triple(position), triple(axis), **more)


def mechanism(name, bodies, joints, gravity=UP, **settings):
    """A Scene of bodies and joints."""
    return Scene(tuple(bodies), joints=tuple(joints), gravity=triple(gravity), name=name, settings=settings)
