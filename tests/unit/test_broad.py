"""The sweep along an axis and the hashed grid against all pairs."""

import numpy as np
import pytest
from marks import few

from stiction.solver.collision.broadphase import broad
from stiction.solver.collision.broadphase.axis_kernels import MOST_BOXES
from stiction.solver.collision.broadphase.broad import NearBoxes, overlapping_pairs
from stiction.solver.collision.broadphase.filters import LAYERS, layer_mask, pair_filter


def brute_force(low, high, body, movable, belongs, collides, excluded):
    rows = [((low[k] <= high[k + 1 :]) & (low[k + 1 :] <= high[k])).all(axis=1) for k in range(len(low))]
    i, j = np.repeat(np.arange(len(low)), [np.count_nonzero(row) for row in rows]), np.concatenate(
        [k + 1 + np.flatnonzero(row) for k, row in enumerate(rows)])  # fmt: skip
    a, b = body[i], body[j]
    hit = (a != b) & (movable[a] | movable[b])
    hit &= ((belongs[a] & collides[b]) != 0) & ((belongs[b] & collides[a]) != 0)
    kept_apart = {frozenset(pair) for pair in excluded.tolist()}
    hit &= [frozenset(pair) not in kept_apart for pair in zip(a.tolist(), b.tolist(), strict=True)]
    return np.stack([i[hit], j[hit]], axis=1)


def scene(kind, seed, n=300):
    rng = np.random.default_rng(seed)
    side = 4.0 * (n / 300) ** (1 / 3)
    center = rng.uniform(-side, side, (n, 3))
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


SETS = [(kind, n) for kind in ("pile", "mixed", "flat", "lattice") for n in (300, MOST_BOXES + 100)]


@pytest.mark.parametrize(("kind", "n"), few(SETS, *(one for one in SETS if one[1] == 300 or one[0] == "mixed")))
def test_same_pairs_as_brute_force_in_order(kind, n):
    for seed in range(4 if n == 300 else 1):
        low, high = scene(kind, seed, n)
        rng = np.random.default_rng(seed + 100)
        body = np.sort(rng.integers(0, 200, len(low))).astype(np.int32)
        movable, masks = rng.random(200) < 0.7, rng.integers(1, 8, (2, 200))
        excluded = rng.integers(0, 200, (3000, 2))
        everything = brute_force(low, high, body, movable, masks[0], masks[1], excluded[:0])
        expected = brute_force(low, high, body, movable, masks[0], masks[1], excluded)
        allowed = pair_filter(movable, *masks, excluded[excluded[:, 0] != excluded[:, 1]])
        assert 100 < len(expected) < len(everything)
        assert np.array_equal(overlapping_pairs(low, high, body, allowed), expected)


def test_pairs_kept_from_search_to_search_are_those_of_a_search_anew(monkeypatch):
    rng, searches = np.random.default_rng(3), []
    plain = broad.grid_pairs
    monkeypatch.setattr(broad, "grid_pairs", lambda *arguments: searches.append(1) or plain(*arguments))
    low, high = scene("pile", 5)
    body, movable = np.arange(len(low), dtype=np.int32), rng.random(len(low)) < 0.7
    near, calls = NearBoxes(movable), 40
    for call in range(calls):
        shift = rng.normal(size=low.shape) * (0.003 if call % 20 else 0.5)
        low, high = low + shift, high + shift
        asked = movable if call % 3 else movable & (rng.random(len(low)) < 0.2)
        # Bodies that nobody said may be movable.
        asked = ~movable if call == 7 else asked
        allowed = pair_filter(asked)
        expected = plain(low, high, body, allowed)[0]
        assert len(expected) > 10
        np.testing.assert_array_equal(overlapping_pairs(low, high, body, allowed, near), expected)
    assert 2 <= len(searches) < calls // 2
    high[3, 1] = np.nan
    with pytest.raises(ValueError, match="box 3"):
        overlapping_pairs(low, high, body, allowed, near)


@pytest.mark.parametrize("kind", ["in one place", "in a row", "too far apart for numbers", "in the way of all others"])
def test_boxes_that_no_axis_sorts_well(kind):
    rng = np.random.default_rng(8)
    low = rng.uniform(-1.0, 1.0, (900, 3))
    if kind == "in one place":
        low[:] = 0.25
    elif kind == "in a row":
        low[:, 1:] = 0.0
        low[::2, 0] = low[1::2, 0]
    elif kind == "too far apart for numbers":
        low[:, 1] *= 1.7e308
        low[::2] = low[1::2]
    high = low + 0.1
    if kind == "in the way of all others":
        # 10 %: the median box is none of them, but the sweep meets them at every step.
        low[::10, 0], high[::10, 0] = -0.45, 0.3
    body, movable = np.arange(900, dtype=np.int32), np.ones(900, bool)
    masks = np.full((2, 900), 1)
    expected = brute_force(low, high, body, movable, *masks, np.empty((0, 2), int))
    assert len(expected) > 0
    assert np.array_equal(overlapping_pairs(low, high, body, pair_filter(movable)), expected)


def test_nothing_and_one():
    body, allowed = np.zeros(1, np.int32), pair_filter(np.ones(1, bool))
    assert len(overlapping_pairs(np.empty((0, 3)), np.empty((0, 3)), body[:0], allowed)) == 0
    assert len(overlapping_pairs(np.zeros((1, 3)), np.ones((1, 3)), body, allowed)) == 0


def test_layer_numbers_become_bits():
    assert layer_mask((1,)) == 1
    assert layer_mask((1, 3, 3)) == 5
    assert layer_mask(()) == 0
    assert layer_mask(None) == layer_mask(range(1, LAYERS + 1))
    for wrong in (0, LAYERS + 1, 1.5, True):
        with pytest.raises(ValueError, match=f"from 1 to {LAYERS}"):
            layer_mask((wrong,))


def test_a_body_shot_away_does_not_stall_the_grid():
    low, high = scene("pile", 0)
    low[7], high[7] = -1e9, 1e9
    body, movable = np.arange(300, dtype=np.int32), np.ones(300, bool)
    pairs = overlapping_pairs(low, high, body, pair_filter(movable))
    assert (pairs == 7).any(axis=1).sum() == 299


def test_lost_bodies_are_refused():
    low, high = scene("pile", 0)
    low[3, 1] = np.nan
    with pytest.raises(ValueError, match="box 3"):
        overlapping_pairs(low, high, np.arange(300, dtype=np.int32), pair_filter(np.ones(300, bool)))
