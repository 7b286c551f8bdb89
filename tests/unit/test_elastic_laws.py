"""Elastic laws: forces are derivatives of the energy, stiffness of the forces, and its projection is the nearest."""

import numpy as np
import pytest
from scipy.optimize import brentq

from stiction.solver.dynamics.elastic.deformable import deformable
from stiction.solver.dynamics.elastic.laws.law_kernels import limit_stretches
from stiction.solver.dynamics.elastic.laws.tensor_kernels import lame
from stiction.solver.laws.elastic_laws import LAWS
from stiction.solver.meshes.tet_grids import box_grid
from stiction.solver.validation.deformable.equilibrium import equilibrium


def body_of(law, element="t4", young=1e6, poisson=0.3, cells=(2, 2, 2), seed=None):
    poisson = min(poisson, LAWS[law].most_poisson)
    vertices, tets = box_grid(cells, (1.0, 1.0, 1.0), low=(0, 0, 0))
    if seed is not None:
        inner = np.all((vertices > 1e-9) & (vertices < 1 - 1e-9), axis=1)
        vertices[inner] += 0.05 * np.random.default_rng(seed).standard_normal((inner.sum(), 3))
    return deformable(vertices, tets, young, poisson, 1000.0, law=law, element=element)


def dense(body, blocks):
    K = np.zeros((body.node_count, 3, body.node_count, 3))
    for r, c, block in zip(body.symbolic.pair_row, body.symbolic.pair_column, blocks, strict=True):
        K[r, :, c] = block
        K[c, :, r] = block.T
    return K.reshape(3 * body.node_count, -1)


def difference(function, x, direction, step):
    """Derivative along a direction, of sixth order."""
    weights = ((1, 45.0), (2, -9.0), (3, 1.0))
    total = sum(w * (function(x + k * step * direction) - function(x - k * step * direction)) for k, w in weights)
    return total / (60.0 * step)


@pytest.mark.parametrize("element", ["t4", "t10"])
@pytest.mark.parametrize("law", [law for law in LAWS if law != "linear"])
def test_energy_near_rest_is_that_of_the_strain_and_no_round_off_of_the_stiffness(law, element):
    """Anywhere and turned: what stiff bodies have by their round-off alone would drown what they really store."""
    body, rng = body_of(law, element, young=1e11, poisson=0.4999), np.random.default_rng(2)
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    turn *= np.linalg.det(turn)
    whole = 1e11 * 1.0
    assert abs(body.energy(body.rest @ turn.T + [3.0, -2.0, 5.0])[0]) < 1e-26 * whole
    small = 1e-8 * rng.standard_normal((3, 3))
    linear = body_of("linear", element, young=1e11, poisson=min(0.4999, LAWS[law].most_poisson))
    stored = body.energy((body.rest + body.rest @ small.T) @ turn.T)[0]
    assert stored == pytest.approx(linear.energy(linear.rest + linear.rest @ small.T)[0], rel=1e-5)


# States for differences: of foam away from stretch 1, where the third derivative of its energy jumps.
FOAM = [("hill_ogden", 0.7, 0.003), ("hill_ogden", 1.4, 0.01)]
STATES = [(law, 1.0, 0.03) for law in LAWS if law != "hill_ogden"] + FOAM


@pytest.mark.parametrize("poisson", [0.0, 0.3, 0.49])
@pytest.mark.parametrize("element", ["t4", "t10"])
@pytest.mark.parametrize(("law", "size", "noise"), STATES)
def test_forces_and_stiffness_are_derivatives(law, size, noise, element, poisson):
    body, rng = body_of(law, element, poisson=poisson), np.random.default_rng(1)
    x = size * body.rest + noise * rng.standard_normal(body.rest.shape)
    # Fast ones of foam under pressure: J^-6.
    direction, step = rng.standard_normal(x.shape), 1e-4 if law == "hill_ogden" else 3e-4
    blocks = np.zeros((len(body.symbolic.pair_row), 3, 3))
    force = body.forces(x, blocks, project=False)
    assert np.abs(force - body.forces(x)).max() <= 1e-14 * np.abs(force).max()
    slope = difference(lambda y: body.energy(y)[0], x, direction, step)
    assert abs(slope + (force * direction).sum()) <= 1e-9 * np.abs(force * direction).sum()
    change = difference(body.forces, x, direction, step)
    assert np.abs(change.ravel() + dense(body, blocks) @ direction.ravel()).max() <= 1e-9 * np.abs(change).max()


def inverted(body, seed):
    """Nodes (n,3) of a body whose elements are turned inside out, some of them."""
    return body.rest + 0.4 * np.random.default_rng(seed).standard_normal(body.rest.shape)


@pytest.mark.parametrize("element", ["t4", "t10"])
@pytest.mark.parametrize("law", ["ciarlet_geymonat", "hill_ogden"])
def test_what_is_inside_out_has_an_energy_and_derivatives_too(law, element):
    body = body_of(law, element)
    x = inverted(body, 3)
    assert body.energy(x)[1] < 0.0
    direction = np.random.default_rng(4).standard_normal(x.shape)
    slope = difference(lambda y: body.energy(y)[0], x, direction, 1e-6)
    force = body.forces(x)
    assert abs(slope + (force * direction).sum()) <= 1e-7 * np.abs(force * direction).sum()


@pytest.mark.parametrize("law", LAWS)
def test_the_rest_state_has_no_stress_and_turns_freely(law):
    body = body_of(law, "t10")
    assert np.abs(body.forces(body.rest)).max() < 1e-8
    if law != "linear":
        c, s = np.cos(1.0), np.sin(1.0)
        assert np.abs(body.forces(body.rest @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1.0]]))).max() < 1e-8


@pytest.mark.parametrize("law", LAWS)
def test_projected_stiffness_clamps_the_eigenvalues_of_every_element(law):
    # One tetrahedron: its stiffness is B^T H B, so the projection of H is seen through B alone.
    rng = np.random.default_rng(2)
    tet = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    body = deformable(tet, [[0, 1, 2, 3]], 1.0, 0.45, 1.0, law=law)
    gradient = body.gradient[0, 0]
    B = np.einsum("aj,ik->ijak", gradient, np.eye(3)).reshape(9, 12)
    for k in range(200):
        F = rng.standard_normal((3, 3)) * (0.3 if k % 2 else 1.0) + np.eye(3)
        x = tet @ F.T
        blocks = np.zeros((len(body.symbolic.pair_row), 3, 3))
        body.forces(x, blocks, project=False)
        pinv = np.linalg.pinv(B)
        H = pinv.T @ dense(body, blocks) @ pinv / body.volume.sum()
        values, vectors = np.linalg.eigh(0.5 * (H + H.T))
        wanted = (vectors * np.maximum(values, 0.0)) @ vectors.T
        body.forces(x, blocks, project=True)
        found = pinv.T @ dense(body, blocks) @ pinv / body.volume.sum()
        assert np.abs(found - wanted).max() <= 1e-11 * max(1.0, np.abs(values).max())


def pressed(law, stretch, young, poisson):
    """Nominal stress [Pa] of a bar with free sides by the closed form of its law."""
    mu, lam = lame(young, poisson)
    s = stretch
    if law == "hill_ogden":
        # Free sides t: e'(t) t = J^(-8 b), J = t^2 s, b = nu/(1 - 2 nu); e' in units of mu/4.
        def slope(x):
            return x**7 if x < 1.0 else 1.0 + 7.0 * (x - 1.0)

        b = poisson / (1.0 - 2.0 * poisson)
        t = brentq(lambda t: slope(t) * t - (t * t * s) ** (-8.0 * b), 0.5, 2.0, xtol=1e-14)
        return 0.25 * mu * (slope(s) - (t * t * s) ** (-8.0 * b) / s)
    root = np.sqrt(mu * mu + lam * s * s * (2.0 * mu + lam)) - mu
    square = 1.0 if lam == 0.0 else root / (lam * s * s)
    J = square * s
    return mu * s + (0.5 * lam * J - (mu + 0.5 * lam) / J) * square


@pytest.mark.parametrize("element", ["t4", "t10"])
@pytest.mark.parametrize(("law", "poisson", "stretch"), [
    ("ciarlet_geymonat", 0.0, 0.6), ("ciarlet_geymonat", 0.3, 0.6), ("ciarlet_geymonat", 0.45, 0.7),
    ("ciarlet_geymonat", 0.3, 1.8), ("hill_ogden", 0.0, 0.6), ("hill_ogden", 0.2, 0.7), ("hill_ogden", 0.0, 1.5),
])  # fmt: skip
def test_uniaxial_curves(law, poisson, stretch, element):
    body = body_of(law, element, 1e6, poisson, (2, 2, 2), seed=0)
    X = body.rest
    fixed = X < 1e-9
    fixed[:, 0] |= X[:, 0] > 1 - 1e-9
    found = equilibrium(body, X * [stretch, 1, 1], fixed, np.zeros_like(X))
    stress = -found.reaction[X[:, 0] < 1e-9, 0].sum()
    assert stress == pytest.approx(pressed(law, stretch, 1e6, poisson), rel=1e-6)


def test_pressures_of_the_page():
    """P/E where a bar is pressed to half its length: laws.md."""
    table = [("ciarlet_geymonat", 0.0, 0.75), ("ciarlet_geymonat", 0.3, 0.88), ("ciarlet_geymonat", 0.45, 1.08),
             ("hill_ogden", 0.0, 0.25), ("hill_ogden", 0.3, 0.70)]  # fmt: skip
    for law, poisson, wanted in table:
        assert -pressed(law, 0.5, 1.0, poisson) == pytest.approx(wanted, abs=0.006)


@pytest.mark.parametrize(("law", "poisson", "wanted"), [
    ("neo_hookean", 0.0, 0.693), ("neo_hookean", 0.3, 0.418), ("neo_hookean", 0.45, 0.136), ("stvk", 0.3, 3**-0.5),
    ("ciarlet_geymonat", 0.3, 0.0), ("hill_ogden", 0.0, 0.0),
])  # fmt: skip
def test_limit_points(law, poisson, wanted):
    mu, lam = lame(1e6, poisson)
    assert limit_stretches(LAWS[law].number, np.array([mu]), np.array([lam]))[0] == pytest.approx(wanted, abs=5e-4)


@pytest.mark.parametrize(("young", "poisson", "stretch", "wanted"), [
    (1e5, 0.45, 1.5, 35887.612), (1e6, 0.3, 0.8, -233173.077), (1e6, 0.3, 2.0, 653846.154),
])  # fmt: skip
@pytest.mark.parametrize("element", ["t4", "t10"])
def test_uniaxial_stretch_of_a_distorted_mesh(element, young, poisson, stretch, wanted):
    body = body_of("neo_hookean", element, young, poisson, (3, 3, 3), seed=0)
    X = body.rest
    fixed = X < 1e-9
    fixed[:, 0] |= X[:, 0] > 1 - 1e-9
    found = equilibrium(body, X * [stretch, 1, 1], fixed, np.zeros_like(X))
    stress = -found.reaction[X[:, 0] < 1e-9, 0].sum()
    assert stress == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(("poisson", "shear", "normal"), [
    (0.3, 192307.692, 96153.846), (0.49, 167785.235, 83892.617),
])  # fmt: skip
def test_simple_shear(poisson, shear, normal):
    body = body_of("neo_hookean", "t4", 1e6, poisson, (3, 3, 3), seed=1)
    X, F = body.rest, np.array([[1, 0.5, 0], [0, 1, 0], [0, 0, 1.0]])
    force = -body.forces(np.ascontiguousarray(X @ F.T))
    top = X[:, 1] > 1 - 1e-9
    assert force[top, 0].sum() == pytest.approx(shear, rel=1e-8)
    # Cauchy's stress is P F^T: along the shear mu gamma^2, across it none.
    right = X[:, 0] > 1 - 1e-9
    assert force[right, 0].sum() + 0.5 * force[top, 0].sum() == pytest.approx(normal, rel=1e-8)
    assert abs(force[top, 1].sum()) < 1e-9 * shear
