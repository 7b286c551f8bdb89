"""Grips by friction: two pads, a peg in a hole, a hand of three fingers."""

from math import cos, sin, tan

import numpy as np

from ...scene import Body, Joint, Motion, Motor, Scene, Servo
from ...shapes import Box, Capsule, Sphere
from ..base import (
    GRAVITY,
    SceneEntry,
    axis_angle,
    box_inertia,
    one_material,
    preset,
    quadruple,
    rotation_matrix,
    triple,
)
from ..checks import falls, stands, stays_held


def grip(factor=1.001, friction=0.5, mass=1.0, offset=0.0, torsional=0.0, force=None, round_pads=False):
    """A block of 0.1 m between two pads that squeeze it; `factor` times the force that just holds it, or `force` [N].

    offset [m]: how far its centre is beside the pads; torsional [m]: torque over force that the pads resist.
    """
    force = factor * mass * GRAVITY / (2 * friction) if force is None else force
    block = Body("block", Box((0.1, 0.1, 0.1)), position=(0.0, offset, 0.0), mass=mass,
                 inertia=(mass * 0.1**2 / 6,) * 3)  # fmt: skip
    pad = Sphere(0.02) if round_pads else Box((0.04, 0.04, 0.04))
    pads, joints = [], []
    for side, name in ((-1, "left"), (1, "right")):
        place = (side * 0.07, 0.0, 0.0)
        pads.append(Body(name, pad, position=place, mass=0.1, inertia=(1e-4,) * 3))
        joints.append(Joint(f"{name} jaw", "slider", ("world", name), place, (-side, 0.0, 0.0),
                            motor=Motor(1.0, force)))  # fmt: skip
    table = one_material(friction, torsional_friction=torsional)
    return Scene((block, *pads), table, joints=tuple(joints), name="grip")


def peg(ratio=0.9, friction=0.3, depth=0.03, diameter=0.05, hole=0.0502, length=0.15):
    """A peg stuck `depth` [m] deep in a hole, touching it at its tip and at the mouth; `ratio`: sideways force over
    force into the hole, both at its centre. Whitney's jamming: Quasi-static assembly, 1982.

    The pull is gravity's, turned sideways.
    """
    tilt = two_point_tilt(depth, diameter, hole)
    turn = rotation_matrix(axis_angle((0, 1, 0), tilt))
    # The left corner of the tip is on the left wall, `depth` under the mouth.
    corner = np.array([-hole / 2, 0.0, -depth])
    center = corner - turn @ np.array([-diameter / 2, 0.0, -length / 2])
    size = (diameter, 0.05, length)
    body = Body("peg", Box(size), position=triple(center), orientation=quadruple(axis_angle((0, 1, 0), tilt)), mass=1.0,
                inertia=box_inertia(size, 1.0))  # fmt: skip
    walls = tuple(
        Body(name, Box((0.2, 0.2, 0.1)), motion=Motion.STATIC, position=(side * (hole / 2 + 0.1), 0.0, -0.05))
        for side, name in ((-1, "left wall"), (1, "right wall"))
    )
    down = GRAVITY / np.hypot(1.0, ratio)
    return Scene((*walls, body), one_material(friction), (ratio * down, 0.0, -down), name="peg")


def two_point_tilt(depth, diameter, hole):
    """Angle [rad] at which a peg touches with its tip at `depth` and at the mouth on the other side."""
    low, high = 0.0, 0.5
    for _ in range(200):
        angle = 0.5 * (low + high)
        # The right side at the mouth's height: from the tip's right corner up along the side.
        reach = diameter * cos(angle) + (depth + diameter * sin(angle)) * tan(angle)
        low, high = (angle, high) if reach < hole else (low, angle)
    return low


def jamming_ratio(friction=0.3, depth=0.03, diameter=0.05, length=0.15):
    """Sideways over inward force at which the peg jams: f = l/(mu (2 (h - mu r) - l)), h from the tip to the centre."""
    return depth / (friction * (2 * (length / 2 - friction * diameter / 2) - depth))


FINGERS = ((-1, -0.015, "first"), (-1, 0.015, "second"), (1, 0.0, "thumb"))
# Of a finger: its base beside the cube, the knuckle, the tip [m]; side 1 is the thumb's.
BASE, KNUCKLE, TIP = (0.058, 0.0), (0.066, -0.05), (0.044, -0.09)
FINGER, PAD = 0.008, 0.012


def hand(friction=0.8, mass=0.2, torque=0.4):
    """A palm with two fingers and a thumb, of two hinges each, that hold a cube of 60 mm by its sides; servos bend
    them inwards with at most `torque` [N m]."""
    cube = Body("cube", Box((0.06, 0.06, 0.06)), position=(0.0, 0.0, -0.085), mass=mass,
                inertia=(mass * 0.06**2 / 6,) * 3)  # fmt: skip
    palm = Body("palm", Box((0.16, 0.08, 0.02)), motion=Motion.STATIC, position=(0.0, 0.0, 0.02), collides_with=())
    bodies, joints = [palm, cube], []
    for side, y, name in FINGERS:
        base, knuckle, tip = (np.array([side * x, y, z]) for x, z in (BASE, KNUCKLE, TIP))
        bodies += [_bone(f"{name} proximal", base, knuckle, Capsule, FINGER),
                   _bone(f"{name} distal", knuckle, tip, Capsule, PAD)]  # fmt: skip
        near, far = f"{name} proximal", f"{name} distal"
        for body, before, place in ((near, "palm", base), (far, near, knuckle)):
            joints.append(Joint(f"{body} hinge", "hinge", (before, body), triple(place), (0.0, -side, 0.0),
                                limits=(-0.6, 1.2), servo=Servo(-0.8, 8.0, 0.2, torque)))  # fmt: skip
    return Scene(tuple(bodies), one_material(friction), joints=tuple(joints), name="hand")


def _bone(name, start, end, kind, radius):
    """A capsule from start to end, 30 g."""
    way = end - start
    length = np.linalg.norm(way)
    axis = np.cross((0, 0, 1), way / length)
    angle = np.arccos(way[2] / length)
    shape = kind(radius, float(length))
    moments = shape.mass_properties()
    turn = quadruple(axis_angle(axis, angle))
    return Body(name, shape, position=triple((start + end) / 2), orientation=turn, mass=0.03,
                inertia=moments.inertia * (0.03 / moments.volume))  # fmt: skip


ENTRIES = (
    SceneEntry("grip", "Two pads", "a block held by friction, a thousandth above the slip limit",
               preset("grip", grip, round_pads=True), 2.0, stands(0.1)),
    SceneEntry("peg", "Peg in a hole", "slides in, a tenth before it would jam", preset("peg", peg), 0.2, falls(0.01)),
    SceneEntry("hand", "Hand of three fingers", "servos hold a cube by its sides", hand, 2.0, stays_held("cube")),
)
