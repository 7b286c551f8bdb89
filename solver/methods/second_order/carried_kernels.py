"""Held rows carried by one body: where the other rows touch one body alone of those that held rows couple, that body
moves with the inverse mass of all of them, and what is left is a problem without joints.

With E the held rows, N all others and t the body of a mechanism that rows N touch,

    W'_tt = W_tt - (W J_E^T)_t A_EE^-1 (J_E W)_t,   b' = b_N - J_N W J_E^T A_EE^-1 b_E

which is the elimination of elimination.py in the form that contacts between bodies have: a row costs what it costs
without joints, however many there are.
"""

from typing import NamedTuple

import numpy as np

from ...jit import inner, kernel
from ...problems.island_kernels import find_root, join
from ...problems.problem_kernels import Arrays, BlockRows, apply_change, restricted, row_velocity
from . import profile_kernels as profiles


class Carried(NamedTuple):
    """The problem of the other rows: its Arrays, without b; their blocks (f,) and rows (n,) in the whole problem; data
    of its InverseMass, which is the same otherwise; fits: whether this is for them, or nothing is filled."""

    problem: Arrays
    blocks: np.ndarray
    rows: np.ndarray
    data: np.ndarray
    fits: bool


@kernel
def rigid(p, blocks):
    """Whether blocks (n,) stand on whole rigid bodies, the same in J and in G."""
    J, G, alike = p.J, p.G, True
    for k in blocks:
        alike = alike and J.indptr[k] == G.indptr[k] and J.indptr[k + 1] == G.indptr[k + 1]
        for s in range(J.indptr[k], J.indptr[k + 1] if alike else 0):
            alike = alike and J.size[s] == 6 and G.size[s] == 6 and J.start[s] == G.start[s]
    return alike


@inner
def carriers(p, held, free, count):
    """(carrier (n,) of the mechanism of each of `count` bodies: the body that blocks free (f,) touch, -1 for none;
    whether there is no second one) of the mechanisms that the blocks of a Profile couple."""
    parent, touched, alone = np.arange(count), np.full(count, -1), True
    for k in held.blocks:
        for s in range(p.J.indptr[k] + 1, p.J.indptr[k + 1]):
            join(parent, p.J.start[s] // 6, p.J.start[s - 1] // 6)
    for k in free:
        for s in range(p.J.indptr[k], p.J.indptr[k + 1]):
            body = p.J.start[s] // 6
            root = find_root(parent, body)
            alone = alone and (touched[root] < 0 or touched[root] == body)
            touched[root] = body
    carrier = np.empty(count, np.int64)
    for i in range(count):
        carrier[i] = touched[find_root(parent, i)]
    return carrier, alone


@inner
def columns_of(p, held, carrier):
    """(columns (6,k) of J_E W that carriers move, a mechanism below the other; the carrier (k,) of each, or -1)."""
    columns, body = np.zeros((6, held.rows.size)), np.full(held.rows.size, -1)
    for x in range(held.blocks.size):
        k = held.blocks[x]
        for s in range(p.G.indptr[k], p.G.indptr[k + 1]):
            i = p.G.start[s] // 6
            if carrier[i] != i:
                continue
            for row in range(held.place[x], held.place[x + 1]):
                body[row] = i
                for e in range(6):
                    columns[e, row] = p.G.data[p.G.offset[s] + 6 * (row - held.place[x]) + e]
    return columns, body


@inner
def take_away(mass, columns, answers, body, data):
    """data -= columns answers^T in the blocks of the carriers; what is round-off of an inverse mass is made zero."""
    start, offset, before = mass
    moved = np.zeros(start.size - 1, np.bool_)
    for row in range(body.size):
        if body[row] < 0:
            continue
        moved[body[row]] = True
        for e in range(6):
            for f in range(6):
                both = columns[e, row] * answers[f, row] + columns[f, row] * answers[e, row]
                data[offset[body[row]] + 6 * e + f] -= 0.5 * both
    for i in range(moved.size):
        first = offset[i]
        for e in range(6 if moved[i] else 0):
            if not data[first + 7 * e] > 1e-12 * before[first + 7 * e]:
                for f in range(6):
                    data[first + 6 * e + f] = data[first + 6 * f + e] = 0.0


@inner
def weigh(p, data, offset, carrier):
    """The BlockRows G of Arrays `p` with the inverse masses data of carriers."""
    G, J = p.G, p.J
    numbers = G.data.copy()
    for k in range(p.kind.size):
        for s in range(J.indptr[k], J.indptr[k + 1]):
            body = J.start[s] // 6
            if carrier[body] != body:
                continue
            for i in range(p.row_start[k + 1] - p.row_start[k]):
                for f in range(6):
                    total = 0.0
                    for e in range(6):
                        total += J.data[J.offset[s] + 6 * i + e] * data[offset[body] + 6 * e + f]
                    numbers[G.offset[s] + 6 * i + f] = total
    return BlockRows(G.indptr, G.start, G.size, G.offset, numbers)


@kernel
def carried_of(p, mass, held, free):
    """The Carried of blocks free (f,) of a problem and a Profile of held rows that stand on whole rigid bodies."""
    start, offset, before = mass
    count, whole = start.size - 1, True
    for i in range(count + 1):
        whole = whole and start[i] == 6 * i
    blocks = np.sort(free)
    none = np.zeros(0, np.int64)
    if not whole or free.size == 0:
        return Carried(p, none, none, before, False)
    carrier, alone = carriers(p, held, free, count)
    if not alone:
        return Carried(p, none, none, before, False)
    data, (columns, body) = before.copy(), columns_of(p, held, carrier)
    take_away(mass, columns, profiles.solve(held, columns), body, data)
    own, rows = restricted(p, blocks)
    G = weigh(own, data, offset, carrier)
    lighter = Arrays(own.kind, own.row_start, own.J, G, own.b, own.law, own.mu, own.bounds, own.compliance_offset,
                     own.compliance, own.sides)  # fmt: skip
    return Carried(lighter, blocks, rows, data, True)


@inner
def answer_of(p, held, change, velocity):
    """Impulses (k,) of held rows that take away what the velocity change (N,) leaves there; velocity (K,) becomes that
    of all rows."""
    row_velocity(p, np.zeros(p.b.size), change, velocity)
    rhs = np.empty((1, held.rows.size))
    for i in range(held.rows.size):
        rhs[0, i] = -velocity[held.rows[i]]
    return profiles.solve(held, rhs)[0]


@kernel
def given_held(p, held, carried, dof_count):
    """b' (n,) of the rows of a Carried."""
    change, velocity, impulse = np.zeros(dof_count), np.empty(p.b.size), np.zeros(p.b.size)
    impulse[held.rows] = answer_of(p, held, change, velocity)
    for k in held.blocks:
        apply_change(p, k, impulse[p.row_start[k] :], change)
    row_velocity(p, np.zeros(p.b.size), change, velocity)
    return velocity[carried.rows]


@kernel
def hold(p, held, carried, impulse, dof_count):
    """Fill in the impulses (K,) of the held rows, those of the others given; they share as those there are."""
    change, velocity = np.zeros(dof_count), np.empty(p.b.size)
    for k in carried.blocks:
        apply_change(p, k, impulse[p.row_start[k] :], change)
    own = answer_of(p, held, change, velocity)
    profiles.share(held, own, impulse[held.rows])
    impulse[held.rows] = own
