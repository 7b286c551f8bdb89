"""Sweeps over blocks of one form do what the sweep over blocks of any kind does."""

import numpy as np
import pytest

from stiction.solver.methods.compact.compact import compact, make_scratch
from stiction.solver.methods.compact.compact_kernels import BOUNDED, FIXED, OTHER, PLAIN, TORSION, extrapolate_rows
from stiction.solver.methods.compact.mixed_kernels import grade_mixed, grade_other, sweep_mixed, sweep_other
from stiction.solver.methods.compact.part_sweep_kernels import loaded
from stiction.solver.methods.second_order.law_kernels import evaluate_mixed
from stiction.solver.methods.second_order.proximal_newton_kernels import newton_work
from stiction.solver.problem import Block, BlockRows, InverseMass, assemble

# Name: (kind, rows, form).
KINDS = {
    "plain": (Block.CONTACT, 3, PLAIN), "frictionless": (Block.CONTACT, 1, PLAIN),
    "torsion": (Block.CONTACT, 4, TORSION), "ball": (Block.BILATERAL, 3, FIXED), "hinge": (Block.BILATERAL, 5, FIXED),
    "element": (Block.ELEMENT, 6, FIXED), "limit": (Block.LIMIT, 1, BOUNDED), "drive": (Block.DRIVE, 1, BOUNDED),
}  # fmt: skip


def chain(names, seed=0):
    """Blocks of the kinds named, each between two neighbours of a chain of bodies of unit mass."""
    rng, count = np.random.default_rng(seed), len(names)
    kind, size, _ = (np.array(column) for column in zip(*(KINDS[name] for name in names), strict=True))
    offset = np.concatenate([[0], np.cumsum(np.repeat(6 * size, 2))])
    rows = BlockRows(2 * np.arange(count + 1), np.stack([6 * np.arange(count), 6 * np.arange(1, count + 1)], 1).ravel(),
                     np.full(2 * count, 6), offset[:-1], rng.normal(size=offset[-1]))  # fmt: skip
    mu = np.zeros((count, 3))
    mu[size >= 3, :2] = 0.5
    mu[np.array(names) == "torsion", 2] = 0.1
    unit = np.tile(np.eye(6).ravel(), count + 1)
    mass = InverseMass(6 * np.arange(count + 2), 36 * np.arange(count + 2), unit, unit)
    soft = np.array(names) == "element"
    squares = np.concatenate([(np.eye(6) * 0.3).ravel()] * int(soft.sum()) or [np.zeros(0)])
    at = np.where(soft, 36 * (np.cumsum(soft) - 1), -1)
    return assemble(kind, np.concatenate([[0], np.cumsum(size)]), rows, rows, rng.normal(size=size.sum()), mu,
                    6 * (count + 1), bounds=np.tile([-0.1, 0.1], (count, 1)), inverse_mass=mass,
                    compliance_offset=at, compliance=squares)  # fmt: skip


def any_scratch():
    """Scratch arrays as for blocks of every kind, whatever there is."""
    return np.zeros(16), np.zeros(16), np.zeros(16), np.zeros((16, 16)), np.zeros(16), np.zeros((3, 4))


@pytest.mark.parametrize("names", [[name] * 6 for name in KINDS] + [list(KINDS) * 2, list(KINDS)[::-1]])
def test_a_sweep_is_that_over_blocks_of_any_kind(names):
    body = compact(chain(names))
    rows, count = body.rows, len(body.rows.kind)
    assert sorted(rows.form) == sorted(KINDS[name][2] for name in names)
    scratch = any_scratch()
    rng = np.random.default_rng(1)
    jump, found = rng.normal(size=len(rows.b)), []
    for sweep, given in ((sweep_mixed, (0.0,)), (sweep_other, ())):
        work = loaded(body.problem.arrays, rows, body.islands, np.zeros(body.problem.row_count))._replace(p=jump)
        lam, w, step, sums = work.lam, work.w, work.step, []
        for _ in range(4):
            sums.append(sweep(rows, 0, count, work, scratch, *given)[0])
        found.append(np.concatenate([lam, step, w[:-1].ravel(), sums]))
        assert np.allclose(w[:-1], body.velocities(lam)[:-1], atol=1e-12)
    assert np.allclose(*found, rtol=1e-11, atol=1e-12)
    v, y = np.empty_like(lam), scratch[4]
    whole = grade_mixed(rows, 0, count, lam, w, v, y)
    assert whole == pytest.approx(max(grade_other(rows, q, lam, w, v, y) for q in range(count)), rel=1e-12)


@pytest.mark.parametrize("weight", [0.7, -1.0])
def test_impulses_jump_in_the_sweep_as_they_would_before_it(weight):
    body = compact(chain(list(KINDS) * 2, 4))
    rows, found = body.rows, []
    for before in (False, True):
        rng = np.random.default_rng(5)
        lam, step, p = (rng.normal(size=len(rows.b)) for _ in range(3))
        w = rng.normal(size=(body.node_count + 1, 6))
        work = loaded(body.problem.arrays, rows, body.islands, np.zeros(body.problem.row_count))
        if before:
            extrapolate_rows(weight, 0, len(lam), step, lam, p)
        given = 0.0 if before else weight
        sums = sweep_mixed(rows, 0, len(rows.kind), work._replace(lam=lam, w=w, p=p, step=step), any_scratch(), given)
        found.append(np.concatenate([lam, step, p, w.ravel(), sums]))
    assert np.array_equal(*found)
    assert np.any(found[0][2 * len(rows.b) : 3 * len(rows.b)] != 0.0) == (weight > 0.0)


@pytest.mark.parametrize("strength", [0.3, 30.0])
def test_laws_of_contacts_with_torsion_are_those_of_blocks_of_any_kind(strength):
    body = compact(chain(["torsion"] * 12 + ["ball"] + ["torsion"] * 4, 2))
    rows, count, rng = body.rows, len(body.rows.kind), np.random.default_rng(3)
    scratch, span = make_scratch(rows), (0, count, 0, body.node_count)
    base, w, found = rng.normal(size=len(rows.b)), rng.normal(size=(body.node_count + 1, 6)), []
    base[rows.row[:-1]] += 1.0
    for form in (rows.form, np.full_like(rows.form, OTHER)):
        work = newton_work(count, len(w), base, base.copy())._replace(trial=w)
        work.start[:-1] = rows.b
        sums = evaluate_mixed(rows._replace(form=form), span, strength, work, scratch, None)
        lam = work.lam
        found.append(np.concatenate([lam, work.v, work.K.ravel(), work.F[:-1].ravel(), sums]))
    assert np.array_equal(*found)
    radius, slip = lam[rows.row[:12]], np.linalg.norm([lam[rows.row[:12] + i] for i in (1, 2, 3)], axis=0)
    closed = radius > 0.0
    assert 0 < np.count_nonzero(closed) < 12 and np.any(slip[closed] > 0.999 * radius[closed])
