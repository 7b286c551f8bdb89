"""The arch that blocks an outlet: the lowest chain of touching bodies that leads from one fixed body to another."""

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra

# Contacts that carry less than this part of the mean force hold no arch.
CARRIES = 0.25
# What a fixed body bears upwards, at most, as part of the normal force, to be an end of an arch.
HOLDS = 0.05
# Longer ways that run lower win over shorter ones that run higher: cost of a contact for each spacing of the bodies
# that it is above the lowest one.
STEEP = 4.0


def arch_bodies(state, rows, moving):
    """Numbers of the bodies of the arch from one fixed body to another, in order; empty if there is none.

    rows (C,4): impulses of the state's contacts; moving (R,) bool. The way is the one with the smallest sum of
    1 + STEEP * height over its contacts, height above the lowest of them in spacings of the bodies.
    """
    c = state.contacts
    free = moving[c.body_a] | moving[c.body_b]
    force = np.where(free, rows[:, 0], 0.0)
    if not np.any(force > 0):
        return []
    # A fixed body holds a load up by its slope or by friction: the smooth plates of a slot are no ends of an arch.
    holds = np.abs(c.normal[:, 2]) * rows[:, 0] + np.hypot(rows[:, 1], rows[:, 2]) > HOLDS * rows[:, 0]
    holds |= moving[c.body_a] & moving[c.body_b]
    use = np.flatnonzero(holds & (force > CARRIES * force[force > 0].mean()))
    a, b = c.body_a[use], c.body_b[use]
    inner = moving[a] & moving[b]
    if not np.any(inner):
        return []
    spacing = float(np.median(np.linalg.norm(state.position[a[inner]] - state.position[b[inner]], axis=1)))
    cost = 1.0 + STEEP * (c.position[use, 2] - c.position[use, 2].min()) / spacing
    ends = np.unique(np.r_[a[~moving[a]], b[~moving[b]]])
    ways = [_way_from(start, ends, a, b, cost, len(moving)) for start in ends]
    return min((way for way in ways if way[1]), default=(0.0, []))[1]


def _way_from(start, ends, a, b, cost, count):
    """(cost, bodies) of the cheapest way from one fixed body to a later one, through moving bodies alone."""
    # Fixed bodies are ends, not ways: edges lead into them and out of the first alone.
    rows, columns, costs = np.r_[a, b], np.r_[b, a], np.r_[cost, cost]
    leads = ~np.isin(rows, ends) | (rows == start)
    graph = coo_matrix((costs[leads], (rows[leads], columns[leads])), (count, count)).tocsr()
    total, before = dijkstra(graph, directed=True, indices=start, return_predecessors=True)
    best = (np.inf, [])
    for end in ends[ends > start]:
        way, at = [], before[end]
        while at >= 0 and at != start:
            way.append(int(at))
            at = before[at]
        if len(way) > 1 and np.isfinite(total[end]):
            best = min(best, (float(total[end]), way))
    return best
