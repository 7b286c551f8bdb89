"""Kernels: the Cholesky factor of A in a Profile, proximal passes with it, and the least norm of what rows share.

Coupled rows are solved by their factor, once, where each says something that those before it do not. A is singular
where rows say the same twice (a door on two hinges, overconstrained loops). With a small compliance eps times the
diagonal D it is not, and the passes (A + eps D) lambda' = rhs + eps D lambda take that compliance away again: no rank
is decided. From lambda = 0 that is the D-least-norm answer: redundant rows share what they carry by the masses behind
them. `share` goes on from there to the least norm, which is what equal compliances would share.
"""

from math import sqrt

import numpy as np

from ...jit import inner, kernel

# Levels of compliance added, as parts of the diagonal, and passes at most that take each away: none where more than the
# least of them is left of each row's own when those before it are held, else much and quick at first. Where little is
# left the impulses must push bodies, all together by the part PUSHES of what one row does.
EPSILON, PASSES, PUSHES = (0.0, 1e-6, 1e-10), (1, 5, 12), 1e-3
# What rows share is left alone where it is off by less than this part, and taken up in at most so many directions. A
# share may add no more than the part HARMLESS of what it moves to the velocities along the rows.
SHARED, DIRECTIONS, HARMLESS = 1e-9, 60, 1e-10


@inner
def dot(x, y):
    """Sum of the products of x and y (n,), in four sums, none of which waits for the others."""
    first = second = third = fourth = 0.0
    for q in range(x.size // 4):
        k = 4 * q
        first += x[k] * y[k]
        second += x[k + 1] * y[k + 1]
        third += x[k + 2] * y[k + 2]
        fourth += x[k + 3] * y[k + 3]
    for k in range(x.size - x.size % 4, x.size):
        first += x[k] * y[k]
    return (first + second) + (third + fourth)


@inner
def factorise(c, level, begin, end):
    """Make c.L[level] of A + EPSILON[level] D on the set of coupled rows begin:end, once; whether it could be made.

    With compliance a pivot that round-off has eaten is what the compliance alone makes it.
    """
    first, offset, A, L, least = c.first, c.offset, c.A, c.L[level], 1.0
    if c.made[level, begin] != 0:
        return c.made[level, begin] > 0
    for i in range(begin, end):
        row, soft = offset[i] - first[i], EPSILON[level] * c.diagonal[i]
        for j in range(first[i], i):
            other, low = offset[j] - first[j], max(first[i], first[j])
            L[row + j] = (A[row + j] - dot(L[row + low : row + j], L[other + low : other + j])) / L[other + j]
        own = L[offset[i] : row + i]
        pivot = A[row + i] + soft - dot(own, own)
        if level == 0:
            least = min(least, pivot / c.diagonal[i])
            if not least > EPSILON[2]:
                c.made[level, begin] = -1
                return False
        L[row + i] = sqrt(max(pivot, 0.01 * soft))
    c.made[level, begin] = 2 if least > sqrt(EPSILON[2]) else 1
    return True


@inner
def substitute(c, L, begin, end, x):
    """x := (L L^T)^-1 x on the rows begin:end, which no other row is coupled with."""
    first, offset = c.first, c.offset
    for i in range(begin, end):
        row = offset[i] - first[i]
        x[i] = (x[i] - dot(L[offset[i] : row + i], x[first[i] : i])) / L[row + i]
    for i in range(end - 1, begin - 1, -1):
        row = offset[i] - first[i]
        x[i] /= L[row + i]
        add_scaled(L[offset[i] : row + i], -x[i], x[first[i] : i])


@inner
def add_scaled(x, factor, out):
    """out (n,) += factor x (n,), of arrays that share nothing: from 0 on, as the compiler's vectors need it."""
    for j in range(out.size):
        out[j] += x[j] * factor


@inner
def dots(L, x, sums, out):
    """out (n,) := `dot` of L (k,) with each column of x (k,n), in sums (4,n)."""
    whole = L.size - L.size % 4
    sums[:] = 0.0
    for k in range(L.size):
        add_scaled(x[k], L[k], sums[k % 4 if k < whole else 0])
    for n in range(out.size):
        out[n] = (sums[0, n] + sums[1, n]) + (sums[2, n] + sums[3, n])


@inner
def substitute_many(c, L, begin, end, x):
    """`substitute` for all columns of x (k,n), row by row, so that one does not wait for another."""
    first, offset, sums, total = c.first, c.offset, np.empty((4, x.shape[1])), np.empty(x.shape[1])
    for i in range(begin, end):
        row, own = offset[i] - first[i], x[i]
        dots(L[offset[i] : row + i], x[first[i] : i], sums, total)
        for n in range(own.size):
            own[n] = (own[n] - total[n]) / L[row + i]
    for i in range(end - 1, begin - 1, -1):
        row, own = offset[i] - first[i], x[i]
        for n in range(own.size):
            own[n] /= L[row + i]
        for k in range(first[i], i):
            add_scaled(own, -L[row + k], x[k])


@inner
def multiply(c, begin, end, x, out):
    """out := A x on the rows begin:end, which no other row is coupled with; A symmetric in the profile."""
    first, offset, A = c.first, c.offset, c.A
    out[begin:end] = 0.0
    for i in range(begin, end):
        row = offset[i] - first[i]
        before = A[offset[i] : row + i]
        out[i] = A[row + i] * x[i] + dot(before, x[first[i] : i])
        add_scaled(before, x[i], out[first[i] : i])


@kernel
def product(c, x):
    """A x (k,) of a Profile."""
    out = np.empty_like(x)
    multiply(c, 0, c.first.size, x, out)
    return out


@inner
def passes(c, level, begin, end, rhs, answer, memory):
    """Proximal passes (A + S) y' = rhs + S y from y = 0 on the rows begin:end, S = EPSILON[level] D; answer (k,).

    Returns what is left of rhs - A answer, which is S (y' - y): 0 where it is nothing but round-off, and then the
    compliance matters to no velocity. What a pass leaves as it was contradicts the other rows, and more of them would
    only add to the forces.
    """
    factorise(c, level, begin, end)
    epsilon, L, x = EPSILON[level], c.L[level], memory[1]
    answer[begin:end], off = 0.0, np.inf
    for _ in range(PASSES[level]):
        for i in range(begin, end):
            x[i] = rhs[i] + epsilon * c.diagonal[i] * answer[i]
        substitute(c, L, begin, end, x)
        before, off, size, held = off, 0.0, 0.0, 0.0
        for i in range(begin, end):
            off, size = max(off, epsilon * c.diagonal[i] * abs(x[i] - answer[i])), max(size, abs(rhs[i]))
            held = max(held, abs(epsilon * c.diagonal[i] * x[i]))
            answer[i] = x[i]
        if off <= 1e-13 * (size + 1e3 * held):
            return 0.0
        if off > 0.999 * before:
            break
    return off


@inner
def passes_many(c, level, begin, end, rhs, answer):
    """`passes` for all columns of rhs (k,n), with the same bits; returns what they do of each (n,)."""
    factorise(c, level, begin, end)
    epsilon, count, x = EPSILON[level], rhs.shape[1], np.empty_like(rhs)
    answer[begin:end], off, open_ = 0.0, np.full(count, np.inf), np.ones(count, np.bool_)
    for _ in range(PASSES[level]):
        for i in range(begin, end):
            for n in range(count):
                x[i, n] = rhs[i, n] + epsilon * c.diagonal[i] * answer[i, n]
        substitute_many(c, c.L[level], begin, end, x)
        now, size, held = np.zeros(count), np.zeros(count), np.zeros(count)
        for i in range(begin, end):
            soft = epsilon * c.diagonal[i]
            for n in range(count):
                now[n], size[n] = max(now[n], soft * abs(x[i, n] - answer[i, n])), max(size[n], abs(rhs[i, n]))
                held[n] = max(held[n], abs(soft * x[i, n]))
                if open_[n]:
                    answer[i, n] = x[i, n]
        for n in range(count):
            if open_[n]:
                stays, before = now[n] > 1e-13 * (size[n] + 1e3 * held[n]), off[n]
                off[n] = now[n] if stays else 0.0
                open_[n] = stays and now[n] <= 0.999 * before
        if not open_.any():
            break
    return off


@inner
def size_of(J, s, i, begin, end):
    """Size of the part begin:end of row i of segment s: the first three numbers push a body, the others turn it."""
    total, first = 0.0, J.offset[s] + i * J.size[s]
    for e in range(begin, end):
        total += J.data[first + e] ** 2
    return sqrt(total)


@inner
def pushes(c, begin, end, impulse):
    """Whether impulses (k,) on a set of coupled rows push its bodies, all together by more than the part PUSHES of what
    one row does to one of them, whatever the bodies weigh: others press against each other alone.

    Moments count by the longest arm that a body's rows have.
    """
    J, top, largest, total = c.J, 0, 0.0, 0.0
    for s in range(J.start.size):
        top = max(top, J.start[s] + J.size[s])
    push, arm = np.zeros(top), np.zeros(top)
    for again in (False, True):
        for x in range(c.blocks.size):
            if c.place[x] < begin or c.place[x] >= end:
                continue
            for s in range(J.indptr[c.blocks[x]], J.indptr[c.blocks[x] + 1]):
                for i in range(c.place[x + 1] - c.place[x]):
                    start, size = J.start[s], J.size[s]
                    own, longest, moment = impulse[c.place[x] + i], arm[start + size - 1], size_of(J, s, i, 3, size)
                    if not again:
                        for e in range(3, size):
                            arm[start + e] = max(longest, moment)
                        continue
                    force = size_of(J, s, i, 0, min(size, 3))
                    largest = max(largest, abs(own) * max(force, moment / longest if longest > 0.0 else 0.0))
                    for e in range(size):
                        push[start + e] += J.data[J.offset[s] + i * size + e] * own
    for e in range(top):
        total += abs(push[e]) / arm[e] if arm[e] > 0.0 else abs(push[e])
    return total >= PUSHES * largest


@inner
def reach_back(first):
    """Lowest column (k+1,) of each row and all behind it: where that is not below the row, a set of coupled rows begins
    there."""
    low = np.empty(first.size + 1, np.int64)
    low[first.size] = first.size
    for i in range(first.size - 1, -1, -1):
        low[i] = min(low[i + 1], first[i])
    return low


@inner
def end_of_set(low, begin):
    """Where the set of coupled rows that begins there ends; low: see reach_back."""
    end = begin + 1
    while low[end] < end:
        end += 1
    return end


@inner
def solve_set(c, begin, end, rhs, answer, memory):
    """`solve` for one right side rhs (k,) on a set of coupled rows begin:end; memory (3,k)."""
    if factorise(c, 0, begin, end):
        answer[begin:end] = rhs[begin:end]
        substitute(c, c.L[0], begin, end, answer)
        if c.made[0, begin] == 2 or pushes(c, begin, end, answer):
            return
    off, more = passes(c, 1, begin, end, rhs, answer, memory), memory[0]
    if off > 0.0 and passes(c, 2, begin, end, rhs, more, memory) < off:
        for i in range(begin, end):
            more[i] -= answer[i]
        if pushes(c, begin, end, more):
            for i in range(begin, end):
                answer[i] += more[i]


@inner
def solve_dependent(c, begin, end, rhs, answer):
    """`solve_set` for all right sides (n,k), with the same bits, on a set of rows that depend on each other."""
    columns, first = rhs.T.copy(), np.empty(rhs.T.shape)
    off = passes_many(c, 1, begin, end, columns, first)
    left = np.flatnonzero(off > 0.0)
    more = np.empty((columns.shape[0], left.size))
    better = passes_many(c, 2, begin, end, columns[:, left].copy(), more)
    for j in range(left.size):
        own = more[:, j] - first[:, left[j]]
        if better[j] < off[left[j]] and pushes(c, begin, end, own):
            first[begin:end, left[j]] += own[begin:end]
    answer[:, begin:end] = first[begin:end].T


@kernel
def solve(c, rhs):
    """lambda (n,k) with A lambda = rhs (n,k) of a Profile.

    Of rows that depend on each other with much compliance first: those that contradict each other by a trace, as in an
    overconstrained loop in the middle of a step, or in a rope that is straight between two fixed points, are not to be
    answered with forces without bound. With little where that leaves something: long chains of hinges are that soft
    across, and so are light chains with heavy weights along. But what it then asks for more must push something: of
    what presses alone nothing comes, whatever the bodies weigh. Rows that nothing couples are solved each for
    themselves: how often one set is improved decides nothing about another.
    """
    answer, memory = np.empty_like(rhs), np.empty((3, c.first.size))
    low, begin = reach_back(c.first), 0
    while begin < c.first.size:
        end = end_of_set(low, begin)
        many = rhs.shape[0] > 1
        if many and not factorise(c, 0, begin, end):
            solve_dependent(c, begin, end, rhs, answer)
        elif many and c.made[0, begin] == 2:
            columns = rhs.T.copy()
            substitute_many(c, c.L[0], begin, end, columns)
            answer[:, begin:end] = columns[begin:end].T
        else:
            for n in range(rhs.shape[0]):
                solve_set(c, begin, end, rhs[n], answer[n], memory)
        begin = end
    return answer


@inner
def without_effect(c, begin, end, x, out, memory):
    """out (k,) := the part of x that gives no velocities, x - A^-1 A x, on a set of coupled rows; memory (5,k)."""
    multiply(c, begin, end, x, memory[3])
    solve_set(c, begin, end, memory[3], memory[4], memory)
    for i in range(begin, end):
        out[i] = x[i] - memory[4, i]


@inner
def moves(c, begin, end, x, out):
    """Whether x (k,) on a set of coupled rows makes velocities along them, by more than a part HARMLESS of what its
    largest would; out (k,) is overwritten."""
    largest, found = 0.0, False
    multiply(c, begin, end, x, out)
    for i in range(begin, end):
        largest = max(largest, abs(x[i]))
    for i in range(begin, end):
        found = found or not abs(out[i]) <= HARMLESS * c.diagonal[i] * largest
    return found


@inner
def share_set(c, begin, end, impulse, start, memory):
    """`share` on a set of coupled rows; memory (9,k)."""
    D, answer, way, left, x = c.diagonal, memory[5], memory[6], memory[7], memory[8]
    least, size = 0.0, 0.0
    if factorise(c, 0, begin, end):
        return
    for i in range(begin, end):
        x[i] = start[i] - impulse[i]
    without_effect(c, begin, end, x, left, memory)
    for i in range(begin, end):
        answer[i] = impulse[i] + left[i]
        x[i] = answer[i] / D[i]
        least += SHARED * SHARED * impulse[i] * impulse[i] / D[i]
    without_effect(c, begin, end, x, left, memory)
    for i in range(begin, end):
        left[i] = -left[i]
        way[i] = left[i]
        size += left[i] * D[i] * left[i]
    for _ in range(DIRECTIONS):
        if size <= least:
            break
        square, before = 0.0, size
        for i in range(begin, end):
            square += way[i] * way[i]
            x[i] = way[i] / D[i]
        step = size / square
        without_effect(c, begin, end, x, memory[3], memory)
        size = 0.0
        for i in range(begin, end):
            answer[i] += step * way[i]
            left[i] -= step * memory[3, i]
            size += left[i] * D[i] * left[i]
        # What is a millionth and does not get smaller is what round-off left of a solve.
        if before * 0.9 < size <= 1e-6 * 1e-6 / (SHARED * SHARED) * least:
            break
        for i in range(begin, end):
            way[i] = left[i] + size / before * way[i]
    for i in range(begin, end):
        x[i] = answer[i] - impulse[i]
    if not moves(c, begin, end, x, memory[3]):
        for i in range(begin, end):
            impulse[i] = answer[i]


@kernel
def share(c, impulse, start):
    """Make impulses (k,) of a Profile those of least norm that give the same velocities, in place: a vector z without
    effect, A z = 0, is added; rows that nothing couples each for themselves. start (k,): impulses whose share is near.

    Such vectors are x - solve(A x), which projects orthogonally in the scalar product of D: conjugate gradients in
    there end after as many directions as there are different masses behind redundant rows, none without such rows.
    """
    memory, low, begin = np.empty((9, c.first.size)), reach_back(c.first), 0
    while begin < c.first.size:
        end = end_of_set(low, begin)
        share_set(c, begin, end, impulse, start, memory)
        begin = end
