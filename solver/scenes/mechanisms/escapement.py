"""Clock: a wheel of thirty pins under a constant torque, and an anchor on a pendulum that lets half a pitch by a swing.

Graham's dead beat: pins wait on faces of the pallets that are arcs about the pendulum's axis, so that they push through
it, and give their impulse on slanted ends while the pendulum passes its middle. A pallet's end is so and so far down,
an angle about that axis from where pins come by when the pendulum hangs: LOCK where they wait, RISE more where they
leave. Swings grow until friction on the waiting faces takes what the impulses give: how far does not depend on the
torque, and the rate is the pendulum's own.
"""

from math import cos, pi, radians, sqrt, tan

import numpy as np

from ...scene import Motor, Scene
from ...shapes import Compound, Cylinder, Part
from ..base import GRAVITY, SceneEntry, axis_angle, one_material, quadruple
from ..results import below
from .plane import bearing, compound, polar, prism, turning

PINS, WHEEL, PIN, THICK = 30, 0.2, 0.002, 0.01  # radii of the pins' circle and of a pin [m]
SPAN = pi / 4  # half the angle between the pallets, seen from the wheel: 7.5 pitches
REACH, AXIS = WHEEL * tan(SPAN), WHEEL / cos(SPAN)  # of the pallets from the axis, of that above the wheel's
PALLET, RISE, LOCK, BACK = 0.012, radians(4.0), radians(1.0), radians(30.0)  # thickness, angles; how far back they go
SLICES = 6
MASS, LENGTH, INERTIA = 2.0, 0.25, 2e-3  # of the pendulum: centre of mass below the axis, inertia about it
SLACK = 1e3  # no motor: the torque is all there is [rad/s]


def _place(radius, angle, entry):
    """Points of a pallet, the pendulum hanging: at radii from the axis, `angle` further down than where pins pass."""
    return polar(radius, (5 * pi / 4 + angle) if entry else (7 * pi / 4 - angle))


def _pallets():
    """Convex pieces of both pallets about the axis; pins come to the entry's from outside, to the exit's from
    within."""
    near, far = REACH - 0.5 * PALLET, REACH + 0.5 * PALLET
    for entry in (True, False):
        waits, leaves = (far, near) if entry else (near, far)
        cuts = np.linspace(-BACK, -LOCK, SLICES + 1)
        for low, high in zip(cuts[:-1], cuts[1:], strict=True):
            # The last slice ends in the slant.
            end = RISE if high == cuts[-1] else 0.0
            yield prism([_place(waits, low, entry), _place(waits, high, entry), _place(leaves, high + end, entry),
                         _place(leaves, low, entry)], THICK)  # fmt: skip


def clock(torque=0.05, friction=0.2, angle=8.0):
    """A pendulum let go `angle` degrees from hanging, a wheel driven by `torque` [N m]; gravity along -y, axes along
    z."""
    turn = quadruple(axis_angle((0, 0, 1), radians(angle)))
    pins = [Part(Cylinder(PIN, THICK), (*polar(WHEEL, k * 2 * pi / PINS), 0.0)) for k in range(PINS)]
    wheel = turning("wheel", Compound(tuple(pins)), 0.1, 5e-4)
    pendulum = turning("pendulum", compound(list(_pallets())), MASS, INERTIA, (0.0, AXIS, 0.0), (0.0, -LENGTH, 0.0),
                       orientation=turn)  # fmt: skip
    joints = (bearing("arbor", "wheel", (0.0, 0.0, 0.0), motor=Motor(-SLACK, torque)),
              bearing("axis", "pendulum", (0.0, AXIS, 0.0)))  # fmt: skip
    return Scene((wheel, pendulum), one_material(friction), (0.0, -GRAVITY, 0.0), joints, name="clock",
                 settings={"time_step": 0.005})  # fmt: skip


def period(amplitude):
    """Period [s] of the pendulum alone at an amplitude [rad]: by the arithmetic-geometric mean."""
    a, b = 1.0, cos(0.5 * amplitude)
    while abs(a - b) > 1e-15:
        a, b = 0.5 * (a + b), sqrt(a * b)
    return 2 * pi / a * sqrt((INERTIA + MASS * LENGTH**2) / (MASS * GRAVITY * LENGTH))


PITCH = 2 * pi / PINS


def check(trajectory):
    """A pitch of the wheel for every swing there and back."""
    wheel, axis = (trajectory.joints[:, trajectory.joint_names.index(name), 0] for name in ("arbor", "axis"))
    swing = axis - axis[0] + radians(8.0)
    passes = np.flatnonzero((swing[:-1] < 0) & (swing[1:] >= 0))
    pitches = abs(wheel[passes[-1]] - wheel[passes[0]]) / PITCH
    return [below("pitches off one a swing", abs(pitches - (len(passes) - 1)), 0.5, "pitches")]


ENTRIES = (SceneEntry("clock", "Escapement clock", "an anchor lets a wheel go on by half a pitch a swing, by contact",
                      clock, 10.0, check),)  # fmt: skip
