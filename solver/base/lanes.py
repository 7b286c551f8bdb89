"""Pieces of code of LLVM for intrinsics that do sums side by side, in the lanes of the processor's vectors.

Numba's compiler finds no vectors in short rows of numbers. Vectors are LLVM's own, of doubles; it splits them where a
processor has shorter ones. Each function takes the builder of an intrinsic and values or addresses of LLVM.
"""

from ..kernels.intrinsics import cgutils, errors, ir

LANES = 4


def _numbers(lanes):
    """The type of a vector of doubles."""
    return ir.VectorType(ir.DoubleType(), lanes)


def _index(value):
    return ir.Constant(ir.IntType(32), value)



def element(context, builder, kind, array, place):
    """Address of number `place`, a value, of a contiguous array of float64 and the numba type `kind`."""
    data = cgutils.create_struct_proxy(kind)(context, builder, value=array).data
    return builder.gep(data, [place])


def columns(context, builder, kind, array):
    """Numbers in a row, a value, of a two-dimensional array of the numba type `kind`."""
    shape = cgutils.create_struct_proxy(kind)(context, builder, value=array).shape
    return builder.extract_value(shape, 1)


def contiguous(*kinds):
    """Raises TypingError where a numba type is no contiguous array of float64: `element` would read something else."""
    for kind in kinds:
        if str(getattr(kind, "dtype", None)) != "float64" or kind.layout != "C":
            raise errors.TypingError(f"a contiguous array of float64 is needed, not {kind}")


def at(builder, pointer, offset):
    """Address `offset` (int) numbers on."""
    return builder.gep(pointer, [ir.Constant(ir.IntType(64), offset)])


def times(builder, value, factor):
    """value * factor (int)."""
    return builder.mul(value, ir.Constant(ir.IntType(64), factor))


def load(builder, pointer, lanes=LANES):
    """The numbers from an address on."""
    vector = builder.load(builder.bitcast(pointer, _numbers(lanes).as_pointer()))
    vector.align = 8
    return vector


def store(builder, vector, pointer):
    """Write the lanes to an address."""
    builder.store(vector, builder.bitcast(pointer, vector.type.as_pointer()), align=8)


def shuffled(builder, a, b, lanes):
    """Lanes of a (from 0 on) and, after these, of b."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), list(lanes)))


def lane(builder, vector, number):
    """One number of a vector."""
    return builder.extract_element(vector, _index(number))


def in_all(builder, number, lanes=LANES):
    """The same number in all lanes."""
    none = ir.Constant(_numbers(lanes), ir.Undefined)
    return shuffled(builder, builder.insert_element(none, number, _index(0)), none, [0] * lanes)


def zeros(lanes=LANES):
    """Zero in all lanes."""
    return ir.Constant(_numbers(lanes), [0.0] * lanes)


def transposed(builder, rows):
    """Four columns of rows of four numbers; of three rows the last lane is anything."""
    a, b, c, d = *rows[:3], rows[-1]
    even, odd = shuffled(builder, a, b, (0, 4, 2, 6)), shuffled(builder, a, b, (1, 5, 3, 7))
    more, other = shuffled(builder, c, d, (0, 4, 2, 6)), shuffled(builder, c, d, (1, 5, 3, 7))
    return [shuffled(builder, left, right, lanes) for lanes in ((0, 1, 4, 5), (2, 3, 6, 7))
            for left, right in ((even, more), (odd, other))]  # fmt: skip
