"""One body: flight, impact, sliding, rolling and drilling. Closed forms exist for all."""

from math import atan, cos, pi, radians, sin

import numpy as np

from ..materials import Material, MaterialPair, MaterialTable
from ..scene import Body, Motion, Scene
from ..shapes import Box, Cylinder, Sphere
from .base import (
    SceneEntry,
    axis_angle,
    box,
    floor,
    multiply,
    on_ramp,
    one_material,
    quadruple,
    ramp,
    rotation_matrix,
    triple,
)

INCLINE_RATIOS = (0.5, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1.001, 1.005, 1.01, 1.02, 1.05, 1.1, 1.2, 1.35, 1.5)
# Rolling inertia k = I / (m R^2) of bodies with a sphere's or a cylinder's outline.
ROLLING_INERTIA = {"sphere": 2 / 5, "shell": 2 / 3, "cylinder": 1 / 2, "hoop": 1.0}


def free_fall(height=10.0, velocity=(1.0, 0.0, 2.0)):
    """A sphere thrown from `height` [m] with nothing below it."""
    body = Body("ball", Sphere(0.1), position=(0.0, 0.0, height), velocity=triple(velocity))
    return Scene((body,), name="free_fall")


def bouncing_ball(restitution=0.8, height=1.0, radius=0.1):
    """A sphere whose lowest point is dropped from `height` [m]."""
    ball = Body("ball", Sphere(radius), position=(0.0, 0.0, height + radius))
    return Scene((floor(), ball), one_material(restitution=restitution), name="bouncing_ball")


def bouncing_box(restitution=0.5, height=0.5, size=(0.4, 0.3, 0.2)):
    """A box dropped flat from `height` [m]: four contacts at once, which must not tilt it."""
    body = box("box", size, (0.0, 0.0, height + size[2] / 2))
    return Scene((floor(), body), one_material(restitution=restitution), name="bouncing_box")


def bounce(restitutions=(0.0, 0.25, 0.5, 0.75, 1.0), radius=0.1, height=1.0):
    """Spheres of several restitutions dropped side by side; each pair with the floor has the sphere's own value."""
    names = [f"e{e}" for e in restitutions]
    balls = tuple(
        Body(name, Sphere(radius), name, position=(float(i), 0.0, height + radius)) for i, name in enumerate(names)
    )
    materials = tuple(Material(name, restitution=e) for name, e in zip(names, restitutions, strict=True))
    pairs = tuple(MaterialPair(("floor", name), restitution=e) for name, e in zip(names, restitutions, strict=True))
    table = MaterialTable((Material("floor"), *materials), pairs)
    return Scene((floor(material="floor"), *balls), table, name="bounce")


def oblique_bounce(friction=0.1, restitution=0.8, velocity=(2.0, 0.0, -3.0), radius=0.1, tangential_restitution=0.0):
    """A sphere without spin hits the floor obliquely, without gravity: it slips, grips, or bounces back."""
    ball = Body("ball", Sphere(radius), position=(0.0, 0.0, radius + 0.03), velocity=triple(velocity))
    table = one_material(friction, restitution=restitution, tangential_restitution=tangential_restitution)
    return Scene((floor(), ball), table, (0.0, 0.0, 0.0), name="oblique_bounce")


def sliding_block(speed=3.0, friction=0.3, direction=0.0, size=(0.4, 0.4, 0.1)):
    """A flat block pushed over the floor at `speed` [m/s], `direction` [degrees] in the plane."""
    angle = radians(direction)
    velocity = (speed * cos(angle), speed * sin(angle), 0.0)
    body = box("block", size, (0.0, 0.0, size[2] / 2), velocity=velocity)
    return Scene((floor(), body), one_material(friction), name="sliding_block")


def incline_block(angle=30.0, friction=0.58, yaw=0.0, size=(0.4, 0.4, 0.1)):
    """A block at rest on a slope of `angle` [degrees], turned by `yaw` [degrees] in plan."""
    slope, turn = radians(angle), radians(yaw)
    position, orientation = on_ramp(size[2] / 2, slope, turn)
    body = box("block", size, position, orientation=orientation)
    return Scene((ramp(slope, turn), body), one_material(friction), name="incline_block")


def incline(friction=0.5):
    """Sixteen ramps with tan(angle)/mu from 0.5 to 1.5, aligned with the axes and turned by 45 degrees in plan."""
    bodies = []
    for j, yaw in enumerate((0.0, pi / 4)):
        lateral = np.array([-sin(yaw), cos(yaw), 0.0])
        for i, ratio in enumerate(INCLINE_RATIOS):
            slope = atan(ratio * friction)
            orientation = multiply(axis_angle((0, 0, 1), yaw), axis_angle((0, 1, 0), slope))
            matrix = rotation_matrix(orientation)
            origin = (i - 7.5) * 3.0 * lateral + np.array([0.0, 0.0, 60.0 * j])
            base = Body(
                f"ramp{j}_{i}",
                Box((30.0, 1.2, 1.0)),
                motion=Motion.STATIC,
                position=triple(origin - 0.5 * matrix[:, 2]),
                orientation=quadruple(orientation),
            )
            block = box(
                f"box{j}_{i}",
                (0.5, 0.5, 0.2),
                origin - 10.0 * matrix[:, 0] + 0.1 * matrix[:, 2],
                orientation=quadruple(orientation),
            )
            bodies += [base, block]
    return Scene(tuple(bodies), one_material(friction), name="incline")


def roller(kind, radius, position, **more):
    """A rolling body of ROLLING_INERTIA; its axis is y. Shell and hoop are the full outline with their own inertia."""
    density = 1000.0
    if kind in ("sphere", "shell"):
        shape, mass = Sphere(radius), density * 4 / 3 * pi * radius**3
        inertia = (ROLLING_INERTIA[kind] * mass * radius**2,) * 3
        orientation = (1.0, 0.0, 0.0, 0.0)
    else:
        shape, mass = Cylinder(radius, 2 * radius), density * 2 * pi * radius**3
        across = mass * ((1 + 2 * (kind == "hoop")) * radius**2 / 4 + 4 * radius**2 / 12)
        inertia = (across, across, ROLLING_INERTIA[kind] * mass * radius**2)
        orientation = quadruple(axis_angle((1, 0, 0), -pi / 2))
    return Body("roller", shape, position=position, orientation=orientation, mass=mass, inertia=inertia, **more)


def slip_to_roll(speed=2.0, spin=0.0, friction=0.2, kind="sphere", radius=0.1):
    """A roller set down sliding at `speed` [m/s] with rolling rate `spin` [rad/s]: friction makes it roll."""
    body = roller(kind, radius, (0.0, 0.0, radius), velocity=(speed, 0.0, 0.0), angular_velocity=(0.0, spin, 0.0))
    return Scene((floor(), body), one_material(friction), name="slip_to_roll")


def rolling_incline(kind="sphere", angle=30.0, friction=0.5, radius=0.1):
    """A sphere, shell, cylinder or hoop let go on a slope of `angle` [degrees]."""
    slope = radians(angle)
    position, turn = on_ramp(radius, slope)
    body = roller(kind, radius, position)
    body = Body(
        body.name,
        body.shape,
        position=position,
        orientation=quadruple(multiply(turn, body.orientation)),
        mass=body.mass,
        inertia=body.inertia,
    )
    return Scene((ramp(slope), body), one_material(friction), name="rolling_incline")


def drilling_sphere(spin=20.0, friction=0.5, torsional_friction=0.01, radius=0.1):
    """A sphere spinning on one point: only the torsional coefficient [m] can stop it."""
    ball = Body("ball", Sphere(radius), position=(0.0, 0.0, radius), angular_velocity=(0.0, 0.0, spin))
    return Scene((floor(), ball), one_material(friction, torsional_friction=torsional_friction), name="drilling_sphere")


ENTRIES = (
    SceneEntry("free_fall", "Free fall", "the midpoint scheme is exact under constant gravity", free_fall, 1.0),
    SceneEntry(
        "bouncing_ball",
        "Bouncing ball",
        "peaks fall as e^2 and the ball comes to rest in finite time",
        bouncing_ball,
        5.0,
    ),
    SceneEntry("bouncing_box", "Box dropped flat", "four simultaneous impacts without tilt", bouncing_box, 1.0),
    SceneEntry("bounce", "Restitution 0 to 1", "rebound height e^2 for five restitutions", bounce, 2.0),
    SceneEntry("oblique_bounce", "Oblique bounce", "an impact that slips or grips", oblique_bounce, 0.1),
    SceneEntry("sliding_block", "Sliding block", "stopping distance v^2/(2 mu g) in any direction", sliding_block, 1.5),
    SceneEntry(
        "incline_block", "Block on a slope", "sticks below the critical angle, slides above", incline_block, 1.0
    ),
    SceneEntry("incline", "Sixteen slopes, twice", "the critical angle in two plan directions", incline, 3.0),
    SceneEntry("slip_to_roll", "From slipping to rolling", "a sphere ends at 5/7 of its speed", slip_to_roll, 1.0),
    SceneEntry("rolling_incline", "Rolling down a slope", "acceleration g sin/(1+k)", rolling_incline, 1.0),
    SceneEntry("drilling_sphere", "Drilling sphere", "torsional friction alone stops a spin", drilling_sphere, 1.0),
)
