"""Contacts that give: their compliance is a part of what Newton turns factorise, so that these need not sweep alone."""

from dataclasses import replace

import numpy as np
import pytest
from problem_cases import manufactured

from stiction.solver.methods.assembly import compliance_matrix, delassus_matrix, friction_scale
from stiction.solver.methods.base import Clock
from stiction.solver.methods.second_order.local_body import local_body
from stiction.solver.methods.second_order.proximal_newton import ProximalNewton, newton_fits
from stiction.solver.methods.second_order.proximal_newton_kernels import FIRST_STRENGTH, LEAST, STEPS
from stiction.solver.problem import Block, from_delassus
from stiction.solver.residuals import natural_map


def giving(seed, kinds, least=1e-3):
    """A problem with a known answer, of a matrix with eigenvalues from 1 to `least` of which a part of the contacts'
    own blocks is compliance."""
    case, rng = manufactured(seed, kinds, torsion=False), np.random.default_rng(seed)
    p = case.problem
    turn = np.linalg.qr(rng.normal(size=(p.row_count,) * 2))[0]
    A = turn * np.geomspace(1.0, least, p.row_count) @ turn.T
    b, numbers, offsets = case.velocity - A @ case.impulse, [], np.full(p.block_count, -1)
    for k in np.flatnonzero(p.kind == Block.CONTACT):
        rows = slice(p.row_start[k], p.row_start[k + 1])
        part = 0.9 * least * np.eye(rows.stop - rows.start)
        offsets[k] = len(numbers)
        numbers += part.ravel().tolist()
        A[rows, rows] -= part
    made = from_delassus(A, b, p.mu, kind=p.kind, row_start=p.row_start, law=p.law, bounds=p.bounds)
    return replace(made, compliance_offset=offsets, compliance=np.array(numbers)), case.impulse


def test_their_compliance_is_in_the_matrix_that_is_factorised():
    problem, _ = giving(3, (Block.CONTACT, Block.BILATERAL, Block.CONTACT))
    body, scale = local_body(problem), friction_scale(problem)
    assert newton_fits(body) and body.pattern(1000) is not None
    dense = np.zeros((6 * body.node_count,) * 2)
    for k in range(body.node_count):
        for s in range(body.dual.indptr[k], body.dual.indptr[k + 1]):
            j = body.dual.indices[s]
            dense[6 * k : 6 * k + 6, 6 * j : 6 * j + 6] = body.dual.A[s].reshape(6, 6)
    place = np.concatenate([6 * k + np.arange(m) for k, m in enumerate(np.diff(body.dual.first_row))])
    wanted = scale[:, None] * delassus_matrix(problem).toarray() * scale
    assert np.abs(compliance_matrix(problem)).sum() > 0
    np.testing.assert_allclose(dense[np.ix_(place, place)], wanted, atol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_newton_steps_find_their_answer(seed):
    problem, answer = giving(seed, (Block.CONTACT,) * 14)
    body, scale = local_body(problem), friction_scale(problem)
    newton, base, best = ProximalNewton(body), np.zeros(problem.row_count), np.zeros(problem.row_count)
    island = newton.island(0)
    state = newton.run(island, (1e-13, 300), (np.inf, FIRST_STRENGTH), base, best, Clock(0.0))
    assert state[LEAST] <= 1e-13 and state[STEPS] <= 300
    impulse = scale * best
    assert natural_map(problem, impulse, problem.velocity_change(impulse)) <= 2e-13
    np.testing.assert_allclose(impulse, answer, atol=1e-8)
