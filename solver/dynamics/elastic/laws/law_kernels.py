"""All elastic laws in one form: stress and second derivatives in principal axes, chosen by number.

F = U diag(s) V^T. In the axes U (rows) and V (columns) the second derivative of an isotropic energy acts on the
diagonal by a 3x3 matrix `stretch`, and on each pair of off-diagonal entries (i, j) by a symmetric (`flip`) and an
antisymmetric mode (`twist`), numbered by the third axis (Smith, de Goes, Kim 2019, Analytic Eigensystems). To keep it
positive semidefinite is to clamp these few numbers. Linear elasticity has the same form with U = V = 1.

A law is a file of this room with energy_of, principal, stress, measure_of, measure_slope, volumetric, limit_stretch.
Its energy grows with lambda by h of a measure of volume, Psi(lambda) = Psi(0) + lambda h(measure), so that an element
may take h of the mean of that measure instead (element_kernels.mean_of).
"""

from typing import NamedTuple

import numpy as np

from ....jit import inner
from ....laws.elastic_laws import LAWS
from . import (
    ciarlet_geymonat_kernels,
    corotational_kernels,
    hill_ogden_kernels,
    linear_kernels,
    neo_hookean_kernels,
    stvk_kernels,
)
from .tensor_kernels import project_positive

# By the number of the law.
BY_NUMBER = sorted(LAWS, key=lambda name: LAWS[name].number)
MODULES = (neo_hookean_kernels, corotational_kernels, linear_kernels, stvk_kernels, ciarlet_geymonat_kernels,
           hill_ogden_kernels)  # fmt: skip


class Point(NamedTuple):
    """State and derivatives at one point of a body: F, P (stress), U, V, stretch (3,3); s, stress, flip, twist (3,);
    work: (3,3) twice, (3,)."""

    F: np.ndarray
    P: np.ndarray
    U: np.ndarray
    V: np.ndarray
    s: np.ndarray
    stress: np.ndarray
    stretch: np.ndarray
    flip: np.ndarray
    twist: np.ndarray
    A: np.ndarray
    B: np.ndarray
    w: np.ndarray


@inner
def make_point():
    """A Point with room for everything."""
    return Point(
        np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(3), np.zeros(3),
        np.zeros((3, 3)), np.zeros(3), np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(3),
    )  # fmt: skip


def _chosen(code, name, branch):
    """The function `name` of all laws from `code` on: `branch` picks between that of a law and those behind it."""
    own = getattr(MODULES[code], name)
    last = code == len(MODULES) - 1
    return branch(code, own, own if last else _chosen(code + 1, name, branch), last)


def _of_energy(code, own, others, last):
    if last:
        return inner(lambda law, p, mu, lam: own(p, mu, lam))

    @inner
    def energy(law, p, mu, lam):
        if law == code:
            return own(p, mu, lam)
        return others(law, p, mu, lam)

    return energy


def _of_derivatives(code, own, others, last):
    if last:
        return inner(lambda law, p, mu, lam, mean: own(p, mu, lam, mean))

    @inner
    def principal(law, p, mu, lam, mean):
        if law == code:
            own(p, mu, lam, mean)
        else:
            others(law, p, mu, lam, mean)

    return principal


def _of_one(code, own, others, last):
    if last:
        return inner(lambda law, a: own(a))

    @inner
    def one(law, a):
        if law == code:
            return own(a)
        return others(law, a)

    return one


def _of_slope(code, own, others, last):
    if last:
        return inner(lambda law, p, out: own(p, out))

    @inner
    def slope(law, p, out):
        if law == code:
            own(p, out)
        else:
            others(law, p, out)

    return slope


# Energy density [J/m^3] at p.F, of (law, p, mu, lam).
energy_at = _chosen(0, "energy_of", _of_energy)
# Fills U, V, s, P, stretch, flip and twist at p.F, of (law, p, mu, lam, mean); mean [Pa]: pressure on the law's measure
# of volume, of a part of the energy that is no function of this point alone.
principal_of = _chosen(0, "principal", _of_derivatives)
# P alone, of the same.
stress_of = _chosen(0, "stress", _of_derivatives)
# The law's measure of volume at p.F, of (law, p); its derivative by F into out (3,3), after principal_of, of
# (law, p, out); (h, h', h'') of a measure theta, what the energy grows by for each lambda, of (law, theta).
measure_at, volumetric_at = _chosen(0, "measure_of", _of_one), _chosen(0, "volumetric", _of_one)
measure_slope_at = _chosen(0, "measure_slope", _of_slope)


@inner
def make_positive(p):
    """Clamp the second derivative at p to a positive semidefinite one."""
    for i in range(3):
        p.flip[i], p.twist[i] = max(p.flip[i], 0.0), max(p.twist[i], 0.0)
    project_positive(p.stretch, p.A, p.w, p.B)


def limit_stretches(law, mu, lam):
    """Stretches (T,) at which bars of a law (its number) with free sides bear their largest pressure, 0 for none; mu,
    lam (T,) [Pa]."""
    pairs, which = np.unique(np.stack([mu, lam], axis=1), axis=0, return_inverse=True)
    return np.array([MODULES[law].limit_stretch(*pair) for pair in pairs.tolist()])[which.ravel()]


if [module.__name__.rpartition(".")[2] for module in MODULES] != [f"{name}_kernels" for name in BY_NUMBER]:
    raise ImportError("MODULES do not stand in the order of the laws' numbers")
