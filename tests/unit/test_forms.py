"""Sweeps over blocks of one form do what the sweep over blocks of any kind does."""

import numpy as np
import pytest

from stiction.solver.methods.compact.compact import compact
from stiction.solver.methods.compact.compact_kernels import BOUNDED, FIXED, PLAIN, TORSION
from stiction.solver.methods.compact.mixed_kernels import grade_mixed, grade_other, sweep_mixed, sweep_other
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


@pytest.mark.parametrize("names", [[name] * 6 for name in KINDS] + [list(KINDS) * 2, list(KINDS)[::-1]])
def test_a_sweep_is_that_over_blocks_of_any_kind(names):
    body = compact(chain(names))
    rows, count = body.rows, len(body.rows.kind)
    assert sorted(rows.form) == sorted(KINDS[name][2] for name in names)
    scratch = np.zeros(16), np.zeros(16), np.zeros(16), np.zeros((16, 16)), np.zeros(16), np.zeros((3, 4))
    rng = np.random.default_rng(1)
    jump, found = rng.normal(size=len(rows.b)), []
    for sweep in (sweep_mixed, sweep_other):
        lam, w = body.load(np.zeros(body.problem.row_count))
        step, rest, sums = np.zeros_like(lam), np.zeros(count, dtype=np.int32), []
        for _ in range(4):
            sums.append(sweep(rows, 0, count, 0.0, rest, lam, w, jump, step, scratch)[0])
        found.append(np.concatenate([lam, step, w[:-1].ravel(), sums]))
        assert np.allclose(w[:-1], body.velocities(lam)[:-1], atol=1e-12)
    assert np.allclose(*found, rtol=1e-11, atol=1e-12)
    v, y = np.empty_like(lam), scratch[4]
    whole = grade_mixed(rows, 0, count, lam, w, v, y)
    assert whole == pytest.approx(max(grade_other(rows, q, lam, w, v, y) for q in range(count)), rel=1e-12)
