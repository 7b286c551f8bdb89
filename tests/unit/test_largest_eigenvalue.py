"""The largest eigenvalue of a symmetric 3 by 3 matrix, without LAPACK."""

import numpy as np
import pytest

from stiction.solver.problems.residual_kernels import friction_step, largest_eigenvalue

# Plain also where nothing is compiled.
PLAIN = getattr(largest_eigenvalue, "py_func", largest_eigenvalue)
ROTATION = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]


def largest(values):
    S = ROTATION @ np.diag(values) @ ROTATION.T
    return PLAIN(0.5 * (S + S.T))


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize(
    ("values", "within"), [((1.0, 2.0, 3.0), 1e-14), ((1.0, 1.0, 3.0), 1e-14), ((-5.0, 1.0, 2.0), 1e-14),
                           ((1.0, 3.0, 3.0), 2e-8), ((2.0, 2.0, 2.0), 1e-14), ((0.0, 0.0, 1.0), 1e-14)]
)  # fmt: skip
def test_eigenvalue(values, within, scale):
    assert largest(scale * np.array(values)) == pytest.approx(scale * max(values), rel=within)


def test_a_multiple_of_one():
    assert PLAIN(4.0 * np.eye(3)) == 4.0


def test_step_of_a_contact_with_torsion():
    A = np.random.default_rng(5).normal(size=(4, 4))
    A, mu = A @ A.T, np.array([0.5, 0.3, 0.02])
    wanted = np.linalg.eigvalsh(mu[:, None] * A[1:, 1:] * mu)[2]
    assert friction_step(0, A.ravel(), 4, mu) == pytest.approx(wanted, rel=1e-12)
