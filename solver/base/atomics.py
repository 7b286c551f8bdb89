"""Numbers that threads share inside kernels: reads, writes and changes of an array's element that nobody can see half.

What was written before a `store_release` is seen by whoever reads that value with `load_acquire`, or
changes it with `compare_exchange`.
"""

from ..kernels.intrinsics import cgutils, intrinsic, types


def _address(context, builder, signature, arguments):
    """Address of the element of a contiguous int64 array."""
    array = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=arguments[0])
    return builder.gep(array.data, [arguments[1]])


@intrinsic
def load_acquire(typing_context, array, index):
    """array[index], with all that was written before it was stored; array: int64."""

    def code(context, builder, signature, arguments):
        return builder.load_atomic(_address(context, builder, signature, arguments), "acquire", 8)

    return types.int64(array, types.int64), code


@intrinsic
def store_release(typing_context, array, index, value):
    """array[index] = value, and with it all that was written before; array: int64."""

    def code(context, builder, signature, arguments):
        builder.store_atomic(arguments[2], _address(context, builder, signature, arguments), "release", 8)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), code


@intrinsic
def compare_exchange(typing_context, array, index, old, new):
    """Put `new` in array[index] if that is `old`; returns whether it was; array: int64."""

    def code(context, builder, signature, arguments):
        place = _address(context, builder, signature, arguments)
        result = builder.cmpxchg(place, arguments[2], arguments[3], "seq_cst", "seq_cst")
        return builder.extract_value(result, 1)

    return types.boolean(array, types.int64, types.int64, types.int64), code


@intrinsic
def add(typing_context, array, index, value):
    """Add `value` to array[index]; returns what was there; array: int64."""

    def code(context, builder, signature, arguments):
        place = _address(context, builder, signature, arguments)
        return builder.atomic_rmw("add", place, arguments[2], "seq_cst")

    return types.int64(array, types.int64, types.int64), code
