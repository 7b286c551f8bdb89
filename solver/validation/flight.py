"""Free fall and impacts."""

from math import pi, sqrt

import numpy as np

from ..scenes import build
from .lines import Case, Line, Outcome, Plot, below, close, largest, word
from .run import run

G = 9.81


def free_fall():
    """z(t) = z0 + v t - g t^2/2, exact for the midpoint rule; semi-implicit Euler is off by -g h t/2."""
    exact = 10 + 2 - G / 2
    lines = []
    for step in (0.001, 0.01):
        result = run(build("free_fall"), 1.0, step)
        lines.append(close(f"height after 1 s, h = {step * 1e3:g} ms [m]", exact, result.position[-1, 0, 2], 1e-9, "m"))
    result = run(build("free_fall"), 1.0, 0.01, stepper="semi_implicit")
    error = result.position[-1, 0, 2] - exact
    lines.append(close("semi-implicit: error, h = 10 ms [m]", -G * 0.01 / 2, error, 0.01, relative=True))
    return lines


def peaks(height):
    """Heights at the local maxima of a sampled flight, by the parabola through three samples."""
    inner = np.flatnonzero((height[1:-1] > height[:-2]) & (height[1:-1] >= height[2:])) + 1
    left, mid, right = height[inner - 1], height[inner], height[inner + 1]
    curve = left - 2 * mid + right
    return mid - (right - left) ** 2 / (8 * np.where(curve != 0, curve, -1.0))


def bouncing_ball():
    """Peaks h_n = e^(2n) h0; at rest after sqrt(2 h0/g) (1+e)/(1-e)."""
    lines, series = [], []
    for e in (0.8, 0.5):
        rest = sqrt(2 / G) * (1 + e) / (1 - e)
        for step, tolerance in ((0.005, 0.015), (0.01, 0.06)):
            result = run(build("bouncing_ball", restitution=e), rest + 20 * step + 0.2, step)
            height = result.position[:, 1, 2] - 0.1
            found = peaks(height)[:3]
            for n, peak in enumerate(found, 1):
                label = f"e = {e}, h = {step * 1e3:g} ms: peak {n} [m]"
                lines.append(close(label, e ** (2 * n), peak, tolerance, relative=True))
            lines.append(word(f"e = {e}, h = {step * 1e3:g} ms: peaks found", "3", str(len(found))))
            late = result.times > rest + 20 * step
            lines.append(below("  speed at rest [m/s]", largest(result.twist[late, 1]), G * step, "m/s"))
            lines.append(below("  overlap at rest [m]", -height[late].min(), 1e-5, "m"))
            if step == 0.01:
                series.append((f"e = {e}", result.times, height, "-"))
    return Outcome(
        tuple(lines), (Plot("bouncing_ball", "Bouncing ball, h = 10 ms", "time [s]", "height [m]", tuple(series)),)
    )


def bouncing_box():
    """A box dropped flat rebounds to e^2 h0 and does not turn: four impacts at once."""
    lines = []
    for step in (0.001, 0.01):
        result = run(build("bouncing_box"), 0.6, step)
        height = result.position[:, 1, 2] - 0.1
        lines.append(close(f"rebound, h = {step * 1e3:g} ms [m]", 0.125, peaks(height)[0], 0.015, relative=True))
        lines.append(below("  angular velocity [rad/s]", largest(result.twist[:, 1, 3:]), 1e-6, "rad/s"))
    return lines


def restitution():
    """Rebound height e^2 h0 at h = 10 ms, never above the drop height."""
    scene = build("bounce")
    result = run(scene, 2.0)
    lines = []
    for e in (0.0, 0.25, 0.5, 0.75, 1.0):
        height = result.position[:, result.index(f"e{e}"), 2] - 0.1
        lowest = int(np.argmax(height < 0.06))
        while lowest + 1 < len(height) and height[lowest + 1] < height[lowest]:
            lowest += 1
        rebound = height[lowest:].max()
        lines.append(close(f"rebound at e = {e} [m]", e * e, rebound, 0.01 * max(e * e, 1e-3), "m"))
        lines.append(
            Line(
                "  above the drop height [m]",
                0.0,
                max(height.max() - 1.0, 0.0),
                "< 1e-09 m",
                bool(height.max() < 1 + 1e-9),
            )
        )
    return lines


def restitution_and_steps():
    """The rebound does not depend on the number of steps: peaks at h = 10, 5, 2.5 and 1.25 ms agree with e^2 h0."""
    found = []
    for step in (0.01, 0.005, 0.0025, 0.00125):
        result = run(build("bouncing_ball", restitution=0.7), 0.9, step)
        found.append(peaks(result.position[:, 1, 2] - 0.1)[0])
    return [
        close("spread of the first peak over four steps, in parts of it", 0, (max(found) - min(found)) / 0.49, 0.01)
    ]


def oblique_bounce():
    """Slips iff mu (1+e)|v_n| < (2/7)|slip|; sticking gives v = R omega = (5/7) v0; slipping dv = -mu (1+e)|v_n|."""
    lines = []
    for friction, along, spin in ((0.1, 1.46, 1.35), (0.5, 10 / 7, 10 / 7)):
        result = run(build("oblique_bounce", friction=friction), 0.05)
        end = result.twist[-1, 1]
        lines.append(close(f"mu = {friction}: v_n [m/s]", 2.4, end[2], 1e-9, "m/s"))
        lines.append(close("  v_x [m/s]", along, end[0], 1e-9, "m/s"))
        lines.append(close("  R omega [m/s]", spin, 0.1 * end[4], 1e-9, "m/s"))
    return lines


def superball():
    """Tangential restitution e_T: a sphere that grips keeps -e_T of its sliding velocity s.

    v -= (2/7)(1+e_T) s, R omega += (5/7)(1+e_T) s; it grips iff mu (1+e)|v_n| >= (2/7)(1+e_T)|s|, and else slips as
    with e_T = 0. With e = e_T = 1 and enough friction no energy is lost.
    """
    lines = []
    for turned, friction in ((0.5, 0.5), (1.0, 0.5), (1.0, 0.1)):
        result = run(build("oblique_bounce", friction=friction, tangential_restitution=turned), 0.05)
        push = min(2 / 7 * (1 + turned) * 2, friction * 1.8 * 3)
        label = f"e_T = {turned}, mu = {friction}: "
        lines.append(close(label + "v_x [m/s]", 2 - push, result.twist[-1, 1, 0], 1e-9, "m/s"))
        lines.append(close("  R omega [m/s]", 2.5 * push, 0.1 * result.twist[-1, 1, 4], 1e-9, "m/s"))
    result = run(build("oblique_bounce", friction=2.0, restitution=1.0, tangential_restitution=1.0), 0.05)
    lines.append(close("e = e_T = 1: kinetic energy kept", 1, result.kinetic()[-1] / result.kinetic()[0], 1e-9))
    lines.append(close("  v_x [m/s]", 6 / 7, result.twist[-1, 1, 0], 1e-9, "m/s"))
    return lines


def cradle_touching():
    """Touching balls, one simultaneous impact: v1 = v (1 - (1+e)(n-1)/n), the others v (1+e)/n."""
    lines = []
    for count, moving, e, exact in (
        (3, 1, 1.0, (-1 / 3, 2 / 3, 2 / 3)),
        (5, 1, 1.0, (-0.6, 0.4, 0.4, 0.4, 0.4)),
        (5, 2, 1.0, (-0.2, -0.2, 0.8, 0.8, 0.8)),
        (3, 1, 0.5, (0.0, 0.5, 0.5)),
    ):
        result = run(build("cradle", count=count, moving=moving, restitution=e), 0.05, accuracy=1e-10)
        error = largest(result.twist[-1, :, 0] - np.array(exact))
        lines.append(
            below(f"n = {count}, {moving} moving, e = {e}: largest error of a velocity [m/s]", error, 1e-9, "m/s")
        )
    return lines


def cradle_apart():
    """Balls 2 mm apart: impacts come one after the other, and the last ball leaves with the whole velocity."""
    result = run(build("cradle", count=5, gap=0.002), 0.05, 0.001)
    exact = np.array([0, 0, 0, 0, 1.0])
    error = largest(result.twist[-1, :, 0] - exact)
    return [below("n = 5, gap 2 mm, h = 1 ms: largest error of a velocity [m/s]", error, 1e-6, "m/s")]


def symmetric_break():
    """One ball on two at +-30 degrees: lambda = (1+e) cos 30/2.5; cue v - 2 lambda cos 30, objects lambda.

    The cue starts half a step away, so that the contacts, which the scheme finds at mid-step, are just closed.
    """
    lines = []
    for e in (1.0, 0.5, 0.0):
        result = run(build("symmetric_break", restitution=e, approach=0.005), 0.05, accuracy=1e-10)
        push = (1 + e) * np.cos(pi / 6) / 2.5
        lines.append(close(f"e = {e}: cue [m/s]", 1 - 2 * push * np.cos(pi / 6), result.twist[-1, 0, 0], 1e-9, "m/s"))
        speeds = np.linalg.norm(result.twist[-1, 1:, :3], axis=1)
        lines.append(below("  objects: largest error [m/s]", largest(speeds - push), 1e-9, "m/s"))
    return lines


def tunnelling():
    """A 10 cm cube at 50 m/s is stopped by a 2 cm plate, flat and corner first."""
    lines = []
    for turned in (0.0, 0.7):
        result = run(build("tunnelling", turned_by=turned), 0.5)
        # Corner first it spins up, slides to the edge of the plate (1 m) and falls off.
        over = np.abs(result.position[:, 1, :2]).max(axis=1) < 0.95
        lowest = result.position[over, 1, 2].min()
        lines.append(word(f"turned by {turned} rad", "stopped", "stopped" if lowest > 0.04 else "through"))
        lines.append(below("  overlap at the end [m]", result.overlap(), 1e-4, "m"))
    return lines


def kane_rod():
    """Newton's restitution law with friction would make energy in this impact, KE x 1.183466 with mu = 0.5. It keeps
    its energy, with as much of the restitution as does: 0.817124 with mu = 0.5, where the tip sticks, and 0.906679
    with 0.3, where it slips back. The rod's mass is 1 kg."""
    lines = []
    for friction, exact in ((0.5, 1.069378), (0.3, 1.061410)):
        result = run(build("kane_rod", friction=friction), 0.02, 0.001)
        gain = result.kinetic()[-1] / result.kinetic()[0]
        given = result.twist[-1, 1, 2] - result.twist[0, 1, 2]
        lines.append(close(f"mu = {friction}: kinetic energy after/before", 1.0, gain, 1e-6))
        lines.append(close(f"mu = {friction}: normal impulse [N s]", exact, given, 1e-3, "N s", relative=True))
    return lines


CASES = (
    Case("free_fall", "Flight and impact", free_fall, quick=True),
    Case("bouncing_ball", "Flight and impact", bouncing_ball, quick=True),
    Case("bouncing_box", "Flight and impact", bouncing_box, quick=True),
    Case("restitution", "Flight and impact", restitution, quick=True),
    Case("restitution_and_steps", "Flight and impact", restitution_and_steps, quick=True),
    Case("oblique_bounce", "Flight and impact", oblique_bounce, quick=True),
    Case("superball", "Flight and impact", superball, quick=True),
    Case("cradle_touching", "Flight and impact", cradle_touching, quick=True),
    Case("cradle_apart", "Flight and impact", cradle_apart, quick=True),
    Case("symmetric_break", "Flight and impact", symmetric_break, quick=True),
    Case("tunnelling", "Flight and impact", tunnelling, quick=True),
    Case("kane_rod", "Flight and impact", kane_rod),
)
