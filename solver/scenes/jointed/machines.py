"""Machines: gears, a planetary gear, a differential, a Cardan shaft, a screw jack, a toggle and driven wheels."""

from math import cos, pi, radians, sin

import numpy as np

from ...scene import Bearing, Body, Joint, Motor, Spring
from ...shapes import Sphere
from ..base import GRAVITY, SceneEntry, axis_angle, quadruple, triple
from ..tops import heavy_top_rates
from .parts import block, hinge, mechanism, point, rod, wheel

NONE = (0.0, 0.0, 0.0)
Z = (0.0, 0.0, 1.0)


def gear_train(teeth=(20, 50, 30), speed=2.0, load=0.1):
    """Wheels in a row, the first driven at `speed` [rad/s], the last braked with `load` [N m]."""
    bodies, joints, place = [], [], 0.0
    for i, count in enumerate(teeth):
        radius = 0.005 * count
        place += radius if i else 0.0
        bodies.append(wheel(f"w{i}", (place, 0, 0), radius=radius, inertia=0.5 * radius**2))
        drive = {"motor": Motor(speed, 1e3)} if i == 0 else {}
        brake = {"friction": load} if i == len(teeth) - 1 else {}
        joints.append(hinge(f"a{i}", "world", f"w{i}", (place, 0, 0), Z, **drive, **brake))
        place += radius
    for i in range(len(teeth) - 1):
        joints.append(Joint(f"g{i}", "gear", joints=(f"a{i}", f"a{i + 1}"), ratio=-teeth[i] / teeth[i + 1]))
    return mechanism("gear_joints", bodies, joints, NONE)


def planetary_gear(sun=20, ring=60, speed=1.0, load=0.1):
    """The sun drives, braked with `load` [N m], the carrier is turned at `speed` [rad/s], the ring stands.

    Meshes are counted against the carrier, on which sun and planet turn.
    """
    planet = (ring - sun) // 2
    bodies = [wheel("carrier", (0, 0, 0)), wheel("sun", (0, 0, 0.05)),
              wheel("planet", (0.2, 0, 0.05), radius=0.05, inertia=0.001)]  # fmt: skip
    joints = [
        hinge("c", "world", "carrier", (0, 0, 0), Z, motor=Motor(speed, 1e3)),
        hinge("s", "carrier", "sun", (0, 0, 0), Z), hinge("p", "carrier", "planet", (0.2, 0, 0), Z),
        Joint("inner", "gear", joints=("s", "p"), ratio=-sun / planet),
        Joint("outer", "gear", joints=("c", "p"), ratio=-ring / planet),
        hinge("brake", "world", "sun", (0, 0, 0), Z, friction=load),
    ]  # fmt: skip
    return mechanism("planetary_gear", bodies, joints, NONE)


def differential(speed=2.0, drag=(0.1, 0.02)):
    """A carrier at `speed` [rad/s] shares its motion between two shafts, braked with `drag` [N m] each."""
    bodies = [wheel("carrier", (0, 0, 0), (0, 1, 0)), wheel("left", (0, -0.3, 0), (0, 1, 0)),
              wheel("right", (0, 0.3, 0), (0, 1, 0), inertia=0.005)]  # fmt: skip
    joints = [
        hinge("c", "world", "carrier", (0, 0, 0), motor=Motor(speed, 1e3)),
        hinge("l", "carrier", "left", (0, -0.3, 0)), hinge("r", "carrier", "right", (0, 0.3, 0)),
        Joint("bevel", "gear", joints=("l", "r"), ratio=-1.0),
        hinge("drag_l", "world", "left", (0, -0.3, 0), friction=drag[0]),
        hinge("drag_r", "world", "right", (0, 0.3, 0), friction=drag[1]),
    ]
    return mechanism("differential", bodies, joints, NONE)


def cardan(angle=30.0, speed=1.0):
    """Two shafts at `angle` [degrees] with a universal joint, the first driven at `speed` [rad/s].

    At the start the driving fork stands square to the plane of the shafts.
    """
    second = np.array([cos(radians(angle)), sin(radians(angle)), 0.0])
    bodies = [wheel("in", (-0.3, 0, 0), (1, 0, 0), inertia=0.006), wheel("out", 0.3 * second, second, inertia=0.006)]
    joints = [
        hinge("i", "world", "in", (-0.3, 0, 0), (1, 0, 0), motor=Motor(speed, 1e4)),
        hinge("o", "world", "out", 0.3 * second, second),
        Joint("u", "universal", ("in", "out"), NONE, (0.0, 0.0, 1.0), axis2=triple(np.cross([0, 0, 1], second))),
    ]
    return mechanism("cardan", bodies, joints, NONE)


def screw_jack(lead=0.005, weight=100.0, torque=None, speed=0.0, friction=0.0, radius=0.01):
    """A nut of `weight` [N] on an upright screw with `friction` at `radius` [m]; torque [N m] that a motor may use to
    hold it or to turn it at `speed` [rad/s], None for any, 0 for no motor."""
    nut = block("nut", NONE, 0.02, weight / GRAVITY)
    motor = None if torque == 0 else Motor(speed, 1e6 if torque is None else torque)
    thread = Joint("thread", "screw", ("world", "nut"), lead=lead, motor=motor,
                   bearing=Bearing(friction, radius) if friction else None)  # fmt: skip
    return mechanism("screw_jack", [nut], [thread])


def toggle(angle=10.0, load=1.0):
    """Two equal light rods from fixed hinges up to a knee of `load` [kg], at `angle` [degrees] from the flat."""
    rise = np.array([cos(radians(angle)), 0.0, sin(radians(angle))])
    knee, far = rise, np.array([2 * rise[0], 0.0, 0.0])
    bodies = [rod("near", (0, 0, 0), knee, 1e-6), rod("far", knee, far, 1e-6), point("knee", knee, load)]
    joints = [hinge("a", "world", "near", (0, 0, 0)), hinge("b", "near", "knee", knee), hinge("c", "far", "knee", knee),
              hinge("d", "world", "far", far)]  # fmt: skip
    return mechanism("toggle", bodies, joints)


def driven_wheel(speed=10.0, torque=0.5, load=0.0, inertia=0.05, **more):
    """A wheel on a motor of `speed` [rad/s] and `torque` [N m], against a brake of `load` [N m]."""
    joints = [hinge("axle", "world", "wheel", NONE, Z, motor=Motor(speed, torque), friction=load, **more)]
    return mechanism("driven_wheel", [wheel("wheel", NONE, inertia=inertia)], joints, NONE)


def sprung_wheel(spring, inertia=0.05, speed=1.0):
    """A wheel on a torsion spring (a Spring), turning at `speed` [rad/s] at the start."""
    body = wheel("wheel", NONE, inertia=inertia, angular_velocity=(0.0, 0.0, speed))
    return mechanism("sprung_wheel", [body], [hinge("axle", "world", "wheel", NONE, Z, spring=spring)], NONE)


def stick_slip(static=0.6, sliding=0.4, speed=0.2, mass=1.0, stiffness=100.0):
    """A block on a belt of `speed` [m/s] whose friction falls from static to sliding, held back by a spring [N/m]."""
    bodies = [block("belt", NONE, 0.1, 1.0), block("block", NONE, 0.1, mass)]
    free = ("x", "y", "z", "rx", "ry", "rz")
    joints = [
        Joint("drive", "slider", ("world", "belt"), axis=(1.0, 0.0, 0.0), motor=Motor(speed)),
        Joint("spring", "slider", ("world", "block"), axis=(1.0, 0.0, 0.0), spring=Spring(stiffness)),
        Joint("friction", "generic", ("belt", "block"), axis2=(1.0, 0.0, 0.0), free=free,
              friction={"x": sliding * mass * GRAVITY}, static_ratio=static / sliding),
    ]  # fmt: skip
    return mechanism("stick_slip", bodies, joints, NONE)


def joint_top(spin=100.0, angle=30.0):
    """(A heavy symmetric top on a ball joint on its slow steady precession, its rate [rad/s])."""
    tilt, rate = radians(angle), heavy_top_rates(spin, angle)[0]
    axis = np.array([sin(tilt), 0.0, cos(tilt)])
    omega = np.array([0.0, 0.0, rate]) + (spin - rate * cos(tilt)) * axis
    body = Body("top", Sphere(0.02), position=triple(0.1 * axis), orientation=quadruple(axis_angle((0, 1, 0), tilt)),
                mass=1.0, inertia=(0.01, 0.01, 0.005), velocity=triple(np.cross(omega, 0.1 * axis)),
                angular_velocity=triple(omega), collides_with=())  # fmt: skip
    return mechanism("joint_top", [body], [Joint("point", "ball", ("world", "top"), NONE)]), rate


TURN = 2.0 * pi
ENTRIES = (
    SceneEntry("gear_joints", "Gear train", "three wheels; ratios and torques of their teeth", gear_train, 2.0),
    SceneEntry("planetary_gear", "Planetary gear", "sun, planet, carrier, standing ring", planetary_gear, 2.0),
    SceneEntry("differential", "Differential", "twice the carrier is left and right", differential, 2.0),
    SceneEntry("cardan", "Cardan shaft", "a universal joint at 30 degrees runs unevenly", cardan, TURN),
    SceneEntry("stick_slip", "Stick-slip", "a block on a belt, static friction above sliding", stick_slip, 4.0),
    SceneEntry("toggle", "Toggle", "a knee of two rods multiplies its load", toggle, 1.0),
)
