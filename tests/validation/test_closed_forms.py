"""The simulator against closed forms: every line of the quick validation cases must hold."""

import pytest
from marks import few

from stiction.solver.validation import CASES
from stiction.solver.validation.report import format_line


def check(key):
    outcome = CASES[key].outcome()
    assert outcome.lines
    failing = [format_line(key, line) for line in outcome.lines if not line.passed and not line.demanded]
    assert not failing, "\n".join(failing)


# Quick beside the others, and more than a second each.
LONGER = {"arch_thrust", "buckling_own_weight", "contensou_pin", "free_top", "hopper_empties"}
QUICK = [case.key for case in CASES.values() if case.quick]


@pytest.mark.parametrize("key", few(QUICK, *(key for key in QUICK if key not in LONGER)))
def test_quick_case(key):
    check(key)


@pytest.mark.slow(hours=True)
@pytest.mark.parametrize("key", [case.key for case in CASES.values() if not case.quick])
def test_case(key):
    check(key)
