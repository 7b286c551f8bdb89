"""What every scene is made of: the table's entry, small quaternion helpers, the floor, and changes of a whole scene."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..base.records import record
from ..materials import Material, MaterialTable
from ..scene import Body, KeyedPoses, Motion, Scene
from ..shapes import Box
from ..shapes.scaling import scaled_shape

GRAVITY = 9.81


@record
class SceneEntry:
    """One row of the SCENES table.

    key and label name the scene, description says what it shows; build(**parameters) returns the Scene;
    check(trajectory), where there is one, returns a list of results; time [s] is how long it is worth running;
    source is the figure or table of the paper it rebuilds; full: build(full=True) gives the paper's number of bodies.
    """

    key: str
    label: str
    description: str
    build: Callable[..., Scene]
    time: float = 10.0
    check: Callable | None = None
    source: str = ""
    full: bool = False


def preset(key, function, **defaults):
    """A build function: `function` with other defaults, its scene named `key`."""

    def build(**parameters):
        return replace(function(**{**defaults, **parameters}), name=key)

    return build


def axis_angle(axis, angle):
    """Quaternion (4,) w,x,y,z of a turn by `angle` [rad] about `axis`."""
    axis = np.asarray(axis, dtype=float)
    return np.r_[np.cos(angle / 2), np.sin(angle / 2) * axis / np.linalg.norm(axis)]


def multiply(a, b):
    """Quaternion product a b: first the turn b, then a."""
    w, x, y, z = a
    p, q, r, s = b
    return np.array(
        [
            w * p - x * q - y * r - z * s,
            w * q + x * p + y * s - z * r,
            w * r - x * s + y * p + z * q,
            w * s + x * r - y * q + z * p,
        ]
    )


def rotation_matrix(quaternion):
    """Rotation matrix (3,3) of a quaternion w,x,y,z."""
    w, x, y, z = np.asarray(quaternion, dtype=float) / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def one_material(friction=0.5, density=1000.0, restitution=0.0, **more):
    """MaterialTable with the single material "default", so that every pair has its very values."""
    return MaterialTable((Material("default", density, friction, restitution=restitution, **more),))


def floor(size=40.0, thickness=1.0, material="default", name="floor"):
    """Static box whose top face is the plane z = 0 [m]."""
    return Body(name, Box((size, size, thickness)), material, Motion.STATIC, (0.0, 0.0, -thickness / 2))


def box(name, size, position, **more):
    """Dynamic box with full edge lengths `size` [m]; plain tuples, so that scenes compare and print well."""
    return Body(name, Box(triple(size)), position=triple(position), **more)


def triple(values):
    """Three floats as a tuple."""
    return tuple(float(value) for value in values)


def quadruple(values):
    """Four floats as a tuple."""
    return tuple(float(value) for value in values)


def box_inertia(size, mass):
    """Principal moments (3,) [kg m^2] of a uniform box."""
    x, y, z = size
    return tuple(mass / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y]))


def on_ramp(body_height, angle, yaw=0.0, along=0.0, aside=0.0):
    """Position and orientation of a body whose centre is `body_height` [m] above a ramp through the origin.

    angle and yaw [rad]; x of the ramp points downhill; `along` [m] downhill, `aside` [m] to the left.
    """
    orientation = multiply(axis_angle((0, 0, 1), yaw), axis_angle((0, 1, 0), angle))
    matrix = rotation_matrix(orientation)
    return triple(matrix @ [along, aside, body_height]), quadruple(orientation)


def ramp(angle, yaw=0.0, size=(12.0, 4.0, 1.0), material="default", name="ramp"):
    """Static ramp whose upper face passes through the origin."""
    position, orientation = on_ramp(-size[2] / 2, angle, yaw)
    return Body(name, Box(size), material, Motion.STATIC, position, orientation)


def turned(scene, quaternion):
    """The whole scene, gravity included, turned about the world's origin: nothing measured in it may change."""
    matrix = rotation_matrix(quaternion)

    def turn(body):
        keys = body.keys
        if keys is not None:
            orientations = [multiply(quaternion, q) for q in keys.orientations]
            keys = KeyedPoses(keys.times, np.asarray(keys.positions) @ matrix.T, np.array(orientations))
        return replace(
            body,
            position=triple(matrix @ body.position),
            orientation=quadruple(multiply(quaternion, body.orientation)),
            velocity=triple(matrix @ body.velocity),
            angular_velocity=triple(matrix @ body.angular_velocity),
            keys=keys,
        )

    return replace(scene, bodies=tuple(map(turn, scene.bodies)), gravity=triple(matrix @ scene.gravity))


def scaled(scene, length=1.0, time=1.0, mass=1.0):
    """The similar scene with lengths, times and masses multiplied by the given factors.

    Velocities scale by length/time, gravity by length/time^2, density by mass/length^3 and torsional friction
    by length. With powers of two the scaling is exact in floating point. Keyed poses scale along; joints do not.
    """
    speed = length / time
    materials = replace(
        scene.materials,
        materials=tuple(
            replace(m, density=m.density * mass / length**3, torsional_friction=m.torsional_friction * length)
            for m in scene.materials.materials
        ),
    )

    def change(body):
        inertia = None if body.inertia is None else np.asarray(body.inertia) * mass * length**2
        keys = body.keys
        if keys is not None:
            keys = KeyedPoses(np.asarray(keys.times) * time, np.asarray(keys.positions) * length, keys.orientations)
        return replace(
            body,
            shape=scaled_shape(body.shape, length),
            position=triple(np.asarray(body.position) * length),
            velocity=triple(np.asarray(body.velocity) * speed),
            angular_velocity=triple(np.asarray(body.angular_velocity) / time),
            mass=None if body.mass is None else body.mass * mass,
            inertia=inertia,
            keys=keys,
        )

    settings = {key: value * time if key in ("time", "time_step") else value for key, value in scene.settings.items()}
    gravity = triple(np.asarray(scene.gravity) * length / time**2)
    return replace(
        scene, bodies=tuple(map(change, scene.bodies)), materials=materials, gravity=gravity, settings=settings
    )
