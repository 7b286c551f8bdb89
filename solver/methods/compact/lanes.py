"""Products with the rows of a block, side by side in the lanes of the processor's vectors.

What a row needs is a sum over its twelve numbers. Here three or four rows are turned into columns, and each lane adds
one row's products in the order in which plain code would: the same bits. Where kernels run as plain Python, so does
this.

Arrays are contiguous: J (R,12) with six numbers for each of a block's two nodes, w (n+1,6).
"""

import numpy as np

from ...base.lanes import LANES, at, contiguous, element, in_all, lane, load, store, times, transposed, zeros
from ...jit import COMPILED
from ...kernels.intrinsics import cgutils, intrinsic, types

COLUMNS, NODE = 12, 6


def _products(builder, rows, J, sides):
    """The products of each of the twelve columns of `rows` rows from J on with the number of its node."""
    found = []
    for first in range(0, COLUMNS, LANES):
        parts = [load(builder, at(builder, J, COLUMNS * row + first)) for row in range(rows)]
        for k, column in enumerate(transposed(builder, parts), first):
            number = builder.load(at(builder, sides[k // NODE], k % NODE))
            found.append(builder.fmul(column, in_all(builder, number)))
    return found


def _sums(context, builder, signature, rows, row, w, nodes, b, total):
    """The tuple of numbers that `_velocities` and `_row_products` return; b: a vector."""
    sides = [element(context, builder, signature.args[2], w, times(builder, node, NODE)) for node in nodes]
    sums = total(builder, b, _products(builder, rows, row, sides))
    return context.make_tuple(builder, signature.return_type, [lane(builder, sums, e) for e in range(rows)])


def _velocities(rows, total):
    """The intrinsic that returns b[k + e] + J[i + e] . (w[a], w[o]) for e < rows; total(builder, b, products): their
    sums."""

    def velocities(typing_context, J, i, w, a, o, b, k):
        contiguous(J, w, b)

        def code(context, builder, signature, arguments):
            J, i, w, a, o, b, k = arguments
            row = element(context, builder, signature.args[0], J, times(builder, i, COLUMNS))
            given = load(builder, element(context, builder, signature.args[5], b, k))
            return _sums(context, builder, signature, rows, row, w, (a, o), given, total)

        integer = types.int64
        return types.UniTuple(types.float64, rows)(J, integer, w, integer, integer, b, integer), code

    return intrinsic(velocities)


def _row_products(rows):
    """The intrinsic that returns J[i + e] . (w[a], w[o]) for e < rows, summed in pairs."""

    def row_products(typing_context, J, i, w, a, o):
        contiguous(J, w)

        def code(context, builder, signature, arguments):
            J, i, w, a, o = arguments
            row = element(context, builder, signature.args[0], J, times(builder, i, COLUMNS))
            return _sums(context, builder, signature, rows, row, w, (a, o), zeros(), _in_pairs)

        integer = types.int64
        return types.UniTuple(types.float64, rows)(J, integer, w, integer, integer), code

    return intrinsic(row_products)


def _in_threes(builder, b, x):
    """Sums of three side by side: a chain of twelve additions would wait for each."""
    add = builder.fadd
    sums = [add(add(x[k], x[k + 1]), x[k + 2]) for k in range(0, COLUMNS, 3)]
    return add(add(b, add(sums[0], sums[1])), add(sums[2], sums[3]))


def _in_pairs(builder, b, x):
    """One number of both nodes after the other, as joints and torsion are added."""
    for k in range(NODE):
        b = builder.fadd(b, builder.fadd(x[k], x[k + NODE]))
    return b


def _changes(rows, added):
    """The intrinsic that adds J[i + e, side:side + 6] * d[e], e < rows, to w[node]; added(builder, w, x): the sums."""

    def change(typing_context, J, i, side, d, w, node):
        contiguous(J, w)

        def code(context, builder, signature, arguments):
            of_J, _, _, _, of_w, _ = signature.args
            J, i, side, d, w, node = arguments
            row = element(context, builder, of_J, J, builder.add(times(builder, i, COLUMNS), side))
            target = element(context, builder, of_w, w, times(builder, node, NODE))
            given = cgutils.unpack_tuple(builder, d)
            for first, lanes in ((0, LANES), (LANES, NODE - LANES)):
                terms = [builder.fmul(load(builder, at(builder, row, COLUMNS * e + first), lanes),
                                      in_all(builder, given[e], lanes)) for e in range(rows)]  # fmt: skip
                place = at(builder, target, first)
                store(builder, added(builder, load(builder, place, lanes), terms), place)
            return context.get_dummy_value()

        given = types.UniTuple(types.float64, rows)
        return types.void(J, types.int64, types.int64, given, w, types.int64), code

    return intrinsic(change)


def _at_once(builder, w, x):
    """w + all terms: ((x0 + x1) + x2), ((x0 + x1) + (x2 + x3))."""
    if len(x) == 1:
        return builder.fadd(w, x[0])
    rest = x[2] if len(x) == 3 else builder.fadd(x[2], x[3])
    return builder.fadd(w, builder.fadd(builder.fadd(x[0], x[1]), rest))


def _in_turn(builder, w, x):
    """w + one term after the other."""
    for term in x:
        w = builder.fadd(w, term)
    return w


def _plain_velocities(rows, in_threes):
    """`_velocities` as plain Python."""

    def velocity(row, wa, wb, total):
        x = [*(row[:NODE] * wa), *(row[NODE:] * wb)]
        if in_threes:
            sums = [(x[k] + x[k + 1]) + x[k + 2] for k in range(0, COLUMNS, 3)]
            return (total + (sums[0] + sums[1])) + (sums[2] + sums[3])
        for k in range(NODE):
            total = total + (x[k] + x[k + NODE])
        return total

    def velocities(J, i, w, a, o, b, k):
        return tuple(velocity(J[i + e], w[a], w[o], b.reshape(-1)[k + e]) for e in range(rows))

    return velocities


def _plain_row_products(rows):
    """`_row_products` as plain Python."""
    velocities = _plain_velocities(rows, False)
    return lambda J, i, w, a, o: velocities(J, i, w, a, o, np.zeros(rows), 0)


def _plain_change(J, i, side, d, w, node):
    """`_changes` at once, as plain Python."""
    x = [J[i + e, side : side + NODE] * change for e, change in enumerate(d)]
    w[node] += x[0] if len(x) == 1 else (x[0] + x[1]) + (x[2] if len(x) == 3 else x[2] + x[3])


def _plain_change_in_turn(J, i, side, d, w, node):
    """`_changes` in turn, as plain Python."""
    for e, change in enumerate(d):
        w[node] += J[i + e, side : side + NODE] * change


# velocities_*(J, i, w, a, o, b, k): b[k:] + J[i:] (w[a], w[o]) of three rows, summed in threes, or of four, in pairs; b
# of any shape, k counts its numbers, and a fourth one has to follow. products_*(J, i, w, a, o): the same without b, in
# pairs. add_*(J, i, side, d, w, node): J[i:] d goes to w[node]; side: 0 or 6, d: a tuple of one, three or four changes.
if COMPILED:
    velocities_of_three, velocities_of_four = _velocities(3, _in_threes), _velocities(4, _in_pairs)
    products_of_three, products_of_four = _row_products(3), _row_products(4)
    add_one, add_three, add_four = (_changes(rows, _at_once) for rows in (1, 3, 4))
    add_four_in_turn = _changes(4, _in_turn)
else:
    velocities_of_three, velocities_of_four = _plain_velocities(3, True), _plain_velocities(4, False)
    products_of_three, products_of_four = _plain_row_products(3), _plain_row_products(4)
    add_one = add_three = add_four = _plain_change
    add_four_in_turn = _plain_change_in_turn
