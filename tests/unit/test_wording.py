"""Numbers in sentences: a power of ten for what is large reads as nothing a person knows."""

import pytest

from stiction.solver.base.wording import as_length, counted


@pytest.mark.parametrize(("value", "digits", "said"), [
    (1.0, 3, "1 m"), (0.9996, 3, "1 m"), (0.99949, 3, "999 mm"), (12.345, 3, "12.3 m"), (0.25, 2, "0.25 m"),
    (0.02, 3, "20 mm"), (0.0999, 2, "0.1 m"), (1.04e-10, 3, "1.04e-07 mm"), (0.0, 3, "0 mm"), (1234.0, 3, "1.23e+03 m"),
])  # fmt: skip
def test_lengths(value, digits, said):
    assert as_length(value, digits) == said


def test_one_is_no_plural():
    assert [counted(k, "pair") for k in (0, 1, 2)] == ["0 pairs", "1 pair", "2 pairs"]


def test_nouns_in_y():
    assert [counted(k, noun) for noun in ("body", "key") for k in (1, 2)] == ["1 body", "2 bodies", "1 key", "2 keys"]
