"""Kernels that build rows of blocks between bodies of any number of unknowns, cut into nodes of six: wide_body.py."""

from typing import NamedTuple

import numpy as np

from ...jit import inner, kernel
from ..compact.compact_build_kernels import factor_inverse_mass, fill_b, fill_diagonals, fill_steps, friction_scale


class Bodies(NamedTuple):
    """Bodies of a problem (n bodies, N unknowns). start (n+1,) first unknown; of_unknown (N,): the body, -1 where it
    cannot move; offset (n,) and L: Cholesky factors of the inverse masses, row by row, as in InverseMass."""

    start: np.ndarray
    of_unknown: np.ndarray
    offset: np.ndarray
    L: np.ndarray


@kernel
def bodies_of(start, offset, data):
    """The Bodies of an InverseMass."""
    count = start.size - 1
    body, L = np.full(start[count], -1), np.zeros(data.size)
    for i in range(count):
        m, first = start[i + 1] - start[i], offset[i]
        if factor_inverse_mass(data, first, m, L[first : first + m * m].reshape(m, m)):
            body[start[i] : start[i + 1]] = i
    return Bodies(start, body, offset, L)


@inner
def nodes_of_body(bodies, body):
    """How many nodes of six unknowns a body becomes."""
    return (bodies.start[body + 1] - bodies.start[body] + 5) // 6


@inner
def bodies_of_block(J, k, of_unknown, found):
    """Fill `found` with the bodies that block k moves, each once; returns how many."""
    used = 0
    for s in range(J.indptr[k], J.indptr[k + 1]):
        for e in range(J.start[s], J.start[s] + J.size[s]):
            body, known = of_unknown[e], False
            for i in range(used):
                known = known or found[i] == body
            if body >= 0 and not known:
                found[used] = body
                used += 1
    return used


@kernel
def unknowns_of(J, bodies):
    """Number of unknowns of the bodies that rows J move."""
    touched, total = np.zeros(bodies.start.size - 1, np.bool_), 0
    for s in range(J.start.size):
        for e in range(J.start[s], J.start[s] + J.size[s]):
            if bodies.of_unknown[e] >= 0:
                touched[bodies.of_unknown[e]] = True
    for i in range(touched.size):
        total += bodies.start[i + 1] - bodies.start[i] if touched[i] else 0
    return total


@kernel
def nodes_of_blocks(J, bodies):
    """(node (B,s) of each block, an even number of places, the number of nodes where there is none; that number)."""
    count, blocks = bodies.start.size - 1, J.indptr.size - 1
    first, found, sides, nodes = np.full(count, -1), np.empty(count, np.int64), 2, 0
    for k in range(blocks):
        places = 0
        for i in range(bodies_of_block(J, k, bodies.of_unknown, found)):
            own = nodes_of_body(bodies, found[i])
            places += own
            if first[found[i]] < 0:
                first[found[i]] = nodes
                nodes += own
        sides = max(sides, places + places % 2)
    node = np.full((blocks, sides), nodes)
    for k in range(blocks):
        place = 0
        for i in range(bodies_of_block(J, k, bodies.of_unknown, found)):
            for e in range(nodes_of_body(bodies, found[i])):
                node[k, place] = first[found[i]] + e
                place += 1
    return node, nodes


@inner
def fill_row(J, k, i, scale, bodies, found, row):
    """row += scale J L of row i of block k, six places after the other; found: its bodies."""
    for s in range(J.indptr[k], J.indptr[k + 1]):
        for e in range(J.size[s]):
            body, x = bodies.of_unknown[J.start[s] + e], scale * J.data[J.offset[s] + i * J.size[s] + e]
            if body < 0 or x == 0.0:
                continue
            place, own = 0, 0
            while found[own] != body:
                place += nodes_of_body(bodies, found[own])
                own += 1
            m, at = bodies.start[body + 1] - bodies.start[body], J.start[s] + e - bodies.start[body]
            for c in range(at + 1):
                row[6 * place + c] += x * bodies.L[bodies.offset[body] + at * m + c]


@kernel
def fill_wide(p, bodies, c):
    """Fill J, b, the diagonal blocks and the step lengths of Rows c of all blocks of the Arrays p, in their order."""
    found, blocks = np.empty(bodies.start.size - 1, np.int64), np.arange(p.kind.size)
    for k in range(p.kind.size):
        bodies_of_block(p.J, k, bodies.of_unknown, found)
        for i in range(p.row_start[k + 1] - p.row_start[k]):
            scale = friction_scale(p.kind[k], p.mu[k], i)
            fill_row(p.J, k, i, scale, bodies, found, c.J[p.row_start[k] + i])
    fill_b(p, blocks, c, 0, p.kind.size)
    fill_diagonals(p, blocks, c, 0, p.kind.size)
    fill_steps(p.mu, blocks, c, 0, p.kind.size)
