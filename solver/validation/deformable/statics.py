"""Equilibria at large strain: a thick sphere that gas inflates, a column that buckles."""

from math import pi

import numpy as np

from ...dynamics.elastic.deformable import deformable, volume_within
from ...dynamics.elastic.elements import EDGES, boundary_faces
from ...meshes.tet_grids import ball_grid, box_grid
from ..lines import Case, below, close
from .elastic import CHAPTER
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
        body = deformable(*_shell(8), 1e6, poisson, 1000.0, element="t10", bend=on_spheres)
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


CASES = (Case("thick_sphere", CHAPTER, thick_sphere), Case("buckling", CHAPTER, buckling))
