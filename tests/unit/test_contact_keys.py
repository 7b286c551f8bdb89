"""Keys of contacts: what went in comes out, and no two features share one."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from stiction.solver.collision import contact_keys
from stiction.solver.collision.contact_keys import CORE_BITS, ELSEWHERE, FOUND_AGAIN, INNER_KEY, MESH_BITS


def python(function):
    """What a kernel was made of."""
    return getattr(function, "py_func", function)


def keys(kind, first, second, side):
    """Keys of the three kinds of pairs."""
    return (python(contact_keys.feature_key)(kind, first, second), python(contact_keys.mesh_key)(kind, first, second),
            python(contact_keys.tetrahedra_key)(first, second, side))  # fmt: skip


NUMBER = st.integers(0, 2**CORE_BITS - 1)
PLACE = st.tuples(st.integers(1, 5), NUMBER, NUMBER, st.integers(0, 63))


@given(PLACE, PLACE)
@example((1, 2, 3, 4), (1, 2, 3, 4))
@example((1, 0, 1, 0), (1, 1, 0, 0))
def test_other_features_have_other_keys(one, other):
    for k, named in enumerate(((0, 1, 2), (0, 1, 2), (1, 2, 3))):
        same = all(one[i] == other[i] for i in named)
        assert (keys(*one)[k] == keys(*other)[k]) == same


@given(st.integers(1, 15), st.integers(0, 2**MESH_BITS - 1), st.integers(0, 2**MESH_BITS - 1))
def test_a_mesh_key_gives_its_features_back(kind, first, second):
    key = np.array([keys(kind, first, second, 0)[1]])
    assert [int(part[0]) for part in contact_keys.mesh_features(key)] == [kind, first, second]


def test_marks_lie_beyond_the_numbers_of_convex_cores_or_in_their_kind():
    for mark in (FOUND_AGAIN, FOUND_AGAIN << 1, ELSEWHERE, INNER_KEY):
        assert mark > 5 << (2 * CORE_BITS)


def test_a_pair_has_one_salt_wherever_it_is_made():
    a, b = np.int64(0x5DEECE66D), np.int64(0x2545F4914F6CDD1D)
    salt = contact_keys.numpy_pair_salt
    assert python(contact_keys.pair_salt)(a, b) == salt(a, b) != salt(b, a)
