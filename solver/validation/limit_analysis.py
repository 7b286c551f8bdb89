"""Exact limits of dry-jointed arches in the plane by linear programming, independent of any simulation.

Each joint carries two normal forces n >= 0 at its ends and one tangential force |t| <= mu (n1 + n2); every block
is in equilibrium (static theorem of limit analysis, Livesley 1978).
"""

import numpy as np
from scipy.optimize import linprog

from ..scenes.arches import arch


def _equilibrium(count, ratio, facets):
    """Matrix of the equations of all blocks and their right side (weights), unknowns (n_inner, n_outer, t) a joint."""
    scene = arch(count=count, ratio=ratio, radius=1.0, facets=facets)
    angles = np.linspace(0.0, np.pi, count + 1)
    rays = np.c_[np.cos(angles), np.sin(angles)]
    # Normal of joint i points from block i-1 to block i (along the arch), tangent outwards.
    along = np.c_[-np.sin(angles), np.cos(angles)]
    matrix, right = np.zeros((3 * count, 3 * (count + 1))), np.zeros(3 * count)
    for block in range(count):
        body = scene.bodies[1 + block]
        properties = body.shape.mass_properties()
        center = (np.asarray(body.position) + properties.center)[[0, 2]]
        right[3 * block + 1] = properties.volume
        for joint, sign in ((block, 1.0), (block + 1, -1.0)):
            for k, radius in enumerate((1 - ratio / 2, 1 + ratio / 2)):
                arm = radius * rays[joint] - center
                force = sign * along[joint]
                matrix[3 * block : 3 * block + 3, 3 * joint + k] = [*force, arm[0] * force[1] - arm[1] * force[0]]
            arm, force = rays[joint] - center, sign * rays[joint]
            matrix[3 * block : 3 * block + 3, 3 * joint + 2] = [*force, arm[0] * force[1] - arm[1] * force[0]]
    return matrix, right


def _solve(count, ratio, friction, cost=None, facets=1):
    matrix, right = _equilibrium(count, ratio, facets)
    joints = count + 1
    cone = np.zeros((2 * joints, 3 * joints))
    for j in range(joints):
        for s, sign in enumerate((1.0, -1.0)):
            cone[2 * j + s, 3 * j : 3 * j + 3] = [-friction, -friction, sign]
    bounds = [(0, None), (0, None), (None, None)] * joints
    cost = np.zeros(3 * joints) if cost is None else cost
    return linprog(cost, cone, np.zeros(2 * joints), matrix, right, bounds, method="highs"), right[1::3].sum()


def stands(count, ratio, friction, facets=1):
    """True if a semicircular arch of `count` voussoirs, its faces of `facets` chords a block, has an equilibrium."""
    return _solve(count, ratio, friction, facets=facets)[0].status == 0


def _bisect(fails, holds, test, tolerance=1e-6):
    while abs(holds - fails) > tolerance:
        middle = 0.5 * (fails + holds)
        if test(middle):
            holds = middle
        else:
            fails = middle
    return holds


def least_thickness(count, friction):
    """Least thickness / mean radius with which the arch stands."""
    return _bisect(0.03, 0.4, lambda ratio: stands(count, ratio, friction))


def least_friction(count, ratio):
    """Least friction with which the arch stands."""
    return _bisect(0.05, 1.0, lambda friction: stands(count, ratio, friction))


def thrust_range(count, ratio, friction):
    """Smallest and largest horizontal thrust / weight of the standing arch."""
    cost = np.zeros(3 * (count + 1))
    # At the right springing (angle 0) the tangent points to +x: its force on the first block is -t of joint 0.
    cost[2] = 1.0
    low, weight = _solve(count, ratio, friction, cost)
    high, _ = _solve(count, ratio, friction, -cost)
    values = sorted((abs(low.fun), abs(high.fun)))
    return values[0] / weight, values[1] / weight
