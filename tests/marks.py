"""Which cases of a test `make test` runs, where all of them take long."""

import pytest


def few(cases, *short):
    """Cases for parametrize: those in `short` as they are, all others slow."""
    cases = list(cases)
    assert all(case in cases for case in short), f"{[case for case in short if case not in cases]} is no case"
    every = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*values, marks=() if case in short else pytest.mark.slow)
            for case, values in zip(cases, every, strict=True)]  # fmt: skip
