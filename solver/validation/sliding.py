"""Sliding, slopes, rolling, drilling and the coupled friction laws."""

from math import cos, pi, radians, sin, sqrt, tan

import numpy as np
from scipy.integrate import quad

from ..scenes import build, turned
from ..scenes.base import axis_angle, rotation_matrix
from ..scenes.tops import stud_positions
from .lines import Case, Outcome, Plot, below, close, demanded, largest
from .refinement import first_order
from .run import run

G = 9.81
TILT = axis_angle((1.0, 2.0, 0.5), 0.8)


def sliding_block():
    """d = v^2/(2 mu g), t = v/(mu g), straight in every direction; no gap opens under a sliding body."""
    exact, lines, series = 9 / (2 * 0.3 * G), [], []
    for direction in (0.0, 22.5, 45.0, 77.0):
        result = run(build("sliding_block", direction=direction), 1.2)
        path = result.position[:, 1] - result.position[0, 1]
        angle = radians(direction)
        along = path[:, 0] * cos(angle) + path[:, 1] * sin(angle)
        aside = path[:, 1] * cos(angle) - path[:, 0] * sin(angle)
        lines.append(close(f"direction {direction:g}: distance [m]", exact, along[-1], 1e-4, "m"))
        lines.append(below("  off the straight line [m]", largest(aside), 1e-6, "m"))
        lines.append(below("  gap or overlap while sliding [m]", largest(path[:, 2]), 1e-6, "m"))
        series.append((f"{direction:g} degrees", result.times, along, "-"))
    result = run(turned(build("sliding_block", direction=22.5), TILT), 1.2)
    lines.append(
        close(
            "whole scene turned: distance [m]",
            exact,
            np.linalg.norm(result.position[-1, 1] - result.position[0, 1]),
            1e-4,
            "m",
        )
    )
    return Outcome(
        tuple(lines),
        (Plot("sliding_block", "Sliding block: stops at 1.529 m", "time [s]", "distance [m]", tuple(series)),),
    )


def along_slope(result, body, angle):
    """Distance (F,) [m] a body moved down a slope of `angle` [degrees] falling towards +x."""
    slope = radians(angle)
    return (result.position[:, body] - result.position[0, body]) @ [cos(slope), 0.0, -sin(slope)]


def incline_block():
    """Sticks if tan(angle) < mu; else a = g (sin - mu cos)."""
    lines = []
    for friction in (0.57, 0.3):
        exact = G * (sin(pi / 6) - friction * cos(pi / 6)) / 2
        moved = along_slope(run(build("incline_block", friction=friction), 1.0), 1, 30.0)[-1]
        lines.append(close(f"mu = {friction}: distance in 1 s [m]", exact, moved, 1e-6, relative=True))
    result = run(build("incline_block", friction=0.58), 1.0)
    lines.append(below("mu = 0.58: movement in 1 s [m]", result.displacement()[-1], 1e-9, "m"))
    result = run(build("incline_block", friction=0.6), 10.0)
    lines.append(below("mu = 0.6: speed after 10 s [m/s]", largest(result.twist[-1, 1]), 1e-8, "m/s"))
    lines.append(below("mu = 0.6: creep over the last 9 s [m/s]", result.drift(1.0) / 9, 1e-9, "m/s"))
    return lines


def slip_to_roll():
    """Rolls at v0/(1+k) whatever mu; sphere: t = 2 v0/(7 mu g), x = 12 v0^2/(49 mu g), energy lost 2/7."""
    lines = []
    for friction in (0.05, 0.2, 0.5):
        start = 4 / (7 * friction * G)
        result = run(build("slip_to_roll", friction=friction), start + 0.1)
        lines.append(close(f"sphere, mu = {friction}: final speed [m/s]", 10 / 7, result.twist[-1, 1, 0], 1e-6, "m/s"))
        slip = result.twist[:, 1, 0] - 0.1 * result.twist[:, 1, 4]
        rolls = result.times[np.argmax(slip < 1e-6)]
        lines.append(close("  slip ends at [s]", start, rolls, result.step * 1.0001, "s"))
        if friction == 0.2:
            after = 48 / (49 * friction * G) + 10 / 7 * (result.times[-1] - start)
            lines.append(close("  distance at the end [m]", after, result.position[-1, 1, 0], 1e-4, "m"))
        lines.append(close("  energy left", 5 / 7, result.kinetic()[-1] / result.kinetic()[0], 1e-6))
    for kind, exact in (("cylinder", 2 / 3), ("hoop", 1 / 2)):
        result = run(build("slip_to_roll", kind=kind), 0.8)
        lines.append(close(f"{kind}: final speed [m/s]", 2 * exact, result.twist[-1, 1, 0], 1e-6, "m/s"))
    for spin, exact in ((-40.0, (10 - 8) / 7), (-60.0, (10 - 12) / 7)):
        result = run(build("slip_to_roll", spin=spin), 1.2)
        lines.append(close(f"backspin {spin:g} rad/s: final speed [m/s]", exact, result.twist[-1, 1, 0], 1e-6, "m/s"))
    return lines


def rolling_incline():
    """a = g sin/(1+k) when it rolls (mu >= k/(1+k) tan); a = g (sin - mu cos), R alpha = mu g cos/k when it slips."""
    lines = []
    for kind, k in (("sphere", 2 / 5), ("shell", 2 / 3), ("cylinder", 1 / 2), ("hoop", 1.0)):
        result = run(build("rolling_incline", kind=kind), 1.0)
        exact = G * 0.5 / (1 + k)
        speed = np.linalg.norm(result.twist[-1, 1, :3])
        lines.append(close(f"{kind}: acceleration [m/s2]", exact, speed, 1e-4, relative=True))
        threshold = k / (1 + k) * tan(pi / 6)
        for factor, rolls in ((0.99, False), (1.01, True)):
            result = run(build("rolling_incline", kind=kind, friction=factor * threshold), 0.5)
            slip = np.linalg.norm(result.twist[-1, 1, :3]) - 0.1 * np.linalg.norm(result.twist[-1, 1, 3:])
            friction = factor * threshold
            exact = 0.0 if rolls else 0.5 * G * (sin(pi / 6) - friction * cos(pi / 6) * (1 + 1 / k))
            lines.append(close(f"  mu = {factor} of the limit: slip after 0.5 s [m/s]", exact, slip, 1e-6, "m/s"))
    result = run(build("rolling_incline", friction=0.1), 1.0)
    lines.append(
        close(
            "sphere, mu = 0.1: acceleration [m/s2]",
            4.055429,
            np.linalg.norm(result.twist[-1, 1, :3]),
            1e-4,
            relative=True,
        )
    )
    lines.append(
        close("  R alpha [m/s2]", 2.123927, 0.1 * np.linalg.norm(result.twist[-1, 1, 3:]), 1e-4, relative=True)
    )
    return lines


def drilling():
    """Spin about the normal: alpha = mu_tau g/(0.4 R^2); without mu_tau for ever; square plate: 6 mu g/(sqrt(2) s).

    The spin falls linearly, exactly; the angle is summed by trapezoids, and the one with the stop is off by at most
    alpha h^2/8. The disk on studs, whose arms turn within a step, is of first order in h.
    """
    alpha = 0.01 * G / (0.4 * 0.01)
    result = run(build("drilling_sphere"), 1.0)
    spin = result.twist[:, 1, 5]
    stop = 20 / ((20 - spin[50]) / result.times[50])
    lines = [close("stops at [s]", 20 / alpha, stop, 1e-9, relative=True)]
    angle = np.trapezoid(spin, result.times) if hasattr(np, "trapezoid") else np.trapz(spin, result.times)
    lines.append(close("angle turned [rad]", 200 / alpha, angle, 1.01 * alpha * result.step**2 / 8, "rad"))
    lines.append(below("spin after the stop [rad/s]", largest(spin[-1]), 1e-6, "rad/s"))
    result = run(build("drilling_sphere", torsional_friction=0.0), 1.0)
    lines.append(close("mu_tau = 0: spin after 1 s [rad/s]", 20, result.twist[-1, 1, 5], 1e-12, relative=True))
    result = run(build("slow_plate"), 0.2)
    loss = (5 - result.twist[10, 1, 5]) / result.times[10]
    lines.append(
        close("square plate on four corners: alpha [rad/s2]", 6 * 0.3 * G / (sqrt(2) * 0.5), loss, 1e-6, relative=True)
    )
    losses = []
    for step in (0.01, 0.005, 0.0025):
        result = run(build("studded_disk", speed=0.0, spin=5.0), 0.05, step)
        losses.append((5 - result.twist[-1, 1, 5]) / result.times[-1])
    exact = 2 * 0.3 * G * np.linalg.norm(stud_positions(0.1), axis=1).mean() / 0.01
    return lines + first_order("disk on 128 studs: alpha [rad/s2]", exact, losses, 1e-5)


def yaw(result, body):
    """Angle (F,) turned about z [rad]."""
    q = result.orientation[:, body]
    return np.unwrap(2 * np.arctan2(q[:, 3], q[:, 0]))


def stop_time(times, speed, part=0.01):
    """First time at which `speed` is below `part` of its start."""
    return times[np.argmax(speed < part * speed[0])]


def studded_disk():
    """Uniform disk, uniform pressure: slide and spin end together (elliptic integrals; Farkas et al. 2003).

    Implicit friction is of first order: a motion of length T is known to h/T, and its end to a step.
    """
    lines = []
    for speed, spin, time, distance, angle in (
        (1.0, 20.0, 0.646694, 0.334182, 6.34668),
        (1.0, 5.0, 0.381137, 0.180889, 1.166014),
        (0.2, 20.0, 0.517009, 0.058640, 5.147761),
        (2.0, 2.0, 0.685508, 0.681282, 0.907508),
    ):
        result = run(build("studded_disk", speed=speed, spin=spin), time + 0.1, 0.005)
        label, part = f"v = {speed:g}, omega = {spin:g}: ", result.step / time
        lines.append(close(label + "distance [m]", distance, result.position[-1, 1, 0], part, relative=True))
        lines.append(close(label + "angle [rad]", angle, yaw(result, 1)[-1], part, relative=True))
        ends = stop_time(
            result.times, np.linalg.norm(result.twist[:, 1, :3], axis=1) + 0.1 * np.abs(result.twist[:, 1, 5])
        )
        lines.append(close(label + "stops at [s]", time, ends, result.step, "s"))
    return lines


def even_points(rings, corners):
    """Points (rings corners, 2) of a unit disk that stand for equal areas: the middle radii of equal parts, turned."""
    radius = np.sqrt((np.arange(rings) + 0.5) / rings)
    turn = 2 * np.pi * (np.arange(corners)[:, None] / corners + np.arange(rings) / (rings * corners))
    return np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=-1).reshape(-1, 2)


def sliding_disk(points, shares, speed, spin, radius, friction, slow):
    """(time [s], distance [m], angle [rad]) at which a disk that slides and spins has come down to the speed `slow`.

    points (P,2) [m] bear the parts `shares` (P,) of its weight. Explicit integration of Coulomb's law with steps of
    20 us: v' = -mu g sum p_i u_i/|u_i|, R^2/2 w' = -mu g sum p_i (r_i x u_i)/|u_i|, u_i = v + w x r_i.
    """
    v, w, time, path, angle, step = np.array([speed, 0.0]), spin, 0.0, 0.0, 0.0, 2e-5
    x, y = points.T
    while np.hypot(*v) > slow:
        u = np.stack([v[0] - w * y, v[1] + w * x])
        u /= np.maximum(np.hypot(*u), 1e-12)
        v = v - step * friction * G * (u @ shares)
        w -= step * friction * G * float(shares @ (x * u[1] - y * u[0])) / (0.5 * radius**2)
        time, path, angle = time + step, path + step * v[0], angle + step * w
    return time, path, angle


def contensou_pin():
    """Ellipsoid law on one contact: omega/omega0 = (v/v0)^p, p = (c/k)^2, c = mu_tau/mu.

    t_stop = 1/(mu g) int_0^v0 sqrt(1 + c^2 w0^2 v0^(-2p) v^(2p-2)) dv.

    A step that takes the part 1/k of the speed, k steps before the end, is off the law by p(1-p)/(2 k^2); the sum down
    to n steps before the end is p(1-p)/(2n), and n >= v/(mu g h). Times are known to a step, distances to h/T.
    """
    lines, series = [], []
    for length, gyration in ((0.05, 0.05), (0.2 / 3, 0.1 / sqrt(2))):
        p = (length / gyration) ** 2

        def rate(v, length=length, p=p):
            return sqrt(1 + (length * 20) ** 2 * v ** (2 * p - 2)) / (0.3 * G)

        time = quad(rate, 0, 1)[0]
        distance = quad(lambda v, rate=rate: v * rate(v), 0, 1)[0]
        for step in (0.001, 0.01):
            result = run(build("contensou_pin", length=length, gyration=gyration), time + 0.1, step)
            v, w = result.twist[:, 1, 0], result.twist[:, 1, 5] / 20
            slides = v > max(0.05, 5 * 0.3 * G * step)  # at least five steps of friction are left
            label = f"p = {p:.4g}, h = {step * 1e3:g} ms: "
            lines.append(
                below(
                    label + "largest error of the power law, in parts of its bound p(1-p)/(2n)",
                    largest((w[slides] / v[slides] ** p - 1) / law_bound(p, v[slides] / (0.3 * G * step))),
                    1.0,
                )
            )
            lines.append(close(label + "stops at [s]", time, stop_time(result.times, v, 1e-3), step, "s"))
            lines.append(close(label + "distance [m]", distance, result.position[-1, 1, 0], step / time, relative=True))
        series += [
            (f"p = {p:.3g}, measured", v, w, "o"),
            (f"p = {p:.3g}, exact", np.linspace(0, 1, 100), np.linspace(0, 1, 100) ** p, "-"),
        ]
    plot = Plot("contensou_pin", "Ellipsoid law: spin is a power of speed", "v / v0", "omega / omega0", tuple(series))
    return Outcome(tuple(lines), (plot,))


def law_bound(p, steps):
    """Bound of the relative error of an implicit power law `steps` before its end, with room for a solve's residual."""
    return p * (1 - p) / (2 * steps) + 1e-7


def contensou_sphere():
    """Sphere: omega_z/omega_z0 = (u/u0)^p of the slip u, p = (5/7)(c/R)^2; ends rolling at 5/7 v0.

    The law is compared down to a quarter of the slip, with the bound of contensou_pin, n >= u/((7/2) mu g h).
    Times are known to a step.
    """
    p = 5 / 7 * 0.25
    lines = []
    for step in (0.001, 0.01):
        result = run(build("contensou_sphere"), 1.2, step)
        slip = (result.twist[:, 1, 0] - 0.1 * result.twist[:, 1, 4]) / 2
        spin = result.twist[:, 1, 5] / 20
        slides = slip > 0.25
        label = f"h = {step * 1e3:g} ms: "
        lines.append(
            below(
                label + "largest error of the power law, in parts of its bound p(1-p)/(2n)",
                largest(
                    (spin[slides] / slip[slides] ** p - 1) / law_bound(p, 2 * slip[slides] / (3.5 * 0.2 * G * step))
                ),
                1.0,
            )
        )
        lines.append(demanded(
            below(label + "error of the power law down to 5 % of the slip",
                  largest(spin[slip > 0.05] / slip[slip > 0.05] ** p - 1), 0.005),
            "An implicit step is off by p(1-p)/(2n), n steps of friction before the slip ends; 5 % of the slip is "
            f"{0.1 / (3.5 * 0.2 * G * step):.0f} steps.",
        ))  # fmt: skip
        half = np.interp(-0.5, -slip[:200], result.times[:200])
        lines.append(close(label + "slip halves at [s]", 0.174327, half, step, "s"))
        lines.append(
            close(
                label + "spin stops at [s]", 0.934624, stop_time(result.times, spin, 1e-3), step, "s"
            )
        )
        lines.append(close(label + "final speed [m/s]", 10 / 7, result.twist[-1, 1, 0], 1e-6, "m/s"))
    return lines


ELLIPTIC = (
    ((1.0, 1.0), 0.3, 0.6, (0.231766, 0.111382)),
    ((1.0, 1.0), 0.2, 0.6, (0.333955, 0.102286)),
    ((0.2, 2.0), 0.3, 0.6, (0.055578, 0.341340)),
    ((1.0, 1.0), 0.6, 0.3, (0.111382, 0.231766)),
)


def elliptic_path():
    """Maximal dissipation on an ellipse: v_t/v_t0 = (v_s/v_s0)^((mu_t/mu_s)^2); the path bends.

    The end point is known to h/T, T = 0.36 to 0.6 s being the time of the slide: first order.
    """
    lines, series = [], []
    for velocity, mu_s, mu_t, end in ELLIPTIC:
        for step, tolerance in ((0.001, 0.001 / 0.36), (0.01, 0.01 / 0.36)):
            result = run(build("elliptic_path", velocity=velocity, friction=mu_s, friction_t=mu_t), 0.7, step)
            error = np.linalg.norm(result.position[-1, 1, :2] - end) / np.linalg.norm(end)
            lines.append(
                below(
                    f"mu = ({mu_s}, {mu_t}), v = {velocity}, h = {step * 1e3:g} ms: end point, relative",
                    error,
                    tolerance,
                )
            )
        series.append(
            (f"mu = ({mu_s}, {mu_t}), v = {velocity}", result.position[:, 1, 0], result.position[:, 1, 1], "-")
        )
        series.append(("exact end", [end[0]], [end[1]], "kx"))
    velocity, mu_s, mu_t, end = ELLIPTIC[0]
    matrix = rotation_matrix(axis_angle((0, 0, 1), radians(30)))
    result = run(build("elliptic_path", frame=30.0), 0.7, 0.001)
    error = np.linalg.norm(result.position[-1, 1, :2] - (matrix @ [*end, 0.0])[:2]) / np.linalg.norm(end)
    lines.append(below("material axes turned by 30 degrees: end point, relative", error, 0.001 / 0.36))
    result = run(turned(build("elliptic_path"), TILT), 0.7, 0.001)
    path = (result.position[-1, 1] - result.position[0, 1]) @ rotation_matrix(TILT)
    error = np.linalg.norm(path[:2] - end) / np.linalg.norm(end)
    lines.append(below("whole scene turned: end point, relative", error, 0.001 / 0.36))
    return Outcome(tuple(lines), (Plot("elliptic_path", "Elliptic friction: paths", "x [m]", "y [m]", tuple(series)),))


CASES = (
    Case("sliding_block", "Sliding, rolling, drilling", sliding_block, quick=True),
    Case("incline_block", "Sliding, rolling, drilling", incline_block, quick=True),
    Case("slip_to_roll", "Sliding, rolling, drilling", slip_to_roll, quick=True),
    Case("rolling_incline", "Sliding, rolling, drilling", rolling_incline),
    Case("drilling", "Sliding, rolling, drilling", drilling),
    Case("studded_disk", "Coupled and directed friction", studded_disk),
    Case("contensou_pin", "Coupled and directed friction", contensou_pin, quick=True),
    Case("contensou_sphere", "Coupled and directed friction", contensou_sphere),
    Case("elliptic_path", "Coupled and directed friction", elliptic_path),
)
