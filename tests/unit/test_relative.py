"""Which pairs of bodies moved against each other, and which of them a search for contacts has to look at again."""

import numpy as np

from stiction.solver.dynamics.relative import relative_travel, unsearched

A, B = np.array([0]), np.array([1])


def test_bodies_that_move_as_one_do_not_travel():
    x = np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 0.5]])
    w = np.array([0.3, -2.0, 1.0])
    twist = np.array([np.r_[1.0, 2.0, 3.0, w], np.r_[np.array([1.0, 2.0, 3.0]) + np.cross(w, x[1]), w]])
    assert relative_travel(np.ones(2), x, twist, 0.01, A, B)[0] < 1e-15


def test_travel_bounds_that_of_every_common_point():
    rng = np.random.default_rng(1)
    for _ in range(200):
        x, twist, size = rng.normal(size=(2, 3)), rng.normal(size=(2, 6)), rng.uniform(0.5, 2.0, 2)
        # A point that both bodies reach.
        p = x + np.array([[1.0], [-1.0]]) * (x[1] - x[0]) * (size / size.sum())[:, None]
        if np.any(np.linalg.norm(p[0] - x, axis=1) > size):
            continue
        v = twist[:, :3] + np.cross(twist[:, 3:], p[0] - x)
        assert relative_travel(size, x, twist, 0.1, A, B)[0] >= 0.1 * np.linalg.norm(v[1] - v[0]) - 1e-12


def test_a_pair_is_looked_at_again_only_if_no_look_saw_its_motion():
    size, x = np.ones(2), np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.9]])
    still, fast, faster = (np.array([[0.0] * 6, [v, 0, 0, 0, 0, 0]]) for v in (0.0, 3.0, 3.5))
    look = lambda *twists: bool(unsearched(size, x, twists, 0.01, 0.01, A, B)[0])  # noqa: E731
    assert look(still, fast)
    assert not look(still, fast, faster)
    assert look(still, fast, -faster)
    assert not look(still, fast, still)
    # Less than the margin: not looked at the first time, so the second look cannot rely on it.
    slow, slower = 0.3 * fast, 0.2 * fast
    assert not look(still, slow)
    assert look(still, slow, slow + slower)
