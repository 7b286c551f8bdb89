"""The hashed grid against all pairs."""

import numpy as np
import pytest

from stiction.solver.collision.broad import overlapping_pairs


def brute_force(low, high, body, movable, group):
    i, j = np.triu_indices(len(low), 1)
    hit = ((low[i] <= high[j]) & (low[j] <= high[i])).all(axis=1)
    a, b = body[i], body[j]
    hit &= (a != b) & (movable[a] | movable[b]) & ((group[a] != group[b]) | (group[a] == 0))
    return np.stack([i[hit], j[hit]], axis=1)


def scene(kind, seed, n=300):
    rng = np.random.default_rng(seed)
    center = rng.uniform(-4.0, 4.0, (n, 3))
    half = rng.uniform(0.2, 0.5, (n, 3))
    if kind == "mixed":
        half *= np.exp(rng.uniform(-2.0, 2.0, (n, 1)))
    if kind == "flat":
        center[:, 2] = 0.0
    if kind == "lattice":
        center, half = np.floor(center), np.full((n, 3), 0.5)
    low, high = center - half, center + half
    low[n // 2], high[n // 2] = (-1e3, -1e3, -9.0), (1e3, 1e3, -3.0)
    low[0], high[0] = (-5.0, -1e4, -1e4), (-3.0, 1e4, 1e4)
    return low, high


@pytest.mark.parametrize("kind", ["pile", "mixed", "flat", "lattice"])
def test_same_pairs_as_brute_force_in_order(kind):
    for seed in range(4):
        low, high = scene(kind, seed)
        rng = np.random.default_rng(seed + 100)
        body = np.sort(rng.integers(0, 200, len(low))).astype(np.int32)
        movable, group = rng.random(200) < 0.7, rng.integers(0, 4, 200).astype(np.int32)
        expected = brute_force(low, high, body, movable, group)
        pairs = overlapping_pairs(low, high, body, movable, group)
        assert len(expected) > 100
        assert np.array_equal(pairs, expected)


def test_nothing_and_one():
    body, movable, group = np.zeros(1, np.int32), np.ones(1, bool), np.zeros(1, np.int32)
    assert len(overlapping_pairs(np.empty((0, 3)), np.empty((0, 3)), body[:0], movable, group)) == 0
    assert len(overlapping_pairs(np.zeros((1, 3)), np.ones((1, 3)), body, movable, group)) == 0


def test_a_body_shot_away_does_not_stall_the_grid():
    low, high = scene("pile", 0)
    low[7], high[7] = -1e9, 1e9
    body, movable = np.arange(300, dtype=np.int32), np.ones(300, bool)
    pairs = overlapping_pairs(low, high, body, movable, np.zeros(300, np.int32))
    assert (pairs == 7).any(axis=1).sum() == 299


def test_lost_bodies_are_refused():
    low, high = scene("pile", 0)
    low[3, 1] = np.nan
    with pytest.raises(ValueError, match="box 3"):
        overlapping_pairs(low, high, np.arange(300, dtype=np.int32), np.ones(300, bool), np.zeros(300, np.int32))
