"""Sums over the nodes of connected pieces, and rigid motions of these, for rigid_modes.py.

n nodes, k pieces: piece (n,), -1 for nodes of none, mass, weight (n,), arm (n,3) [m] from the centre of the piece. A
rigid motion is (6,): velocity of the centre, angular velocity. inverse (k,6,6): of R^T M R; modes: (piece, mass, arm,
inverse); factor: Factor.parts.
"""

from math import sqrt

import numpy as np

from ....jit import inner, kernel
from ...cholesky.factor_kernels import solve
from ...cholesky.six_kernels import solve_six
from ..laws.tensor_kernels import add_moment, invert_inertia, put_moved


@inner
def _axes(arm, a, way):
    """Velocity of a node in way (3,) for the rigid motion a of six."""
    way[0] = way[1] = way[2] = 0.0
    if a < 3:
        way[a] = 1.0
        return
    i, j = (a - 2) % 3, (a - 1) % 3
    way[i], way[j] = -arm[j], arm[i]


@inner
def _leave(way, pressed):
    """Take from way (3,) what is along a unit vector pressed (3,), or nothing where that is 0."""
    along = way[0] * pressed[0] + way[1] * pressed[1] + way[2] * pressed[2]
    for i in range(3):
        way[i] -= along * pressed[i]


@kernel
def prepare(piece, mass, x, arm, inverse):
    """Fill arm (n,3), 0 for nodes of no piece, and inverse (k,6,6) for nodes at x (n,3)."""
    count = inverse.shape[0]
    whole, center, second = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3, 3))
    work, Q, w = np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    for n in range(piece.size):
        if piece[n] >= 0:
            whole[piece[n]] += mass[n]
            for i in range(3):
                center[piece[n], i] += mass[n] * x[n, i]
    for k in range(count):
        for i in range(3):
            center[k, i] /= max(whole[k], 1e-300)
    for n in range(piece.size):
        for i in range(3):
            arm[n, i] = x[n, i] - center[piece[n], i] if piece[n] >= 0 else 0.0
        if piece[n] >= 0:
            for i in range(3):
                for j in range(3):
                    second[piece[n], i, j] += mass[n] * arm[n, i] * arm[n, j]
    inverse[:] = 0.0
    for k in range(count):
        for i in range(3):
            inverse[k, i, i] = 1.0 / max(whole[k], 1e-300)
        invert_inertia(second[k], work, Q, w, inverse[k, 3:, 3:])


@inner
def _invert(A, out):
    """out (6,6) = an inverse of a symmetric A (6,6) by sweeps: of it where it is positive definite, where it is
    semidefinite of as many of its rows as are independent, 0 beside these; A is overwritten."""
    whole, swept = np.empty(6), np.zeros(6, dtype=np.bool_)
    for i in range(6):
        whole[i] = A[i, i]
        for j in range(6):
            out[i, j] = 0.0
    for _ in range(6):
        p, most = -1, 1e-12
        for i in range(6):
            if not swept[i] and A[i, i] > most * whole[i]:
                p, most = i, A[i, i] / whole[i]
        if p < 0:
            break
        swept[p], one = True, 1.0 / A[p, p]
        for i in range(6):
            for j in range(6):
                if i != p and j != p:
                    A[i, j] -= A[i, p] * A[p, j] * one
        for i in range(6):
            A[i, p] = A[p, i] = one * A[i, p]
        A[p, p] = -one
    for i in range(6):
        for j in range(6):
            if swept[i] and swept[j]:
                out[i, j] = -A[i, j]


@kernel
def prepare_apart(piece, mass, arm, pressed, held, inverse):
    """Fill inverse (k,6,6) with what is one of R^T M Q R for R: R the rigid motions, Q what pressed (n,3), held (n,)
    leave, see RigidModes.kept_apart."""
    ways, out = np.empty((6, 3)), np.zeros((inverse.shape[0], 6, 6))
    for n in range(piece.size):
        if piece[n] < 0 or held[n]:
            continue
        for a in range(6):
            _axes(arm[n], a, ways[a])
            _leave(ways[a], pressed[n])
        for a in range(6):
            for b in range(6):
                product = ways[a, 0] * ways[b, 0] + ways[a, 1] * ways[b, 1] + ways[a, 2] * ways[b, 2]
                out[piece[n], a, b] += mass[n] * product
    for k in range(inverse.shape[0]):
        _invert(out[k], inverse[k])


@inner
def _fill_sums(piece, weight, arm, v, out):
    out[:] = 0.0
    for n in range(piece.size):
        if piece[n] >= 0:
            add_moment(weight[n], arm[n], v[n], out[piece[n]])


@inner
def _product(A, b, out):
    """out (k,6) = A (k,6,6) b (k,6)."""
    for k in range(out.shape[0]):
        for i in range(6):
            out[k, i] = 0.0
            for j in range(6):
                out[k, i] += A[k, i, j] * b[k, j]


@inner
def _motions(piece, weight, arm, inverse, v):
    """The rigid motions (k,6) of sums and moments of weight times v (n,3)."""
    moments, motion = np.empty((inverse.shape[0], 6)), np.empty((inverse.shape[0], 6))
    _fill_sums(piece, weight, arm, v, moments)
    _product(inverse, moments, motion)
    return motion


@kernel
def sums(piece, weight, arm, v, out):
    """Fill out (k,6) with the sums and moments of weight times v (n,3)."""
    _fill_sums(piece, weight, arm, v, out)


@kernel
def moved(piece, arm, motion, out):
    """Fill out (n,3) with the velocities of the rigid motion (k,6) of each node's piece, 0 without one."""
    for n in range(piece.size):
        out[n] = 0.0
        if piece[n] >= 0:
            put_moved(motion[piece[n]], arm[n], 1.0, out[n])


@kernel
def rigid(modes, weight, v, share, out):
    """Fill out (n,3) with share (n,) times the velocities of the rigid motions of weight times v (n,3)."""
    piece, _, arm, inverse = modes
    motion = _motions(piece, weight, arm, inverse, v)
    for n in range(piece.size):
        out[n] = 0.0
        if piece[n] >= 0:
            put_moved(motion[piece[n]], arm[n], share[n], out[n])


@kernel
def across(modes, v, times, out):
    """Fill out (n,3) with the arms across the axis about which pieces turn with velocities v (n,3), at a rate r, times
    sqrt((1 + (a r)^2)/(1 + (b r)^2)) - 1 for `times` (b, a), or (1 - sqrt(max(0, 1 - (h r)^2)))/h for (h, -1)."""
    piece, mass, arm, inverse = modes
    motion, factor = _motions(piece, mass, arm, inverse, v), np.empty(inverse.shape[0])
    for k in range(factor.size):
        rate = sqrt(motion[k, 3] ** 2 + motion[k, 4] ** 2 + motion[k, 5] ** 2)
        for i in range(3, 6):
            motion[k, i] /= max(rate, 1e-300)
        square = (times[0] * rate) ** 2
        if times[1] < 0.0:
            factor[k] = (1.0 - sqrt(max(0.0, 1.0 - square))) / times[0]
        else:
            factor[k] = sqrt((1.0 + (times[1] * rate) ** 2) / (1.0 + square)) - 1.0
    for n in range(piece.size):
        out[n] = 0.0
        if piece[n] >= 0:
            axis, r, own = motion[piece[n], 3:], arm[n], factor[piece[n]]
            along = axis[0] * r[0] + axis[1] * r[1] + axis[2] * r[2]
            for i in range(3):
                out[n, i] = own * (r[i] - along * axis[i])


@kernel
def kept_apart(modes, pressed, held, v, out):
    """See RigidModes.kept_apart; the inverse among modes: see prepare_apart."""
    piece, mass, arm, inverse = modes
    for n in range(held.size):
        out[n] = 0.0
        if not held[n]:
            out[n] = v[n]
            _leave(out[n], pressed[n])
    motion, way = _motions(piece, mass, arm, inverse, out), np.empty(3)
    for n in range(held.size):
        if piece[n] >= 0 and not held[n]:
            put_moved(motion[piece[n]], arm[n], 1.0, way)
            _leave(way, pressed[n])
            for i in range(3):
                out[n, i] -= way[i]




@kernel
def respond(factor, modes, Z, own):
    """Fill Z (n,3,6) with B^-1 M R, B what L is the factor of, and own (k,6,6) with the inverse of R^T M Z."""
    tree, order, L = factor
    piece, mass, arm, _ = modes
    for n in range(piece.size):
        for a in range(6):
            for i in range(3):
                Z[n, i, a] = 0.0
            if piece[n] >= 0:
                _axes(arm[n], a, Z[n, :, a])
                for i in range(3):
                    Z[n, i, a] *= mass[n]
    solve_six(tree, order, L, Z)
    square = np.zeros((own.shape[0], 6, 6))
    for n in range(piece.size):
        if piece[n] >= 0:
            for a in range(6):
                add_moment(mass[n], arm[n], Z[n, :, a], square[piece[n], :, a])
    for k in range(own.shape[0]):
        _invert(square[k], own[k])


@kernel
def answer(factor, modes, Z, own, right, out):
    """Fill out (n,3) with B^-1 right - Z S^-1 Z^T right + R (R^T M R)^-1 R^T right; own (k,6,6): S^-1."""
    tree, order, L = factor
    piece, _, arm, inverse = modes
    solve(tree, order, L, right, out)
    count = inverse.shape[0]
    within, away, given, motion = np.zeros((count, 6)), np.empty((count, 6)), np.zeros((count, 6)), np.empty((count, 6))
    for n in range(piece.size):
        if piece[n] >= 0:
            add_moment(1.0, arm[n], right[n], given[piece[n]])
            for i in range(3):
                for a in range(6):
                    within[piece[n], a] += Z[n, i, a] * right[n, i]
    _product(own, within, away)
    _product(inverse, given, motion)
    way = np.empty(3)
    for n in range(piece.size):
        if piece[n] >= 0:
            put_moved(motion[piece[n]], arm[n], 1.0, way)
            for i in range(3):
                for a in range(6):
                    way[i] -= Z[n, i, a] * away[piece[n], a]
                out[n, i] += way[i]


@kernel
def add_modes(modes, Z, own, nodes, W):
    """W (3s,3s) += R (R^T M R)^-1 R^T - Z S^-1 Z^T on `nodes` (s,); own (k,6,6): S^-1."""
    piece, _, arm, inverse = modes
    R, left = np.empty((nodes.size, 3, 6)), np.empty((2, 6))
    for s in range(nodes.size):
        for a in range(6):
            _axes(arm[nodes[s]], a, R[s, :, a])
    for s in range(nodes.size):
        k = piece[nodes[s]]
        if k < 0:
            continue
        for i in range(3):
            for b in range(6):
                left[0, b] = left[1, b] = 0.0
                for a in range(6):
                    left[0, b] += R[s, i, a] * inverse[k, a, b]
                    left[1, b] += Z[nodes[s], i, a] * own[k, a, b]
            for t in range(nodes.size):
                if piece[nodes[t]] == k:
                    for j in range(3):
                        more = 0.0
                        for b in range(6):
                            more += left[0, b] * R[t, j, b] - left[1, b] * Z[nodes[t], j, b]
                        W[3 * s + i, 3 * t + j] += more
