"""Spinning bodies: free tops, a heavy top on a point, a tippe top, rolling disks and a disk on many studs."""

from math import cos, pi, radians, sin, sqrt

import numpy as np

from ..materials import Material, MaterialPair, MaterialTable
from ..scene import Body, Scene
from ..shapes import Compound, Cylinder, Part, Sphere
from .base import GRAVITY, SceneEntry, axis_angle, floor, one_material, quadruple, rotation_matrix, triple


def free_top(inertia=(1.0, 2.0, 3.0), spin=(0.01, 10.0, 0.01)):
    """A body with principal moments `inertia` [kg m^2] spinning freely; near its middle axis it flips over."""
    body = Body("top", Sphere(0.5), mass=10.0, inertia=triple(inertia), angular_velocity=triple(spin))
    return Scene((body,), gravity=(0.0, 0.0, 0.0), name="free_top")


def heavy_top_rates(spin=100.0, angle=30.0, mass=1.0, arm=0.1, across=0.02, along=0.005):
    """Slow and fast rates [rad/s] of steady precession with axial spin w3.

    They are the roots of I1 cos W^2 - I3 w3 W + m g l = 0. Below the limit of a sleeping top there is none: (0, 0).
    """
    a, b, c = across * cos(radians(angle)), -along * spin, mass * GRAVITY * arm
    if b * b < 4 * a * c:
        return 0.0, 0.0
    root = sqrt(b * b - 4 * a * c)
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def heavy_top(spin=100.0, angle=30.0, mass=1.0, arm=0.1, across=0.02, along=0.005, tip=1e-5):
    """A heavy symmetric top on its slow steady precession, standing on a very small, very rough ball.

    `across` and `along` are the moments [kg m^2] about the tip, `spin` [rad/s] the axial angular velocity.
    """
    theta = radians(angle)
    turn = axis_angle((0, 1, 0), theta)
    axis = rotation_matrix(turn)[:, 2]
    rate = heavy_top_rates(spin, angle, mass, arm, across, along)[0]
    # omega = W e_z + (spin - W cos) e_3: steady precession at W with the axial component `spin`.
    omega = np.array([0.0, 0.0, rate]) + (spin - rate * cos(theta)) * axis
    center = np.array([0.0, 0.0, tip]) + arm * axis
    inertia = (across - mass * arm**2, across - mass * arm**2, along)
    # Two balls of one size, placed so that the compound's centre of mass is at its origin.
    shape = Compound((Part(Sphere(tip), (0.0, 0.0, -arm)), Part(Sphere(tip), (0.0, 0.0, arm))))
    velocity = np.cross(omega, center - [0.0, 0.0, 0.0])
    body = Body(
        "top",
        shape,
        "tip",
        position=triple(center),
        orientation=quadruple(turn),
        velocity=triple(velocity),
        angular_velocity=triple(omega),
        mass=mass,
        inertia=inertia,
    )
    table = MaterialTable((Material("default"), Material("tip")), (MaterialPair(("default", "tip"), friction=1e3),))
    return Scene((floor(4.0), body), table, name="heavy_top")


def jellett_top(spin=60.0, angle=20.0, friction=0.2, radius=0.1, core=0.05, drop=0.04):
    """A ball with a heavy core below its middle, spinning on the floor; Jellett's integral stays as it is."""
    shape = Compound((Part(Sphere(radius)), Part(Sphere(core), (0.0, 0.0, -drop))))
    turn = axis_angle((0, 1, 0), radians(angle))
    omega = spin * rotation_matrix(turn)[:, 2]
    body = Body("top", shape, position=(0.0, 0.0, radius), orientation=quadruple(turn), angular_velocity=triple(omega))
    return Scene((floor(), body), one_material(friction), name="jellett_top")


def rolling_disk(speed=1.0, lean=0.1, radius=0.3, thickness=0.0006, friction=1.0):
    """A thin disk rolling upright with a small lean rate `lean` [rad/s]: stable if speed^2 > g R/3."""
    body = Body(
        "disk",
        Cylinder(radius, thickness),
        position=(0.0, 0.0, radius),
        orientation=quadruple(axis_angle((1, 0, 0), -pi / 2)),
        velocity=(speed, 0.0, 0.0),
        angular_velocity=(lean, speed / radius, 0.0),
    )
    return Scene((floor(), body), one_material(friction), name="rolling_disk")


def euler_disk(angle=10.0, radius=0.0375, thickness=0.0004, friction=1.0):
    """A thin disk wobbling round on its edge, centre at rest, inclined by `angle` [degrees] to the floor."""
    alpha = radians(angle)
    rate = sqrt(4 * GRAVITY / (radius * sin(alpha)))
    turn = axis_angle((0, 1, 0), alpha)
    matrix = rotation_matrix(turn)
    # The lowest point lies at +x; it and the centre are at rest, so omega points along the diameter between them.
    arm = matrix @ [radius, 0.0, -thickness / 2]
    omega = -rate * sin(alpha) * matrix[:, 0]
    body = Body(
        "disk",
        Cylinder(radius, thickness),
        position=(0.0, 0.0, -arm[2]),
        orientation=quadruple(turn),
        velocity=triple(-np.cross(omega, arm)),
        angular_velocity=triple(omega),
    )
    return Scene((floor(4.0), body), one_material(friction), name="euler_disk")


def stud_positions(radius, pairs=64):
    """Points (2 * pairs, 2) [m] that share a disk's area evenly: a spiral by the golden angle and its mirror image."""
    number = np.arange(pairs)
    angle = number * pi * (3 - sqrt(5))
    points = radius * np.sqrt((number + 0.5) / pairs)[:, None] * np.c_[np.cos(angle), np.sin(angle)]
    return np.concatenate([points, -points])


def studded_disk(speed=1.0, spin=20.0, friction=0.3, radius=0.1, stud=1e-3, pairs=64):
    """A disk standing on 128 small studs of equal area: friction under nearly uniform pressure."""
    parts = tuple(Part(Sphere(stud), (x, y, 0.0)) for x, y in stud_positions(radius, pairs).tolist())
    mass = 1.0
    inertia = (mass * radius**2 / 4, mass * radius**2 / 4, mass * radius**2 / 2)
    body = Body(
        "disk",
        Compound(parts),
        position=(0.0, 0.0, stud),
        velocity=(speed, 0.0, 0.0),
        angular_velocity=(0.0, 0.0, spin),
        mass=mass,
        inertia=inertia,
    )
    return Scene((floor(), body), one_material(friction), name="studded_disk")


ENTRIES = (
    SceneEntry(
        "free_top", "Free asymmetric top", "spin about the middle axis flips over at known times", free_top, 10.0
    ),
    SceneEntry("heavy_top", "Heavy top", "steady precession on a point", heavy_top, 5.0),
    SceneEntry("jellett_top", "Eccentric ball", "Jellett's integral survives slip, stick and impact", jellett_top, 2.0),
    SceneEntry("rolling_disk", "Rolling disk", "rolls upright above a critical speed", rolling_disk, 3.0),
    SceneEntry("euler_disk", "Wobbling disk", "rolls on its edge at a known rate", euler_disk, 0.5),
    SceneEntry("studded_disk", "Disk on 128 studs", "friction and torque of uniform pressure", studded_disk, 1.0),
)
