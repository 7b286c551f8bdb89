"""The only door to compiled code: `kernel` and `inner`, whichever of the three ways of `kernels/ways.py` it comes."""

from .kernels.ways import LIBRARY, way

if way() == LIBRARY:
    from .kernels.library.calls import COMPILED, KEEPER, inner, is_compiled, kernel
else:
    from .kernels.compiling import COMPILED, KEEPER, inner, is_compiled, kernel

__all__ = ["COMPILED", "KEEPER", "get_ready", "inner", "is_compiled", "kernel"]


def get_ready(function):
    """Read what the library says of a kernel's arguments now, not at its first call."""
    if way() == LIBRARY:
        function.forms()
