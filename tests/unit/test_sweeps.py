"""The sweep of all sweeping methods, and the friction sets, against plain numpy."""

import numpy as np
import problem_cases as cases
import pytest
from reference import sweeping

from stiction.solver.friction import gauge, project_friction, support
from stiction.solver.laws.friction_laws import FrictionLaw
from stiction.solver.methods.sweep_kernels import OWN_LAW, blocks_of, gauss_seidel_sweep


@pytest.mark.parametrize("law", [FrictionLaw.ELLIPSOID, FrictionLaw.BOX])
@pytest.mark.parametrize(("seed", "relaxation"), [(0, 1.0), (1, 1.0), (2, 1.3), (7, 0.7)])
def test_a_sweep_relaxes_every_kind_of_block(law, seed, relaxation):
    problem = cases.mixed_problem(seed, law).problem
    x, w = np.zeros(problem.row_count), np.zeros(problem.dof_count)
    for expected in sweeping.gauss_seidel(problem, 12, relaxation):
        before = x.copy()
        largest = gauss_seidel_sweep(blocks_of(problem), OWN_LAW, relaxation, x, w)
        np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-10)
        assert largest == pytest.approx(np.abs(x - before).max())


def corners(sides):
    """Corners of the unit polygon, one at (1, 0)."""
    angle = 2 * np.pi * np.arange(sides) / sides
    return np.column_stack([np.cos(angle), np.sin(angle)])


def closest_of_polygon(points, y):
    """Closest point of a convex polygon by its edges."""
    inside, best = True, None
    for a, b in zip(points, np.roll(points, -1, axis=0), strict=True):
        edge = b - a
        inside &= edge[0] * (y - a)[1] - edge[1] * (y - a)[0] >= 0
        candidate = a + np.clip(edge @ (y - a) / (edge @ edge), 0.0, 1.0) * edge
        if best is None or np.linalg.norm(y - candidate) < np.linalg.norm(y - best):
            best = candidate
    return y if inside else best


def test_projections_are_the_closest_points():
    rng = np.random.default_rng(4)
    for _ in range(200):
        z, radius = rng.normal(0.0, 2.0, 3), rng.uniform(0.0, 2.0)
        for law in (FrictionLaw.ELLIPSOID, FrictionLaw.BOX):
            y = z.copy()
            project_friction(int(law), 8, radius, y, 3)
            np.testing.assert_allclose(y, sweeping.project(int(law), z, radius), atol=1e-12)
        for sides in (4, 6, 8):
            y = z.copy()
            project_friction(int(FrictionLaw.POLYGON), sides, radius, y, 3)
            np.testing.assert_allclose(y[:2], closest_of_polygon(radius * corners(sides), z[:2]), atol=1e-12)
            assert y[2] == pytest.approx(np.clip(z[2], -radius, radius))


def test_gauge_and_support_belong_to_the_same_set():
    """gauge: the least radius whose set holds y; support: the largest -v . y over the unit set."""
    rng = np.random.default_rng(6)
    for law, points in ((FrictionLaw.ELLIPSOID, None), (FrictionLaw.BOX, None), (FrictionLaw.POLYGON, corners(8))):
        for _ in range(50):
            y, v = rng.normal(size=(2, 2))
            least = gauge(int(law), 8, y, 2)
            for factor, held in ((1.0 + 1e-9, True), (0.99, False)):
                x = y.copy()
                project_friction(int(law), 8, factor * least, x, 2)
                assert (np.abs(x - y).max() < 1e-9) == held
            expected = np.linalg.norm(v) if law == FrictionLaw.ELLIPSOID else np.abs(v).sum()
            expected = np.max(-points @ v) if points is not None else expected
            assert support(int(law), 8, v, 2) == pytest.approx(expected)
