"""Fast bodies at a plate of 3 mm, 10 ms steps, default settings: `make bench-throws` throws a thousand of each."""

import numpy as np
import pytest
from marks import few

from stiction.solver.validation.throws import SHAPES, THICKNESS, volley


def check(name, seeds):
    at, past = volley(name, seeds), volley(name, seeds, beside=True)
    assert not np.any(at.through)
    assert not np.any(at.pierced)
    assert not np.any(past.hit)
    assert np.all(at.hit)
    assert at.sunk.max() < 0.5 * THICKNESS
    assert at.unresolved == 0


# Throws that whole steps lose, and ones that they make ghosts of.
HARD = {"box": (1, 3, 4), "card": (8, 12, 104), "jack": (1, 5, 6), "chalice": (5, 7, 10)}


@pytest.mark.parametrize("name", few(SHAPES, "box", "card"))
def test_hard_throws(name):
    check(name, HARD[name])


@pytest.mark.parametrize("name", ["jack", "chalice"])
def test_whole_steps_lose_the_hard_throws(name):
    """What the substeps are for. Boxes and cards are not lost by whole steps in these three throws."""
    at = volley(name, HARD[name], substeps=1)
    assert np.any(at.through | at.pierced)


@pytest.mark.slow(hours=True)
@pytest.mark.parametrize("name", list(SHAPES))
def test_many_throws(name):
    check(name, range(100, 200))
