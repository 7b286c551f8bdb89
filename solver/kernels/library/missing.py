"""What the library has no code for, compiled by numba where that is installed: kernels for other types, and functions
of tests and scripts that call kernels."""

import functools

from .. import load
from ..intrinsics import Uncompiled


class Inner:
    """A function that only kernels call. targetoptions: what numba is to compile it with, as far as that is not what
    all are compiled with."""

    def __init__(self, function):
        self.targetoptions = {}
        self.py_func, self.__name__, self.__doc__ = function, function.__name__, function.__doc__
        self.__module__, self.__qualname__ = function.__module__, function.__qualname__


@functools.cache
def dispatcher_of(function):
    """Numba's dispatcher of a kernel of the library, or of an Inner."""
    introduce()
    from .. import compiling

    if not isinstance(function, Inner):
        return compiling.kernel(function.py_func)
    made = compiling.inner(function.py_func)
    made.targetoptions |= function.targetoptions
    return made


@functools.cache
def introduce():
    """Let numba compile functions that call kernels of the library, and what is compiled into these."""
    from numba.core import types
    from numba.core.registry import cpu_target
    from numba.core.typing.typeof import typeof_impl
    from numba.extending import intrinsic

    @functools.cache
    def type_of_intrinsic(uncompiled):
        known, made = cpu_target.typing_context, intrinsic(uncompiled.definition)
        known.refresh()
        return known.resolve_value_type(made)

    for kind in (load.need().module.Caller, Inner):
        typeof_impl.register(kind)(lambda value, _context: types.Dispatcher(dispatcher_of(value)))
    typeof_impl.register(Uncompiled)(lambda value, _context: type_of_intrinsic(value))
