"""The projector of rigid motions beside matrices written out."""

import numpy as np

from stiction.solver.dynamics.elastic.schemes.rigid_modes import RigidModes


def two_pieces(count=14):
    """(RigidModes of two pieces and two nodes of none, R (3n,12) written out, masses (3n,), velocities (n,3))."""
    random = np.random.default_rng(5)
    x, mass, v = random.random((count, 3)), 0.5 + random.random(count), random.standard_normal((count, 3))
    piece = np.array([0, 1, -1] + 5 * [0, 1] + [-1])
    R = np.zeros((count, 3, 12))
    for n in np.flatnonzero(piece >= 0):
        R[n, :, 6 * piece[n] : 6 * piece[n] + 3] = np.eye(3)
        for axis in range(3):
            R[n, :, 6 * piece[n] + 3 + axis] = np.cross(np.eye(3)[axis], x[n])
    return RigidModes(piece, mass, x), R.reshape(-1, 12), np.repeat(mass, 3), v


def test_rigid_part_is_the_one_with_the_same_momenta():
    modes, R, M, v = two_pieces()
    rigid = R @ np.linalg.solve(R.T @ (M[:, None] * R), R.T @ (M * v.ravel()))
    assert np.allclose(modes.rigid(v).ravel(), rigid, atol=1e-13)
    assert np.allclose(modes.deforming(v).ravel(), v.ravel() - rigid, atol=1e-13)


def test_balanced_forces_have_neither_sum_nor_moment():
    modes, R, M, force = two_pieces()
    balanced = modes.balanced(force).ravel()
    assert np.abs(R.T @ balanced).max() < 1e-13
    given = M[:, None] * R @ np.linalg.solve(R.T @ (M[:, None] * R), R.T @ force.ravel())
    assert np.allclose(balanced, force.ravel() - given, atol=1e-13)


def test_velocities_kept_apart_are_free_of_rigid_motion_and_of_what_is_pressed():
    modes, R, M, v = two_pieces()
    random = np.random.default_rng(6)
    pressed, held = np.zeros_like(v), np.zeros(len(v), dtype=bool)
    pressed[[0, 1, 5]] = random.standard_normal((3, 3))
    pressed[[0, 1, 5]] /= np.linalg.norm(pressed[[0, 1, 5]], axis=1, keepdims=True)
    held[[4, 7]] = True
    kept = modes.kept_apart(v, pressed, held)
    assert np.abs(R.T @ (M * kept.ravel())).max() < 1e-12
    assert np.abs(np.einsum("ni,ni->n", kept, pressed)).max() < 1e-13
    assert np.abs(kept[held]).max() == 0.0
    # What is taken is orthogonal, by mass, to all that is kept of anything.
    other = modes.kept_apart(random.standard_normal(v.shape), pressed, held)
    assert abs((M * (v - kept).ravel()) @ other.ravel()) < 1e-12
    # A memory of contacts that are no more would show here.
    assert np.allclose(modes.kept_apart(v, 0.0 * pressed, held & False), modes.deforming(v), atol=1e-13)
