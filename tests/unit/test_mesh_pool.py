"""The mesh pool: what the kernels are told about edges, vertices, thickness and trees."""

import numpy as np
import pytest
from mesh_poses import ORIGIN, REST, UPRIGHT
from mesh_reference import random_quaternion

from stiction.solver.collision.mesh.mesh_kernels import mesh_pair
from stiction.solver.collision.surface.mesh_pool import (
    CHILD,
    CORNERS,
    DEPTH,
    LEAF,
    OWN_EDGES,
    OWN_VERTICES,
    PATCH,
    SHEET,
    THROUGH,
    build_mesh_pool,
)
from stiction.solver.shapes import generators

CUBE, JACK, SHEET_MESH = generators.plate((1, 1, 1), (3, 2)), generators.jack(), generators.grid_plane((2, 2), (3, 3))


def test_cube_has_its_twelve_edges_eight_corners_six_sides():
    pool = build_mesh_pool([CUBE])
    owned = pool.face_int
    # Along x the top's and bottom's long edges are cut in three, along y in two.
    assert np.count_nonzero(owned[:, OWN_EDGES : OWN_EDGES + 3] >= 0) == 4 * 3 + 4 * 2 + 4
    assert len(np.unique(owned[:, PATCH])) == 6
    corners = owned[:, OWN_VERTICES : OWN_VERTICES + 3]
    held = pool.vertices[corners[corners >= 0]]
    assert len({tuple(v) for v in held}) == len(held) == 8 + 4 * 2 + 4 * 1
    np.testing.assert_allclose(np.abs(held).max(axis=1), 0.5)
    assert pool.mesh_int[0, SHEET] == 0
    assert pool.mesh_size[0] == pytest.approx(np.sqrt(0.75))


def test_pits_and_concave_edges_touch_nothing():
    vertices, triangles = generators.plate((1, 1, 1), (2, 2))
    pit = np.flatnonzero(np.all(np.abs(vertices - (0, 0, 0.5)) < 1e-9, axis=1))[0]
    vertices[pit, 2] -= 0.2
    pool = build_mesh_pool([(vertices, triangles)])
    corners = pool.face_int[:, OWN_VERTICES : OWN_VERTICES + 3]
    assert pit not in corners
    edges = pool.face_int[:, OWN_EDGES : OWN_EDGES + 3]
    starts = pool.edge_real[edges[edges >= 0]]
    ends = np.concatenate((starts[:, 0:3], starts[:, 0:3] + starts[:, 3:6]))
    assert np.linalg.norm(ends - vertices[pit], axis=1).min() > 0.1


def test_depth_follows_the_thickness():
    pool = build_mesh_pool([generators.plate((0.063, 0.088, 0.0003))])
    flat = np.abs(pool.face_real[:, 11]) > 0.5
    np.testing.assert_allclose(pool.face_real[flat, DEPTH], THROUGH * 3e-4, rtol=1e-6)
    assert np.all(pool.face_real[~flat, DEPTH] > 0.01)


def test_tree_holds_every_face_once_and_inside():
    pool = build_mesh_pool([JACK])
    leaves = pool.tree[:, CHILD] < 0
    assert sorted(pool.tree[leaves, LEAF]) == list(range(len(JACK[1])))

    def check(node, low, high):
        center, half = pool.tree[node, :3], pool.tree[node, 3:6]
        assert np.all(center - half >= low - 1e-12)
        assert np.all(center + half <= high + 1e-12)
        if pool.tree[node, CHILD] >= 0:
            for child in (0, 1):
                check(int(pool.tree[node, CHILD]) + child, center - half, center + half)
        else:
            corners = pool.face_real[int(pool.tree[node, LEAF]), CORNERS : CORNERS + 9].reshape(3, 3)
            np.testing.assert_allclose(corners.min(axis=0), center - half, atol=1e-12)
            np.testing.assert_allclose(corners.max(axis=0), center + half, atol=1e-12)

    check(0, -np.inf, np.inf)


def contacts(pool, a, b, x, q):
    out = (np.zeros((99, 3)), np.zeros((99, 3)), np.zeros(99), np.zeros(99, dtype=np.int64))
    count = mesh_pair(pool, a, ORIGIN, UPRIGHT, REST, b, x, q, REST, 0.01, 0.05, *out)
    return [table[:count] for table in out]


def test_place_in_the_pool_changes_nothing():
    alone = build_mesh_pool([CUBE, JACK])
    among = build_mesh_pool([SHEET_MESH, JACK, JACK, CUBE])
    rng = np.random.default_rng(3)
    seen = 0
    for _ in range(20):
        x, q = rng.uniform(0.3, 0.7, 3), random_quaternion(rng)
        one, two = contacts(alone, 0, 1, x, q), contacts(among, 3, 2, x, q)
        seen += len(one[2])
        for left, right in zip(one, two, strict=True):
            assert left.tobytes() == right.tobytes()
    assert seen > 20


def test_empty_pool_has_the_types_of_any_other():
    for none, some in zip(build_mesh_pool([]), build_mesh_pool([SHEET_MESH]), strict=True):
        assert len(none) == 0
        assert none.dtype == some.dtype
        assert none.shape[1:] == some.shape[1:]


def test_a_mesh_without_area_is_refused():
    with pytest.raises(ValueError, match="area"):
        build_mesh_pool([(np.zeros((3, 3)), np.array([[0, 1, 2]]))])


def test_slivers_and_fins_do_no_harm():
    """A zero-area triangle in a side and a fin on an edge: the rest of the cube touches as before."""
    vertices, triangles = generators.plate((1, 1, 1))
    top = [t for t in range(12) if np.all(vertices[triangles[t], 2] > 0)]
    a, b, c = triangles[top[0]]
    middle = len(vertices)
    split = [t for t in range(12) if t != top[0]]
    cut = np.concatenate((triangles[split], [[a, middle, c], [middle, b, c], [a, b, middle]]))
    pool = build_mesh_pool([(np.vstack((vertices, 0.5 * (vertices[a] + vertices[b]))), cut), CUBE])
    x = np.array([0.1, 0.2, 1.001])
    found = contacts(pool, 0, 1, x, UPRIGHT)
    assert len(found[2]) >= 4
    np.testing.assert_allclose(found[2], 1e-3, atol=1e-12)
    np.testing.assert_allclose(found[1] @ np.array([0, 0, 1.0]), 1.0, atol=1e-12)
    fin = np.concatenate((triangles, [[0, 1, len(vertices)]]))
    pool = build_mesh_pool([(np.vstack((vertices, [[-2.0, -2.0, -2.0]])), fin), CUBE])
    found = contacts(pool, 0, 1, x, UPRIGHT)
    np.testing.assert_allclose(found[1] @ np.array([0, 0, 1.0]), 1.0, atol=1e-12)
    assert len(found[2]) >= 4
