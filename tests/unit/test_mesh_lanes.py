"""Wide nodes: nothing that the exact test of two boxes lets through may be lost, and pairs of leaves keep one order."""

import numba
import numpy as np
import pytest
from mesh_reference import random_quaternion

from stiction.solver.base.vectors import quaternion_rows
from stiction.solver.collision.mesh.mesh_descent import LEAST_ROOM, STACK, gather_face_pairs, wide_search
from stiction.solver.collision.mesh.mesh_list_kernels import list_near_leaves
from stiction.solver.collision.mesh.mesh_traversal import MeshPair, boxes_apart, is_still, relative_motion
from stiction.solver.collision.surface.mesh_pool import CHILD, LEAF, ROOT, build_mesh_pool
from stiction.solver.shapes import generators

TRIANGLE = (np.array([[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [-0.5, -0.5, 0.0]]), np.array([[0, 1, 2]]))
MESHES = (generators.gear(), generators.torus(), generators.plate((1, 1, 1)), generators.jack(), TRIANGLE)
FLOOR = generators.plate((40.0, 40.0, 1.0))


@numba.njit(error_model="numpy")
def seen(xa, qa, ua, xb, qb, ub):
    return relative_motion(xa, quaternion_rows(qa), ua, xb, quaternion_rows(qb), ub, 0.01)


@numba.njit(error_model="numpy")
def descended(pool, ia, ib, rel, margin, pairs, room):
    stack, batch = np.empty((STACK, 2), np.int32), np.empty((room, 3), np.int32)
    stack[0, 0], stack[0, 1] = pool.mesh_int[ia, ROOT], pool.mesh_int[ib, ROOT]
    wide, top, used = wide_search(pool, ia, ib, rel, margin, True), 1, 0
    while top > 0:
        count, top = gather_face_pairs(pool, rel, wide, margin, stack, top, batch)
        pairs[used : used + count] = batch[:count]
        used += count
    return used


@numba.njit(error_model="numpy")
def tried(pool, ia, ib, rel, margin, leaves_a, leaves_b, near):
    still = is_still(rel)
    for p in range(len(leaves_a)):
        for q in range(len(leaves_b)):
            near[p, q] = not boxes_apart(pool.tree, leaves_a[p], leaves_b[q], rel, margin, still)


@numba.njit(error_model="numpy")
def listed(pool, ia, ib, rel, margin, nodes):
    tables = np.empty((STACK, 2), np.int32), np.empty((LEAST_ROOM, 3), np.int32)
    pair = MeshPair(pool, ia, ib, rel, ())
    return list_near_leaves(pair, 0.01, margin, True, tables, nodes, 0, len(nodes))


def leaves_of(pool, mesh):
    ends = np.append(pool.mesh_int[:, ROOT], len(pool.tree))
    nodes = np.arange(ends[mesh], ends[mesh + 1])
    return nodes[pool.tree[nodes, CHILD] < 0]


def poses(rng, size, speed):
    away = rng.normal(size=3)
    x = size * rng.uniform(0.5, 1.1) * away / np.linalg.norm(away)
    twists = speed * rng.normal(size=(2, 6))
    return seen(x, random_quaternion(rng), twists[0], np.zeros(3), random_quaternion(rng), twists[1])


@pytest.mark.parametrize("speed", [0.0, 2.0, 30.0])
def test_descent_finds_all_leaves_that_come_near(speed):
    pool, rng, found = build_mesh_pool([*MESHES, FLOOR]), np.random.default_rng(1), 0
    for ia in range(len(MESHES)):
        for ib in range(len(MESHES) + 1):
            rel = poses(rng, 1.0, speed)
            a, b = leaves_of(pool, ia), leaves_of(pool, ib)
            pairs, near = np.empty((len(a) * len(b), 3), np.int32), np.empty((len(a), len(b)), bool)
            used = descended(pool, ia, ib, rel, 0.02, pairs, LEAST_ROOM)
            tried(pool, ia, ib, rel, 0.02, a, b, near)
            p, q = np.nonzero(near)
            expected = {*zip(pool.tree[a[p], LEAF].astype(int), pool.tree[b[q], LEAF].astype(int), strict=True)}
            got = [tuple(row) for row in pairs[:used, :2].tolist()]
            assert set(got) == expected
            assert len(got) == len(expected)
            found += used
    assert found > 1000


def test_order_of_leaves_does_not_depend_on_what_is_left_out():
    pool, rng = build_mesh_pool(MESHES), np.random.default_rng(2)
    for ia, ib in ((0, 1), (1, 3), (3, 0), (2, 4)):
        rel = poses(rng, 0.6, 1.0)
        few, many = (np.empty((400_000, 3), np.int32) for _ in range(2))
        few = few[: descended(pool, ia, ib, rel, 0.01, few, LEAST_ROOM), :2].tolist()
        many = many[: descended(pool, ia, ib, rel, 0.1, many, 5 * LEAST_ROOM), :2].tolist()
        place = {tuple(pair): k for k, pair in enumerate(many)}
        where = [place[tuple(pair)] for pair in few]
        assert 0 < len(few) < len(many)
        assert where == sorted(where)


def test_nothing_is_nearer_than_a_list_says_but_what_it_holds():
    pool, rng, wider = build_mesh_pool(MESHES), np.random.default_rng(3), 0
    for _ in range(40):
        ia, ib = rng.integers(0, len(MESHES), 2)
        rel = poses(rng, 1.3, 0.0)
        some, more = (np.empty((200_000, 3), np.int32) for _ in range(2))
        end, least = listed(pool, ia, ib, rel, 0.01, some)
        assert least >= 0.01
        again, _ = listed(pool, ia, ib, rel, (1.0 - 1e-4) * least, more)
        np.testing.assert_array_equal(some[:end, :2], more[:again, :2])
        wider += least > 0.02
    assert wider > 5


def test_every_leaf_is_in_one_lane_below_its_node():
    pool = build_mesh_pool(MESHES)
    held = pool.wide_node[pool.wide_node >= 0]
    assert len(np.unique(held)) == len(held)
    assert set(np.flatnonzero(pool.tree[:, CHILD] < 0)) - set(pool.mesh_int[:, ROOT]) <= set(held)
    for row, lanes in enumerate(pool.wide_node):
        parent = int(np.flatnonzero(pool.wide_row == row)[0])
        for lane, node in enumerate(lanes):
            if node < 0:
                assert np.all(pool.wide_box[row, 3:, lane] < -1e29)
                continue
            box = pool.tree[node]
            np.testing.assert_array_equal(pool.wide_box[row, :, lane], box[:6].astype(np.float32))
            assert np.all(np.abs(box[:3] - pool.tree[parent, :3]) + box[3:6] <= pool.tree[parent, 3:6] + 1e-12)
            assert pool.wide_row[node] >= 0 or box[CHILD] < 0


def test_wide_nodes_are_full():
    pool = build_mesh_pool([generators.torus()])
    leaves = len(generators.torus()[1])
    lowest = np.all(pool.tree[pool.wide_node, CHILD] < 0, axis=1)
    assert np.count_nonzero(lowest) <= leaves // 8 + 1
