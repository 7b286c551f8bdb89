"""Kernels of the library as Python's functions: what jit.py hands out where the library fits."""

import importlib
import inspect
import os
import pickle
import struct
import threading

import numpy as np

from .. import load
from ..sources import PACKAGE
from .layout import Plan
from .missing import Inner, dispatcher_of

COMPILED, KEEPER = True, None
_LIBRARY = load.need()
_TYPES, _KERNELS = _LIBRARY.manifest["types"], _LIBRARY.manifest["kernels"]
_lock = threading.Lock()
# Kernels that were called for types that the library has no code for.
missing = set()


class MissingKernelError(RuntimeError):
    """The library has no code for a kernel, or none for arguments of these types, and none can be compiled."""


class Kernel(_LIBRARY.module.Caller):
    """A compiled function. py_func: the function; arguments are checked against the forms that the library has."""

    def __init__(self, function):
        super().__init__(self._without_form)
        self.py_func, self.__name__, self.__doc__ = function, function.__name__, function.__doc__
        self.__module__, self.__qualname__ = function.__module__, function.__qualname__
        self._forms = None

    def forms(self):
        """All forms of the kernel, as caller.c knows them."""
        with _lock:
            if self._forms is None:
                self._forms = tuple(_form(*one) for one in _KERNELS.get(_key(self.py_func), ()))
                self.learn(self._forms)
        return self._forms

    def _without_form(self, *given, **named):
        """The first call, one that names arguments or leaves them out, or one that the library has no code for."""
        begun, count = self._forms is not None, self.py_func.__code__.co_argcount
        if not begun:
            self.forms()
        if named or len(given) != count:
            bound = inspect.signature(self.py_func).bind(*given, **named)
            bound.apply_defaults()
            return self(*bound.args)
        return self(*given) if not begun else _compiled(self)(*given)


kernel, inner = Kernel, Inner


def is_compiled(function):
    """Whether the library has code for a kernel."""
    return _key(function.py_func) in _KERNELS


def _key(function):
    return f"{function.__module__.removeprefix(PACKAGE + '.')}:{function.__qualname__}"


def _form(number, arguments, result):
    """A Form of caller.c. arguments, result: places in the table of types."""
    given, made = Plan(_TYPES), Plan(_TYPES)
    for place in arguments:
        given.add(place)
    optional = _TYPES[result][0] == "optional"
    made.add(_TYPES[result][1] if optional else result)
    plans = [struct.pack(f"={len(one)}q", *one) for one in ([len(arguments), *given.numbers], made.numbers)]
    classes = [tuple(map(_class, one.classes)) for one in (given, made)]
    return _LIBRARY.module.Form(number, given.size, plans[0], classes[0], made.size, plans[1], classes[1], optional)


def _class(name):
    """The class of named tuples `module:name`."""
    module, _, name = name.partition(":")
    return getattr(importlib.import_module(f"{PACKAGE}.{module}"), name)


def _compiled(kernel):
    """The kernel as numba compiles it; where numba is not to be had, a function that raises MissingKernelError."""
    missing.add(_key(kernel.py_func))
    if not os.environ.get("STICTION_NO_COMPILE"):
        try:
            return dispatcher_of(kernel)
        except ModuleNotFoundError as error:
            if error.name not in ("numba", "llvmlite"):
                raise

    def refuse(*given):
        raise MissingKernelError(f"the library has no kernel {_key(kernel.py_func)} for {_described(given)}; install "
                                 "numba, which compiles it")  # fmt: skip

    return refuse


def _described(value):
    """Types of arguments, as text."""
    if isinstance(value, np.ndarray):
        layout = "C" if value.flags.c_contiguous else "F" if value.flags.f_contiguous else "A"
        return f"{value.dtype}[{value.ndim},{layout}]{'' if value.flags.writeable else ' read-only'}"
    if isinstance(value, tuple):
        name = type(value).__name__ if type(value) is not tuple else ""
        return f"{name}({', '.join(map(_described, value))})"
    return type(value).__name__


def _fail(status, content):
    """Raise what a kernel raised: its status, and what numba wrote of the exception."""
    if content is None:
        raise SystemError(f"a kernel ended with status {status}")
    error, arguments, _place = pickle.loads(content)
    raise error(*(arguments or ())) if error else RuntimeError("a kernel failed")


_LIBRARY.module.set_up(_fail)
