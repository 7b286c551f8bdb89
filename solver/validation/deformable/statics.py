"""Equilibria: a thick sphere that gas inflates, columns that buckle under a weight and under their own, torsion."""

from math import pi

import numpy as np

from ...dynamics.elastic.deformable import deformable, volume_within
from ...dynamics.elastic.elements import EDGES, boundary_faces
from ...meshes.tet_grids import ball_grid, box_grid
from ..lines import Case, below, close
from .elastic import CHAPTER, beam
from .equilibrium import equilibrium

# Pressure [Pa] at which the inner radius of a sphere a = 1, b = 2 of E = 1e6 has these stretches: stable Neo-Hookean,
# by integrating the radial equation; outer stretches of nu = .49.
INFLATED = {0.45: ((1.1, 97350.8), (1.3, 207066.4), (1.5, 256284.7)),
            0.49: ((1.1, 96038.6), (1.3, 204277.5), (1.5, 252675.2))}  # fmt: skip
OUTER = {1.1: 1.013888, 1.3: 1.048359, 1.5: 1.091702}


def _shell(cells):
    """Vertices and tetrahedra of a sphere of radius 2 without its inner half."""
    vertices, tets = ball_grid(2.0, cells)
    kept = tets[np.linalg.norm(vertices[tets], axis=2).max(axis=1) > 1.0 + 1e-9]
    used, number = np.unique(kept, return_inverse=True)
    return vertices[used], number.reshape(-1, 4)


def on_spheres(nodes, elements):
    """Places (n,3) of nodes (n,3) of straight quadratic elements (T,10) whose edges are bent along spheres about the
    origin."""
    bent = nodes.copy()
    for k, edge in enumerate(EDGES):
        middle = nodes[elements[:, 4 + k]]
        radius = np.linalg.norm(nodes[elements[:, edge]], axis=2).mean(axis=1)
        bent[elements[:, 4 + k]] = middle * (radius / np.maximum(np.linalg.norm(middle, axis=1), 1e-300))[:, None]
    return bent


def _outer_volume(body, x):
    """Volume [m^3] within the outer surface of a Deformable at node positions x (n,3)."""
    return body.cavity_volume(x) - volume_within(x, boundary_faces(body.elements))


def thick_sphere():
    """A thick sphere, b = 2 a, inflated by gas to stretches of its hole up to 1.5: pressure, and the outer radius.

    T10 with bent edges, 8 cells across the sphere, two across the wall.
    """
    lines = []
    for poisson, points in INFLATED.items():
        body = deformable(*_shell(8), 1e6, poisson, 1000.0, law="neo_hookean", element="t10",
                          bend=on_spheres)
        fixed, x = np.zeros(body.rest.shape, dtype=bool), body.rest.copy()
        for axis in range(3):
            # Three points on the axes, held so that nothing else is held.
            on = np.flatnonzero((np.abs(body.rest[:, axis]) > 2 - 1e-9) & (np.abs(body.rest).max(axis=1) > 2 - 1e-9))
            fixed[on, (axis + 1) % 3] = fixed[on, (axis + 2) % 3] = True
        empty = body.cavity_volume(body.rest)
        size, at = np.linalg.norm(body.rest, axis=1), 0.0
        filled = _outer_volume(body, body.rest)
        for stretch, pressure in points:
            x = x * (1.0 + (stretch - 1.0 - at) / np.maximum(size, 1.0)[:, None] ** 3)
            at = stretch - 1.0
            none = np.zeros_like(x)
            found = [equilibrium(body, x, fixed, none, 1e-8, pressure=p) for p in (pressure, 0.97 * pressure)]
            x = found[0].position
            reached = [np.cbrt(body.cavity_volume(one.position) / empty) for one in found]
            slope = 0.03 * pressure / (reached[0] - reached[1])
            label = f"nu {poisson}, inner stretch {stretch}"
            lines.append(close(f"{label}: pressure [Pa]", pressure, pressure + slope * (stretch - reached[0]), 0.02,
                               "Pa", relative=True))  # fmt: skip
            if poisson == 0.49:
                outer = np.cbrt(_outer_volume(body, x) / filled)
                lines.append(close(f"{label}: outer stretch", OUTER[stretch], outer, 0.002))
    return lines


def buckling():
    """A column 1 x 0.1 x 0.1 m of E = 1e6, held at its foot, under a weight on its head: straight 3 % below Euler's
    pi^2 E I/(4 L^2) = 20.56 N, bent 3 % above. T10, 20 x 1 x 1 cells, nu = 0, pushed sideways with 1e-4 of it."""
    vertices, tets = box_grid((20, 1, 1), (1.0, 0.1, 0.1), low=(0, 0, 0))
    body = deformable(vertices, tets, 1e6, 0.0, 1000.0, element="t10")
    X = body.rest
    fixed, end = np.repeat((X[:, 0] < 1e-9)[:, None], 3, axis=1), X[:, 0] > 1 - 1e-9
    load, lines = pi**2 * 1e6 * 0.1**4 / 12 / 4, []
    for factor, wanted in ((0.97, 0.0), (1.03, None)):
        push = np.zeros_like(X)
        push[end, 0] = -factor * load / end.sum()
        push[end, 2] = 1e-4 * load / end.sum()
        start = X.copy()
        start[:, 2] += 0.05 * (1 - np.cos(0.5 * pi * X[:, 0]))
        found = equilibrium(body, start, fixed, push, 1e-9, most=300)
        aside = (found.position - X)[end, 2].mean()
        label = f"{factor} of Euler's load: the head is aside by [m]"
        if wanted is not None:
            lines.append(below(label, aside, 0.02))
        else:
            # The elastica 3 % beyond; a short column gives way a little earlier than Euler's.
            lines.append(close(label, 0.3, aside, 0.1))
    return lines


# A heavy column held at its foot is unstable beyond HEAVY E I/(A L^3) of weight a volume (Greenhill 1881): 9/4 of the
# square of the least zero of the Bessel function J of order -1/3, 1.8663509.
HEAVY = 2.25 * 1.8663509**2


def buckling_own_weight():
    """A column 1 x 0.1 x 0.1 m of E = 1e6, held at its foot, under its own weight: Greenhill's 7.8373 E I/(A L^3),
    6531 N/m^3. Straight 3 % below, bent 3 % above; and by Southwell's method: aside = part of (weight/critical - 1)^-1,
    from 0.9 and 0.95 of it. T10, 20 x 1 x 1 cells, nu = 0, pushed sideways with 1e-5 of the weight."""
    body = beam((20, 1, 1), "t10", 0.0, 1e6, "neo_hookean")
    X, critical = body.rest, HEAVY * 1e6 * 0.1**2 / 12
    fixed, end = np.repeat((X[:, 0] < 1e-9)[:, None], 3, axis=1), X[:, 0] > 1 - 1e-9
    share, aside = body.mass / body.mass.sum(), {}
    for factor in (0.9, 0.95, 0.97, 1.03):
        load, start = np.zeros_like(X), X.copy()
        load[:, 0] = -factor * critical * 0.01 * share
        load[end, 2] = 1e-5 * critical * 0.01 / end.sum()
        start[:, 2] += (0.05 if factor > 0.96 else 0.001) * (1 - np.cos(0.5 * pi * X[:, 0]))
        aside[factor] = (equilibrium(body, start, fixed, load, 1e-9, most=300).position - X)[end, 2].mean()
    # 1/aside falls to nothing, in a line, where the column gives way.
    slope = (1 / aside[0.95] - 1 / aside[0.9]) / 0.05
    return [close("critical weight by Southwell's method over Greenhill's", 1.0, 0.95 - 1 / aside[0.95] / slope, 0.02),
            below("0.97 of Greenhill's weight: the head is aside by [m]", aside[0.97], 0.02, "m"),
            # The heavy elastica, by shooting; a percent of the critical weight is 0.05 m.
            close("1.03 of it: the head is aside by [m]", 0.354, aside[1.03], 0.05, "m")]  # fmt: skip


# Saint-Venant's torsion of a square section: torque = SQUARE a^4 G twist / L.
SQUARE = 0.140577015


def torsion():
    """A bar 1 x 0.1 x 0.1 m of E = 1e6, nu = .3, its ends turned and free to warp: Saint-Venant's twist over torque,
    L/(0.140577 a^4 G) = 0.184952 rad/(N m)."""
    lines, exact = [], 2.6 / (SQUARE * 1e6 * 0.1**4)
    for element, cells, wanted, tolerance in (("t10", (10, 2, 2), 1.0, 0.05), ("t10", (20, 4, 4), 1.0, 0.01),
                                              ("t4", (30, 6, 6), 0.752, 0.01)):  # fmt: skip
        ratio = 0.01 / _torque(beam(cells, element, 0.3, 1e6), 0.01) / exact
        label = f"{element}, {cells[0]}x{cells[1]}x{cells[2]} cells: twist over torque, over Saint-Venant's"
        lines.append(close(label, wanted, ratio, tolerance))
    return lines


def _torque(body, angle):
    """Torque [N m] on the far end of a bar along x from 0 to 1 m whose ends are turned by `angle` [rad] about its axis
    against each other; they may warp."""
    X = body.rest
    arm, foot, head = X[:, 1:] - 0.5 * (X[:, 1:].min(axis=0) + X[:, 1:].max(axis=0)), X[:, 0] < 1e-9, X[:, 0] > 1 - 1e-9
    fixed, start = np.zeros_like(X, dtype=bool), X.copy()
    fixed[foot | head, 1:] = True
    # One node holds the bar along its axis.
    fixed[np.flatnonzero(foot)[np.linalg.norm(arm[foot], axis=1).argmin()], 0] = True
    start[:, 1] -= angle * X[:, 0] * arm[:, 1]
    start[:, 2] += angle * X[:, 0] * arm[:, 0]
    reaction = equilibrium(body, start, fixed, np.zeros_like(X), 1e-8).reaction[head]
    return (arm[head, 0] * reaction[:, 2] - arm[head, 1] * reaction[:, 1]).sum()


CASES = (
    Case("thick_sphere", CHAPTER, thick_sphere), Case("buckling", CHAPTER, buckling),
    Case("buckling_own_weight", CHAPTER, buckling_own_weight, True), Case("torsion", CHAPTER, torsion, True),
)  # fmt: skip
