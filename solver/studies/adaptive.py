"""Runs where the answer is uncertain: the value of one parameter at which the share of jams passes a target.

A few runs on both ends and in the middle first. Then batches where a run tells most of the value asked for. For a
target near one half that is the value that the logistic fitted to all runs gives, and the ends of its interval; a value
is left once its Wilson interval is narrow. For a rare target runs at it say little, since nearly all end alike: the
variance of the value is least from two shares, 8 and 92 %, with most runs at the nearer one (Elfving 1952, "Optimum
allocation in linear regression theory", for the logistic). Each batch depends on the results of those that it is chosen
from and on nothing else, so any number of workers makes the same runs.
"""

import math
from collections import Counter

from .checks.rules import FIRST
from .plan import task_at
from .quality import cells_of, jams
from .statistics import Z95, threshold, wilson

# Values are rounded to this part of the tolerance, so that runs gather in cells.
ROUNDING = 0.5
# Distance from the middle, in widths of the logistic, of the two values that a rarer target is best found from.
BEST = 2.4


def next_batch(outcome, finished):
    """(Tasks of the next batch, what is known) from the tasks of an Outcome that have `finished`, while others are in
    work: no tasks once the answer is good enough."""
    study, plan = outcome.study, outcome.study.adaptive
    cells = {point[plan.parameter]: jams(rows) for point, rows in cells_of(outcome.rows(tasks=finished)).values()}
    made = len(outcome.tasks)
    if not cells and not made:
        return [_task(study, value, repeat) for value in first_values(plan) for repeat in range(FIRST)], {}
    if not cells:
        return [], {}
    fit = _fit(cells, plan)
    known = _summary(cells, plan, fit, made)
    if known["reached"] or made >= plan.most_runs:
        return [], known
    values = _values_of_rare(plan, fit) or _open_values(cells, plan, fit)
    batch, used = [], Counter(task.values[plan.parameter] for task in outcome.tasks)
    for i in range(min(plan.batch, plan.most_runs - made)):
        value = values[(made + i) % len(values)]
        batch.append(_task(study, value, used[value]))
        used[value] += 1
    return batch, known


def first_values(plan):
    """Both ends of an Adaptive's range and its middle."""
    return [plan.low, math.sqrt(plan.low * plan.high), plan.high]


def _task(study, value, repeat):
    return task_at(study, {study.adaptive.parameter: value}, repeat)


def _fit(cells, plan):
    values = sorted(cells)
    return threshold(values, [cells[v][0] for v in values], [cells[v][1] for v in values], plan.target)


def _rounded(value, plan):
    """A value on a grid of steps that are a part of the tolerance, within the range."""
    step = ROUNDING * plan.tolerance * math.sqrt(plan.low * plan.high)
    return min(max(round(round(value / step) * step, 9), plan.low), plan.high)


def _values_of_rare(plan, fit):
    """The values that a target rarer than the best shares is found from, each as often as it earns runs."""
    far = math.log((1 - plan.target) / plan.target) / BEST
    if abs(far) <= 1:
        return []
    near, other = (_rounded(fit.middle + sign * math.copysign(BEST, far) * fit.width, plan) for sign in (1, -1))
    # Weights of the design are as 1 + |far| to |far| - 1.
    often = max(1, round((abs(far) + 1) / (abs(far) - 1)))
    return [near] * often + [other]


def _open_values(cells, plan, fit):
    """Values worth more runs: the estimate and the ends of its interval, those with a narrow interval left out."""
    wanted = [fit.value, fit.low, fit.high, fit.middle]
    values = dict.fromkeys(_rounded(value, plan) for value in wanted if math.isfinite(value))
    open_ = [value for value in values if _width(cells.get(value, (0, 0))) > plan.width]
    # All are narrow: the slope needs others, a step to both sides.
    step = plan.tolerance * fit.value
    return open_ or list(dict.fromkeys(_rounded(fit.middle + sign * step, plan) for sign in (-1, 1)))


def _width(cell):
    low, high = wilson(*cell)
    return high - low


def _summary(cells, plan, fit, made):
    """What is known: the threshold with its interval, the runs made, and what a grid as fine would have needed."""
    half = 0.5 * (fit.high - fit.low) / fit.value if math.isfinite(fit.high - fit.low) and fit.value > 0 else math.inf
    values = math.ceil((plan.high - plan.low) / (plan.tolerance * fit.value)) + 1 if fit.value > 0 else 0
    # Runs a value until its Wilson interval at one half, z / sqrt(n + z^2) wide, is as narrow as the plan's width.
    each = max(1, math.ceil(Z95**2 * (1 / plan.width**2 - 1) - 1e-9))
    return {
        "parameter": plan.parameter, "target": plan.target, "value": fit.value, "low": fit.low, "high": fit.high,
        "reached": half <= plan.tolerance, "runs": made, "grid_runs": values * each,
        "cells": {str(value): list(cells[value]) for value in sorted(cells)},
    }  # fmt: skip
