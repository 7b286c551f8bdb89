"""Tuples are taken apart without copies, and all names hold what Python gives them."""

from collections import Counter, defaultdict
from typing import NamedTuple

import numpy as np
import pytest
from numba.core import compiler, ir, types
from numba.core.runtime import _nrt_python, rtsys

from stiction.solver.kernels.compiler.unpacking import unpack_in_place
from stiction.solver.kernels.compiling import kernel


class Parts(NamedTuple):
    x: np.ndarray
    y: np.ndarray
    more: tuple


def made_and_taken(parts, given):
    a, b, c, d = parts.x, parts.y, given, parts.more
    return a[0] + b[1] + c[0] + c[1][2] + d[0] + d[1][0]


def swapped(parts, given):
    a, b, c, d = parts.x, parts.y, given[0], given[1]
    for _ in range(3):
        b, a, d, c = a, b, d, c + a[0]
    return a[0] + 2.0 * b[0] + 4.0 * c + 8.0 * d[0]


def kept_besides(parts, given):
    whole = a, b, c, d = parts.x, parts.y, 3, 2.5
    a, b, c, d = b, a, d, c
    return whole[0][0] + 2.0 * whole[1][0] + 4.0 * a[0] + 8.0 * b[0] + whole[2] * c + d


def another_first(parts, given):
    (k, last), (a, b, c, d) = given, (parts.x, parts.y, 1.5, 2.5)
    return k * last[0] + a[0] + 2.0 * b[0] + 4.0 * c + 8.0 * d


def from_the_end(parts, given):
    (k, last), whole = given, parts.more
    return k * last[-1] + whole[-1][0] * given[-2] + whole[0]


def returned(parts, given):
    (x, y, z), w, (p, q) = parts, given, parts.more
    x = x + 1.0
    return x, w, (q, p, y), z


def after_it_is_given_anew(parts, given):
    made = parts.x, parts.y
    total = 0.0
    for _ in range(2):
        a, b = made
        made = b, a + b
        total += a[0] + made[0][0] + 2.0 * made[1][1]
    return total


FUNCTIONS = made_and_taken, swapped, kept_besides, another_first, from_the_end, returned, after_it_is_given_anew


def arguments():
    return Parts(np.array([1.0, 2.0]), np.array([4.0, 8.0]), (16.0, np.array([32.0]))), (64, np.array([0.1, 0.7, 0.3]))


def flat(value):
    return sum(map(flat, value), ()) if isinstance(value, tuple) else (np.asarray(value).tobytes(),)


@pytest.fixture
def counted():
    """A function that says how many arrays were made and not given back."""
    _nrt_python.memsys_enable_stats()
    stats = rtsys.get_allocation_stats
    yield lambda: stats().mi_alloc - stats().mi_free
    _nrt_python.memsys_disable_stats()


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_names_hold_what_python_gives_them_and_every_reference_is_given_back(function, counted):
    compiled = kernel(function)
    compiled(*arguments())
    before = counted()
    for _ in range(3):
        assert flat(compiled(*arguments())) == flat(function(*arguments()))
    assert counted() == before


def test_what_is_made_to_be_taken_apart_is_not_made():
    """But where it has a name, too."""
    expected = {made_and_taken: 0, swapped: 0, kept_besides: 1}
    for function, count in expected.items():
        form = compiler.run_frontend(function)
        # Whatever is taken apart there is a tuple of four.
        unpack_in_place(form, defaultdict(lambda: types.UniTuple(types.float64, 4)))
        left = [one.value.op for block in form.blocks.values() for one in block.find_insts(ir.Assign)
                if isinstance(one.value, ir.Expr)]  # fmt: skip
        assert Counter(left)["build_tuple"] == count and "exhaust_iter" not in left
