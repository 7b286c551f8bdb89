"""All that rests on private parts of numba, and the versions in which these are known."""

import numba

# What numba's version begins with where the files of this room fit: they take the place of its functions.
KNOWN = "0.68."


def is_known():
    """Whether this is a version of numba that kernels are compiled separately with."""
    return numba.__version__.startswith(KNOWN)


def install():
    """Compile each function once from now on, in this process."""
    from . import by_pointer, passes, separate, unpacking

    separate.install()
    passes.install()
    by_pointer.install()
    unpacking.install()
