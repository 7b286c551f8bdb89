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
