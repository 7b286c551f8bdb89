"""Which way kernels come to run: found on disk or compiled once each (`store`), or as numba does it (`numba`)."""

import functools
import os
import sys

VARIABLE = "STICTION_KERNELS"
WAYS = ("store", "numba")


@functools.cache
def way():
    """The way of this process: what the variable STICTION_KERNELS says, else the best that fits numba's version.

    Raises ValueError where the variable names none.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen:
        if chosen not in WAYS:
            raise ValueError(f"{VARIABLE} is {chosen!r}; it is one of {', '.join(WAYS)}")
        return chosen
    from .compiler import KNOWN, is_known

    if is_known():
        return "store"
    import numba

    print(f"stiction: numba {numba.__version__} compiles kernels its own way, which takes three times as long; "
          f"with numba {KNOWN}x each function is compiled once", file=sys.stderr)  # fmt: skip
    return "numba"
