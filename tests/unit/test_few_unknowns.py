"""Many contacts on bodies of few unknowns: Newton's method works in the velocities, whatever their number."""

from types import SimpleNamespace

import numpy as np
import pytest
from bending_bars import bar_on_floor, modes, problem_of

from stiction.solver import methods
from stiction.solver.methods.accelerated import accelerated, sweepers
from stiction.solver.methods.base import Status
from stiction.solver.methods.compact.compact import compact
from stiction.solver.methods.second_order import proximal_newton_kernels as kernels
from stiction.solver.methods.second_order.proximal_newton import ProximalNewton
from stiction.solver.methods.second_order.wide_body import WideBody, few_unknowns
from stiction.solver.options import changed
from stiction.solver.residuals import natural_map

GRID, FINE = (35, 3), (57, 9)


def solved(problem, method="default", tolerance=1e-8, **options):
    """(impulses, SolveReport) from no impulses."""
    impulse = np.zeros(problem.row_count)
    given = changed(methods.get_method(method).options(), tolerance=tolerance, **options)
    return impulse, methods.solve(problem, impulse, method, given)


def test_the_bar_has_the_frequencies_of_a_free_beam():
    """Bending of a beam with shear and rotation (Timoshenko), 0.1 high: 3.1403 and 8.1738 Hz at E = 1e6 Pa."""
    square, shapes = modes(4, 1e6)
    found = np.sqrt(square) / (2 * np.pi)
    assert found[0] == pytest.approx(3.1403, rel=0.01)
    assert any(abs(f / 8.1738 - 1) < 0.015 for f in found)
    assert np.abs(shapes(np.zeros((1, 3)))).max() < 1.0


@pytest.mark.parametrize("method", ["default", "accurate"])
@pytest.mark.parametrize(("r", "E", "grid"), [(12, 1e8, GRID), (12, 2e11, GRID), (40, 1e8, GRID), (40, 1e8, FINE)])
def test_bars_with_many_contacts_are_solved(method, r, E, grid):
    problem = problem_of([bar_on_floor(r, E, grid)])
    assert compact(problem) is None and few_unknowns(problem)
    impulse, report = solved(problem, method, max_iterations=3000)
    assert report.status == Status.CONVERGED
    assert natural_map(problem, impulse) <= 1e-8


@pytest.mark.parametrize("method", ["default", "accurate"])
@pytest.mark.parametrize("speed", [(0.5, 0.0, -1.0), (0.05, 0.02, -0.02)])
def test_a_rigid_body_with_five_hundred_contacts_is_solved(method, speed):
    """The same problem with r = 0: sweeps and Newton's method have its six velocities."""
    impulse, report = solved(problem_of([bar_on_floor(0, 0.0, FINE, speed=speed)]), method, max_iterations=3000)
    assert report.status == Status.CONVERGED and report.residual <= 1e-8


def test_the_rows_of_rigid_bodies_are_those_of_the_compact_form():
    problem = problem_of([bar_on_floor(0, 0.0, (3, 2))] * 2)
    wide, narrow = WideBody(problem).rows, compact(problem)
    order = (3 * narrow.islands.blocks[:, None] + np.arange(3)).ravel()
    assert np.allclose(wide.J[order], narrow.rows.J, rtol=1e-12, atol=1e-14)
    assert np.allclose(wide.diagonal.reshape(-1, 9)[narrow.islands.blocks].ravel(), narrow.rows.diagonal, rtol=1e-12)
    assert np.array_equal(wide.b[order], narrow.rows.b)


@pytest.mark.parametrize("r", [3, 9, 20])
def test_the_diagonal_of_wide_bodies_is_that_of_all_their_nodes(r):
    """Of bodies of more than twelve unknowns it was that of the first two nodes: steps were up to 3 % too long."""
    rows = WideBody(problem_of([bar_on_floor(r, 1e8, GRID)] * 2)).rows
    own = np.einsum("bij,bkj->bik", *[rows.J.reshape(-1, 3, rows.J.shape[1])] * 2)
    assert np.allclose(rows.diagonal.reshape(-1, 3, 3), own, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("rows", [3, 4, 5])
def test_newton_steps_solve_with_the_matrix_of_all_velocities(rows):
    """Blocks of 3 to 5 rows between bodies of 8, 13 and 6 unknowns: (I + J~^T K J~) dw = -F against a dense solve."""
    rng = np.random.default_rng(rows)
    size, ends = np.array([8, 13, 6]), np.array([[0, 1], [1, 2], [0, 2], [2, 2], [1, 1], [0, 1]])
    nodes, first = -(-size // 6), np.array([0, 2, 5])
    none, blocks = 6, len(ends)
    node, J = np.full((blocks, 6), none), np.zeros((blocks * rows, 36))
    for q, pair in enumerate(ends):
        own = np.concatenate([first[i] + np.arange(nodes[i]) for i in dict.fromkeys(pair)])
        node[q, : len(own)] = own
        J[rows * q : rows * q + rows, : 6 * len(own)] = rng.normal(size=(rows, 6 * len(own)))
    K = rng.normal(size=(blocks, 36))
    c = SimpleNamespace(node=node, J=J)
    dense, full = np.eye(6 * none), np.zeros((blocks * rows, 6 * none + 6))
    for q in range(blocks):
        for x in range(6):
            full[rows * q : rows * q + rows, 6 * node[q, x] : 6 * node[q, x] + 6] += (
                J[rows * q : rows * q + rows, 6 * x : 6 * x + 6]
            )
        own = full[rows * q : rows * q + rows, : 6 * none]
        dense += own.T @ K[q, : rows * rows].reshape(rows, rows) @ own
    problem = problem_of([bar_on_floor(0, 0.0, (3, 2))])
    some = WideBody(problem).rows
    body = SimpleNamespace(
        rows=some._replace(kind=np.zeros(blocks, np.int64), row=rows * np.arange(blocks + 1), b=np.zeros(blocks * rows),
                           **c.__dict__),
        node_count=none, dual=None, sweep=1.0,
        islands=SimpleNamespace(block_start=np.array([0, blocks]), node_start=np.array([0, none])),
    )  # fmt: skip
    newton = ProximalNewton(body)
    island = newton.island(0)
    newton.work.K[:], newton.work.F[:none] = K, rng.normal(size=(none, 6))
    assert kernels.newton_direction(body.rows, island, newton.work, None)
    expected = np.linalg.solve(dense, -newton.work.F[:none].ravel())
    found = newton.work.dx[island.pattern.place].ravel()
    assert np.abs(found - expected).max() <= 1e-11 * np.linalg.cond(dense) * np.abs(expected).max()


@pytest.mark.parametrize("grid", [(3, 2), (35, 3)])
def test_rows_or_velocities_make_no_other_answer(grid, monkeypatch):
    """18 velocities, 18 and 315 rows; with little friction the velocities of an answer are its own."""
    problem = problem_of([bar_on_floor(12, 1e6, grid)], mu=0.1)
    here, report = solved(problem, "accurate", 1e-10)
    for module in (accelerated, sweepers):
        monkeypatch.setattr(module, "few_unknowns", lambda problem: False)
    there, other = solved(problem, "accurate", 1e-10)
    assert report.status == other.status == Status.CONVERGED
    assert np.abs(problem.velocity(here) - problem.velocity(there)).max() <= 1e-8


def test_a_bar_is_solved_to_the_same_bits_beside_another():
    one, other = bar_on_floor(12, 1e8, (9, 3)), bar_on_floor(8, 1e7, (7, 3))
    alone, report = solved(problem_of([one]))
    both, _ = solved(problem_of([other, one]))
    assert report.status == Status.CONVERGED
    assert np.array_equal(both[-len(alone) :], alone)
