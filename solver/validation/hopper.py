"""The slot hopper, coarsely: what jams, what flows, and how friction and height of the bed change it.

Full studies with error bars are examples/jam_vs_friction.toml and examples/beverloo.toml.
"""

import numpy as np

from ..studies.plan import tasks_of
from ..studies.rates import count_rates
from ..studies.statistics import wilson
from ..studies.study import study_from_data
from ..studies.task import perform
from .lines import Case, demanded, within

# Jams of runs that a code of soft, damped spheres (YADE 2023.02, contact stiffness 1e7 Pa) gives in the same hopper:
# (outlet in diameters, friction): (jams, runs).
SOFT_SPHERES = {(2.5, 0.5): (30, 30), (3.0, 0.1): (2, 30), (4.0, 0.5): (0, 30)}
SEEDS = 3


def _runs(points, **parameters):
    """{point: [result, ...]} of runs of the slot hopper at points (outlet, friction)."""
    found = {}
    for outlet, friction in points:
        study = study_from_data({
            "stiction_study": 1,
            "scene": {"name": "slot_hopper", "parameters": {"outlet": outlet, "friction": friction, **parameters}},
            "settings": {"time": 30.0}, "repeats": {"count": SEEDS},
        }, checked=False)  # fmt: skip
        found[outlet, friction] = [perform([task])[0] for task in tasks_of(study)]
    return found


def jams():
    """Share of jams at three points where soft spheres jam always, seldom and never: inside the joint interval."""
    lines = []
    for (outlet, friction), results in _runs(SOFT_SPHERES, open_time=1.5).items():
        jammed, (k, n) = sum(r["row"]["jammed"] for r in results), SOFT_SPHERES[outlet, friction]
        low, high = wilson(k + jammed, n + SEEDS, 3.0)
        # The pooled interval, widened by what so few runs can tell.
        slack = 1.0 / SEEDS
        lines.append(within(f"share of jams, D/d {outlet:g}, mu {friction:g}", max(low - slack, 0.0),
                            min(high + slack, 1.0), jammed / SEEDS))  # fmt: skip
    return lines


def discharge():
    """Rate independent of the height of the bed (0.9 to 1.1), and 0 to 20 % lower at friction 0.5 than at 0.2."""
    results = _runs([(6.0, 0.2), (6.0, 0.5)], open_time=1.0, count=300)
    rates, ratios = {}, []
    for (_, friction), found in results.items():
        exits = [result["detail"]["exits"] for result in found]
        early, late = (count_rates(exits, *part) for part in ((0.15, 0.45), (0.45, 0.75)))
        rates[friction] = count_rates(exits, 0.15, 0.75)
        ratios += list(late / early)
    height, by_friction = float(np.mean(ratios)), float(np.mean(rates[0.5]) / np.mean(rates[0.2]))
    error = by_friction * float(np.hypot(*(_error(found) / np.mean(found) for found in rates.values())))
    return [
        demanded(within("rate late / rate early in the discharge", 0.9, 1.1, height),
                 f"Its standard error over these few runs is {_error(ratios):.2f}."),
        demanded(within("rate at mu 0.5 / rate at mu 0.2", 0.8, 1.0, by_friction),
                 f"Its standard error over these few runs is {error:.2f}."),
    ]  # fmt: skip


def empties():
    """A dozen grains over a wide outlet all come out, and all that came out is counted."""
    results = _runs([(5.0, 0.3)], count=12, open_time=0.3)[5.0, 0.3]
    out = [result["row"]["discharged_count"] for result in results]
    return [within("fewest grains that came out, of 12", 12, 12, min(out)),
            within("most", 12, 12, max(out))]  # fmt: skip


def _error(values):
    """Standard error of a mean."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


CASES = (
    Case("hopper_empties", "Granular", empties, quick=True), Case("hopper_jams", "Granular", jams),
    Case("hopper_discharge", "Granular", discharge),
)  # fmt: skip
