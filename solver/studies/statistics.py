"""Intervals and fits: Wilson, Newcombe, logistic and Beverloo; 95 % unless another z is given."""

from math import log, nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy.optimize import curve_fit
from scipy.special import expit

Z95 = 1.959963984540054
# Half the 95 % quantile of chi-square with one degree of freedom: how far a profile likelihood may fall.
PROFILE = 0.5 * Z95**2
# The width of the logistic is a part of its middle that no data fix where every cell is 0 or 1: a weak prior in the
# logarithm, mean and standard deviation, keeps the fit from a step of width 0.
WIDTH_PRIOR = (log(0.04), 1.0)
# Points of the grids on which the likelihood is evaluated.
GRID = 400


def wilson(successes, count, z=Z95):
    """(low, high) of a probability from `successes` of `count` runs; Wilson 1927. (0, 1) of none."""
    if count == 0:
        return 0.0, 1.0
    p = successes / count
    middle = p + z * z / (2 * count)
    half = z * sqrt(p * (1 - p) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def agree(first, second, z=Z95):
    """True if the samples (successes, count) may come from one probability: 0 is in the interval of their difference
    made from both Wilson intervals (Newcombe 1998, method 10)."""
    p, q = first[0] / first[1], second[0] / second[1]
    (low_p, high_p), (low_q, high_q) = wilson(*first, z), wilson(*second, z)
    low = p - q - sqrt((p - low_p) ** 2 + (high_q - q) ** 2)
    high = p - q + sqrt((high_p - p) ** 2 + (q - low_q) ** 2)
    return low <= 1e-12 and high >= -1e-12


class Threshold(NamedTuple):
    """Where a probability that falls with x passes a target: value with its interval (low, high), and the logistic
    1 / (1 + exp((x - middle) / width))."""

    value: float
    low: float
    high: float
    middle: float
    width: float

    def probability(self, x):
        """The fitted probability at x."""
        return expit((self.middle - np.asarray(x, dtype=float)) / self.width)


def threshold(x, successes, counts, target=0.5):
    """Threshold of the logistic fitted to (N,) cells by largest likelihood, its interval by the profile likelihood.

    Infinite ends stand for a side that the data do not bound; None without any run.
    """
    x, k, n = (np.asarray(values, dtype=float) for values in (x, successes, counts))
    use = n > 0
    x, k, n = x[use], k[use], n[use]
    if len(x) == 0:
        return None
    span = max(float(np.ptp(x)), 0.2 * float(np.abs(x).max()), 1e-9)
    values = np.linspace(x.min() - span, x.max() + span, GRID)
    loss, _ = _best_widths(values, x, k, n, target)
    at = int(np.argmin(loss))
    fine = np.linspace(values[max(at - 1, 0)], values[min(at + 1, GRID - 1)], 41)
    fine_loss, widths = _best_widths(fine, x, k, n, target)
    least = int(np.argmin(fine_loss))
    inside = np.flatnonzero(loss <= fine_loss[least] + PROFILE)
    low = -np.inf if inside[0] == 0 else _edge(values, loss, inside[0], -1, fine_loss[least])
    high = np.inf if inside[-1] == GRID - 1 else _edge(values, loss, inside[-1], 1, fine_loss[least])
    width, value = float(widths[least]), float(fine[least])
    return Threshold(value, low, high, value - width * log((1 - target) / target), width)


def _edge(values, loss, at, step, least):
    """Where the profile crosses the bound between a point inside and its neighbour outside."""
    share = (least + PROFILE - loss[at]) / (loss[at + step] - loss[at])
    return float(values[at] + share * (values[at + step] - values[at]))


def _best_widths(values, x, k, n, target):
    """(loss (V,), width (V,)) of the best logistic that passes the target at each of the values (V,), by golden section
    in the logarithm of the width, of all at once."""
    scale = max(float(np.abs(x).mean()), 1e-12)
    shift = log((1 - target) / target)

    def loss(logarithm):
        width = scale * np.exp(logarithm)
        at = ((values - width * shift)[:, None] - x) / width[:, None]
        likelihood = np.sum(k * -np.logaddexp(0.0, -at) + (n - k) * -np.logaddexp(0.0, at), axis=1)
        return -likelihood + 0.5 * ((logarithm - WIDTH_PRIOR[0]) / WIDTH_PRIOR[1]) ** 2

    low, high, golden = np.full(len(values), log(1e-3)), np.full(len(values), log(1.0)), (sqrt(5.0) - 1.0) / 2.0
    inner = [high - golden * (high - low), low + golden * (high - low)]
    found = [loss(one) for one in inner]
    while high[0] - low[0] > 1e-3:
        lower = found[0] <= found[1]
        low, high = np.where(lower, low, inner[0]), np.where(lower, inner[1], high)
        kept, other = np.where(lower, *inner), np.where(lower, *found)
        new = np.where(lower, high - golden * (high - low), low + golden * (high - low))
        own = loss(new)
        inner = [np.where(lower, new, kept), np.where(lower, kept, new)]
        found = [np.where(lower, own, other), np.where(lower, other, own)]
    first = found[0] <= found[1]
    return np.where(first, *found), scale * np.exp(np.where(first, *inner))


class Flow(NamedTuple):
    """Beverloo's law rate = c (x - k)^exponent with its standard errors, and R^2; free_exponent: fitted as well."""

    c: float
    k: float
    c_error: float
    k_error: float
    r_squared: float
    exponent: float
    free_exponent: float


def beverloo(x, rate, exponent=1.5):
    """Flow fitted to outlets x (N,) in grain diameters and rates; None for fewer than three outlets.

    exponent: 3/2 in a slot one grain thick, 5/2 for a round outlet (Beverloo, Leniger and van de Velde 1961).
    """
    x, rate = np.asarray(x, dtype=float), np.asarray(rate, dtype=float)
    if len(np.unique(x)) < 3:
        return None

    def law(x, c, k):
        return c * np.clip(x - k, 1e-9, None) ** exponent

    start = rate.max() / max(x.max() - 1.5, 0.5) ** exponent, min(1.5, 0.9 * x.min())
    (c, k), covariance = curve_fit(law, x, rate, start, maxfev=10_000)
    errors = np.sqrt(np.diag(covariance))
    left = rate - law(x, c, k)
    r_squared = 1.0 - float(np.sum(left**2) / np.sum((rate - rate.mean()) ** 2))
    free = _free_exponent(x, rate, (c, k, exponent))
    return Flow(float(c), float(k), float(errors[0]), float(errors[1]), r_squared, exponent, free)


def _free_exponent(x, rate, start):
    """Exponent of the best power law, nan where it does not settle or three outlets leave nothing to judge it by."""
    if len(np.unique(x)) <= len(start):
        return nan
    try:
        found, _ = curve_fit(lambda x, c, k, n: c * np.clip(x - k, 1e-9, None) ** n, x, rate, start, maxfev=20_000)
    except RuntimeError:
        return nan
    return float(found[2])


def survival(exits, jammed):
    """Kaplan-Meier estimate of P(no clog before N bodies have passed): (counts (E,), probability (E,)).

    exits (N,): bodies that passed in each run; jammed (N,) bool: that it ended so, others are censored.
    """
    exits, jammed = np.asarray(exits), np.asarray(jammed, dtype=bool)
    counts, probability, alive = [0], [1.0], 1.0
    for count in np.unique(exits[jammed]):
        at_risk = np.count_nonzero(exits >= count)
        alive *= 1.0 - np.count_nonzero(jammed & (exits == count)) / at_risk
        counts.append(int(count))
        probability.append(alive)
    return np.array(counts), np.array(probability)


def clog_risk(exits, jammed, z=Z95):
    """(risk of a clog a body, low, high): clogs over bodies passed, as for a constant risk; its interval by the normal
    approximation of the logarithm. (0, 0, 3 / bodies) where none clogged."""
    bodies, clogs = float(np.sum(exits)), int(np.sum(jammed))
    bodies = max(bodies, 1.0)
    if clogs == 0:
        return 0.0, 0.0, 3.0 / bodies
    risk = clogs / bodies
    factor = np.exp(z / sqrt(clogs))
    return risk, risk / factor, risk * factor
