"""Linkages: pendulums, four-bars, overconstrained loops and a slider-crank, many of them benchmarks of IFToMM."""

from dataclasses import replace
from math import asin, atan, cos, radians, sin, sqrt, tan

import numpy as np

from ...scene import Joint
from ..base import GRAVITY, SceneEntry, triple
from .parts import block, hinge, mechanism, point, rod

BENCHMARKS = "IFToMM benchmarks of multibody dynamics"


def point_pendulum(length=1.0, mass=1.0):
    """IFToMM A01: a point mass on a massless rod, let go from horizontal."""
    return mechanism("pendulum", [point("bob", (length, 0, 0), mass)], [hinge("pin", "world", "bob", (0, 0, 0))])


def rod_pendulum(length=1.0, angle=90.0, friction=0.0):
    """A rod on a hinge, `angle` degrees from hanging; friction [N m] in the hinge."""
    end = length * np.array([sin(radians(angle)), 0.0, -cos(radians(angle))])
    return mechanism("rod_pendulum", [rod("rod", (0, 0, 0), end)],
                     [hinge("pin", "world", "rod", (0, 0, 0), friction=friction)])  # fmt: skip


def double_pendulum(points=True):
    """Two rods of 1 m and 1 kg, or two point masses on massless rods, let go from horizontal."""
    if points:
        bodies = [point("a", (1, 0, 0)), point("b", (2, 0, 0))]
    else:
        bodies = [rod("a", (0, 0, 0), (1, 0, 0)), rod("b", (1, 0, 0), (2, 0, 0))]
    joints = [hinge("p", "world", "a", (0, 0, 0)), hinge("q", "a", "b", (1, 0, 0))]
    return mechanism("double_pendulum", bodies, joints)


def four_bar(windows=1, speed=1.0):
    """IFToMM A02: `windows` in a row, rods of 1 m and 1 kg, upright, the first corner at `speed` [m/s]."""
    bodies, joints = [], []
    for i in range(windows + 1):
        bodies.append(rod(f"u{i}", (i, 0, 0), (i, 0, 1), velocity=(speed / 2, 0, 0), angular_velocity=(0, speed, 0)))
        joints.append(hinge(f"foot{i}", "world", f"u{i}", (i, 0, 0)))
    for i in range(windows):
        bodies.append(rod(f"b{i}", (i, 0, 1), (i + 1, 0, 1), velocity=(speed, 0, 0)))
        joints.append(hinge(f"left{i}", f"u{i}", f"b{i}", (i, 0, 1)))
        joints.append(hinge(f"right{i}", f"u{i + 1}", f"b{i}", (i + 1, 0, 1)))
    return mechanism("four_bar", bodies, joints)


def bricard():
    """IFToMM A04: five rods on a cube's edges, six hinges: one row of thirty says nothing new. Gravity along -y."""
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
    # Square rods of 0.1 m with the moments of boxes.
    moments = (0.1**2 / 6, (1 + 0.1**2) / 12, (1 + 0.1**2) / 12)
    bodies = [rod(f"r{i}", corners[i], corners[i + 1], 1.0, 0.1, inertia=moments) for i in range(5)]
    names = ["world", *(body.name for body in bodies), "world"]
    sides = [corners[i] - corners[i - 1] for i in range(6)]
    joints = [hinge(f"h{i}", names[i], names[i + 1], corners[i], np.cross(sides[i], sides[(i + 1) % 6]))
              for i in range(6)]  # fmt: skip
    return mechanism("bricard", bodies, joints, (0.0, -GRAVITY, 0.0))


def bennett_angles(first, long=1.0, short=0.7, twist=40.0):
    """Second angle [rad] of Bennett's loop for the first: tan(t1/2) tan(t2/2) = sin((b + a)/2) / sin((b - a)/2)."""
    a = radians(twist)
    b = asin(short * sin(a) / long)
    return 2 * atan(sin((b + a) / 2) / sin((b - a) / 2) / tan(first / 2))


def bennett(long=1.0, short=0.7, twist=40.0, angle=70.0):
    """Bennett's loop: four hinges with lengths a, b, a, b and twists with sin(alpha)/a = sin(beta)/b.

    It moves, though counting freedoms says that it cannot.
    """
    a = radians(twist)
    b = asin(short * sin(a) / long)
    t1 = radians(angle)
    t2 = bennett_angles(t1, long, short, twist)
    frame, frames = np.eye(4), []
    for turn, bend, length in ((t1, a, long), (t2, b, short), (-t1, a, long), (-t2, b, short)):
        frames.append(frame)
        c, s, p, q = cos(turn), sin(turn), cos(bend), sin(bend)
        frame = frame @ np.array([[c, -s * p, s * q, length * c], [s, c * p, -c * q, length * s], [0, q, p, 0],
                                  [0, 0, 0, 1]])  # fmt: skip
    places, axes = [f[:3, 3] for f in frames], [f[:3, 2] for f in frames]
    bodies = [rod(f"r{i}", places[i], places[i + 1], 1.0, 0.05) for i in range(3)]
    names = ["world", "r0", "r1", "r2", "world"]
    joints = [hinge(f"h{i}", names[i], names[i + 1], places[i], axes[i]) for i in range(4)]
    return mechanism("bennett", bodies, joints)


def slider_crank(crank=0.2, rod_length=0.5, angle=0.5, rate=2 * np.pi):
    """A slider-crank of three kilograms that runs freely in its upright plane, the crank turning at `rate` [rad/s]."""
    pin = crank * np.array([cos(angle), 0.0, sin(angle)])
    reach = sqrt(rod_length**2 - pin[2] ** 2)
    end = np.array([pin[0] + reach, 0.0, 0.0])
    # A turn about +y takes z to x: the crank turns towards -z.
    pin_velocity = np.cross([0.0, rate, 0.0], pin)
    swing = pin_velocity[2] / reach
    end_velocity = pin_velocity + np.cross([0.0, swing, 0.0], end - pin)
    bodies = [
        rod("crank", (0, 0, 0), pin, 1.0, inertia=_square(crank), velocity=triple(pin_velocity / 2),
            angular_velocity=(0, rate, 0)),
        rod("rod", pin, end, 1.0, inertia=_square(rod_length), velocity=triple((pin_velocity + end_velocity) / 2),
            angular_velocity=(0, swing, 0)),
        block("slider", end, inertia=(1e-3,) * 3, velocity=triple(end_velocity)),
    ]  # fmt: skip
    joints = [hinge("a", "world", "crank", (0, 0, 0)), hinge("b", "crank", "rod", pin),
              hinge("c", "rod", "slider", end),
              Joint("guide", "slider", ("world", "slider"), triple(end), (1.0, 0.0, 0.0))]  # fmt: skip
    return mechanism("slider_crank", bodies, joints)


def _square(length, thick=0.02):
    """Moments (3,) of a rod of 1 kg with a square section."""
    across = (length**2 + thick**2) / 12
    return thick**2 / 6, across, across


def door(speed=2.0):
    """A door of 20 kg on two hinges, which say ten things where five are new, swinging freely."""
    moments = tuple(20 / 12 * np.array([2.0**2 + 0.04**2, 0.9**2 + 2.0**2, 0.9**2 + 0.04**2]))
    leaf = block("leaf", (0.45, 0, 1.0), 0.1, 20.0, inertia=moments, velocity=(0, 0.45 * speed, 0),
                 angular_velocity=(0, 0, speed))  # fmt: skip
    leaf = replace(leaf, shape=type(leaf.shape)((0.9, 0.04, 2.0)))
    return mechanism("door", [leaf], [hinge(f"h{z}", "world", "leaf", (0, 0, z), (0, 0, 1)) for z in (0.3, 1.7)])


ENTRIES = (
    SceneEntry("pendulum", "Pendulum", "a point mass on a hinge from horizontal", point_pendulum, 10.0,
               source=f"{BENCHMARKS}, A01"),
    SceneEntry("double_pendulum", "Double pendulum", "two point masses on hinges", double_pendulum, 1.0),
    SceneEntry("four_bar", "Four-bar", "rods stay parallel through the flat pose", four_bar, 10.0,
               source=f"{BENCHMARKS}, A02"),
    SceneEntry("bricard", "Bricard's loop", "six hinges, overconstrained, move", bricard, 1.0,
               source=f"{BENCHMARKS}, A04"),
    SceneEntry("bennett", "Bennett's loop", "four hinges in space that move though they should not", bennett, 5.0),
    SceneEntry("slider_crank", "Slider-crank", "crank, rod and slider run freely", slider_crank, 2.0),
    SceneEntry("door", "Door on two hinges", "redundant hinges neither lock nor brake", door, 5.0),
)  # fmt: skip
