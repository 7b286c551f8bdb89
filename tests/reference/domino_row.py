"""A row of dominoes as pivots: each turns about its lower edge in front, one angle a domino, nothing of the solver.

Domino i holds with its upper edge against the face of domino i + 1: Coulomb's law there, without restitution. The floor
holds the pivots and keeps the angles from becoming negative.
"""

from math import cos, nan, sin

import numpy as np


def fall(count, gap, friction, step, time, push, height=0.048, thickness=0.179, gravity=9.81):
    """Times (count,) [s] after which each domino leans by 0.02, nan where one never does in `time` [s].

    gap, thickness: in heights; push [rad/s]: speed of the first. Semi-implicit Euler, sweeps to 1e-12 rad/s.
    """
    depth = thickness * height
    pitch, inertia = depth + gap * height, (depth**2 + height**2) / 3.0
    angle, rate, hit = [0.0] * count, [0.0] * count, [nan] * count
    floor, load = [0.0] * count, [[0.0, 0.0] for _ in range(count)]
    rate[0] = push
    for k in range(round(time / step)):
        moving = min(count, 2 + max((i for i in range(count) if angle[i] > 0.0 or rate[i] > 0.0), default=0))
        for i in range(moving):
            lever = 0.5 * (height * sin(angle[i]) - depth * cos(angle[i]))
            rate[i] += step * gravity * lever / inertia + floor[i]
        rows = [_rows(angle[i], angle[i + 1], pitch, height, depth) for i in range(moving - 1)]
        for i, (_, normal, along) in enumerate(rows):
            _push(rate, i, normal, load[i][0], inertia)
            _push(rate, i, along, load[i][1], inertia)
        change = 1.0
        while change > 1e-12:
            change = 0.0
            for i in range(moving):
                new = max(0.0, floor[i] - rate[i] - angle[i] / step)
                change = max(change, abs(new - floor[i]))
                rate[i] += new - floor[i]
                floor[i] = new
            for i, (space, normal, along) in enumerate(rows):
                new = load[i][0] - _speed(rate, i, normal, max(space, 0.0) / step) * inertia / _square(normal)
                change = max(change, _take(rate, i, normal, load[i], 0, max(0.0, new), inertia))
                bound = friction * load[i][0]
                new = load[i][1] - _speed(rate, i, along, 0.0) * inertia / _square(along)
                change = max(change, _take(rate, i, along, load[i], 1, min(max(new, -bound), bound), inertia))
        for i in range(moving):
            angle[i] += step * rate[i]
            if hit[i] != hit[i] and angle[i] > 0.02:
                hit[i] = (k + 1) * step
        if hit[-2] == hit[-2]:
            break
    return np.array(hit)


def wave_speed(hit, gap, height=0.048, thickness=0.179, gravity=9.81):
    """Speed over the second half of a row in sqrt(g h), nan if it stops; hit: see fall."""
    last, middle = len(hit) - 2, len(hit) // 2
    return (last - middle) * (thickness + gap) * height / (hit[last] - hit[middle]) / (gravity * height) ** 0.5


def _rows(behind, ahead, pitch, height, depth):
    """(gap [m], levers of both angles along the face's normal, and up along the face) of two neighbours."""
    edge = height * sin(behind), height * cos(behind)
    arm = edge[0] - pitch, edge[1]
    normal, up = (cos(ahead), -sin(ahead)), (sin(ahead), cos(ahead))
    levers = [(edge[0] * d[1] - edge[1] * d[0], arm[1] * d[0] - arm[0] * d[1]) for d in (normal, up)]
    return -depth - arm[0] * normal[0] - arm[1] * normal[1], *levers


def _square(row):
    return row[0] ** 2 + row[1] ** 2


def _speed(rate, i, row, more):
    return row[0] * rate[i] + row[1] * rate[i + 1] + more


def _push(rate, i, row, impulse, inertia):
    rate[i] += row[0] * impulse / inertia
    rate[i + 1] += row[1] * impulse / inertia


def _take(rate, i, row, load, which, new, inertia):
    change, load[which] = new - load[which], new
    _push(rate, i, row, change, inertia)
    return abs(change) / inertia
