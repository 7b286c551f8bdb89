"""The three ways in which kernels come to run, the same bits each.

`library`: from one shared library, without numba; `store`: found on disk, or compiled once each; `numba`: as numba does
it, with a version that `compiler/` does not know.
"""

import functools
import os
import sys

VARIABLE = "STICTION_KERNELS"
WAYS = LIBRARY, STORE, NUMBA = "library", "store", "numba"
# What asks for kernels other than the library's: plain Python, another processor, a record of what is called.
OTHER_KERNELS = "NUMBA_DISABLE_JIT", "NUMBA_CPU_NAME", "STICTION_RECORD"


@functools.cache
def way():
    """The way of this process: what the variable STICTION_KERNELS says, else the first that can be gone.

    Raises ValueError where the variable names none, and LibraryError where it names the library and none fits.
    """
    from . import load

    chosen = os.environ.get(VARIABLE)
    if chosen:
        if chosen not in WAYS:
            raise ValueError(f"{VARIABLE} is {chosen!r}; it is one of {', '.join(WAYS)}")
        if chosen == LIBRARY:
            load.need()
        return chosen
    if not any(map(os.environ.get, OTHER_KERNELS)) and load.find() is not None and load.holds(load.ALL):
        return LIBRARY
    from .compiler import KNOWN, is_known

    if is_known():
        return STORE
    import numba

    print(f"stiction: numba {numba.__version__} compiles kernels its own way, which takes three times as long; "
          f"with numba {KNOWN}x each function is compiled once", file=sys.stderr)  # fmt: skip
    return NUMBA


def take_library_for(use):
    """Go the library's way from now on in this process, and in those it starts, where one fits that has what a use
    needs: of others only a library for all runs is taken, for what one lacks is compiled without a word."""
    from . import load

    chosen = [os.environ.get(name) for name in (VARIABLE, *OTHER_KERNELS)]
    if not any(chosen) and load.find() is not None and load.holds(use):
        os.environ[VARIABLE] = LIBRARY
        way.cache_clear()


def described_library():
    """Clause on the library that fits, whichever runs it is for."""
    from . import load

    library = load.need()
    what = "" if load.holds(load.ALL) else f" with what the {library.manifest['use']} needs"
    return f"one library for {library.manifest['processor']}{what}, in {library.folder}"


def version():
    """Version of numba that the kernels of this process were compiled with."""
    if way() == LIBRARY:
        from . import load

        return load.need().manifest["numba"]
    import numba

    return numba.__version__


def described():
    """Sentence on where the kernels of this process come from."""
    from . import load

    if way() == LIBRARY:
        return described_library()
    fits = load.find() is not None
    why = f"besides {described_library()}" if fits else "; ".join(load.refusals()) or "there is no library"
    how = "each compiled once and kept on disk" if way() == STORE else "compiled numba's own way"
    return f"{how}, by numba {version()} ({why})"
