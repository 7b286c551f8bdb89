"""Rows of dominoes against their own equations of motion, one angle a domino."""

import numpy as np
import pytest
from reference.domino_row import fall, wave_speed

from stiction.solver.scenes import build
from stiction.solver.validation.masonry import PIVOTING_DOMINOES
from stiction.solver.validation.run import run

STEP = 1e-3


def test_dominoes_fall_when_their_own_equations_say_so():
    count, gap, friction, time = 4, 0.7, 0.4, 0.22
    wanted = fall(count, gap, friction, STEP, time, 6.0)
    result = run(build("dominoes", count=count, gap=gap, friction=friction, push=6.0), time, STEP)
    lean = np.array([np.arcsin(result.turn(1 + i)[:, 0, 2]) for i in range(count)])
    found = [result.times[np.argmax(angle > 0.02)] for angle in lean[:-1]]
    assert wanted[-2] < time
    np.testing.assert_allclose(found, wanted[:-1], atol=1.1 * STEP)


@pytest.mark.slow(hours=True)
@pytest.mark.parametrize("gap", PIVOTING_DOMINOES)
def test_the_speeds_of_the_page_are_those_of_pivoting_dominoes(gap):
    hit = fall(40, gap, 0.4, 2e-4, 3.0, 6.0)
    assert abs(wave_speed(hit, gap) / PIVOTING_DOMINOES[gap] - 1.0) < 1e-3
