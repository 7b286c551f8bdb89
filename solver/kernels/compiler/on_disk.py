"""What belongs to a compiled function as bytes: descriptions, types and constants, for any name of this package."""

import io
import pickle
import sys

from numba.core import environment, serialize

from ..sources import PACKAGE
from .separate import MissingError


def written(parts):
    """What belongs to a compiled function as bytes, with the name of this package."""
    return PACKAGE.encode() + b"\n" + serialize.dumps(parts)


def read(content):
    """What was written by `written`, maybe under another name of the package."""
    package, _, data = content.partition(b"\n")
    return _Unpickler(data, package.decode()).load()


def _environment(module, consts, name):
    """Numba's environment of a compiled function, without importing its module: machine code without the interpreter
    reads the constants alone, and some modules of numba load the whole of scipy.linalg."""
    known = environment.lookup_environment(name)
    if known is not None:
        # Another form of it was read, which may have fewer: to the constants of a name others are only added.
        known.consts.extend(consts[len(known.consts) :])
        return known
    loaded = sys.modules.get(module)
    made = environment.Environment(loaded.__dict__ if loaded else {"__name__": module})
    made.consts[:] = consts
    made.env_name = name
    environment.Environment._memo[name] = made
    return made


class _Unpickler(pickle.Unpickler):
    """Reads what was written under another name of the package."""

    def __init__(self, data, written_under):
        super().__init__(io.BytesIO(data))
        self._written_under = written_under

    def _here(self, module):
        inside = module == self._written_under or module.startswith(self._written_under + ".")
        return PACKAGE + module[len(self._written_under) :] if inside else module

    def find_class(self, module, name):
        if (module, name) == (environment.__name__, "_rebuild_env"):
            return lambda module, *rest: _environment(self._here(module), *rest)
        try:
            return super().find_class(self._here(module), name)
        except (AttributeError, ImportError) as error:
            raise MissingError(f"{module}.{name}") from error
