"""Compact copies and islands: the same physics as the problem they are made from."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sparse
from problem_cases import DATA, manufactured

from stiction.solver.dynamics.contact_rows import contact_rows, rigid_inverse_mass
from stiction.solver.laws.friction_laws import FrictionLaw
from stiction.solver.methods import get_method, improve, solve
from stiction.solver.methods import grade as grade_of
from stiction.solver.methods.assembly import delassus_matrix, friction_scale
from stiction.solver.methods.compact.compact import compact, make_scratch
from stiction.solver.methods.compact.part_sweep_kernels import grade
from stiction.solver.methods.delassus.delassus import delassus_rows, paired
from stiction.solver.methods.second_order.local_body import local_body
from stiction.solver.problem import Block, ProblemError, assemble
from stiction.solver.problems.island_kernels import split
from stiction.solver.residuals import block_residuals, natural_map
from stiction.solver.scene_io.problem_file import load_problem

CONTACTS = DATA / "contact_problems"


def three_bodies(rows, law=FrictionLaw.ELLIPSOID):
    """Two bodies on the ground and one on both of them, with `rows` rows a contact."""
    rng = np.random.default_rng(rows)
    body_a, body_b = np.array([0, 0, 1, 2, 0]), np.array([1, 2, 3, 3, 1])
    frame = np.linalg.qr(rng.normal(size=(5, 3, 3)))[0]
    center = rng.normal(size=(4, 3))
    inverse = np.array([0.0, 1.0, 0.2, 5.0])
    root = rng.normal(size=(4, 3, 3))
    inertia = root @ root.transpose(0, 2, 1) + 0.3 * np.eye(3)
    inertia[0] = 0.0
    inverse_inertia = np.concatenate([np.zeros((1, 3, 3)), np.linalg.inv(inertia[1:])])
    frame, position = np.ascontiguousarray(frame), rng.normal(size=(5, 3))
    J, G, _ = contact_rows(body_a, body_b, position, frame, np.full(5, rows), center, inverse, inverse_inertia)
    mass = np.array([0.0, 1.0, 5.0, 0.2])
    mu = np.tile([0.6, 0.3, 0.05 if rows == 4 else 0.0], (5, 1))
    W = rigid_inverse_mass(inverse, inverse_inertia, mass, inertia)
    b = rng.normal(size=5 * rows)
    return assemble(np.full(5, int(Block.CONTACT)), rows * np.arange(6), J, G, b, mu, 18, law=law, inverse_mass=W)


@pytest.mark.parametrize("rows", [1, 3, 4])
@pytest.mark.parametrize("law", [FrictionLaw.ELLIPSOID, FrictionLaw.BOX])
def test_compact_keeps_velocities_impulses_and_the_judge(rows, law):
    problem = three_bodies(rows, law)
    body = compact(problem)
    impulse = np.random.default_rng(1).normal(size=problem.row_count)
    lam, w = body.load(impulse)
    back = np.zeros_like(impulse)
    body.store(lam, back)
    np.testing.assert_allclose(back, impulse, rtol=1e-14)
    v = np.empty_like(lam)
    residual = grade(body.rows, 0, len(body.rows.kind), lam, w, v, make_scratch(body.rows))
    assert residual == pytest.approx(natural_map(problem, impulse), rel=1e-12)
    if rows == 1:
        # A frictionless contact is swept as a disk of radius zero; its own row is the first of three.
        v = v[body.rows.row[:-1]]
    order = np.concatenate([rows * k + np.arange(rows) for k in body.islands.blocks])
    expected = (friction_scale(problem) * problem.velocity(impulse))[order]
    np.testing.assert_allclose(v, expected, atol=1e-12)


@pytest.mark.parametrize("name", ["wall10x10_t0.5", "boxpile50_t3", "slide60_t0.6"])
def test_compact_of_whole_steps_agrees_with_the_judge(name):
    problem = load_problem(CONTACTS / f"{name}.npz")
    body = compact(problem)
    rng = np.random.default_rng(0)
    impulse = rng.normal(size=problem.row_count)
    lam, w = body.load(impulse)
    v, found = np.empty_like(lam), body.islands
    residuals = block_residuals(problem, impulse)
    for i in range(len(found.node_start) - 1):
        first, last = found.block_start[i], found.block_start[i + 1]
        mine = grade(body.rows, first, last, lam, w, v, None)
        assert mine == pytest.approx(residuals[found.blocks[first:last]].max(initial=0.0), rel=1e-11)


def test_the_judge_of_an_iterate_that_is_no_number_is_infinite():
    body = compact(three_bodies(3))
    lam, w = body.load(np.ones(15))
    for bad in (np.nan, np.inf):
        lam[4] = bad
        assert grade(body.rows, 0, 5, lam, body.velocities(lam), np.empty(15), None) == np.inf
    mixed = compact(three_bodies(4))
    lam, w = mixed.load(np.ones(20))
    lam[3] = np.nan
    assert grade(mixed.rows, 0, 5, lam, w, np.empty(20), make_scratch(mixed.rows)) == np.inf


@pytest.mark.parametrize("rank_deficient", [False, True])
def test_blocks_without_bodies_become_nodes(rank_deficient):
    kinds = (Block.CONTACT, Block.BILATERAL, Block.CONTACT, Block.LIMIT)
    problem = manufactured(7, kinds, rank_deficient=rank_deficient).problem
    body = local_body(problem)
    assert body.pattern(1000) is not None
    scale = friction_scale(problem)
    A = scale[:, None] * delassus_matrix(problem, compliance=False).toarray() * scale
    dense = np.zeros((6 * body.node_count, 6 * body.node_count))
    for k in range(body.node_count):
        for s in range(body.dual.indptr[k], body.dual.indptr[k + 1]):
            j = body.dual.indices[s]
            dense[6 * k : 6 * k + 6, 6 * j : 6 * j + 6] = body.dual.A[s].reshape(6, 6)
    size = np.diff(body.dual.first_row)
    place = np.concatenate([6 * k + np.arange(m) for k, m in enumerate(size)])
    np.testing.assert_allclose(dense[np.ix_(place, place)], A, atol=1e-14)
    assert np.abs(dense).sum() == pytest.approx(np.abs(A).sum())


def test_islands_are_the_connected_parts_from_the_ground_up():
    none = 6
    # 0 - 1 - 2 with 2 on the ground, 3 - 4 in the air, 5 alone on the ground.
    node = np.array([[0, 1], [1, 2], [2, none], [3, 4], [5, none], [1, 2], [none, none]])
    found = split(node, 6)
    parts = [set(found.nodes[a:b]) for a, b in zip(found.node_start[:-1], found.node_start[1:], strict=True)]
    assert parts == [{0, 1, 2}, {3, 4}, {5}]
    assert list(found.nodes[:3]) == [2, 1, 0]
    blocks = [list(found.blocks[a:b]) for a, b in zip(found.block_start[:-1], found.block_start[1:], strict=True)]
    assert blocks == [[2, 1, 5, 0], [3], [4]]


def test_islands_without_bodies_are_empty():
    found = split(np.empty((0, 2), dtype=np.int64), 0)
    assert len(found.node_start) == 1
    assert len(found.blocks) == 0


def test_paired_contacts_are_the_same_problem():
    problem = load_problem(CONTACTS / "OneObject-i100000-316.npz")
    plain = delassus_rows(problem)
    rows, order, first = paired(plain)
    assert sorted(order) == list(range(problem.block_count))
    assert set(np.diff(first)) <= {1, 2}
    at = (3 * order[:, None] + np.arange(3)).ravel()

    def dense(d):
        return sparse.bsr_matrix((d.A.reshape(-1, 3, 3), d.indices, d.indptr)).toarray()

    np.testing.assert_array_equal(dense(rows), dense(plain)[np.ix_(at, at)])
    np.testing.assert_array_equal(rows.pack, plain.pack[order])
    np.testing.assert_array_equal(rows.scale, plain.scale[at])


@pytest.mark.parametrize("rows", [1, 3, 4])
def test_compact_of_a_problem_with_another_b_is_that_of_the_problem_made_anew(rows):
    problem, rng = three_bodies(rows), np.random.default_rng(7)
    first = problem.with_b(rng.normal(size=problem.row_count))
    earlier = compact(first).rows
    kept = earlier.b.copy(), earlier.pack.copy()
    b = rng.normal(size=problem.row_count)
    shared, anew = compact(problem.with_b(b)), compact(replace(problem, b=b))
    assert shared.rows.J is earlier.J and anew.rows.J is not earlier.J
    for name, mine, other in zip(anew.rows._fields, shared.rows, anew.rows, strict=True):
        np.testing.assert_array_equal(mine, other, err_msg=name)
    np.testing.assert_array_equal(earlier.b, kept[0])
    np.testing.assert_array_equal(earlier.pack, kept[1])
    assert compact(replace(first, mu=2.0 * first.mu)).rows.J is not earlier.J


@pytest.mark.parametrize("rows", [1, 3, 4])
def test_a_problem_whose_friction_is_given_has_that_velocity_and_no_other_friction(rows):
    problem, rng = three_bodies(rows), np.random.default_rng(8)
    friction, normal = rng.normal(size=(2, problem.row_count))
    first = problem.row_start[:-1]
    friction[first] = 0.0
    normal[np.setdiff1d(np.arange(len(normal)), first)] = 0.0
    copied = problem.with_b(problem.b)
    compact(copied)
    given = copied.with_friction_given(friction)
    np.testing.assert_allclose(given.velocity(normal), problem.velocity(normal + friction), rtol=1e-12, atol=1e-12)
    shared, anew = compact(given), compact(replace(given, b=given.b))
    for name, mine, other in zip(anew.rows._fields, shared.rows, anew.rows, strict=True):
        np.testing.assert_array_equal(mine, other, err_msg=name)
    impulse = np.zeros(problem.row_count)
    report = solve(given, impulse, "default", get_method("default").options(tolerance=1e-10))
    assert report.residual <= 1e-10
    assert np.any(impulse[first] > 0.0)
    assert not np.any(np.delete(impulse, first))
    # What others share is left as it was.
    np.testing.assert_array_equal(compact(copied).rows.J, compact(problem).rows.J)


def test_improve_does_what_solve_does():
    problem, options = three_bodies(3), get_method("default").options(tolerance=1e-9)
    expected, found = np.zeros(problem.row_count), np.zeros(problem.row_count)
    report = solve(problem, expected, "default", options)
    solved = improve(problem, found, "default", options)
    assert np.any(found)
    np.testing.assert_array_equal(found, expected)
    graded = grade_of(problem, found, solved)
    same = ("method", "status", "iterations", "residual", "siconos_error", "violations")
    assert [getattr(graded, name) for name in same] == [getattr(report, name) for name in same]


def test_problem_with_a_number_missing_is_refused():
    problem = load_problem(CONTACTS / "FC3D_Example1.npz")
    b = problem.b.copy()
    b[4] = np.nan
    with pytest.raises(ProblemError, match="b holds nan at entry 4"):
        solve(problem.with_b(b), None, "accurate")
    with pytest.raises(ProblemError, match="friction"):
        solve(replace(problem, mu=-problem.mu), None, "accurate")
