"""Blocks and planks that stand, slide, topple, rock or swing, and a disk between two plates."""

from math import atan, cos, pi, radians, sin, sqrt, tan

import numpy as np

from ..materials import Material, MaterialPair, MaterialTable
from ..scene import Body, KeyedPoses, Motion, Scene
from ..shapes import Box, Cylinder, Sphere
from .base import (
    SceneEntry,
    axis_angle,
    box,
    box_inertia,
    floor,
    multiply,
    on_ramp,
    one_material,
    quadruple,
    ramp,
    rotation_matrix,
    triple,
)
from .checks import stands


def topple_block(slope=0.332, friction=0.5, base=0.1, height=0.3):
    """A block with base/height = 1/3 on a slope with tan(angle) = `slope`: it stays, slides or topples."""
    angle = atan(slope)
    position, orientation = on_ramp(height / 2, angle)
    body = box("block", (base, base, height), position, orientation=orientation)
    return Scene((ramp(angle), body), one_material(friction), name="topple_block")


def corner_block(angle=15.0, friction=0.6, base=0.2, height=0.3):
    """A block at rest on a slope: its two edges carry loads that statics gives exactly."""
    return topple_block(tan(radians(angle)), friction, base, height)


def rocking_block(fraction=0.5, half_width=0.1, half_height=0.4, friction=2.0):
    """A slender block let go tilted by `fraction` of its critical angle about one edge."""
    angle = fraction * atan(half_width / half_height)
    turn = axis_angle((0, 1, 0), angle)
    pivot = np.array([half_width, 0.0, 0.0])
    center = pivot + rotation_matrix(turn) @ [-half_width, 0.0, half_height]
    body = box("block", (2 * half_width, 2 * half_width, 2 * half_height), center, orientation=quadruple(turn))
    return Scene((floor(), body), one_material(friction), name="rocking_block")


def ladder(friction=0.29, wall_friction=0.0, angle=60.0, length=3.0, thickness=0.02):
    """A thin plank leaning at `angle` [degrees] to the floor against a wall."""
    theta = radians(angle)
    foot_to_center = length / 2 * cos(theta) - thickness / 2 * sin(theta)
    height = length / 2 * sin(theta) + thickness / 2 * cos(theta)
    reach = foot_to_center + length / 2 * cos(theta) + thickness / 2 * sin(theta)
    plank = box(
        "ladder",
        (length, 0.4, thickness),
        (foot_to_center, 0.0, height),
        orientation=quadruple(axis_angle((0, 1, 0), -theta)),
    )
    wall = Body("wall", Box((1.0, 4.0, 2 * length)), "wall", Motion.STATIC, (reach + 0.5, 0.0, length))
    table = MaterialTable(
        (Material("default"), Material("wall")),
        (
            MaterialPair(("default", "default"), friction=friction),
            MaterialPair(("default", "wall"), friction=wall_friction),
        ),
    )
    return Scene((floor(), wall, plank), table, name="ladder")


def ladder_limit(wall_friction=0.0, angle=60.0, length=3.0, thickness=0.02):
    """Least floor friction with which ladder() stands: moments about the foot, corner contacts."""
    theta = radians(angle)
    arm = length / 2 * cos(theta) - thickness / 2 * sin(theta)
    across = length * cos(theta)
    up = length * sin(theta)
    # H up + mu_w H across = W arm; floor: N = W - mu_w H, friction H.
    thrust = arm / (up + wall_friction * across)
    return thrust / (1 - wall_friction * thrust)


def nip_disk(friction=0.27, half_angle=15.0, load=10.0, radius=0.1, mass_ratio=1e-3):
    """A light disk between a fixed and a heavy plate that make an angle of twice `half_angle` [degrees].

    The upper plate (weight `load` [N], too slow to turn) presses on it: the disk locks or shoots out.
    """
    alpha = radians(half_angle)
    plate_mass = load / 9.81
    # Short enough not to meet on the narrow side, where the wedge ends R / tan(alpha) from the contacts.
    size = (1.6 * radius / tan(alpha), 0.6, 0.1)
    bodies = []
    for sign, name in ((-1.0, "lower"), (1.0, "upper")):
        # The plates meet on the left: the disk's contacts lie at x = -+ R sin(alpha) on the vertical through it.
        turn = axis_angle((0, 1, 0), -sign * alpha)
        normal = rotation_matrix(turn)[:, 2] * sign
        contact = normal * radius
        middle = contact + normal * size[2] / 2
        more = dict(motion=Motion.STATIC)
        if sign > 0:
            more = dict(mass=plate_mass, inertia=tuple(1e6 * np.array(box_inertia(size, plate_mass))))
        bodies.append(Body(name, Box(size), position=triple(middle), orientation=quadruple(turn), **more))
    disk_mass = plate_mass * mass_ratio
    bodies.append(Body("disk", Sphere(radius), mass=disk_mass))
    return Scene(tuple(bodies), one_material(friction), name="nip_disk")


def weightless_nip(friction=0.27, half_angle=15.0, speed=1e-7, radius=0.1):
    """A disk between two plates that close on it with `speed` [m/s] each, without gravity; a contact of each lies below
    its centre of mass. It locks, and all stops, or it shoots out."""
    alpha, bodies = radians(half_angle), []
    size = (1.6 * radius / tan(alpha), 0.6, 0.1)
    for sign, name in ((-1.0, "lower"), (1.0, "upper")):
        turn = axis_angle((0, 1, 0), -sign * alpha)
        contact = rotation_matrix(turn)[:, 2] * sign * radius
        middle = contact + (0.0, 0.0, sign * size[2] / 2 / cos(alpha))
        bodies.append(Body(name, Box(size), position=triple(middle), orientation=quadruple(turn), mass=1.0,
                           velocity=(0.0, 0.0, -sign * speed)))  # fmt: skip
    bodies.append(Body("disk", Sphere(radius), mass=1.0))
    return Scene(tuple(bodies), one_material(friction), gravity=(0.0, 0.0, 0.0), name="weightless_nip")


def rollers(friction=0.2, reach=0.25, thickness=0.02, radius=0.1, surface_speed=0.5, offset=0.05, time=16.0):
    """A plank, `offset` [m] off the middle of two rollers `reach` on either side of it that turn towards each other.

    The nearer roller bears more and pushes it back: it swings, for `time` [s] of keys.
    """
    turn = np.arange(0.0, surface_speed / radius * time + 1.0)
    bodies = []
    for sign, name in ((-1.0, "left"), (1.0, "right")):
        poses = [multiply(axis_angle((0, 1, 0), -sign * angle), axis_angle((1, 0, 0), pi / 2)) for angle in turn]
        place = (sign * reach, 0.0, -radius)
        keys = KeyedPoses(turn * radius / surface_speed, np.tile(place, (len(turn), 1)), np.array(poses))
        bodies.append(Body(name, Cylinder(radius, 0.3), motion=Motion.KINEMATIC, position=place,
                           orientation=quadruple(poses[0]), keys=keys))  # fmt: skip
    bodies.append(Body("plank", Box((1.6, 0.2, thickness)), position=(offset, 0.0, thickness / 2)))
    return Scene(tuple(bodies), one_material(friction), name="rollers")


def rollers_period(friction=0.2, reach=0.25, thickness=0.02):
    """Period [s] of the plank of `rollers`: friction at its lower face turns it and takes mu t/2 off the reach."""
    return 2 * pi * sqrt((reach - friction * thickness / 2) / (friction * 9.81))


ENTRIES = (
    SceneEntry(
        "topple_block",
        "Topple or slide",
        "a slender block stays, slides or topples",
        topple_block,
        2.0,
        check=stands(0.1),
    ),
    SceneEntry("corner_block", "Edge loads on a slope", "loads of the two edges from statics", corner_block, 1.0),
    SceneEntry("rocking_block", "Rocking block", "Housner's rocking period and loss", rocking_block, 2.5),
    SceneEntry(
        "ladder",
        "Leaning ladder",
        "stands above and slides below a friction from statics",
        ladder,
        4.0,
        check=stands(3.0),
    ),
    SceneEntry("weightless_nip", "Nip angle without weight", "two plates close on a disk", weightless_nip, 0.1),
    SceneEntry("rollers", "Plank on rollers", "swings on two rollers that turn towards each other", rollers, 15.0),
    SceneEntry("nip_disk", "Nip angle", "a disk between two plates locks or shoots out", nip_disk, 1.0),
)
