"""Intervals and fits against published values and made-up data with a known answer."""

import numpy as np
import pytest

from stiction.solver.studies import statistics
from stiction.solver.studies.rates import count_rates


def test_wilson_of_the_literature():
    # Newcombe 1998, table I, method 3: 81/263, 15/148, 0/20, 1/29.
    for successes, count, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611),
                                        (1, 29, 0.0061, 0.1718)):  # fmt: skip
        assert statistics.wilson(successes, count) == pytest.approx((low, high), abs=5e-5)
    assert statistics.wilson(0, 0) == (0.0, 1.0)


def test_agree_is_newcombe_10():
    # Newcombe 1998 (differences), table II, 56/70 - 48/80, method 10: 0.0524 to 0.3339.
    assert not statistics.agree((56, 70), (48, 80))
    assert statistics.agree((9, 10), (3, 10)) is False
    assert statistics.agree((28, 40), (34, 40))
    assert statistics.agree((0, 40), (0, 40))


@pytest.mark.slow
def test_threshold_covers_the_truth():
    rng = np.random.default_rng(3)
    x = np.linspace(2.0, 5.0, 7)
    inside, widths = 0, []
    for _ in range(40):
        chance = 1 / (1 + np.exp((x - 3.4) / 0.15))
        fit = statistics.threshold(x, rng.binomial(40, chance), np.full(7, 40))
        inside += fit.low <= 3.4 <= fit.high
        widths.append(fit.high - fit.low)
    assert inside >= 35
    assert np.median(widths) < 0.3


def test_threshold_of_a_rare_jam_lies_further_out():
    x, n = np.linspace(2.0, 5.0, 7), np.full(7, 4000)
    successes = np.round(n / (1 + np.exp((x - 3.4) / 0.15)))
    half, rare = (statistics.threshold(x, successes, n, target) for target in (0.5, 0.01))
    assert half.value == pytest.approx(3.4, abs=0.02)
    assert rare.value == pytest.approx(3.4 + 0.15 * np.log(99), abs=0.04)


def test_threshold_of_one_sided_data_is_unbounded():
    fit = statistics.threshold([2.0, 3.0], [10, 10], [10, 10])
    assert fit.high == np.inf and fit.low > 2.5


def test_beverloo_finds_its_own_constants():
    x = np.array([5.0, 6.0, 7.0, 8.0, 10.0])
    fit = statistics.beverloo(x, 1.1 * (x - 1.6) ** 1.5)
    assert (fit.c, fit.k) == pytest.approx((1.1, 1.6), rel=1e-5)
    assert fit.r_squared > 0.999999 and fit.free_exponent == pytest.approx(1.5, abs=1e-3)
    # A law with another exponent is told from it.
    assert statistics.beverloo(x, 0.1 * (x - 1.6) ** 2.5).free_exponent == pytest.approx(2.5, abs=0.05)
    assert statistics.beverloo([5.0, 6.0], [1.0, 2.0]) is None
    # Three constants from three outlets leave nothing to judge them by.
    assert np.isnan(statistics.beverloo(x[:3], 1.1 * (x[:3] - 1.6) ** 1.5).free_exponent)


def test_survival_of_a_constant_risk():
    rng = np.random.default_rng(5)
    exits = rng.geometric(0.02, 4000)
    jammed, seen = exits < 100, np.minimum(exits, 100)
    counts, probability = statistics.survival(seen, jammed)
    assert np.interp(50, counts, probability) == pytest.approx(0.98**50, abs=0.02)
    risk, low, high = statistics.clog_risk(seen, jammed)
    assert low < 0.02 < high and risk == pytest.approx(0.02, rel=0.06)


def test_count_rates_of_a_steady_and_a_slowing_flow():
    steady = np.arange(100) * 0.1
    assert count_rates([steady], 0.15, 0.75) == pytest.approx([10.0])
    slowing = np.r_[np.arange(50) * 0.1, 5.0 + np.arange(50) * 0.2]
    assert count_rates([slowing], 0.5, 1.0) / count_rates([slowing], 0.0, 0.5) == pytest.approx([0.5])
