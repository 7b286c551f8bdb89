"""Products of the 6x6 blocks of a Newton matrix, side by side in the lanes of the processor's vectors.

Each number is summed in the order of plain code, which has the same bits; it runs where nothing is compiled.
Arrays are contiguous: blocks (n,36), J and T (rows,12 k).
"""

import numpy as np

from ...base.lanes import LANES, at, columns, contiguous, element, in_all, load, store, times, zeros
from ...jit import COMPILED
from ...kernels.intrinsics import intrinsic, types

SIDE, BLOCK, COLUMNS = 6, 36, 12
# A row of a block as two vectors: (first number, numbers).
_ROW = (0, LANES), (LANES, SIDE - LANES)


@intrinsic
def _subtract_product(typing_context, C, t, A, s, B, q):
    """C[t] -= A[s] B[q], the terms of a sum one after the other."""
    contiguous(C, A, B)

    def code(context, builder, signature, arguments):
        numbers = zip(arguments[::2], arguments[1::2], signature.args[::2], strict=True)
        C, A, B = (element(context, builder, kind, array, times(builder, place, BLOCK))
                   for array, place, kind in numbers)  # fmt: skip
        for first, lanes in _ROW:
            right = [load(builder, at(builder, B, SIDE * e + first), lanes) for e in range(SIDE)]
            for i in range(SIDE):
                place = at(builder, C, SIDE * i + first)
                total = load(builder, place, lanes)
                for e in range(SIDE):
                    factor = in_all(builder, builder.load(at(builder, A, SIDE * i + e)), lanes)
                    total = builder.fsub(total, builder.fmul(factor, right[e]))
                store(builder, total, place)
        return context.get_dummy_value()

    return types.void(C, types.int64, A, types.int64, B, types.int64), code


def _rows_from(context, builder, kind, array, row, left, rows):
    """Addresses of number `left` of the rows from `row` on of an array (n,k)."""
    width = columns(context, builder, kind, array)
    first = builder.add(builder.mul(row, width), left)
    return [element(context, builder, kind, array, builder.add(first, times(builder, width, e))) for e in range(rows)]


def _weighted(rows):
    """The intrinsic of T[i] = sum K[k + rows i + e] J[row + e] over e, from 0 on, of the twelve columns from `left` on;
    K of any shape, k counts its numbers."""

    def weighted(typing_context, K, k, J, row, T, left):
        contiguous(K, J, T)

        def code(context, builder, signature, arguments):
            K, k, J, row, T, left = arguments
            K = element(context, builder, signature.args[0], K, k)
            of_J = _rows_from(context, builder, signature.args[2], J, row, left, rows)
            of_T = _rows_from(context, builder, signature.args[4], T, times(builder, row, 0), left, rows)
            for first in range(0, COLUMNS, LANES):
                given = [load(builder, at(builder, of_J[e], first)) for e in range(rows)]
                for i in range(rows):
                    total = zeros()
                    for e in range(rows):
                        factor = in_all(builder, builder.load(at(builder, K, rows * i + e)))
                        total = builder.fadd(total, builder.fmul(factor, given[e]))
                    store(builder, total, at(builder, of_T[i], first))
            return context.get_dummy_value()

        return types.void(K, types.int64, J, types.int64, T, types.int64), code

    return intrinsic(weighted)


def _add_congruence(rows):
    """The intrinsic of C[t] += J[row:, left:]^T T[:, right:], the terms of `rows` rows one after the other."""

    def add_congruence(typing_context, C, t, J, row, left, T, right):
        contiguous(C, J, T)

        def code(context, builder, signature, arguments):
            C, t, J, row, left, T, right = arguments
            C = element(context, builder, signature.args[0], C, times(builder, t, BLOCK))
            of_J = _rows_from(context, builder, signature.args[2], J, row, left, rows)
            of_T = _rows_from(context, builder, signature.args[5], T, times(builder, row, 0), right, rows)
            for first, lanes in _ROW:
                given = [load(builder, at(builder, of_T[e], first), lanes) for e in range(rows)]
                for i in range(SIDE):
                    place = at(builder, C, SIDE * i + first)
                    total = load(builder, place, lanes)
                    for e in range(rows):
                        factor = in_all(builder, builder.load(at(builder, of_J[e], i)), lanes)
                        total = builder.fadd(total, builder.fmul(factor, given[e]))
                    store(builder, total, place)
            return context.get_dummy_value()

        integer = types.int64
        return types.void(C, integer, J, integer, integer, T, integer), code

    return intrinsic(add_congruence)


def _plain_subtract_product(C, t, A, s, B, q):
    for e in range(SIDE):
        C[t] -= np.outer(A[s, e::SIDE], B[q, SIDE * e : SIDE * e + SIDE]).ravel()


def _plain_weighted(rows):
    def weighted(K, k, J, row, T, left):
        columns = slice(left, left + COLUMNS)
        T[:rows, columns] = 0.0
        for e in range(rows):
            T[:rows, columns] += np.outer(K.reshape(-1)[k + e :: rows][:rows], J[row + e, columns])

    return weighted


def _plain_add_congruence(rows):
    def add_congruence(C, t, J, row, left, T, right):
        for e in range(rows):
            C[t] += np.outer(J[row + e, left : left + SIDE], T[e, right : right + SIDE]).ravel()

    return add_congruence


if COMPILED:
    subtract_product = _subtract_product
    weighted_three, weighted_four = _weighted(3), _weighted(4)
    add_congruence_of_three, add_congruence_of_four = _add_congruence(3), _add_congruence(4)
else:
    subtract_product = _plain_subtract_product
    weighted_three, weighted_four = _plain_weighted(3), _plain_weighted(4)
    add_congruence_of_three, add_congruence_of_four = _plain_add_congruence(3), _plain_add_congruence(4)
