"""Which contacts of two meshes are dropped: second ones of a key, and overlaps that a shallower one near explains."""

import time

import numba
import numpy as np
import pytest

from stiction.solver.collision.contact_keys import BEYOND, DOUBT
from stiction.solver.collision.mesh.mesh_output import OPPOSITE, SAME, Contacts, drop_hidden

MARGIN = 0.01


@numba.njit
def drop(position, normal, gap, key, count, margin):
    return drop_hidden(Contacts(position, normal, gap, key), count, margin)


def dropped(position, normal, gap, key, count):
    return drop(position, normal, gap, key, count, MARGIN)


def random_contacts(count, seed, deepest):
    """Contacts on a square of 1 m, overlaps of up to `deepest` [m] among them, every tenth key twice."""
    rng = np.random.default_rng(seed)
    position = np.column_stack([rng.uniform(0, 1, (count, 2)), 0.01 * rng.uniform(size=count)])
    normal = rng.normal(size=(count, 3))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    gap = rng.uniform(-deepest, 2 * MARGIN, count)
    key = rng.permutation(count).astype(np.int64) << 4
    key[::10] = key[5::10]
    key |= np.where(rng.uniform(size=count) < 0.3, DOUBT, 0) | np.where(rng.uniform(size=count) < 0.2, BEYOND, 0)
    return position, normal, gap, key


def kept_by_all_pairs(position, normal, gap, key):
    """Numbers of those that are left, by a look at every pair."""
    bare, left = key & ~(DOUBT | BEYOND), []
    for k, depth in enumerate(-gap):
        turn, away = normal @ normal[k], ((position - position[k]) ** 2).sum(axis=1)
        other = turn < (SAME if depth > MARGIN or key[k] & DOUBT else OPPOSITE)
        explains = (gap > -0.5 * depth) & (gap <= MARGIN) & (key & BEYOND == 0) & (away <= 4 * depth**2) & other
        if bare[k] not in bare[:k] and not (depth > 0 and explains.any()):
            left.append(k)
    return left


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("deepest", [0.003, 0.2])
def test_the_same_are_dropped_as_by_a_look_at_all_pairs(seed, deepest):
    contacts = random_contacts(120, seed, deepest)
    left = kept_by_all_pairs(*contacts)
    assert 10 < len(left) < 110
    places = contacts[0][left]
    count = dropped(*contacts, 120)
    assert np.array_equal(contacts[0][:count], places)
    assert not np.any(contacts[3] & (DOUBT | BEYOND))


@pytest.mark.parametrize("count", [0, 1])
def test_none_and_one_stay(count):
    assert dropped(*random_contacts(10, 1, 0.003), count) == count


def test_eight_times_as_many_take_no_square_of_the_time():
    """Two meshes that lie on each other have thousands of contacts, each of which explains those next to it alone."""
    spent = []
    for count in (2_000, 16_000):
        given = random_contacts(count, 7, 1e-4)
        tries = []
        for _ in range(3):
            contacts = [array.copy() for array in given]
            start = time.process_time()
            dropped(*contacts, count)
            tries.append(time.process_time() - start)
        spent.append(min(tries))
    assert spent[1] < 24 * spent[0]
