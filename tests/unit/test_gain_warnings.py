"""Energy that removing overlap gave is said as a share of what there was, and of nothing as no share."""

import numpy as np
import pytest

from stiction.solver.stepping.not_accepted import gain_warnings

HEADER = {"motion": ["dynamic"], "gravity": [0.0, 0.0, 0.0], "mass": [2.0], "size": [0.1], "names": ["a"]}


def steps(gain, kinetic):
    whole = {name: np.zeros(1) for name in ("friction_work", "impact_loss", "unresolved")}
    return whole | {"time": np.array([0.01]), "stabilisation_work": np.array([gain]), "kinetic": np.array([kinetic]),
                    "converged": np.ones(1), "worst_body": np.zeros(1), "worst_other": -np.ones(1)}  # fmt: skip


@pytest.mark.parametrize(("gain", "kinetic", "said"), [
    (0.02, 1.0, ["0.02 J, 2.00% of the energy at hand"]), (0.5, 0.0, ["0.5 J, more than all the energy at hand"]),
    (0.5, 1e-70, ["0.5 J, more than all the energy at hand"]), (1e-12, 0.0, []), (1e-4, 1.0, []),
])  # fmt: skip
def test_shares_of_nothing_are_not_said(gain, kinetic, said):
    """Where all stands still and nothing weighs it was said to be 1e66 %; what the tolerance moves is no gain."""
    found = gain_warnings(steps(gain, kinetic), HEADER | {"tolerance": 1e-4})
    assert len(found) == len(said)
    for sentence, wanted in zip(found, said, strict=True):
        assert wanted in sentence and "at 'a'" in sentence
