"""Sliding and spinning at once, and friction that has a direction."""

from math import radians

from ..materials import Material, MaterialPair, MaterialTable
from ..scene import Body, Scene
from ..shapes import Cylinder, Sphere
from .base import (
    SceneEntry,
    axis_angle,
    box,
    floor,
    one_material,
    quadruple,
    rotation_matrix,
    triple,
)


def pin(radius, gyration, velocity, spin):
    """A sphere that cannot roll, with the radius of gyration `gyration` [m] about the vertical: a one-contact pin."""
    mass = 1.0
    stiff = 1e9 * mass * radius**2
    return Body(
        "pin",
        Sphere(radius),
        position=(0.0, 0.0, radius),
        velocity=triple(velocity),
        angular_velocity=(0.0, 0.0, spin),
        mass=mass,
        inertia=(stiff, stiff, mass * gyration**2),
    )


def contensou_pin(speed=1.0, spin=20.0, friction=0.3, length=0.05, gyration=0.05, radius=0.1):
    """A one-contact pin that slides and spins under the ellipsoid law; `length` = mu_tau/mu [m]."""
    body = pin(radius, gyration, (speed, 0.0, 0.0), spin)
    table = one_material(friction, torsional_friction=length * friction)
    return Scene((floor(), body), table, name="contensou_pin")


def contensou_sphere(speed=2.0, spin=20.0, friction=0.2, length=0.05, radius=0.1):
    """A sphere that slips, spins and begins to roll under the ellipsoid law; `length` = mu_tau/mu [m]."""
    ball = Body(
        "ball",
        Sphere(radius),
        position=(0.0, 0.0, radius),
        velocity=(speed, 0.0, 0.0),
        angular_velocity=(0.0, 0.0, spin),
    )
    table = one_material(friction, torsional_friction=length * friction)
    return Scene((floor(), ball), table, name="contensou_sphere")


def elliptic_path(velocity=(1.0, 1.0), friction=0.3, friction_t=0.6, frame=0.0, radius=0.1):
    """A pin that slides with different friction along its own x and y axes, which are turned by `frame` [degrees].

    velocity [m/s] is given in that frame.
    """
    turn = axis_angle((0, 0, 1), radians(frame))
    body = pin(radius, 1e4 * radius, rotation_matrix(turn) @ [*velocity, 0.0], 0.0)
    body = Body(
        body.name,
        body.shape,
        "rough",
        position=body.position,
        orientation=quadruple(turn),
        velocity=body.velocity,
        mass=body.mass,
        inertia=body.inertia,
    )
    table = MaterialTable(
        (Material("default"), Material("rough", friction=friction, friction_t=friction_t)),
        (MaterialPair(("default", "rough"), friction=friction, friction_t=friction_t),),
    )
    return Scene((floor(), body), table, name="elliptic_path")


def disk(radius=0.5, height=0.02, velocity=2.0, spin=4.0, friction=0.3):
    """A flat cylinder that slides and spins: both must end together."""
    body = Body(
        "disk",
        Cylinder(radius, height),
        position=(0.0, 0.0, height / 2),
        velocity=(velocity, 0.0, 0.0),
        angular_velocity=(0.0, 0.0, spin),
    )
    return Scene((floor(), body), one_material(friction), name="disk")


def slow_plate(spin=5.0, side=0.5, friction=0.3, height=0.02):
    """A square plate spinning on its four corners: the friction torque is mu N side / sqrt(2)."""
    body = box("plate", (side, side, height), (0.0, 0.0, height / 2), angular_velocity=(0.0, 0.0, spin))
    return Scene((floor(), body), one_material(friction), name="slow_plate")


ENTRIES = (
    SceneEntry(
        "contensou_pin", "Sliding and spinning pin", "the ellipsoid law: spin is a power of speed", contensou_pin, 1.0
    ),
    SceneEntry(
        "contensou_sphere",
        "Slipping, spinning sphere",
        "slip decays smoothly until the spin stops",
        contensou_sphere,
        1.0,
    ),
    SceneEntry(
        "elliptic_path", "Elliptic friction path", "a curved path under different mu along two axes", elliptic_path, 0.6
    ),
    SceneEntry("disk", "Sliding, spinning disk", "slide and spin end together", disk, 3.0),
    SceneEntry("slow_plate", "Spinning plate", "friction torque of four corners", slow_plate, 1.0),
)
