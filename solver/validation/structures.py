"""Structures that stand or fall at a limit from statics."""

from math import atan, cos, pi, radians, sin, sqrt, tan

import numpy as np
from scipy.integrate import quad

from ..methods import get_method, solve
from ..problem import from_delassus
from ..scene import Body, Motion, Scene
from ..scenes import build
from ..scenes.base import one_material
from ..scenes.cards import a_frame_limit
from ..scenes.leaning import ladder_limit, rollers_period
from ..scenes.stacks import leaning_stack_limit
from ..shapes import Box, Sphere
from .lines import Case, Outcome, Plot, below, close, largest, word
from .run import run, verdict

G = 9.81


def pair(name, parameter, limit, size, inside=0.99, outside=1.01, time=4.0, label="", larger_stands=True, **fixed):
    """Two lines: just on the safe side of `limit` the scene stands, just beyond it falls."""
    lines = []
    for factor in (inside, outside):
        wanted = "stands" if (factor > 1) == larger_stands else "falls"
        scene = build(name, **{parameter: factor * limit}, **fixed)
        found, _ = verdict(scene, size, time)
        lines.append(word(f"{label}{parameter} = {factor:g} of {limit:.6g}", wanted, found, "1 % / 30 % of the size"))
    return lines


def ladder():
    """mu_c = a/(1 - mu_w a), a = (L/2 cos - t/2 sin)/(L sin + mu_w L cos); thin: 1/(2 tan + mu_w)."""
    lines = []
    for wall_friction in (0.0, 0.3):
        limit = ladder_limit(wall_friction)
        lines += pair(
            "ladder", "friction", limit, 3.0, label=f"wall mu = {wall_friction}: ", wall_friction=wall_friction
        )
    return lines


def topple():
    """b/h = 1/3: slides if tan > mu, topples if tan > 1/3; mu = 0.3 slides and stays upright, 0.5 topples in place.

    0.332 and 0.335 are 0.4 % below and 0.5 % above 1/3. The slide is exact for the midpoint rule: 1e-6 is a hundred
    times what the residual of a solve, 1e-8 of g h a step, can add up to.
    """
    lines = []
    for slope, wanted in ((0.332, "stands"), (0.335, "falls")):
        found, result = verdict(build("topple_block", slope=slope), 0.1, 6.0)
        lines.append(word(f"mu = 0.5, tan = {slope}", wanted, found))
    lean = np.degrees(np.arccos(np.clip(result.turn(1)[-1, :, 2] @ result.turn(1)[0, :, 2], -1, 1)))
    lines.append(word("  it topples", "turned", "turned" if lean > 5 else f"turned by {lean:.2g} degrees"))
    result = run(build("topple_block", slope=0.32, friction=0.3), 1.0)
    slope = atan(0.32)
    exact = G * (sin(slope) - 0.3 * cos(slope)) / 2
    lines.append(
        close("mu = 0.3, tan = 0.32: slides [m in 1 s]", exact, result.displacement()[-1], 1e-6, relative=True)
    )
    lines.append(close("  without turning [rad/s]", 0, largest(result.twist[:, 1, 3:]), 1e-6))
    result = run(build("topple_block", slope=0.29, friction=0.3), 4.0)
    lines.append(close("mu = 0.3, tan = 0.29: stays [m in 4 s]", 0, result.displacement()[-1], 1e-9))
    return lines


def edge_loads():
    """N_up,down = (W/2)(cos -+ (h/b) sin); the tangential forces add to W sin."""
    result = run(build("corner_block"), 1.0)
    slope, weight = radians(15), result.model.mass[1] * G
    downhill = np.array([cos(slope), 0, -sin(slope)])
    normal = np.array([sin(slope), 0, cos(slope)])
    impulses = result.world_impulses() / result.step / weight
    lower = (result.contacts.position - result.position[-1, 1]) @ downhill > 0
    loads = impulses @ normal
    return [
        close("upper edge [W]", 0.288849, loads[~lower].sum(), 1e-3, relative=True),
        close("lower edge [W]", 0.677077, loads[lower].sum(), 1e-3, relative=True),
        close("tangential sum [W]", -0.258819, (impulses @ downhill).sum(), 1e-3, relative=True),
    ]


def even_loads():
    """Loads that statics leaves open are split as equal stiffness would: legs W/4 (1 + x d/a^2), two floors W/2."""
    a, d = 0.4, np.array([0.05, 0.1])
    legs = [(x, y) for x in (-a, a) for y in (-a, a)]
    bodies = [Body(f"leg{i}", Sphere(0.1), motion=Motion.STATIC, position=(*leg, -0.1)) for i, leg in enumerate(legs)]
    bodies.append(Body("top", Box((1.2, 1.2, 0.1)), position=(*d, 0.05)))
    exact = [0.25 * (1 + x * d[0] / a**2 + y * d[1] / a**2) for x, y in legs]
    lines = []
    for method in ("default", "accurate"):
        for order, name in ((1, "as listed"), (-1, "listed backwards")):
            result = run(Scene(tuple(bodies[::order]), one_material(0.5)), 0.05, method=method)
            weight = result.model.mass[result.index("top")] * G
            found = [result.force("top", f"leg{i}")[2] / weight for i in range(4)]
            lines.append(below(f"{method}, {name}: load of a leg [W]", largest(np.subtract(found, exact)), 1e-6, "W"))
    floors = [Body(name, Box((1, 1, 1)), motion=Motion.STATIC, position=(0, 0, -0.5)) for name in ("one", "two")]
    result = run(Scene((*floors, Body("ball", Sphere(0.1), position=(0, 0, 0.1))), one_material(0.5)), 0.05)
    weight = result.model.mass[result.index("ball")] * G
    lines.append(close("load of either of two floors in one place [W]", 0.5, result.force("ball", "two")[2] / weight,
                       1e-6, "W"))  # fmt: skip
    return lines


def rollers():
    """A plank on two rollers that turn towards each other swings: T = 2 pi sqrt((L - mu t/2)/(mu g)), undamped."""
    result = run(build("rollers"), 15.0)
    plank = result.index("plank")
    path, times = result.position[:, plank], result.times
    x = path[:, 0]
    up = np.flatnonzero((x[:-1] < 0) & (x[1:] >= 0))
    crossing = times[up] - x[up] * (times[up + 1] - times[up]) / (x[up + 1] - x[up])
    swings = [np.abs(x[a:b]).max() for a, b in zip(up[:-1], up[1:], strict=True)]
    return Outcome(
        (
            close("period, thin plank [s]", rollers_period(thickness=0.0), np.diff(crossing).mean(), 0.01,
                  relative=True),
            close("period [s]", rollers_period(), np.diff(crossing).mean(), 1e-3, relative=True),
            close("least amplitude of a swing [m]", 0.05, min(swings), 0.01, relative=True),
            close("largest amplitude of a swing [m]", 0.05, max(swings), 0.01, relative=True),
            below("off the middle line [m]", largest(path[:, 1]), 1e-3, "m"),
        ),
        (Plot("rollers", "Plank on rollers", "time [s]", "x [m]", (("plank", times, x, "-"),)),),
    )  # fmt: skip


def rocking():
    """Housner: p = sqrt(3 g/4R); quarter period by quadrature; each impact keeps r = 1 - 1.5 sin^2 alpha of the spin.

    The peak after an impact follows from 1 - cos(alpha - peak) = 1 - cos alpha - r^2 (cos(alpha - start) - cos alpha).
    A step that takes the load off the lifting edge from its start on is off by up to 1.5 g b h/(R^2 omega) in r: 1 % at
    1 ms, 10 % at 10 ms. A fifth of that is allowed, and for peaks, which add up impacts, 1 % at either step.
    """
    alpha, p, keeps = atan(0.25), sqrt(3 * G / (4 * sqrt(0.17))), 1 - 1.5 * sin(atan(0.25)) ** 2
    lines, series = [], []
    for step, tolerance in ((0.001, 0.002), (0.01, 0.02)):
        for fraction in (0.3, 0.5, 0.8):
            result = run(build("rocking_block", fraction=fraction), 2.4 if fraction == 0.8 else 0.8, step)
            angle = np.arctan2(result.turn(1)[:, 0, 2], result.turn(1)[:, 2, 2])
            spin = result.twist[:, 1, 4]
            times, found = swings(result.times, angle)
            quarter = rocking_quarter(fraction, alpha, p)
            label = f"h = {step * 1e3:g} ms, from {fraction} alpha: "
            lines.append(close(label + "quarter period [s]", quarter, times[0], 0.01, relative=True))
            # Between impacts spin^2/2 + p^2 cos(alpha - |angle|) is constant: it gives the spin at the impact itself.
            upright = np.sqrt(spin**2 + 2 * p * p * (np.cos(alpha - np.abs(angle)) - np.cos(alpha)))
            impact = int(np.argmax(np.signbit(angle)))
            lines.append(
                close("  spin kept at the impact", keeps, upright[impact + 6] / upright[impact - 6], tolerance)
            )
            series.append((f"{fraction} alpha, {step * 1e3:g} ms", result.times, angle / alpha, "-"))
        peak, time = 0.8, quarter
        for number, (measured, at) in enumerate(zip(found, times[1:], strict=True), 1):
            peak = rocking_peak(peak, alpha, keeps)
            lines.append(close(f"  peak {number} [alpha]", peak, measured / alpha, 0.01, relative=True))
            time += 2 * rocking_quarter(peak, alpha, p)
            lines.append(close(f"  impact {number + 1} [s]", time, at, 0.01, relative=True))
        lines.append(close("  peaks found", 3, len(found), 0))
    plot = Plot("rocking_block", "Rocking block", "time [s]", "angle / alpha", tuple(series))
    return Outcome(tuple(lines), (plot,))


def swings(times, angle):
    """Times at which the angle passes through zero, linear between samples, and the largest |angle| between them."""
    at = np.flatnonzero(np.signbit(angle[1:]) != np.signbit(angle[:-1]))
    zeros = times[at] + (times[at + 1] - times[at]) * angle[at] / (angle[at] - angle[at + 1])
    return zeros, [np.abs(angle[i : j + 1]).max() for i, j in zip(at[:-1], at[1:], strict=True)]


def rocking_peak(start, alpha, keeps):
    """The next peak, in parts of alpha, after one of `start` and an impact that keeps `keeps` of the spin."""
    energy = keeps**2 * (np.cos(alpha - start * alpha) - np.cos(alpha))
    return 1 - np.arccos(np.cos(alpha) + energy) / alpha


def rocking_quarter(fraction, alpha, p):
    """Time [s] from rest at fraction alpha to upright: theta'' = -p^2 sin(alpha - theta)."""
    start = fraction * alpha

    def slowness(x):
        # theta = start (1 - x^2) takes the root singularity at rest away.
        theta = start * (1 - x * x)
        energy = 2 * p * p * (np.cos(alpha - start) - np.cos(alpha - theta))
        return 2 * start * x / np.sqrt(energy) if x > 0 else sqrt(4 * start / (2 * p * p * sin(alpha - start)))

    return quad(slowness, 0, 1)[0]


def overhang():
    """n blocks reach sum 1/(2k) block lengths beyond an edge; 0.995 of every offset stands, 1.005 falls."""
    lines = []
    for count in (1, 2, 3, 5, 8):
        for scale, wanted in ((0.995, "stands"), (1.005, "falls")):
            found, _ = verdict(build("overhang", count=count, scale=scale), 0.2, 10.0 if scale > 1 else 4.0)
            lines.append(word(f"n = {count}, offsets x {scale}", wanted, found))
    return lines


def leaning_stack():
    """A stair of n blocks, each shifted by d: stands iff d < 1/n block lengths."""
    lines = []
    for count in (5, 10):
        limit = leaning_stack_limit(count)
        for factor, wanted in ((0.97, "stands"), (1.03, "falls")):
            found, _ = verdict(build("leaning_stack", count=count, offset=factor * limit), 0.5, 6.0)
            lines.append(word(f"n = {count}, d = {factor} of {limit:g}", wanted, found))
    return lines


def a_frame():
    """Two cards, smooth apex: mu_c = tan(phi)/2, here with the exact outline (thickness, cut apex).

    With a load of P card weights W on the apex: mu_c = tan(phi) (W + P)/(2 W + P), tan(phi) for a heavy one.
    """
    lines = []
    for angle in (15.0, 25.0, 35.0):
        for load in (0.0, 2.0, 50.0):
            label = f"phi = {angle:g}, load {load:g} W: "
            limit = a_frame_limit(angle, load=load)
            lines += pair("a_frame", "friction", limit, 1.0, label=label, angle=angle, load=load)
    return lines


def three_cylinders():
    """mu between cylinders >= tan 15 = 0.267949, on the floor >= 0.089316; contact force W/2."""
    lines = pair("three_cylinders", "friction", 0.267949, 0.1, 0.97, 1.03, label="between: ", floor_friction=0.3)
    lines += pair("three_cylinders", "floor_friction", 0.089316, 0.1, 0.97, 1.03, label="floor: ", friction=0.3)
    result = run(build("three_cylinders", friction=0.35), 1.0)
    weight = result.model.mass[3] * G
    force = result.force("top", "left")
    normal = np.array([0.5, 0.0, sqrt(3) / 2])
    lines.append(close("normal force at the upper contact [W]", 0.5, force @ normal / weight, 0.005))
    lines.append(
        close("  friction there [W]", 0.133975, np.linalg.norm(force - force @ normal * normal) / weight, 0.005)
    )
    return lines


def four_spheres():
    """Tetrahedral pile: mu between spheres >= 0.317837, on the floor >= 0.079459."""
    lines = pair("four_spheres", "friction", 0.317837, 0.1, 0.97, 1.03, label="between: ", floor_friction=0.3)
    return lines + pair("four_spheres", "floor_friction", 0.079459, 0.1, 0.97, 1.03, label="floor: ", friction=0.4)


def triangular_pile():
    """Frictionless, isostatic: n rows on n+1 fixed rollers load each of these with n W/2; no pressure dip."""
    lines = []
    for rows in (4, 8):
        result = run(build("triangular_pile", rows=rows), 0.2)
        weight = result.model.mass[-1] * G
        loads = [-sum_force(result, f"r0_{k}")[2] / weight for k in range(rows + 1)]
        error = largest(np.array(loads) / (rows / 2) - 1)
        lines.append(close(f"n = {rows}: largest relative error of a load", 0, error, 0.005))
    return lines


def sum_force(result, name):
    """Force (3,) [N] on a body from all its contacts in the last step."""
    i, impulse = result.index(name), result.world_impulses()
    on_b = impulse[result.contacts.body_b == i].sum(axis=0)
    return (on_b - impulse[result.contacts.body_a == i].sum(axis=0)) / result.step


def stack_problem(masses):
    """The contacts of a frictionless stack of `masses`, the lowest first: a ContactProblem of one row each, and its
    answer, the weight above [N s for g h = 1]."""
    inverse = 1.0 / np.asarray(masses)
    A = np.diag(inverse + np.r_[0.0, inverse[:-1]]) - np.diag(inverse[:-1], 1) - np.diag(inverse[:-1], -1)
    # A contact closes with g h where only its upper body falls.
    b = np.r_[-1.0, np.zeros(len(masses) - 1)]
    return from_delassus(A, b, [[]] * len(masses), row_start=np.arange(len(masses) + 1)), np.cumsum(masses[::-1])[::-1]


def force_error(problem, exact, method, sweeps):
    """Largest relative error of the loads after `sweeps` from zero."""
    impulse, options = np.zeros(problem.row_count), get_method(method).options
    solve(problem, impulse, method, options(max_iterations=sweeps, tolerance=0.0))
    return float(np.abs(impulse / exact - 1).max())


def sweeps_per_decade():
    """PGS on stacks, from the ground up: the error shrinks by M/(M+m) a sweep under a mass ratio, by cos^2(pi/2n) for n
    equal boxes; where every box is 8 times heavier than the one below, NNCG has an answer and PGS has none."""
    lines = []
    cases = [("1000 on 1", [1.0, 1000.0], 1000 / 1001, 4000)]
    cases += [(f"{n} equal boxes", [1.0] * n, cos(pi / 2 / n) ** 2, 8 * n * n) for n in (5, 10, 20)]
    for name, masses, factor, sweeps in cases:
        problem, exact = stack_problem(masses)
        first, last = (force_error(problem, exact, "pgs", count) for count in (sweeps // 2, sweeps))
        found = (sweeps - sweeps // 2) / np.log10(first / last)
        lines.append(close(f"{name}: PGS sweeps a decade", -1 / np.log10(factor), found, 0.005, relative=True))
    problem, exact = stack_problem([8.0**k for k in range(1, 6)])
    error = force_error(problem, exact, "pgs", 1000)
    lines.append(close("8 to 32768 kg, 1,000 sweeps: error of PGS", 0.83, error, 0.01))
    lines.append(below("  error of NNCG", force_error(problem, exact, "nncg", 1000), 1e-5))
    return lines


def locked_loads(half_angle):
    """Lines of weightless_nip: just above mu = tan alpha nothing is left but N = P cos and f = P sin; just below the
    disk leaves with 1e-8 sin(2 alpha) of the plates' speed."""
    alpha, speed, lines = radians(half_angle), 1e-7, []
    for factor in (1 + 1e-9, 1 - 1e-8):
        scene = build("weightless_nip", friction=factor * tan(alpha), half_angle=half_angle, speed=speed)
        result = run(scene, 0.01, method="accurate", tolerance=1e-20)
        leaves = np.linalg.norm(result.twist[-1, result.index("disk"), :3]) / speed
        if factor < 1:
            lines.append(close("  weightless, mu = (1 - 1e-8) tan alpha: disk leaves with [plates' speed]",
                               1e-8 * sin(2 * alpha), leaves, 0.05, relative=True))  # fmt: skip
            continue
        force = result.force("upper", "disk") * result.step / speed
        normal = abs(force @ result.contacts.normal[-1])
        lines += [
            below("  weightless, mu = (1 + 1e-9) tan alpha: N/(P cos) - 1", abs(normal / cos(alpha) - 1), 1e-9),
            below("    f/(P sin) - 1", abs(sqrt(force @ force - normal**2) / sin(alpha) - 1), 1e-9),
            below("    disk moves with [plates' speed]", leaves, 1e-9),
        ]
    return lines


def nip():
    """A disk between plates at half-angle alpha locks iff mu > tan alpha, with N = P cos, f = P sin (light disk).

    The disk's own weight (1e-3 of the load, which bounds the relative error of the forces) acts beside the line of
    the contacts; the horizontal forces that balance it push the upper plate with 1e-3 g tan(alpha)/2, and the locked
    disk rolls half as far as the plate goes: 1e-3 g tan(alpha) t^2/8. Locked means not beyond 1.2 times that.
    """
    lines, time = [], 0.5
    for half_angle in (10.0, 15.0, 25.0):
        limit = tan(radians(half_angle))
        for factor, wanted in ((0.99, "shoots out"), (1.01, "locks")):
            result = run(build("nip_disk", friction=factor * limit, half_angle=half_angle), time)
            moved = np.linalg.norm(result.position[-1, 2] - result.position[0, 2])
            rolls = 1e-3 * G * limit * time**2 / 8
            if factor > 1:
                worst = max(report.residual for report in result.reports)
                lines.append(below(f"alpha = {half_angle:g}, locked: largest residual [m/s]", worst, 1e-8, "m/s"))
            found = "locks" if moved < 1.2 * rolls else "shoots out" if moved > 0.03 else f"moves {moved:.3g} m"
            lines.append(word(f"alpha = {half_angle:g}, mu = {factor} tan alpha", wanted, found))
        force = result.force("upper", "disk")
        normal = result.contacts.normal[-1]
        share = abs(force @ normal)
        lines.append(close("  N [P]", cos(radians(half_angle)), share / 10, 1e-3, relative=True))
        lines.append(
            close("  f [P]", sin(radians(half_angle)), sqrt(force @ force - share**2) / 10, 1e-3, relative=True)
        )
        lines += locked_loads(half_angle)
    return lines


CASES = (
    Case("ladder", "Structures at their limit", ladder),
    Case("topple", "Structures at their limit", topple, quick=True),
    Case("rocking", "Structures at their limit", rocking),
    Case("overhang", "Structures at their limit", overhang),
    Case("leaning_stack", "Structures at their limit", leaning_stack),
    Case("a_frame", "Structures at their limit", a_frame),
    Case("three_cylinders", "Structures at their limit", three_cylinders, quick=True),
    Case("four_spheres", "Structures at their limit", four_spheres, quick=True),
    Case("triangular_pile", "Loads", triangular_pile),
    Case("edge_loads", "Loads", edge_loads, quick=True),
    Case("even_loads", "Loads", even_loads, quick=True),
    Case("rollers", "Loads", rollers),
    Case("sweeps_per_decade", "Loads", sweeps_per_decade),
    Case("nip", "Structures at their limit", nip),
)
