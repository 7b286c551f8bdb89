"""The closest point of an ellipsoid (Erleben 2017, section 4.1) and of the other friction sets."""

import numpy as np
import pytest

from stiction.solver.laws.friction_laws import FrictionLaw
from stiction.solver.methods.papers.ellipsoid_kernels import (
    closest_by_gradient,
    closest_friction,
    closest_in_ellipsoid,
    closest_in_polygon,
)

# Semi-axes, point, closest point; computed with high precision.
TABLE = [
    ((1, 0.5, 0.1), (2, 1, 0.5), (0.932526127267, 0.179248472289, 0.0043300839396)),
    ((1, 0.5, 0.1), (-2, 1, -0.5), (-0.932526127267, 0.179248472289, -0.0043300839396)),
    ((1, 1, 1), (3, 4, 0), (0.6, 0.8, 0)),
    ((0.75, 0.75, 0.01), (1, 1, 1), (0.530223358589, 0.530223358589, 0.000200612401716)),
    ((0.75, 0.75, 0.01), (0, 0, 5), (0, 0, 0.01)),
    ((0.75, 0.75, 0.01), (0.001, 0, 0.02), (0.000999822253506, 0, 0.00999999111427)),
    ((1e-6, 2e-6, 1e-8), (1, 2, 3), (2.425293713e-7, 1.94023355871e-6, 7.27588290344e-11)),
    ((5, 1, 0.2), (-1e6, 1, 1), (-5, 2.00000960005e-7, 8.0000399362e-9)),
]


def closest(axes, point):
    z = np.array(point, dtype=float)
    closest_in_ellipsoid(np.array(axes, dtype=float), z, len(z))
    return z


@pytest.mark.parametrize(("axes", "point", "expected"), TABLE)
def test_the_table_of_closest_points(axes, point, expected):
    # Twelve printed digits.
    np.testing.assert_allclose(closest(axes, point), expected, rtol=2e-10, atol=1e-17)


def test_a_point_inside_stays_bit_for_bit():
    point = np.array([0.3, -0.1, 0.02])
    np.testing.assert_array_equal(closest((1, 0.5, 0.1), point), point)


def test_no_ellipsoid_at_all_gives_zero():
    np.testing.assert_array_equal(closest((0, 0, 0), (1, -2, 3)), np.zeros(3))


@pytest.mark.parametrize("flat", [0, 1, 2])
def test_a_flat_axis_leaves_the_ellipse_of_the_others(flat):
    axes, point = np.array([0.7, 0.4, 0.2]), np.array([1.0, -2.0, 0.5])
    axes[flat] = 0.0
    others = [i for i in range(3) if i != flat]
    result = closest(axes, point)
    assert result[flat] == 0.0
    np.testing.assert_allclose(result[others], closest(axes[others], point[others]), rtol=1e-12)


def test_the_displacement_is_normal_to_the_surface():
    rng = np.random.default_rng(3)
    for _ in range(200):
        axes, point = rng.uniform(0.01, 2.0, 3), rng.normal(size=3) * 5
        x = closest(axes, point)
        if np.sum((point / axes) ** 2) <= 1:
            continue
        assert np.sum((x / axes) ** 2) == pytest.approx(1.0, rel=1e-9)
        normal, step = x / axes**2, point - x
        assert normal @ step == pytest.approx(np.linalg.norm(normal) * np.linalg.norm(step), rel=1e-9)


def test_polygon_projection_is_the_best_of_a_fine_sampling():
    rng = np.random.default_rng(5)
    angle = 2 * np.pi * np.arange(9) / 8
    vertices = np.column_stack([0.8 * np.cos(angle), 0.3 * np.sin(angle)])
    t = np.linspace(0, 1, 2001)[:, None]
    boundary = np.concatenate([a + t * (b - a) for a, b in zip(vertices[:-1], vertices[1:], strict=True)])
    for _ in range(30):
        point = rng.normal(size=2) + np.array([1.0, 0.0])
        z = point.copy()
        closest_in_polygon(0.8, 0.3, 8, z)
        nearest = np.linalg.norm(boundary - point, axis=1).min()
        if not np.array_equal(z, point):
            assert np.linalg.norm(z - point) == pytest.approx(nearest, rel=1e-6)


@pytest.mark.parametrize("law", list(FrictionLaw))
def test_no_friction_and_no_normal_impulse_give_no_impulse(law):
    for mu, normal in (((0.0, 0.0, 0.0), 1.0), ((0.5, 0.3, 0.1), 0.0)):
        z = np.array([1.0, -2.0, 0.5])
        closest_friction(int(law), 8, np.array(mu), normal, z, 3)
        np.testing.assert_array_equal(np.abs(z), np.zeros(3))


@pytest.mark.parametrize("law", [FrictionLaw.ELLIPSOID, FrictionLaw.BOX])
@pytest.mark.parametrize("mu", [(0.5, 0.5, 0.5), (0.6, 0.2, 0.05), (0.3, 0.0, 0.1), (0.0, 0.0, 0.0)])
def test_what_an_added_law_is_projected_by_finds_the_points_of_the_papers_laws(law, mu):
    rng = np.random.default_rng(5)
    for _ in range(20):
        point, mu = rng.normal(size=3) * 2.0, np.array(mu)
        known, found = point.copy(), point.copy()
        closest_friction(int(law), 8, mu, 1.5, known, 3)
        closest_by_gradient(int(law), 8, mu, 1.5, found, 3)
        np.testing.assert_allclose(found, known, atol=1e-9)
