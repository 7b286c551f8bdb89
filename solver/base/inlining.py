"""Functions whose code is put wherever they are called.

Handing two dozen numbers to a short function costs more than its arithmetic. Kept apart from solver/jit.py because a
change of that file compiles every kernel anew.
"""

from ..jit import inner


def inlined(function):
    """An `inner` that the compiler puts in place of every call: for short functions in the hottest loops."""
    compiled = inner(function)
    # With NUMBA_DISABLE_JIT it is the plain function.
    if compiled is not function:
        compiled.targetoptions["forceinline"] = True
    return compiled
