"""Shape vectors of reduced bodies: what they are, that none is missed, and how they are kept on disk."""

import numpy as np
import pytest
from marks import few

from stiction.solver.base import kept
from stiction.solver.dynamics.elastic.deformable import deformable
from stiction.solver.dynamics.reduced.basis import (
    FreeBody,
    OutOfReach,
    patch_loads,
    pressures,
    shape_vectors,
    surface_patches,
)
from stiction.solver.meshes.tet_grids import box_grid


def made(grid, young, element="t10"):
    return deformable(*grid, young, 0.3, 1000.0, law="corotational", element=element)


def test_shape_vectors_are_orthonormal_and_without_rigid_motion():
    body = made(box_grid((6, 2, 2), (1.0, 0.12, 0.1)), 1e8)
    patch = np.flatnonzero(body.rest[:, 0] > 0.5 - 1e-9)
    squares, U = shape_vectors(body, 12, True, [patch])
    V, M, free = U.reshape(-1, 21), np.repeat(body.mass, 3), FreeBody(body)
    assert np.abs(V.T @ (M[:, None] * V) - np.eye(21)).max() < 1e-12
    assert np.abs(free.rigid.T @ (M[:, None] * V)).max() < 1e-10
    assert np.abs(V.T @ free.stiffness(V) - np.diag(squares)).max() < 1e-10 * squares[-1]


def test_answers_to_loads_are_static():
    """The vectors answer a load on their patch as all of the body does."""
    body = made(box_grid((6, 2, 2), (1.0, 0.12, 0.1)), 1e8)
    patch = np.flatnonzero(body.rest[:, 0] > 0.5 - 1e-9)
    free = FreeBody(body)
    load = pressures(free, patch)[:, 2:]
    exact = float((load * free.statics(load)).sum())
    for patches, share in (([], 0.97), ([patch], 1.0)):
        squares, U = shape_vectors(body, 4, False, patches)
        along = U.reshape(-1, len(squares)).T @ load
        found = float((along[:, 0] ** 2 / squares).sum()) / exact
        assert abs(found - share) < (1e-9 if patches else 0.03)


@pytest.mark.parametrize("element", ["t4", "t10"])
def test_what_plates_press_on_its_attachments_is_strained_evenly(element):
    """With forces that all nodes of an end share alike it was up to a fifth too stiff between plates."""
    body = deformable(*box_grid((2, 2, 2), (0.2, 0.2, 0.2)), 1e7, 0.0, 1000.0, law="corotational", element=element)
    free, M = FreeBody(body), np.repeat(body.mass, 3)
    ends = [np.flatnonzero(sign * body.rest[:, 2] > 0.1 - 1e-9) for sign in (-1.0, 1.0)]
    V = shape_vectors(body, 8, True, ends)[1].reshape(len(M), -1)
    even = free.without_rigid((free.X * [0.0, 0.0, 1.0]).reshape(-1, 1))
    assert np.abs(even - V @ (V.T @ (M[:, None] * even))).max() < 1e-7 * np.abs(even).max()


@pytest.mark.parametrize(("count", "vectors"), [(9, 15), (10, 17)])
def test_vectors_turn_with_the_body(count, vectors):
    """The tenth mode of this bar is one of two equally low ones; which of them came first depended on how it lay."""
    vertices, tets = box_grid((3, 2, 2), (0.3, 0.2, 0.2))
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    bodies = made((vertices, tets), 2e5, "t4"), made((vertices @ turn.T, tets), 2e5, "t4")
    (squares, one), (others, other) = (shape_vectors(body, count, True, []) for body in bodies)
    assert len(squares) == vectors and np.allclose(squares, others, rtol=1e-6)
    one, other = (turn @ one).reshape(-1, vectors), other.reshape(-1, vectors)
    left = one - other @ (other.T @ (np.repeat(bodies[0].mass, 3)[:, None] * one))
    assert np.abs(left).max() < 1e-4 * np.abs(one).max()


def lacking(body, squares, U):
    """How much of its way under a load on it each patch of the surface lacks, beside the whole mesh."""
    free, found = FreeBody(body), []
    for nodes in surface_patches(free):
        loads = patch_loads(free, nodes)
        by = U.reshape(-1, len(squares)).T @ loads
        ways = (loads * free.statics(loads)).sum(axis=0)
        found.extend(1.0 - (by**2 / squares[:, None]).sum(axis=0) / ways)
    return np.array(found)


ERRORS = 1.0, 0.4, 0.2, 0.1, 0.05


@pytest.mark.parametrize(("bends", "errors"), few([(0, ERRORS), (5, (1.0, 0.2)), (5, ERRORS)],
                                                  (0, ERRORS), (5, (1.0, 0.2))))  # fmt: skip
def test_vectors_are_added_until_they_lack_no_more_than_asked(bends, errors):
    body, counts = made(box_grid((6, 2, 2), (1.0, 0.12, 0.1)), 1e8), []
    for error in errors:
        squares, U = shape_vectors(body, 6, True, [], bends, error)
        counts.append(len(squares))
        lack = lacking(body, squares, U)
        assert lack.max() <= error + 1e-9
        # No more than it takes: those that were added lie close below.
        assert bends or error == 1.0 or lack.max() > 0.5 * error
    assert counts[0] == 12 + bends and np.all(np.diff(counts) > 0)


def test_patches_are_all_of_the_surface():
    free = FreeBody(made(box_grid((6, 2, 2), (1.0, 0.12, 0.1)), 1e8))
    patches = surface_patches(free)
    assert len(patches) == 24 and np.array_equal(np.sort(np.concatenate(patches)), free.body.surface_nodes)
    one = FreeBody(made(box_grid((1, 1, 1), (0.1, 0.1, 0.1)), 1e8, "t4"))
    assert [len(nodes) for nodes in surface_patches(one)] == [1] * 8


def test_an_error_out_of_reach_says_what_is_left():
    body = made(box_grid((6, 2, 2), (1.0, 0.12, 0.1)), 1e8)
    with pytest.raises(OutOfReach) as fault:
        shape_vectors(body, 6, True, [], 0, 0.1, 20)
    left = fault.value.args[0]
    assert len(shape_vectors(body, 6, True, [], 0, left, 20)[0]) == 20


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """The folder of kept results, empty."""
    monkeypatch.setattr(kept, "cache_root", lambda: tmp_path)
    return tmp_path


def sought(monkeypatch):
    """How often modes were looked for, a list that grows."""
    found, modes = [], FreeBody.modes
    monkeypatch.setattr(FreeBody, "modes", lambda free, count: found.append(count) or modes(free, count))
    return found


def test_shape_vectors_are_found_once(cache, monkeypatch):
    body, seen = made(box_grid((3, 1, 1), (1.0, 0.4, 0.3)), 1e8), sought(monkeypatch)
    first = shape_vectors(body, 5, True, [np.arange(4)])
    again = shape_vectors(body, 5, True, [np.arange(4)])
    assert seen == [5] and all(map(np.array_equal, first, again))
    others = ((body, 6, True, [np.arange(4)]), (body, 5, False, []), (body, 5, True, [np.arange(3)]),
              (body, 5, True, [np.arange(4)], 0, 0.5),
              (made(box_grid((3, 1, 1), (1.0, 0.4, 0.3)), 2e8), 5, True, [np.arange(4)]))  # fmt: skip
    for other in others:
        shape_vectors(*other)
    assert seen == [5, 6, 5, 5, 5, 5]


def test_damaged_shape_vectors_are_found_anew(cache, monkeypatch):
    body, seen = made(box_grid((3, 1, 1), (1.0, 0.4, 0.3)), 1e8), sought(monkeypatch)
    first = shape_vectors(body, 5, False, [])
    (path,) = cache.rglob("*.npz")
    whole = path.read_bytes()
    broken = bytearray(whole)
    broken[len(whole) // 2] ^= 255
    for number, bad in enumerate((whole[:-100], bytes(broken), b"", b"no archive")):
        path.write_bytes(bad)
        assert all(map(np.array_equal, first, shape_vectors(body, 5, False, []))) and len(seen) == 2 + number
        assert path.read_bytes() == whole


def test_a_folder_that_cannot_be_written_is_no_error(cache, monkeypatch):
    body, seen = made(box_grid((3, 1, 1), (1.0, 0.4, 0.3)), 1e8), sought(monkeypatch)
    (cache / "shapes").write_bytes(b"a file in the way")
    shape_vectors(body, 5, False, [])
    shape_vectors(body, 5, False, [])
    assert seen == [5, 5]


def test_many_loads_are_solved_as_one_is():
    body, random = made(box_grid((5, 2, 2), (1.0, 0.4, 0.3)), 1e6), np.random.default_rng(4)
    body.forces(body.rest, body.blocks, project=False)
    body.factor.refactor(body.blocks, 1.0, body.mass * 1e3, np.zeros(body.node_count, dtype=bool))
    loads = random.normal(size=(3 * body.node_count, 3))
    one = np.stack([body.factor.solve(load.reshape(-1, 3)).ravel() for load in loads.T], axis=1)
    assert np.abs(body.factor.solver()(loads) - one).max() < 1e-12 * np.abs(one).max()


def test_no_mode_is_missed():
    """A cube has modes of equal frequency, which a search from few vectors may pass over."""
    body = made(box_grid((2, 2, 2), (1.0, 1.0, 1.0)), 1e6, "t4")
    free = FreeBody(body)
    K = free.stiffness(np.eye(len(free.M)))
    root = np.sqrt(free.M)
    exact = np.linalg.eigvalsh(0.5 * (K + K.T) / root / root[:, None])[6:27]
    # The twentieth is one of three equally low ones.
    assert np.allclose(shape_vectors(body, 20, False, [])[0], exact, rtol=1e-9)
    # As many as are allowed.
    assert np.allclose(free.ritz(free.modes(37))[0][:21], exact, rtol=1e-9)
