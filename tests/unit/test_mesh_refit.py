"""Moving a pooled surface's vertices gives what a pool built from the moved vertices would give."""

import numpy as np
import pytest
from mesh_poses import ORIGIN, REST, UPRIGHT
from mesh_reference import random_quaternion

from stiction.solver.collision.mesh.mesh_kernels import mesh_pair
from stiction.solver.collision.mesh.mesh_round_kernels import capsule_mesh
from stiction.solver.collision.surface import mesh_pool
from stiction.solver.collision.surface.mesh_pool import build_mesh_pool
from stiction.solver.collision.surface.mesh_refit import refit_mesh, refit_tables
from stiction.solver.shapes import generators


def sliver_cube():
    """A cube with a triangle of no area in one of its edges' seams."""
    vertices, triangles = generators.plate((1, 1, 1))
    a, b, c = triangles[0]
    middle = len(vertices)
    cut = np.concatenate((triangles[1:], [[a, middle, c], [middle, b, c], [a, b, middle]]))
    return np.vstack((vertices, 0.5 * (vertices[a] + vertices[b]))), cut


MESHES = {
    "jack": generators.jack(),
    "torus": generators.torus(),
    "gear": generators.gear(),
    "chalice": generators.chalice(1.0, 24),
    "sheet": generators.grid_plane((1, 1), (12, 12)),
    "sliver cube": sliver_cube(),
}


def bent(vertices, amount, seed=0):
    """A smooth bend and twist of points (V,3), different in every coordinate."""
    rng = np.random.default_rng(seed)
    way, wave = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    return vertices + amount * np.sin(vertices @ (2.0 * wave)) @ way


def pooled(name):
    """A pool with the mesh in second place between others, and its tables."""
    mesh = MESHES[name]
    return build_mesh_pool([MESHES["torus"], mesh, MESHES["jack"]]), refit_tables(*mesh)


@pytest.mark.parametrize("name", MESHES)
def test_a_refit_to_where_it_was_changes_no_bit_to_speak_of(name):
    vertices, _ = MESHES[name]
    (pool, tables), (fresh, _) = pooled(name), pooled(name)
    refit_mesh(pool, 1, tables, bent(vertices, 0.3))
    assert not np.array_equal(pool.face_real, fresh.face_real)
    refit_mesh(pool, 1, tables, vertices)
    for field, one, two in zip(pool._fields, pool, fresh, strict=True):
        if one.dtype.kind == "i":
            assert np.array_equal(one, two), field
        else:
            np.testing.assert_allclose(one, two, atol=1e-12, err_msg=field)


def same_order_pool(monkeypatch, name, moved):
    """The pool of the moved vertices built with the order of faces and the tree of the mesh as it was."""
    mesh = MESHES[name]
    with monkeypatch.context() as patch:
        triangles, _, bad, (box, child, leaf) = mesh_pool.ordered_faces(*mesh)
        normals, _ = mesh_pool._face_normals(moved, triangles)
        normals[bad] = 0.0
        box = np.empty_like(box)
        for node in range(len(child) - 1, -1, -1):
            if child[node] < 0:
                points = moved[triangles[leaf[node]]]
            else:
                two = box[child[node] : child[node] + 2]
                points = np.concatenate((two[:, :3] - two[:, 3:], two[:, :3] + two[:, 3:]))
            low, high = points.min(axis=0), points.max(axis=0)
            box[node] = [*(0.5 * (low + high)), *(0.5 * (high - low))]
        ordered = mesh_pool.ordered_faces
        kept = (triangles, normals, bad, (box, child, leaf))
        patch.setattr(mesh_pool, "ordered_faces", lambda v, t: kept if t is mesh[1] else ordered(v, t))
        return build_mesh_pool([MESHES["torus"], (moved, mesh[1]), MESHES["jack"]])


def contacts(pool, other, x, q, room=3000):
    """Contacts of mesh 1 with another mesh and with a ball: positions, normals, gaps, keys."""
    out = (np.zeros((room, 3)), np.zeros((room, 3)), np.zeros(room), np.zeros(room, dtype=np.int64))
    twist = np.array([*(-x), 0.3, 0.2, 0.1])
    found = []
    for pair in (
        lambda: mesh_pair(pool, 1, ORIGIN, UPRIGHT, REST, other, x, q, twist, 0.05, 0.05, *out),
        lambda: capsule_mesh(pool, 1, ORIGIN, UPRIGHT, REST, x, np.zeros(3), 0.2, twist, 0.05, 0.05, *out),
    ):
        count = pair()
        assert count <= room
        found.append([table[:count].copy() for table in out])
    return [np.concatenate(tables) for tables in zip(*found, strict=True)]


@pytest.mark.parametrize("name", [name for name in MESHES if name not in ("torus", "jack")])
def test_contacts_after_a_refit_are_those_of_a_built_pool(monkeypatch, name):
    """All tables and all contacts, deep overlap included, with the same order of faces."""
    vertices, _ = MESHES[name]
    rng = np.random.default_rng(5)
    pool, tables = pooled(name)
    seen = 0
    for amount in (0.05, 0.1, 0.2):
        moved = bent(vertices, amount)
        refit_mesh(pool, 1, tables, moved)
        built = same_order_pool(monkeypatch, name, moved)
        for field, one, two in zip(pool._fields, pool, built, strict=True):
            if one.dtype.kind == "i":
                assert np.array_equal(one, two), field
            else:
                np.testing.assert_allclose(one, two, atol=1e-12, err_msg=field)
        for _ in range(12):
            x, q = rng.uniform(-0.6, 0.6, 3), random_quaternion(rng)
            refitted, other = contacts(pool, 2, x, q), contacts(built, 2, x, q)
            assert np.array_equal(refitted[3], other[3])
            np.testing.assert_allclose(refitted[2], other[2], atol=1e-9)
            seen += len(other[2])
    assert seen > 30


@pytest.mark.parametrize("name", ["jack", "gear", "chalice", "sheet"])
def test_the_nearest_contact_is_that_of_a_pool_with_its_own_tree(name):
    """Where nothing overlaps, the smallest gap does not depend on the order of the faces."""
    vertices, triangles = MESHES[name]
    rng = np.random.default_rng(6)
    pool, tables = pooled(name)
    moved = bent(vertices, 0.15)
    refit_mesh(pool, 1, tables, moved)
    fresh = build_mesh_pool([MESHES["torus"], (moved, triangles), MESHES["jack"]])
    apart = 0
    for _ in range(150):
        x, q = rng.uniform(-0.9, 0.9, 3), random_quaternion(rng)
        one, two = contacts(pool, 2, x, q)[2], contacts(fresh, 2, x, q)[2]
        assert (len(one) > 0) == (len(two) > 0)
        if len(one) and one.min() > 0.0:
            assert one.min() == pytest.approx(two.min(), abs=1e-9)
            apart += 1
    assert apart > 5


def test_without_thickness_only_the_depth_stays():
    vertices, _ = MESHES["gear"]
    (pool, tables), (full, _) = pooled("gear"), pooled("gear")
    before = pool.face_real[:, 12].copy()
    refit_mesh(pool, 1, tables, bent(vertices, 0.2), thickness=False)
    refit_mesh(full, 1, tables, bent(vertices, 0.2))
    assert np.array_equal(pool.face_real[:, 12], before)
    assert np.array_equal(pool.face_real[:, :12], full.face_real[:, :12])
    assert not np.array_equal(pool.face_real[:, 12], full.face_real[:, 12])
    assert np.array_equal(pool.tree, full.tree)
    assert np.array_equal(pool.wide_box, full.wide_box)


def test_other_meshes_of_the_pool_stay_and_wrong_vertices_are_refused():
    vertices, _ = MESHES["gear"]
    (pool, tables), (fresh, _) = pooled("gear"), pooled("gear")
    refit_mesh(pool, 1, tables, bent(vertices, 0.2))
    first, last = len(MESHES["torus"][1]), len(MESHES["torus"][1]) + len(MESHES["gear"][1])
    assert np.array_equal(pool.face_real[:first], fresh.face_real[:first])
    assert np.array_equal(pool.face_real[last:], fresh.face_real[last:])
    for wrong in (vertices[:5], vertices + np.nan, vertices[:, :2]):
        with pytest.raises(ValueError, match="finite vertices"):
            refit_mesh(pool, 1, tables, wrong)
