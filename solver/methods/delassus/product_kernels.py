"""The Delassus matrix of contacts of three rows in 3x3 blocks, from J and G = (W J^T)^T."""

import numpy as np

from ...jit import inner, kernel


@inner
def _body_at(G, order, first, bodies, component):
    """The last body that starts at or before a component of the velocity."""
    low, high = 0, bodies
    while high - low > 1:
        middle = (low + high) // 2
        if G.start[order[first[middle]]] <= component:
            low = middle
        else:
            high = middle
    return low


@kernel
def product_size(J, G, order, first):
    """(blocks of A at most, bodies met): order (s,) gives the segments of G by where they start, first (s+1,) gets the
    place of the first one of each body in it. -1 blocks where a segment of G covers a part of a body alone."""
    bodies, used = 0, 0
    for t in range(order.size):
        now, last = order[t], order[max(t - 1, 0)]
        if t == 0 or G.start[now] != G.start[last]:
            if t > 0 and G.start[now] < G.start[last] + G.size[last]:
                return -1, 0
            first[bodies] = t
            bodies += 1
        elif G.size[now] != G.size[last]:
            return -1, 0
    first[bodies] = order.size
    for b in range(bodies):
        met = first[b + 1] - first[b]
        used += met * met
    for s in range(J.start.size if bodies > 0 else 0):
        t = order[first[_body_at(G, order, first, bodies, J.start[s])]]
        if J.start[s] < G.start[t] or J.start[s] + J.size[s] > G.start[t] + G.size[t]:
            return -1, 0
    return used, bodies


@kernel
def block_product(J, G, order, first, bodies, indptr, indices, A):
    """Fill indptr (n+1,), indices (s,) and blocks A (s,9) of J G^T by rows, sorted by column; returns how many blocks.

    order, first, bodies: see product_size. A segment of J lies within one body, one of G covers all of it.
    """
    count, used = indptr.size - 1, 0
    owner = np.empty(order.size, dtype=np.int64)
    for k in range(count):
        for t in range(G.indptr[k], G.indptr[k + 1]):
            owner[t] = k
    mark, total = np.full(count, -1), np.zeros((count, 9))
    met = np.empty(count, dtype=np.int64)
    indptr[0] = 0
    for k in range(count):
        found = 0
        for s in range(J.indptr[k], J.indptr[k + 1]):
            width, base = J.size[s], J.offset[s]
            b = _body_at(G, order, first, bodies, J.start[s])
            for place in range(first[b], first[b + 1]):
                t = order[place]
                shift = J.start[s] - G.start[t]
                other = owner[t]
                if mark[other] != k:
                    mark[other] = k
                    total[other] = 0.0
                    met[found] = other
                    found += 1
                for j in range(3):
                    at = G.offset[t] + j * G.size[t] + shift
                    for i in range(3):
                        value = 0.0
                        for c in range(width):
                            value += J.data[base + i * width + c] * G.data[at + c]
                        total[other, 3 * i + j] += value
        columns = met[:found]
        columns.sort()
        for c in columns:
            indices[used] = c
            A[used] = total[c]
            used += 1
        indptr[k + 1] = used
    return used
