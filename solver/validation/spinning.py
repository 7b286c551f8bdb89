"""Gyroscopic motion."""

from math import acos, degrees, pi, radians, sin, sqrt

import numpy as np

from ..scenes import build
from ..scenes.tops import heavy_top_rates
from .lines import Case, Outcome, Plot, below, close, largest, within
from .run import run

G = 9.81


def sign_changes(times, values):
    """Times at which sampled values pass through zero, linear between samples."""
    at = np.flatnonzero(np.signbit(values[1:]) != np.signbit(values[:-1]))
    return times[at] + (times[at + 1] - times[at]) * values[at] / (values[at] - values[at + 1])


def free_top():
    """Euler's equations: energy and angular momentum are constant; omega_2 changes sign every 2K(m)/n = 2.753084 s."""
    lines, series = [], []
    for spin, flips in (
        ((0.01, 10.0, 0.01), (1.4905, 4.2436, 6.9967, 9.7498)),
        ((3.0, 2.0, 5.0), (0.524, 1.164, 1.804, 2.444)),
    ):
        for step in (0.001, 0.01) if spin[0] == 3.0 else (0.01,):
            result = run(build("free_top", spin=spin), 10.0 if step == 0.01 else 2.5, step)
            energy, momentum = result.kinetic(), result.angular_momentum(0)
            size = np.linalg.norm(momentum, axis=1)
            label = f"omega0 = {spin}, h = {step * 1e3:g} ms: "
            lines.append(below(label + "energy, relative", largest(energy / energy[0] - 1), 1e-10))
            lines.append(below("  size of L, relative", largest(size / size[0] - 1), 1e-10))
            turn = np.linalg.norm(momentum / size[:, None] - momentum[0] / size[0], axis=1)
            lines.append(below("  direction of L [rad]", largest(turn), 1e-3, "rad"))
            found = sign_changes(result.times, result.spin_body(0)[:, 1])[:4]
            for exact, measured in zip(flips, found, strict=False):
                lines.append(close("  flip at [s]", exact, measured, 2 * step + 0.005 * exact, "s"))
            lines.append(close("  flips found", 4, len(found), 0))
        series.append((f"omega0 = {spin}", result.times, result.spin_body(0)[:, 1], "-"))
    return Outcome(
        tuple(lines),
        (Plot("free_top", "Free asymmetric top", "time [s]", "omega_2 in the body [rad/s]", tuple(series)),),
    )


def symmetric_top():
    """The axis precesses about L at |L|/I1 on a cone of half-angle acos(I3 w3/|L|); in the body at (I3-I1) w3/I1."""
    result = run(build("free_top", inertia=(2.0, 2.0, 1.0), spin=(1.0, 0.0, 10.0)), 5.0)
    momentum = result.angular_momentum(0)[0]
    size = np.linalg.norm(momentum)
    axis = result.turn(0)[:, :, 2]
    cone = np.degrees(np.arccos(axis @ momentum / size))
    side = np.cross(momentum / size, axis[0])
    side /= np.linalg.norm(side)
    angle = np.unwrap(np.arctan2(axis @ side, axis @ np.cross(side, momentum / size)))
    spin = result.spin_body(0)
    body = np.unwrap(np.arctan2(spin[:, 1], spin[:, 0]))
    return [
        close("precession rate [rad/s]", sqrt(104) / 2, abs(angle[-1] - angle[0]) / 5, 1e-3, relative=True),
        close("cone half-angle [degrees]", degrees(acos(10 / sqrt(104))), cone[-1], 0.01, "degrees"),
        below("  change of it over 5 s [degrees]", np.ptp(cone), 0.01, "degrees"),
        close("rate in the body [rad/s]", -5.0, (body[-1] - body[0]) / 5, 1e-3, relative=True),
    ]


def heavy_top():
    """Steady precession: I1 cos W^2 - I3 w3 W + m g l = 0, theta constant; sleeping iff w3 > sqrt(4 m g l I1)/I3.

    The top stands on a rough point, not in a joint.
    """
    result = run(build("heavy_top"), 5.0, 0.001, every=5)
    axis = result.turn(1)[:, :, 2]
    theta = np.degrees(np.arccos(np.clip(axis[:, 2], -1, 1)))
    rate = np.polyfit(result.times, np.unwrap(np.arctan2(axis[:, 1], axis[:, 0])), 1)[0]
    lines = [
        close("slow precession at h = 1 ms [rad/s]", heavy_top_rates()[0], rate, 0.001, relative=True),
        below("  inclination off 30 degrees over 5 s [degrees]", largest(theta - 30), 0.2, "degrees"),
    ]
    for factor, low, high in ((1.1, 0.0, 2.0), (0.9, 20.0, 180.0)):
        spin = factor * sqrt(4 * G * 0.1 * 0.02) / 0.005
        result = run(build("heavy_top", spin=spin, angle=0.3), 4.0, 0.001)
        tilt = np.degrees(np.arccos(np.clip(result.turn(1)[:, 2, 2], -1, 1))).max()
        lines.append(
            within(f"largest tilt from 0.3 degrees at {factor} of the sleeping limit [degrees]", low, high, tilt)
        )
    return lines


def jellett():
    """L . (vector from centre of mass to contact) is constant for any force at the contact of a spherical base."""
    lines = []
    for friction in (0.05, 0.2):
        result = run(build("jellett_top", friction=friction), 2.0, 0.002)
        offset = result.model.center_of_mass[1]
        to_center = -np.einsum("fij,j->fi", result.turn(1), offset)
        contact = to_center + [0.0, 0.0, -0.1]
        integral = np.sum(result.angular_momentum(1) * contact, axis=1)
        lines.append(
            below(f"mu = {friction}: change of the integral, relative", largest(integral / integral[0] - 1), 1e-3)
        )
        tilt = np.degrees(np.arccos(result.turn(1)[:, 2, 2]))
        lines.append(within("  change of the tilt on the way (it must move) [degrees]", 1.0, 180.0, np.ptp(tilt)))
    return lines


def rolling_disk():
    """An upright rolling thin disk is stable iff v^2 > g R/3."""
    lines = []
    critical = sqrt(G * 0.3 / 3)
    for factor, low, high in ((1.3, 0.0, 15.0), (0.7, 45.0, 180.0)):
        result = run(build("rolling_disk", speed=factor * critical), 4.0, 0.002)
        tilt = np.degrees(np.arcsin(np.clip(np.abs(result.turn(1)[:, 2, 2]), 0, 1))).max()
        lines.append(within(f"largest lean at {factor} of the critical speed [degrees]", low, high, tilt))
    return lines


def wobble_rate(angle, exact, step):
    """Mean rate [rad/s] at which the axis of an inclined disk goes round in three turns."""
    result = run(build("euler_disk", angle=angle, thickness=4e-5), 6 * pi / exact, step)
    axis = result.turn(1)[:, :, 2]
    turned = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
    return abs(turned[-1] - turned[0]) / result.times[-1]


def euler_disk():
    """Rolling on the edge with the centre at rest: Omega = sqrt(4 g/(R sin alpha)); mean over three turns.

    The contact runs round the rim by Omega h in a step: 6 degrees at 1 ms and 5 degrees of inclination. The formula is
    that of a disk without thickness: t/(2R) = 5e-4 of it is allowed for in the finest comparison.
    """
    lines = []
    for angle in (5.0, 10.0, 20.0):
        exact = sqrt(4 * G / (0.0375 * sin(radians(angle))))
        for step, tolerance in ((1e-3, 0.02), (2e-4, 2e-3)):
            label = f"inclined {angle:g} degrees: rate at h = {step * 1e3:g} ms [rad/s]"
            lines.append(close(label, exact, wobble_rate(angle, exact, step), tolerance, relative=True))
    return lines


CASES = (
    Case("free_top", "Spinning bodies", free_top, quick=True),
    Case("symmetric_top", "Spinning bodies", symmetric_top, quick=True),
    Case("heavy_top", "Spinning bodies", heavy_top),
    Case("jellett", "Spinning bodies", jellett),
    Case("rolling_disk", "Spinning bodies", rolling_disk),
    Case("euler_disk", "Spinning bodies", euler_disk),
)
