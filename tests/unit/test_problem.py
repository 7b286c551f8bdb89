"""A problem's cheap copies."""

import numpy as np
import pytest

from stiction.solver.methods.method_options import AcceleratedOptions
from stiction.solver.options import OptionError, changed
from stiction.solver.problem import from_delassus


def test_another_b_reaches_the_kernels():
    problem = from_delassus(np.eye(3), [-1.0, 0.0, 0.0], [0.5])
    assert problem.velocity(np.zeros(3)) == pytest.approx([-1.0, 0.0, 0.0])
    other = problem.with_b([-2.0, 1.0, 0.0])
    assert other.velocity(np.zeros(3)) == pytest.approx([-2.0, 1.0, 0.0])
    assert problem.velocity(np.zeros(3)) == pytest.approx([-1.0, 0.0, 0.0])


@pytest.mark.parametrize("value", [-1.0, float("nan")])
def test_changed_options_are_still_checked(value):
    options = AcceleratedOptions()
    options.check()
    with pytest.raises(OptionError, match="tolerance"):
        changed(options, tolerance=value).check()
    with pytest.raises(OptionError, match="acceptable"):
        changed(options, acceptable=value).check()
    assert options == AcceleratedOptions()


def test_what_is_derived_forgets_what_was_made_from_other_fields():
    problem = from_delassus(np.diag([2.0, 1.0, 1.0, 4.0, 1.0, 1.0]), [-1.0, 0.0, 0.0, -2.0, 0.0, 0.0], [0.5, 0.3])
    other = problem.with_b(problem.b)
    other.forms["made"] = True
    assert other.diagonal[1][0] == 2.0 and other.contact_count == 2 and len(other.arrays.kind) == 2
    part, rows = other.restrict(np.array([1]))
    assert rows.tolist() == [3, 4, 5]
    assert (part.diagonal[1][0], part.contact_count, len(part.arrays.kind), part.forms) == (4.0, 1, 1, None)
    assert part.mu[0, 0] == 0.3 and part.velocity(np.ones(3))[0] == pytest.approx(2.0)
    # Another b changes nothing of what J, W and C make.
    assert other.derive(b=2.0 * other.b).diagonal is other.diagonal
    assert other.derive(b=2.0 * other.b).arrays.b[0] == -2.0
