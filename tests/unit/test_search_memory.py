"""What is remembered between two searches for contacts never changes what is found, to the last bit."""

import numpy as np
import pytest
from mesh_reference import random_quaternion

from stiction.solver.collision.mesh.mesh_memory_kernels import CLOSE
from stiction.solver.collision.pipeline import find_contacts, prepare
from stiction.solver.collision.search_memory import SearchMemory
from stiction.solver.scenes.granular import concave_pile
from stiction.solver.shapes import Box, Mesh, Sphere, generators
from stiction.solver.simulation import options_for, simulate

H = 0.01


def crowd(rng):
    """Concave solids, a sheet, a ball and a floor in a heap: (CollisionModel, positions, orientations)."""
    solids = (
        generators.gear(), generators.chalice(), generators.torus(), generators.jack(), generators.head(),
        generators.grid_plane((1.0, 1.0), (4, 4)),
    )  # fmt: skip
    shapes = [Box((20.0, 20.0, 1.0))] + [Mesh(*mesh) for mesh in solids for _ in range(2)] + [Sphere(0.3)]
    count = len(shapes)
    movable = np.arange(count) > 0
    position = np.vstack([[0.0, 0.0, -0.5], rng.uniform([-1.0, -1.0, 0.3], [1.0, 1.0, 1.4], (count - 1, 3))])
    turns = np.array([[1.0, 0.0, 0.0, 0.0]] + [random_quaternion(rng) for _ in range(count - 1)])
    return prepare(shapes, np.zeros((count, 3)), movable), position, turns


def moved(position, turns, twist):
    """Poses a step later; the first body stands."""
    spin = np.concatenate([np.zeros((len(turns), 1)), 0.5 * H * twist[:, 3:]], axis=1)
    w, v = turns[:, :1], turns[:, 1:]
    rate = np.concatenate([-(spin[:, 1:] * v).sum(axis=1, keepdims=True),
                           w * spin[:, 1:] + np.cross(spin[:, 1:], v)], axis=1)  # fmt: skip
    turns = turns + rate
    return position + H * twist[:, :3], turns / np.linalg.norm(turns, axis=1)[:, None]


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("speed", [0.02, 3.0, 20.0])
def test_contacts_are_the_same_with_and_without_memory(speed):
    rng = np.random.default_rng(int(100 * speed))
    model, position, turns = crowd(rng)
    memory, touching = SearchMemory(), 0
    for step in range(3):
        twist = speed * rng.normal(size=(len(position), 6)) * rng.random((len(position), 1))
        twist[0] = 0.0
        for look in range(2):
            twist[1:] *= 1.0 - 0.3 * look
            found = find_contacts(model, position, turns, twist, H, memory=memory, workers=1 + step % 3)
            assert same(found, find_contacts(model, position, turns, twist, H))
            touching += found.count
        position, turns = moved(position, turns, twist)
    assert touching > 100


def test_bodies_at_rest_are_not_searched_again():
    model, position, turns = crowd(np.random.default_rng(1))
    memory, twist = SearchMemory(), np.zeros((len(position), 6))
    for _ in range(2):  # the second knows how deep the overlaps are
        find_contacts(model, position, turns, twist, H, memory=memory)
    before = memory.of(model)[1]
    find_contacts(model, position * (1.0 + 1e-5), turns, twist, H, memory=memory)
    after = memory.of(model)[1]
    listed = np.diff(before.start) > 0
    assert np.count_nonzero(listed) > 10
    # A list made anew would bear the present pose.
    np.testing.assert_array_equal(before.nodes, after.nodes)
    np.testing.assert_array_equal(before.pose[:, :CLOSE], after.pose[:, :CLOSE])


def test_memory_of_another_model_is_not_used():
    rng = np.random.default_rng(2)
    model, position, turns = crowd(rng)
    other, _, _ = crowd(rng)
    memory, twist = SearchMemory(), np.zeros((len(position), 6))
    find_contacts(model, position, turns, twist, H, memory=memory)
    assert len(memory.of(model)[0]) > 0
    assert len(memory.of(other)[0]) == 0


def test_a_resumed_pile_has_the_bits_of_an_unbroken_one(tmp_path):
    scene = concave_pile(20)
    options = options_for(scene, time=0.6, threads=2)
    whole = simulate(scene, options_for(scene, time=0.6))
    seen = []

    def cancelled():
        seen.append(0)
        return len(seen) == 53

    simulate(scene, options, tmp_path / "run", cancelled=cancelled)
    resumed = simulate(scene, options, tmp_path / "run", resume=True)
    np.testing.assert_array_equal(resumed.center_of_mass, whole.center_of_mass)
    np.testing.assert_array_equal(resumed.orientations, whole.orientations)
