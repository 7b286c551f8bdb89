"""Elements and laws: beams and pads near Poisson's ratio .5, what the estimate of a mesh's error says of them, and bars
that are pressed far."""

import numpy as np

from ...dynamics.elastic.checks.mesh_error import mesh_error, rest_answer
from ...dynamics.elastic.deformable import deformable
from ...dynamics.elastic.laws.tensor_kernels import lame
from ...meshes.tet_grids import box_grid
from ..lines import Case, close, within
from .elastic import CHAPTER
from .equilibrium import equilibrium

# Own weight [N/m^3] of the beams, E = 1e6 Pa, 0.1 m thick, ten times as long.
WEIGHT = 50.0
# Sag [m] of the corners in the middle of a beam held at both ends, and at the end of one held at one, by Poisson's
# ratio; force [N] of a pad 0.2 x 0.2 x 0.05 m glued on both sides and pressed by 0.1 mm: 27-node mixed bricks,
# refined once.
SAGS = {2: {0.3: 1.72524e-4, 0.49: 1.69865e-4, 0.4999: 1.69613e-4}, 1: {0.3: 7.51061e-3, 0.49: 7.39569e-3}}
PADS = {0.3: 97.798, 0.49: 232.90, 0.4999: 267.37}


def _beam(ends, poisson, cells, element):
    vertices, tets = box_grid(cells, (1.0, 0.1, 0.1), low=(0, 0, 0))

    def pinned(x):
        return (x[:, 0] < 1e-9) | ((ends == 2) & (x[:, 0] > 1.0 - 1e-9))

    return deformable(vertices, tets, 1e6, poisson, 1000.0, element=element, pinned=pinned)


def _sag(body, ends):
    density = np.zeros_like(body.rest)
    density[:, 2] = -WEIGHT
    _, u = rest_answer(body, density)
    X = body.rest
    corner = (np.abs(X[:, 1:] - 0.05) > 0.05 - 1e-9).all(axis=1)
    return -u[corner & (np.abs(X[:, 0] - 1.0 / ends) < 1e-9), 2].mean()


def near_incompressible():
    """Quadratic elements bend alike at every Poisson's ratio: sag under the own weight over that of fine mixed bricks
    less 1; the page on laws says where they do not. What the estimate of the mesh's error says, beside it."""
    lines = []
    for ends, poisson, cells, bound in ((2, 0.3, (10, 1, 1), 0.07), (2, 0.49, (10, 1, 1), 0.07),
                                        (2, 0.4999, (10, 1, 1), 0.07), (2, 0.3, (20, 2, 2), 0.03),
                                        (2, 0.49, (20, 2, 2), 0.03), (2, 0.4999, (20, 2, 2), 0.03),
                                        (1, 0.3, (10, 1, 1), 0.05), (1, 0.49, (10, 1, 1), 0.05)):  # fmt: skip
        body = _beam(ends, poisson, cells, "t10")
        off = _sag(body, ends) / SAGS[ends][poisson] - 1.0
        held = "both ends" if ends == 2 else "one end"
        label = f"t10, {held} held, nu {poisson}, {'x'.join(map(str, cells))}"
        lines.append(within(f"{label}: sag off by", -bound, bound, off))
    for element, poisson, cells in (("t4", 0.3, (10, 1, 1)), ("t4", 0.49, (20, 2, 2)), ("t10", 0.3, (10, 1, 1))):
        body = _beam(2, poisson, cells, element)
        true = SAGS[2][poisson] / _sag(body, 2) - 1.0
        found = mesh_error(body, body.mass[:, None] * [0.0, 0.0, -1.0])
        label = f"{element}, both ends held, nu {poisson}, {'x'.join(map(str, cells))}: {100 * true:.0f} % too stiff"
        lines.append(within(f"{label}; estimate over that", 0.5, 2.0, found / true))
    return lines


def _pad(cells, poisson):
    vertices, tets = box_grid(cells, (0.2, 0.2, 0.05))
    body = deformable(vertices, tets, 1e6, poisson, 1000.0, law="linear", element="t10")
    X = body.rest
    top = X[:, 2] > 0.025 - 1e-9
    fixed = np.repeat((np.abs(X[:, 2]) > 0.025 - 1e-9)[:, None], 3, axis=1)
    found = equilibrium(body, X - 1e-4 * top[:, None] * [0.0, 0.0, 1.0], fixed, np.zeros_like(X))
    return -found.reaction[top, 2].sum()


def glued_pads():
    """A glued pad is the worst that near incompressibility asks of a mesh: one layer is too stiff, and that is said."""
    lines = []
    for cells, poisson, low, high in (((4, 4, 1), 0.3, 0.0, 0.05), ((8, 8, 2), 0.49, -0.02, 0.1),
                                      ((8, 8, 2), 0.4999, -0.02, 0.15), ((4, 4, 1), 0.49, 0.1, 0.3),
                                      ((4, 4, 1), 0.4999, 0.15, 0.5)):  # fmt: skip
        label = f"nu {poisson}, {'x'.join(map(str, cells))}: force off by"
        lines.append(within(label, low, high, _pad(cells, poisson) / PADS[poisson] - 1.0))
    return lines


def _pressed(law, poisson, stretch, element):
    """Nominal stress [Pa] of a bar of E = 1 Pa with free sides, on a distorted mesh, in steps of a twentieth."""
    vertices, tets = box_grid((2, 2, 2), (1.0, 1.0, 1.0), low=(0, 0, 0))
    inner = np.all((vertices > 1e-9) & (vertices < 1 - 1e-9), axis=1)
    vertices[inner] += 0.05
    body = deformable(vertices, tets, 1.0, poisson, 1000.0, law=law, element=element)
    X, x = body.rest, body.rest
    fixed = X < 1e-9
    fixed[:, 2] |= X[:, 2] > 1 - 1e-9
    at = 1.0
    while at > stretch + 1e-9:
        to = max(stretch, at - 0.05)
        x = equilibrium(body, x * [1.0, 1.0, to / at], fixed, np.zeros_like(X))
        reaction, x, at = x.reaction, x.position, to
    return float(reaction[X[:, 2] > 1 - 1e-9, 2].sum())


def pressed_far():
    """Bars with free sides pressed to half their length, against the closed forms of their laws: mu = E/(2 + 2 nu),
    P = mu s + (lambda J/2 - (mu + lambda/2)/J) t^2, lambda s^2 t^4 + 2 mu t^2 = 2 mu + lambda, J = s t^2; foam without
    Poisson's effect P = (E/8)(s^7 - 1/s)."""
    lines = []
    for poisson, element in ((0.0, "t4"), (0.3, "t4"), (0.3, "t10")):
        mu, lam = lame(1.0, poisson)
        s = 0.55 if element == "t10" else 0.5
        square = 1.0 if lam == 0.0 else (np.sqrt(mu * mu + lam * s * s * (2 * mu + lam)) - mu) / (lam * s * s)
        J = s * square
        exact = mu * s + (0.5 * lam * J - (mu + 0.5 * lam) / J) * square
        found = _pressed("ciarlet_geymonat", poisson, s, element)
        lines.append(close(f"ciarlet_geymonat, {element}, nu {poisson}, stretch {s}: stress [E]", exact, found, 1e-6,
                           relative=True))  # fmt: skip
    for s in (0.5, 0.3):
        found = _pressed("hill_ogden", 0.0, s, "t4")
        lines.append(close(f"hill_ogden, t4, nu 0, stretch {s}: stress [E]", (s**7 - 1 / s) / 8, found, 1e-6,
                           relative=True))  # fmt: skip
    return lines


CASES = tuple(Case(one.__name__, CHAPTER, one) for one in (near_incompressible, glued_pads, pressed_far))
