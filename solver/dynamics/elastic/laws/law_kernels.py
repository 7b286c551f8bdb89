"""All elastic laws in one form: stress and second derivatives in principal axes, chosen by number.

F = U diag(s) V^T. In the axes U (rows) and V (columns) the second derivative of an isotropic energy acts on the
diagonal by a 3x3 matrix `stretch`, and on each pair of off-diagonal entries (i, j) by a symmetric (`flip`) and an
antisymmetric mode (`twist`), numbered by the third axis (Smith, de Goes, Kim 2019, Analytic Eigensystems). To keep it
positive semidefinite is to clamp these few numbers. Linear elasticity has the same form with U = V = 1.
"""

from typing import NamedTuple

import numpy as np

from ....jit import inner
from . import corotational_kernels as corotational
from . import linear_kernels as linear
from . import neo_hookean_kernels as neo_hookean
from . import stvk_kernels as stvk
from .tensor_kernels import identity, project_positive, svd3

NEO_HOOKEAN, COROTATIONAL, LINEAR, STVK = range(4)

_neo_energy, _neo_principal = neo_hookean.energy_of, neo_hookean.principal
_corot_energy, _corot_principal = corotational.energy_of, corotational.principal
_stvk_energy, _stvk_principal = stvk.energy_of, stvk.principal
_linear_energy, _linear_stress, _linear_stiffness = linear.energy_of, linear.stress_of, linear.stiffness


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


@inner
def energy_at(law, p, mu, lam):
    """Energy density [J/m^3] at p.F."""
    if law == NEO_HOOKEAN:
        return _neo_energy(p.F, mu, lam)
    if law == LINEAR:
        return _linear_energy(p.F, mu, lam)
    if law == STVK:
        return _stvk_energy(p.F, mu, lam)
    svd3(p.F, p.A, p.U, p.s, p.V)
    return _corot_energy(p.s, mu, lam)


@inner
def principal_of(law, p, mu, lam):
    """Fill U, V, s, P, stretch, flip and twist at p.F."""
    if law == LINEAR:
        identity(p.U)
        identity(p.V)
        _linear_stress(p.F, mu, lam, p.P)
        _linear_stiffness(mu, lam, p.stretch, p.flip, p.twist)
        return
    svd3(p.F, p.A, p.U, p.s, p.V)
    if law == NEO_HOOKEAN:
        _neo_principal(p.s, mu, lam, p.stress, p.stretch, p.flip, p.twist)
    elif law == COROTATIONAL:
        _corot_principal(p.s, mu, lam, p.stress, p.stretch, p.flip, p.twist)
    else:
        _stvk_principal(p.s, mu, lam, p.stress, p.stretch, p.flip, p.twist)
    for i in range(3):
        for j in range(3):
            p.P[i, j] = 0.0
            for k in range(3):
                p.P[i, j] += p.U[i, k] * p.stress[k] * p.V[j, k]


@inner
def make_positive(p):
    """Clamp the second derivative at p to a positive semidefinite one."""
    for i in range(3):
        p.flip[i], p.twist[i] = max(p.flip[i], 0.0), max(p.twist[i], 0.0)
    project_positive(p.stretch, p.A, p.w, p.B)
