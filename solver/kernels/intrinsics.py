"""What intrinsics are written with: names of numba's that are looked up when one is compiled, not when a file is read.

Where kernels come from a library, intrinsics are part of them, and numba may not even be installed.
"""

import importlib

from .ways import LIBRARY, way


class _Late:
    """A module that is imported when something of it is asked for."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        return getattr(importlib.import_module(self._name), name)


class Uncompiled:
    """An intrinsic of which only the definition is known."""

    def __init__(self, definition):
        self.definition = definition


def intrinsic(definition):
    """Numba's intrinsic of a definition, made now, or for the first need where a library has the kernels."""
    if way() == LIBRARY:
        return Uncompiled(definition)
    from numba.extending import intrinsic

    return intrinsic(definition)


cgutils, errors, ir, types = (_Late(name) for name in ("numba.core.cgutils", "numba.core.errors", "llvmlite.ir",
                                                       "numba.core.types"))  # fmt: skip
