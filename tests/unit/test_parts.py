"""Large islands are cut into parts that threads sweep beside each other, with the same bits for any number of them."""

import threading

import numpy as np
import pytest

from stiction.solver.base.threads import thread_pool
from stiction.solver.dynamics.contact_rows import contact_rows, rigid_inverse_mass
from stiction.solver.methods import Status
from stiction.solver.methods.accelerated.accelerated import prepare, solve
from stiction.solver.methods.compact import team
from stiction.solver.methods.compact.part_sweep_kernels import TICKET
from stiction.solver.methods.method_options import AcceleratedOptions
from stiction.solver.problem import Block, assemble
from stiction.solver.problems.island_kernels import split
from stiction.solver.residuals import natural_map


def grid(side, height, each=1):
    """(node (B,2), count): cubes of side x side x height beside and on each other, `each` blocks a pair, on a floor."""
    number = np.arange(side * side * height).reshape(side, side, height)
    pairs = [(number[:-1], number[1:]), (number[:, :-1], number[:, 1:]), (number[..., :-1], number[..., 1:])]
    pairs.append((number[..., 0], np.full((side, side), number.size)))
    node = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])
    return np.repeat(node, each, axis=0), number.size


def parts_of(node, count):
    """Islands, and for each part of the only large one its (nodes, blocks)."""
    found = split(node, count)
    nodes, blocks = (np.split(whole, start[1:-1]) for whole, start in (
        (found.nodes, found.part_node), (found.blocks, found.part_block)))  # fmt: skip
    first, last = found.part_start[:2]
    return found, list(zip(nodes, blocks, strict=True))[first:last]


@pytest.mark.parametrize(("side", "height", "count"), [(10, 10, 1), (14, 8, 2), (20, 20, 4)])
def test_parts_are_of_one_size_and_touch_in_few_blocks(side, height, count):
    node, nodes = grid(side, height)
    node = node[np.random.default_rng(0).permutation(len(node))]
    found, parts = parts_of(node, nodes)
    assert len(found.node_start) == 2
    assert sorted(found.blocks) == list(range(len(node)))
    assert sorted(found.nodes) == list(range(nodes))
    if count == 1:
        assert len(parts) == 1
        return
    *inside, (none, between) = parts
    assert len(inside) == count
    assert len(none) == 0
    part_of = np.full(nodes + 1, -1)
    for k, (own, _) in enumerate(inside):
        part_of[own] = k
    for k, (_, blocks) in enumerate(inside):
        ends = part_of[node[blocks]]
        assert np.all((ends == k) | (ends == -1))
    assert np.all(part_of[node[between]][:, 0] != part_of[node[between]][:, 1])
    sizes = [len(blocks) for _, blocks in inside]
    assert max(sizes) < 1.2 * min(sizes)
    # Two planes through a cube of 20 hold a tenth of its blocks.
    assert len(between) < 0.15 * len(node)


def test_the_cut_goes_by_how_many_blocks_bodies_have():
    # 400 bodies with 30 blocks a pair on one end of a chain of 3000 with one.
    chain = np.stack([np.arange(3400), np.arange(1, 3401)], axis=1)
    node = np.repeat(chain, np.where(np.arange(3400) < 400, 30, 1), axis=0)
    _, parts = parts_of(node, 3401)
    (few, one), (many, other), (none, between) = sorted(parts, key=lambda part: -len(part[1]))
    assert len(between) in (1, 30)
    assert abs(len(one) - len(other)) <= 60
    # 15000 blocks in all: 250 of the pairs with 30 are one half.
    assert min(len(few), len(many)) == pytest.approx(250, abs=2)


def pile(side, height):
    """A problem of cubes that lie in a grid, pressed together by random velocities."""
    node, count = grid(side, height)
    rng = np.random.default_rng(1)
    body_a, body_b = np.minimum(node[:, 0], node[:, 1]), np.maximum(node[:, 0], node[:, 1])
    blocks, center = len(node), np.stack(np.unravel_index(np.arange(count), (side, side, height)), axis=1)
    center = np.concatenate([center, [[side / 2, side / 2, -1.0]]]).astype(float)
    middle = 0.5 * (center[body_a] + center[body_b]) + 0.2 * rng.normal(size=(blocks, 3))
    normal = np.where((body_b == count)[:, None], [0.0, 0.0, -1.0], center[body_b] - center[body_a])
    frame = np.stack([normal, np.roll(normal, 1, axis=1), np.cross(normal, np.roll(normal, 1, axis=1))], axis=1)
    inverse = np.append(np.ones(count), 0.0)
    inertia = np.tile(np.eye(3) / 6, (count + 1, 1, 1))
    inertia[-1] = 0.0
    inverse_inertia = 36 * inertia
    J, G, _ = contact_rows(body_a, body_b, middle, frame, np.full(blocks, 3), center, inverse, inverse_inertia)
    W = rigid_inverse_mass(inverse, inverse_inertia, np.append(np.ones(count), 0.0), inertia)
    b = 0.1 * rng.normal(size=3 * blocks)
    mu = np.full((blocks, 3), 0.4)
    kind = np.full(blocks, int(Block.CONTACT))
    return assemble(kind, 3 * np.arange(blocks + 1), J, G, b, mu, 6 * count, inverse_mass=W)


@pytest.fixture(scope="module")
def large():
    return pile(14, 14)


@pytest.fixture
def fresh(monkeypatch):
    helpers = team.Helpers()
    monkeypatch.setattr("stiction.solver.methods.accelerated.sweepers.HELPERS", helpers)
    monkeypatch.setattr(team, "core_count", lambda: 3)
    return helpers


def solved(problem, **options):
    impulse = np.zeros(problem.row_count)
    outcome = solve(problem, impulse, AcceleratedOptions(**{"tolerance": 1e-12, "max_iterations": 60, **options}))
    return impulse, outcome


def test_any_number_of_threads_gives_the_same_bits(large, fresh):
    alone, one = solved(large, threads=1)
    for threads in (2, 3, 0):
        fresh._alone = 0
        together, many = solved(large, threads=threads)
        np.testing.assert_array_equal(alone, together)
        assert one.iterations == many.iterations


def test_a_large_island_converges_for_the_judge(large):
    impulse, outcome = solved(large, max_iterations=400, tolerance=1e-7)
    assert outcome.status == Status.CONVERGED
    assert natural_map(large, impulse) <= 1e-7


def test_a_helper_that_never_comes_is_not_waited_for(large, fresh):
    run = prepare(large, AcceleratedOptions(tolerance=1e-12, max_iterations=60, threads=2))
    pool, release, together = thread_pool(2), threading.Event(), np.zeros(large.row_count)
    busy = [pool.submit(release.wait, 30) for _ in range(2)]
    try:
        run(together)
    finally:
        release.set()
    assert all(task.result() for task in busy)
    np.testing.assert_array_equal(together, solved(large, threads=1)[0])


def test_after_a_delay_solves_go_without_help_for_a_while(fresh):
    def sizes(count, delayed):
        seen = []

        def sweep(given):
            seen.append(int(given.size[0]))
            if delayed:
                given.size[0] = 1

        for _ in range(count):
            fresh.run(sweep, 4, 3, lambda _: ())
        return seen

    assert sizes(1, delayed=True) == [3]
    assert sizes(team.FEW + 1, delayed=True) == [1] * team.FEW + [3]
    assert sizes(2 * team.FEW + 1, delayed=False) == [1] * 2 * team.FEW + [3]
    assert sizes(2, delayed=True) == [3, 1]


def test_small_islands_have_no_team(fresh):
    assert fresh.run(lambda given: given, 1, 8, None) is team.ALONE
    assert team.ALONE.shared[TICKET] == 0


def test_one_core_has_one_thread(fresh, monkeypatch):
    monkeypatch.setattr(team, "core_count", lambda: 1)
    assert fresh.run(lambda given: given.size[0], 4, 8, None) == 1
