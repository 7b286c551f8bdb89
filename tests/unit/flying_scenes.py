"""Rigid bodies that meet in flight, with joints, friction and bounces, drawn at random."""

import dataclasses

import numpy as np
from soft_scenes import FLOOR, scene

from stiction.solver.materials import Material, MaterialTable
from stiction.solver.scene import Body, Joint, Motion
from stiction.solver.scenes.base import axis_angle, quadruple
from stiction.solver.shapes import Box, Capsule, Sphere

KINDS = {"ball": {}, "hinge": {"axis": (0.0, 0.0, 1.0)}, "slider": {"axis": (1.0, 0.0, 0.0)}}


def thrown(seed, friction=0.5, restitution=0.0, jointed=True):
    """Four boxes and balls that fly at each other, and three boxes in a row on two joints that fly at them."""
    rng, bodies, joints = np.random.default_rng(seed), [], []
    for k in range(4):
        at = np.array([0.3 * (k % 2), 0.32 * (k // 2), rng.uniform(-0.02, 0.02)])
        towards = rng.uniform(2.0, 8.0) * (np.array([0.15, 0.16, 0.0]) - at)
        shape = Sphere(0.1) if rng.random() < 0.3 else Box(tuple(rng.uniform(0.1, 0.2, 3)))
        bodies.append(Body(f"b{k}", shape, position=tuple(at), velocity=tuple(towards),
                           angular_velocity=tuple(rng.uniform(-4, 4, 3))))  # fmt: skip
    if jointed:
        moves = {"angular_velocity": tuple(rng.uniform(-4, 4, 3)), "velocity": (1.0, 0.2, 0.0)}
        bodies += [Body(f"t{k}", Box((0.08, 0.05, 0.03)), position=(-0.15 - 0.1 * k, 0.0, 0.0), **moves)
                   for k in range(3)]  # fmt: skip
        for k in range(2):
            kind = str(rng.choice(list(KINDS)))
            joints.append(Joint(f"j{k}", kind, (f"t{k}", f"t{k + 1}"), position=(-0.2 - 0.1 * k, 0.0, 0.0),
                                **KINDS[kind]))  # fmt: skip
    table = MaterialTable((Material("default", 1000.0, friction, restitution=restitution),))
    return dataclasses.replace(scene(*bodies, gravity=(0.0, 0.0, 0.0)), joints=tuple(joints), materials=table)


def turning_box(friction=0.5, restitution=1.0, tangential=0.0):
    """A box without gravity that hits a floor with a corner, beside its centre, and turns."""
    box = Body("box", Box((0.3, 0.2, 0.1)), position=(0.0, 0.0, 0.25), velocity=(0.5, 0.2, -3.0),
               orientation=quadruple(axis_angle((1, 2, 0.5), 0.6)), angular_velocity=(6.0, -5.0, 4.0))  # fmt: skip
    table = MaterialTable((Material("default", 1000.0, friction, restitution=restitution,
                                    tangential_restitution=tangential),))  # fmt: skip
    return dataclasses.replace(scene(FLOOR, box, gravity=(0.0, 0.0, 0.0)), materials=table)


def poured(seed, friction, restitution):
    """Six boxes one above the other that fall onto a floor, and onto each other."""
    rng, bodies = np.random.default_rng(seed), []
    for k in range(6):
        turned, shape = rng.normal(size=4), Box(tuple(rng.uniform(0.1, 0.4, 3)))
        bodies.append(Body(f"b{k}", shape, position=(*rng.uniform(-0.3, 0.3, 2), 0.4 + 0.4 * k),
                           orientation=tuple(turned / np.linalg.norm(turned)), velocity=(0.0, 0.0, -2.0)))  # fmt: skip
    table = MaterialTable((Material("default", 1000.0, friction, restitution=restitution),))
    return dataclasses.replace(scene(FLOOR, *bodies), materials=table)


def jamming_bar(friction, restitution, lean=0.45):
    """A bar that turns until both of its ends meet the walls beside it, leaning by 0.4 rad then."""
    from_middle, upright = 0.5 * np.cos(0.4) + 0.05, np.pi / 2 - lean
    bar = Body("bar", Capsule(0.05, 1.0), orientation=quadruple(axis_angle((0, 1, 0), upright)),
               angular_velocity=(0.0, 3.0, 0.0))  # fmt: skip
    walls = [Body(f"wall{side}", Box((0.2, 2.0, 2.0)), motion=Motion.STATIC,
                  position=(side * (from_middle + 0.1), 0.0, 0.0)) for side in (-1, 1)]  # fmt: skip
    table = MaterialTable((Material("default", 1000.0, friction, restitution=restitution),))
    return dataclasses.replace(scene(bar, *walls, gravity=(0.0, 0.0, 0.0)), materials=table)


def drawn(seed):
    """A `thrown` of each kind in turn: with restitution and without, three of four with joints, each third one above a
    floor onto which it falls."""
    made = thrown(seed, restitution=0.5 * (seed % 2), jointed=seed % 4 != 3)
    if seed % 3 == 0:
        floor = dataclasses.replace(FLOOR, position=(0.0, 0.0, -0.75))
        made = dataclasses.replace(made, gravity=(0.0, 0.0, -9.81), bodies=(*made.bodies, floor))
    return made
