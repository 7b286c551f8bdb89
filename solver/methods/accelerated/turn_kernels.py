"""Kernels that decide about islands between groups of sweeps: what is asked of each, and whether Newton steps pay."""

from math import inf, log
from typing import NamedTuple

import numpy as np

from ...jit import kernel

# Sweeps between two decisions about an island.
GROUP = 50
# Sweeps that every island gets, whatever the effort; fewer will do where friction is given.
LEAST, LEAST_GIVEN = 50, 25
# Fewest Newton steps that are begun.
FEWEST = 4
# What a Newton step costs for each contact besides all else, in contacts swept once.
CONTACT_COST = 15.0
# In contacts swept once (about 35 ns), too: a block product of the factorisation, and what a Newton step costs for each
# node besides.
PRODUCT_COST, NODE_COST = 1.5, 7.0
# Sweeps over which their progress is judged: momentum makes it uneven.
WINDOW = 100


class Limits(NamedTuple):
    """What the options say that islands' goals do not: sweeps at most, patience, whether friction is given."""

    max_iterations: int
    patience: int
    friction_given: bool


class Asked(NamedTuple):
    """What is asked of islands (I,), see goals.IslandGoals."""

    tolerance: np.ndarray
    acceptable: np.ndarray
    patience: np.ndarray
    most: np.ndarray
    lasting: np.ndarray
    exact: np.ndarray


@kernel
def asked_of_islands(size, first_block, goals, limits):
    """Asked of islands of size (I,) blocks, from the goals of their first_block (I,): four arrays over blocks."""
    tolerance, acceptable, patience, effort = goals
    count = size.size
    asked = Asked(
        np.empty(count), np.empty(count), np.empty(count, np.int64), np.empty(count, np.int64),
        np.empty(count, np.bool_), np.empty(count, np.bool_),
    )  # fmt: skip
    least = LEAST_GIVEN if limits.friction_given else LEAST
    for i in range(count):
        k, blocks = first_block[i], max(size[i], 1)
        asked.tolerance[i], asked.acceptable[i] = tolerance[k], acceptable[k]
        asked.exact[i] = acceptable[k] <= tolerance[k]
        # Where nothing is acceptable, or more patience is asked for than usual, the answer is wanted to the end.
        asked.lasting[i] = patience[k] > limits.patience or asked.exact[i]
        asked.patience[i] = max(GROUP, patience[k] // blocks)
        asked.most[i] = limits.max_iterations
        if effort[k] > 0:
            asked.most[i] = min(limits.max_iterations, max(least, effort[k] // blocks))
    return asked


@kernel
def newton_cost(work, blocks, nodes):
    """Cost of a Newton step in sweeps over an island of so many blocks and nodes, see block_lu.work."""
    return (PRODUCT_COST * work + NODE_COST * nodes) / max(1, blocks) + CONTACT_COST


@kernel
def worth_it(since, before, sweeps, now, goal, cost, budget, least, expected):
    """True if sweeps, at their present rate, need longer than a Newton method is expected to.

    The residual was `before` after `since` sweeps and is `now` after `sweeps`; goal [m/s]; cost: of a Newton step in
    sweeps; budget: sweeps left; least: steps that it must allow; expected: steps that a Newton method needs.
    """
    if budget < least * cost:
        return False
    if goal <= 0.0:
        return True
    if not before < inf:
        return False
    if now >= 0.999 * before:
        return sweeps - since >= WINDOW
    rate = log(before / now) / (sweeps - since)
    return log(now / goal) / rate > expected * cost
